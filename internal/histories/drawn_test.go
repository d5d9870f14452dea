package histories

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// tally counts what histories do, by name.
type tally struct {
	sync.Mutex
	n map[string]int
}

func (c *tally) add(name string) {
	if c == nil {
		return
	}
	c.Lock()
	defer c.Unlock()
	c.n[name]++
}

// countOptions counts how a run is to be.
func (w *world) countOptions(o engine.Options) {
	v := reflect.ValueOf(o)
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			w.count.add("engine.Options." + v.Type().Field(i).Name)
		}
	}
}

// values is every value that was met, by the name of what has it.
type values map[string]map[string]bool

// add notes what stands in the fields of a struct. What is in structs of ours is noted by
// their own names.
func (vs values) add(x any) {
	v := reflect.ValueOf(x)
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		name := v.Type().String() + "." + f.Name
		if vs[name] == nil {
			vs[name] = map[string]bool{}
		}
		vs[name][shown(v.Field(i))] = true
	}
}

// shown is a value as a text: of a function only whether there is one.
func shown(v reflect.Value) string {
	switch v.Kind() { //nolint:exhaustive // the others have a text of their own
	case reflect.Func, reflect.Pointer, reflect.Interface:
		return strconv.FormatBool(!v.IsNil())
	case reflect.Map:
		if v.Type().Elem().Kind() == reflect.Func {
			return strconv.Itoa(v.Len())
		}
	}
	return fmt.Sprintf("%+v", v.Interface())
}

// drawnIn is how many seeds are looked at for what is drawn.
const drawnIn = 300

// traits is all that the systems and jobs of some seeds are, as they are when a history of
// that seed begins.
func traits(t *testing.T, image []byte) values {
	t.Helper()
	vs, dir := values{}, ramDir(t)
	for seed := uint64(1); seed <= drawnIn; seed++ {
		w, err := newWorld(historyOf(seed, false), dir, image)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			w.begin()
			w.must("open", w.open())
			for kind := range w.kinds() {
				j := w.eng.Jobs[jobs[kind]]
				for _, x := range []any{*j, j.Rules, j.Guards, j.Sides[0], j.Sides[1], j.Sides[0].Gone, j.Sides[1].Gone, j.Rules.Kinds[0], j.Rules.Kinds[1]} {
					vs.add(x)
				}
				for _, r := range j.Rules.Merge {
					vs.add(r)
				}
				for _, r := range j.References {
					vs.add(r)
				}
				if j.Booking != nil {
					vs.add(*j.Booking)
				}
				if j.Window != nil {
					vs.add(*j.Window)
				}
				for _, side := range record.Sides {
					vs.add(w.kindOf(side, kind))
					d, err := w.sys[side].Connector().Describe(t.Context())
					w.must("describe", err)
					vs.add(d)
					k := d.Kinds[kinds[kind][side]]
					vs.add(k)
					vs.add(k.Stamp)
				}
			}
			w.must("close", w.close())
		})
		if err := w.disk.Close(); err != nil || w.fault != "" {
			t.Fatal(w.fault, err)
		}
		if w.key != "" {
			_ = os.Remove(w.key)
		}
	}
	return vs
}

// Each trait of a kind, and each setting of a job, is other in some histories than in others,
// or the table says why not.
func TestOutside38EachTraitIsDrawn(t *testing.T) {
	vs := traits(t, template(t))
	for _, x := range []any{
		memory.Kind{},
		connectors.Kind{},
		connectors.Description{},
		connectors.Stamp{},
		engine.Job{},
		engine.Side{},
		engine.GoneRule{},
		engine.Booking{},
		engine.Reference{},
		engine.Window{},
		plan.Rules{},
		plan.Kind{},
		guard.Guards{},
		merge.Rule{},
	} {
		typ := reflect.TypeOf(x)
		for f := range typ.Fields() {
			name := typ.String() + "." + f.Name
			judgeDrawn(t, name, f.IsExported() && len(vs[name]) < 2)
		}
	}
	for name := range undrawn {
		if of, _, _ := strings.Cut(name, " "); of == name && vs[name] == nil && !strings.HasPrefix(name, "engine.Options.") {
			t.Errorf("the table has %s, and there is no such thing", name)
		}
	}
}

// judgeDrawn fails where something is not drawn and the table says nothing, and where the
// table says why not and it is.
func judgeDrawn(t *testing.T, name string, missing bool) {
	t.Helper()
	why, is := undrawn[name]
	switch {
	case missing && !is:
		t.Errorf("%s is the same in all histories: draw it, or say in the table undrawn why not", name)
	case !missing && is:
		t.Errorf("%s is drawn: the table undrawn says that it is not, %q", name, why)
	case is && len(why) < 10:
		t.Errorf("%s: %q is no reason", name, why)
	}
}

// writes is the methods by which somebody without a lease, and so no run, changes the state:
// what persons decide, and what the program itself keeps house with. It gives the name of the
// durable step of each.
func writes(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, f := range ofStores(t) {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || !fn.Name.IsExported() || text(fn.Recv.List[0].Type) != "*Store" || leased(fn) {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && text(call.Fun) == "s.db.Write" {
					if name := firstText(call.Args[1]); name != "" {
						out[fn.Name.Name] = name
					}
				}
				return true
			})
		}
	}
	if len(out) < 10 {
		t.Fatalf("only %v change the state: the source is read wrongly", out)
	}
	return out
}

// ofStores is the source of the packages that the state is made of.
func ofStores(t *testing.T) (out []*ast.File) {
	t.Helper()
	dirs, err := filepath.Glob("../../state/internal/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		out = append(out, parsed(t, dir)...)
	}
	return out
}

// parsed is the source of a package, without its tests.
func parsed(t *testing.T, dir string) []*ast.File {
	t.Helper()
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []*ast.File
	for _, e := range names {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") && e.Name() != "step_test.go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), dir+"/"+e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}

// leased reports whether a method takes a lease: a run calls it.
func leased(fn *ast.FuncDecl) bool {
	return slices.ContainsFunc(fn.Type.Params.List, func(p *ast.Field) bool { return text(p.Type) == "record.Lease" })
}

// text is a type or a name as it is written, as far as it is needed here.
func text(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.StarExpr:
		return "*" + text(x.X)
	case *ast.SelectorExpr:
		return text(x.X) + "." + x.Sel.Name
	}
	return ""
}

// firstText is the text that an expression begins with.
func firstText(x ast.Expr) string {
	if sum, ok := x.(*ast.BinaryExpr); ok {
		return firstText(sum.X)
	}
	lit, ok := x.(*ast.BasicLit)
	if !ok {
		return ""
	}
	s, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return s
}

// constants is the texts of the constants of a type, or of those whose names begin so.
func constants(t *testing.T, dir, typ, prefix string) []string {
	t.Helper()
	var out []string
	for _, f := range parsed(t, dir) {
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || len(v.Values) != 1 || typ != "" && text(v.Type) != typ || !strings.HasPrefix(v.Names[0].Name, prefix) {
				return true
			}
			if s := firstText(v.Values[0]); s != "" {
				out = append(out, s)
			}
			return true
		})
	}
	if len(out) == 0 {
		t.Fatalf("%s has no constants of the type %q: the source is read wrongly", dir, typ)
	}
	return out
}

// ofEach is how many histories are played of each oddity of a job.
const ofEach = 3

// Each step is drawn, each oddity too, and in what is played each way of a run, and each
// decision of a person, comes up; or the table says why not.
func TestOutside38EachStepAndDecisionIsDrawn(t *testing.T) {
	drawn := map[string]bool{}
	of := map[string][]uint64{} // the seeds of each oddity
	for seed := uint64(1); seed <= drawnIn; seed++ {
		h := historyOf(seed, false)
		for _, s := range h.steps {
			drawn[s.what] = true
		}
		fits := h.odd.fitting(climateOf(seed))
		for _, has := range []map[string]int{fits.sides[0], fits.sides[1], fits.job} {
			for name := range has {
				of[name] = append(of[name], seed)
			}
		}
	}
	for _, what := range constants(t, ".", "", "do") {
		judgeDrawn(t, "step "+what, !drawn[what])
	}
	for _, x := range oddities {
		if (len(of[x.name]) > 0) != (x.waits == "") {
			t.Errorf("oddity %s: drawn %t, and it waits for %q", x.name, len(of[x.name]) > 0, x.waits)
		}
	}
	met := meetings(t)
	for name, is := range played(t, met, of) {
		judgeDrawn(t, name, !is)
	}
	for name := range undrawn {
		if _, is := met[name]; !is && strings.HasPrefix(name, "state ") {
			t.Errorf("the table has %s, and there is no such thing", name)
		}
	}
}

// meetings is each way of a run and each decision, and what a history counts when it comes up.
func meetings(t *testing.T) map[string]string {
	t.Helper()
	met := map[string]string{}
	for f := range reflect.TypeFor[engine.Options]().Fields() {
		name := "engine.Options." + f.Name
		met[name] = name
	}
	for method, step := range writes(t) {
		met["state "+method] = "after " + step
	}
	for _, choice := range append(constants(t, "../../sync/plan/away", "GoneChoice", "Choose"), "left", "right", "value", string(record.ChoiceLeave), "always") {
		if choice != "" {
			met["choice "+choice] = "choice " + choice
		}
	}
	return met
}

// first are seeds in which much comes up that is rare; after them any may follow.
var first = []uint64{1, 8, 22, 45, 58, 71, 24, 50, 17, 27, 104, 137, 148, 325}

// mostPlayed is how many histories are played at most until all has come up.
const mostPlayed = 150

// played plays histories until all that is to be drawn has come up in one, and says of each
// whether it did.
func played(t *testing.T, met map[string]string, of map[string][]uint64) map[string]bool {
	t.Helper()
	count := &tally{n: map[string]int{}}
	seeds := slices.Clone(first)
	for _, x := range oddities {
		if x.job {
			seeds = append(seeds, of[x.name][:min(len(of[x.name]), ofEach)]...)
		}
	}
	for seed := uint64(1); seed <= drawnIn; seed++ {
		seeds = append(seeds, seed)
	}
	image, dir := template(t), ramDir(t)
	out, done := map[string]bool{}, map[uint64]bool{}
	for _, seed := range seeds {
		if done[seed] || len(done) == mostPlayed {
			continue
		}
		done[seed] = true
		h := historyOf(seed, false)
		h.count = count
		if wrong, _, _ := play(t, h, dir, image); wrong != "" {
			t.Fatalf("seed %d: %s", seed, wrong)
		}
		missing := 0
		var news []string
		for name, counted := range met {
			was := out[name]
			out[name] = was || slices.ContainsFunc(slices.Collect(maps.Keys(count.n)), func(n string) bool { return strings.HasPrefix(n, counted) })
			if !was && out[name] {
				news = append(news, name)
			}
			if _, not := undrawn[name]; !not && !out[name] {
				missing++
			}
		}
		if len(news) > 0 {
			t.Logf("seed %d: %v", seed, news)
		}
		if missing == 0 {
			break
		}
	}
	return out
}

// No job is begun with digests of records that can't be read by their id: no history has both.
func TestOutside38NoDigestsOfWhatCantBeRead(t *testing.T) {
	var c climate
	for _, side := range record.Sides {
		o := odd{job: map[string]int{oddSeal: 1}}
		if o.sides = [2]map[string]int{{}, {}}; o.fitting(c).job[oddSeal] == 0 {
			t.Fatal("digests are never drawn")
		}
		o.sides[side][oddNoGet] = 1
		if o.fitting(c).job[oddSeal] != 0 {
			t.Errorf("digests are kept, and nothing of the %s can be read by its id", side)
		}
	}
}
