package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"nightporter/simulator"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// Killed at whatever step of an order's way, it is there once and ends as it should:
// made, refused with a reason, paid.
func TestOrdersKilledAnywhere(t *testing.T) {
	t.Parallel()
	h := newOrdersHouse(t, simulator.Options{})
	h.dir = ramDir(t)
	kills := 0
	for stage := range 3 {
		for k, died := 1, true; died; k += 3 {
			for _, o := range h.sim.All("orders") {
				h.sim.Remove("orders", o["id"].(string))
			}
			h.do(`TRUNCATE shop.orders`)
			h.lives++ // with a state of its own
			h.enter("A1")
			h.enter("A2")
			if stage > 0 {
				h.sync()
				h.do(`UPDATE shop.orders SET status = 'refused', reason = 'sold out' WHERE number = 'A2'`)
			}
			if stage > 1 {
				h.sync()
				h.tell("A1", map[string]any{"payment_status": "paid", "payment_reference": "pi_1"})
				h.do(`UPDATE shop.orders SET status = 'ready' WHERE number = 'A1'`)
			}
			if died = h.die(k); died {
				kills++
			}
			for range 2 {
				h.sync()
			}
			h.hold(fmt.Sprintf("stage %d killed at step %d", stage, k), [][]string{
				{"A1: confirmed unpaid | confirmed unpaid", "A2: confirmed unpaid | confirmed unpaid"},
				{"A1: confirmed unpaid | confirmed unpaid", "A2: refused sold out unpaid | refused sold out unpaid"},
				{"A1: ready paid pi_1 | ready paid", "A2: refused sold out unpaid | refused sold out unpaid"},
			}[stage]...)
			if t.Failed() {
				return
			}
		}
	}
	if kills < 20 {
		t.Errorf("%d kills: is the run doing anything?", kills)
	}
}

// An order whose answer is lost, applied or not, is made once, whether the platform would
// refuse a second one or not.
func TestOrdersAreMadeOnce(t *testing.T) {
	for _, unique := range []bool{false, true} {
		for _, applied := range []bool{false, true} {
			t.Run(fmt.Sprintf("unique %t, applied %t", unique, applied), func(t *testing.T) {
				t.Parallel()
				traits, _ := simulator.TraitsOf(simulator.DialectPlatform)
				traits.OrderNumbers = unique
				h := newOrdersHouse(t, simulator.Options{Traits: &traits})
				if unique {
					h.edit("  shop:\n    type", "    override: { kinds: { orders: { unique: [[external_reference]] } } }\n  shop:\n    type")
				}
				h.enter("A1")
				h.enter("A2")
				h.sim.AddFault(simulator.Fault{Kind: simulator.FaultStatus, Method: "POST", Path: "/orders", Status: 502, Times: 1, Applied: applied})
				if _, err := h.trySync(engine.Options{Yes: true}); err != nil {
					t.Errorf("the first run: %v", err)
				}
				for range 2 {
					h.sync()
				}
				h.hold("after a lost answer", "A1: confirmed unpaid | confirmed unpaid", "A2: confirmed unpaid | confirmed unpaid")
				h.quiet()
			})
		}
	}
}

// A webhook names an order, and it is read at once: nothing of its body is believed.
func TestOrdersByAHint(t *testing.T) {
	t.Parallel()
	h := newOrdersHouse(t, simulator.Options{})
	h.enter("A1")
	h.sync()
	h.tell("A1", map[string]any{"payment_status": "paid", "payment_reference": "pi_1"})
	a := h.open()
	_, err := a.Engine.Run(t.Context(), "orders", engine.Options{Only: []record.Ref{{Kind: "orders", ID: "o000001"}}, Yes: true})
	a.Close()
	if err != nil {
		t.Fatal(err)
	}
	h.hold("told", "A1: confirmed paid pi_1 | confirmed paid")
}

// The service is told of a payment by the platform's own order.paid: the shop has it, long
// before a list is read again.
func TestOrderPaidThroughTheReceiver(t *testing.T) {
	h := newOrdersHouse(t, simulator.Options{})
	h.enter("A1")
	h.sync()
	url := h.listens()
	h.edit("when: { shop:", "when: { webhook: platform, shop:")
	h.sim.SetHook(&simulator.Hook{URL: url, Secret: hookSecret})
	s := h.serve()
	h.tell("A1", map[string]any{"payment_status": "paid", "payment_reference": "pi_1"})
	sent, err := h.sim.Deliver(t.Context())
	if err != nil || !slices.Equal(sent, []int{http.StatusAccepted}) {
		t.Fatalf("order.paid was answered %v, %v", sent, err)
	}
	const paid = "A1: confirmed paid pi_1 | confirmed paid"
	h.await(10*time.Second, "the shop has the payment", func() bool { return h.orders() == paid })
	h.await(10*time.Second, "all hints are heeded", h.heeded)
	s.stop()
	h.hold("paid", paid)
}
