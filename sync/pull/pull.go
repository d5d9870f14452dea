// Package pull reads one side of a binding page by page and stores what it saw.
//
// A page and the cursor behind it are stored in one transaction, so that a killed pull goes on where it stood and
// loses nothing that it saw. Pages that show nothing new wait for the next page that does, or for some seconds. If
// the pull is killed before that, the next pull reads them again. Rows whose bytes are the ones last listed are not
// decoded at all. What can't be decoded is quarantined and never ends a pull.
//
// A pull ends with a certificate. Only a complete scan lets an absence be suspected or a missing match be believed.
// A scan is complete if all this holds: every page is valid and without a flaw that the connector saw, the list has
// an explicit end, it shows no record twice, and it shows as many records as it says on every page. If rows may
// have slid while a list of changes was read, the next one starts where this one did.
package pull

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// Sink is where a pull stores what it sees.
type Sink interface {
	// BeginScan resumes the place's open scan if it has the same spec and is
	// younger than maxAge, and begins one otherwise.
	BeginScan(ctx context.Context, l record.Lease, place record.Place, spec record.ScanSpec, now time.Time, maxAge time.Duration) (record.Scan, error)
	// Known returns what the fast path needs of the entries with these ids, in the order of ids. An entry with
	// number 0 is not known. It may use into for the answer.
	Known(ctx context.Context, place record.Place, ids []string, into []record.Known) ([]record.Known, error)
	// SeePage stores a page, or several, and the cursor in one transaction. It returns how many of the records this
	// scan had shown before. It keeps nothing of p.
	SeePage(ctx context.Context, l record.Lease, place record.Place, p record.PageSeen) (doubles int, err error)
	// EndScan stores the certificate. After a complete full scan the entries that it did not show become suspects;
	// EndScan returns how many.
	EndScan(ctx context.Context, l record.Lease, scan int64, c record.Certificate) (suspects int, err error)
}

// Side is what is pulled: a place, its connector, and how it is read.
type Side struct {
	Lease   record.Lease
	Place   record.Place
	Conn    connectors.Connector
	Query   connectors.Query
	Start   record.Cursor // where an incremental pull starts
	Mapping *mapping.Mapping
	Refer   map[string]bool // canonical fields that are references: no key that needs one is stored

	MaxAge   time.Duration // an open scan older than this is not resumed
	Waits    string        // see connectors.Kind: what was listed under another text is decoded again
	MaxField int           // bytes a record may have as listed; larger ones are quarantined

	// Hides reports whether a list may hide a path that a read by id shows. Nil: no path.
	Hides  func(path string) bool
	Decode bool     // also decode rows whose bytes are the ones last listed
	Watch  []string // native paths: it is noticed which known rows don't show them

	// Between is called between any two requests: what can't wait is done there.
	Between func(context.Context) error
	// Draw returns a number in [0, n), for the sample of what was shown. Nil: a random one.
	Draw func(n int) int
	// Progress is told after each page. total is -1 when the list doesn't say.
	Progress func(rows, total int)
}

// noID is the only flaw that does not mean that a row was missed: a record without an id goes to quarantine.
const noID = "a record without an id"

// mostBad bounds how many bad items a Result names.
const mostBad = 1000

// Result is what a pull did.
type Result struct {
	Pages, Rows, Decoded int
	Suspects             int
	Complete             bool
	Resumed              bool
	Started              time.Time // when the scan was begun, by an earlier run if it was resumed
	Flaws                []string
	Bad                  []record.Seen   // items of the last scan that can't be read as they are
	Shown                []record.Ref    // some of the known records that were shown, drawn at random
	Newest               []record.Newest // of the records that were decoded, those changed last

	Noticed
	Failed []record.Ref // records that failed for good, as their system says
}

// mostNewest is how many records Result.Newest has at most.
const mostNewest = 8

// mostShown is how many records Result.Shown has at most.
const mostShown = 8

// Pull reads the side whole, or only what changed. A full scan that turns out not to be complete is read once more.
// The error is the connector's or the sink's; what was stored before it stays.
func Pull(ctx context.Context, s Side, sink Sink) (Result, error) {
	res, err := scan(ctx, s, sink)
	if err != nil || res.Complete || s.Query.Mode == connectors.Since {
		return res, err
	}
	again, err := scan(ctx, s, sink)
	again.Pages += res.Pages
	again.Decoded += res.Decoded
	again.Noticed = again.and(res.Noticed)
	return again, err
}

func scan(ctx context.Context, s Side, sink Sink) (Result, error) {
	spec := record.ScanSpec{
		Full:    s.Query.Mode == connectors.Full,
		Since:   s.Start,
		Scope:   s.Query.Scope.String(),
		Mapping: s.Mapping.Fingerprint(s.Place.Side),
	}
	sc, err := sink.BeginScan(ctx, s.Lease, s.Place, spec, time.Now(), s.MaxAge)
	if err != nil {
		return Result{}, fmt.Errorf("begin scan of %s: %w", s.Query.Kind, err)
	}
	w := walk{Side: s, sink: sink, scan: sc, total: sc.Total, rows: sc.Rows, flaws: sc.Flaws, kept: len(sc.Flaws)}
	w.listed = record.NewDigester(spec.Mapping + w.Waits)
	w.res.Noticed = Noticed{Showed: map[string]int{}, Without: map[string][]int64{}}
	w.res.Resumed, w.res.Started = sc.Pages > 0, sc.Started
	if !w.res.Resumed {
		w.total = -1
	}
	since, err := w.pages(ctx)
	if errors.Is(err, errAnew) {
		return w.end(ctx, "")
	}
	if err != nil {
		if late := w.flush(context.WithoutCancel(ctx)); late != nil {
			err = errors.Join(err, late)
		}
		return w.res, err
	}
	return w.end(ctx, since)
}

// walk is one scan on its way.
type walk struct {
	Side
	sink    Sink
	scan    record.Scan
	total   int // as first given, -1 where none was
	rows    int
	doubles int
	moving  moving
	moved   int  // how many of doubles only moved while the list was read
	tail    bool // only rows that moved follow
	flaws   []string
	kept    int // how many of flaws are stored with the scan
	res     Result
	drawn   int // pages of which a record was drawn into the sample

	listed *record.Digester
	ids    []string // of the page at hand
	known  []record.Known

	waiting record.PageSeen // pages that are not stored yet
	since   time.Time       // when the first of them was read
	broken  bool            // the sink has refused a page
}

// Pages that show nothing new are stored together: so many at most, and no later than this after the first of them.
const (
	mostWaiting    = 64
	longestWaiting = 2 * time.Second
)

// pages reads until the end and returns where the next incremental scan starts.
func (w *walk) pages(ctx context.Context) (record.Cursor, error) {
	after := w.scan.Cursor
	if after == "" {
		after = w.Start
	}
	list := newAhead(ctx, func(ctx context.Context, after record.Cursor) (connectors.Page, error) {
		return w.Conn.Fetch(ctx, w.Query, after)
	})
	defer list.close()
	for {
		f := list.next(ctx, after)
		page := f.page
		if f.err != nil {
			return "", f.err
		}
		list.begin(page)
		if err := w.store(ctx, f); err != nil {
			return "", err
		}
		if w.Progress != nil {
			w.Progress(w.rows, w.total)
		}
		if page.End || w.tail {
			return page.Since, nil
		}
		if why, hint := w.endless(page); why != "" {
			return "", w.giveUp(ctx, why, hint)
		}
		if page.Next == after {
			return "", connectors.Wrong(connectors.Malformed, "fetch "+string(w.Query.Kind),
				"the list goes on at the place where this page began")
		}
		after = page.Next
		if w.Between != nil {
			if err := w.Between(ctx); err != nil {
				return "", err
			}
		}
	}
}

// store takes one page in. Rows with known bytes are noted as present, the rest are decoded.
func (w *walk) store(ctx context.Context, f *fetched) error {
	page, at := f.page, f.at
	w.ids = w.ids[:0]
	for _, it := range page.Items {
		w.ids = append(w.ids, it.ID)
	}
	var err error
	if w.known, err = w.sink.Known(ctx, w.Place, w.ids, w.known); err != nil {
		return fmt.Errorf("look up page of %s: %w", w.Query.Kind, err)
	}
	seen := &w.waiting
	if seen.Pages == 0 {
		w.since = at
	}
	seen.Scan, seen.Next, seen.Total, seen.At = w.scan.ID, page.Next, page.Total, at
	seen.Pages++
	seen.Rows += len(page.Items)
	for i, it := range page.Items {
		w.res.Looked++
		listed := w.listed.Sum(it.Raw)
		if k := w.known[i]; !w.Decode && k.Num != 0 && k.Listed == record.Digest(listed) {
			seen.Present = append(seen.Present, k.Num)
			continue
		}
		w.res.Decoded++
		item := w.look(page, it, record.Digest(listed), at)
		item.Came = f.came
		if item.Away {
			if num := w.known[i].Num; num != 0 {
				seen.Away = append(seen.Away, num)
			}
			w.known[i].Num = 0 // the sample is of what is there
			continue
		}
		if item.Problem != "" && len(w.res.Bad) < mostBad {
			w.res.Bad = append(w.res.Bad, item)
		}
		w.notice(w.known[i].Num, item)
		seen.Items = append(seen.Items, item)
	}
	w.draw()
	w.count(page)
	seen.Flaws, w.kept = w.flaws[w.kept:], len(w.flaws)
	if len(seen.Items) == 0 && len(seen.Flaws) == 0 && seen.Pages < mostWaiting && time.Since(w.since) < longestWaiting {
		return nil
	}
	return w.flush(ctx)
}

// flush stores the pages that wait.
func (w *walk) flush(ctx context.Context) error {
	if w.waiting.Pages == 0 || w.broken {
		return nil
	}
	doubles, err := w.sink.SeePage(ctx, w.Lease, w.Place, w.waiting)
	if err != nil {
		w.broken = true
		return fmt.Errorf("store page of %s: %w", w.Query.Kind, err)
	}
	w.waiting = record.PageSeen{Present: w.waiting.Present[:0]}
	if doubles > 0 {
		w.doubles += doubles
		w.flaw("a record was listed twice") // stored with the next page, or with the certificate
	}
	return nil
}

// count keeps what the certificate needs.
func (w *walk) count(page connectors.Page) {
	w.res.Pages++
	w.rows += len(page.Items)
	moved, tail := w.moving.moved(w.ids)
	w.moved += moved
	if w.tail = tail && page.Paging != "" && !page.End; w.tail {
		w.flaw("the list grew while it was read, and moved its rows")
	}
	for _, it := range page.Items {
		if it.ID == "" {
			w.flaw(noID)
		}
	}
	if page.Flaw != "" {
		w.flaw(page.Flaw)
	}
	switch {
	case page.Total < 0:
	case w.total < 0:
		w.total = page.Total
	case w.total != page.Total:
		w.flaw("the list's total changed while it was read")
	}
}

func (w *walk) flaw(text string) {
	if !slices.Contains(w.flaws, text) {
		w.flaws = append(w.flaws, text)
	}
}

// look decodes one item. Whatever is wrong with it becomes its Problem.
func (w *walk) look(page connectors.Page, it connectors.Item, listed record.Digest, at time.Time) record.Seen {
	s := record.Seen{Ref: record.Ref{Kind: w.Query.Kind, ID: it.ID}, Listed: listed}
	s.Observation.At = at
	switch {
	case it.ID == "":
		s.Problem = "the record shows no id"
		return s
	case w.MaxField > 0 && len(it.Raw) > w.MaxField:
		s.Problem = TooLarge(w.MaxField)
		return s
	}
	rec, err := page.Read(it)
	if class := connectors.ClassOf(err); class == connectors.Moved || class == connectors.NotFound {
		s.Away = true
		return s
	}
	if err != nil {
		s.Problem = err.Error()
		return s
	}
	w.keepNewest(rec)
	if rec.Unfinished.Hopeless() {
		w.res.Failed = append(w.res.Failed, rec.Ref)
	}
	s = Look(w.Mapping, w.Place.Side, rec, at, page.View, w.Refer, listed)
	s.More = w.Hides != nil && More(s.Unshown, rec.Unfinished, w.Hides)
	return s
}

// TooLarge says that a record has more bytes than it may have.
func TooLarge(most int) string { return fmt.Sprintf("the record is larger than %d bytes", most) }

// keepNewest keeps a record if it is among those that were changed last.
func (w *walk) keepNewest(rec record.Record) {
	if rec.Changed.IsZero() {
		return
	}
	list := w.res.Newest
	i, _ := slices.BinarySearchFunc(list, rec.Changed, func(n record.Newest, at time.Time) int { return at.Compare(n.Changed) })
	if i >= mostNewest {
		return
	}
	list = slices.Insert(list, i, record.Newest{Ref: rec.Ref, Version: rec.Version, Changed: rec.Changed})
	w.res.Newest = list[:min(len(list), mostNewest)]
}

// Look turns a record that was read into what is stored of it: only mapped
// fields, and the keys by which the other side may recognise it.
func Look(m *mapping.Mapping, side record.Side, rec record.Record, at time.Time, view string, refer map[string]bool, listed record.Digest) record.Seen {
	native := make(record.Fields, len(rec.Fields))
	var unshown []string
	for _, p := range m.Paths(side) {
		if v := rec.Fields[p]; v.Observed() {
			native[p] = v
		} else {
			unshown = append(unshown, p)
		}
	}
	canonical, _ := m.Read(side, native)
	for f := range refer {
		delete(canonical, f)
	}
	return record.Seen{
		Ref: rec.Ref,
		Observation: record.Observation{
			Fields: native, Version: rec.Version, Changed: rec.Changed, Created: rec.Created,
			Stamp: rec.Stamp, ChangedBy: rec.ChangedBy, At: at, View: view, Unfinished: lacking(rec.Unfinished, m.Paths(side)),
		},
		Listed:  listed,
		Keys:    m.Keys(side, native, canonical),
		Unshown: unshown,
	}
}

// end certifies the scan.
func (w *walk) end(ctx context.Context, since record.Cursor) (Result, error) {
	if err := w.flush(ctx); err != nil {
		return w.res, err
	}
	if w.Query.Mode == connectors.Full && w.total >= 0 && w.rows-w.doubles != w.total {
		w.flaw("the list showed another number of records than its total")
	}
	if w.Query.Mode == connectors.Since && w.mayHaveSlid() {
		since = "" // the next reading of what changed starts where this one did
	}
	c := record.Certificate{Ended: time.Now(), Complete: len(w.flaws) == 0, Next: since, Flaws: w.flaws}
	n, err := w.sink.EndScan(ctx, w.Lease, w.scan.ID, c)
	if err != nil {
		return w.res, fmt.Errorf("end scan of %s: %w", w.Query.Kind, err)
	}
	w.res.Rows, w.res.Complete, w.res.Flaws, w.res.Suspects = w.rows, c.Complete, w.flaws, n
	return w.res, nil
}

// mayHaveSlid reports whether rows may have moved from one page to another so that the list did not show them.
func (w *walk) mayHaveSlid() bool {
	return slices.ContainsFunc(w.flaws, func(f string) bool { return f != noID })
}
