package run

import (
	"nightporter/sync/record"
)

// Kick asks for one record to be taken first.
type Kick struct {
	Side record.Side
	Ref  record.Ref
	Key  record.Key // if Ref is empty: the records that the system finds by this key
}

// Taken is what came of records that were taken first, or asked for by name.
type Taken struct {
	Linked  bool     // records got a link
	Failed  []Kick   // records that can't be read now, though others can
	Unfound []Kick   // kicks with a key that the system can't be asked by: its list has to be read
	Sought  []Sought // records that wait for one that nobody has seen yet
}

// Sought is a record that waits for one that is known by a key alone.
type Sought struct {
	Waiting record.Place // the place of the record that waits
	Ref     record.Ref   // the record that waits
	Place   record.Place // the place of the record that it waits for
	Key     record.Key
}

// Seek reports a record that waits for one of which only a key is known. It is reported once a run, and
// again when kicks are taken.
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
