package statetest

import (
	"testing"

	"nightporter/sync/record"
)

// haltsBeside: a job is told of the open halts of other jobs of the same system, until it was told the same itself and a
// person has answered.
func haltsBeside(_ *testing.T, h *House) {
	const cause = record.Cause("rolled_back")
	mine, other := h.Lease, record.Binding("stays")
	systems := [2]record.System{"platform", "pms"}
	h.ok(h.Store.Register(h.Ctx, other, systems, [2]record.Kind{"bookings", "stays"}, nil))
	theirs, err := h.Store.Begin(h.Ctx, other, false, h.Now)
	h.ok(err)
	told := func(what string, system record.System, want int) {
		h.T.Helper()
		halts, err := h.Store.HaltsBeside(h.Ctx, right, system, cause)
		h.ok(err)
		is(h, what, len(halts), want)
	}
	told("nothing stands", "pms", 0)
	h.ok(h.Store.Stand(h.Ctx, theirs, nil, []record.Question{{Subject: record.Subject{Side: record.Right}, Cause: cause, Rests: record.RestsOn("1")}}, h.Now))
	told("the same system", "pms", 1)
	told("another system", "platform", 0)
	h.tick()
	h.ok(h.Store.Stand(h.Ctx, mine, nil, []record.Question{{Subject: record.Subject{Side: record.Right}, Cause: cause, Rests: record.RestsOn("2")}}, h.Now))
	h.tick()
	h.ok(h.Store.Stand(h.Ctx, mine, []record.Cause{cause}, nil, h.Now))
	told("it stood still itself", "pms", 0)
	h.tick()
	_, err = h.Store.AnswerHalts(h.Ctx, other, record.Accepted, "ada")
	h.ok(err)
	h.ok(h.Store.Stand(h.Ctx, theirs, []record.Cause{cause}, nil, h.Now))
	h.ok(h.Store.Stand(h.Ctx, theirs, nil, []record.Question{{Subject: record.Subject{Side: record.Right}, Cause: cause, Rests: record.RestsOn("3")}}, h.Now))
	told("once more, later", "pms", 1)
	_, err = h.Store.AnswerHalts(h.Ctx, other, record.Accepted, "ada")
	h.ok(err)
	told("answered", "pms", 0)
}
