package run

import (
	"nightporter/sync/record"
)

// Candidate is a record without a link, with the keys by which the other side may
// know it. A first load has hundreds of thousands: it is as small as can be.
type Candidate struct {
	Brief
	Keys    []record.Key // none for a rule of which a part is not known
	Blanked []string     // rules of which it has a key that was blanked
	Mark    string       // the mark that it carries
}

// Key is the text of the record's key for a rule, false if there is none.
func (c *Candidate) Key(rule string) (string, bool) {
	for _, k := range c.Keys {
		if k.Name == rule {
			return k.Text, true
		}
	}
	return "", false
}

// Stranger is a candidate with everything that was seen of it.
type Stranger struct {
	SeenSide
	Brief Brief
	Keys  []record.Key
}

// created is when the system made the record, or when we first saw it.
func created(e record.Entry) int64 {
	if e.Seen != nil && !e.Seen.Created.IsZero() {
		return e.Seen.Created.UnixMilli()
	}
	return e.Since.UnixMilli()
}
