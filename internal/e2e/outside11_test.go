package e2e

import (
	"strings"
	"testing"

	"nightporter/simulator"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// verified compares both sides of a job.
func (h *house) verified(b record.Binding) *engine.Verified {
	h.t.Helper()
	a := h.open()
	defer a.Close()
	rep, err := a.Engine.Run(h.t.Context(), b, engine.Options{Dry: true, Full: true, Verify: true})
	if err != nil || rep.Verified == nil {
		h.t.Fatalf("verify %s: %v %+v", b, err, rep.Halts)
	}
	return rep.Verified
}

// Without a condition a booking arrives as pending. That the desk has not answered it yet is
// what the rules say, and nothing that nobody can explain.
func TestOutside11VerifyKnowsWhatArrivedAsPending(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	aContact(h)
	aBooking(h)
	h.sync()
	h.sync()
	v := h.verified("reservations")
	if v.Links != 1 || v.Causes[plan.Unexplained] > 0 || v.Causes[plan.ByRule] != 1 || len(v.Differs) != 1 ||
		!strings.Contains(v.Differs[0].Why, "arrived in pms as pending") {
		t.Errorf("got %+v", v)
	}
	h.exec(`UPDATE reservations SET status = 'confirmed'`)
	h.sync()
	if v := h.verified("reservations"); v.Same != 1 || len(v.Causes) > 0 {
		t.Errorf("once the desk confirmed it: got %+v", v)
	}
}

// A guest's new phone does not reach the copies in their bookings, and verify says so.
func TestOutside11VerifyShowsACopyOfAnOldPhone(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	aContact(h)
	aBooking(h)
	h.sync()
	h.exec(`UPDATE reservations SET status = 'confirmed'`)
	h.sync()
	if v := h.verified("reservations"); v.Same != 1 || len(v.Differs) > 0 {
		t.Fatalf("in step: got %+v", v)
	}
	h.exec(`UPDATE guests SET phone = '055 0000009'`)
	h.sync()
	h.sync()
	v := h.verified("reservations")
	if v.Same != 0 || v.Causes[plan.OldCopy] != 1 || len(v.Differs) != 1 || v.Differs[0].Field != "guest.phone" ||
		v.Differs[0].Left.Text() != "+390550000001" || v.Differs[0].Right.Text() != "+390550000009" {
		t.Errorf("got %+v", v)
	}
}
