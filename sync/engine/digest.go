package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Where a job's values are kept as digests, a record in step has no values here: what
// it holds is asked for when they are needed, and what is shown tells by its digest
// whether it is what was settled.

// reveal reads those records of a link by id of which only digests are kept. One that
// can't be read stays hidden, and nothing is decided about it.
func (r *run) reveal(ctx context.Context, p record.Pair) (record.Pair, error) {
	return r.revealSides(ctx, p, record.Sides[:])
}

// revealSides is reveal for the records of these sides alone.
func (r *run) revealSides(ctx context.Context, p record.Pair, sides []record.Side) (record.Pair, error) {
	if r.job.Seal == nil {
		return p, nil
	}
	hidden := slices.DeleteFunc(slices.Clone(sides), func(s record.Side) bool { return !r.hides(s, p.Sides[s]) })
	return r.readPair(ctx, p, hidden)
}

// errUnread is a link of which a record can't be read now, and that is not decided without:
// what the other side edited would count as settled, and never travel.
var errUnread = errors.New("a record of the link can't be read now")

// readPair reads the records of these sides of a link by id. Its error is errUnread where one
// of them can't be read now. One that is not found is looked for again, and then counts as missed.
func (r *run) readPair(ctx context.Context, p record.Pair, sides []record.Side) (record.Pair, error) {
	read, failed := false, 0
	for _, side := range sides {
		at := time.Now()
		found, err := r.readRef(ctx, side, p.Sides[side].Ref)
		if stop := r.passOver(side, err, &failed); stop != nil {
			return p, stop
		}
		if connectors.ClassOf(err) == connectors.NotFound {
			if err := r.notThere(ctx, side, p.Sides[side], at); err != nil {
				return p, err
			}
		}
		if err != nil {
			r.noteUnread(side, p.Sides[side].Ref, err)
			return p, errUnread
		}
		read = read || found
	}
	if !read {
		return p, nil
	}
	fresh, ok, err := r.Store.Pair(ctx, p.Link)
	if err != nil || !ok {
		return p, err
	}
	return fresh, nil
}

// hides reports whether a mapped value of a record is known by its digest alone.
func (r *run) hides(side record.Side, e record.Entry) bool { return r.job.hides(side, e) }

func (j *Job) hides(side record.Side, e record.Entry) bool {
	return slices.ContainsFunc(j.Mapping.Paths(side), func(p string) bool {
		return e.Base[p].Digested() && (e.Seen == nil || !e.Seen.Fields[p].Observed())
	})
}

// baseOf is the native base as far as it is known: what was kept plain, and what a
// digest proves to be what native shows.
func (r *run) baseOf(e *record.Entry, native record.Fields) record.Fields {
	base := e.Base.Fields()
	for p, kept := range e.Base {
		if v := native[p]; kept.Digested() && kept.Same(r.job.Seal, v) {
			base[p] = v
		}
	}
	return base
}

// differs reports whether a record was seen to hold something else than its base.
func (r *run) differs(e *record.Entry) bool {
	return e.Seen != nil && (r.job.Seal == nil || !r.baseOf(e, e.Seen.Fields).Agrees(e.Seen.Fields))
}

// settledDigests adds the fields of which the base is known by its digest alone: they
// were settled, and what is shown now, if it is, is something else.
func (r *run) settledDigests(side record.Side, base record.Base, known record.Fields, out map[string]record.Stored) {
	for _, f := range r.job.Mapping.Fields() {
		for _, p := range r.job.Mapping.Inputs(side, f.Name) {
			kept := base[p]
			if !kept.Digested() || known[p].Observed() {
				continue
			}
			out[f.Name] = kept
			if was := known[plan.RefPath(f.Name)]; r.refs[f.Name] && was.Observed() {
				out[f.Name] = record.Keep(was)
			}
		}
	}
}

// what names the values of a change, as it can still be named when only their digests
// are kept.
func (r *run) what(f record.Fields) record.Digest {
	if r.job.Seal == nil {
		return f.Digest()
	}
	return f.Seal(r.job.Seal).Digest()
}

// sealedKey is a match key as it is kept.
func (j *Job) sealedKey(k record.Key) record.Key {
	if j.Seal == nil {
		return k
	}
	return k.Seal(j.Seal)
}

// unnamedError is why a record can't be written now: it names another one in texts, and of
// these nothing is known now that counts.
type unnamedError struct {
	ref    record.Ref
	system record.System
	cause  error // why it can't be read by its id, where only digests of it are kept; nil where a trial wrote to it
	// damaged is why what is kept of it can't be read, "" where it can.
	damaged string
}

// Error says so.
func (e *unnamedError) Error() string {
	if e.damaged != "" {
		return fmt.Sprintf("it names %s of %s: %s", e.ref, e.system, e.damaged)
	}
	if e.cause == nil {
		return fmt.Sprintf("it names %s of %s, to which the first update was sent as a trial that is not over", e.ref, e.system)
	}
	return fmt.Sprintf("it names %s of %s, of which only digests are kept and which can't be read now: %v", e.ref, e.system, e.cause)
}

// Unwrap is why it can't be read.
func (e *unnamedError) Unwrap() error { return e.cause }

// unnamed reports whether a record waits for one that it names.
func unnamed(err error) (*unnamedError, bool) { return errors.AsType[*unnamedError](err) }

// asUnnamed is an error of a read by id of a record of any job as an unnamedError, if it
// concerns what names that record alone. A system that is away is not asked again and again.
func (r *run) asUnnamed(system record.System, ref record.Ref, err error) error {
	if class := connectors.ClassOf(err); class == connectors.Unauthorized || class == connectors.Throttled {
		return err
	}
	if _, classed := errors.AsType[*connectors.Error](err); !classed {
		return err
	}
	if r.unnamable == nil {
		r.unnamable, r.unanswered = map[namable]*unnamedError{}, map[record.System]int{}
	}
	x := &unnamedError{ref: ref, system: system, cause: err}
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

// valuesOf is what is known of a record of any job: read by id where only digests of
// it are kept. Its error is an unnamedError where it can't be read now, where a trial may
// have emptied it, and where what is kept of it is damaged.
func (r *run) valuesOf(ctx context.Context, job *Job, side record.Side, e record.Entry) (record.Fields, error) {
	if e.Damaged != "" {
		return nil, &unnamedError{ref: e.Ref, system: job.Sides[side].System, damaged: e.Damaged}
	}
	if r.trials.beside[trialAt{job.Sides[side].System, e.Ref}] {
		return nil, &unnamedError{ref: e.Ref, system: job.Sides[side].System}
	}
	if !job.hides(side, e) {
		return e.Last(), nil
	}
	system := job.Sides[side].System
	get, ok := job.Sides[side].Conn.(connectors.Getter)
	if !ok || !job.Sides[side].Can.Get {
		return nil, &unnamedError{ref: e.Ref, system: system, cause: errNoGet}
	}
	if known := r.unnamable[namable{system, e.Ref}]; known != nil {
		return nil, known
	}
	if n := r.unanswered[system]; n >= patience {
		return nil, &unnamedError{ref: e.Ref, system: system, cause: fmt.Errorf("%d others could not be read either", n)}
	}
	rec, err := get.Get(ctx, e.Ref, connectors.Scope{})
	r.count("reads", 1)
	if err != nil && ctx.Err() == nil {
		err = r.asUnnamed(system, e.Ref, err)
	}
	return rec.Fields, err
}
