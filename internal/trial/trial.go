package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Config is what is written, and where.
type Config struct {
	Conn   connectors.Connector
	Kind   record.Kind
	Fields record.Fields // native values: of a new record, or what the named one is changed to
	Record string        // the id of a record that is there for tests; "": a new one is made
	Keep   bool          // leaves what was written
	// Patience is how long reads are looked at, from when the write was answered, and once
	// more from when it was taken back.
	Patience time.Duration
	// Say is told of each step, a sentence without any value of a record; nil tells nobody.
	Say func(string)
}

// Report is what a trial found.
type Report struct {
	Kind  record.Kind
	ID    string // of the record that was written; "" where no answer and no list told
	Made  bool   // it is a new one
	Lost  bool   // no answer came to the write: nobody knows when it was made
	Views []View // the ways to read it that were looked at
	// Pages is of how many pages the list is, where that are too many to read it again and
	// again; otherwise 0.
	Pages int
	// Left is what stands there still, and what to do about it; "" where every way of reading
	// showed that all is as it was.
	Left string
}

// View is one way to read a record, and when it showed the write.
type View struct {
	Name  string
	Shown bool
	// After is when the look ended that was the first to show it, Missed when the last
	// look began that did not, both since the write was answered: it was shown somewhere
	// between them. Missed is negative where no look missed it.
	After, Missed time.Duration
	// Lost is how often it was shown, and then not: several servers answer in turn.
	Lost int
}

// Lag is how long the slowest view took at most, and whether that is known: all of them
// were seen to show the write, and its answer came.
func (r Report) Lag() (most time.Duration, known bool) {
	known = len(r.Views) > 0 && !r.Lost
	for _, v := range r.Views {
		most, known = max(most, v.After), known && v.Shown
	}
	return most, known
}

// UsageError says that what was asked for can't be, and what can.
type UsageError struct{ Text string }

// Error is the sentence.
func (e *UsageError) Error() string { return e.Text }

func usage(format string, args ...any) error { return &UsageError{Text: fmt.Sprintf(format, args...)} }

// trial is one on its way.
type trial struct {
	cfg  Config
	kind connectors.Kind

	known map[string]bool // ids that were listed before
	pages int             // of the whole list
	since record.Cursor   // where what changes next begins
	whole record.Fields   // the named record as it stood before
	was   record.Fields   // and at the paths that are written

	answer record.Fields // what the write was answered with
	first  record.Fields // the new record as its surest way of reading first showed it
	likely bool          // the new record is known by its values alone
	wrote  time.Time     // when the write was sent
	from   time.Time     // from when looks are counted: the answer to what was sent last
	rep    Report
}

// Run makes the write, looks at what shows it, takes it back, and looks until that is
// shown. An error that comes before the write leaves everything as it was; after it, the
// report says what stands there. A done context ends the looks, not the taking back.
func Run(ctx context.Context, cfg Config) (Report, error) {
	if cfg.Say == nil {
		cfg.Say = func(string) {}
	}
	t := &trial{cfg: cfg, rep: Report{Kind: cfg.Kind, ID: cfg.Record, Made: cfg.Record == ""}}
	if err := t.mayWrite(ctx); err != nil {
		return t.rep, err
	}
	if err := t.before(ctx); err != nil {
		return t.rep, fmt.Errorf("nothing was written: %w", err)
	}
	if err := t.write(ctx); err != nil {
		return t.rep, err
	}
	err := t.watch(ctx)
	return t.rep, errors.Join(err, t.takeBack(ctx))
}

// mayWrite refuses what can't be made, can't be taken back, or reaches a person.
func (t *trial) mayWrite(ctx context.Context) error {
	d, err := t.cfg.Conn.Describe(ctx)
	if err != nil {
		return err
	}
	k, ok := d.Kinds[t.cfg.Kind]
	_, writes := t.cfg.Conn.(connectors.Writer)
	t.kind = k
	switch {
	case !ok:
		return usage("there is no kind %q there", t.cfg.Kind)
	case len(k.Once) > 0:
		return usage("a new record of %s reaches a person at once: none is made for a test", t.cfg.Kind)
	case len(t.cfg.Fields) == 0:
		return usage("name what is to be written with --set FIELD=VALUE, by the system's own names")
	case t.cfg.Record != "" && (!writes || !k.Update):
		return usage("%s can't be changed there: leave --record away, and a new one is made", t.cfg.Kind)
	case t.cfg.Record == "" && (!writes || !k.Create):
		return usage("%s can't be made there: name one that is there for tests with --record", t.cfg.Kind)
	case t.cfg.Record == "" && !k.Delete && !t.cfg.Keep:
		return usage("%s can't be removed there, so that a new one would stay: name one that is there for tests with --record, or say --keep", t.cfg.Kind)
	}
	return t.mayHold()
}

// mayHold refuses values that nothing would tell of.
func (t *trial) mayHold() error {
	for _, path := range t.cfg.Fields.Names() {
		switch {
		case t.cfg.Fields[path].Empty():
			return usage("--set %s is empty: only a value can be told from none", path)
		case t.kind.Unwritable(path) != "":
			return usage("%s is never written there: %s", path, t.kind.Unwritable(path))
		case t.cfg.Record != "" && path == t.kind.Status:
			return usage("%s is changed there by a request of its own, which is sent for no test", path)
		case t.cfg.Record != "" && t.kind.Updates != nil && !slices.Contains(t.kind.Updates, path):
			return usage("no change there takes %s", path)
		}
	}
	return nil
}

// scope is the days that are read of a kind that is listed by days.
func (t *trial) scope() connectors.Scope {
	day := func(path string) string {
		v := t.whole.With(t.cfg.Fields)[path].Text()
		return v[:min(len(v), len(time.DateOnly))]
	}
	s := connectors.Scope{From: day(t.kind.WindowField[0]), To: day(t.kind.WindowField[1])}
	if !t.kind.Windowed || s.From == "" || s.To == "" {
		return connectors.Scope{}
	}
	return s
}

func (t *trial) ref() record.Ref { return record.Ref{Kind: t.cfg.Kind, ID: t.rep.ID} }

// held is what fields holds at the paths of others.
func held(fields, others record.Fields) record.Fields {
	out := record.Fields{}
	for path := range others {
		out[path] = fields[path]
	}
	return out
}

// like reports whether two values are the same to a reader: some systems show a number
// as text.
func like(a, b record.Value) bool {
	return a.Equal(b) || a.Text() != "" && a.Text() == b.Text()
}

// ours reports whether a record holds, at a path, what was written there: as it was sent, or
// as the answer spelt it.
func (t *trial) ours(fields record.Fields, path string) bool {
	now := fields[path]
	return now.Observed() && (like(now, t.cfg.Fields[path]) || like(now, t.answer[path]))
}
