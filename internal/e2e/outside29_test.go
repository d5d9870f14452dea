package e2e

import (
	"strings"
	"testing"
	"time"

	"nightporter/internal/app"
	"nightporter/simulator"
	"nightporter/sync/record"
	"nightporter/sync/story"
)

// draftsHouse has a platform that begins every order as a draft. The order's status is set
// by an update, or by a request of its own with a body.
func draftsHouse(t *testing.T, body string) *ordersHouse {
	t.Helper()
	h := newOrdersHouse(t, simulator.Options{})
	h.sim.AddFault(simulator.Fault{Kind: simulator.FaultIgnored, Method: "POST", Path: "/orders", Fields: []string{"status"}})
	if body != "" {
		h.edit("  shop:\n    type", "    override:\n      kinds: { orders: { status: { field: status, requests: "+
			"{ confirmed: { method: PATCH, path: \"/orders/{id}\", body: "+body+" } } } } }\n  shop:\n    type")
	}
	h.enter("A1")
	h.enter("A2")
	return h
}

// A platform that begins every order as a draft is told in the same run that it is
// confirmed.
func TestOutside29OrdersThatBeginAsADraft(t *testing.T) {
	for name, body := range map[string]string{"an update": "", "a request of its own": "{ status: confirmed }"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := draftsHouse(t, body)
			h.sync()
			h.hold("entered", "A1: confirmed unpaid | confirmed unpaid", "A2: confirmed unpaid | confirmed unpaid")
			h.quiet()
		})
	}
}

// Where not even the step is heeded it is not asked for at every run, and a person is asked
// what is to be: explain does not call the two in step.
func TestOutside29AnotherWordIsTold(t *testing.T) {
	t.Parallel()
	h := draftsHouse(t, "{ notes: x }")
	h.sync()
	h.quiet()
	h.hold("not heeded", "A1: confirmed unpaid | draft unpaid", "A2: confirmed unpaid | draft unpaid")
	a := h.open()
	defer a.Close()
	e, ok, err := a.Store.Entry(t.Context(), record.Place{Binding: "orders", Side: record.Left}, record.Ref{Kind: "orders", ID: h.sim.All("orders")[0]["id"].(string)})
	if err != nil || !ok {
		t.Fatalf("the order is known: %t, %v", ok, err)
	}
	f, err := app.FactsOf(t.Context(), a.Config, a.Store, e, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if got := story.Tell(f).Sentence; !strings.Contains(got, "about status: platform does not show what it was sent last: either that was not done, or somebody has changed it since") {
		t.Errorf("explain: %s", got)
	}
}
