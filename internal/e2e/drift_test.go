package e2e

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"testing"

	"nightporter/simulator"
	"nightporter/sync/record"
)

// The orders in which a list may be served: by what never changes, and by what does.
var (
	stableOrders  = []simulator.Order{simulator.IDAsc, simulator.IDDesc}
	mutableOrders = []simulator.Order{simulator.UpdatedAsc, simulator.UpdatedDesc, simulator.ByName}
)

// driftScans is how many lists each order is read: NIGHTPORTER_DRIFT_N in all.
func driftScans(t *testing.T) int {
	n := 100
	if s := os.Getenv("NIGHTPORTER_DRIFT_N"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	return max(1, n/(len(stableOrders)+len(mutableOrders)))
}

// driftHouse is a platform that pages 20 of 120 contacts, keeps nothing unique as
// far as the program knows, and can't be asked for single ones: lists are all there
// is. A create of somebody who is there is answered 400, and so can be counted.
func driftHouse(t *testing.T, o simulator.Order) *house {
	h := newHouse(t, simulator.Options{Order: o, Seed: 7})
	h.edit("    key: file:", `    page_size: 20
    override: { kinds: { contacts: { unique: [], find: [] } } }
    key: file:`)
	h.edit("time_zone:", "guards: { creates: 100000, updates: 100%, changed: 100%, shrink: 100% }\ntime_zone:")
	for i := range 120 {
		h.bothSides(i)
	}
	return h
}

func driftPhone(i int) string { return fmt.Sprintf("+3905500%05d", i) }

func (h *house) bothSides(i int) {
	h.sim.Put("contacts", map[string]any{"first_name": "Guest", "last_name": fmt.Sprintf("Nr%05d", i), "phone_number": driftPhone(i)})
	h.exec(`INSERT INTO guests (first_name, last_name, phone) VALUES ('Guest', ?, ?)`, fmt.Sprintf("Nr%05d", i), driftPhone(i))
}

// doubles is how many people a side has twice, and how many creates of somebody
// who was there already were sent.
func (h *house) doubles() (guests string, refused int) {
	guests = h.one(`SELECT count(*) - count(DISTINCT phone) FROM guests`)
	for _, r := range h.sim.Requests() {
		if r.Method == http.MethodPost && r.Status == 400 {
			refused++
		}
	}
	return guests, refused
}

// While somebody writes between pages, a list hides live records. Nothing may be
// taken for gone that is there, and nobody made who is there; and still what is
// really gone and really new must be found.
func TestF13_Drift(t *testing.T) { drift(t, stableOrders) }

// A list by time of change or by name hides more, and looks as whole as any.
func TestF14_DriftUnderMutableOrders(t *testing.T) { drift(t, mutableOrders) }

func drift(t *testing.T, orders []simulator.Order) {
	for _, order := range orders {
		t.Run(string(order), func(t *testing.T) {
			t.Parallel()
			h := driftHouse(t, order)
			h.sync()
			written := 0
			insert := func(int) map[string]any {
				written++
				return map[string]any{"first_name": "Walk", "last_name": fmt.Sprintf("In%05d", written*7919%100000), "phone_number": driftPhone(70000 + written)}
			}
			scans, hidden, late, worst, rounds := driftScans(t), 0, 0, 0, 0
			next := 200
			for n := 0; n < scans; {
				h.sim.SetWriter(&simulator.Writer{Resource: "contacts", Rate: 0.5, Seed: uint64(next), MoveNames: true, Insert: insert})
				h.bothSides(next) // entered on both sides in the same minute
				next++
				before := h.sim.Counts().Lists
				reports := h.sync()
				h.sim.SetWriter(nil)
				n += max(1, (h.sim.Counts().Lists-before)/7)
				hidden += int(total(reports, "guests", "left.incomplete"))
				// A record that drifted out of a list must be back in step within k scans.
				k := 0
				for ; h.unlinkedLive() > 0; k++ {
					if k > 5 {
						t.Fatalf("a live record is still not linked after %d quiet runs", k)
					}
					h.sync()
				}
				worst = max(worst, k)
				if k > 0 {
					late++
				}
				h.noneTakenForGone()
				// Nothing is known to be gone while no list is complete. Now and then the
				// writer rests, as the desk does at night.
				if rounds++; rounds%10 == 0 {
					h.sync()
				}
			}
			if g, refused := h.doubles(); g != "0" || refused > 0 {
				t.Errorf("made who was there: %s guests twice, %d creates refused by the platform: %s", g, refused,
					h.one(`SELECT group_concat(id || ' ' || coalesce(phone, 'none') || ' ' || last_name || ' ' || coalesce(external_ref, '-')) FROM guests WHERE phone IS NULL OR phone IN (SELECT phone FROM guests GROUP BY phone HAVING count(*) > 1)`))
			}
			t.Logf("%-12s %d scans in %d rounds, %d rounds not complete, %d needed another run, k = %d", order, scans, rounds, hidden, late, worst)
			h.driftControl(next)
		})
	}
}

// unlinkedLive is how many people both sides have without a link between them.
func (h *house) unlinkedLive() int {
	a := h.open()
	defer a.Close()
	n := 0
	for _, c := range h.sim.All("contacts") {
		phone, _ := c["phone_number"].(string)
		if h.one(`SELECT count(*) FROM guests WHERE phone = ?`, phone) == "0" {
			continue
		}
		id, _ := c["id"].(string)
		_, ok, err := a.Store.PairOf(h.t.Context(), record.Place{Binding: "guests"}, record.Ref{Kind: "contacts", ID: id})
		if err != nil {
			h.t.Fatal(err)
		}
		if !ok {
			n++
		}
	}
	return n
}

// noneTakenForGone fails the test if a contact that is there is said to be gone.
func (h *house) noneTakenForGone() {
	h.t.Helper()
	a := h.open()
	defer a.Close()
	for _, c := range h.sim.All("contacts") {
		id, _ := c["id"].(string)
		e, ok, err := a.Store.Entry(h.t.Context(), record.Place{Binding: "guests"}, record.Ref{Kind: "contacts", ID: id})
		if err != nil {
			h.t.Fatal(err)
		}
		if ok && e.State == record.Gone {
			h.t.Fatalf("contact %s is there and was taken for gone", id)
		}
	}
}

// driftControl deletes 50 and adds 50 with nobody writing: all must be noticed.
func (h *house) driftControl(next int) {
	h.t.Helper()
	h.settleAll()
	gone := map[string]bool{}
	for _, c := range h.sim.All("contacts") {
		if len(gone) == 50 {
			break
		}
		id, _ := c["id"].(string)
		gone[id] = true
		h.sim.Remove("contacts", id)
	}
	for i := range 50 {
		h.exec(`INSERT INTO guests (first_name, last_name, phone) VALUES ('New', ?, ?)`, fmt.Sprintf("Nr%05d", next+i), driftPhone(50000+next+i))
	}
	before := h.sim.Len("contacts")
	h.sync()
	h.sync()
	if got := h.sim.Len("contacts") - before; got != 50 {
		h.t.Errorf("50 new guests: %d were made on the platform", got)
	}
	a := h.open()
	defer a.Close()
	known := 0
	for id := range gone {
		e, ok, err := a.Store.Entry(h.t.Context(), record.Place{Binding: "guests"}, record.Ref{Kind: "contacts", ID: id})
		if err != nil {
			h.t.Fatal(err)
		}
		if ok && e.State == record.Gone {
			known++
		}
	}
	if known != 50 {
		h.t.Errorf("50 contacts were deleted: %d are known to be gone", known)
	}
}
