package e2e

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
	"time"

	"nightporter/internal/app"
	"nightporter/simulator"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// Page sizes of the preset and of databases.
const (
	scaleListPage  = 100
	scaleTablePage = 500
)

// Two populated systems meet for the first time. People are told by their phones,
// however these are spelt; each side gets what it lacks, once; and then there is
// nothing to do.
func TestScaleFirstMeeting(t *testing.T) {
	size := scaleSize{people: 1000, stays: 500}
	if os.Getenv("NIGHTPORTER_FULL") != "" {
		size = scaleSize{people: 10_000, stays: 5_000}
	}
	h := newScaleHotel(t, size)
	only := int64(size.people - size.shared())

	h.sim.ResetCounts()
	began := time.Now()
	first := h.sync()
	h.scaleTold("first sync", first, time.Since(began))
	for name, want := range map[string]int64{
		"linked": int64(size.shared()), "left.created": only, "right.created": only,
		"left.updated": 0, "right.updated": 0, "held": 0, "left_out": 0, "conflicts": 0, "unproven": 0,
	} {
		if got := total(first, "guests", name); got != want {
			t.Errorf("guests %s: got %d, want %d", name, got, want)
		}
	}
	for name, want := range map[string]int64{
		"linked": 0, "left.created": int64(size.stays), "right.created": int64(size.stays), "left.updated": 0, "right.updated": 0,
	} {
		if got := total(first, "reservations", name); got != want {
			t.Errorf("reservations %s: got %d, want %d", name, got, want)
		}
	}
	if got := h.sim.Len("contacts"); got != size.all() {
		t.Errorf("contacts: got %d, want %d", got, size.all())
	}
	h.scaleAsked(first)

	a := h.open()
	people := h.scalePeople(a)
	h.scaleStays(a, people)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}

	before := h.print()
	h.sim.ResetCounts()
	began = time.Now()
	second := h.sync()
	h.scaleTold("second sync", second, time.Since(began))
	if l, r := writes(second); l+r > 0 || h.sim.Counts().Mutating > 0 {
		t.Errorf("the second sync wrote %d and %d, by %d requests, want none", l, r, h.sim.Counts().Mutating)
	}
	if after := h.print(); after != before {
		t.Errorf("the second sync left the PMS at %s, want %s", after, before)
	}
	h.scaleListed(second)
}

// scaleTold logs what a sync took.
func (h *scaleHotel) scaleTold(name string, reports []engine.Report, d time.Duration) {
	h.t.Helper()
	c := h.sim.Counts()
	left, right := writes(reports)
	h.t.Logf("%s: %v, %d changes on the platform, %d in the PMS, %d requests to the platform: %v", name, d.Round(time.Millisecond), left, right, c.Total, c.Routes)
	if left+right > 0 {
		h.t.Logf("%s: %.0f µs a change, %.3f requests a change on the platform", name,
			float64(d.Microseconds())/float64(left+right), float64(c.Total)/float64(left))
	}
	for _, r := range reports {
		h.t.Logf("  %s: %s %v", r.Binding, r.Outcome, r.Counts)
	}
}

// scaleAsked checks what the first sync asked of the platform: a create is one
// request and at most one look-up, the lists are read at most three times.
func (h *scaleHotel) scaleAsked(reports []engine.Report) {
	h.t.Helper()
	c := h.sim.Counts()
	for job, kind := range map[record.Binding]string{"guests": "contacts", "reservations": "reservations"} {
		made := int(total(reports, job, "left.created"))
		if got := c.Routes["POST /"+kind]; got != made {
			h.t.Errorf("POST /%s: got %d, want one for each of %d creates", kind, got, made)
		}
		finds := int(total(reports, job, "left.finds"))
		if finds > made+1 {
			h.t.Errorf("look-ups of %s: got %d, want one a create at most", kind, finds)
		}
		lists := c.Routes["GET /"+kind] - finds
		if most := 3*pages(h.sim.Len(kind), scaleListPage) + 6; lists > most {
			h.t.Errorf("lists of %s: got %d, want %d at most", kind, lists, most)
		}
	}
	if got := c.Mutating; got != c.Routes["POST /contacts"]+c.Routes["POST /reservations"] {
		h.t.Errorf("writes: got %d, want creates alone: %v", got, c.Routes)
	}
}

// scaleListed checks what a sync that finds nothing asks for.
func (h *scaleHotel) scaleListed(reports []engine.Report) {
	h.t.Helper()
	c := h.sim.Counts()
	for job, kind := range map[record.Binding]string{"guests": "contacts", "reservations": "reservations"} {
		n := h.sim.Len(kind)
		if got, most := c.Routes["GET /"+kind], pages(n, scaleListPage)+2; got > most || got == 0 {
			h.t.Errorf("lists of %s: got %d, want 1 to %d", kind, got, most)
		}
		if got, most := int(total(reports, job, "right.pages")), pages(n, scaleTablePage)+2; got > most || got == 0 {
			h.t.Errorf("pages of the PMS for %s: got %d, want 1 to %d", job, got, most)
		}
	}
	if got := c.Total - c.Routes["GET /contacts"] - c.Routes["GET /reservations"]; got > 0 {
		h.t.Errorf("other requests: got %d, want none: %v", got, c.Routes)
	}
}

func pages(n, size int) int { return int(math.Ceil(float64(n) / float64(size))) }

// scaleGuestRow is a guest as the PMS has him.
type scaleGuestRow struct{ code, phone, mark, name string }

// scalePeople checks every link of contacts against the seed, and gives the guest
// that the PMS has for each person.
func (h *scaleHotel) scalePeople(a *app.App) map[int]string {
	h.t.Helper()
	rows := h.guestRows()
	if len(rows) != h.size.all() {
		h.t.Errorf("guests: got %d, want %d", len(rows), h.size.all())
	}
	byPhone := map[string]int{}
	for n := range h.size.all() {
		byPhone[scaleGuest(n).phone] = n
	}
	people, wrong := map[int]string{}, 0
	for _, c := range h.sim.All("contacts") {
		id, _ := c["id"].(string)
		phone, _ := c["phone_number"].(string)
		n, known := byPhone[phone]
		_, twice := people[n]
		ref := h.otherSide(a, "guests", record.Left, record.Ref{Kind: "contacts", ID: id})
		g := rows[ref.ID]
		p := scaleGuest(n)
		made := n >= h.size.shared() && n < h.size.people // in the PMS, by us
		ok := known && !twice && ref.ID != "" && g.name == p.given+" "+p.family && c["first_name"] == p.given
		switch {
		case made:
			ok = ok && g.code == "" && g.phone == p.phone && g.mark != ""
		default:
			ok = ok && g.code == strconv.Itoa(n) && g.phone == p.spelt && g.mark == ""
		}
		if seeded, is := h.contacts[n]; is {
			ok = ok && seeded == id
		}
		if !ok {
			if wrong++; wrong <= 5 {
				h.t.Errorf("contact %v of person %d is linked to guest %s: %+v", c, n, ref.ID, g)
			}
		}
		people[n] = ref.ID
	}
	if wrong > 0 || len(people) != h.size.all() {
		h.t.Errorf("links: %d wrong, %d people, want %d", wrong, len(people), h.size.all())
	}
	return people
}

func (h *scaleHotel) guestRows() map[string]scaleGuestRow {
	h.t.Helper()
	out := map[string]scaleGuestRow{}
	rows, err := h.pg.QueryContext(h.t.Context(), `SELECT id, coalesce(code, ''), phone, coalesce(external_ref, ''), first_name || ' ' || last_name FROM pms.guests`)
	if err != nil {
		h.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var g scaleGuestRow
		if err := rows.Scan(&id, &g.code, &g.phone, &g.mark, &g.name); err != nil {
			h.t.Fatal(err)
		}
		out[id] = g
	}
	if err := rows.Err(); err != nil {
		h.t.Fatal(err)
	}
	return out
}

// otherSide is the record that one is linked to, nothing if it is not.
func (h *scaleHotel) otherSide(a *app.App, b record.Binding, side record.Side, ref record.Ref) record.Ref {
	h.t.Helper()
	pair, ok, err := a.Store.PairOf(h.t.Context(), record.Place{Binding: b, Side: side}, ref)
	if err != nil {
		h.t.Fatal(err)
	}
	if !ok {
		return record.Ref{}
	}
	return pair.Sides[side.Other()].Ref
}

// scaleStays checks that every reservation of either side names its guest, and its
// days, on both.
func (h *scaleHotel) scaleStays(a *app.App, people map[int]string) {
	h.t.Helper()
	type stay struct{ number, guest, first, last, status string }
	stays := map[string]stay{}
	rows, err := h.pg.QueryContext(h.t.Context(), `SELECT id, coalesce(number, ''), guest_id, arrival::text, departure::text, status FROM pms.reservations`)
	if err != nil {
		h.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var s stay
		if err := rows.Scan(&id, &s.number, &s.guest, &s.first, &s.last, &s.status); err != nil {
			h.t.Fatal(err)
		}
		stays[id] = s
	}
	if err := rows.Err(); err != nil {
		h.t.Fatal(err)
	}
	if len(stays) != 2*h.size.stays || h.sim.Len("reservations") != 2*h.size.stays {
		h.t.Errorf("reservations: got %d on the platform and %d in the PMS, want %d", h.sim.Len("reservations"), len(stays), 2*h.size.stays)
	}
	wrong, seen := 0, map[string]bool{}
	for _, r := range h.sim.All("reservations") {
		id, _ := r["id"].(string)
		ref := h.otherSide(a, "reservations", record.Left, record.Ref{Kind: "reservations", ID: id})
		s := stays[ref.ID]
		n, ours := h.booked[id] // booked on the platform
		want := "option"
		if !ours {
			want = "confirmed"
			var err error
			if n, err = strconv.Atoi(s.number); err != nil {
				n = -1
			}
		}
		p := scaleGuest(max(n, 0))
		ok := n >= 0 && !seen[ref.ID] && ours == (s.number == "") && s.guest == people[n] && s.status == want &&
			r["client_phone_number"] == p.phone && r["client_full_name"] == p.given+" "+p.family &&
			r["starting_date"] == s.first && r["ending_date"] == s.last
		if !ok {
			if wrong++; wrong <= 5 {
				h.t.Errorf("reservation %v of person %d is linked to stay %s: %+v, want guest %s", r, n, ref.ID, s, people[n])
			}
		}
		seen[ref.ID] = true
	}
	if wrong > 0 {
		h.t.Errorf("%d of %d reservations are wrong", wrong, h.sim.Len("reservations"))
	}
}

// What a change costs: a create one request, an update two where the system knows
// no versions and one where it does, a status that has a request of its own two. The
// first of each kind is a trial: a create is read once after it, the others before and after.
func TestScaleRequestsAChange(t *testing.T) {
	const versions = `
    override:
      kinds:
        contacts: {version: {etag: true}, update: {if_match: true}}
        reservations: {version: {etag: true}, update: {if_match: true}}`
	const actions = `
    override:
      kinds:
        reservations:
          status:
            field: status
            requests: {PENDING: %s, CONFIRMED: %s, CANCELLED: %s, REJECTED: %s, COMPLETED: %s}`
	act := func(word string) string {
		return fmt.Sprintf("{method: PATCH, path: \"/reservations/{id}/status\", body: {status: %s}, item: data}", word)
	}
	for name, tt := range map[string]struct {
		options  simulator.Options
		override string
		update   int // requests of an update of a contact
		status   int // requests of a change of a status
	}{
		"plain":      {simulator.Options{}, "", 2, 2},
		"versions":   {simulator.Options{Versions: true}, versions, 1, 1},
		"own action": {simulator.Options{StatusAction: true}, fmt.Sprintf(actions, act("PENDING"), act("CONFIRMED"), act("CANCELLED"), act("REJECTED"), act("COMPLETED")), 2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, tt.options)
			if tt.override != "" {
				h.edit("    key: file:", tt.override[1:]+"\n    key: file:")
			}
			const n = 7
			var guests, stays []int64
			for i := range n {
				g := h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('Anna', 'Rossi', ?, 'IT')`, fmt.Sprintf("055 000000%d", i))
				guests = append(guests, g)
				stays = append(stays, h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (?, ?, ?)`, g, day(3+i), day(5+i)))
			}
			h.scaleCosts("create", h.sync, map[string]int{
				"POST /contacts": n, "POST /reservations": n, "GET /contacts/{id}": 1, "GET /reservations/{id}": 1,
			}, n+1)
			h.quiet()

			for _, g := range guests {
				h.exec(`UPDATE guests SET last_name = 'Bianchi' WHERE id = ?`, g)
			}
			want := map[string]int{"PUT /contacts/{id}": n, "GET /contacts/{id}": 2}
			if tt.update == 2 {
				want["GET /contacts/{id}"] += n
			}
			// A reservation names its guest by his name as it was: nothing else moves.
			h.scaleCosts("update", h.sync, want, 0)
			h.quiet()

			for _, s := range stays {
				h.exec(`UPDATE reservations SET status = 'cancelled' WHERE id = ?`, s)
			}
			want = map[string]int{"PUT /reservations/{id}": n}
			if tt.options.StatusAction {
				want = map[string]int{"PATCH /reservations/{id}/status": n}
			}
			want["GET /reservations/{id}"] = 2
			if tt.status == 2 {
				want["GET /reservations/{id}"] += n
			}
			h.scaleCosts("status", h.sync, want, 0)
			h.quiet()
			for _, r := range h.sim.All("reservations") {
				if r["status"] != "CANCELLED" {
					t.Errorf("status: got %v, want CANCELLED", r["status"])
				}
			}
		})
	}
}

// scaleCosts runs a sync and checks which requests it made beside its lists: those
// named, up to so many look-ups, and the few that make sure that the account is the
// one we know.
func (h *house) scaleCosts(what string, sync func() []engine.Report, want map[string]int, finds int) {
	h.t.Helper()
	h.sim.ResetCounts()
	reports := sync()
	got := h.sim.Counts().Routes
	for _, job := range []record.Binding{"guests", "reservations"} {
		kind := map[record.Binding]string{"guests": "contacts", "reservations": "reservations"}[job]
		got["GET /"+kind+"/{id}"] -= int(total(reports, job, "left.canaries"))
		got["GET /"+kind] -= int(total(reports, job, "left.pages"))
		if n := int(total(reports, job, "left.canaries")); n > 3 {
			h.t.Errorf("%s: %d canaries of %s, want 3 at most", what, n, kind)
		}
		if n := got["GET /"+kind]; n > finds {
			h.t.Errorf("%s: %d look-ups of %s, want %d at most", what, n, kind, finds)
		}
		delete(got, "GET /"+kind)
	}
	for route, n := range got {
		if n != want[route] {
			h.t.Errorf("%s: %s: got %d requests, want %d", what, route, n, want[route])
		}
	}
	for route, n := range want {
		if got[route] != n {
			h.t.Errorf("%s: %s: got %d requests, want %d", what, route, got[route], n)
		}
	}
	h.t.Logf("%s: %v", what, got)
}
