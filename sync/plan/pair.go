package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// Verdict is what is to be done about one link.
type Verdict struct {
	Actions   []Action
	Adopt     [2]record.Fields // what each base takes over without a write; nil for nothing
	Conflicts []record.Question
	Drifts    []merge.Decision // shown, not written
	Read      []record.Side    // sides that must be read by id before this can be decided
	Problem   string           // why the record can't be written as it is
	Stuck     []Stuck          // the sides that are not written because of a problem
	Vain      []string         // fields put back in vain for a person: a side makes of them again what was rejected
}

// Stuck says why one side is not given what the merge would have it hold.
type Stuck struct {
	Side   record.Side
	Name   record.FindingName
	Fields []string
	Why    string
}

// Pair decides one link. It writes nothing and never changes its input.
func Pair(r Rules, c Case) Verdict {
	if len(c.Astray) > 0 {
		return Verdict{Stuck: c.Astray, Problem: c.Astray[0].Why}
	}
	c = c.sameNamed(r)
	decisions := c.merge(r)
	for i := range decisions {
		c.keep(r, &decisions[i])
	}
	c.hold(r, decisions)
	v := Verdict{Stuck: c.notRenewed(r)}
	for _, s := range v.Stuck {
		v.Problem = s.Why
	}
	var writes [2][]merge.Decision
	for _, d := range decisions {
		switch d.Act {
		case merge.Keep, merge.Adopt:
		case merge.WriteLeft:
			writes[record.Left] = append(writes[record.Left], d)
		case merge.WriteRight:
			writes[record.Right] = append(writes[record.Right], d)
		case merge.WriteBoth:
			writes[record.Left] = append(writes[record.Left], d)
			writes[record.Right] = append(writes[record.Right], d)
		case merge.Pending:
			v.Read = append(v.Read, unseenSide(d))
			v.Stuck = append(v.Stuck, c.unread(r, d)...)
		case merge.Hold:
			v.Conflicts = append(v.Conflicts, conflictOf(r, c, d))
		case merge.Drift:
			v.Drifts = append(v.Drifts, d)
		}
	}
	unwritten := v.write(r, c, writes)
	v.Adopt = adopt(r, c, decisions, unwritten)
	return v
}

// merge decides each field alone, or with its group. hold later takes back what must not be carried out.
func (c *Case) merge(r Rules) []merge.Decision {
	ds := c.mergeTaken(r)
	c.renew(r, ds)
	return ds
}

// mergeTaken decides each field by what both sides hold. Where one of our last writes may never have been done,
// it decides for both possibilities, and lets doubtTaken compare them.
func (c *Case) mergeTaken(r Rules) []merge.Decision {
	left, right := mergeSide(c.Sides[record.Left]), mergeSide(c.Sides[record.Right])
	ds := merge.Merge(r.Merge, left, right, c.Choices, r.Skew)
	if len(c.Sides[record.Left].Untaken)+len(c.Sides[record.Right].Untaken) == 0 {
		return ds
	}
	left.Base, right.Base = c.neverThere(r, record.Left), c.neverThere(r, record.Right)
	return c.doubtTaken(r, ds, merge.Merge(r.Merge, left, right, c.Choices, r.Skew))
}

func mergeSide(s Side) merge.Side {
	return merge.Side{Now: s.Now, Base: s.Settled, Key: s.Key, Changed: s.Changed}
}

// unseenSide is the side that did not show a field the other side changed.
func unseenSide(d merge.Decision) record.Side {
	if d.Left.Observed() {
		return record.Right
	}
	return record.Left
}

// unread tells of a change that waits because what the side to be written holds can't be read: nothing is written
// over it, and no read shows more, so a person has to correct it. It is empty where the side only did not show the
// field. A value that was blanked is told of in its own way.
func (c *Case) unread(r Rules, d merge.Decision) []Stuck {
	side := unseenSide(d)
	now, problems := r.Mapping.Read(side, c.Sides[side].Native)
	for _, p := range problems {
		if p.Field != d.Field || p.Code == mapping.Blanked || now[d.Field].Observed() || !r.Carries(d.Field, side) {
			continue
		}
		here, there := r.Kinds[side].System, r.Kinds[side.Other()].System
		return []Stuck{{side, record.FindUnwritable, []string{d.Field}, fmt.Sprintf(
			"%s changed it, and what %s holds can't be read: %s. What stands here stays until it is corrected in %s, or the field in the configuration",
			there, here, p.Text, here)}}
	}
	return nil
}

func conflictOf(r Rules, c Case, d merge.Decision) record.Question {
	return record.Question{
		Subject: record.Subject{Link: c.Link, Field: d.Field}, Left: d.Left, Right: d.Right, Base: d.BaseLeft,
		Cause: record.Cause(d.Policy), Why: Named(r, d.Reason.Text),
	}
}

// write adds the actions for both sides. It returns the fields that a side holds in their native form already:
// nothing is sent for them, and the bases take them over.
func (v *Verdict) write(r Rules, c Case, writes [2][]merge.Decision) map[string]bool {
	same := map[string]bool{}
	for _, side := range record.Sides {
		if len(writes[side]) == 0 {
			continue
		}
		if why := r.Kinds[side].RefusesUpdate(); why != "" {
			v.Problem = why
			v.Stuck = append(v.Stuck, Stuck{side, record.FindNoUpdate, namesOf(writes[side]), why})
			continue
		}
		steps, unchanged, stuck := update(r, c, side, writes[side])
		for _, s := range stuck {
			v.Problem = s.Why
			v.Stuck = append(v.Stuck, s)
		}
		for _, f := range unchanged {
			same[f] = true
		}
		v.Actions = append(v.Actions, steps...)
	}
	return same
}

// RefusesUpdate says why no record of a kind is ever changed, "" where some change is possible.
func (k Kind) RefusesUpdate() string {
	switch {
	case k.ReadOnly != "":
		return k.ReadOnly
	case k.NoUpdate && k.Status == "":
		return k.NeverChanges()
	}
	return ""
}

// update makes the changes that write decisions to one side: one for the fields, and one for the status where the
// system has a request of its own for it. unchanged names the fields that side holds already. stuck has the
// values that can't be written, and the fields that no request of the system changes.
func update(r Rules, c Case, side record.Side, ds []merge.Decision) (steps []Action, unchanged []string, stuck []Stuck) {
	to, kind := c.Sides[side], r.Kinds[side]
	var fields, status, none []merge.Decision
	changed := record.Fields{}
	natives, field, problem := nativesOf(r, c, side, ds)
	if problem != "" {
		stuck = append(stuck, Stuck{side, record.FindUnwritable, []string{field}, problem})
	}
	along := kind.along(natives, to.Native)
	for _, d := range ds {
		native, ok := natives[d.Field]
		if !ok {
			continue
		}
		native = native.Differing(mapping.Shown(to.Native))
		switch {
		case len(native) == 0:
			unchanged = append(unchanged, d.Field)
			continue
		case kind.Status != "" && native[kind.Status].Observed(), allOf(native, along):
			status = append(status, d)
		case kind.NoUpdate:
			none = append(none, d)
			continue
		case kind.fixed(native): // no update takes the field, and the status that it goes along with is not written
			continue
		default:
			fields = append(fields, d)
		}
		changed = changed.With(native)
	}
	if len(fields) > 0 {
		steps = append(steps, action(r, c, side, record.Update, fields, changed))
	}
	if len(status) > 0 {
		a := action(r, c, side, record.Action, status, changed)
		a.Step = len(steps)
		steps = append(steps, a)
	}
	if len(none) > 0 {
		stuck = append(stuck, Stuck{side, record.FindNoUpdate, namesOf(none), kind.NeverChanges()})
	}
	return steps, unchanged, stuck
}

// nativesOf returns, by field, the native values by which decisions are written to one side. field and problem
// tell of the first one that can't be written. A field that can't be written keeps back only those that must be
// written together with it.
func nativesOf(r Rules, c Case, side record.Side, ds []merge.Decision) (natives map[string]record.Fields, field, problem string) {
	natives = map[string]record.Fields{}
	var bad []string
	for _, d := range ds {
		native, why := nativeOf(r, c, side, d)
		if why == "" {
			natives[d.Field] = native
			continue
		}
		bad = append(bad, d.Field)
		if problem == "" {
			field, problem = d.Field, why
		}
	}
	for _, f := range bad {
		maps.DeleteFunc(natives, func(g string, _ record.Fields) bool { return together(r, f, g) })
	}
	return natives, field, problem
}

// namesOf returns the sorted fields of decisions.
func namesOf(ds []merge.Decision) []string {
	names := make([]string, len(ds))
	for i, d := range ds {
		names[i] = d.Field
	}
	slices.Sort(names)
	return names
}

// nativeOf returns the native values by which a decision is written to one side, or why it can't be written.
func nativeOf(r Rules, c Case, side record.Side, d merge.Decision) (record.Fields, string) {
	value := d.Value
	if parts := c.Parts[side][d.Field]; parts.Observed() {
		value = parts
	} else if r.IsReference(d.Field) && !value.Empty() {
		return nil, fmt.Sprintf("%s can't be written to %s: whom it names is not known to be there", d.Field, r.Kinds[side].System)
	}
	native, problems := r.Mapping.Write(side, record.Fields{d.Field: value}, c.Sides[side].Native)
	if len(problems) > 0 {
		return nil, fmt.Sprintf("%s can't be written to %s: %s", d.Field, r.Kinds[side].System, problems[0].Text)
	}
	return native, ""
}

// Touched is the native paths of a field: those it is read from and those it is
// written to.
func (r Rules) Touched(side record.Side, field string) []string {
	paths := append(r.Mapping.Inputs(side, field), r.Mapping.Outputs(side, field)...)
	slices.Sort(paths)
	return slices.Compact(paths)
}

// GuardGroups adds to before all fields of the groups: they must still hold the same when the change is sent.
// Example: while a stay's arrival is written, its departure must not have moved.
func (r Rules) GuardGroups(side record.Side, now record.Fields, groups map[string]bool, before record.Fields) {
	for _, rule := range r.Merge {
		if !groups[rule.Group] {
			continue
		}
		for _, p := range r.Mapping.Inputs(side, rule.Field) {
			before[p] = now[p]
		}
	}
}

// takeInputs puts into base the native values that a side reads a canonical field from, and whom a reference
// stands for.
func takeInputs(r Rules, c Case, side record.Side, field string, base record.Fields) {
	s := c.Sides[side]
	for _, p := range r.Mapping.Inputs(side, field) {
		if v := s.Native[p]; v.Observed() {
			base[p] = v
		}
	}
	if r.IsReference(field) && s.Now[field].Observed() {
		base[RefPath(field)] = s.Now[field]
	}
}

// adopt returns what each base takes over without a write: everything that was seen, except for fields that are
// written, held, pending or drifted. Those keep their base, and so stay to be done. same has fields that a side
// holds already.
func adopt(r Rules, c Case, ds []merge.Decision, same map[string]bool) [2]record.Fields {
	var out [2]record.Fields
	for _, side := range record.Sides {
		s := c.Sides[side]
		blocked := map[string]bool{}
		take := record.Fields{}
		for _, d := range ds {
			settled := d.Act == merge.Keep || d.Act == merge.Adopt || same[d.Field]
			settled = settled && c.Blocked[d.Field] == "" && !unmet(c, side, d.Field)
			if !settled {
				for _, p := range r.Touched(side, d.Field) {
					blocked[p] = true
				}
				continue
			}
			for _, p := range unreadable(r, s, side, d.Field) {
				blocked[p] = true
			}
			if r.IsReference(d.Field) && s.Now[d.Field].Observed() {
				take[RefPath(d.Field)] = s.Now[d.Field]
			}
		}
		for p, v := range s.Native {
			if !blocked[p] && !strings.HasPrefix(p, "@") {
				take[p] = v
			}
		}
		if diff := take.Differing(s.Base); len(diff) > 0 {
			out[side] = diff
		}
	}
	return out
}

// unmet reports whether a side shows a field for the first time, while the other side has only a digest of it and
// does not show it now. The two values were never compared. A base for the first side would make them count as
// settled.
func unmet(c Case, side record.Side, field string) bool {
	here, across := c.Sides[side], c.Sides[side.Other()]
	return here.Now[field].Observed() && !here.Settled[field].Known() && across.Settled[field].Known() && !across.Now[field].Observed()
}

// unreadable returns the native paths of a field that was settled and can't be read from what the side shows now.
// Its base stays. Once the value is mended, that is a change like any other, and not a first contact at which two
// values meet.
func unreadable(r Rules, s Side, side record.Side, field string) []string {
	if was := s.Settled[field]; !was.Known() || s.Now[field].Observed() {
		return nil
	}
	return r.Mapping.Outputs(side, field)
}

// reasonOf explains one field of an action.
func reasonOf(r Rules, d merge.Decision, side record.Side) record.FieldReason {
	before := d.Left
	if side == record.Right {
		before = d.Right
	}
	return record.FieldReason{
		Field: d.Field, Policy: string(d.Policy), Before: before, After: d.Value, Loser: d.Loser,
		Reason: Named(r, d.Reason.Text), Ground: d.Reason.Ground,
	}
}

// Named puts the systems' names in place of "the left side" and "the right side".
func Named(r Rules, sentence string) string {
	return strings.NewReplacer(
		"the left side", string(r.Kinds[record.Left].System),
		"the right side", string(r.Kinds[record.Right].System),
	).Replace(sentence)
}

// reason is the sentence for a whole action.
func reason(r Rules, side record.Side, ds []merge.Decision) string {
	return differs(r, side, namesOf(ds))
}

// differs is the sentence that says in which fields one side differs from the other.
func differs(r Rules, side record.Side, fields []string) string {
	names := slices.Sorted(slices.Values(fields))
	return fmt.Sprintf("%s of %s differs from %s", strings.Join(names, ", "),
		r.Kinds[side.Other()].System, r.Kinds[side].System)
}
