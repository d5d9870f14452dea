// Package undo takes back what a run wrote, one record at a time.
//
// A value goes back only where the record still holds what the run wrote. What was edited since is a
// conflict and stays as it is; what can't be taken back is told with its reason. The package is pure: it
// plans changes and sends nothing.
package undo

import (
	"fmt"
	"slices"

	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Made is one change of a run that is to be undone, and what the system answered.
type Made struct {
	record.Intent
	Receipt record.Receipt
}

// Undoing is one record that a run changed, and how it stands now.
type Undoing struct {
	Run    int64 // the run that is undone
	Side   record.Side
	Link   record.LinkID
	Entity string
	Entry  int64
	Ref    record.Ref // as it is named now; a record that was deleted, as it was named before
	Source record.Ref // the record across
	Made   []Made     // what the run did to it, oldest first; all of it answered

	There   bool          // it was just read, and Now is what it holds
	Now     record.Fields // native
	Version record.Version
	Moved   bool             // its revision changed since our last write
	InUse   string           // what depends on it in other jobs, "" for nothing
	Unread  string           // why it could not be read: nothing is decided then
	Again   record.Ref       // the record that an earlier undo made in its place, and that is there
	Key     []byte           // key of the digests that values of the run may be kept as
	Was     map[string]Meant // reference field -> whom it stood for before the run
	Wrote   map[string]Meant // reference field -> whom it stood for after the run
	Later   map[string]int64 // native path -> a later run of ours that wrote it
}

// Able says what a side allows besides updates.
type Able struct{ Create, Delete bool }

// Conflict is a value that was edited since it was written: it is left as it is.
type Conflict struct {
	Side    record.Side
	Ref     record.Ref
	Field   string
	Before  record.Value // what it was before the run
	Written record.Value // what the run wrote
	Now     record.Value
	Why     string
}

// Beyond is a change that can't be taken back.
type Beyond struct {
	Side record.Side
	Ref  record.Ref
	Op   record.Op // the operation of that change
	Why  string
}

// Undone is what an undo does about one record.
type Undone struct {
	Actions   []plan.Action
	Conflicts []Conflict
	Beyond    []Beyond
	Already   int // changes that do not stand any more: nothing is to be done about them
}

// TakeBack plans the undo of what a run did to one record. A value is put back only
// where the record still holds what the run wrote. It is pure, and writes nothing.
func TakeBack(r plan.Rules, able Able, u Undoing) Undone {
	if len(u.Made) == 0 {
		return Undone{}
	}
	if u.Unread != "" {
		return u.beyond(u.Made[0].Change.Op, u.Unread)
	}
	first, last := u.Made[0].Change.Op, u.Made[len(u.Made)-1].Change.Op
	var out Undone
	switch {
	case first == record.Create && last == record.Delete:
		out.Already = 1
	case first == record.Create:
		out = u.uncreate(r, able)
	case last == record.Delete:
		out = u.undelete(r, able)
	default:
		out = u.unwrite(r)
	}
	for i := range out.Actions {
		a := &out.Actions[i]
		a.Side, a.Link, a.Entity, a.Source = u.Side, u.Link, u.Entity, u.Source
		a.Reason, a.Priority, a.Step = u.reason(), r.Urgent, i
		if r.Day != "" {
			canonical, _ := r.Mapping.Read(u.Side, u.Now)
			a.Day = canonical[r.Day].Text()
		}
		a.Risk, a.Let = plan.RiskOf(r.Status, a.Change, a.Fields), true // a person asked for just this
		if u.Link == 0 {
			a.From = u.Entry
		}
	}
	return out
}

func (u *Undoing) beyond(op record.Op, why string) Undone {
	return Undone{Beyond: []Beyond{{Side: u.Side, Ref: u.Ref, Op: op, Why: why}}}
}

// Image returns what the run left in the record: the values that the system showed in its answers, and the values
// that were sent where an answer did not show them.
func (u *Undoing) Image() record.Fields {
	out := record.Fields{}
	for _, m := range u.Made {
		shown := m.Receipt.Fields
		if m.Change.Op != record.Create {
			shown = shown.Only(m.Change.Fields.Names())
		}
		out = out.With(m.Change.Fields).With(shown)
	}
	return out
}

// uncreate deletes what the run made, unless it was edited since.
func (u *Undoing) uncreate(r plan.Rules, able Able) Undone {
	kind := r.Kinds[u.Side]
	switch {
	case !u.There:
		return Undone{Already: 1}
	case u.Made[0].Receipt.Adopted:
		return u.beyond(record.Create, "no answer said that the run made it: it was found later, and may have been there before; it stays, delete it there if nobody wants it")
	case kind.ReadOnly != "":
		return u.beyond(record.Create, kind.ReadOnly)
	case !able.Delete:
		return u.beyond(record.Create, fmt.Sprintf("%s has no way to delete %s: it stays, delete it there", kind.System, kind.Kind))
	}
	if u.InUse != "" {
		return u.beyond(record.Create, u.InUse+": it stays")
	}
	image := u.Image()
	var out Undone
	for _, f := range r.Mapping.Fields() {
		paths := slices.DeleteFunc(r.Touched(u.Side, f.Name), func(p string) bool {
			return !image[p].Observed() && (u.Now[p].Empty() || !u.Now[p].Observed() || len(u.Made[0].Receipt.Fields) == 0)
		})
		if !u.holds(r, []string{f.Name}, paths, image) {
			c := u.conflict(r, record.FieldReason{Field: f.Name}, image, paths)
			c.Why = "it was made by the run and edited since: it is not deleted" + u.by(paths)
			out.Conflicts = append(out.Conflicts, c)
		}
	}
	if len(out.Conflicts) > 0 {
		return out
	}
	if u.Moved {
		return Undone{Conflicts: []Conflict{u.unmapped()}}
	}
	return Undone{Actions: []plan.Action{{
		Change: record.Change{Op: record.Delete, Ref: u.Ref, Version: u.Version, Fields: record.Fields{}, Before: u.Now},
		Bases:  [2]record.Fields{{}, {}},
	}}}
}

// Held returns what a record that the run deleted held before the run.
func (u *Undoing) Held() record.Fields {
	was := record.Fields{}
	for _, m := range slices.Backward(u.Made) {
		was = was.With(m.Change.Before)
	}
	return was
}

// unmapped returns the conflict for a record that was edited in what no job maps.
func (u *Undoing) unmapped() Conflict {
	return Conflict{
		Side: u.Side, Ref: u.Ref, Field: "what is not mapped",
		Why: "it was made by the run, and its system says that it was edited since: it is not deleted",
	}
}

// undelete makes a record anew that the run deleted, where all that this needs is known.
func (u *Undoing) undelete(r plan.Rules, able Able) Undone {
	kind := r.Kinds[u.Side]
	switch {
	case u.There || u.Again.ID != "":
		return Undone{Already: 1}
	case kind.ReadOnly != "":
		return u.beyond(record.Delete, kind.ReadOnly)
	case !able.Create:
		return u.beyond(record.Delete, fmt.Sprintf("%s can't take new %s", kind.System, kind.Kind))
	}
	was, lost := u.translated(r, u.Held(), u.Was)
	for _, f := range r.Mapping.Fields() {
		if why := lost[f.Name]; why != "" {
			return u.beyond(record.Delete, why)
		}
	}
	fields := u.remade(r, was)
	if why := u.unknown(r, fields); why != "" {
		return u.beyond(record.Delete, why)
	}
	canonical, _ := r.Mapping.Read(u.Side, fields)
	var reasons []record.FieldReason
	for _, name := range canonical.Names() {
		if !r.IsReference(name) {
			reasons = append(reasons, record.FieldReason{Field: name, After: canonical[name], Policy: plan.UndoPolicy, Reason: u.reason()})
		}
	}
	bases := [2]record.Fields{{}, {}}
	refers(bases[u.Side], u.Was)
	return Undone{Actions: []plan.Action{{
		From: u.Entry, Fields: reasons, Bases: bases,
		Change: record.Change{Op: record.Create, Ref: record.Ref{Kind: kind.Kind}, Fields: fields},
	}}}
}

// remade returns the native values that a deleted record is made anew with: what it held in mapped fields, and
// the kind's constants where it held nothing.
func (u *Undoing) remade(r plan.Rules, was record.Fields) record.Fields {
	fields := record.Fields{}
	keep := func(p string) {
		if was[p].Filled() {
			fields[p] = was[p]
		}
	}
	for _, f := range r.Mapping.Fields() {
		for _, p := range r.Mapping.Outputs(u.Side, f.Name) {
			keep(p)
		}
	}
	for p, constant := range r.Kinds[u.Side].Constants {
		fields[p] = constant
		keep(p)
	}
	return mapping.Shown(fields)
}

// unknown says why no record can be made of these values, "" where one can be made.
func (u *Undoing) unknown(r plan.Rules, fields record.Fields) string {
	for p, v := range fields {
		if v.Sealed() {
			return fmt.Sprintf("only a digest is kept of what its %s was", r.FieldOf(u.Side, p))
		}
	}
	if len(fields) == 0 {
		return "nothing is known of what it held"
	}
	kind := r.Kinds[u.Side]
	for _, p := range kind.Required {
		if !fields[p].Observed() {
			return fmt.Sprintf("nothing is known of its %s, which %s needs", r.FieldOf(u.Side, p), kind.System)
		}
	}
	return ""
}

// reason is the sentence for all that an undo does.
func (u *Undoing) reason() string { return fmt.Sprintf("run %d is undone", u.Run) }

// by names the later run that wrote one of the paths, "" where none did.
func (u *Undoing) by(paths []string) string {
	for _, p := range paths {
		if run := u.Later[p]; run != 0 {
			return fmt.Sprintf("; run %d wrote it since", run)
		}
	}
	return ""
}
