package engine_test

import (
	"testing"
	"testing/synctest"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A value that a system refuses keeps no other from being written, is asked for no
// more than twice, and is asked for again when it changes.
func TestOneBadValueHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Fields: map[string]connectors.Field{"their_name": {MaxRunes: 10}}}}})
		defer w.close()
		for _, side := range record.Sides {
			w.put(side, 1, map[string]string{"name": "Ada", "mail": "ada@example.com"})
		}
		w.rest()
		w.edit(record.Left, 1, "name", "Ada who has far too long a name")
		w.edit(record.Left, 1, "mail", "ada.new@example.com")
		w.rest()
		if got, want := w.value(record.Right, 1, "mail"), "ada.new@example.com"; got != want {
			t.Errorf("mail is %q, want %q: the name's refusal held it up", got, want)
		}
		if got, want := w.value(record.Right, 1, "name"), "Ada"; got != want {
			t.Errorf("name is %q, want %q", got, want)
		}
		before := w.sys[record.Right].Counts().Mutations
		w.rest()
		if n := w.sys[record.Right].Counts().Mutations - before; n > 0 {
			t.Errorf("what was refused is sent %d times more", n)
		}
		w.edit(record.Left, 1, "mail", "ada.third@example.com")
		w.rest()
		if got, want := w.value(record.Right, 1, "mail"), "ada.third@example.com"; got != want {
			t.Errorf("mail is %q, want %q: it went together with a name that is known to be refused", got, want)
		}
		if n := w.sys[record.Right].Counts().Mutations - before; n != 1 {
			t.Errorf("a change beside a refused one took %d writes, want 1", n)
		}
		w.edit(record.Left, 1, "name", "Ada L.")
		rep := w.run(engine.Options{Yes: true})
		if got, want := w.value(record.Right, 1, "name"), "Ada L."; got != want {
			t.Errorf("name is %q, want %q: counts %v", got, want, rep.Counts)
		}
	})
}
