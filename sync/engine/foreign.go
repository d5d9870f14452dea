package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// Two installations with a state each on one account make everything twice, and neither
// can see the other's state. What both see is the marks: a record that bears the mark of
// another installation, and was made since this one began, was made by one that is at
// work. Marks from before are of an installation that was here before us.

const (
	beganTrait = "began"     // when the first whole list of a side had been read
	othersWork = "installed" // the other installations that a person let work on the account
)

// notOurs reports whether a mark is of another installation.
func (r *run) notOurs(mark string) bool {
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

// noteMarks notes when a side was read whole for the first time, and whom a person let
// work there.
func (r *run) noteMarks(ctx context.Context, side record.Side) error {
	if r.opt.Dry || r.opt.Skip[side] || r.side(side).Can.Stamp.Path == "" {
		return nil
	}
	known, err := r.Store.Witnessed(ctx, r.place(side))
	if err != nil {
		return err
	}
	now := time.Now()
	if h, said := r.answeredHalt(haltForeign, side); said {
		let := strings.Join(append(strings.Fields(known[othersWork].Value), strings.Fields(h.Detail)...), " ")
		if err := r.Store.Witness(ctx, r.lease, side, othersWork, let, now); err != nil {
			return err
		}
	}
	if known[beganTrait].Value != "" || !r.scanned[side] {
		return nil
	}
	return r.Store.Witness(ctx, r.lease, side, beganTrait, now.UTC().Format(time.RFC3339Nano), now)
}

// anotherAtWork stops the job if among the strangers are some that another installation
// has made since this one began, unless a person let it.
func (r *run) anotherAtWork(ctx context.Context, strangers [2][]candidate) error {
	for _, side := range record.Sides {
		var marked []candidate
		for _, c := range strangers[side] {
			if r.notOurs(c.mark) {
				marked = append(marked, c)
			}
		}
		if len(marked) == 0 {
			continue
		}
		made, err := r.madeByOthers(ctx, side, marked)
		if err != nil {
			return fmt.Errorf("look who made records of %s: %w", r.side(side).System, err)
		}
		if len(made) > 0 {
			r.standForeign(side, made)
		}
	}
	return r.stoppedBy()
}

// madeByOthers counts the records that other installations have made since this one
// began, by installation.
func (r *run) madeByOthers(ctx context.Context, side record.Side, marked []candidate) (map[string]int, error) {
	known, err := r.Store.Witnessed(ctx, r.place(side))
	if err != nil {
		return nil, err
	}
	began, err := time.Parse(time.RFC3339Nano, known[beganTrait].Value)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // no whole list was read yet: all that is there was there before us
	}
	let := strings.Fields(known[othersWork].Value)
	if h, said := r.answeredHalt(haltForeign, side); said {
		let = append(let, strings.Fields(h.Detail)...)
	}
	scans, err := r.Store.Ended(ctx, r.place(side), manyLists)
	if err != nil {
		return nil, err
	}
	made := map[string]int{}
	for _, c := range marked {
		id := installOf(c.mark)
		if !c.since.After(began) || slices.Contains(let, id) {
			continue
		}
		e, ok, err := r.Store.Entry(ctx, r.place(side), c.ref)
		if err != nil {
			return nil, err
		}
		if ok && r.madeSince(side, e, began, scans) {
			made[id]++
		}
	}
	return made, nil
}

// How many whole lists must have been read without a record for it to be new where the
// system doesn't say when it was made, and how many of the last are looked at. One is not
// enough: a row may slip through it while somebody writes.
const (
	provenLists = 2
	manyLists   = 8
)

// madeSince reports whether a record that became known since this installation began was
// made since then. Where the system doesn't say when that was, lists must have been read
// that would have shown it: a stay may only now have come into the window.
func (r *run) madeSince(side record.Side, e record.Entry, began time.Time, scans []record.EndedScan) bool {
	if e.Seen != nil && !e.Seen.Created.IsZero() {
		return e.Seen.Created.After(began)
	}
	without := 0
	for _, s := range scans {
		shows := r.covers(side, s.Scan.Spec.Scope, plan.Action{Change: record.Change{Fields: e.Last()}})
		if s.Certificate.Complete && s.Certificate.Ended.Before(e.Since) && shows {
			without++
		}
	}
	return without >= provenLists
}

func (r *run) standForeign(side record.Side, made map[string]int) {
	s, ids := r.side(side), slices.Sorted(maps.Keys(made))
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = fmt.Sprintf("%s made %d", id, made[id])
	}
	r.stand(guard.Halt{Name: haltForeign, Side: side, Resume: r.letGoCommand(), Detail: strings.Join(ids, " "), Text: fmt.Sprintf(
		"another installation is at work on %s: of the %s that came since this one began, installation %s, by their marks; this one is %s. "+
			"Two of them make everything twice. Nothing was written. Stop the other one, or let both work; then say so: %s",
		s.System, s.Kind, strings.Join(names, ", installation "), r.Install, r.letGoCommand())})
}
