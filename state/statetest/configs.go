package statetest

import (
	"testing"

	"nightporter/sync/record"
)

// configs: one is kept once, one that comes back is one more, and a run names its own.
func configs(_ *testing.T, h *House) {
	note := func(text string) {
		h.T.Helper()
		h.tick()
		h.ok(h.Store.NoteConfig(h.Ctx, record.ConfigVersion{Who: "ada: nightporter sync", File: "/etc/np.yaml", Text: text}, h.Now))
	}
	ran := func(want int64) {
		h.T.Helper()
		h.begin()
		runs, err := h.Store.Runs(h.Ctx, guests, 1)
		h.ok(err)
		is(h, "configuration of a run", runs[0].Config, want)
	}
	ran(0)
	note("a: 1\n")
	first := h.Now
	ran(1)
	note("a: 1\n")
	ran(1)
	note("a: 2\n")
	ran(2)
	note("a: 1\n")
	ran(3)
	all, err := h.Store.Configs(h.Ctx)
	h.ok(err)
	is(h, "configurations", len(all), 3)
	is(h, "first", all[0].At, first)
	is(h, "who", all[0].Who, "ada: nightporter sync")
	is(h, "file", all[0].File, "/etc/np.yaml")
	is(h, "text", all[1].Text, "a: 2\n")
	is(h, "the same again", all[2].Digest, all[0].Digest)
}
