package histories

import (
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
	id, sent := strings.CutPrefix(step, "after send change ")
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
				w.step("after send change " + x.id)
				if x.die {
					continue
				}
				name := w.alive(record.Left, guests, x.n).now("full_name")
				w.sentGuarded(record.Right, record.Change{ID: x.id, Op: record.Create, Ref: record.Ref{Kind: "people"}, Fields: record.Fields{"their_full_name": record.OfText(name)}})
				w.madeGuarded()
			}
			if w.fault != c.wrong {
				t.Errorf("the oracle says %q, want %q", w.fault, c.wrong)
			}
		})
	}
}
