package engine_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// A booking was removed and entered anew under another id, and a hint, or a list of what
// changed, shows the new one before anything told that the old one is gone. The old one is
// read by its id first: the one across stands, so that the new one waits for what becomes of
// it. Where the old one is there still the new one is a second booking, and is made at once.
func TestWeakEnteredAnewByAHint(t *testing.T) {
	type way struct {
		since, sealed, there, apart bool
		unread                      connectors.ErrorClass
		made, reads                 int // how many the right has then; how often the left was read by id beside the hint itself
	}
	for _, c := range []way{
		{made: 2, reads: 1},
		{sealed: true, made: 2, reads: 1},
		{since: true, made: 2, reads: 1},
		{there: true, made: 3, reads: 1},
		{there: true, since: true, made: 3, reads: 1},
		{there: true, sealed: true, made: 3, reads: 1},
		{unread: connectors.Malformed, made: 2, reads: 1},
		{unread: connectors.Transient, made: 2, reads: 1},
		{apart: true, made: 3}, // of another guest's phone: nothing that it could be
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := setting{kinds: [2]memory.Kind{{Since: true, Times: true}, {Delete: true, Paging: memory.Keyset, FindAny: true}}, gone: [2]engine.GoneRule{record.Right: {Policy: away.GoneHold}}}
				if c.sealed {
					s.sealed = filepath.Join(t.TempDir(), "key")
				}
				w := newWorld(t, s)
				defer w.close()
				w.booked()
				w.put(record.Left, 1, map[string]string{"name": "Anna"})
				for n := range 6 {
					w.put(record.Left, 10+n, map[string]string{"name": fmt.Sprint("Guest", n)})
				}
				w.rest()
				guest, _ := w.find(record.Left, 1)
				book := func(phone string) string {
					return w.sys[record.Left].Put(kinds[record.Left], record.Fields{"phone": record.OfText(phone), "mail": record.OfText(guest.Ref.ID)})
				}
				old := book(phoneOf(2))
				w.rest()
				const others = 6
				if n := len(w.picture(record.Right)) - others; n != 2 {
					t.Fatalf("the right has %d records, want the guest and the booking", n)
				}
				if !c.there {
					w.sys[record.Left].Remove(kinds[record.Left], old)
				}
				phone := phoneOf(2)
				if c.apart {
					phone = phoneOf(3)
				}
				w.tick(settle)
				again := book(phone)
				if c.unread != "" {
					w.sys[record.Left].Inject(memory.Fault{Call: memory.CallGet, ID: old, Class: c.unread, Times: -1})
				}
				o := engine.Options{Yes: true, Only: []record.Ref{{Kind: kinds[record.Left], ID: again}}, OnlySide: record.Left}
				if c.since {
					o = engine.Options{Yes: true}
				}
				rep := w.run(o)
				if n := len(w.picture(record.Right)) - others; n != c.made {
					t.Errorf("the right has %d records, want %d:\n%s\n%v", n, c.made, w.both(), rep.Notes)
				}
				hint := int64(1)
				if c.since {
					hint = 0
				}
				if got := rep.Counts["left.reads"] - hint; c.unread == "" && !c.sealed && got != int64(c.reads) {
					t.Errorf("the left was read by id %d times beside the hint, want %d", got, c.reads)
				}
				w.sys[record.Left].Heal()
				w.tick(settle)
				w.run(engine.Options{Yes: true, Full: true})
				w.tick(settle)
				w.run(engine.Options{Yes: true, Full: true})
				if n := len(w.picture(record.Right)) - others; n != c.made {
					t.Errorf("after whole lists the right has %d records, want %d:\n%s", n, c.made, w.both())
				}
				if c.made == 2 {
					w.answer(away.AskGone, away.ChooseCarry)
				}
				w.rest()
				want := 2
				if c.there || c.apart && c.made == 3 {
					want = 3
				}
				if n := len(w.picture(record.Right)) - others; n != want {
					t.Errorf("in the end the right has %d records, want %d:\n%s", n, want, w.both())
				}
			})
		})
	}
}
