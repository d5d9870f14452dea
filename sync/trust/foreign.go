package trust

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Two installations that work on one account, each with its own state, make everything twice, and neither sees
// the other's state. Both see the marks. If a record bears the mark of another installation and was made since
// this one began, the other one is at work. An older mark is from an installation that was here before us.

const (
	beganTrait = "began"     // when the first whole list of a side had been read
	othersWork = "installed" // the other installations that a person let work on the account
)

// notOurs reports whether a mark names another installation.
func (r *Room) notOurs(mark string) bool {
	id := installOf(mark)
	return id != "" && id != r.Install
}

// installOf is the installation that a mark names, "" for any other text.
func installOf(mark string) string {
	rest, ok := strings.CutPrefix(mark, "np:")
	id, _, whole := strings.Cut(rest, ":")
	if !ok || !whole {
		return ""
	}
	return id
}

// NoteMarks notes when a side was first read whole, and which other installations a person lets work there.
func (r *Room) NoteMarks(ctx context.Context, side record.Side) error {
	if r.Options.Dry || r.Options.Skip[side] || r.Side(side).Can.Stamp.Path == "" {
		return nil
	}
	known, err := r.store.Witnessed(ctx, r.Place(side))
	if err != nil {
		return err
	}
	now := time.Now()
	if h, said := r.AnsweredHalt(record.HaltForeign, side); said {
		let := strings.Join(append(strings.Fields(known[othersWork].Value), h.Rests.On...), " ")
		if err := r.store.Witness(ctx, r.Lease, side, othersWork, let, now); err != nil {
			return err
		}
	}
	if known[beganTrait].Value != "" || !r.Scanned[side] {
		return nil
	}
	return r.store.Witness(ctx, r.Lease, side, beganTrait, now.UTC().Format(time.RFC3339Nano), now)
}

// AnotherAtWork halts the job if another installation has made some of these records without a link
// since this one began, unless a person lets that installation work there.
func (r *Room) AnotherAtWork(ctx context.Context, strangers [2][]run.Candidate) error {
	for _, side := range record.Sides {
		var marked []run.Candidate
		for _, c := range strangers[side] {
			if r.notOurs(c.Mark) {
				marked = append(marked, c)
			}
		}
		if len(marked) == 0 {
			continue
		}
		made, err := r.madeByOthers(ctx, side, marked)
		if err != nil {
			return fmt.Errorf("look who made records of %s: %w", r.Side(side).System, err)
		}
		if len(made) > 0 {
			r.standForeign(side, made)
		}
	}
	return r.StoppedBy()
}

// madeByOthers counts, by installation, the records that others have made since this one began.
// Installations that a person lets work there are left out. It returns nil if the side was never read whole.
func (r *Room) madeByOthers(ctx context.Context, side record.Side, marked []run.Candidate) (map[string]int, error) {
	known, err := r.store.Witnessed(ctx, r.Place(side))
	if err != nil {
		return nil, err
	}
	began, err := time.Parse(time.RFC3339Nano, known[beganTrait].Value)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // no whole list was read yet: all that is there was there before us
	}
	let := strings.Fields(known[othersWork].Value)
	if h, said := r.AnsweredHalt(record.HaltForeign, side); said {
		let = append(let, h.Rests.On...)
	}
	scans, err := r.store.Ended(ctx, r.Place(side), manyLists)
	if err != nil {
		return nil, err
	}
	made := map[string]int{}
	for _, c := range marked {
		id := installOf(c.Mark)
		if !c.Since.After(began) || slices.Contains(let, id) {
			continue
		}
		e, ok, err := r.store.Entry(ctx, r.Place(side), c.Ref)
		if err != nil {
			return nil, err
		}
		if ok && r.madeSince(side, e, began, scans) {
			made[id]++
		}
	}
	return made, nil
}

// Where a system doesn't say when it made a record, the record counts as new if at least provenLists
// complete lists from before it became known did not show it. One list is not enough: it may miss a row
// while somebody writes. manyLists is how many of the last lists are looked at.
const (
	provenLists = 2
	manyLists   = 8
)

// madeSince reports whether a record that became known since this installation began was also made
// since then. Where the system doesn't say when it made the record, lists from before must have missed
// it that would have shown it: a stay may be old and have come into the window only now.
func (r *Room) madeSince(side record.Side, e record.Entry, began time.Time, scans []record.EndedScan) bool {
	if e.Seen != nil && !e.Seen.Created.IsZero() {
		return e.Seen.Created.After(began)
	}
	without := 0
	for _, s := range scans {
		shows := r.Covers(side, s.Scan.Spec.Scope, plan.Action{Change: record.Change{Fields: e.Last()}})
		if s.Certificate.Complete && s.Certificate.Ended.Before(e.Since) && shows {
			without++
		}
	}
	return without >= provenLists
}

func (r *Room) standForeign(side record.Side, made map[string]int) {
	s, ids := r.Side(side), slices.Sorted(maps.Keys(made))
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = fmt.Sprintf("%s made %d", id, made[id])
	}
	r.Stand(record.Question{Cause: record.HaltForeign, Subject: record.Subject{Side: side}, Next: r.LetGoCommand(), Rests: record.RestsOn(ids...), Why: fmt.Sprintf(
		"another installation is at work on %s: of the %s that came since this one began, installation %s, by their marks; this one is %s. "+
			"Two of them make everything twice. Nothing was written. Stop the other one, or let both work; then say so: %s",
		s.System, s.Kind, strings.Join(names, ", installation "), r.Install, r.LetGoCommand())})
}
