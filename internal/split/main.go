// Split makes the rooms of package engine packages of their own, from a list of which declaration belongs to which
// room. It is here for as long as the split is not done.
//
//	split rooms.txt            what goes against the order of the rooms, and how long each is
//	split rooms.txt fields     and to which room each field of a run belongs
//	split rooms.txt generate D writes them below D
//	split rooms.txt serve      reads pairs of folders, and splits the one into the other
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A plan has lines "room file file ..." and "room T:name F:name V:name ..." (types, functions and methods of run,
// constants and variables).
type planOf struct {
	room  map[string]string
	order map[string]int
	names []string
}

func readPlan(file string) planOf {
	p := planOf{map[string]string{}, map[string]int{}, nil}
	f, err := os.Open(file)
	if err != nil {
		panic(err)
	}
	sc := bufio.NewScanner(f)
	sc.Buffer(make([]byte, 1<<20), 1<<20)
	for sc.Scan() {
		w := strings.Fields(sc.Text())
		if len(w) < 2 || strings.HasPrefix(w[0], "#") {
			continue
		}
		if w[0] == "order" {
			p.names = w[1:]
			for i, r := range w[1:] {
				p.order[r] = i
			}
			continue
		}
		for _, x := range w[1:] {
			p.room[x] = w[0]
		}
	}
	return p
}

type world struct {
	planOf
	p      *packages.Package
	roomOf map[types.Object]string
	runT   *types.TypeName
	shared map[*types.Var]bool            // fields of run
	users  map[*types.Var]map[string]bool // rooms that use them
}

func (w *world) file(pos token.Pos) string {
	return strings.TrimSuffix(filepath.Base(w.p.Fset.Position(pos).Filename), ".go")
}

func (w *world) recv(fd *ast.FuncDecl) *types.TypeName {
	if fd.Recv == nil {
		return nil
	}
	t := w.p.TypesInfo.Defs[fd.Name].(*types.Func).Type().(*types.Signature).Recv().Type()
	if pt, is := t.(*types.Pointer); is {
		t = pt.Elem()
	}
	return t.(*types.Named).Obj()
}

func (w *world) place(o types.Object, kind string) string {
	if r, ok := w.room[kind+":"+w.file(o.Pos())+"."+o.Name()]; ok {
		return r
	}
	if r, ok := w.room[kind+":"+o.Name()]; ok {
		return r
	}
	r, ok := w.room[w.file(o.Pos())]
	if !ok {
		panic("no room: " + w.file(o.Pos()))
	}
	return r
}

func loaded() *packages.Package {
	ps, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports}, "nightporter/sync/engine")
	if err != nil || len(ps[0].Errors) > 0 {
		panic(fmt.Sprint(err, ps[0].Errors))
	}
	return ps[0]
}

type impsOf map[string]*types.Package

func (i impsOf) Import(path string) (*types.Package, error) {
	if p, ok := i[path]; ok {
		return p, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

// reload type-checks the package as it stands in a folder.
func reload(p *packages.Package, dir string) (*packages.Package, error) {
	deps := impsOf{}
	for path, d := range p.Imports {
		deps[path] = d.Types
	}
	fset := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	q := &packages.Package{Fset: fset, TypesInfo: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
	}}
	for _, n := range names {
		if strings.HasSuffix(n, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, n, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		q.Syntax = append(q.Syntax, f)
	}
	conf := types.Config{Importer: deps}
	q.Types, err = conf.Check(p.PkgPath, fset, q.Syntax, q.TypesInfo)
	return q, err
}

func load(file string, p *packages.Package) *world {
	w := &world{planOf: readPlan(file), roomOf: map[types.Object]string{}, shared: map[*types.Var]bool{}, users: map[*types.Var]map[string]bool{}}
	w.p = p
	scope := w.p.Types.Scope()
	w.runT = scope.Lookup("run").(*types.TypeName)
	var flat func(t types.Type)
	flat = func(t types.Type) {
		st, is := t.Underlying().(*types.Struct)
		if !is {
			return
		}
		for i := range st.NumFields() {
			v := st.Field(i)
			w.shared[v] = true
			w.users[v] = map[string]bool{}
			if v.Embedded() && v.Name() != "House" {
				flat(v.Type())
			}
		}
	}
	flat(w.runT.Type())
	for _, n := range scope.Names() {
		o := scope.Lookup(n)
		switch o := o.(type) {
		case *types.TypeName:
			w.roomOf[o] = w.place(o, "T")
			if st, is := o.Type().Underlying().(*types.Struct); is {
				for i := range st.NumFields() {
					if !w.shared[st.Field(i)] {
						w.roomOf[st.Field(i)] = w.roomOf[o]
					}
				}
			}
		case *types.Func:
			w.roomOf[o] = w.place(o, "F")
		default:
			w.roomOf[o] = w.place(o, "V")
		}
	}
	for _, f := range w.p.Syntax {
		for _, d := range f.Decls {
			if fd, is := d.(*ast.FuncDecl); is && fd.Recv != nil {
				o := w.p.TypesInfo.Defs[fd.Name]
				if t := w.recv(fd); t == w.runT {
					w.roomOf[o] = w.place(o, "F")
				} else {
					w.roomOf[o] = w.roomOf[t]
				}
			}
		}
	}
	return w
}

// of is the room of a declaration, and its name.
func (w *world) of(d ast.Decl) (string, string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return w.roomOf[w.p.TypesInfo.Defs[d.Name]], d.Name.Name
	case *ast.GenDecl:
		if len(d.Specs) == 0 {
			return "", ""
		}
		switch s := d.Specs[0].(type) {
		case *ast.TypeSpec:
			return w.roomOf[w.p.TypesInfo.Defs[s.Name]], s.Name.Name
		case *ast.ValueSpec:
			for _, n := range s.Names {
				if n.Name != "_" {
					return w.roomOf[w.p.TypesInfo.Defs[n]], n.Name
				}
			}
		}
	}
	return "", ""
}

func (w *world) check(say bool) {
	ups := map[string]map[string][]string{}
	total := 0
	for _, f := range w.p.Syntax {
		name := w.file(f.FileStart)
		for _, d := range f.Decls {
			from, who := w.of(d)
			if from == "" || who == "run" {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				id, is := n.(*ast.Ident)
				if !is {
					return true
				}
				o := w.p.TypesInfo.Uses[id]
				if o == nil || o.Pkg() != w.p.Types {
					return true
				}
				if fn, is := o.(*types.Func); is {
					o = fn.Origin()
				}
				if v, is := o.(*types.Var); is && w.shared[v] {
					w.users[v][from] = true
					return true
				}
				to, known := w.roomOf[o]
				if !known || to == from || w.order[to] >= w.order[from] || o == w.runT {
					return true
				}
				k, what := from+" -> "+to, o.Name()+"@"+w.file(o.Pos())
				if _, is := o.(*types.TypeName); is {
					what = "type " + what
				} else if v, is := o.(*types.Var); is && v.IsField() {
					what = "field " + what
				}
				if ups[k] == nil {
					ups[k] = map[string][]string{}
				}
				if c := name + "." + who; !slices.Contains(ups[k][what], c) {
					ups[k][what] = append(ups[k][what], c)
					total++
				}
				return true
			})
		}
	}
	if !say {
		return
	}
	var ks []string
	for k := range ups {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	for _, k := range ks {
		fmt.Println(k)
		var fs []string
		for f := range ups[k] {
			fs = append(fs, f)
		}
		slices.Sort(fs)
		for _, f := range fs {
			fmt.Printf("    %s <- %s\n", f, strings.Join(ups[k][f], " "))
		}
	}
	fmt.Println("total upward", total)
}

// owners says to which room each field of run belongs: the lowest that uses it.
func (w *world) owners() map[*types.Var]string {
	own := map[*types.Var]string{}
	for v, us := range w.users {
		low := ""
		for u := range us {
			if low == "" || w.order[u] > w.order[low] {
				low = u
			}
		}
		if low == "" {
			low = w.names[len(w.names)-1]
		}
		own[v] = low
	}
	return own
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == "imports" {
		for _, name := range os.Args[2:] {
			src, err := os.ReadFile(name)
			if err != nil {
				panic(err)
			}
			write(name, src)
		}
		return
	}
	p := loaded()
	if len(os.Args) > 2 && os.Args[2] == "serve" {
		serve(p)
		return
	}
	w := load(os.Args[1], p)
	w.check(true)
	lines := map[string]int{}
	for _, f := range w.p.Syntax {
		for _, d := range f.Decls {
			r, _ := w.of(d)
			lines[r] += w.p.Fset.Position(d.End()).Line - w.p.Fset.Position(d.Pos()).Line + 3
		}
	}
	fmt.Println(lines)
	if len(os.Args) > 3 && os.Args[2] == "generate" {
		w.generate(os.Args[3])
	}
	if len(os.Args) > 2 && os.Args[2] == "fields" {
		own := w.owners()
		var out []string
		for v, us := range w.users {
			var rs []string
			for u := range us {
				rs = append(rs, u)
			}
			slices.Sort(rs)
			out = append(out, fmt.Sprintf("%s: %s (%s)", own[v], v.Name(), strings.Join(rs, " ")))
		}
		slices.Sort(out)
		fmt.Println(strings.Join(out, "\n"))
	}
}

// serve reads pairs of folders: one with the package as it stands, and one for the rooms without their imports.
func serve(p *packages.Package) {
	raw = true
	sc := bufio.NewScanner(os.Stdin)
	for sc.Scan() {
		io := strings.Fields(sc.Text())
		q, err := reload(p, io[0])
		if err != nil {
			fmt.Println("error", io[0], err)
			continue
		}
		w := load(os.Args[1], q)
		w.check(false)
		w.generate(io[1])
		fmt.Println("done", io[0])
	}
}
