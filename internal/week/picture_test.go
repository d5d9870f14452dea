package week

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nightporter/internal/app"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
)

// picture is all that both sides hold in the end, a line a record, without the ids and
// times that a retry may deal out differently.
func (w *world) picture() string {
	var lines []string
	say := func(what string, values ...any) {
		for i, v := range values {
			if values[i] = v; v == nil || v == "" {
				values[i] = "-"
			}
		}
		lines = append(lines, what+": "+strings.TrimSuffix(fmt.Sprintln(values...), "\n"))
	}
	for _, r := range w.sim.All("contacts") {
		say("platform, contact", r["phone_number"], r["first_name"], r["last_name"], r["email"], r["language"])
	}
	for _, r := range w.sim.All("reservations") {
		say("platform, reservation", r["client_phone_number"], r["client_full_name"], r["starting_date"], r["ending_date"], r["status"], r["details"])
	}
	for _, r := range w.sim.All("calls") {
		say("platform, call", r["phone_number"], r["call_status"], r["is_outbound"])
	}
	for _, r := range w.sim.All("orders") {
		say("platform, order", r["external_reference"], r["contact_name"], r["contact_phone"], r["total"], r["items"], r["status"], r["status_reason"], r["payment_status"])
	}
	for _, r := range w.sim.All("documents") {
		say("platform, document", r["title"], fmt.Sprintf("%.12s", r["checksum"]), r["status"], r["active"])
	}
	for _, p := range w.sim.Placed() {
		say("platform, placed", p.To, "for request", p.Context["request"])
	}
	for what, query := range map[string]string{
		"PMS, guest":       `SELECT concat_ws(' ', phone, title, first_name, last_name, email, language) FROM pms.guests`,
		"PMS, reservation": `SELECT concat_ws(' ', g.phone, arrival, departure, status, channel, r.notes) FROM pms.reservations r JOIN pms.guests g ON g.id = r.guest_id`,
		"PMS, call":        `SELECT concat_ws(' ', phone, call_status, is_outbound, transcript, summary) FROM voice.calls`,
		"PMS, request":     `SELECT concat_ws(' ', id, number, coalesce(outcome, '-'), call_id IS NOT NULL, seconds, summary) FROM pms.call_requests`,
		"PMS, order":       `SELECT concat_ws(' ', number, status, reason, payment, paid_at IS NOT NULL, payment_reference) FROM shop.orders`,
	} {
		for _, line := range w.column(query) {
			say(what, line)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

// placedOnce checks that each request has the call that was placed for it, and no other.
func (w *world) placedOnce() {
	w.t.Helper()
	placed := map[string][]string{}
	for _, p := range w.sim.Placed() {
		request := fmt.Sprint(p.Context["request"])
		placed[request] = append(placed[request], p.ID)
	}
	for _, line := range w.column(`SELECT id || ' ' || coalesce(call_id, '') FROM pms.call_requests ORDER BY id`) {
		request, call, _ := strings.Cut(line, " ")
		if got := strings.Join(placed[request], ", "); got != call {
			w.t.Errorf("request %s has the call %q, and placed were %q", request, call, got)
		}
	}
}

// atRest checks, with the program not running, that verify finds nothing to explain and
// that nobody is waited for.
func (w *world) atRest() {
	w.t.Helper()
	w.byHand(func(a *app.App) {
		ctx := context.Background()
		for _, b := range a.Order {
			rep, err := a.Engine.Run(ctx, b, engine.Options{Dry: true, Full: true, Verify: true})
			if err != nil || rep.Verified == nil {
				w.t.Errorf("verify %s: %v %v", b, err, rep.Halts)
				continue
			}
			for cause, n := range rep.Verified.Causes {
				if !slices.Contains(expected[string(b)], cause) {
					w.t.Errorf("verify %s: %d %s: %+v %+v", b, n, cause, rep.Verified.Differs, rep.Verified.Lone)
				}
			}
			open, err := a.Store.Questions(ctx, b, true)
			lost, err2 := a.Store.Lost(ctx, b)
			unsettled, err3 := a.Store.Unsettled(ctx, b)
			stages, err4 := a.Store.Stages(ctx, b, false)
			halts, err5 := a.Store.Halts(ctx, b)
			if err := cmp.Or(err, err2, err3, err4, err5); err != nil {
				w.t.Error(err)
			}
			if n := len(open) + len(lost) + len(unsettled) + len(stages) + len(halts); n > 0 {
				w.t.Errorf("%s waits for somebody: conflicts %+v, writes nobody knows of %+v %+v, held sets %+v, halts %+v", b, open, lost, unsettled, stages, halts)
			}
		}
	})
}

// expected are the causes for which something differs or is alone in the end: callers who
// never booked, whom the newsletter knows by another name, the booking that was refused,
// calls that the assistant received, who is never called, prices of before. Two bookings keep
// the name that their guest had.
var expected = map[string][]plan.Cause{
	"guests":       {plan.LeftOut},
	"newsletter":   {plan.ByRule, plan.LeftOut},
	"reservations": {plan.LeftOut, plan.RefusedOnce, plan.OldCopy},
	"outbound":     {plan.LeftOut, plan.Waits},
	"prices":       {plan.GoneCause, plan.ByRule},
}

// wantWrites are the writes of an undisturbed week: 11 contacts that only the hotel or the
// newsletter had, and three edits; ten reservations of the desk, of which seven were there
// before their guests were, and one checked out, one moved and one refused; four orders with
// their steps; three versions of the price list, of which two were put aside; seven calls;
// and the subscription.
const wantWrites = `    2 PATCH /documents/{id}
    5 PATCH /orders/{id}
    7 POST /calls
   11 POST /contacts
    3 POST /documents
    4 POST /orders
   10 POST /reservations
    1 POST other
    3 PUT /contacts/{id}
   10 PUT /reservations/{id}
`

// mostReads are the reads of the nine days and a half of which the runs explain so many at
// most. Lists: each job's by its cadence and by what it was told of, contacts by the
// newsletter too, calls by both jobs, and each time that a row waits to be called; a look at the subscription every three hours; a
// look-up before each create. By id: each change is read before it is written, each call
// until its texts are there, and three records of a side to know it by, before a run writes.
// The first update of a kind is a trial and reads its record three times more, the first create once.
var mostReads = map[string]int{
	"GET /webhooks": 80, "GET /contacts": 70, "GET /reservations": 115, "GET /calls": 235, "GET /orders": 95, "GET /documents": 20,
	"GET /contacts/{id}": 70, "GET /reservations/{id}": 100, "GET /orders/{id}": 41, "GET /documents/{id}": 20,
	"GET /calls/{id}": 230, "GET /calls/{id}/summary": 230, "GET /calls/{id}/transcript": 160,
}

// tooMany is the routes that were read more often than that.
func (w *world) tooMany() string {
	var b strings.Builder
	for route, n := range w.sim.Counts().Routes {
		if strings.HasPrefix(route, "GET ") && n > mostReads[route] {
			fmt.Fprintf(&b, "%s: %d times, want %d at most\n", route, n, mostReads[route])
		}
	}
	return b.String()
}

// writes is what changed the platform, a line a route.
func (w *world) writes() string {
	var b strings.Builder
	for _, line := range strings.SplitAfter(w.routes(), "\n") {
		if line != "" && !strings.Contains(line, " GET ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// differ is the lines that one text alone has.
func differ(want, got string) string {
	count := map[string]int{}
	for line := range strings.SplitSeq(want, "\n") {
		count[line]--
	}
	for line := range strings.SplitSeq(got, "\n") {
		count[line]++
	}
	var b strings.Builder
	for _, line := range slices.Sorted(maps.Keys(count)) {
		switch n := count[line]; {
		case n < 0:
			fmt.Fprintf(&b, "- %s (%d)\n", line, -n)
		case n > 0:
			fmt.Fprintf(&b, "+ %s (%d)\n", line, n)
		}
	}
	return b.String()
}

// routes is what the platform was asked, a line a route.
func (w *world) routes() string {
	c := w.sim.Counts()
	var b strings.Builder
	for _, route := range slices.Sorted(maps.Keys(c.Routes)) {
		fmt.Fprintf(&b, "%5d %s\n", c.Routes[route], route)
	}
	return b.String()
}
