package statetest

import (
	"testing"

	"nightporter/sync/record"
)

// haltsBeside: a job is told of the open halts of other jobs of the same system, until it was told the same itself and a
// person has answered.
func haltsBeside(_ *testing.T, h *House) {
	const name = "rolled_back"
	mine, other := h.Lease, record.Binding("stays")
	systems := [2]record.System{"platform", "pms"}
	h.ok(h.Store.Register(h.Ctx, other, systems, [2]record.Kind{"bookings", "stays"}, nil))
	theirs, err := h.Store.Begin(h.Ctx, other, false, h.Now)
	h.ok(err)
	told := func(what string, system record.System, want int) {
		h.T.Helper()
		halts, err := h.Store.HaltsBeside(h.Ctx, right, system, name)
		h.ok(err)
		is(h, what, len(halts), want)
	}
	told("nothing stands", "pms", 0)
	h.ok(h.Store.Halt(h.Ctx, theirs, nil, []record.Halt{{Side: record.Right, Name: name, Detail: "1"}}, h.Now))
	told("the same system", "pms", 1)
	told("another system", "platform", 0)
	h.tick()
	h.ok(h.Store.Halt(h.Ctx, mine, nil, []record.Halt{{Side: record.Right, Name: name, Detail: "2"}}, h.Now))
	h.tick()
	h.ok(h.Store.Halt(h.Ctx, mine, []string{name}, nil, h.Now))
	told("it stood still itself", "pms", 0)
	h.tick()
	_, err = h.Store.AnswerHalts(h.Ctx, other, record.Accepted, "ada")
	h.ok(err)
	h.ok(h.Store.Halt(h.Ctx, theirs, []string{name}, nil, h.Now))
	h.ok(h.Store.Halt(h.Ctx, theirs, nil, []record.Halt{{Side: record.Right, Name: name, Detail: "3"}}, h.Now))
	told("once more, later", "pms", 1)
	_, err = h.Store.AnswerHalts(h.Ctx, other, record.Accepted, "ada")
	h.ok(err)
	told("answered", "pms", 0)
}
