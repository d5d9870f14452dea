package guards

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// fieldsPrint names how all fields are mapped and merged now. A question about changed fields rests on it: a
// person who agreed to one change of the configuration has not agreed to the next.
func (r *Room) fieldsPrint() string {
	b, err := json.Marshal(r.Book.Prints)
	if err != nil { // a map of texts always encodes
		return ""
	}
	return record.DigestOf("fields", b).String()[:8]
}

// Remap splits actions: what only a changed configuration asks for becomes an action of its own, of the risk
// RiskMapping, and waits for a person. Whatever is changed, a link is kept, and everything about it but the fields
// that are mapped, or merged, in another way than before. What was edited since a person was asked does not wait
// either: that is an edit like any other. Nothing waits on a side for which a person has agreed to the change.
func (r *Room) Remap(c plan.Case, actions []plan.Action) []plan.Action {
	remapped := r.Book.Unedited(c)
	if len(remapped) == 0 {
		return actions
	}
	var out []plan.Action
	for _, a := range actions {
		if r.Book.Settled[a.Side] || a.Risk == plan.RiskDelete || a.Change.Op == record.Create {
			out = append(out, a)
			continue
		}
		theirs, rest := plan.Without(r.Job.Rules, a, remapped)
		for _, t := range theirs {
			t.Risk, t.Stood = plan.RiskMapping, plan.Stood(r.Job.Rules, c, t)
			out = append(out, t)
		}
		out = append(out, rest...)
	}
	return out
}

// AgreeMapping keeps how the fields are mapped now as what was agreed to. It does so if a person said so, or if
// nothing was agreed to before. It also does so if both sides were read whole with this mapping and nothing of the
// change is to be written.
func (r *Room) AgreeMapping(ctx context.Context, d *run.Draft) error {
	b := &r.Book
	if len(b.Remapped) == 0 && len(b.Agreed) == len(b.Prints) {
		return nil
	}
	said := b.Agreed == nil || len(b.Remapped) == 0 || r.Options.Yes
	if r.Limited() {
		return nil
	}
	if !said && (!d.Whole || d.Remapped > 0) {
		return nil
	}
	if !said && !b.Settled[record.Left] && !b.Settled[record.Right] {
		read, err := r.readSince(ctx)
		if err != nil || !read {
			return err
		}
	}
	if err := r.store.KeepMapped(ctx, r.Lease, b.Prints); err != nil {
		return fmt.Errorf("note how the fields are mapped: %w", err)
	}
	b.Agreed, b.Remapped, b.Mended = b.Prints, map[string]bool{}, map[string]bool{}
	return nil
}

// readSince reports whether both sides were read whole with the mapping of now.
func (r *Room) readSince(ctx context.Context) (bool, error) {
	for _, side := range record.Sides {
		scans, err := r.store.Ended(ctx, r.Place(side), 8)
		if err != nil {
			return false, err
		}
		read := false
		for _, s := range scans {
			read = read || s.Certificate.Complete && s.Scan.Spec.Mapping == r.Job.Mapping.Fingerprint(side)
		}
		if !read {
			return false, nil
		}
	}
	return true, nil
}

// vetoes is what persons rejected in some actions.
type vetoes struct {
	kept  map[string]record.Side // by field: the side that keeps what it has
	left  bool                   // the other side is left alone, too: a changed configuration is nobody's edit
	since time.Time              // when a person said the first no
}

// everRejected returns the fields of actions that a person ever rejected, each with the side that keeps what it
// has. Fields that a person is asked about again are among them, for example after the state was put back: a no to
// something else is no yes to these fields.
func (r *Room) everRejected(actions []plan.Action) map[string]record.Side {
	kept := r.rejects(actions).kept
	for _, a := range actions {
		r.EachSaid(a, r.Book.Redone, func(part plan.Action, _ run.Said) {
			for _, f := range part.Fields {
				kept[f.Field] = a.Side
			}
		})
	}
	return kept
}

// rejects returns what persons rejected in actions.
func (r *Room) rejects(actions []plan.Action) vetoes {
	no := vetoes{kept: map[string]record.Side{}}
	for _, a := range actions {
		r.EachSaid(a, r.Book.Rejected, func(part plan.Action, x run.Said) {
			no.left = no.left || x.Stage.Risk == string(plan.RiskMapping)
			if no.since.IsZero() || x.Stage.Chosen.Before(no.since) {
				no.since = x.Stage.Chosen
			}
			for _, f := range part.Fields {
				no.kept[f.Field] = a.Side
			}
		})
	}
	return no
}

// EachSaid calls do for an action if a person decided just this action. Otherwise it calls do for each part of the
// action that a person decided, by itself or as a part of another change.
func (r *Room) EachSaid(a plan.Action, words map[string]run.Said, do func(part plan.Action, x run.Said)) {
	if x, ok := words[a.Digest()]; ok {
		do(a, x)
		return
	}
	for digest, x := range words {
		if part, ok := r.partOf(a, x); ok && part.Digest() == digest {
			do(part, x)
			continue
		}
		for _, part := range r.asRejected(a, x) {
			do(part, x)
		}
	}
}

// asRejected returns the parts of an action that are just as a person rejected them, together with other fields.
// Those others were taken back since, or hold other values now.
func (r *Room) asRejected(a plan.Action, x run.Said) (out []plan.Action) {
	if len(x.Row.Parts) == 0 || x.Row.State != "" || x.Stage.Side != a.Side || x.Row.Ref != a.Change.Ref || a.Change.Op == record.Delete {
		return nil
	}
	for _, fields := range plan.Parts(r.Job.Rules, a) {
		if part := plan.Only(r.Job.Rules, a, fields); slices.Contains(x.Row.Parts, r.partName(part)) {
			out = append(out, part)
		}
	}
	return out
}

// partOf returns the part of an action that writes what a change which a person decided would have written. The
// rest of the action is there because other fields of the record were edited since, or because the set showed the
// change without what the system refuses. It is false if that part can't be written, or left, by itself: then the
// action is another change.
func (r *Room) partOf(a plan.Action, x run.Said) (plan.Action, bool) {
	if x.Stage.Side != a.Side || x.Row.Entry != 0 || x.Row.Ref != a.Change.Ref || a.Change.Op == record.Delete {
		return a, false
	}
	rejected := func(f string) bool {
		return slices.ContainsFunc(r.Job.Mapping.Outputs(a.Side, f), func(p string) bool { _, is := x.Row.After[p]; return is })
	}
	var fields []string
	for _, p := range plan.Parts(r.Job.Rules, a) {
		if !slices.ContainsFunc(p, rejected) {
			continue
		}
		if slices.ContainsFunc(p, func(f string) bool { return !rejected(f) }) {
			return a, false
		}
		fields = append(fields, p...)
	}
	return plan.Only(r.Job.Rules, a, fields), len(fields) > 0
}

// Obey decides a case once more if a person rejected what was decided. The side that would have been written keeps
// its value, and the other one gets it back. What that writes is the person's word: no guard counts it. Fields
// that are put back in vain stay as they are on both sides, and the verdict names them.
func (r *Room) Obey(ctx context.Context, c plan.Case, v plan.Verdict) (plan.Verdict, error) {
	if len(r.Book.Rejected) == 0 {
		return v, nil
	}
	no := r.rejects(v.Actions)
	kept := no.kept
	if len(kept) == 0 {
		return v, nil
	}
	c.Kept, c.Left, c.Both = kept, no.left, map[string]bool{}
	var vain []string
	for again := true; again; {
		v = plan.Pair(r.Job.Rules, c)
		v.Actions = r.Remap(c, v.Actions)
		again = false
		for f, side := range r.everRejected(v.Actions) { // a person may also have rejected what a no puts back
			switch was, known := kept[f]; {
			case !known:
				kept[f], again = side, true
			case was != side && !c.Both[f]:
				c.Both[f], again = true, true
			}
		}
		found, err := r.inVain(ctx, c, v.Actions, no.since)
		if err != nil {
			return v, err
		}
		for _, f := range found {
			c.Both[f], again = true, true
		}
		vain = append(vain, found...)
	}
	v.Vain = vain
	for i, a := range v.Actions {
		asked := true
		for _, f := range a.Fields {
			_, rejected := kept[f.Field]
			asked = asked && rejected
		}
		v.Actions[i].Let = asked
	}
	return v, nil
}

// inVain returns the fields that were put back again and again since a person said no, and that the system turns
// each time into what was rejected. If they were put back once more, every run would write them for as long as the
// no counts.
func (r *Room) inVain(ctx context.Context, c plan.Case, actions []plan.Action, since time.Time) ([]string, error) {
	if len(actions) == 0 || c.Link == 0 {
		return nil, nil
	}
	made, err := r.store.Written(ctx, c.Link, since)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, a := range actions {
		for _, f := range plan.InVain(a, made, since) {
			if keeps, ok := c.Kept[f]; ok && keeps != a.Side && !c.Both[f] {
				out = append(out, f)
			}
		}
	}
	return out, nil
}

// RejectedAlone says who rejected what would be done about a record without a link; "" if nobody did.
func (r *Room) RejectedAlone(a plan.Action) string {
	if len(r.Book.Rejected) == 0 {
		return ""
	}
	x, ok := r.Book.Rejected[a.Digest()]
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s rejected it with %s; it is asked again when it changes, or after %s",
		x.Stage.Who, x.Stage.Set, x.Stage.Expires.In(r.Zone()).Format(time.DateOnly))
}

// RejectedTell reports whether a person rejected that a side is told of a refused booking. Such a no puts no edit
// back. If the change is noted as put back, nobody has done it again, and the no still counts.
func (r *Room) RejectedTell(a plan.Action) bool {
	digest := a.Digest()
	_, no := r.Book.Rejected[digest]
	_, back := r.Book.Redone[digest]
	return no || back
}
