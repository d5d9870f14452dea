package statetest

import (
	"testing"
	"time"

	"nightporter/state"
	"nightporter/sync/record"
)

func register(_ *testing.T, h *House) {
	h.ok(h.Store.Register(h.Ctx, guests, systems, kinds, nil))
	err := h.Store.Register(h.Ctx, guests, [2]record.System{"pms", "crm"}, kinds, nil)
	h.refused(err, state.ErrRebound)
	h.ok(h.Store.Register(h.Ctx, "stays", systems, [2]record.Kind{"stays", "reservations"}, func() string { return "other" }))
	install, err := h.Store.Install(h.Ctx)
	h.ok(err)
	is(h, "install", install, "abcdefgh")
}

func lease(_ *testing.T, h *House) {
	old := h.Lease
	h.tick()
	h.begin()
	if h.Lease.Epoch <= old.Epoch {
		h.T.Fatalf("got epoch %d after %d, want a higher one", h.Lease.Epoch, old.Epoch)
	}
	runs, err := h.Store.Runs(h.Ctx, guests, 10)
	h.ok(err)
	is(h, "runs", len(runs), 2)
	is(h, "outcome of the run left behind", runs[1].Outcome, record.Broken)
	is(h, "its end", runs[1].Ended, h.Now)
	is(h, "outcome of the new one", runs[0].Outcome, record.Running)
	_, err = h.Store.Begin(h.Ctx, "nobody", false, h.Now)
	h.refused(err, state.ErrUnknown)
}

// fenced calls every method that takes a lease with one that was taken over.
func fenced(_ *testing.T, h *House) {
	link := h.linked(text("name", "Ada"))
	scan := h.full(left)
	i := h.intent(link, text("name", "Ada"), text("name", "Eve"))
	h.open(i)
	num := h.entry(left, "l1").Num
	old := h.Lease
	h.begin()
	ctx, s, now := h.Ctx, h.Store, h.Now
	spec := record.ScanSpec{Full: true, Mapping: mapping}
	join := func() error { _, err := s.Join(ctx, old, 1, 2, "e", now); return err }
	settle := func() error { _, err := s.SettleIntent(ctx, old, h.receipt(i, 0)); return err }
	begin := func() error { _, err := s.BeginScan(ctx, old, left, spec, now, time.Hour); return err }
	page := func() error { _, err := s.SeePage(ctx, old, left, record.PageSeen{Scan: scan.ID}); return err }
	end := func() error { _, err := s.EndScan(ctx, old, scan.ID, record.Certificate{}); return err }
	for name, err := range map[string]error{
		"End":           s.End(ctx, old, record.Done, "", nil, now),
		"Alert":         s.Alert(ctx, old, record.Alert{At: now}),
		"BeginScan":     begin(),
		"SeePage":       page(),
		"EndScan":       end(),
		"See":           s.See(ctx, old, left, mapping, []record.Seen{h.item(left, "l2", nil)}),
		"Judge":         s.Judge(ctx, old, num, record.Gone, "", now, now),
		"Join":          join(),
		"Adopt":         s.Adopt(ctx, old, link, [2]record.Fields{}, now),
		"Park":          s.Park(ctx, old, num, record.Held, "", ""),
		"WaitFor":       s.WaitFor(ctx, old, num, nil, "", now),
		"Touch":         s.Touch(ctx, old, []int64{num}),
		"TouchAll":      s.TouchAll(ctx, old),
		"OpenConflicts": s.Ask(ctx, old, link, 0, nil, now),
		"OpenIntent":    s.OpenIntent(ctx, old, h.intent(link, nil, nil)),
		"SendIntent":    s.SendIntent(ctx, old, i.ID, now),
		"SettleIntent":  settle(),
		"FailIntent":    s.FailIntent(ctx, old, i.ID, record.Rejected, "", "", now),
		"no lease":      s.TouchAll(ctx, record.Lease{Binding: guests}),
		"no binding":    s.TouchAll(ctx, record.Lease{Binding: "nobody", Epoch: 1}),
	} {
		if err == nil {
			h.T.Fatalf("%s under an old lease: got no error", name)
		}
		h.refused(err, state.ErrFenced)
	}
	_, err := h.Store.SettleIntent(h.Ctx, h.Lease, h.receipt(i, 0))
	h.ok(err)
}

func runs(_ *testing.T, h *House) {
	h.ok(h.Store.Alert(h.Ctx, h.Lease, record.Alert{Kind: "booking_refused", Text: "stay 7", At: h.Now}))
	h.tick()
	h.ok(h.Store.Alert(h.Ctx, h.Lease, record.Alert{Kind: "booking_waiting", Text: "stay 8", At: h.Now}))
	h.ok(h.Store.End(h.Ctx, h.Lease, record.Waits, "", record.Counts{"held": 2}, h.Now))
	got, err := h.Store.Runs(h.Ctx, "", 1)
	h.ok(err)
	is(h, "outcome", got[0].Outcome, record.Waits)
	is(h, "held", got[0].Counts["held"], 2)
	is(h, "ended", got[0].Ended, h.Now)
	h.refused(h.Store.End(h.Ctx, h.Lease, record.Done, "", nil, h.Now), state.ErrUnknown)
	all, err := h.Store.Alerts(h.Ctx, time.Time{}, 10)
	h.ok(err)
	is(h, "alerts", len(all), 2)
	is(h, "newest", all[0].Kind, "booking_waiting")
	is(h, "its run", all[0].Run, h.Lease.Run)
	late, err := h.Store.Alerts(h.Ctx, h.Now, 10)
	h.ok(err)
	is(h, "alerts since now", len(late), 1)
}
