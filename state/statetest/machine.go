package statetest

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"nightporter/sync/record"
)

// roundTrip stores any value as base and as observation and reads it back.
func roundTrip(t *testing.T, h *House) {
	link := h.linked(text("name", "Ada"))
	rapid.Check(t, func(rt *rapid.T) {
		h.T = rt
		defer func() { h.T = t }()
		f := record.Fields{"v": value(3).Draw(rt, "value"), "name": record.OfText(rapid.String().Draw(rt, "name"))}
		h.tick()
		h.get(left, "l1", f)
		h.shows(left, "l1", f)
		h.ok(h.Store.Adopt(h.Ctx, h.Lease, link, [2]record.Fields{f, nil}, h.Now))
		if e := h.entry(left, "l1"); e.Seen != nil || !e.Base.Fields().Equal(f) {
			h.T.Fatalf("got base %v and observation %v, want base %v", e.Base.Fields(), e.Seen, f)
		}
	})
}

func value(depth int) *rapid.Generator[record.Value] {
	leaf := []*rapid.Generator[record.Value]{
		rapid.Just(record.Nothing()),
		rapid.Map(rapid.String(), record.OfText),
		rapid.Map(rapid.Bool(), record.OfBool),
		rapid.Map(rapid.Int64(), record.OfInt),
		rapid.Just(record.OfContent("d1", 7, "image/png")),
	}
	if depth == 0 {
		return rapid.OneOf(leaf...)
	}
	inner := rapid.Deferred(func() *rapid.Generator[record.Value] { return value(depth - 1) })
	return rapid.OneOf(append(leaf,
		rapid.Map(rapid.SliceOfN(inner, 0, 3), func(vs []record.Value) record.Value { return record.OfList(vs...) }),
		rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "$content", "b"}), inner, 0, 3), record.OfMap),
	)...)
}

// noEditLost: one linked record, edited by people and by us, read by lists that may
// lag behind our writes, judged, parked and planned in any order. Whatever happened,
// a listing begun after the settle time leaves the store knowing what the record
// holds, and the pair dirty if that is not its base.
func noEditLost(t *testing.T, h *House) {
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		m := newMachine(h, rt, n)
		defer func() { h.T = t }()
		rt.Repeat(map[string]func(*rapid.T){
			"edit":     m.edit,
			"list":     m.list,
			"get":      m.get,
			"plan":     m.plan,
			"conflict": m.conflict,
			"park":     m.park,
			"wait":     m.wait,
			"touch":    m.touch,
			"open":     m.open,
			"apply":    m.apply,
			"settle":   m.settle,
			"fail":     m.fail,
			"missing":  m.missing,
			"later":    m.later,
		})
		m.finish()
	})
}

// machine is one record and what the outside world knows of it.
type machine struct {
	*House
	id      string
	link    record.LinkID
	num     int64
	truth   record.Fields // what the record holds
	old     record.Fields // what lists that lag still show
	lag     time.Time     // until when they may
	intent  record.Intent // the open change, if it has an ID
	applied bool
	base    record.Fields // the model's: what was last agreed
}

func newMachine(h *House, rt *rapid.T, n int) *machine {
	h.T = rt
	m := &machine{House: h, id: string(rune('a' + n%26)), truth: draw(rt), intent: record.Intent{}}
	m.id += time.Duration(n).String()
	h.tick()
	m.link = h.linkedAs(m.id, m.truth)
	m.num = h.entry(right, "r"+m.id).Num
	m.base = m.truth
	return m
}

// draw takes values from a small set, so that an edit often goes back.
func draw(rt *rapid.T) record.Fields {
	one := rapid.SampledFrom([]string{"Ada", "Eve"})
	return text("name", one.Draw(rt, "name"), "city", one.Draw(rt, "city"))
}

func (m *machine) edit(rt *rapid.T) { m.tick(); m.truth = draw(rt) }

func (m *machine) later(*rapid.T) { m.Now = m.Now.Add(10 * time.Second) }

// list shows the record; within the settle time perhaps as it was before our write.
func (m *machine) list(rt *rapid.T) {
	m.tick()
	shown := m.truth
	if m.Now.Before(m.lag) && rapid.Bool().Draw(rt, "lags") {
		shown = m.old
	}
	m.House.list(right, m.item(right, "r"+m.id, shown))
	m.end(right, false)
	if shown.Equal(m.truth) && !m.Now.Before(m.lag) {
		m.knows()
	}
}

func (m *machine) get(*rapid.T) {
	m.tick()
	m.House.get(right, "r"+m.id, m.truth)
}

func (m *machine) plan(*rapid.T) {
	if m.intent.ID != "" {
		return // an unsettled link is not planned
	}
	m.tick()
	e := m.entry(right, "r"+m.id)
	m.base = e.Last()
	m.ok(m.Store.Adopt(m.Ctx, m.Lease, m.link, [2]record.Fields{nil, m.base}, m.Now))
}

func (m *machine) conflict(rt *rapid.T) {
	m.tick()
	var cs []record.Question
	if rapid.Bool().Draw(rt, "open") {
		cs = append(cs, record.Question{Subject: record.Subject{Field: "name"}, Left: m.truth["name"]})
	}
	m.ok(m.Store.Ask(m.Ctx, m.Lease, m.link, 0, cs, m.Now))
}

func (m *machine) park(rt *rapid.T) {
	st := rapid.SampledFrom([]record.EntryState{record.Held, record.Refused, record.LeftOut, record.Quarantined}).Draw(rt, "state")
	m.ok(m.Store.Park(m.Ctx, m.Lease, m.num, st, "", "why"))
}

func (m *machine) wait(*rapid.T) {
	on := []record.Wait{{Binding: "stays", Ref: record.Ref{Kind: "rooms", ID: "1"}}}
	m.ok(m.Store.WaitFor(m.Ctx, m.Lease, m.num, on, "why", m.Now))
}

func (m *machine) touch(*rapid.T) { m.ok(m.Store.Touch(m.Ctx, m.Lease, []int64{m.num})) }

func (m *machine) missing(*rapid.T) {
	m.tick()
	m.full(right)
	m.end(right, true)
}

// open begins a change; what it will write is all of the record.
func (m *machine) open(rt *rapid.T) {
	if m.intent.ID != "" {
		return
	}
	m.tick()
	e := m.entry(right, "r"+m.id)
	m.intent = m.House.intent(m.link, e.Last(), draw(rt))
	m.intent.Change.Ref.ID = "r" + m.id
	m.applied = false
	m.House.open(m.intent)
}

// apply is the moment at which the system does what was sent. A verified write
// replaces what it was decided upon.
func (m *machine) apply(*rapid.T) {
	if m.intent.ID == "" || m.applied || !m.truth.Equal(m.intent.Change.Before) {
		return
	}
	m.old, m.truth, m.applied = m.truth, m.intent.Change.Fields, true
	m.lag = m.Now.Add(time.Hour) // until the receipt says how long
}

// settle is the answer, which shows the record at that moment.
func (m *machine) settle(*rapid.T) {
	if m.intent.ID == "" || !m.applied {
		return
	}
	m.tick()
	r := m.receipt(m.intent, 5*time.Second)
	_, err := m.Store.SettleIntent(m.Ctx, m.Lease, r)
	m.ok(err)
	m.lag, m.base, m.intent = r.SettleUntil, m.intent.Change.Fields, record.Intent{}
	if e := m.entry(right, "r"+m.id); e.Listed != "" {
		m.T.Fatalf("a receipt left a listing remembered")
	}
}

func (m *machine) fail(*rapid.T) {
	if m.intent.ID == "" || m.applied {
		return
	}
	m.ok(m.Store.FailIntent(m.Ctx, m.Lease, m.intent.ID, record.Cancelled, "", "", m.Now))
	m.intent = record.Intent{}
}

// knows is the law.
func (m *machine) knows() {
	m.T.Helper()
	m.shows(right, "r"+m.id, m.truth)
	e := m.entry(right, "r"+m.id)
	if got := e.Base.Fields(); !got.Equal(m.base) {
		m.T.Fatalf("got base %v, want %v: only a plan or a receipt moves it", got, m.base)
	}
	if open := m.intent.ID != ""; e.Seen == nil != (m.truth.Equal(m.base) && !open) { // an open change may move the base
		m.T.Fatalf("got observation %v for %v over base %v, a change open: %t", e.Seen, m.truth, m.base, open)
	}
	if e.State.Doubted() {
		m.T.Fatalf("a record that was just shown is a suspect")
	}
	dirty, err := m.Store.Dirty(m.Ctx, guests, m.link-1, 1)
	m.ok(err)
	is(m.House, "dirty", len(dirty) == 1 && dirty[0].Link == m.link,
		(e.Seen != nil || e.Dirty) && m.intent.ID == "")
}

// finish lets the settle time pass and lists the record once more.
func (m *machine) finish() {
	if m.applied && m.intent.ID != "" {
		m.settle(nil)
	}
	m.Now = m.Now.Add(time.Hour)
	m.House.list(right, m.item(right, "r"+m.id, m.truth))
	m.end(right, false)
	m.knows()
	if m.intent.ID != "" {
		m.ok(m.Store.FailIntent(m.Ctx, m.Lease, m.intent.ID, record.Cancelled, "", "", m.Now))
	}
	m.ok(m.Store.Adopt(m.Ctx, m.Lease, m.link, [2]record.Fields{}, m.Now))
}
