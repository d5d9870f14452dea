package engine

import (
	"context"
	"fmt"
	"time"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// permitted reports whether a side is known well enough to say that it lacks a
// record. A list that was read once proves little: offset paging hides live rows
// when somebody writes meanwhile. One of these must hold:
//
//   - the side walks an order that no edit changes, and was read whole;
//   - the side itself refuses a second record with the same match key;
//   - two complete lists of it, of which one may be the last run's, show no match;
//   - it can be asked for the record, and asking was seen to work (at the time of
//     the create; see findFirst).
func (r *run) permitted(ctx context.Context, to record.Side, a plan.Action) (bool, error) {
	if r.refusesDouble(to, a) {
		return true, nil
	}
	scans, err := r.Store.Ended(ctx, r.place(to), 8)
	if err != nil {
		return false, err
	}
	complete := 0
	for _, s := range scans {
		old := r.now.Sub(s.Certificate.Ended) > maxKnowledgeAge
		if s.Certificate.Complete && !old && s.Scan.Spec.Mapping == r.job.Mapping.Fingerprint(to) {
			complete++
		}
	}
	if complete > 0 && r.side(to).Can.Stable {
		return true, nil
	}
	return complete >= 2, nil
}

// maxKnowledgeAge is how old a list may be to say anything about today.
const maxKnowledgeAge = 8 * 24 * time.Hour

// refusesDouble reports whether the side keeps something unique that the create
// carries.
func (r *run) refusesDouble(to record.Side, a plan.Action) bool {
	for _, fields := range r.job.Match {
		if !r.keptUnique(to, fields) {
			continue
		}
		for _, f := range fields {
			for _, p := range r.job.Mapping.Inputs(to, f) {
				if v := a.Change.Fields[p]; v.Observed() && !v.Empty() {
					return true
				}
			}
		}
	}
	return false
}

// scanAgain reads a side once more where creates need a second list of it, and
// plans anew. Where the few records can be asked for one by one it doesn't: then
// each create asks first.
func (r *run) scanAgain(ctx context.Context, d *draft) (*draft, error) {
	again := false
	for _, side := range record.Sides {
		if d.missing[side] == 0 || r.askingIsCheaper(side, d.missing[side]) {
			continue
		}
		if err := r.pullSide(ctx, side); err != nil {
			return d, fmt.Errorf("read %s of %s once more: %w", r.side(side).Kind, r.side(side).System, err)
		}
		again = true
	}
	if !again {
		return d, nil
	}
	r.rep.Notes = nil
	return r.plan(ctx)
}

func (r *run) askingIsCheaper(side record.Side, creates int) bool {
	s := r.side(side)
	pages := r.rep.Counts[side.String()+".pages"]
	return canFind(s) && int64(creates) < pages
}

// finding is what is known of looking up by one set of fields.
type finding struct{ works, tried bool }

// findFirst asks the side for the record that is to be created. It reports whether
// the create may go on: the side is known well enough, or an answer that was proven
// to mean something was empty. What it finds is stored, to be matched by the next
// plan.
func (r *run) findFirst(ctx context.Context, a plan.Action) (bool, error) {
	ok, err := r.permitted(ctx, a.Side, a)
	if err != nil || ok {
		return ok, err
	}
	s := r.side(a.Side)
	f, is := s.Conn.(connectors.Finder)
	if !is {
		return false, nil
	}
	for _, by := range s.Can.FindBy {
		ask := pick(a.Change.Fields, by)
		if len(ask) != len(by) {
			continue
		}
		works, err := r.findWorks(ctx, a.Side, f, by)
		if err != nil || !works {
			return false, err
		}
		at := time.Now()
		found, err := f.Find(ctx, s.Kind, ask, connectors.Scope{})
		r.count(a.Side.String()+".finds", 1)
		if err != nil {
			return false, err
		}
		for _, rec := range found {
			if !rec.Fields.Agrees(ask) { // it answers with others: the filter is ignored
				r.finds[a.Side][joinFields(by)] = finding{tried: true}
				return false, nil
			}
			if err := r.see(ctx, a.Side, rec, at, "find"); err != nil {
				return false, err
			}
		}
		return len(found) == 0, nil
	}
	return false, nil
}

func pick(f record.Fields, paths []string) record.Fields {
	out := record.Fields{}
	for _, p := range paths {
		if v := f[p]; v.Observed() && !v.Empty() {
			out[p] = v
		}
	}
	return out
}

// findWorks asks, once a run, for a record that is known to be there. Only if it is
// found does an empty answer mean that there is none.
func (r *run) findWorks(ctx context.Context, side record.Side, f connectors.Finder, by []string) (bool, error) {
	if r.finds[side] == nil {
		r.finds[side] = map[string]finding{}
	}
	key := joinFields(by)
	if known := r.finds[side][key]; known.tried {
		return known.works, nil
	}
	r.finds[side][key] = finding{tried: true}
	sample, err := r.Store.Sample(ctx, r.place(side), 5)
	if err != nil {
		return false, err
	}
	for _, e := range sample {
		ask := pick(e.Last(), by)
		if len(ask) != len(by) {
			continue
		}
		found, err := f.Find(ctx, r.side(side).Kind, ask, connectors.Scope{})
		r.count(side.String()+".finds", 1)
		if err != nil {
			if connectors.ClassOf(err) == connectors.Unsupported {
				return false, nil
			}
			return false, err
		}
		works := false
		for _, rec := range found {
			if !rec.Fields.Agrees(ask) {
				return false, nil
			}
			works = works || rec.Ref.ID == e.Ref.ID
		}
		r.finds[side][key] = finding{tried: true, works: works}
		return works, nil
	}
	return false, nil
}
