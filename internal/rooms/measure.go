package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Room is how a package is built, without its tests.
type Room struct {
	Path       string
	Files      int
	Lines      int     // all
	Code       int     // neither blank nor comment
	Interfaces []Count // by methods, those of embedded ones among them
	Functions  []Count // by branches
	Calls      int     // pairs of functions of two files, of which one calls the other
	Up         int     // of them, those that go to a file further up
	Ups        []Count // by the two files
}

// Count is how much there is of something.
type Count struct {
	Name string
	N    int
}

func (c Count) String() string { return fmt.Sprintf("%s %d", c.Name, c.N) }

// Share is which part of the calls between files goes back up.
func (r Room) Share() float64 {
	if r.Calls == 0 {
		return 0
	}
	return float64(r.Up) / float64(r.Calls)
}

// Measure loads packages by their patterns, and measures each.
func Measure(dir string, patterns ...string) ([]Room, error) {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports
	loaded, err := packages.Load(&packages.Config{Mode: mode, Dir: dir}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", strings.Join(patterns, " "), err)
	}
	var rooms []Room
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("load %s: %w", p.PkgPath, p.Errors[0])
		}
		rooms = append(rooms, measure(p))
	}
	return rooms, nil
}

func measure(p *packages.Package) Room {
	r := Room{Path: strings.TrimPrefix(p.PkgPath, "nightporter/"), Files: len(p.Syntax)}
	for _, f := range p.Syntax {
		r.Lines += p.Fset.File(f.FileStart).LineCount() - 1
		r.Code += len(codeLines(p.Fset, f))
		for _, d := range f.Decls {
			if fn, is := d.(*ast.FuncDecl); is {
				r.Functions = append(r.Functions, Count{nameOf(fn), branches(fn)})
			}
		}
	}
	r.Interfaces = interfaces(p.Types)
	calls := callsOf(p)
	r.Calls = len(calls)
	r.Up, r.Ups = ups(calls)
	for _, cs := range [][]Count{r.Functions, r.Interfaces, r.Ups} {
		slices.SortFunc(cs, func(a, b Count) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name)) })
	}
	return r
}

// codeLines is the lines of a file on which any of its code stands.
func codeLines(fset *token.FileSet, f *ast.File) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n.(type) {
		case nil:
			return false
		case *ast.Comment, *ast.CommentGroup:
			return false
		case *ast.File:
			return true
		}
		lines[fset.Position(n.Pos()).Line] = true
		lines[fset.Position(n.End()-1).Line] = true
		return true
	})
	return lines
}

func nameOf(fn *ast.FuncDecl) string { return fn.Name.Name }

// branches is in how many places a function goes one of several ways: each if, loop, case, && and ||.
func branches(fn *ast.FuncDecl) (n int) {
	ast.Inspect(fn, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if x.List != nil {
				n++
			}
		case *ast.CommClause:
			if x.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if x.Op == token.LAND || x.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

func interfaces(p *types.Package) (out []Count) {
	scope := p.Scope()
	for _, name := range scope.Names() {
		if t, is := scope.Lookup(name).(*types.TypeName); is {
			if i, is := t.Type().Underlying().(*types.Interface); is {
				out = append(out, Count{name, i.NumMethods()})
			}
		}
	}
	return out
}

// call is a function that calls another one, or names it, of another file of its package.
type call struct {
	from, to       string // files
	caller, callee types.Object
}

func callsOf(p *packages.Package) []call {
	fileOf := func(pos token.Pos) string { return filepath.Base(p.Fset.Position(pos).Filename) }
	seen := map[call]bool{}
	var out []call
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			fn, is := d.(*ast.FuncDecl)
			if !is {
				continue
			}
			from := fileOf(fn.Pos())
			ast.Inspect(fn, func(n ast.Node) bool {
				id, is := n.(*ast.Ident)
				if !is {
					return true
				}
				callee, is := p.TypesInfo.Uses[id].(*types.Func)
				if !is || callee.Pkg() != p.Types {
					return true
				}
				c := call{from, fileOf(callee.Pos()), p.TypesInfo.Defs[fn.Name], callee.Origin()}
				if c.from != c.to && !seen[c] {
					seen[c] = true
					out = append(out, c)
				}
				return true
			})
		}
	}
	return out
}

// ups counts the calls that go up where the files stand in the order in which the fewest do, as far as that is
// found: each time the file with the most to call and the least to be called by comes next.
func ups(calls []call) (n int, by []Count) {
	weight := map[[2]string]int{}
	files := map[string]bool{}
	for _, c := range calls {
		weight[[2]string{c.from, c.to}]++
		files[c.from], files[c.to] = true, true
	}
	order := inOrder(files, weight)
	at := map[string]int{}
	for i, f := range order {
		at[f] = i
	}
	for w, k := range weight {
		if at[w[0]] > at[w[1]] {
			n += k
			by = append(by, Count{w[0] + " to " + w[1], k})
		}
	}
	return n, by
}

// inOrder is the files from above to below: a start by who calls more than is called (after Eades, Lin and
// Smyth, 1993), and then each moved to where the fewest calls go up, until nothing gets better.
func inOrder(files map[string]bool, weight map[[2]string]int) []string {
	var left []string
	for f := range files {
		left = append(left, f)
	}
	slices.Sort(left)
	var order []string
	for len(left) > 0 {
		best, most := 0, -1<<30
		for i, f := range left {
			d := 0
			for _, g := range left {
				d += weight[[2]string{f, g}] - weight[[2]string{g, f}]
			}
			if d > most {
				best, most = i, d
			}
		}
		order = append(order, left[best])
		left = slices.Delete(left, best, best+1)
	}
	for better := true; better; {
		better = false
		for i := range order {
			if to := bestPlace(order, i, weight); to != i {
				f := order[i]
				order = slices.Insert(slices.Delete(order, i, i+1), to, f)
				better = true
			}
		}
	}
	return order
}

// bestPlace is where the file at i is to stand for the fewest calls to go up, i where nowhere is better.
func bestPlace(order []string, i int, weight map[[2]string]int) int {
	f, best, least, gain := order[i], i, 0, 0
	for j := i - 1; j >= 0; j-- {
		gain += weight[[2]string{f, order[j]}] - weight[[2]string{order[j], f}] // f above it: its calls to f go up
		if -gain < least {
			best, least = j, -gain
		}
	}
	gain = 0
	for j := i + 1; j < len(order); j++ {
		gain += weight[[2]string{order[j], f}] - weight[[2]string{f, order[j]}]
		if -gain < least {
			best, least = j, -gain
		}
	}
	return best
}
