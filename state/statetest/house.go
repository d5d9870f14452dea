package statetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"nightporter/state"
	"nightporter/sync/record"
)

// Names that every story uses.
const (
	guests  record.Binding = "guests"
	mapping string         = "mapping-1"
)

var (
	systems = [2]record.System{"pms", "platform"}
	kinds   = [2]record.Kind{"guests", "contacts"}
	left    = record.Place{Binding: guests, Side: record.Left}
	right   = record.Place{Binding: guests, Side: record.Right}
)

// tester is what *testing.T and *rapid.T have in common.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// House is a store with one binding, a run under way and a clock that only the
// story moves. Every call that should succeed ends the test if it does not.
type House struct {
	T       tester
	Ctx     context.Context //nolint:containedctx // a test's own, for short stories
	Store   *state.Store
	Lease   record.Lease
	Now     time.Time
	ids     int
	reading map[record.Place]int64 // the scan of each place that full has begun
}

// NewHouse registers the binding and begins a run.
func NewHouse(t *testing.T, s *state.Store) *House {
	t.Helper()
	h := &House{T: t, Ctx: t.Context(), Store: s, Now: time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC), reading: map[record.Place]int64{}}
	h.ok(s.Register(h.Ctx, guests, systems, kinds, func() string { return "abcdefgh" }))
	h.begin()
	return h
}

func (h *House) ok(err error) {
	h.T.Helper()
	if err != nil {
		h.T.Fatalf("got error %v, want none", err)
	}
}

func (h *House) refused(err, want error) {
	h.T.Helper()
	if !errors.Is(err, want) {
		h.T.Fatalf("got error %v, want %v", err, want)
	}
}

func (h *House) begin() {
	h.T.Helper()
	var err error
	h.Lease, err = h.Store.Begin(h.Ctx, guests, false, h.Now)
	h.ok(err)
}

// tick moves the clock by a second.
func (h *House) tick() { h.Now = h.Now.Add(time.Second) }

func ref(p record.Place, id string) record.Ref { return record.Ref{Kind: kinds[p.Side], ID: id} }

// text builds fields: text("name", "Ada", "city", "Ghent").
func text(pairs ...string) record.Fields {
	f := record.Fields{}
	for pair := range slices.Chunk(pairs, 2) {
		f[pair[0]] = record.OfText(pair[1])
	}
	return f
}

// bytesOf is the digest of a listing item that shows f.
func bytesOf(f record.Fields) record.Digest {
	return record.DigestOf(mapping, []byte(f.Digest()))
}

func (h *House) item(p record.Place, id string, f record.Fields) record.Seen {
	return record.Seen{
		Ref:    ref(p, id),
		Listed: bytesOf(f),
		Observation: record.Observation{
			Fields: f, At: h.Now, View: "list", Version: record.Version(f.Digest().String()),
		},
	}
}

func (h *House) full(p record.Place) record.Scan {
	h.T.Helper()
	s, err := h.Store.BeginScan(h.Ctx, h.Lease, p, record.ScanSpec{Full: true, Mapping: mapping}, h.Now, time.Hour)
	h.ok(err)
	h.reading[p] = s.ID
	return s
}

// scanOf is the place's open scan: the one begun by full, or a new one.
func (h *House) scanOf(p record.Place) int64 {
	h.T.Helper()
	if id := h.reading[p]; id != 0 {
		return id
	}
	return h.full(p).ID
}

// list shows items in a page of the place's scan, through the fast path as a pull
// does: what is known by its bytes is only marked as present.
func (h *House) list(p record.Place, items ...record.Seen) int {
	h.T.Helper()
	page := record.PageSeen{Scan: h.scanOf(p), Rows: len(items), Total: -1, At: h.Now}
	ids := make([]string, len(items))
	for i := range items {
		ids[i] = items[i].Ref.ID
	}
	known, err := h.Store.Known(h.Ctx, p, ids, nil)
	h.ok(err)
	for i, it := range items {
		if k := known[i]; k.Num != 0 && k.Listed != "" && k.Listed == it.Listed && it.Problem == "" {
			page.Present = append(page.Present, k.Num)
		} else {
			page.Items = append(page.Items, it)
		}
	}
	doubles, err := h.Store.SeePage(h.Ctx, h.Lease, p, page)
	h.ok(err)
	return doubles
}

// end ends the place's open scan.
func (h *House) end(p record.Place, complete bool) int {
	h.T.Helper()
	n, err := h.Store.EndScan(h.Ctx, h.Lease, h.scanOf(p), record.Certificate{Ended: h.Now, Complete: complete})
	h.ok(err)
	delete(h.reading, p)
	return n
}

// scan is list and end in one.
func (h *House) scan(p record.Place, items ...record.Seen) int {
	h.T.Helper()
	h.list(p, items...)
	return h.end(p, true)
}

// get shows a record as a read by id does.
func (h *House) get(p record.Place, id string, f record.Fields) {
	h.T.Helper()
	it := h.item(p, id, f)
	it.Observation.View = "get"
	h.ok(h.Store.See(h.Ctx, h.Lease, p, mapping, []record.Seen{it}))
}

func (h *House) entry(p record.Place, id string) record.Entry {
	h.T.Helper()
	e, ok, err := h.Store.Entry(h.Ctx, p, ref(p, id))
	h.ok(err)
	if !ok {
		h.T.Fatalf("entry %s of the %s side is not known", id, p.Side)
	}
	return e
}

func (h *House) pair(link record.LinkID) record.Pair {
	h.T.Helper()
	p, ok, err := h.Store.Pair(h.Ctx, link)
	h.ok(err)
	if !ok {
		h.T.Fatalf("link %d is not known", link)
	}
	return p
}

// linked is a settled pair "l1" and "r1" that both show f, listed and clean.
func (h *House) linked(f record.Fields) record.LinkID {
	h.T.Helper()
	return h.linkedAs("1", f)
}

func (h *House) linkedAs(id string, f record.Fields) record.LinkID {
	h.T.Helper()
	h.list(left, h.item(left, "l"+id, f))
	h.list(right, h.item(right, "r"+id, f))
	link, err := h.Store.Join(h.Ctx, h.Lease, h.entry(left, "l"+id).Num, h.entry(right, "r"+id).Num, "entity-"+id, h.Now)
	h.ok(err)
	h.ok(h.Store.Adopt(h.Ctx, h.Lease, link, [2]record.Fields{f, f}, h.Now))
	h.end(left, false)
	h.end(right, false)
	h.tick()
	h.list(left, h.item(left, "l"+id, f))
	h.list(right, h.item(right, "r"+id, f))
	h.end(left, false)
	h.end(right, false)
	h.tick()
	return link
}

// intent is a change of a link's right side.
func (h *House) intent(link record.LinkID, before, after record.Fields) record.Intent {
	h.ids++
	return record.Intent{
		ID: fmt.Sprintf("01TEST%020d", h.ids), Place: right, Link: link, Reason: "changed on the left", Made: h.Now,
		Change: record.Change{Op: record.Update, Ref: ref(right, "r1"), Fields: after, Before: before},
	}
}

// write opens, sends and settles a change of the right side; the answer shows what
// was written.
func (h *House) write(i record.Intent, settle time.Duration) {
	h.T.Helper()
	h.open(i)
	_, err := h.Store.SettleIntent(h.Ctx, h.Lease, h.receipt(i, settle))
	h.ok(err)
}

func (h *House) open(i record.Intent) {
	h.T.Helper()
	i.SentAt = h.Now
	h.ok(h.Store.OpenIntent(h.Ctx, h.Lease, i))
}

// unsent notes a change that ended before anything of it was sent.
func (h *House) unsent(i record.Intent, class string) {
	h.T.Helper()
	i.Class, i.Error, i.EndedAt = class, "why", h.Now
	h.ok(h.Store.NoteUnsent(h.Ctx, h.Lease, i))
}

func (h *House) receipt(i record.Intent, settle time.Duration) record.Receipt {
	return record.Receipt{
		Intent: i.ID, Ref: i.Change.Ref, Version: "answered", Fields: i.Change.Fields, At: h.Now,
		SettleUntil: h.Now.Add(settle),
	}
}

// is ends the test unless got is what was wanted.
func is[T comparable](h *House, what string, got, want T) {
	h.T.Helper()
	if got != want {
		h.T.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// shows ends the test unless the entry is known to hold f.
func (h *House) shows(p record.Place, id string, f record.Fields) {
	h.T.Helper()
	e := h.entry(p, id)
	if got := e.Last(); !got.Equal(f) {
		h.T.Fatalf("entry %s: got fields %v, want %v", id, got, f)
	}
}
