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

// Clash is a set of words of several canonical fields that we never bring together. Example: one side cancelled
// an order while the other was paid for it. Where a record would get some of the words from each side, a person
// decides. If one side shows all of them already, they are written to the other side. There are two exceptions: a
// person is asked about the field already, or a write of ours brought one of the words there before the others
// stood there.
type Clash map[string][]string

// Need names values that a system takes only together with others. Example: a refusal with its reason.
type Need struct {
	Path   string   // native
	Values []string // native; upper and lower case are the same
	With   []string // native paths that must hold something then, and are sent along
}

// The policies of conflicts about rules over several fields. What a person chose stands above the first one. The
// others ask for something that only a person has.
const (
	Clashes   = "clash"
	Needs     = "needs"
	SumIsOff  = "sum"
	OnlyShown = "only_read"
)

// AboveRules reports whether a person who answers a conflict of this policy also decides what the rules of its
// field would decide alone.
func AboveRules(cause record.Cause) bool {
	return slices.Contains([]record.Cause{merge.Overtaken, Swings, Clashes, Untaken, Tried, Emptied, Unanswered, CutShort, Backwards, OverCard, NamesNobody}, cause)
}

// Change says which fields of a side's records we change once the records are there. It is a rule of the house,
// and says nothing of what the system can do.
type Change string

// The changes. The zero value is all.
const (
	ChangeAll   Change = ""
	ChangeEmpty Change = "fill_empty" // only fields that are empty
	ChangeNone  Change = "never"
)

// hold takes back decisions that must not be carried out as they are.
func (c *Case) hold(r Rules, ds []merge.Decision) {
	for i := range ds {
		c.untaken(r, ds, i)
		c.cutShort(&ds[i])
		c.tried(ds, i)
		c.emptied(ds, i)
		c.leave(r, ds, i)
		c.onlyShown(r, ds, i)
		c.namesNobody(r, &ds[i])
		c.namesNeither(r, &ds[i])
	}
	for _, side := range record.Sides {
		c.backwards(r, ds, side)
		c.clashes(r, ds, side)
		c.sums(r, ds, side)
		c.needs(r, ds, side)
		c.overCard(r, ds, side)
	}
}

// leave takes back writes to records that are not to be changed, and questions that only such a write could
// answer. An edit of such a record is not shown as drift.
func (c *Case) leave(r Rules, ds []merge.Decision, i int) {
	d := &ds[i]
	for _, side := range record.Sides {
		change := r.Kinds[side].Change
		if change == ChangeAll {
			continue
		}
		to := directionOf(r, d.Field)
		receives := to != merge.Both && mayWrite(to, side)
		writes := d.Act.Writes(side) && d.Act != merge.WriteBoth && (!byPerson(*d) || receives)
		edited, asks := receives && d.Act == merge.Drift, receives && d.Act == merge.Hold
		if !writes && !edited && !asks || !edited && change == ChangeEmpty && c.bare(ds, *d, side) {
			continue
		}
		d.Act, d.Value, d.Loser = merge.Adopt, record.Value{}, record.Value{}
		d.Reason = merge.Because(fmt.Sprintf("records of %s are made and not changed", the(side)))
		if change == ChangeEmpty {
			d.Reason = merge.Because(fmt.Sprintf("a value stands on %s, and only an empty field is filled there", the(side)))
		}
	}
}

// bare reports whether side shows a field, and all of its group, as empty.
func (c *Case) bare(ds []merge.Decision, d merge.Decision, side record.Side) bool {
	return !slices.ContainsFunc(ds, func(x merge.Decision) bool { return isOne(x, d) && !c.Sides[side].Now[x.Field].Empty() })
}

// meets reports whether a record has all the words of a clash.
func (x Clash) meets(f record.Fields) bool {
	for name, words := range x {
		if !slices.Contains(words, f[name].Text()) {
			return false
		}
	}
	return len(x) > 0
}

// clashes holds writes to side that would bring the words of a clash together, where some of them come from each
// side. It also holds a field that a person is asked about because of the clash.
func (c *Case) clashes(r Rules, ds []merge.Decision, side record.Side) {
	for _, x := range r.Clashes {
		if !x.meets(c.after(ds, side)) {
			continue
		}
		known := x.meets(c.Sides[side].Now) || x.meets(c.Sides[side.Other()].Now) && !c.broughtTo(x, side.Other())
		why := c.said(x, ds, side) + ": a person decides which stands"
		for i := range ds {
			d := &ds[i]
			if _, mine := x[d.Field]; mine && d.Act.Writes(side) && !byPerson(*d) && (!known || c.unanswered(r, x, d.Field)) {
				held(d, Clashes, why)
			}
		}
	}
}

// broughtTo reports whether a write of ours brought one of the words of a clash to side before the others stood
// there.
func (c *Case) broughtTo(x Clash, side record.Side) bool {
	for name := range x {
		if c.Brought[side][name] {
			return true
		}
	}
	return false
}

// said tells from which side each word of a clash comes, if all of them would meet on side.
func (c *Case) said(x Clash, ds []merge.Decision, side record.Side) string {
	var said []string
	for _, name := range slices.Sorted(maps.Keys(x)) {
		from := side
		if slices.ContainsFunc(ds, func(d merge.Decision) bool { return d.Field == name && d.Act.Writes(side) }) {
			from = side.Other()
		}
		said = append(said, fmt.Sprintf("%s says %s of its %s", the(from), c.Sides[from].Now[name].Text(), name))
	}
	return strings.Join(said, ", and ")
}

// unanswered reports whether a person still has to answer about a field of a clash. That a side shows all the
// words by now may be our doing, after an answer about another field. An answer about the status says what
// becomes of the record, whatever the other fields say. So in a clash with a status, only the status still waits.
func (c *Case) unanswered(r Rules, x Clash, field string) bool {
	_, status := x[r.Status]
	return c.Asked[field].Cause == Clashes && (field == r.Status || !status)
}

// onlyShown takes back a write of a value that a side shows and does not take. A person is asked where the write
// would replace another edit, go to both sides, or was chosen by a person. Otherwise the value is drift.
func (c *Case) onlyShown(r Rules, ds []merge.Decision, i int) {
	d := &ds[i]
	for _, side := range record.Sides {
		if !d.Act.Writes(side) {
			continue
		}
		why := c.untold(r, side, ds, *d)
		if why == "" {
			continue
		}
		if d.Loser.Observed() || d.Act == merge.WriteBoth || byPerson(*d) {
			held(d, OnlyShown, why)
			return
		}
		d.Act, d.Value, d.Reason = merge.Drift, record.Value{}, merge.Because(why)
		return
	}
}

// untold says why side does not take the value of a decision, "" if it does.
func (c *Case) untold(r Rules, side record.Side, ds []merge.Decision, d merge.Decision) string {
	if r.Mapping.Partly(side, d.Field) {
		_, problems := r.Mapping.Write(side, record.Fields{d.Field: d.Value}, c.Sides[side].Native)
		if len(problems) > 0 && problems[0].Code == mapping.OnlyRead {
			return fmt.Sprintf("%s can't be told that it is %s: %s", the(side), d.Value.Text(), problems[0].Text)
		}
	}
	if only := r.Kinds[side].Updates; only != nil {
		along := c.along(r, ds, side)
		fixed := func(p string) bool {
			return p != r.Kinds[side].Status && !slices.Contains(only, p) && !slices.Contains(along, p)
		}
		if slices.ContainsFunc(r.Mapping.Outputs(side, d.Field), fixed) {
			return fmt.Sprintf("%s takes its %s when it is made, and no change of it", the(side), d.Field)
		}
	}
	return ""
}

// along returns the native paths that go along with the request by which decisions change the status of side.
func (c *Case) along(r Rules, ds []merge.Decision, side record.Side) []string {
	kind := r.Kinds[side]
	if kind.Status == "" || len(kind.Carries) == 0 {
		return nil
	}
	for _, d := range ds {
		if d.Act.Writes(side) && slices.Contains(r.Mapping.Outputs(side, d.Field), kind.Status) {
			return kind.along(map[string]record.Fields{d.Field: c.native(r, side, d)}, c.Sides[side].Native)
		}
	}
	return nil
}

// needs holds a value that side takes only together with others, where nobody gave those.
func (c *Case) needs(r Rules, ds []merge.Decision, side record.Side) {
	for _, n := range r.Kinds[side].Needs {
		for i := range ds {
			d := &ds[i]
			if !d.Act.Writes(side) || !n.sets(c.native(r, side, *d)) {
				continue
			}
			for _, p := range n.With {
				if v := c.standing(r, ds, side, p); v.Filled() {
					continue
				}
				name := r.FieldOf(side, p)
				held(d, Needs, fmt.Sprintf("%s takes %s only with its %s, and nobody has given one: it is sent as soon as it stands on %s",
					the(side), d.Value.Text(), name, the(side.Other())))
				break
			}
		}
	}
}

// sets reports whether native values hold one that needs others.
func (n Need) sets(native record.Fields) bool {
	v := native[n.Path]
	return v.Observed() && slices.ContainsFunc(n.Values, func(w string) bool { return strings.EqualFold(w, v.Text()) })
}

// standing returns the value of a native path of side once the decisions are carried out.
func (c *Case) standing(r Rules, ds []merge.Decision, side record.Side, path string) record.Value {
	for _, d := range ds {
		if !d.Act.Writes(side) || !slices.Contains(r.Mapping.Outputs(side, d.Field), path) {
			continue
		}
		if v := c.native(r, side, d)[path]; v.Observed() {
			return v
		}
	}
	return c.Sides[side].Native[path]
}

// SentAlong adds to a change the values that must be sent along with it, as the record holds them already.
func SentAlong(k Kind, to Side, ch record.Change) {
	if ch.Op == record.Action {
		for _, p := range k.Carries[ch.Fields[k.Status].Text()] {
			if v := to.Native[p]; !ch.Fields[p].Observed() && v.Filled() {
				ch.Fields[p], ch.Before[p] = v, v
			}
		}
		return
	}
	for _, n := range k.Needs {
		if !n.sets(ch.Fields) || ch.Op != record.Update {
			continue
		}
		for _, p := range n.With {
			if v := to.Native[p]; !ch.Fields[p].Observed() && v.Observed() {
				ch.Fields[p], ch.Before[p] = v, v
			}
		}
	}
}

// needed reports whether field f of side has values that are written only together with field g.
func (k Kind) needed(r Rules, side record.Side, f, g string) bool {
	outF, outG := r.Mapping.Outputs(side, f), r.Mapping.Outputs(side, g)
	return slices.ContainsFunc(k.Needs, func(n Need) bool {
		return slices.Contains(outF, n.Path) && slices.ContainsFunc(n.With, func(p string) bool { return slices.Contains(outG, p) })
	})
}

// guardClashes adds to before the fields with words that would clash with what a change writes. They must still
// hold the same when the change is sent.
func guardClashes(r Rules, side record.Side, to Side, fields []record.FieldReason, before record.Fields) {
	for _, x := range r.Clashes {
		if !slices.ContainsFunc(fields, func(f record.FieldReason) bool { return slices.Contains(x[f.Field], f.After.Text()) }) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(x)) {
			for _, p := range r.Mapping.Inputs(side, name) {
				if _, has := before[p]; !has {
					before[p] = to.Native[p]
				}
			}
		}
	}
}
