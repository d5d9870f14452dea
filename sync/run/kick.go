package run

import (
	"nightporter/sync/record"
)

// Kick asks for one record to be taken first.
type Kick struct {
	Side record.Side
	Ref  record.Ref
	Key  record.Key // where Ref names none: the records that the system finds by it
}

// Taken is what came of records that were taken first, or asked for by name.
type Taken struct {
	Linked  bool     // records got a link
	Failed  []Kick   // can't be read now, though others can
	Unfound []Kick   // the system can't be asked by their key: its list has to be read
	Sought  []Sought // records that wait, and nobody has seen for whom
}

// Sought is a record that waits for one that is known by a key alone.
type Sought struct {
	Waiting record.Place // of the record that waits
	Ref     record.Ref   // that record
	Place   record.Place // of the record it names
	Key     record.Key
}

// Seek notes a record that waits for one of which only a key is known.
func (r *Run) Seek(side record.Side, ref record.Ref, res Resolution) {
	if res.Wait.Ref.ID != "" || res.Key.Text == "" {
		return
	}
	s := Sought{Waiting: r.Place(side), Ref: ref, Place: res.Place, Key: res.Key}
	if !r.Sought[s] || r.Kicking {
		r.Sought[s] = true
		r.Report.Sought = append(r.Report.Sought, s)
	}
}
