package trial

import (
	"context"
	"errors"
	"fmt"
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
	// Patience is how long reads are looked at, from when the write was answered.
	Patience time.Duration
	// Say is told of each step, a sentence without any value of a record; nil tells nobody.
	Say func(string)
}

// Report is what a trial found.
type Report struct {
	Kind  record.Kind
	ID    string // of the record that was written; "" where no answer and no list told
	Made  bool   // it is a new one
	Views []View // the ways to read it that were looked at
	// Left is what stands there still, and what to do about it; "" where all is as it was.
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

// Lag is how long the slowest view took at most, and whether all of them were seen to
// show the write.
func (r Report) Lag() (most time.Duration, all bool) {
	all = len(r.Views) > 0
	for _, v := range r.Views {
		most, all = max(most, v.After), all && v.Shown
	}
	return most, all
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
	was   record.Fields   // what the named record held before, at the paths that are written
	stood record.Fields   // and what a read by id showed there after the write; nil while none did

	likely   bool // the new record is known by its values alone
	lost     bool // no answer came to the write
	answered time.Time
	rep      Report
}

// Run makes the write, looks at what shows it, and takes it back. An error that comes
// before the write leaves everything as it was; after it, the report says what stands
// there. A done context ends the looks, not the taking back.
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
	case t.empties() != "":
		return usage("--set %s is empty: a value that is not can be told from none", t.empties())
	case t.cfg.Record != "" && (!writes || !k.Update):
		return usage("%s can't be changed there: leave --record away, and a new one is made", t.cfg.Kind)
	case t.cfg.Record == "" && (!writes || !k.Create):
		return usage("%s can't be made there: name one that is there for tests with --record", t.cfg.Kind)
	case t.cfg.Record == "" && !k.Delete && !t.cfg.Keep:
		return usage("%s can't be removed there, so that a new one would stay: name one that is there for tests with --record, or say --keep", t.cfg.Kind)
	}
	return nil
}

// empties is a path that would be emptied, "" for none.
func (t *trial) empties() string {
	for _, path := range t.cfg.Fields.Names() {
		if t.cfg.Fields[path].Empty() {
			return path
		}
	}
	return ""
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

// before reads the list once: a system that can't be read is not written to, and what is
// new afterwards is told by what was there.
func (t *trial) before(ctx context.Context) error {
	if t.cfg.Record != "" {
		rec, err := t.byID(ctx)
		if err != nil {
			return err
		}
		t.whole = rec.Fields
		if t.was = held(rec.Fields, t.cfg.Fields); t.was.Equal(t.cfg.Fields) {
			return usage("the record holds these values already, so that nothing would tell when they are shown: name others")
		}
	}
	t.known = map[string]bool{}
	since, err := t.each(ctx, connectors.Query{Kind: t.cfg.Kind, Scope: t.scope()}, "", func(rec record.Record) bool {
		t.known[rec.Ref.ID] = true
		return false
	}, func(n int) {
		t.pages = n
		if n%10 == 0 {
			t.cfg.Say(fmt.Sprintf("reading %s before anything is written: page %d", t.cfg.Kind, n))
		}
	})
	if err != nil {
		return err
	}
	if t.since = since; t.cfg.Record != "" && !t.known[t.cfg.Record] {
		return usage("%s %s is in no list: name one that is listed", t.cfg.Kind, t.cfg.Record)
	}
	return nil
}

// held is what fields holds at the paths of others; a path that it does not show is empty.
func held(fields, others record.Fields) record.Fields {
	out := record.Fields{}
	for path := range others {
		if out[path] = fields[path]; !out[path].Observed() {
			out[path] = record.Nothing()
		}
	}
	return out
}

// byID reads the named record as it stands.
func (t *trial) byID(ctx context.Context) (record.Record, error) {
	get, ok := t.cfg.Conn.(connectors.Getter)
	if !ok || !t.kind.Get {
		return record.Record{}, fmt.Errorf("%s can't be read by id there, so that what is changed could not be put back safely", t.cfg.Kind)
	}
	return get.Get(ctx, t.ref(), connectors.Scope{})
}

func (t *trial) ref() record.Ref { return record.Ref{Kind: t.cfg.Kind, ID: t.rep.ID} }

// each calls see for the records of a list until that says it has seen enough, and turned
// after each page. It returns where what changes afterwards begins.
func (t *trial) each(ctx context.Context, q connectors.Query, after record.Cursor, see func(record.Record) bool, turned func(int)) (record.Cursor, error) {
	for n := 1; ; n++ {
		page, err := t.cfg.Conn.Fetch(ctx, q, after)
		if err != nil {
			return "", err
		}
		for _, item := range page.Items {
			rec, err := page.Read(item)
			if err != nil { // one that can't be read is none of ours
				rec = record.Record{Ref: record.Ref{Kind: q.Kind, ID: item.ID}}
			}
			if see(rec) {
				return "", nil
			}
		}
		turned(n)
		if page.End {
			return page.Since, nil
		}
		after = page.Next
	}
}
