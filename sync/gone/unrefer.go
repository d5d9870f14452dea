package gone

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/plan/undo"
	"nightporter/sync/record"
	"nightporter/sync/refer"
	"nightporter/sync/run"
)

// WhoWasNamed finds out whom the references of a record that is to be undone stood for, before the run and after
// it, and how the system names them now.
func (r *Room) WhoWasNamed(ctx context.Context, x *undo.Undoing) error {
	x.Was, x.Wrote = map[string]undo.Meant{}, map[string]undo.Meant{}
	deleted := x.Made[len(x.Made)-1].Change.Op == record.Delete
	for _, ref := range r.Job.References {
		was, wrote, is := reasonsOf(x.Made, ref.Field)
		before := x.Before()
		if deleted {
			before = x.Held()
		}
		var err error
		if deleted && !is {
			if was, err = r.heldAs(ctx, x, ref.Field, before); err != nil {
				return err
			}
		}
		if deleted || is {
			if err := r.nameNow(ctx, x, ref, was, before, x.Was); err != nil {
				return err
			}
		}
		if is && !deleted {
			if err := r.nameNow(ctx, x, ref, wrote, x.Image(), x.Wrote); err != nil {
				return err
			}
		}
	}
	return nil
}

// reasonsOf returns what a reference was before changes and after them; false if they did not write it.
func reasonsOf(made []undo.Made, field string) (was, wrote record.Value, is bool) {
	for _, m := range made {
		for _, f := range m.Fields {
			if f.Field != field {
				continue
			}
			if !is {
				was, is = f.Before, true
			}
			wrote = f.After
		}
	}
	return was, wrote, is
}

// heldAs returns whom a reference of a deleted record stood for. It returns no value if the record last showed the
// reference otherwise than in held.
func (r *Room) heldAs(ctx context.Context, x *undo.Undoing, field string, held record.Fields) (record.Value, error) {
	e, ok, err := r.store.Entry(ctx, r.Place(x.Side), x.Made[len(x.Made)-1].Change.Ref)
	if err != nil || !ok {
		return record.Value{}, err
	}
	last := e.Last()
	if !r.refer.SameInputs(x.Side, field, held, last) {
		return record.Value{}, nil
	}
	return last[plan.RefPath(field)], nil
}

// nameNow adds how a side now names whom a reference stood for. A reference without an id is put back as it was.
// So is one that stood for nobody we know, as long as its id belongs to a record without a link.
func (r *Room) nameNow(ctx context.Context, x *undo.Undoing, ref run.Reference, value record.Value, native record.Fields, out map[string]undo.Meant) error {
	shown, _ := r.Job.Mapping.Read(x.Side, native)
	id := shown[ref.Field].Map()[mapping.PartID].Text()
	if id == "" || slices.ContainsFunc(r.Job.Mapping.Outputs(x.Side, ref.Field), func(p string) bool { return native[p].Sealed() }) {
		return nil
	}
	there := ref.Sides[x.Side]
	job, place := r.Jobs[ref.Binding], record.Place{Binding: ref.Binding, Side: there}
	kind, system := job.Sides[there].Kind, r.Side(x.Side).System
	if value.Type() != record.Text {
		was := record.Ref{Kind: kind, ID: id}
		free, err := r.isFree(ctx, place, was)
		if err != nil {
			return fmt.Errorf("look whom %s named: %w", ref.Field, err)
		}
		if !free {
			out[ref.Field] = undo.Meant{Why: fmt.Sprintf("nobody knows whom its %s stood for that %s knew as %s", ref.Field, system, was)}
		}
		return nil
	}
	pair, ok, err := r.store.ByEntity(ctx, ref.Binding, value.Text())
	if err != nil {
		return fmt.Errorf("look whom %s named: %w", ref.Field, err)
	}
	e, named := pair.Sides[there], undo.Meant{Entity: value}
	switch {
	case !ok || e.Num == 0:
		named.Why = fmt.Sprintf("whom its %s stood for is not known in %s any more", ref.Field, system)
	case r.refer.LeadsAstray(job, pair):
		named.Why = fmt.Sprintf("a person is asked whether %s of %s, whom its %s named, is who it was", e.Ref, system, ref.Field)
	case e.State == record.Gone || e.State.Doubted():
		named.Why = fmt.Sprintf("%s of %s, whom its %s named, is not there any more", e.Ref, system, ref.Field)
	default:
		values, err := r.observe.ValuesOf(ctx, job, there, e)
		if _, is := run.Unnamed(err); is {
			named.Why = err.Error()
			break
		}
		if err != nil {
			return fmt.Errorf("look how %s is named: %w", e.Ref, err)
		}
		named.Parts = refer.PartsOf(job, there, e, values)
	}
	out[ref.Field] = named
	return nil
}

// isFree reports whether a record is there and has no link.
func (r *Room) isFree(ctx context.Context, place record.Place, ref record.Ref) (bool, error) {
	e, known, err := r.store.Entry(ctx, place, ref)
	return known && e.Link == 0 && e.State != record.Gone && !e.State.Doubted() && e.State != record.Stranger, err
}
