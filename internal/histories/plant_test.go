package histories

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// What is planted, each an engine or a state that breaks one of the promises.
const (
	plantTwice      = "a create is sent twice"
	plantBlindRetry = "what may have been applied is sent again"
	plantOther      = "another value is written than was planned"
	plantOthers     = "the record of somebody else is written"
	plantClear      = "a field is emptied that nobody emptied"
	plantDelete     = "a record is deleted"
	plantNoVerify   = "a record is written without a look at it"
	plantDrop       = "a cursor passes a row"
	plantNoSettle   = "nobody waits for what is late"
	plantNoGuard    = "no guard counts creates"
	plantUnasked    = "what a guard holds is made unasked"
	plantRejected   = "what a person rejected is made"
	plantNoAsking   = "the first plan is not shown"
	plantNoPause    = "a pause holds nothing"
	plantForget     = "a death takes what was durable"
	plantRevive     = "a status goes by no rules"
	plantDeaf       = "a person's word about what was refused is not heard"
	plantNag        = "what was refused is asked for again at each run"
)

// seen is what each of them is known by, in the words of the oracle, any of which will
// do, and a seed to begin with. To plantDeaf and plantNag one seed in hundreds comes: they
// have histories of their own (refused_test.go).
var seen = []struct {
	plant string
	words []string
	from  uint64
}{
	{plantTwice, []string{"twice"}, 1},
	{plantBlindRetry, []string{"twice"}, 14},
	{plantOther, []string{"never held"}, 1},
	{plantOthers, []string{"written over"}, 1},
	{plantClear, []string{"nobody emptied"}, 1},
	{plantDelete, []string{"no rule says so"}, 1},
	{plantNoVerify, []string{"without a look", "written over as if", "no journal knows"}, 3},
	{plantDrop, []string{"the next list"}, 2},
	{plantNoSettle, []string{"twice", "nobody emptied", "no journal knows"}, 110},
	{plantNoGuard, []string{"the guard lets"}, 84},
	{plantUnasked, []string{"the guard lets"}, 1},
	{plantRejected, []string{"was rejected by a person"}, 8},
	{plantNoAsking, []string{"nobody has said yes"}, 18},
	{plantNoPause, []string{"all is paused"}, 10},
	{plantForget, []string{"twice", "had entered it", "not linked", "no journal knows"}, 184},
	{plantRevive, []string{"again", "is over"}, 8},
}

// mostTries is how many seeds a planted fault may take to be seen.
const mostTries = 60

// The control: whatever promise is broken, the oracle sees it. Otherwise that all
// histories end well would mean nothing.
func TestOracleSees(t *testing.T) {
	image := template(t)
	for _, s := range seen {
		t.Run(s.plant, func(t *testing.T) {
			t.Parallel()
			dir := ramDir(t)
			var last string
			for seed, tries := s.from-1, 0; tries < mostTries; seed++ {
				c := climateOf(seed + 1)
				if s.plant == plantNoGuard && c.guards.Creates.Run.Count != 1 || slices.Contains([]string{plantUnasked, plantRejected}, s.plant) && !c.tight {
					continue
				}
				tries++
				h := historyOf(seed+1, false)
				h.plant = s.plant
				wrong, _, _ := play(t, h, dir, image)
				for _, words := range s.words {
					if strings.Contains(wrong, words) {
						t.Logf("seed %d: %.160s", seed+1, wrong)
						return
					}
				}
				if wrong != "" {
					last = wrong
				}
			}
			t.Errorf("%d histories did not show it; the last that went wrong: %s", mostTries, last)
		})
	}
}

// With a file that loses what was synced, the power cuts of histories on files show.
func TestOracleSeesLostLog(t *testing.T) {
	image, dir := template(t), ramDir(t)
	for seed := range uint64(mostTries) {
		h := historyOf(seed+1, true)
		h.plant = plantForget
		if wrong, _, _ := play(t, h, dir, image); wrong != "" {
			t.Logf("seed %d: %.160s", seed+1, wrong)
			return
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "state-0.db")); err == nil {
		t.Error("a history left its state file behind")
	}
	t.Errorf("%d histories with a log that is lost did not show it: power cuts are not played", mostTries)
}

// spoil is what a broken engine sends in the place of a change.
func (w *world) spoil(ctx context.Context, side record.Side, ch record.Change, to connectors.Writer) record.Change {
	kind := kindOf(ch.Ref.Kind)
	field := path(side, "mail")
	switch {
	case w.plant == plantTwice && ch.Op == record.Create:
		again := ch
		again.ID, again.Stamp = ch.ID+"x", ""
		if _, err := to.Apply(ctx, again); err == nil {
			w.look()
		}
	case ch.Op != record.Update || kind != guests:
	case w.plant == plantOther:
		ch.Fields = ch.Fields.With(record.Fields{field: record.OfText("nobody@example.com")})
	case w.plant == plantClear:
		ch.Fields = ch.Fields.With(record.Fields{field: record.Nothing()})
	case w.plant == plantDelete:
		ch.Op = record.Delete
	case w.plant == plantOthers:
		for n := range people {
			if r := w.alive(side, guests, n); r != nil && r.id != ch.Ref.ID {
				ch.Ref.ID = r.id
				ch.Fields = ch.Fields.With(record.Fields{path(side, tag[guests]): record.OfText(fmt.Sprintf("x#%d", n+people))})
			}
		}
	}
	return ch
}

// unlooked is a record as the state knows it, and not as it is.
func (w *world) unlooked(side record.Side, ref record.Ref, is record.Fields) record.Fields {
	e, ok, err := w.store.Entry(context.Background(), record.Place{Binding: jobs[kindOf(ref.Kind)], Side: side}, ref)
	if err != nil || !ok {
		return is
	}
	return is.With(e.Last())
}
