package histories

import (
	"strings"
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
	asked := record.Conflict{Field: "status", Left: record.OfText("cancelled"), Right: record.OfText("confirmed")}
	choose := func(choice string) func(*world, *thing) {
		return func(w *world, th *thing) { w.ruled(th, asked, choice) }
	}
	say := func(d record.Decision, side record.Side, id, status string) func(*world, *thing) {
		return func(w *world, _ *thing) {
			row := record.Staged{Action: "a", Ref: record.Ref{ID: id}, After: record.Fields{path(side, "status"): record.OfText(status)}}
			w.decided(stays, record.Stage{Side: side, Decision: d, Expires: time.Now().Add(noFor)}, []record.Staged{row})
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
			set := func(r *rec, word string) { r.held["status"] = append(r.held["status"], held{word, time.Now()}) }
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

// A person would not have a cancel of the left: they choose what stands across when both
// meet, or reject the set that a guard holds. Then it is over nowhere, as they said.
func TestACancelThatAPersonWouldNotHave(t *testing.T) {
	prompt := func(s weather) bool { return s.class == "A" && s.lag == 0 && !s.since && !s.unique }
	cancel := func(n int) step {
		return step{what: doEdit, kind: stays, n: n, side: record.Left, field: "status", value: "cancelled"}
	}
	ofGuests, run := step{what: doRun, kind: guests, yes: true, full: true}, step{what: doRun, kind: stays, yes: true, full: true}
	both, wait := step{what: doBoth, kind: stays}, step{what: doWait, d: time.Minute}
	another, held := both, run
	another.n, held.yes = 1, false
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
			"rejected", func(c climate) bool { return c.tight && c.guards.Cancels.Run.Count == 1 },
			[]step{both, another, ofGuests, run, wait, run, cancel(0), cancel(1), held, {what: doReject, kind: stays, k: 1}},
			"2 records would be cancelled or rejected in two",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := history{seed: 1, steps: c.steps, trace: true}
			for at := climateOf(h.seed); !at.stays || at.askFirst || !prompt(at.sides[0]) || !prompt(at.sides[1]) || !c.fits(at); at = climateOf(h.seed) {
				h.seed++
			}
			wrong, _, trace := play(t, h, ramDir(t), template(t))
			if wrong != "" || !strings.Contains(trace, c.spoken) {
				t.Errorf("the oracle says %q, want nothing; want %q in what happened:\n%s", wrong, c.spoken, trace)
			}
		})
	}
}
