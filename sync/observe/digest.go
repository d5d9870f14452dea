package observe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Where a job's values are kept as digests, a record in step has no values here: what
// it holds is asked for when they are needed, and what is shown tells by its digest
// whether it is what was settled.

// Reveal reads those records of a link by id of which only digests are kept. One that
// can't be read stays hidden, and nothing is decided about it.
func (r *Room) Reveal(ctx context.Context, p record.Pair) (record.Pair, error) {
	return r.RevealSides(ctx, p, record.Sides[:])
}

// RevealSides is reveal for the records of these sides alone.
func (r *Room) RevealSides(ctx context.Context, p record.Pair, sides []record.Side) (record.Pair, error) {
	if r.Job.Seal == nil {
		return p, nil
	}
	hidden := slices.DeleteFunc(slices.Clone(sides), func(s record.Side) bool { return !r.Hides(s, p.Sides[s]) })
	return r.ReadPair(ctx, p, hidden)
}

// ReadPair reads the records of these sides of a link by id. Its error is errUnread where one
// of them can't be read now. One that is not found is looked for again, and then counts as missed.
func (r *Room) ReadPair(ctx context.Context, p record.Pair, sides []record.Side) (record.Pair, error) {
	read, failed := false, 0
	for _, side := range sides {
		at := time.Now()
		found, err := r.ReadRef(ctx, side, p.Sides[side].Ref)
		if stop := r.PassOver(side, err, &failed); stop != nil {
			return p, stop
		}
		if connectors.ClassOf(err) == connectors.NotFound {
			if err := r.NotThere(ctx, side, p.Sides[side], at); err != nil {
				return p, err
			}
		}
		if err != nil {
			r.NoteUnread(side, p.Sides[side].Ref, err)
			return p, run.ErrUnread
		}
		read = read || found
	}
	if !read {
		return p, nil
	}
	fresh, ok, err := r.store.Pair(ctx, p.Link)
	if err != nil || !ok {
		return p, err
	}
	return fresh, nil
}

// Hides reports whether a mapped value of a record is known by its digest alone.
func (r *Room) Hides(side record.Side, e record.Entry) bool { return r.Job.Hides(side, e) }

// BaseOf is the native base as far as it is known: what was kept plain, and what a
// digest proves to be what native shows.
func (r *Room) BaseOf(e *record.Entry, native record.Fields) record.Fields {
	base := e.Base.Fields()
	for p, kept := range e.Base {
		if v := native[p]; kept.Digested() && kept.Same(r.Job.Seal, v) {
			base[p] = v
		}
	}
	return base
}

// Differs reports whether a record was seen to hold something else than its base.
func (r *Room) Differs(e *record.Entry) bool {
	return e.Seen != nil && (r.Job.Seal == nil || !r.BaseOf(e, e.Seen.Fields).Agrees(e.Seen.Fields))
}

// SettledDigests adds the fields of which the base is known by its digest alone: they
// were settled, and what is shown now, if it is, is something else.
func (r *Room) SettledDigests(side record.Side, base record.Base, known record.Fields, out map[string]record.Stored) {
	for _, f := range r.Job.Mapping.Fields() {
		for _, p := range r.Job.Mapping.Inputs(side, f.Name) {
			kept := base[p]
			if !kept.Digested() || known[p].Observed() {
				continue
			}
			out[f.Name] = kept
			if was := known[plan.RefPath(f.Name)]; r.Refs[f.Name] && was.Observed() {
				out[f.Name] = record.Keep(was)
			}
		}
	}
}

// asUnnamed is an error of a read by id of a record of any job as an unnamedError, if it
// concerns what names that record alone. A system that is away is not asked again and again.
func (r *Room) asUnnamed(system record.System, ref record.Ref, err error) error {
	if class := connectors.ClassOf(err); class == connectors.Unauthorized || class == connectors.Throttled {
		return err
	}
	if _, classed := errors.AsType[*connectors.Error](err); !classed {
		return err
	}
	if r.unnamable == nil {
		r.unnamable, r.unanswered = map[namable]*run.UnnamedError{}, map[record.System]int{}
	}
	x := &run.UnnamedError{Ref: ref, System: system, Cause: err}
	r.unnamable[namable{system, ref}] = x
	if !ofQuestion(connectors.ClassOf(err)) {
		r.unanswered[system]++
	}
	return x
}

// errNoGet is why what only digests are kept of can't be read.
var errNoGet = errors.New("its system has no reads by id")

// namable is a record that others name.
type namable struct {
	system record.System
	ref    record.Ref
}

// ValuesOf is what is known of a record of any job: read by id where only digests of
// it are kept. Its error is an unnamedError where it can't be read now, where a trial may
// have emptied it, and where what is kept of it is damaged.
func (r *Room) ValuesOf(ctx context.Context, job *run.Job, side record.Side, e record.Entry) (record.Fields, error) {
	if e.Damaged != "" {
		return nil, &run.UnnamedError{Ref: e.Ref, System: job.Sides[side].System, Damaged: e.Damaged}
	}
	if r.Trials.Beside[run.TrialAt{System: job.Sides[side].System, Ref: e.Ref}] {
		return nil, &run.UnnamedError{Ref: e.Ref, System: job.Sides[side].System}
	}
	if !job.Hides(side, e) {
		return e.Last(), nil
	}
	system := job.Sides[side].System
	get, ok := job.Sides[side].Conn.(connectors.Getter)
	if !ok || !job.Sides[side].Can.Get {
		return nil, &run.UnnamedError{Ref: e.Ref, System: system, Cause: errNoGet}
	}
	if known := r.unnamable[namable{system, e.Ref}]; known != nil {
		return nil, known
	}
	if n := r.unanswered[system]; n >= run.Patience {
		return nil, &run.UnnamedError{Ref: e.Ref, System: system, Cause: fmt.Errorf("%d others could not be read either", n)}
	}
	rec, err := get.Get(ctx, e.Ref, connectors.Scope{})
	r.Count("reads", 1)
	if err != nil && ctx.Err() == nil {
		err = r.asUnnamed(system, e.Ref, err)
	}
	return rec.Fields, err
}
