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

// slowPages is a system in which a page that is asked for ahead waits until something is
// written.
type slowPages struct {
	connectors.Connector
	connectors.Writer
	connectors.Getter
	second record.Cursor
	wrote  chan struct{}
}

func (s *slowPages) Fetch(ctx context.Context, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	switch after {
	case "":
	case s.second:
		<-time.After(time.Second)
	default:
		<-s.wrote
	}
	page, err := s.Connector.Fetch(ctx, q, after)
	if after == "" {
		s.second = page.Next
	}
	return page, err
}

func (s *slowPages) Apply(ctx context.Context, ch record.Change) (record.Record, error) {
	rec, err := s.Writer.Apply(ctx, ch)
	close(s.wrote)
	return rec, err
}

// A page that was asked for before a create was sent, and answered after it, shows what
// that made: it came no earlier for that.
func TestOnceShownByAPageThatWasAskedForBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := memory.Kind{PageSize: 2, Total: true, Ahead: 4, Times: true, Once: []string{"their_phone"}, ListHides: []string{"their_phone"}}
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, k}})
		defer w.close()
		for n := 5; n < 10; n++ {
			w.put(record.Left, n, nil)
		}
		w.run(engine.Options{Yes: true})
		w.rest()
		right := &w.eng.Jobs[job].Sides[record.Right].Conn
		plain := *right
		*right = &slowPages{plain, plain.(connectors.Writer), plain.(connectors.Getter), "", make(chan struct{})}
		w.put(record.Left, 1, nil)
		one, _ := w.find(record.Left, 1)
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
		asked := 0
		w.run(engine.Options{Yes: true, Full: true, Kicked: func() []engine.Kick {
			if asked++; asked == 2 { // the second page of the right was read, and the third is on its way
				return []engine.Kick{{Side: record.Left, Ref: one.Ref}}
			}
			return nil
		}})
		*right = plain
		w.put(record.Left, 2, nil)
		w.rest()
		w.rest()
		if got := w.picture(record.Right); len(got) != 7 {
			t.Errorf("got %q, want each once", got)
		}
	})
}
