package links

import (
	"context"
	"fmt"

	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/refer"
	"nightporter/sync/run"
)

// outdated adds to a case the references that name a record which is gone, while the same is there under another
// id: a guest who was made anew. Both sides are settled on the same person, so nothing else shows that the
// reference is outdated. It also adds the references with an id that belongs to another record by now, and why
// nobody knows whom they mean.
func (r *Room) outdated(ctx context.Context, sides [2]run.SeenSide, c *plan.Case) error {
	for _, ref := range r.Job.References {
		for _, side := range record.Sides {
			value := r.settledAs(ref, sides[side])
			if value == "" {
				continue
			}
			led, err := r.leads(ctx, side, ref, sides[side], value)
			if err != nil {
				return fmt.Errorf("look where %s leads: %w", ref.Field, err)
			}
			if led.astray != "" {
				c.Astray = append(c.Astray, plan.Stuck{Side: side.Other(), Name: record.FindUnwritable, Fields: []string{ref.Field}, Why: led.astray})
			}
			if !led.nowhere || !sides[side.Other()].Now[ref.Field].Equal(record.OfText(value)) {
				continue
			}
			parts, err := r.refer.Parts(ctx, side, ref, record.OfText(value), run.Resolution{Standing: refer.Known})
			if err != nil {
				return err
			}
			if !parts.Observed() {
				continue
			}
			c.Parts[side][ref.Field] = parts
			if c.Outdated[side] == nil {
				c.Outdated[side] = map[string]bool{}
			}
			c.Outdated[side][ref.Field] = true
		}
	}
	return nil
}

// settledAs returns the entity that a reference of a record is settled on and still means; "" for none.
func (r *Room) settledAs(ref run.Reference, s run.SeenSide) string {
	value := s.Now[ref.Field]
	if value.Type() != record.Text || !s.Settled[ref.Field].Same(r.Job.Seal, value) {
		return ""
	}
	return value.Text()
}

// wholeWaits says what is held up by an id that may have gone to another record. The record that shows the id may then
// be of that other one: its cancel would cancel the booking of the first.
const wholeWaits = "nothing of the record that names it is carried over, not even a cancel, because nobody knows whose record it is"

// lead says where the id leads by which a record names an entity. The record names it as it did when it was
// settled.
type lead struct {
	nowhere bool   // to a record that is gone, while another one stands for the entity there
	astray  string // to another record: why nobody knows which of the two is meant
}

// leads says where the id leads by which a record names an entity. The zero lead says that nothing is wrong with
// the id. A record that was merged still answers by its old id, and a record that another one stands for is still
// named by its own id.
func (r *Room) leads(ctx context.Context, side record.Side, ref run.Reference, s run.SeenSide, entity string) (lead, error) {
	shown, _ := r.Job.Mapping.Read(side, s.Native)
	id := shown[ref.Field].Map()[mapping.PartID].Text()
	if id == "" {
		return lead{}, nil
	}
	there := ref.Sides[side]
	job, place := r.Jobs[ref.Binding], record.Place{Binding: ref.Binding, Side: there}
	e, known, err := r.refer.Known(ctx, place, record.Ref{Kind: job.Sides[there].Kind, ID: id})
	switch {
	case err != nil || !known:
		return lead{}, err
	case e.State != record.Gone && r.observe.IsAnother(job, there, e):
		return lead{astray: fmt.Sprintf("a person is asked whether %s, whom its %s names, is still who it was: %s. Decide with nightporter conflicts",
			r.refer.Named(place, e.Ref), ref.Field, wholeWaits)}, nil
	case e.State == record.Attached:
		return lead{}, nil
	}
	if merged, err := r.isMerged(ctx, e); err != nil || merged {
		return lead{}, err
	}
	pair, ok, err := r.store.ByEntity(ctx, ref.Binding, entity)
	if err != nil || ok && pair.Sides[there].Num == e.Num {
		return lead{}, err
	}
	if e.State == record.Gone {
		return lead{nowhere: ok && r.refer.LeadsThere(job, pair, refer.Target{Side: there, ByID: true})}, nil
	}
	if meant, err := r.wasMeant(ctx, ref, s.Since.Link, entity, ok, e); err != nil || meant {
		return lead{}, err
	}
	return lead{astray: fmt.Sprintf("%s, whom its %s names, is another record by now than the one that was meant: %s. Name whom is meant in one of the two records",
		r.refer.Named(place, e.Ref), ref.Field, wholeWaits)}, nil
}

// isMerged reports whether a record is gone because it was merged into another one.
func (r *Room) isMerged(ctx context.Context, e record.Entry) (bool, error) {
	if e.State != record.Gone {
		return false, nil
	}
	t, _, err := r.store.Tombstone(ctx, e.Num)
	return t.Moved != "", err
}

// wasMeant reports whether a record is the one that a reference meant when it was settled on an entity, though another
// record stands for the entity now, or none does: another one stood for it then, and stands for it no more. Where
// nobody stands for the entity any more, it is the record that did so last, or nobody knows which one did.
func (r *Room) wasMeant(ctx context.Context, ref run.Reference, link record.LinkID, entity string, linked bool, e record.Entry) (bool, error) {
	if linked {
		return r.refer.HadIDThen(ctx, link, e)
	}
	by, err := r.store.Stood(ctx, ref.Binding, entity)
	return err == nil && (by == 0 || by == e.Num), err
}
