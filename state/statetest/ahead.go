package statetest

import (
	"fmt"
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

// keptFromEarlier: what a list does not show keeps the value of an earlier read, and the
// observation says that it is of an earlier one, until a read shows it.
func keptFromEarlier(_ *testing.T, h *House) {
	h.linked(text("name", "Ada", "city", "Ghent", "mail", "m"))
	h.Now = h.Now.Add(time.Minute)
	for _, c := range []struct {
		list    record.Fields
		earlier []string
	}{
		{text("name", "Eve", "city", "Paris"), nil},
		{text("name", "Eva"), []string{"city"}},
		{text("city", "Rome"), []string{"name"}},
		{text("name", "Eva", "city", "Rome", "mail", "m"), nil},
	} {
		h.tick()
		h.list(left, h.item(left, "l1", c.list))
		is(h, "what is of earlier reads", fmt.Sprint(h.entry(left, "l1").Seen.Earlier), fmt.Sprint(c.earlier))
	}
}
