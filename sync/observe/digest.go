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

// Some jobs keep values as digests. Then the store does not have the values of a record that is in step. They are
// read from the system when they are needed. The digest still tells whether a value that is shown is the settled
// one.

// Reveal reads by id the records of a link that have values known only by digest. If a record is not found, or
// can't be read now, the error is run.ErrUnread and nothing is decided about the link. Where a system has no reads
// by id, the record stays hidden.
func (r *Room) Reveal(ctx context.Context, p record.Pair) (record.Pair, error) {
	return r.RevealSides(ctx, p, record.Sides[:])
}

// RevealSides does what Reveal does, for the records of the given sides only.
func (r *Room) RevealSides(ctx context.Context, p record.Pair, sides []record.Side) (record.Pair, error) {
	if r.Job.Seal == nil {
		return p, nil
	}
	hidden := slices.DeleteFunc(slices.Clone(sides), func(s record.Side) bool { return !r.Hides(s, p.Sides[s]) })
	return r.ReadPair(ctx, p, hidden)
}

// ReadPair reads the records of these sides of a link by id, and returns the link as it is stored afterwards. The
// error is run.ErrUnread if one of them can't be read now or is not found. What is not found is noted: it is looked
// for again, and then counts as missed.
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

// BaseOf returns the native base of an entry as far as its values are known: the values that are kept plain, and
// those values of native that match a kept digest.
func (r *Room) BaseOf(e *record.Entry, native record.Fields) record.Fields {
	base := e.Base.Fields()
	for p, kept := range e.Base {
		if v := native[p]; kept.Digested() && kept.Same(r.Job.Seal, v) {
			base[p] = v
		}
	}
	return base
}

// Differs reports whether the record was last seen to hold something else than its base.
func (r *Room) Differs(e *record.Entry) bool {
	return e.Seen != nil && (r.Job.Seal == nil || !r.BaseOf(e, e.Seen.Fields).Agrees(e.Seen.Fields))
}

// SettledDigests adds to out the fields with a base that is known only by its digest. Such a field was settled. If
// a value of it is shown now, it is another one: BaseOf would have recognised the same value, and put it into
// known.
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

// asUnnamed turns the error of a read by id into a run.UnnamedError if it concerns only the records that name this
// one. An error about the key, or about the pace, of a system is returned as it is. The failed record is
// remembered, so that a system that is away is not asked again and again.
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

// errNoGet says why a record can't be read of which only digests are kept.
var errNoGet = errors.New("its system has no reads by id")

// namable identifies a record that other records name.
type namable struct {
	system record.System
	ref    record.Ref
}

// ValuesOf returns what is known of a record of any job. If only digests of a value are kept, the record is read by
// its id. The error is a run.UnnamedError if the record can't be read now, if a trial may have emptied it, or if
// what is kept of it is damaged.
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
