package histories

import (
	"slices"
	"testing"
	"time"

	"nightporter/sync/record"
)

// unanswered reports whether a record was made by us, the state does not know that it is
// there, and somebody edited one of some fields that we gave it, of all if none is named:
// nobody can tell that from what its system made of what was sent.
func (r *rec) unanswered(of ...string) bool {
	if len(of) == 0 {
		of = fields[r.t.kind]
	}
	edited := func(f string) bool { return len(r.held[f]) > 1 && r.held[f][0].value != "" }
	return !r.user && r.linked == nil && slices.ContainsFunc(of, edited)
}

// unread reports whether a value is what we sent to a side that shows nothing of it, or shows it
// late, and that made something else of it: until it is read it counts as what stands there.
func (o *oracle) unread(x *rec, f, v string) bool {
	s := o.w.c.sides[x.side]
	if o.claimed(x, f, v) {
		return true
	}
	if f == "note" && o.unheard(x) && slices.Contains(x.t.gave[x.side], v) {
		return true
	}
	return (s.silent || o.w.odds(x.side, oddLate) > 0) && s.lossy && f == "note" && !x.user && x.ever(f, lossy(v))
}

// someone is a guest with a record of ours on the right, of whom the left's is a user's.
func someone(w *world) *thing {
	w.oracle = newOracle(w)
	th := w.thing(guests, 0)
	for _, side := range record.Sides {
		r := &rec{t: th, side: side, id: side.String(), user: side == record.Left, held: map[string][]held{"note": {{value: "one", from: time.Now()}}}}
		th.recs[side] = []*rec{r}
		w.recs[guests][side][r.id] = r
	}
	return th
}

// What was made before the state was put back may be made again where a list says that it
// is not there: one of the two is no excuse.
func TestMadeTwiceByAStateThatForgot(t *testing.T) {
	for _, c := range []struct {
		name     string
		restored bool
		lies     int
		wrong    bool
	}{
		{name: "nothing of it", wrong: true},
		{name: "it was put back", restored: true, wrong: true},
		{name: "a list may leave something out", lies: 1, wrong: true},
		{name: "both", restored: true, lies: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{}
			th := someone(w)
			w.restored, w.lies[guests][record.Right] = c.restored, c.lies
			made := &rec{t: th, side: record.Right, id: "again", held: map[string][]held{}}
			th.recs[record.Right] = append(th.recs[record.Right], made)
			w.doubled(made)
			if got := w.fault != ""; got != c.wrong {
				t.Errorf("got wrong %t (%s), want %t", got, w.fault, c.wrong)
			}
		})
	}
}

// A copy that knows nothing of a record that we made can't tell what somebody edited in it
// since; one that knows it can, and so it can with a user's own.
func TestEditedBeforeTheStateForgot(t *testing.T) {
	for _, c := range []struct {
		name              string
		known, user, edit bool
		blurred           bool
	}{
		{name: "edited", edit: true, blurred: true},
		{name: "not edited"},
		{name: "known to the copy", known: true, edit: true},
		{name: "a user's own", user: true, edit: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{}
			th := someone(w)
			l, r := th.recs[record.Left][0], th.recs[record.Right][0]
			r.user = c.user
			w.saved.links = map[*rec]*rec{}
			if c.known {
				w.saved.links[l] = r
			}
			l.linked, r.linked = r, l
			if c.edit {
				r.held["note"] = append(r.held["note"], held{value: "two", from: time.Now()})
			}
			w.forgot()
			if th.blurred != c.blurred {
				t.Errorf("got %t, want %t", th.blurred, c.blurred)
			}
		})
	}
}

// A value that a side made something else of, and showed nothing of, counts as what stands
// there where we sent it, and no other does.
func TestWhatWasSentToASideThatShowsNothing(t *testing.T) {
	for _, c := range []struct {
		name  string
		side  weather
		user  bool
		value string
		wrong bool
	}{
		{name: "it shows nothing", side: weather{silent: true, lossy: true}, value: "One longer"},
		{name: "it shows what it made of it", side: weather{lossy: true}, value: "One longer", wrong: true},
		{name: "it keeps it as it is", side: weather{silent: true}, value: "One longer", wrong: true},
		{name: "a user's own", side: weather{silent: true, lossy: true}, user: true, value: "One longer", wrong: true},
		{name: "another value", side: weather{silent: true, lossy: true}, value: "Two", wrong: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{c: climate{sides: [2]weather{record.Right: c.side}}}
			th := someone(w)
			r := th.recs[record.Right][0]
			r.user, r.held["note"] = c.user, []held{{value: lossy("One longer"), from: time.Now()}}
			w.sentValue(th.recs[record.Left][0], "note", c.value)
			if got := w.fault != ""; got != c.wrong {
				t.Errorf("got wrong %t (%s), want %t", got, w.fault, c.wrong)
			}
		})
	}
}

// After a person's no a record gets back the value that it held itself, although the system across keeps its own
// spelling of it. A value that the record never held is wrong (seed 53973).
func TestPutBackAsItWasSent(t *testing.T) {
	for _, c := range []struct {
		name        string
		lossy       bool
		held, value string
		want        bool
	}{
		{name: "as it held it", lossy: true, held: "One longer", value: "One longer", want: true},
		{name: "it never held it", lossy: true, held: "Two", value: "One longer"},
		{name: "across it stands as it was sent", held: "One longer", value: "One longer"},
		{name: "across is another value", lossy: true, held: "Two longer", value: "Two longer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{c: climate{sides: [2]weather{record.Left: {lossy: c.lossy}}}}
			th := someone(w)
			l, r := th.recs[record.Left][0], th.recs[record.Right][0]
			l.held["note"] = []held{{value: lossy("One longer"), from: time.Now()}}
			r.held["note"] = []held{{value: c.held, from: time.Now()}, {value: "three", from: time.Now()}}
			if got := w.respelt(r, "note", c.value); got != c.want {
				t.Errorf("got %t, want %t", got, c.want)
			}
		})
	}
}

// The left goes away from the end of both and back to it while a run is on its way: that
// the run left both at their ends, and wrote nothing to the right, makes it no news.
func TestBackToAnEndInARunThatLeftItThere(t *testing.T) {
	for _, c := range []struct {
		name  string
		write write
		back  bool
	}{
		{name: "back to it", write: write{side: record.Left, value: "CANCELLED", runs: 3}, back: true},
		{name: "before the run", write: write{side: record.Left, value: "CANCELLED", runs: 2}},
		{name: "to another end", write: write{side: record.Left, value: "REJECTED", runs: 3}},
		{name: "the desk", write: write{side: record.Right, value: "cancelled", runs: 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			th := &thing{ended: [2]string{"CANCELLED", "cancelled"}, writes: map[string][]write{"status": {{side: record.Left, value: "CONFIRMED", runs: 3}, c.write}}}
			th.undoneIn(3)
			if got := th.writes["status"][1].back; got != c.back {
				t.Errorf("got %t, want %t", got, c.back)
			}
		})
	}
}
