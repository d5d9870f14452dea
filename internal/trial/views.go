package trial

import (
	"context"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// The names of views.
const (
	readByID    = "a read by its id"
	readList    = "the list"
	readChanged = "the list of what changed"
)

// readAgain is how many pages a list may have that is read whole at each look.
const readAgain = 20

// view is one way to read the record: how the reading is named, and the records that may be
// ours in it.
type view struct {
	View
	read func(ctx context.Context, is func(record.Record) bool) (bool, error)
	part bool // it may rightly lack a record that is as it was

	row   int   // looks in a row that showed it
	trips error // why the last look told nothing
}

// views is the ways in which the kind can be read, the surest first.
func (t *trial) views() []*view {
	var out []*view
	add := func(name string, part bool, read func(context.Context, func(record.Record) bool) (bool, error)) {
		out = append(out, &view{View: View{Name: name, Missed: -1}, part: part, read: read})
	}
	if _, ok := t.cfg.Conn.(connectors.Getter); ok && t.kind.Get {
		add(readByID, false, t.got)
	}
	if find, ok := t.cfg.Conn.(connectors.Finder); ok {
		for _, paths := range t.kind.FindBy {
			if by := t.written(paths); by != nil {
				add("a search by "+strings.Join(paths, " and "), true, t.found(find, by))
			}
		}
	}
	if t.readsWhole() {
		add(readList, false, t.listed(connectors.Full, ""))
	}
	if t.since != "" {
		add(readChanged, true, t.listed(connectors.Since, t.since))
	}
	return out
}

// readsWhole reports whether the whole list is read at each look.
func (t *trial) readsWhole() bool { return t.pages <= readAgain || t.since == "" }

func (t *trial) byID(ctx context.Context) (record.Record, error) {
	return t.cfg.Conn.(connectors.Getter).Get(ctx, t.ref(), connectors.Scope{}) //nolint:forcetypeassert // who asks made sure
}

func (t *trial) got(ctx context.Context, is func(record.Record) bool) (bool, error) {
	rec, err := t.byID(ctx)
	if connectors.ClassOf(err) == connectors.NotFound {
		return false, nil
	}
	return err == nil && is(rec), err
}

func (t *trial) found(find connectors.Finder, by record.Fields) func(context.Context, func(record.Record) bool) (bool, error) {
	return func(ctx context.Context, is func(record.Record) bool) (bool, error) {
		recs, err := find.Find(ctx, t.cfg.Kind, by, connectors.Scope{})
		return err == nil && slices.ContainsFunc(recs, is), err
	}
}

func (t *trial) listed(mode connectors.Mode, after record.Cursor) func(context.Context, func(record.Record) bool) (bool, error) {
	return func(ctx context.Context, is func(record.Record) bool) (seen bool, err error) {
		q := connectors.Query{Kind: t.cfg.Kind, Mode: mode, Scope: t.scope()}
		if mode == connectors.Since && !t.kind.SinceWindowed { // as a job of bookings asks
			q.Scope = connectors.Scope{}
		}
		_, err = t.each(ctx, q, after, func(rec record.Record) bool {
			seen = seen || is(rec)
			return seen
		}, turnedOver)
		return seen, err
	}
}

// shows reports whether a record is ours as it was written: by its id where it is a new
// one, for a list may leave its fields out; where it was there before, by what it holds.
func (t *trial) shows(rec record.Record) bool {
	if rec.Ref.ID != t.rep.ID {
		return false
	}
	for path := range t.cfg.Fields {
		if !t.rep.Made && !t.ours(rec.Fields, path) {
			return false
		}
	}
	return true
}

// stale reports whether a record is still other than it is to be after the taking back.
func (t *trial) stale(rec record.Record) bool {
	return rec.Ref.ID == t.rep.ID && (t.rep.Made || !held(rec.Fields, t.was).Equal(t.was))
}

// restored reports whether a record is as it was before.
func (t *trial) restored(rec record.Record) bool {
	return rec.Ref.ID == t.rep.ID && held(rec.Fields, t.was).Equal(t.was)
}
