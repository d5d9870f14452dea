package run

import (
	"nightporter/sync/record"
)

// KeptKey names a change that is kept back, by its side and its record.
type KeptKey struct {
	Side  record.Side
	Link  record.LinkID
	Entry int64 // for a record without a link
}

// About returns the links, and the records without one, that the draft has decided.
func (d *Draft) About() (links map[record.LinkID]bool, entries map[int64]bool) {
	links, entries = map[record.LinkID]bool{}, map[int64]bool{}
	for _, p := range d.Pairs {
		links[p.Link] = true
	}
	for _, j := range d.Joins {
		entries[j.Entries[record.Left]], entries[j.Entries[record.Right]] = true, true
	}
	for _, a := range d.News {
		entries[a.From] = true
	}
	for _, p := range d.Parks {
		entries[p.Entry.Num] = true
	}
	for _, w := range d.Waits {
		entries[w.Entry.Num] = true
	}
	delete(links, 0)
	delete(entries, 0)
	return links, entries
}
