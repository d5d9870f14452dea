package run

import (
	"slices"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// Draft is everything a plan decided, before anything of it is done.
type Draft struct {
	Pairs    []Decided // links
	Joins    []Decided // pairs of records without a link that are the same
	News     []plan.Action
	Parks    []Park
	Waits    []Waits
	Meant    []record.Meant  // whom records without a link mean
	Retell   []record.LinkID // links to decide anew: a record is gone, and one came that may be it
	Reads    []ToRead
	Told     []ToRead // bookings that were refused: the desk must know
	Missing  [2]int   // creates that need another list of that side first
	Facts    guard.Facts
	Whole    bool                          // it is of all records, not of some
	Remapped int                           // changes that only a changed configuration asks for, and that wait
	Asks     map[int64]Asks                // the question about an unlinked record, by its entry
	Bereft   [2]*Bereft                    // links of which that side's record is gone; nil: not asked yet
	Unlinked [2]map[record.EntryState]bool // whether that side has unlinked records in a state, as far as it was asked
}

// Decided is a pair of records and what is to be done about it. A pair is quiet if nothing is to be
// written, asked or shown. Of a quiet pair only its name is kept, and it is decided once more when it
// is settled: a first load has a hundred thousand quiet pairs.
type Decided struct {
	Link    record.LinkID // 0: not linked yet
	Entries [2]int64
	Refs    [2]record.Ref
	Entity  string
	Quiet   bool
	Verdict plan.Verdict
	Waits   []Waits
	Dirty   bool              // it was marked to be looked at, whatever is seen of it
	Refused []string          // fields that are not written because their values were refused
	Idle    bool              // nothing of it is to be stored: it differs as it did when it was decided last
	Changed [2]bool           // which sides show an edit
	Partly  [2]bool           // of a pair without a link: the side's lists may hide a part that no read has shown
	Kept    []record.Question // questions that a person decided; they stay open until each side has the value
	Gone    *Absence          // a record of it is gone: what is decided because of that
}

// Hush forgets what is decided of a pair if nothing of it is to be written, asked
// or shown.
func (d *Decided) Hush() {
	v := d.Verdict
	if len(v.Actions)+len(v.Conflicts)+len(v.Drifts)+len(v.Read)+len(v.Vain)+len(d.Kept)+len(d.Refused) > 0 || v.Problem != "" || d.Gone != nil {
		return
	}
	d.Quiet, d.Verdict, d.Waits = true, plan.Verdict{}, nil
}

// Brief is what a draft keeps of an entry: it is read again when more is needed.
type Brief struct {
	Num   int64
	Ref   record.Ref
	State record.EntryState
	Cause record.Cause
	Why   string
	Dirty bool
	Since time.Time // when it was first seen
	Born  int64     // when the system made it, or when it was first seen: unix milliseconds
}

// Entered is how a question names the record, if it may be one that is gone, entered anew.
func (b Brief) Entered() record.Entered { return record.EnteredOf(b.Ref, b.Since) }

// BriefOf returns what a draft keeps of an entry.
func BriefOf(e record.Entry) Brief {
	return Brief{e.Num, e.Ref, e.State, e.Cause, e.Why, e.Dirty, e.Since, created(e)}
}

// Park is a record that is put aside, and why.
type Park struct {
	Side  record.Side
	Entry Brief
	State record.EntryState
	Cause record.Cause // names the reason, if a later run needs to know it
	Why   string
}

// Waits is a record that is to be looked at again when others are linked.
type Waits struct {
	Stuck []plan.Stuck // what of it is not carried over meanwhile
	Side  record.Side
	Entry Brief
	On    []record.Wait
	Meant []record.Meant // whom its references mean, to be noted
	Why   string
	Held  bool // it waited for too long: a person is asked
}

// ToRead is a record that is to be read by its id and decided once more.
type ToRead struct {
	Side record.Side
	Ref  record.Ref
}

// Actions is all writes of the draft, in order.
func (d *Draft) Actions() []plan.Action {
	var all []plan.Action
	for _, p := range d.Pairs {
		all = append(all, p.Verdict.Actions...)
	}
	for _, j := range d.Joins {
		all = append(all, j.Verdict.Actions...)
	}
	all = append(all, d.News...)
	plan.Order(all)
	return all
}

// Untangle leaves one decision for each record. A person who is asked about two records may give both
// the same partner, and the partner was planned on its own as well. The first link counts, and
// everything else that was planned for its two records is dropped.
func (d *Draft) Untangle() {
	taken := map[int64]bool{}
	joins := d.Joins[:0]
	for _, j := range d.Joins {
		if !taken[j.Entries[0]] && !taken[j.Entries[1]] {
			taken[j.Entries[0]], taken[j.Entries[1]] = true, true
			joins = append(joins, j)
		}
	}
	d.Joins = joins
	d.Parks = slices.DeleteFunc(d.Parks, func(p Park) bool { return taken[p.Entry.Num] })
	d.Waits = slices.DeleteFunc(d.Waits, func(w Waits) bool { return taken[w.Entry.Num] && w.Why != "" })
	d.News = slices.DeleteFunc(d.News, func(a plan.Action) bool { return taken[a.From] })
}

// Joined reports whether the plan links an entry of a side, which has no link yet.
func (d *Draft) Joined(side record.Side, entry int64) bool {
	return slices.ContainsFunc(d.Joins, func(j Decided) bool { return j.Entries[side] == entry })
}
