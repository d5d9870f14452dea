package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// mostMethods is how many methods an interface of the core may have.
const mostMethods = 10

// An interface of the core has few methods: who needs a part of the state names that part alone.
func TestInterfacesAreSmall(t *testing.T) {
	widths := map[string]int{}
	eachFile(t, func(dir string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			if spec, is := n.(*ast.TypeSpec); is {
				if of, is := spec.Type.(*ast.InterfaceType); is {
					widths[dir+"."+spec.Name.Name] = width(of)
				}
			}
			return true
		})
	})
	if len(widths) < 20 {
		t.Fatalf("found %d interfaces", len(widths))
	}
	for name, n := range widths {
		if n > mostMethods {
			t.Errorf("%s has %d methods, more than %d: tell its subjects apart", name, n, mostMethods)
		}
	}
}

// width counts the methods of an interface. What it embeds makes it too wide: a room has several interfaces side by side.
func width(of *ast.InterfaceType) (n int) {
	for _, f := range of.Methods.List {
		switch x := f.Type.(type) {
		case *ast.FuncType:
			n += len(f.Names)
		case *ast.Ident, *ast.SelectorExpr:
			n += mostMethods + 1
		default: // a constraint on types
			_ = x
		}
	}
	return n
}

// A room takes the parts of the state that it needs when it is made, and reaches no other one.
func TestRoomsReachTheirOwnStoresAlone(t *testing.T) {
	taken := 0
	eachFile(t, func(dir string, f *ast.File) {
		if dir == "sync/engine" {
			return // it begins and ends runs
		}
		for _, d := range f.Decls {
			fn, is := d.(*ast.FuncDecl)
			if !is {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				sel, is := n.(*ast.SelectorExpr)
				if !is || sel.Sel.Name != "Stores" {
					return true
				}
				if fn.Name.Name != "New" && fn.Name.Name != "storeOf" {
					t.Errorf("%s: %s reaches the stores of all rooms", dir, fn.Name.Name)
				}
				taken++
				return true
			})
		}
	})
	if taken < 10 {
		t.Errorf("%d rooms take their stores", taken)
	}
}

// eachFile goes through the files of the core.
func eachFile(t *testing.T, do func(dir string, f *ast.File)) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(filepath.Join(root, "sync"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		do(filepath.ToSlash(rel), f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
