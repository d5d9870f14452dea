package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A key of a create is trusted for so long after it was first sent, however often it was
// sent since.
func TestKeyOfACreateIsNotTrustedForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, memory.ClassKind(memory.Kind{}, connectors.ClassA)}})
		defer w.close()
		w.put(record.Left, 0, map[string]string{"name": "known"})
		w.rest()
		w.put(record.Left, 1, map[string]string{"name": "Anna"})
		w.suffers("c2", 0)
		w.tick(11 * time.Hour)
		w.suffers("c2", 0)
		w.tick(2 * time.Hour)
		right := &w.eng.Jobs[job].Sides[record.Right]
		sent := []string{}
		right.Conn = watched{right.Conn.(writable), func(ch record.Change) { sent = append(sent, ch.ID) }}
		open, err := w.store.Unsettled(t.Context(), job)
		if err != nil || len(open) != 1 {
			t.Fatalf("open: %v, %v, want the create", open, err)
		}
		w.run(engine.Options{Yes: true})
		w.run(engine.Options{Yes: true})
		if len(sent) != 1 || sent[0] == open[0].ID {
			t.Errorf("%v were sent, want one create under another key than %s", sent, open[0].ID)
		}
		if got := w.picture(record.Right); len(got) != 2 {
			t.Errorf("the right has %q, want two records", got)
		}
	})
}

// watched tells of each request.
type watched struct {
	writable
	tell func(record.Change)
}

func (x watched) Apply(ctx context.Context, ch record.Change) (record.Record, error) {
	x.tell(ch)
	return x.writable.Apply(ctx, ch)
}
