package run

import (
	"nightporter/sync/record"
)

// KeptKey names the change of a record that is kept back.
type KeptKey struct {
	Side  record.Side
	Link  record.LinkID
	Entry int64 // without a link
}

// About is the links, and the records without one, that were decided.
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
