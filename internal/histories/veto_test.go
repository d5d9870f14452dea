package histories

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"nightporter/sync/record"
)

// rejectedEnd notes that a person rejected that an end of the left goes to the right.
func (o *oracle) rejectedEnd(kind int, side record.Side, row record.Staged) {
	if r := o.recs[kind][side][row.Ref.ID]; r != nil && side == record.Right && over(row.After[path(side, "status")].Text()) {
		r.t.vetoed = o.edits
	}
}

// broughtBack reports whether a person would not have an end of the left, and that was
// done: what the right has stands on both sides. A cancel of after that is a new one,
// about which nobody has said anything.
func (t *thing) broughtBack(end write, left, right string) bool {
	return t.vetoed >= end.seq && left == word(record.Left, right)
}

// A cancel of the left that is over nowhere is excused where a person would not have it,
// and what the right has stands on both sides since.
func TestOnlyWhatAPersonWouldNotHaveIsExcused(t *testing.T) {
	const confirmed, cancelled = "CONFIRMED", "CANCELLED"
	asked := record.Question{Subject: record.Subject{Field: "status"}, Left: record.OfText("cancelled"), Right: record.OfText("confirmed")}
	choose := func(choice string) func(*world, *thing) {
		return func(w *world, th *thing) { w.ruled(th, asked, choice) }
	}
	say := func(d record.Choice, side record.Side, id, status string) func(*world, *thing) {
		return func(w *world, _ *thing) {
			row := record.Staged{Action: "a", Ref: record.Ref{ID: id}, After: record.Fields{path(side, "status"): record.OfText(status)}}
			w.decided(stays, heldOn(side, d, time.Now().Add(noFor)), []record.Staged{row})
		}
	}
	left, right := record.Left, record.Right
	reject := say(record.Refusal, right, "right0", "cancelled")
	for _, c := range []struct {
		name  string
		first []string // what users set on the left before the person speaks
		says  func(*world, *thing)
		then  []string // and after that
		ours  string   // what is written to the left last
		right string   // what stands there, if not the same
		wrong bool
	}{
		{name: "nobody was asked", ours: confirmed, wrong: true},
		{name: "the living was chosen", says: choose("right"), ours: confirmed},
		{name: "the end was chosen", says: choose("left"), ours: confirmed, wrong: true},
		{name: "the living was chosen, and not written", says: choose("right"), wrong: true},
		{name: "the living was chosen, and something else is on the right", says: choose("right"), ours: confirmed, right: "pending", wrong: true},
		{name: "it was cancelled again since", says: choose("right"), then: []string{confirmed, cancelled}, ours: confirmed, wrong: true},
		{name: "it was cancelled again before", first: []string{confirmed, cancelled}, says: choose("right"), ours: confirmed},
		{name: "the cancel was rejected", says: reject, ours: confirmed},
		{name: "the cancel was approved", says: say(record.Approved, right, "right0", "cancelled"), ours: confirmed, wrong: true},
		{name: "the cancel was rejected, and stands", says: reject, wrong: true},
		{name: "the cancel was rejected, and is a new one", says: reject, then: []string{confirmed, cancelled}, ours: confirmed, wrong: true},
		{name: "the cancel was rejected while the left was not over", first: []string{confirmed}, says: reject, then: []string{cancelled}, ours: confirmed, wrong: true},
		{name: "the cancel of another was rejected", says: say(record.Refusal, right, "right1", "cancelled"), ours: confirmed, wrong: true},
		{name: "another status was rejected", says: say(record.Refusal, right, "right0", "pending"), ours: confirmed, wrong: true},
		{name: "an end of the left was rejected", says: say(record.Refusal, left, "left0", cancelled), ours: confirmed, wrong: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{}
			w.oracle = newOracle(w)
			for n, id := range []string{"0", "1"} {
				for _, side := range record.Sides {
					r := &rec{t: w.thing(stays, n), side: side, user: true, id: side.String() + id, held: map[string][]held{}}
					r.t.recs[side] = []*rec{r}
					w.recs[stays][side][r.id] = r
				}
			}
			th := w.things[stays][0]
			l, r := th.recs[left][0], th.recs[right][0]
			set := func(r *rec, word string) {
				r.held["status"] = append(r.held["status"], held{value: word, from: time.Now()})
			}
			users := func(words ...string) {
				for _, word := range words {
					set(l, word)
					w.wrote(l, "status")
				}
			}
			set(r, "confirmed")
			users(append([]string{confirmed, cancelled}, c.first...)...)
			if c.says != nil {
				c.says(w, th)
			}
			users(c.then...)
			if c.ours != "" {
				set(l, c.ours)
			}
			if c.right != "" {
				set(r, c.right)
			}
			w.compareStatus(th, l.now("status"), r.now("status"), false)
			if got := w.fault != ""; got != c.wrong {
				t.Errorf("got wrong %t (%s), want %t", got, w.fault, c.wrong)
			}
		})
	}
}

// Where a person rejects a cancel and what would put it back, both sides stay as they
// are. One of the two is no excuse.
func TestOnlyTwoNoesKeepACancelApart(t *testing.T) {
	mappings, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	words := [2]string{record.Left: "CANCELLED", record.Right: "confirmed"}
	rejects := [2]string{record.Left: "CONFIRMED", record.Right: "cancelled"} // what is not to be written
	for name, c := range map[string]struct {
		noes  []record.Side
		past  bool // they don't count any more
		wrong bool
	}{
		"both, and that ran out":  {noes: []record.Side{record.Right, record.Left}, past: true},
		"one, and that ran out":   {noes: []record.Side{record.Right}, past: true, wrong: true},
		"nothing is rejected":     {wrong: true},
		"the cancel is":           {noes: []record.Side{record.Right}, wrong: true},
		"what puts it back is":    {noes: []record.Side{record.Left}, wrong: true},
		"the one and the other":   {noes: []record.Side{record.Right, record.Left}},
		"the other, and then one": {noes: []record.Side{record.Left, record.Right}},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{mappings: mappings}
			w.oracle = newOracle(w)
			th := w.thing(stays, 0)
			for _, side := range record.Sides {
				r := &rec{t: th, side: side, user: true, id: side.String(), held: map[string][]held{"status": {{value: words[side], from: time.Now()}}}}
				r.native = record.Fields{path(side, "status"): record.OfText(words[side])}
				th.recs[side] = []*rec{r}
				w.recs[stays][side][r.id] = r
			}
			l, r := th.recs[record.Left][0], th.recs[record.Right][0]
			w.wrote(l, "status")
			until := time.Now().Add(noFor)
			if c.past {
				until = time.Now().Add(-noFor)
			}
			for _, side := range c.noes {
				row := record.Staged{Action: side.String(), Ref: record.Ref{ID: side.String()}, After: record.Fields{path(side, "status"): record.OfText(rejects[side])}}
				w.decided(stays, heldOn(side, record.Refusal, until), []record.Staged{row})
			}
			w.compareField(th, "status", l, r, nil, nil)
			if got := w.fault != ""; got != c.wrong {
				t.Errorf("got wrong %t (%s), want %t", got, w.fault, c.wrong)
			}
		})
	}
}

// A person would not have a cancel of the left: they choose what stands across when both
// meet, or reject the set that a guard holds. Then it is over nowhere, as they said.
func TestACancelThatAPersonWouldNotHave(t *testing.T) {
	prompt := func(s weather) bool { return s.class == "A" && s.lag == 0 && !s.since && !s.unique }
	cancel := func(n int) step {
		return step{what: doEdit, kind: stays, n: n, side: record.Left, field: "status", value: "cancelled"}
	}
	ofGuests, run := step{what: doRun, kind: guests, yes: true, full: true}, step{what: doRun, kind: stays, yes: true, full: true}
	both, wait := step{what: doBoth, kind: stays}, step{what: doWait, d: time.Minute}
	another, held, day := both, run, step{what: doWait, d: 25 * time.Hour}
	another.n, held.yes = 1, false
	twoCancels := func(c climate) bool { return c.tight && c.guards.Cancels.Run.Count == 1 }
	rejected := []step{both, another, ofGuests, run, wait, run, cancel(0), cancel(1), held, {what: doReject, kind: stays, k: 1}}
	again := slices.Concat(rejected, []step{held, day, held, day, cancel(0), held})
	for _, c := range []struct {
		name   string
		fits   func(climate) bool
		steps  []step
		spoken string
	}{
		{
			"chosen", climate.free,
			[]step{both, cancel(0), ofGuests, run, {what: doChoose, kind: stays, side: record.Right}},
			"status is cancelled and confirmed: right",
		},
		{
			"rejected", twoCancels, rejected,
			"rejected .*: 2 records would be cancelled or rejected in two",
		},
		{
			"rejected, and approved when it is done again", func(c climate) bool { return twoCancels(c) && c.rejects == rejectsNone }, again,
			"approved .*: 1 change to two: a person rejected the same before",
		},
		{
			"rejected, and rejected when it is done again", func(c climate) bool { return twoCancels(c) && c.rejects == rejectsAll }, again,
			"rejected .*: 1 change to two: a person rejected the same before",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := history{seed: 1, steps: c.steps, trace: true}
			for at := climateOf(h.seed); !at.stays || at.askFirst || !prompt(at.sides[0]) || !prompt(at.sides[1]) || !c.fits(at); at = climateOf(h.seed) {
				h.seed++
			}
			wrong, _, trace := play(t, h, ramDir(t), template(t))
			if wrong != "" || !regexp.MustCompile(c.spoken).MatchString(trace) {
				t.Errorf("the oracle says %q, want nothing; want %q in what happened:\n%s", wrong, c.spoken, trace)
			}
		})
	}
}
