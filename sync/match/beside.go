package match

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// JobsBeside returns the other jobs that have a side with the records of this side: of the same kind, or of another
// kind of the same table.
func (r *Room) JobsBeside(side record.Side) (out []record.Place) {
	here := r.Side(side)
	for _, b := range slices.Sorted(maps.Keys(r.Jobs)) {
		for _, s := range record.Sides {
			if b != r.Job.Binding && r.Jobs[b].Sides[s].SameRecords(here) {
				out = append(out, record.Place{Binding: b, Side: s})
			}
		}
	}
	return out
}

// RefIn is the reference that a record has in another job. The kind may have another name there.
func (r *Room) RefIn(p record.Place, ref record.Ref) record.Ref {
	return record.Ref{Kind: r.Jobs[p.Binding].Sides[p.Side].Kind, ID: ref.ID}
}

// sharing returns the other jobs between the two systems of this job that have the records of this side. One record
// of the side stands for one thing in the system across: if two of these jobs made it there, it would be there twice.
// A job of rows that makes none across does not count: its rows are other things. Example: one job brings all calls
// home, and another one notes in a table of wishes which call was made for each.
func (r *Room) sharing(side record.Side) []record.Place {
	across := r.Side(side.Other()).System
	return slices.DeleteFunc(r.JobsBeside(side), func(p record.Place) bool {
		job := r.Jobs[p.Binding]
		there := &job.Sides[p.Side.Other()]
		return there.System != across || job.Rows && there.Create == run.Never
	})
}

// LinkedElsewhere says with what another job between the same two systems has linked a record of a side, "" if none
// has. A link that ended counts: what somebody removed across is not made again by another job.
func (r *Room) LinkedElsewhere(ctx context.Context, side record.Side, ref record.Ref) (string, error) {
	for _, p := range r.sharing(side) {
		pair, ok, err := r.store.PairOf(ctx, p, r.RefIn(p, ref))
		if err != nil {
			return "", fmt.Errorf("look what %s is linked with in job %s: %w", ref, p.Binding, err)
		}
		if !ok {
			continue
		}
		verb := "is"
		if pair.State.Ended() {
			verb = "was"
		}
		return fmt.Sprintf("it %s linked with %s of %s by the job %s", verb, pair.Sides[p.Side.Other()].Ref, r.Side(side.Other()).System, p.Binding), nil
	}
	return "", nil
}

// MadeFirstElsewhere says which job must decide about a record without a link before this one may make it across, ""
// if none must. Of the jobs that share the record, the last one by name makes it, if its rules let it. The others may
// not before that job has put the record aside. The last one may not before each of the others has looked for a
// partner of its own.
func (r *Room) MadeFirstElsewhere(ctx context.Context, side record.Side, c run.Brief) (string, error) {
	for _, p := range r.sharing(side) {
		e, ok, err := r.store.Entry(ctx, p, r.RefIn(p, c.Ref))
		if err != nil {
			return "", fmt.Errorf("look what job %s says of %s: %w", p.Binding, c.Ref, err)
		}
		switch {
		case !ok:
			if unread, err := r.mayShow(ctx, p, side, c.Since); err != nil {
				return "", err
			} else if unread {
				return fmt.Sprintf("the job %s has not read it yet, and may have its partner", p.Binding), nil
			}
		case passes(e.State):
		case p.Binding > r.Job.Binding:
			return fmt.Sprintf("the job %s is to decide first whether it makes it in %s", p.Binding, r.Side(side.Other()).System), nil
		case e.State != record.Waiting || e.Cause != run.OtherFirst:
			return fmt.Sprintf("the job %s has not looked for its partner yet", p.Binding), nil
		}
	}
	return "", nil
}

// passes reports whether a record in this state is not made across by the job that knows it so.
func passes(st record.EntryState) bool {
	return slices.Contains([]record.EntryState{record.LeftOut, record.Refused, record.Attached, record.OutOfScope, record.Gone}, st)
}

// mayShow reports whether another job may show a record that it does not know: it has the same kind, and has not read
// it whole since the record is known here. A kind of its own shows the records of its own filter.
func (r *Room) mayShow(ctx context.Context, p record.Place, side record.Side, since time.Time) (bool, error) {
	if r.Jobs[p.Binding].Sides[p.Side].Kind != r.Side(side).Kind {
		return false, nil
	}
	ended, err := r.store.Ended(ctx, p, 2)
	if err != nil {
		return false, fmt.Errorf("look when job %s was read: %w", p.Binding, err)
	}
	return !slices.ContainsFunc(ended, func(s record.EndedScan) bool {
		return s.Certificate.Complete && !s.Scan.Started.Before(since.Truncate(time.Millisecond))
	}), nil
}
