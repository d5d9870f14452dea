package histories

import (
	"slices"
	"strings"
	"testing"

	"nightporter/sync/record"
)

// noted is who let a change go that the state has noted as sent. A death may come before
// the request: then a later run sends it as it was decided, and nobody is asked again.
type noted struct {
	run int
	yes bool // a person let the whole plan of that run go
}

// noteSent notes by which run a change was let go, as the state tells its durable steps.
func (o *oracle) noteSent(step string) {
	id, sent := strings.CutPrefix(step, "after open change ")
	if _, known := o.noted[id]; sent && !known {
		o.noted[id] = noted{o.w.runs, o.w.opt.Yes}
	}
}

// letBy is who let a change go: a run before, or the one that is on its way.
func (o *oracle) letBy(id string) noted {
	if n, ok := o.noted[id]; ok {
		return n
	}
	return noted{o.w.runs, o.w.opt.Yes}
}

// noteUndone forgets that a change was let go which the state notes as not made, once users
// have undone it: a death came between its answer and the note of that, and the lookup
// finds nothing of it.
func (o *oracle) noteUndone(step string) {
	if id, failed := strings.CutPrefix(step, "after fail change "); failed {
		o.let = slices.DeleteFunc(o.let, func(x letGo) bool { return x.change.ID == id && o.undone(x) })
	}
}

// undone reports whether nothing is there any more of a change that was made.
func (o *oracle) undone(x letGo) bool {
	switch r := o.recs[x.kind][x.side][x.change.Ref.ID]; {
	case r == nil:
		return false
	case x.change.Op == record.Delete:
		return !r.dead
	default:
		return r.dead || !r.native.Agrees(x.change.Fields)
	}
}

// countedBy is what a guard counts a change by: the record that is written, or for a
// create the one that it is made from. That is not said in it. Where one alone can be it,
// a create that takes the place of one which was refused is no other one.
func (o *oracle) countedBy(kind int, side record.Side, ch record.Change) string {
	if ch.Op != record.Create {
		return ch.Ref.String()
	}
	n := numberIn(ch.Fields[path(side, tag[kind])].Text())
	var from []string
	for id, r := range o.recs[kind][side.Other()] {
		if r.t.n == n || numberIn(r.now(tag[kind])) == n {
			from = append(from, id)
		}
	}
	if len(from) == 1 {
		return from[0]
	}
	return ch.ID
}

// What is counted against a guard that lets one create go, in a run or in a day: each
// record once, by the run that let it go, and nothing that a person let go.
func TestWhatGuardsCount(t *testing.T) {
	const (
		inARun = "2 changes of the risk create were sent to the right in a run, and the guard lets 1 go: create of people"
		inADay = "2 changes of the risk create were sent to the right in 24h0m0s, and the guard lets 1 go: create of people"
	)
	type call struct {
		id   string
		n    int
		yes  bool
		die  bool // after it is noted as sent, before it is
		next bool // a run begins with it
	}
	for _, c := range []struct {
		name       string
		day, twice bool // a limit of a day; all are entered twice
		calls      []call
		wrong      string
	}{
		{"two records", false, false, []call{{id: "a"}, {id: "b", n: 1}}, inARun},
		{"one record again", false, false, []call{{id: "a"}, {id: "b"}}, ""},
		{"two that look the same", false, true, []call{{id: "a"}, {id: "b"}}, inARun},
		{"in two runs", false, false, []call{{id: "a"}, {id: "b", n: 1, next: true}}, ""},
		{"in a day", true, false, []call{{id: "a"}, {id: "b", n: 1, next: true}}, inADay},
		{"a person let it go", true, false, []call{{id: "a", yes: true}, {id: "b", n: 1, next: true}}, ""},
		{"a person let it go, and a death came between", true, false, []call{{id: "a", yes: true, die: true}, {id: "a", next: true}, {id: "b", n: 1}}, ""},
		{"a death came between", false, false, []call{{id: "a", die: true}, {id: "a", next: true}, {id: "b", n: 1}}, ""},
		{"a death came between, in a day", true, false, []call{{id: "a", die: true}, {id: "a", next: true}, {id: "b", n: 1}}, inADay},
		{"a death came between, and it is sent last", true, false, []call{{id: "a", die: true}, {id: "b", n: 1, next: true}, {id: "a"}}, inADay},
		{"it was let go before a person looked", true, false, []call{{id: "a", die: true}, {id: "a", next: true, yes: true}, {id: "b", n: 1, next: true}}, inADay},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := newWorld(history{seed: 1, files: true}, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			w.c = climate{}
			if w.c.guards.Creates.Run.Count = 1; c.day {
				w.c.guards.Creates.Day.Count = 1
			}
			w.begin()
			for n := range 2 {
				w.put(record.Left, step{n: n})
				if c.twice {
					w.removed(w.alive(record.Left, guests, n))
					w.put(record.Left, step{n: n})
				}
			}
			w.runs, w.running = 1, 1
			for _, x := range c.calls {
				if x.next {
					w.beginRun(guests)
					w.runs++
				}
				w.opt.Yes = x.yes
				w.step("after open change " + x.id)
				if x.die {
					continue
				}
				name := w.alive(record.Left, guests, x.n).now("full_name")
				w.sentGuarded(record.Right, record.Change{ID: x.id, Op: record.Create, Ref: record.Ref{Kind: "people"}, Fields: record.Fields{"their_full_name": record.OfText(name)}})
				w.madeGuarded(record.Ref{})
			}
			if w.fault != c.wrong {
				t.Errorf("the oracle says %q, want %q", w.fault, c.wrong)
			}
		})
	}
}

// What users undid before the state knew that it was made counts until a lookup has shown
// that. All else counts on.
func TestWhatWasUndoneCountsNoMore(t *testing.T) {
	const died, failed = "after open change a", "after fail change a"
	gone := func(r *rec) { r.dead = true }
	edited := func(r *rec) { r.native = record.Fields{"their_note": record.OfText("another")} }
	stays := func(*rec) {}
	for _, c := range []struct {
		name   string
		op     record.Op
		then   func(*rec)
		step   string
		counts bool
	}{
		{"a create, removed", record.Create, gone, failed, false},
		{"a create, edited", record.Create, edited, failed, false},
		{"a create, removed and not looked up yet", record.Create, gone, died, true},
		{"a create, removed, and another one failed", record.Create, gone, "after fail change b", true},
		{"a create that is there", record.Create, stays, failed, true},
		{"an update, edited", record.Update, edited, failed, false},
		{"an update, removed", record.Update, gone, failed, false},
		{"an update that stands", record.Update, stays, failed, true},
		{"a delete, put back", record.Delete, stays, failed, false},
		{"a delete", record.Delete, gone, failed, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := newOracle(&world{})
			ref := record.Ref{Kind: "people", ID: "1"}
			r := &rec{native: record.Fields{"their_note": record.OfText("ours")}}
			o.recs[guests][record.Right]["1"] = r
			ch := record.Change{ID: "a", Op: c.op, Ref: ref, Fields: r.native}
			if c.op == record.Create {
				ch.Ref.ID = ""
			}
			o.spent.counted = &letGo{guarded: guarded{side: record.Right}, kind: guests, change: ch}
			o.madeGuarded(ref)
			c.then(r)
			o.noteUndone(c.step)
			if counts := len(o.let) == 1; counts != c.counts {
				t.Errorf("it counts: %t, want %t", counts, c.counts)
			}
		})
	}
}

// What a person wanted to go, since the record across is gone, counts for no guard; what a
// rule removes does.
func TestWhatAPersonHadGoCountsForNoGuard(t *testing.T) {
	for _, c := range []struct {
		name    string
		carried bool
		wrong   string
	}{
		{"a person had it go", true, ""},
		{"by a rule", false, "2 changes of the risk delete were sent to the right in 24h0m0s, and the guard lets 1 go: delete of people:000004"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := newWorld(history{seed: 1, files: true}, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			w.c = climate{}
			w.c.guards.Deletes.Day.Count = 1
			w.begin()
			for n := range 2 {
				w.put(record.Left, step{n: n})
				w.put(record.Right, step{n: n})
			}
			w.beginRun(guests)
			w.runs++
			for n := range 2 {
				r := w.alive(record.Right, guests, n)
				r.t.carried = c.carried && n == 1
				w.sentGuarded(record.Right, record.Change{ID: r.id, Op: record.Delete, Ref: record.Ref{Kind: "people", ID: r.id}})
				w.madeGuarded(record.Ref{})
				w.beginRun(guests)
				w.runs++
			}
			if w.fault != c.wrong {
				t.Errorf("the oracle says %q, want %q", w.fault, c.wrong)
			}
		})
	}
}
