package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

const (
	firstWait = 250 * time.Millisecond // between two looks; twice as long each time
	longWait  = time.Minute            // and never longer
	readAgain = 20                     // pages of a list that is read whole at each look
	sure      = 2                      // looks in a row that show a write: one may have asked another server
)

// look asks once whether the write is shown.
type look func(ctx context.Context) (bool, error)

// view is a View that is looked at.
type view struct {
	View
	look  look
	row   int   // looks in a row that showed it
	trips error // why the last look told nothing
}

// watch looks at each way to read the record until all show the write, or patience ends.
func (t *trial) watch(ctx context.Context) error {
	if err := t.findID(ctx); err != nil {
		return err
	}
	views := t.views()
	defer func() {
		for _, v := range views {
			t.rep.Views = append(t.rep.Views, v.View)
		}
	}()
	for wait := firstWait; ; wait = min(2*wait, longWait) {
		open := 0
		for _, v := range views {
			if v.Shown {
				continue
			}
			if err := t.take(ctx, v); err != nil {
				return err
			}
			if !v.Shown {
				open++
			}
		}
		if open == 0 {
			return nil
		}
		if err := t.wait(ctx, wait); err != nil {
			return err
		}
		if t.late() {
			return t.blind(views)
		}
	}
}

// blind is why a view was never looked at, where each look failed.
func (t *trial) blind(views []*view) error {
	for _, v := range views {
		if !v.Shown && v.Missed < 0 && v.trips != nil {
			return fmt.Errorf("%s told nothing: %w", v.Name, v.trips)
		}
	}
	return nil
}

func (t *trial) late() bool { return time.Since(t.answered) >= t.cfg.Patience }

func (t *trial) wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(min(d, max(0, t.cfg.Patience-time.Since(t.answered))))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// take looks once. A read that fails tells nothing, unless the next one would as well.
func (t *trial) take(ctx context.Context, v *view) error {
	begun := time.Since(t.answered)
	shown, err := v.look(ctx)
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
		v.After = time.Since(t.answered)
	}
	if v.row >= sure {
		v.Shown = true
		t.cfg.Say(fmt.Sprintf("%s shows it", v.Name))
	}
	return nil
}

// views is the ways in which the kind can be read.
func (t *trial) views() []*view {
	var out []*view
	add := func(name string, l look) {
		out = append(out, &view{View: View{Name: name, Missed: -1}, look: l})
	}
	if get, ok := t.cfg.Conn.(connectors.Getter); ok && t.kind.Get {
		add("a read by its id", func(ctx context.Context) (bool, error) { return t.got(ctx, get) })
	}
	if find, ok := t.cfg.Conn.(connectors.Finder); ok {
		for _, paths := range t.kind.FindBy {
			if by := t.written(paths); by != nil {
				add("a search by "+strings.Join(paths, " and "), func(ctx context.Context) (bool, error) { return t.found(ctx, find, by) })
			}
		}
	}
	if t.pages <= readAgain || t.since == "" {
		add("the list", func(ctx context.Context) (bool, error) { return t.listed(ctx, connectors.Full, "") })
	}
	if t.since != "" {
		add("the list of what changed", func(ctx context.Context) (bool, error) { return t.listed(ctx, connectors.Since, t.since) })
	}
	return out
}

// written is what was written at all of these paths; nil where something was not.
func (t *trial) written(paths []string) record.Fields {
	by := record.Fields{}
	for _, path := range paths {
		if by[path] = t.cfg.Fields[path]; !by[path].Observed() {
			return nil
		}
	}
	return by
}

func (t *trial) got(ctx context.Context, get connectors.Getter) (bool, error) {
	rec, err := get.Get(ctx, t.ref(), connectors.Scope{})
	if connectors.ClassOf(err) == connectors.NotFound {
		return false, nil
	}
	if err != nil || !t.shows(rec) {
		return false, err
	}
	t.stood = held(rec.Fields, t.cfg.Fields)
	return true, nil
}

func (t *trial) found(ctx context.Context, find connectors.Finder, by record.Fields) (bool, error) {
	recs, err := find.Find(ctx, t.cfg.Kind, by, connectors.Scope{})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(recs, t.shows), nil
}

func (t *trial) listed(ctx context.Context, mode connectors.Mode, after record.Cursor) (shown bool, err error) {
	q := connectors.Query{Kind: t.cfg.Kind, Mode: mode, Scope: t.scope()}
	_, err = t.each(ctx, q, after, func(rec record.Record) bool {
		shown = shown || t.shows(rec)
		return shown
	}, func(int) {})
	return shown, err
}

// shows reports whether a record is ours as it was written: by its id alone where it is a
// new one, for a system may spell values its own way; where it was there before, by what
// is not as it was.
func (t *trial) shows(rec record.Record) bool {
	if rec.Ref.ID != t.rep.ID {
		return false
	}
	if t.rep.Made {
		return true
	}
	for path, v := range t.cfg.Fields {
		if now := rec.Fields[path]; !v.Equal(t.was[path]) && (!now.Observed() || now.Equal(t.was[path])) {
			return false
		}
	}
	return true
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
		}, func(int) {})
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
