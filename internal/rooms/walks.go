package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Station is a place that a walk through the core passes: a function, and the file in which it stands.
type Station struct{ File, Func string }

func (s Station) String() string { return s.File + " " + s.Func }

// stationLine is a row of a walk's table: its number, the file, the function, and what happens there.
var stationLine = regexp.MustCompile("^\\| \\d+ \\| `([^`]+)` \\| `([^`]+)` \\|")

// Walks reads the walks of a text by their headings, which begin with "### Walk: ".
func Walks(text string) map[string][]Station {
	walks, name := map[string][]Station{}, ""
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			name, _ = strings.CutPrefix(strings.TrimSpace(line), "### Walk: ")
			if strings.HasPrefix(name, "#") {
				name = ""
			}
			continue
		}
		if m := stationLine.FindStringSubmatch(line); m != nil && name != "" {
			walks[name] = append(walks[name], Station{m[1], m[2]})
		}
	}
	return walks
}

// Calls is which function calls which in some packages, as far as that can be told without running them. What is
// called through an interface, or named as a value, counts as called.
type Calls struct {
	at    map[Station]*types.Func
	calls map[*types.Func][]*types.Func
	named map[string][]*types.Func // methods by their name: one of them may be what an interface calls
}

// LoadCalls loads packages by their patterns.
func LoadCalls(dir string, patterns ...string) (*Calls, error) {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps
	loaded, err := packages.Load(&packages.Config{Mode: mode, Dir: dir}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", strings.Join(patterns, " "), err)
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", dir, err)
	}
	c := &Calls{at: map[Station]*types.Func{}, calls: map[*types.Func][]*types.Func{}, named: map[string][]*types.Func{}}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("load %s: %w", p.PkgPath, p.Errors[0])
		}
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				if err := c.add(p, root, d); err != nil {
					return nil, err
				}
			}
		}
	}
	return c, nil
}

// add notes a declaration: where a function stands, and what it calls. What a variable names, such as a list of rules,
// counts as called by each function of its package.
func (c *Calls) add(p *packages.Package, root string, d ast.Decl) error {
	fn, is := d.(*ast.FuncDecl)
	if !is {
		return nil
	}
	f, is := p.TypesInfo.Defs[fn.Name].(*types.Func)
	if !is {
		return nil
	}
	file, err := filepath.Rel(root, p.Fset.Position(fn.Pos()).Filename)
	if err != nil {
		return fmt.Errorf("name the file of %s: %w", fn.Name.Name, err)
	}
	c.at[Station{filepath.ToSlash(file), fn.Name.Name}] = f
	if fn.Recv != nil {
		c.named[fn.Name.Name] = append(c.named[fn.Name.Name], f)
	}
	c.calls[f] = c.usedBy(p, fn, map[types.Object]bool{})
	return nil
}

// usedBy is the functions that a node names, by itself or through a variable of its package.
func (c *Calls) usedBy(p *packages.Package, n ast.Node, seen map[types.Object]bool) (used []*types.Func) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, is := n.(*ast.Ident)
		if !is {
			return true
		}
		switch o := p.TypesInfo.Uses[id].(type) {
		case *types.Func:
			used = append(used, o.Origin())
		case *types.Var:
			if o.Parent() == p.Types.Scope() && !seen[o] {
				seen[o] = true
				if spec := specOf(p, o); spec != nil {
					used = append(used, c.usedBy(p, spec, seen)...)
				}
			}
		}
		return true
	})
	return used
}

// specOf is where a variable of a package is declared.
func specOf(p *packages.Package, v *types.Var) (spec ast.Node) {
	for _, f := range p.Syntax {
		if f.FileStart > v.Pos() || v.Pos() > f.FileEnd {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, is := n.(*ast.ValueSpec); is && s.Pos() <= v.Pos() && v.Pos() <= s.End() {
				spec = s
			}
			return spec == nil
		})
	}
	return spec
}

// Broken says what is not so in a walk, "" for nothing: each station must stand where it is said to, and be reached by
// calls from one before it.
func (c *Calls) Broken(walk []Station) string {
	var before []*types.Func
	for _, s := range walk {
		f, is := c.at[s]
		if !is {
			return fmt.Sprintf("%s has no function %s", s.File, s.Func)
		}
		if len(before) > 0 && !c.reach(before, f) {
			return fmt.Sprintf("no station before it calls %s, directly or through others", s)
		}
		before = append(before, f)
	}
	return ""
}

// reach reports whether one of some functions calls another, directly or through others.
func (c *Calls) reach(from []*types.Func, to *types.Func) bool {
	seen := map[*types.Func]bool{}
	from = slices.Clone(from)
	for len(from) > 0 {
		f := from[len(from)-1]
		from = from[:len(from)-1]
		for _, g := range c.calls[f] {
			if g == to {
				return true
			}
			for _, g := range c.meant(g) {
				if g == to {
					return true
				}
				if !seen[g] {
					seen[g] = true
					from = append(from, g)
				}
			}
		}
	}
	return false
}

// meant is a function, or what it may be where it is a method of an interface: one type may have such a method for another
// that embeds it.
func (c *Calls) meant(f *types.Func) []*types.Func {
	recv := f.Signature().Recv()
	if recv == nil || !types.IsInterface(recv.Type()) {
		return []*types.Func{f}
	}
	var out []*types.Func
	for _, g := range c.named[f.Name()] {
		if types.Identical(g.Signature(), f.Signature()) {
			out = append(out, g)
		}
	}
	return out
}
