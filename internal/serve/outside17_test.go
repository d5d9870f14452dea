package serve

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/record"
)

// A configuration whose key can't be had is refused by a reload, and all goes on.
func TestOutside17ReloadWantsItsKeys(t *testing.T) {
	n := newInn(t, told{}, nil)
	defer n.stop()
	missing := filepath.Join(n.dir, "no-such.key")
	n.edit("key: file:", "key: file:"+missing+" # ")
	if err := n.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("got %v, want it refused, with the name of the file", err)
	}
	n.edit("key: file:"+missing+" # ", "key: file:")
	n.reload()
}

// What another process hints at and asks to be looked at is taken up at once, and not when
// the job is due.
func TestOutside17WhatIsDecidedBesideIsTakenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newInn(t, told{}, nil)
		defer n.stop()
		id := n.contact(1)
		h := record.Hint{Place: record.Place{Binding: "guests", Side: record.Left}, Ref: record.Ref{Kind: "contacts", ID: id}, At: time.Now()}
		if _, err := n.store.Hint(t.Context(), []record.Hint{h}); err != nil {
			t.Fatal(err)
		}
		before := n.runsOf("guests")
		if err := Wake(t.Context(), n.store, "guests", "ada", time.Now()); err != nil {
			t.Fatal(err)
		}
		n.pass(2 * time.Second)
		if after := n.runsOf("guests"); after == before {
			t.Error("no run has looked at it within two seconds")
		}
	})
}

// runsOf is the number of the last run of a job.
func (n *inn) runsOf(b record.Binding) int64 {
	n.t.Helper()
	runs, err := n.store.Runs(n.t.Context(), b, 1)
	if err != nil {
		n.t.Fatal(err)
	}
	if len(runs) == 0 {
		return 0
	}
	return runs[0].ID
}
