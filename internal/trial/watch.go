package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

const (
	firstWait = 250 * time.Millisecond // between two looks; twice as long each time
	longWait  = time.Minute            // and never longer
	sure      = 2                      // looks in a row that show a write: one may have asked another server
)

// watch looks at each way to read the record until all show the write, or patience ends.
func (t *trial) watch(ctx context.Context) error {
	if err := t.findID(ctx); err != nil {
		return err
	}
	if !t.readsWhole() {
		t.rep.Pages = t.pages
	}
	views := t.views()
	err := t.until(ctx, views, func(ctx context.Context, v *view) (bool, error) { return v.read(ctx, t.noting(v)) })
	for _, v := range views {
		if v.Shown {
			t.cfg.Say(v.Name + " shows it")
		}
		t.rep.Views = append(t.rep.Views, v.View)
	}
	if err != nil || !t.late() {
		return err
	}
	return blind(views)
}

// noting is shows, and keeps how the new record looked when it was first seen by the way
// that is asked again before it is removed.
func (t *trial) noting(v *view) func(record.Record) bool {
	return func(rec record.Record) bool {
		shows := t.shows(rec)
		if shows && t.first == nil && v.Name == t.surest() {
			t.first = rec.Fields
		}
		return shows
	}
}

// surest is the name of the view that the taking back goes by.
func (t *trial) surest() string {
	switch {
	case t.kind.Get:
		return readByID
	case t.readsWhole():
		return readList
	}
	return readChanged
}

// until looks at each view until all were seen to be as they are to be, or patience ends.
func (t *trial) until(ctx context.Context, views []*view, look func(context.Context, *view) (bool, error)) error {
	for wait := firstWait; ; wait = min(2*wait, longWait) {
		open := 0
		for _, v := range views {
			if v.Shown {
				continue
			}
			if err := t.take(ctx, v, look); err != nil {
				return err
			}
			if !v.Shown {
				open++
			}
		}
		if open == 0 || t.late() {
			return nil
		}
		if err := t.wait(ctx, wait); err != nil {
			return err
		}
	}
}

// take looks once. A read that fails tells nothing, unless the next one would as well.
func (t *trial) take(ctx context.Context, v *view, look func(context.Context, *view) (bool, error)) error {
	begun := time.Since(t.from)
	shown, err := look(ctx, v)
	if err != nil {
		if c := connectors.ClassOf(err); ctx.Err() != nil || c == connectors.Unauthorized || c == connectors.Forbidden {
			return fmt.Errorf("look at %s: %w", v.Name, err)
		}
		v.trips = err
		return nil
	}
	if !shown {
		if v.row > 0 {
			v.Lost++
		}
		v.Missed, v.row = begun, 0
		return nil
	}
	if v.row++; v.row == 1 {
		v.After = time.Since(t.from)
	}
	v.Shown = v.row >= sure
	return nil
}

// blind is why a view was never looked at, where each look failed.
func blind(views []*view) error {
	for _, v := range views {
		if !v.Shown && v.Missed < 0 && v.trips != nil {
			return fmt.Errorf("%s told nothing: %w", v.Name, v.trips)
		}
	}
	return nil
}

func (t *trial) late() bool { return time.Since(t.from) >= t.cfg.Patience }

func (t *trial) wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(min(d, max(0, t.cfg.Patience-time.Since(t.from))))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// findID waits for a list to show a new record whose answer named no id: it is likely
// the one that was not there before and holds what was written.
func (t *trial) findID(ctx context.Context) error {
	for wait := firstWait; t.rep.ID == ""; wait = min(2*wait, longWait) {
		var ids []string
		q := connectors.Query{Kind: t.cfg.Kind, Scope: t.scope()}
		_, err := t.each(ctx, q, "", func(rec record.Record) bool {
			if id := rec.Ref.ID; id != "" && !t.known[id] && rec.Fields.Agrees(t.cfg.Fields) {
				ids = append(ids, id)
			}
			return false
		}, turnedOver)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil && len(ids) == 1:
			t.rep.ID, t.likely = ids[0], true
			t.rep.Left = t.stands()
			return nil
		case err == nil && len(ids) > 1:
			return errors.New("several new records hold what was written, so that nobody can tell which is ours")
		case t.late():
			return fmt.Errorf("no list showed it within %s", t.cfg.Patience)
		}
		if err := t.wait(ctx, wait); err != nil {
			return err
		}
	}
	return nil
}
