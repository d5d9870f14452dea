package simulator

import (
	"cmp"
	"slices"
)

// maxNotes is how many changes are worked into a sorted slice one by one; after
// more of them sorting anew is cheaper.
const maxNotes = 64

// orderedRows keeps a table's rows sorted. Changes are noted and worked in at the next
// read, so that neither loading many rows nor reading many pages sorts each time.
type orderedRows struct {
	compare func(a, b *row) int
	rows    []*row
	notes   []change
	stale   bool // the notes are not complete: sort anew
}

func (o *orderedRows) note(c change) {
	if o.stale {
		return
	}
	if len(o.notes) == maxNotes {
		o.notes, o.stale = nil, true
		return
	}
	o.notes = append(o.notes, c)
}

func (o *orderedRows) read(all map[string]*row) []*row {
	if o.stale {
		o.rows = make([]*row, 0, len(all))
		for _, r := range all {
			o.rows = append(o.rows, r)
		}
		slices.SortFunc(o.rows, o.compare)
		o.stale = false
		return o.rows
	}
	for _, c := range o.notes {
		o.work(c)
	}
	o.notes = o.notes[:0]
	return o.rows
}

func (o *orderedRows) work(c change) {
	if c.before != nil {
		at, _ := slices.BinarySearchFunc(o.rows, c.before, o.compare)
		if c.after != nil && o.compare(c.before, c.after) == 0 {
			o.rows[at] = c.after
			return
		}
		o.rows = slices.Delete(o.rows, at, at+1)
	}
	if c.after != nil {
		at, _ := slices.BinarySearchFunc(o.rows, c.after, o.compare)
		o.rows = slices.Insert(o.rows, at, c.after)
	}
}

// compare is a total order: no two rows of a table are equal in it.
func (o Order) compare() func(a, b *row) int {
	switch o {
	case IDDesc, CreatedDesc:
		return func(a, b *row) int { return cmp.Compare(b.seq, a.seq) }
	case UpdatedAsc:
		return func(a, b *row) int { return cmp.Or(cmp.Compare(a.stamp, b.stamp), cmp.Compare(a.seq, b.seq)) }
	case UpdatedDesc:
		return func(a, b *row) int { return cmp.Or(cmp.Compare(b.stamp, a.stamp), cmp.Compare(a.seq, b.seq)) }
	case ByName:
		return func(a, b *row) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.seq, b.seq)) }
	case IDAsc:
	}
	return func(a, b *row) int { return cmp.Compare(a.seq, b.seq) }
}
