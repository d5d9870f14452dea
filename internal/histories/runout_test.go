package histories

import (
	"strings"
	"testing"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// noteRan notes that a run of a job was on its way at a moment. It ends what a person said
// until then; a dry run ends nothing.
func (o *oracle) noteRan(job int, at time.Time) {
	if !o.w.opt.Dry && at.After(o.ran[job]) {
		o.ran[job] = at
	}
}

// A create that a person rejected is made once a run found their no to have run out, though
// our clock was set back since and says that it counts. Nothing else ends a no.
func TestANoThatHasRunOut(t *testing.T) {
	now := time.Now()
	until := now.Add(time.Hour) // the clock says that it counts still
	for _, c := range []struct {
		name  string
		job   int
		at    time.Time // when a run was on its way, by the clock as it was
		dry   bool
		wrong bool
	}{
		{name: "no run since", at: now, wrong: true},
		{name: "a run before it had run out", at: until.Add(-time.Second), wrong: true},
		{name: "a run once it had run out", at: until},
		{name: "a dry run once it had run out", at: until, dry: true, wrong: true},
		{name: "a run of another job", job: stays, at: until, wrong: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := newWorld(history{seed: 1, files: true}, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			w.c = climate{}
			w.begin()
			w.put(record.Left, step{})
			from := w.alive(record.Left, guests, 0)
			ch := record.Change{ID: "1", Op: record.Create, Ref: record.Ref{Kind: "people"}, Fields: record.Fields{"their_full_name": record.OfText("p#0")}}
			a := plan.Action{Side: record.Right, Source: record.Ref{Kind: "contacts", ID: from.id}, Change: ch}
			row := record.Staged{Action: a.Digest(), Entry: 1, Ref: a.Source, After: ch.Fields}
			w.decided(guests, heldOn(record.Right, record.Refusal, until), []record.Staged{row})
			w.runs++
			w.opt.Dry = c.dry
			w.noteRan(c.job, c.at)
			w.noteRan(c.job, now) // the one that is on its way
			w.opt.Dry = false
			w.sentGuarded(record.Right, ch)
			if got := strings.Contains(w.fault, "was rejected by a person"); got != c.wrong {
				t.Errorf("got wrong %t (%s), want %t", got, w.fault, c.wrong)
			}
		})
	}
}
