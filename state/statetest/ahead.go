package statetest

import (
	"testing"
	"time"

	"nightporter/sync/record"
)

// lessThanRead: a record became known by a read by id. A list that lags behind it may show
// that a field was not filled yet; what it shows besides is an edit.
func lessThanRead(_ *testing.T, h *House) {
	was := text("name", "Ada", "city", "Ghent", "mail", "")
	for id, c := range map[string]struct {
		list  record.Fields
		after time.Duration
		late  bool
	}{
		"nothing":   {record.Fields{"name": record.OfText("Ada"), "city": record.Nothing(), "mail": record.Nothing()}, time.Second, true},
		"empty":     {text("name", "Ada", "city", "", "mail", ""), time.Second, true},
		"not shown": {text("name", "Ada"), time.Second, false},
		"the same":  {was, time.Second, false},
		"more":      {text("name", "Ada", "city", "Ghent", "mail", "m"), time.Second, false},
		"an edit":   {text("name", "Eve", "city", "Ghent", "mail", ""), time.Second, false},
		"it is so":  {text("name", "Ada", "city", "", "mail", ""), 10 * time.Second, false},
	} {
		until := h.Now.Add(10 * time.Second)
		x := h.item(left, id, was)
		x.Until = until
		h.ok(h.Store.See(h.Ctx, h.Lease, left, mapping, []record.Seen{x}))
		h.Now = h.Now.Add(c.after)
		h.list(left, h.item(left, id, c.list))
		if !c.late {
			h.shows(left, id, was.With(c.list))
			continue
		}
		h.shows(left, id, was)
		is(h, "recheck of "+id, h.entry(left, id).Recheck, until)
		h.Now = until
		h.get(left, id, c.list) // it was emptied all the same
		h.shows(left, id, c.list)
	}
}
