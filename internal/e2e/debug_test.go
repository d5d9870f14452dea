package e2e

import (
	"nightporter/sync/engine"
)

// tell logs what runs did.
func (h *house) tell(reports []engine.Report) {
	for _, r := range reports {
		h.t.Logf("%s: %s %v", r.Binding, r.Outcome, r.Counts)
		for _, a := range r.Actions {
			h.t.Logf("  %s %s %s %v before %v: %s", a.Side, a.Change.Op, a.Change.Ref, a.Change.Fields, a.Change.Before, a.Reason)
		}
		for _, n := range r.Notes {
			h.t.Logf("  %s %s %s: %s", n.Side, n.Ref, n.State, n.Why)
		}
	}
}
