package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/tools/imports"
)

var pkgOf = map[string]string{
	"base": "run", "found": "findings", "trust": "trust", "observe": "observe", "refs": "refer", "match": "match",
	"proof": "proof", "guards": "guards", "trial": "trials", "settle": "settle", "links": "links", "absence": "gone",
	"door": "door", "plan": "decide", "undo": "takeback", "line": "engine",
}

func exported(n string) string {
	r := []rune(n)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

type edit struct {
	from, to int
	text     string
}

func (w *world) generate(root string) {
	own := w.owners()
	info := w.p.TypesInfo
	origin := func(o types.Object) types.Object {
		switch o := o.(type) {
		case *types.Func:
			return o.Origin()
		case *types.Var:
			return o.Origin()
		}
		return o
	}
	roomOfAny := func(o types.Object) (string, bool) {
		if v, is := o.(*types.Var); is && w.shared[v] {
			return own[v], true
		}
		r, ok := w.roomOf[o]
		return r, ok
	}
	// which objects are used from another room
	export := map[types.Object]bool{}
	structOf := map[*types.Var]*types.TypeName{}
	for _, n := range w.p.Types.Scope().Names() {
		if tn, is := w.p.Types.Scope().Lookup(n).(*types.TypeName); is {
			if st, is := tn.Type().Underlying().(*types.Struct); is {
				for i := range st.NumFields() {
					structOf[st.Field(i)] = tn
				}
			}
		}
	}
	unkeyed := map[*types.TypeName]bool{}
	visit := func(from string, d ast.Node) {
		ast.Inspect(d, func(n ast.Node) bool {
			if lit, is := n.(*ast.CompositeLit); is && len(lit.Elts) > 0 {
				if _, kv := lit.Elts[0].(*ast.KeyValueExpr); !kv {
					if nt, is := types.Unalias(info.TypeOf(lit)).(*types.Named); is && nt.Obj().Pkg() == w.p.Types {
						if _, is := nt.Underlying().(*types.Struct); is && w.roomOf[nt.Obj()] != from {
							unkeyed[nt.Obj()] = true
						}
					}
				}
			}
			id, is := n.(*ast.Ident)
			if !is {
				return true
			}
			o := info.Uses[id]
			if o == nil || o.Pkg() != w.p.Types {
				return true
			}
			o = origin(o)
			if to, ok := roomOfAny(o); ok && to != from && o != w.runT {
				export[o] = true
			}
			return true
		})
	}
	for _, f := range w.p.Syntax {
		for _, d := range f.Decls {
			if r, who := w.of(d); r != "" && who != "run" {
				visit(r, d)
			}
		}
	}
	// fields of run are declared in rooms as well: the types they need
	for v, r := range own {
		var seeT func(t types.Type)
		seeT = func(t types.Type) {
			switch t := types.Unalias(t).(type) {
			case *types.Named:
				if t.Obj().Pkg() == w.p.Types && w.roomOf[t.Obj()] != r {
					export[t.Obj()] = true
				}
			case *types.Pointer:
				seeT(t.Elem())
			case *types.Slice:
				seeT(t.Elem())
			case *types.Array:
				seeT(t.Elem())
			case *types.Map:
				seeT(t.Key())
				seeT(t.Elem())
			}
		}
		seeT(v.Type())
	}
	for f, tn := range structOf {
		if unkeyed[tn] {
			export[f] = true
		}
	}
	nameOf := func(o types.Object) string {
		if export[o] {
			return exported(o.Name())
		}
		return o.Name()
	}
	type file struct{ body bytes.Buffer }
	files := map[string]map[string]*file{}
	needs := map[string]map[string]bool{} // room -> rooms it calls by the run
	need := func(from, to string) {
		if needs[from] == nil {
			needs[from] = map[string]bool{}
		}
		needs[from][to] = true
	}
	runName := func(r string) string {
		if r == "base" {
			return "Run"
		}
		return "Room"
	}
	isRun := func(t types.Type) bool {
		if p, is := types.Unalias(t).(*types.Pointer); is {
			t = p.Elem()
		}
		n, is := types.Unalias(t).(*types.Named)
		return is && n.Obj() == w.runT
	}
	rewrite := func(from string, d ast.Node, src []byte, base int) []byte {
		var edits []edit
		at := func(p token.Pos) int { return w.p.Fset.Position(p).Offset - base }
		selOf := map[*ast.Ident]*ast.SelectorExpr{}
		keyed := map[*ast.Ident]bool{}
		ast.Inspect(d, func(n ast.Node) bool {
			if s, is := n.(*ast.SelectorExpr); is {
				selOf[s.Sel] = s
			}
			if kv, is := n.(*ast.KeyValueExpr); is {
				if id, is := kv.Key.(*ast.Ident); is {
					keyed[id] = true
				}
			}
			return true
		})
		ast.Inspect(d, func(n ast.Node) bool {
			if lit, is := n.(*ast.CompositeLit); is {
				edits = append(edits, w.keys(from, lit, at, nameOf)...)
			}
			id, is := n.(*ast.Ident)
			if !is {
				return true
			}
			if o := info.Defs[id]; o != nil && !embedded(o) {
				o = origin(o)
				if export[o] && o.Name() != exported(o.Name()) {
					edits = append(edits, edit{at(id.Pos()), at(id.End()), exported(o.Name())})
				}
				if o == w.runT {
					edits = append(edits, edit{at(id.Pos()), at(id.End()), runName(from)})
				}
				return true
			}
			o := info.Uses[id]
			if o == nil || o.Pkg() != w.p.Types {
				return true
			}
			o = origin(o)
			if o == w.runT || embedded(o) && isRun(o.Type()) {
				edits = append(edits, edit{at(id.Pos()), at(id.End()), runName(from)})
				return true
			}
			to, ok := roomOfAny(o)
			if !ok {
				return true
			}
			name := nameOf(o)
			if s, is := selOf[id]; is {
				// a selection: of the run or of another value
				if xt := info.TypeOf(s.X); xt != nil && isRun(xt) {
					path := ""
					if to != from && to != "base" {
						path = pkgOf[to] + "."
						need(from, to)
					}
					edits = append(edits, edit{at(id.Pos()), at(id.End()), path + name})
					return true
				}
				// promoted through an embedded run: v.side where v has *run
				if sel := info.Selections[s]; sel != nil && len(sel.Index()) > 1 {
					if v, is := o.(*types.Var); is && w.shared[v] || func() bool { f, is := o.(*types.Func); return is && recvIsRun(f, w.runT) }() {
						path := ""
						if to != from && to != "base" {
							path = pkgOf[to] + "."
							need(from, to)
						}
						edits = append(edits, edit{at(id.Pos()), at(id.End()), path + name})
						return true
					}
				}
				if name != o.Name() {
					edits = append(edits, edit{at(id.Pos()), at(id.End()), name})
				}
				return true
			}
			if v, is := o.(*types.Var); is && v.IsField() {
				if name != o.Name() {
					edits = append(edits, edit{at(id.Pos()), at(id.End()), name})
				}
				return true
			}
			if to != from {
				name = pkgOf[to] + "." + name
			}
			if name != o.Name() {
				edits = append(edits, edit{at(id.Pos()), at(id.End()), name})
			}
			return true
		})
		slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(a.from-b.from, a.to-b.to) })
		var out bytes.Buffer
		last := 0
		for _, e := range edits {
			if e.from < last {
				continue
			}
			out.Write(src[last:e.from])
			out.WriteString(e.text)
			last = e.to
		}
		out.Write(src[last:])
		return out.Bytes()
	}
	for _, f := range w.p.Syntax {
		path := w.p.Fset.Position(f.FileStart).Filename
		src, err := os.ReadFile(path)
		if err != nil {
			panic(err)
		}
		name := filepath.Base(path)
		lastEnd := -1
		for _, d := range f.Decls {
			gd, isGen := d.(*ast.GenDecl)
			if isGen && gd.Tok == token.IMPORT {
				lastEnd = w.p.Fset.Position(d.End()).Offset
				continue
			}
			room, who := w.of(d)
			start := w.p.Fset.Position(d.Pos()).Offset
			if lastEnd < 0 {
				lastEnd = w.p.Fset.Position(f.Name.End()).Offset
			}
			lead := src[lastEnd:start] // comments before it
			end := w.p.Fset.Position(d.End()).Offset
			// a comment on the same line stays with it
			tail := end
			for tail < len(src) && src[tail] != '\n' {
				tail++
			}
			if room == "" {
				panic("no room " + name + " " + who)
			}
			if files[room] == nil {
				files[room] = map[string]*file{}
			}
			if files[room][name] == nil {
				files[room][name] = &file{}
			}
			body := rewrite(room, d, src[start:tail], start)
			leadText := string(lead)
			if fd, is := d.(*ast.FuncDecl); is {
				o := origin(info.Defs[fd.Name])
				if export[o] {
					leadText = strings.Replace(leadText, "// "+o.Name()+" ", "// "+exported(o.Name())+" ", 1)
				}
			} else if isGen {
				for _, sp := range gd.Specs {
					if ts, is := sp.(*ast.TypeSpec); is {
						if o := info.Defs[ts.Name]; export[o] {
							leadText = strings.Replace(leadText, "// "+o.Name()+" ", "// "+exported(o.Name())+" ", 1)
						}
					}
				}
			}
			if drop[who] {
				lastEnd = tail
				continue
			}
			if who != "run" {
				files[room][name].body.WriteString(leadText)
				files[room][name].body.Write(body)
			}
			lastEnd = tail
		}
	}
	for _, n := range w.p.Types.Scope().Names() { // what is handed to New
		if o := w.p.Types.Scope().Lookup(n); n == "run" {
			_ = o
		}
	}
	// rooms
	imps := func(from string) string {
		var b strings.Builder
		b.WriteString("import (\n")
		for _, i := range []string{"cmp", "context", "encoding/base64", "encoding/json", "errors", "fmt", "log/slog", "maps", "slices", "strings", "strconv", "sync", "time", "unicode", "math", "math/rand/v2", "io", "bytes"} {
			fmt.Fprintf(&b, "\t%q\n", i)
		}
		b.WriteString("\n")
		for _, i := range []string{"connectors", "sync/apply", "sync/plan/away", "sync/plan/guard", "sync/plan/trial", "sync/plan/undo", "sync/mapping", "sync/merge", "sync/plan", "sync/pull", "sync/record"} {
			fmt.Fprintf(&b, "\t%q\n", "nightporter/"+i)
		}
		for _, r := range w.names {
			if r != from && r != "line" {
				fmt.Fprintf(&b, "\t%q\n", "nightporter/sync/"+pkgOf[r])
			}
		}
		b.WriteString(")\n")
		return b.String()
	}
	qual := func(room string) types.Qualifier {
		return func(p *types.Package) string {
			if p == w.p.Types {
				return "§"
			}
			return p.Name()
		}
	}
	typeText := func(room string, t types.Type) string {
		s := types.TypeString(t, qual(room))
		for _, n := range w.p.Types.Scope().Names() {
			o := w.p.Types.Scope().Lookup(n)
			tn, is := o.(*types.TypeName)
			if !is {
				continue
			}
			to := nameOf(tn)
			if tn == w.runT {
				to = runName(room)
			} else if r := w.roomOf[tn]; r != room {
				to = pkgOf[r] + "." + to
			}
			s = replaceWord(s, "§."+n, to)
		}
		return s
	}
	inits := map[string]string{}
	for _, f := range w.p.Syntax {
		for _, d := range f.Decls {
			if fd, is := d.(*ast.FuncDecl); is && fd.Name.Name == "newRun" {
				src, _ := os.ReadFile(w.p.Fset.Position(f.FileStart).Filename)
				ast.Inspect(fd, func(n ast.Node) bool {
					if kv, is := n.(*ast.KeyValueExpr); is {
						if id, is := kv.Key.(*ast.Ident); is {
							if v, is := info.Uses[id].(*types.Var); is && w.shared[v] {
								inits[v.Name()] = string(src[w.p.Fset.Position(kv.Value.Pos()).Offset:w.p.Fset.Position(kv.Value.End()).Offset])
								_ = kv
							}
						}
					}
					return true
				})
			}
		}
	}
	for _, room := range w.names {
		dir := filepath.Join(root, pkgOf[room])
		if err := os.MkdirAll(dir, 0o755); err != nil {
			panic(err)
		}
		var fields []string
		var initText []string
		for v, r := range own {
			if r != room || v.Embedded() {
				continue
			}
			n := nameOf(v)
			fields = append(fields, fmt.Sprintf("\t%s %s", n, typeText(room, v.Type())))
			if e, has := inits[v.Name()]; has && strings.HasPrefix(e, "map") {
				initText = append(initText, fmt.Sprintf("%s: %s{}", n, typeText(room, v.Type())))
			}
		}
		slices.Sort(fields)
		slices.Sort(initText)
		var b bytes.Buffer
		fmt.Fprintf(&b, "package %s\n\n%s\n", pkgOf[room], imps(room))
		fmt.Fprintf(&b, "// %s is the part of a run that this package has.\ntype %s struct {\n", runName(room), runName(room))
		if room != "base" {
			b.WriteString("\t*run.Run\n")
		} else {
			b.WriteString("\t*House\n")
		}
		var lower []string
		for to := range needs[room] {
			lower = append(lower, to)
		}
		slices.SortFunc(lower, func(a, b string) int { return w.order[a] - w.order[b] })
		for _, to := range lower {
			fmt.Fprintf(&b, "\t%s *%s.Room\n", pkgOf[to], pkgOf[to])
		}
		b.WriteString("\n" + strings.Join(fields, "\n") + "\n}\n")
		if room != "base" {
			var params, sets []string
			for _, to := range lower {
				params = append(params, fmt.Sprintf("%s_ *%s.Room", pkgOf[to], pkgOf[to]))
				sets = append(sets, fmt.Sprintf("%s: %s_", pkgOf[to], pkgOf[to]))
			}
			fmt.Fprintf(&b, "\n// New begins this part of a run.\nfunc New(r *run.Run, %s) *Room {\n\treturn &Room{Run: r, %s}\n}\n",
				strings.Join(params, ", "), strings.Join(append(sets, initText...), ", "))
		} else {
			fmt.Fprintf(&b, "\n// New begins a run of a job.\nfunc New(h *House, job *Job, lease record.Lease, o Options) *Run {\n\tr := &Run{House: h, Job: job, Lease: lease, Opt: o, Now: time.Now(),\n\tRep: Report{Run: lease.Run, Lease: lease, Binding: job.Binding, Counts: record.Counts{}},\n\t%s}\n\tfor _, ref := range job.References {\n\t\tr.Refs[ref.Field] = true\n\t}\n\treturn r\n}\n", strings.Join(append(initText, foundText), ",\n"))
		}
		write(filepath.Join(dir, "room.go"), b.Bytes())
		for name, f := range files[room] {
			var b bytes.Buffer
			fmt.Fprintf(&b, "package %s\n\n%s\n", pkgOf[room], imps(room))
			b.Write(f.body.Bytes())
			b.WriteString("\n")
			write(filepath.Join(dir, name), b.Bytes())
		}
	}
	// aliases
	var b bytes.Buffer
	fmt.Fprintf(&b, "package engine\n\n%s\n", imps("line"))
	for _, n := range w.p.Types.Scope().Names() {
		o := w.p.Types.Scope().Lookup(n)
		if !o.Exported() || w.roomOf[o] == "line" {
			continue
		}
		q := pkgOf[w.roomOf[o]] + "." + n
		switch o.(type) {
		case *types.TypeName:
			fmt.Fprintf(&b, "type %s = %s\n", n, q)
		case *types.Const:
			fmt.Fprintf(&b, "const %s = %s\n", n, q)
		default:
			fmt.Fprintf(&b, "var %s = %s\n", n, q)
		}
	}
	write(filepath.Join(root, "engine", "alias.go"), b.Bytes())
	b.Reset()
	byHand, err := os.ReadFile(filepath.Join(filepath.Dir(os.Args[1]), "new.txt"))
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(&b, "package engine\n\n%s\n%s", imps("line"), byHand)
	write(filepath.Join(root, "engine", "new.go"), b.Bytes())
}

// keys names the fields of a literal whose type belongs to another room.
func (w *world) keys(from string, lit *ast.CompositeLit, at func(token.Pos) int, nameOf func(types.Object) string) (edits []edit) {
	if len(lit.Elts) == 0 {
		return nil
	}
	if _, kv := lit.Elts[0].(*ast.KeyValueExpr); kv {
		return nil
	}
	nt, is := types.Unalias(w.p.TypesInfo.TypeOf(lit)).(*types.Named)
	if !is || nt.Obj().Pkg() != w.p.Types {
		return nil
	}
	if to, known := w.roomOf[nt.Obj()]; !known || to == from {
		return nil
	}
	st, is := nt.Underlying().(*types.Struct)
	if !is {
		return nil
	}
	for i, e := range lit.Elts {
		edits = append(edits, edit{at(e.Pos()), at(e.Pos()), nameOf(st.Field(i)) + ": "})
	}
	return edits
}

const foundText = `Found: Found{
		Known: map[record.For]record.Finding{}, Fresh: map[record.For]record.Finding{},
		Done: map[About]bool{}, Pending: map[About]bool{}, Decided: map[About]bool{},
	}`

// drop is what is written by hand.
var drop = map[string]bool{"newRun": true, "above": true, "trust": true, "sending": true, "disputed": true}

func recvIsRun(f *types.Func, runT *types.TypeName) bool {
	rv := f.Type().(*types.Signature).Recv()
	if rv == nil {
		return false
	}
	t := rv.Type()
	if p, is := t.(*types.Pointer); is {
		t = p.Elem()
	}
	n, is := t.(*types.Named)
	return is && n.Obj() == runT
}

func replaceWord(s, from, to string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, from)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		end := i + len(from)
		if end < len(s) && (unicode.IsLetter(rune(s[end])) || unicode.IsDigit(rune(s[end]))) {
			b.WriteString(s[:end])
			s = s[end:]
			continue
		}
		b.WriteString(s[:i] + to)
		s = s[end:]
	}
}

// raw says that imports are left as they are.
var raw bool

func write(path string, src []byte) {
	if raw {
		out, err := format.Source(src)
		if err != nil {
			fmt.Println(path, err)
			out = src
		}
		if err := os.WriteFile(path, out, 0o600); err != nil {
			panic(err)
		}
		return
	}
	out, err := imports.Process(path, src, &imports.Options{Comments: true, TabIndent: true, TabWidth: 8, FormatOnly: false})
	if err != nil {
		fmt.Println(path, err)
		out = src
	}
	if err := os.WriteFile(path, out, 0o600); err != nil {
		panic(err)
	}
}

func embedded(o types.Object) bool {
	v, is := o.(*types.Var)
	return is && v.Embedded()
}
