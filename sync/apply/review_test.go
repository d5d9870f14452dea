package apply

import (
	"slices"
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// A system that refuses a stale version protects only what names one: without it,
// or by an action, the record is read first.
func TestOnlyANamedVersionSavesTheRead(t *testing.T) {
	versions := connectors.Kind{Get: true, Update: true, Conditional: true}
	for _, c := range []struct {
		name    string
		op      record.Op
		version record.Version
		reads   bool
	}{
		{"an update with a version", record.Update, "7", false},
		{"an update without one", record.Update, "", true},
		{"an action", record.Action, "7", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &diary{holds: record.Fields{"phone": record.OfText("somebody's")}}
			act := change()
			act.Change.Op, act.Change.Version = c.op, c.version
			out, err := applierOf(d, versions).Apply(t.Context(), act)
			if err != nil {
				t.Fatal(err)
			}
			if read := slices.Contains(d.log, "GET"); read != c.reads {
				t.Errorf("read before the write: got %t, want %t", read, c.reads)
			}
			if c.reads && (out.Result != Changed || slices.Contains(d.log, "REQUEST")) {
				t.Errorf("result %d after %v: a record that moved on was written over", out.Result, d.log)
			}
		})
	}
}
