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

// prose is the names of fields that hold sentences for people.
var prose = map[string]bool{"Why": true, "Reason": true, "Text": true, "Error": true, "Detail": true, "Resume": true, "Sentence": true}

// TestNothingDecidesByProse holds that no rule of the core reads a sentence to decide: what a rule asks for has a name
// beside the sentence.
func TestNothingDecidesByProse(t *testing.T) {
	err := filepath.WalkDir("../../sync", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "story" {
			return filepath.SkipDir // it tells, and decides nothing
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		for _, at := range readsProse(f) {
			t.Errorf("%s reads a sentence to decide", fset.Position(at))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// readsProse is where a file looks into a sentence, or compares one with anything but nothing or the same field of
// another value.
func readsProse(f *ast.File) (at []token.Pos) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := sel.X.(*ast.Ident); !ok || pkg.Name != "strings" || sel.Sel.Name == "Join" {
				return true
			}
			for _, arg := range n.Args {
				if sentence(arg) != "" {
					at = append(at, n.Pos())
				}
			}
		case *ast.BinaryExpr:
			if n.Op != token.EQL && n.Op != token.NEQ {
				return true
			}
			x, y := sentence(n.X), sentence(n.Y)
			if x != y && !nothing(n.X) && !nothing(n.Y) {
				at = append(at, n.Pos())
			}
		}
		return true
	})
	return at
}

// sentence is the name of the field that an expression is, "" if it is no field that holds sentences.
func sentence(x ast.Expr) string {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok || !prose[sel.Sel.Name] {
		return ""
	}
	if of, is := sel.X.(*ast.Ident); is && sel.Sel.Name == "Text" && (of.Name == "record" || of.Name == "k") {
		return "" // the type of a value, and the text of a key
	}
	return sel.Sel.Name
}

func nothing(x ast.Expr) bool {
	lit, ok := x.(*ast.BasicLit)
	id, is := x.(*ast.Ident)
	return ok && lit.Value == `""` || is && id.Name == "nil"
}

// TestReadsProse holds that the look into sentences is seen.
func TestReadsProse(t *testing.T) {
	for src, want := range map[string]int{
		`strings.Contains(p.Why, mark)`:  1,
		`p.Why == doubt`:                 1,
		`p.Why == "put back"`:            1,
		`p.Why == e.Why`:                 0,
		`p.Why != ""`:                    0,
		`strings.Join(p.Why, ", ")`:      0,
		`v.Type() == record.Text`:        0,
		`strings.HasPrefix(h.Text, "x")`: 1,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\nvar x = "+src, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(readsProse(f)); got != want {
			t.Errorf("%s: got %d places, want %d", src, got, want)
		}
	}
}
