package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// writable is a system that can be read by id and written to.
type writable interface {
	connectors.Connector
	connectors.Getter
	connectors.Writer
}

// upserting answers each create with a record that it has already.
type upserting struct {
	writable
	has record.Ref
}

func (u upserting) Apply(ctx context.Context, ch record.Change) (record.Record, error) {
	if ch.Op == record.Create {
		return record.Record{Ref: u.has}, nil
	}
	return u.writable.Apply(ctx, ch)
}

// A system may answer a create with a record that is linked already, at once or when it is
// asked again: a person is asked what that means, and the job goes on.
func TestCreateIsAnsweredWithALinkedRecord(t *testing.T) {
	for name, fate := range map[string]string{"at once": "", "when it is sent again": "c2"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, memory.ClassKind(memory.Kind{}, connectors.ClassA)}})
				defer w.close()
				w.put(record.Left, 0, map[string]string{"name": "known"})
				w.rest()
				w.put(record.Left, 1, map[string]string{"name": "Anna"})
				if fate != "" {
					w.suffers(fate, 0)
				}
				right := &w.eng.Jobs[job].Sides[record.Right]
				plain := right.Conn.(writable)
				known, _ := w.find(record.Right, 0)
				right.Conn = upserting{plain, known.Ref}
				w.run(engine.Options{Yes: true})
				if in := w.lost(); !strings.HasSuffix(in.Error, "it is linked to another record already") {
					t.Errorf("it is lost because %q", in.Error)
				}
				w.edit(record.Left, 0, "name", "new")
				w.rest()
				if got := w.value(record.Right, 0, "name"); got != "new" {
					t.Errorf("the record that was linked has the name %q: the job does not go on", got)
				}
				right.Conn = plain
				w.claim(false, "")
				w.rest()
				w.noneLost()
				if got := w.picture(record.Right); len(got) != 2 {
					t.Errorf("the right has %q, want two records", got)
				}
			})
		})
	}
}
