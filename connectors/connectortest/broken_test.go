package connectortest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/record"
)

// watcher is a testing.TB that keeps its verdict to itself.
type watcher struct {
	testing.TB
	name string
	ctx  context.Context //nolint:containedctx // it is what testing.TB's own Context gives

	mu       sync.Mutex
	failures []string
	skipped  bool
	cleanups []func()
}

func (w *watcher) fail(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failures = append(w.failures, text)
}
func (w *watcher) Helper()                   {}
func (w *watcher) Name() string              { return w.name }
func (w *watcher) Context() context.Context  { return w.ctx }
func (w *watcher) Log(...any)                {}
func (w *watcher) Error(a ...any)            { w.fail(fmt.Sprint(a...)) }
func (w *watcher) Errorf(f string, a ...any) { w.fail(fmt.Sprintf(f, a...)) }
func (w *watcher) Fatal(a ...any)            { w.fail(fmt.Sprint(a...)); runtime.Goexit() }
func (w *watcher) Fatalf(f string, a ...any) { w.fail(fmt.Sprintf(f, a...)); runtime.Goexit() }
func (w *watcher) Skip(...any)               { w.skipped = true; runtime.Goexit() }
func (w *watcher) Cleanup(f func())          { w.cleanups = append(w.cleanups, f) }

// verdict tells a chapter about a subject and returns what it found.
func verdict(t *testing.T, c chapter, subject func(testing.TB) Subject) (failures []string, skipped bool) {
	t.Helper()
	w := &watcher{TB: t, name: t.Name(), ctx: t.Context()}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for _, f := range w.cleanups {
				f()
			}
		}()
		c.tell(begin(w, subject(w)))
	}()
	<-done
	return w.failures, w.skipped
}

// broken is a connector with one method replaced.
type broken struct {
	whole
	fetch  func(context.Context, whole, connectors.Query, record.Cursor) (connectors.Page, error)
	apply  func(context.Context, whole, record.Change) (record.Record, error)
	get    func(context.Context, whole, record.Ref, connectors.Scope) (record.Record, error)
	find   func(context.Context, whole, record.Kind, record.Fields, connectors.Scope) ([]record.Record, error)
	change func(*connectors.Kind)
	// notified reads deliveries; nil: as it should be. silent: the system does not call.
	notified func(http.Header, []byte) ([]connectors.Hint, error)
	silent   bool
}

// Accepts asks the sound connector, where it can be asked.
func (b broken) Accepts(ctx context.Context, ref record.Ref, f record.Fields, stamp string) (bool, error) {
	if a, ok := b.whole.(connectors.Asker); ok {
		return a.Accepts(ctx, ref, f, stamp)
	}
	return false, connectors.Wrong(connectors.Unsupported, "accepts", "there is no condition")
}

type whole interface {
	connectors.Connector
	connectors.Writer
	connectors.Getter
	connectors.Finder
}

func (b broken) Describe(ctx context.Context) (connectors.Description, error) {
	d, err := b.whole.Describe(ctx)
	d.Notifies = !b.silent
	if b.change != nil {
		k := d.Kinds["guests"]
		b.change(&k)
		d.Kinds["guests"] = k
	}
	return d, err
}

func (b broken) Fetch(ctx context.Context, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	if b.fetch != nil {
		return b.fetch(ctx, b.whole, q, after)
	}
	return b.whole.Fetch(ctx, q, after)
}

func (b broken) Apply(ctx context.Context, ch record.Change) (record.Record, error) {
	if b.apply != nil {
		return b.apply(ctx, b.whole, ch)
	}
	return b.whole.Apply(ctx, ch)
}

func (b broken) Get(ctx context.Context, ref record.Ref, scope connectors.Scope) (record.Record, error) {
	if b.get != nil {
		return b.get(ctx, b.whole, ref, scope)
	}
	return b.whole.Get(ctx, ref, scope)
}

func (b broken) Find(ctx context.Context, k record.Kind, by record.Fields, scope connectors.Scope) ([]record.Record, error) {
	if b.find != nil {
		return b.find(ctx, b.whole, k, by, scope)
	}
	return b.whole.Find(ctx, k, by, scope)
}

func guest(i int) record.Fields {
	return record.Fields{
		"name": record.OfText(fmt.Sprintf("Guest No. %d", i)), "phone": record.OfText(fmt.Sprintf("+39055500%04d", i)),
		"first": record.OfText("2031-03-15"), "last": record.OfText("2031-03-16"),
	}
}

// house is a system that can do everything.
func house() memory.Kind {
	return memory.Kind{
		PageSize: 5, Paging: memory.Keyset, Total: true, Delete: true, Unique: [][]string{{"phone"}}, FindBy: [][]string{{"phone"}},
		Required: []string{"name"}, Versions: true, Times: true, Since: true, Window: [2]string{"first", "last"},
		Stamp: connectors.Stamp{Path: "reference", Find: true, Unique: true},
	}
}

func subjectOf(k memory.Kind, b broken, alter func(*memory.System)) func(testing.TB) Subject {
	return func(testing.TB) Subject {
		now := time.Unix(1_900_000_000, 0).UTC()
		s := memory.New(memory.Options{Kinds: map[record.Kind]memory.Kind{"guests": k}, Now: func() time.Time { return now }})
		if alter != nil {
			alter(s)
		}
		sub := Subject{
			Kind: "guests", Sample: guest, Text: "notes", Delivery: delivered(),
			Open: func(testing.TB) connectors.Connector {
				c := b
				c.whole = wholly(s.Connector())
				return c
			},
			Put:    func(_ testing.TB, f record.Fields) string { return s.Put("guests", f) },
			PutAs:  func(_ testing.TB, id string, f record.Fields) bool { return s.PutAs("guests", id, f) == id },
			Edit:   func(_ testing.TB, id string, f record.Fields) { s.Edit("guests", id, f) },
			Remove: func(_ testing.TB, id string) { s.Remove("guests", id) },
			Status: record.OfText("confirmed"), Refused: guest(50).With(record.Fields{"first": record.OfText("full")}),
			Later: map[bool]string{true: "notes"}[len(k.ListHides) > 0],
			Tick:  func() { now = now.Add(time.Minute) }, Mutations: func() int { return s.Counts().Mutations },
		}
		if len(k.Contents) > 0 {
			uploaded(&sub, s)
		}
		return sub
	}
}

// Each connector here is wrong in one way, and the chapter that is about it must
// say so; as it should be, it must say nothing.
func TestABrokenConnectorFails(t *testing.T) {
	always := func(f memory.Fault) func(*memory.System) {
		f.Times = -1
		return func(s *memory.System) { s.Inject(f) }
	}
	lossy := house()
	lossy.Normalise = map[string]func(record.Value) record.Value{"notes": func(v record.Value) record.Value {
		if v.Type() == record.Text {
			return record.OfText(strings.TrimSpace(v.Text()))
		}
		return v
	}}
	asks := house()
	asks.Status = "status"
	asks.Accept = func(_ []record.Record, r record.Record) bool { return r.Fields["first"].Text() != "full" }
	deafToRefusals := asks
	deafToRefusals.Accept = func([]record.Record, record.Record) bool { return true }
	journal := house()
	journal.NoUpdate, journal.Delete, journal.Versions = true, false, false
	reader := house()
	reader.NoCreate, reader.NoUpdate, reader.Delete, reader.Versions, reader.Silent = true, true, false, false, true
	late := house()
	late.ListHides, late.Unfinished = []string{"notes"}, func(shown record.Fields) *record.Unfinished {
		if shown["notes"].Text() != "" {
			return nil
		}
		return &record.Unfinished{Lacks: []string{"notes"}, Within: time.Hour}
	}
	for name, x := range map[string]struct {
		chapter string
		kind    memory.Kind
		broken  broken
		alter   func(*memory.System)
	}{
		"has no fields it names":   {"it describes itself", house(), broken{change: func(k *connectors.Kind) { k.Fields = map[string]connectors.Field{"name": {}} }}, nil},
		"has no page size":         {"it describes itself", house(), broken{change: func(k *connectors.Kind) { k.PageSize = 0 }}, nil},
		"knows any field":          {"what it does not declare it does not do", house(), broken{find: findsAll}, nil},
		"writes what it denies":    {"what it does not declare it does not do", house(), broken{change: func(k *connectors.Kind) { k.Update = false }}, nil},
		"fails when empty":         {"an empty system is one empty page", house(), broken{}, always(memory.Fault{Call: memory.CallFetch, Class: connectors.NotFound})},
		"loses a row a page":       {"pages of just the size, one less and one more", house(), broken{}, always(memory.Fault{Call: memory.CallFetch, Drop: 1})},
		"gives no real total":      {"pages of just the size, one less and one more", house(), broken{fetch: totalOff}, nil},
		"goes on one too far":      {"it goes on at every cursor", house(), broken{fetch: skipsOnResume()}, nil},
		"bytes change alone":       {"the same record is the same bytes", house(), broken{fetch: restless()}, nil},
		"bytes stay":               {"the same record is the same bytes", house(), broken{fetch: constant}, nil},
		"shows other fields":       {"only the fields that were asked for are counted on", house(), broken{fetch: firstFieldOnly}, nil},
		"cleans ids":               {"ids may hold any character", house(), broken{get: cleansIDs}, nil},
		"a page is not all":        {"pages of just the size, one less and one more", house(), broken{change: func(k *connectors.Kind) { k.OnePage = true }}, nil},
		"after, not from":          {"many records have the same time of change", house(), broken{fetch: sinceNothing}, nil},
		"nothing is new":           {"since then", house(), broken{fetch: sinceNothing}, nil},
		"since the end":            {"what changes during a scan comes with the next", house(), broken{fetch: sinceNothing}, nil},
		"no window":                {"a window of days", house(), broken{}, always(memory.Fault{Call: memory.CallFetch, FilterIgnored: true})},
		"changes of its days":      {"what left the window", house(), broken{fetch: sinceInDays}, nil},
		"not there is an error":    {"one record by its id", house(), broken{get: transientGet}, nil},
		"shows what is lacked":     {"what comes later", late, broken{get: notYetIsEmpty}, nil},
		"never says it is whole":   {"what comes later", late, broken{get: neverWhole}, nil},
		"answers other values":     {"a create", house(), broken{apply: answers("name")}, nil},
		"creates twice":            {"a create", house(), broken{apply: doubles}, nil},
		"makes up a default":       {"what a create needs", house(), broken{apply: defaults}, nil},
		"forgets the stamp":        {"our reference", house(), broken{apply: stampless}, nil},
		"ignores its key":          {"an idempotency key", house(), broken{change: func(k *connectors.Kind) { k.Idempotent = true }}, nil},
		"empties the rest":         {"an update", house(), broken{apply: empties}, nil},
		"ignores the version":      {"an update that came too late", house(), broken{apply: versionless}, nil},
		"rejects what is stale":    {"an update of what is no longer so", house(), broken{apply: rejects}, nil},
		"an action does more":      {"a change of status", asks, broken{apply: actsMore}, nil},
		"a condition is not asked": {"a condition of acceptance", deafToRefusals, broken{}, nil},
		"hides":                    {"a removal", house(), broken{apply: pretends}, nil},
		"filter ignored":           {"a question", house(), broken{}, always(memory.Fault{Call: memory.CallFind, FilterIgnored: true})},
		"finds nothing":            {"a question", house(), broken{}, always(memory.Fault{Call: memory.CallFind, Empty: true})},
		"rejects what is there":    {"the same record a second time", house(), broken{apply: rejects}, nil},
		"null becomes a word":      {"null, empty and not there", house(), broken{apply: nullWord}, nil},
		"trims":                    {"odd texts", lossy, broken{}, nil},
		"sends all the same":       {"nobody waits any more", house(), broken{apply: deaf}, nil},
		"marks what was read":      {"what is only read stays as it is", house(), broken{get: marks}, nil},
		"counts who asked":         {"what is only read stays as it is", reader, broken{fetch: restless()}, nil},
		"promises answers":         {"what is only read stays as it is", reader, broken{change: func(k *connectors.Kind) { k.Answers = true }}, nil},
		"writes over the first":    {"what is only added to", journal, broken{apply: overTheFirst()}, nil},
		"loses one of several":     {"what is only added to", journal, broken{apply: losesOne()}, nil},
		"changes what it denies":   {"what is only added to", house(), broken{change: func(k *connectors.Kind) { k.Update, k.Delete = false, false }}, nil},
		"acts on another":          {"an action and nothing else", asks, broken{apply: actsOnTheFirst()}, nil},
		"acts on what is gone":     {"an action and nothing else", asks, broken{apply: neverGone}, nil},
		"answers for another":      {"an action and nothing else", asks, broken{apply: answersForAnother}, nil},
		"drops the cause":          {"nobody waits any more", house(), broken{fetch: causeless}, nil},
		"names what is no field":   {"it describes itself", house(), broken{change: misspelt}, nil},
		"contents without creates": {"it describes itself", house(), broken{change: contentsAlone}, nil},
		"is deaf after a while":    {"a call from the system", house(), broken{notified: sixTimes()}, nil},
		"acts and resets":          {"an action and nothing else", asks, broken{apply: actsMore}, nil},
		"names no record":          {"a call from the system", house(), broken{notified: kindOnly}, nil},
		"names another":            {"a call from the system", house(), broken{notified: hinting(func(h *connectors.Hint) { h.Ref.ID += "0" })}, nil},
		"reads thin ones alone":    {"a call from the system", house(), broken{notified: thinOnly}, nil},
		"reads the first alone":    {"a call from the system", house(), broken{notified: firstOnly}, nil},
		"an event is its record":   {"a call from the system", house(), broken{notified: hinting(func(h *connectors.Hint) { h.EventID = h.Ref.ID })}, nil},
		"all events are one":       {"a call from the system", house(), broken{notified: hinting(func(h *connectors.Hint) { h.EventID = "1" })}, nil},
		"an event comes once":      {"a call from the system", house(), broken{notified: onceOnly()}, nil},
		"writes in the body":       {"a call from the system", house(), broken{notified: scribbles}, nil},
		"a call is an error":       {"a call from the system", house(), broken{notified: refuses}, nil},
		"takes any kind":           {"a call that nobody understands", house(), broken{notified: anyKind}, nil},
		"strange is an error":      {"a call that nobody understands", house(), broken{notified: strangeIsWrong}, nil},
		"takes any body":           {"a call that nobody understands", house(), broken{notified: takesAll}, nil},
		"repeats what was said":    {"a call that nobody understands", house(), broken{notified: repeats}, nil},
		"an error of no class":     {"a call that nobody understands", house(), broken{notified: plainError}, nil},
		"one at a time":            {"several at a time", house(), broken{fetch: oneAtATime()}, nil},
		"another order of bytes":   {"everything twice", house(), broken{fetch: restless()}, nil},
		"closed is empty":          {"goodbye", house(), broken{fetch: emptyWhenClosed}, nil},
		"tells who it was":         {"the same record a second time", house(), broken{apply: indiscreet}, nil},
		"no class":                 {"the same record a second time", house(), broken{apply: classless}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range chapters() {
				if c.name != x.chapter {
					continue
				}
				if failures, _ := verdict(t, c, subjectOf(x.kind, x.broken, x.alter)); len(failures) == 0 {
					t.Errorf("%q does not notice", c.name)
				}
				sound := house()
				if c.name == "a change of status" || c.name == "a condition of acceptance" {
					sound = asks
				}
				switch c.name {
				case "what comes later":
					sound = late
				case "what is only added to":
					sound = journal
				case "an action and nothing else":
					sound = asks
				}
				if c.name == "what is only read stays as it is" && x.kind.NoCreate {
					sound = reader
				}
				if name == "ignores its key" {
					return // the house itself has none
				}
				if failures, skipped := verdict(t, c, subjectOf(sound, broken{}, nil)); len(failures) > 0 || skipped {
					t.Errorf("%q about a sound connector: skipped %t, %v", c.name, skipped, failures)
				}
				return
			}
			t.Errorf("there is no chapter %q", x.chapter)
		})
	}
}

func findsAll(ctx context.Context, w whole, k record.Kind, _ record.Fields, s connectors.Scope) ([]record.Record, error) {
	return w.Find(ctx, k, record.Fields{"phone": record.OfText("x")}, s)
}

func totalOff(ctx context.Context, w whole, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	p, err := w.Fetch(ctx, q, after)
	p.Total = len(p.Items)
	return p, err
}

// skipsOnResume loses a row whenever a cursor is used a second time.
func skipsOnResume() func(context.Context, whole, connectors.Query, record.Cursor) (connectors.Page, error) {
	used := map[record.Cursor]bool{}
	return func(ctx context.Context, w whole, q connectors.Query, after record.Cursor) (connectors.Page, error) {
		p, err := w.Fetch(ctx, q, after)
		if used[after] && len(p.Items) > 0 {
			p.Items = p.Items[1:]
		}
		used[after] = true
		return p, err
	}
}

func restless() func(context.Context, whole, connectors.Query, record.Cursor) (connectors.Page, error) {
	n := 0
	return func(ctx context.Context, w whole, q connectors.Query, after record.Cursor) (connectors.Page, error) {
		p, err := w.Fetch(ctx, q, after)
		n++
		for i := range p.Items {
			p.Items[i].Raw = append(bytes.Clone(p.Items[i].Raw), bytes.Repeat([]byte(" "), n)...)
		}
		return p, err
	}
}

func constant(ctx context.Context, w whole, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	p, err := w.Fetch(ctx, q, after)
	read, raw := p.Read, map[string][]byte{}
	for i, item := range p.Items {
		raw[item.ID], p.Items[i].Raw = item.Raw, []byte(item.ID)
	}
	p.Read = func(item connectors.Item) (record.Record, error) {
		item.Raw = raw[item.ID]
		return read(item)
	}
	return p, err
}

func firstFieldOnly(ctx context.Context, w whole, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	q.Fields = []string{"name"}
	return w.Fetch(ctx, q, after)
}

func cleansIDs(ctx context.Context, w whole, ref record.Ref, s connectors.Scope) (record.Record, error) {
	ref.ID = strings.ReplaceAll(ref.ID, "/", "")
	return w.Get(ctx, ref, s)
}

func sinceNothing(ctx context.Context, w whole, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	p, err := w.Fetch(ctx, q, after)
	if q.Mode == connectors.Since {
		p.Items = nil
	}
	return p, err
}

func sinceInDays(ctx context.Context, w whole, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	if q.Mode == connectors.Since {
		q.Scope = connectors.Scope{From: "2031-03-10", To: "2031-03-20"}
	}
	return w.Fetch(ctx, q, after)
}

func notYetIsEmpty(ctx context.Context, w whole, ref record.Ref, scope connectors.Scope) (record.Record, error) {
	r, err := w.Get(ctx, ref, scope)
	if r.Unfinished != nil {
		r.Fields["notes"] = record.Nothing()
	}
	return r, err
}

func neverWhole(ctx context.Context, w whole, ref record.Ref, scope connectors.Scope) (record.Record, error) {
	r, err := w.Get(ctx, ref, scope)
	r.Unfinished = &record.Unfinished{Lacks: []string{"notes"}, Within: time.Hour}
	return r, err
}

func transientGet(ctx context.Context, w whole, ref record.Ref, s connectors.Scope) (record.Record, error) {
	r, err := w.Get(ctx, ref, s)
	if err != nil {
		return r, connectors.Wrong(connectors.Transient, "get", "something")
	}
	return r, nil
}

func answers(field string) func(context.Context, whole, record.Change) (record.Record, error) {
	return func(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
		r, err := w.Apply(ctx, ch)
		r.Fields = r.Fields.With(record.Fields{field: record.OfText("somebody else")})
		return r, err
	}
}

func doubles(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	r, err := w.Apply(ctx, ch)
	if err == nil {
		_, _ = w.Apply(ctx, record.Change{Op: record.Update, Ref: r.Ref, Fields: record.Fields{"extra": record.OfText("x")}})
	}
	return r, err
}

func defaults(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	if !ch.Fields["name"].Observed() {
		ch.Fields = ch.Fields.With(record.Fields{"name": record.OfText("N. N.")})
	}
	return w.Apply(ctx, ch)
}

func stampless(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	ch.Stamp = ""
	return w.Apply(ctx, ch)
}

func empties(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	if ch.Op == record.Update {
		ch.Fields = ch.Fields.With(record.Fields{"last": record.Nothing()})
	}
	return w.Apply(ctx, ch)
}

func versionless(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	ch.Version = ""
	return w.Apply(ctx, ch)
}

func rejects(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	if ch.Op == record.Update && ch.Before != nil {
		return record.Record{}, connectors.Wrong(connectors.Rejected, "update", "no")
	}
	r, err := w.Apply(ctx, ch)
	if err != nil {
		err = connectors.Wrong(connectors.Rejected, "apply", "no")
	}
	return r, err
}

func actsMore(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	r, err := w.Apply(ctx, ch)
	if ch.Op == record.Action && err == nil {
		return w.Apply(ctx, record.Change{Op: record.Update, Ref: ch.Ref, Fields: record.Fields{"notes": record.OfText("confirmed by us")}})
	}
	return r, err
}

func pretends(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	if ch.Op == record.Delete {
		return record.Record{Ref: ch.Ref}, nil
	}
	return w.Apply(ctx, ch)
}

func nullWord(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	if ch.Fields["notes"].Type() == record.Null {
		ch.Fields = record.Fields{"notes": record.OfText("null")}
	}
	return w.Apply(ctx, ch)
}

func deaf(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	r, err := w.Apply(context.WithoutCancel(ctx), ch)
	if err == nil && ctx.Err() != nil {
		err = &connectors.Error{Class: connectors.Transient, Op: "apply", Err: ctx.Err()}
	}
	return r, err
}

// oneAtATime answers Transient while another call is under way.
func oneAtATime() func(context.Context, whole, connectors.Query, record.Cursor) (connectors.Page, error) {
	var mu sync.Mutex
	begun := 0
	second := make(chan struct{})
	return func(ctx context.Context, w whole, q connectors.Query, after record.Cursor) (connectors.Page, error) {
		mu.Lock()
		begun++
		n := begun
		mu.Unlock()
		switch n {
		case 1:
			<-second // until another one came, and was turned away
		case 2:
			close(second)
			return connectors.Page{}, connectors.Wrong(connectors.Transient, "fetch", "busy")
		}
		return w.Fetch(ctx, q, after)
	}
}

func emptyWhenClosed(ctx context.Context, w whole, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	p, err := w.Fetch(ctx, q, after)
	if err != nil {
		return connectors.Page{End: true}, nil //nolint:nilerr // that is what is wrong with it
	}
	return p, nil
}

func indiscreet(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	r, err := w.Apply(ctx, ch)
	if err != nil {
		err = connectors.Wrong(connectors.Exists, "create", "%s is taken", ch.Fields["phone"].Text())
	}
	return r, err
}

func classless(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	r, err := w.Apply(ctx, ch)
	if err != nil {
		err = errors.New("no")
	}
	return r, err
}
