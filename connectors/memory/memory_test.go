package memory_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/record"
)

var text = record.OfText

// all is a connector that can do everything.
type all interface {
	connectors.Connector
	connectors.Writer
	connectors.Getter
	connectors.Finder
}

func create(f record.Fields) record.Change {
	return record.Change{ID: "c" + f.Digest().String(), Op: record.Create, Ref: record.Ref{Kind: "guests"}, Fields: f}
}

func update(id string, f record.Fields) record.Change {
	return record.Change{Op: record.Update, Ref: record.Ref{Kind: "guests", ID: id}, Fields: f}
}

// scan lists the ids to the end, or to the first error.
func scan(t testing.TB, c connectors.Connector) (ids []string, err error) {
	t.Helper()
	after := record.Cursor("")
	for range 100 {
		p, err := c.Fetch(t.Context(), connectors.Query{Kind: "guests"}, after)
		if err != nil {
			return ids, err
		}
		for _, item := range p.Items {
			ids = append(ids, item.ID)
		}
		if p.End {
			return ids, nil
		}
		after = p.Next
	}
	return ids, errors.New("no end")
}

func TestConnectorIsWhatItCanDo(t *testing.T) {
	accept := func([]record.Record, record.Record) bool { return true }
	for bits := range 16 {
		k := memory.Kind{NoCreate: bits&1 == 0, NoUpdate: bits&1 == 0, NoGet: bits&2 == 0, FindAny: bits&4 != 0}
		if bits&8 != 0 {
			k.Accept = accept
		}
		c := newSystem(k).Connector()
		_, w := c.(connectors.Writer)
		_, g := c.(connectors.Getter)
		_, f := c.(connectors.Finder)
		_, a := c.(connectors.Asker)
		writes := bits&1 != 0
		if got, want := fmt.Sprint(w, g, f, a), fmt.Sprint(writes, bits&2 != 0, bits&4 != 0, writes && bits&8 != 0); got != want {
			t.Errorf("%04b: writer, getter, finder, asker = %s, want %s", bits, got, want)
		}
	}
	steps := memory.Kind{NoCreate: true, NoUpdate: true, Status: "email"}
	if _, w := newSystem(steps).Connector().(connectors.Writer); !w {
		t.Error("a kind of which the status alone can be written has no writer")
	}
}

func TestClassKind(t *testing.T) {
	for class, listed := range map[connectors.Class]bool{"A": true, "B": true, "C": true, "D": true, "E": false} {
		k := memory.ClassKind(memory.Kind{}, class, []string{"phone"})
		d, err := newSystem(k).Connector().Describe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Kinds["guests"].Class(false, listed); got != class {
			t.Errorf("class %s describes itself as %s", class, got)
		}
		if finds := len(d.Kinds["guests"].FindBy) > 0; finds != (class != "E") {
			t.Errorf("class %s can be looked up: %t", class, finds)
		}
	}
}

func TestFaults(t *testing.T) {
	for name, tt := range map[string]struct {
		fault memory.Fault
		ids   int
		class connectors.ErrorClass
	}{
		"none":              {memory.Fault{}, 20, ""},
		"transient":         {memory.Fault{Call: memory.CallFetch, Class: connectors.Transient}, 0, connectors.Transient},
		"on the third page": {memory.Fault{Call: memory.CallFetch, Skip: 2, Class: connectors.Throttled}, 14, connectors.Throttled},
		"of another kind":   {memory.Fault{Call: memory.CallFetch, Kind: "stays", Class: connectors.Transient}, 20, ""},
		"of another call":   {memory.Fault{Call: memory.CallGet, Class: connectors.Transient}, 20, ""},
		"empty":             {memory.Fault{Call: memory.CallFetch, Empty: true}, 0, ""},
		"ends early":        {memory.Fault{Call: memory.CallFetch, Skip: 1, Empty: true}, 7, ""},
		"offset ignored":    {memory.Fault{Call: memory.CallFetch, Skip: 1, OffsetIgnored: true}, 7 + 7 + 6, ""},
		"drop":              {memory.Fault{Call: memory.CallFetch, Drop: 2}, 18, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSystem(memory.Kind{PageSize: 7})
			for i := range 20 {
				s.Put("guests", sample(i))
			}
			s.Inject(tt.fault)
			ids, err := scan(t, s.Connector())
			if len(ids) != tt.ids || connectors.ClassOf(err) != tt.class {
				t.Errorf("got %d ids, %v, want %d, %q", len(ids), err, tt.ids, tt.class)
			}
			distinct := len(slices.Compact(slices.Sorted(slices.Values(ids))))
			if name == "offset ignored" && distinct == len(ids) {
				t.Error("the first page did not come again")
			}
			s.Heal()
			if ids, err := scan(t, s.Connector()); err != nil || len(ids) != 20 {
				t.Errorf("healed: %d ids, %v", len(ids), err)
			}
		})
	}
}

func TestFindFaults(t *testing.T) {
	s := newSystem(memory.Kind{FindBy: [][]string{{"phone"}}})
	for i := range 3 {
		s.Put("guests", sample(i))
	}
	c := s.Connector().(all)
	count := func(want int, what string) {
		t.Helper()
		found, err := c.Find(t.Context(), "guests", record.Fields{"phone": sample(1)["phone"]}, connectors.Scope{})
		if err != nil || len(found) != want {
			t.Errorf("%s: %d found, %v, want %d", what, len(found), err, want)
		}
	}
	count(1, "sound")
	s.Inject(memory.Fault{Call: memory.CallFind, FilterIgnored: true})
	count(3, "filter ignored")
	s.Inject(memory.Fault{Call: memory.CallFind, Empty: true})
	count(0, "empty")
	count(1, "afterwards")
	s.Inject(memory.Fault{Call: memory.CallGet, LeaveOut: []string{"email"}})
	r, err := c.Get(t.Context(), record.Ref{Kind: "guests", ID: "00000001"}, connectors.Scope{})
	if err != nil || r.Fields["email"].Observed() || !r.Fields["name"].Observed() {
		t.Errorf("left out: %v, %v", r.Fields, err)
	}
}

func TestAmbiguous(t *testing.T) {
	for name, tt := range map[string]struct {
		fault memory.Fault
		now   int
		later int
	}{
		"not applied":  {memory.Fault{Class: connectors.Ambiguous}, 0, 0},
		"applied":      {memory.Fault{Class: connectors.Ambiguous, Applied: true}, 1, 1},
		"applied late": {memory.Fault{Class: connectors.Ambiguous, Late: 5 * time.Second}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s, clock := timed(memory.Kind{})
			tt.fault.Call, tt.fault.Op = memory.CallApply, record.Create
			s.Inject(tt.fault)
			_, err := s.Connector().(connectors.Writer).Apply(t.Context(), create(sample(1)))
			if connectors.ClassOf(err) != connectors.Ambiguous {
				t.Errorf("error %v, want ambiguous", err)
			}
			if got := len(s.All("guests")); got != tt.now {
				t.Errorf("%d records at once, want %d", got, tt.now)
			}
			clock.advance(5*time.Second - 1)
			if got := len(s.All("guests")); got != tt.now {
				t.Errorf("%d records a moment before, want %d", got, tt.now)
			}
			clock.advance(1)
			if got := len(s.All("guests")); got != tt.later || s.Pending() != 0 {
				t.Errorf("%d records later, want %d", got, tt.later)
			}
			if n := s.Counts().Mutations; n != 1 {
				t.Errorf("%d mutating requests, want 1", n)
			}
		})
	}
}

// What is applied late meets the system as it is by then.
func TestLateMeetsWhatCameBefore(t *testing.T) {
	s, clock := timed(memory.Kind{Unique: [][]string{{"phone"}}})
	w := s.Connector().(connectors.Writer)
	s.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Late: time.Second})
	if _, err := w.Apply(t.Context(), create(sample(1))); connectors.ClassOf(err) != connectors.Ambiguous {
		t.Fatal(err)
	}
	made, err := w.Apply(t.Context(), create(sample(1)))
	if err != nil {
		t.Fatal(err)
	}
	clock.advance(time.Minute)
	if got := s.All("guests"); len(got) != 1 || got[0].Ref != made.Ref {
		t.Errorf("%d records, want the one that came first", len(got))
	}
}

func TestLag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory.New(memory.Options{Latency: time.Second, Kinds: map[record.Kind]memory.Kind{
			"guests": {ListLag: time.Minute, GetLag: 10 * time.Second, FindLag: 30 * time.Second, FindAny: true, Since: true},
		}})
		c := s.Connector().(all)
		made, err := c.Apply(t.Context(), create(sample(1)))
		if err != nil {
			t.Fatal(err)
		}
		look := func(want string) {
			t.Helper()
			ids, err := scan(t, c)
			_, gone := c.Get(t.Context(), made.Ref, connectors.Scope{})
			found, ferr := c.Find(t.Context(), "guests", record.Fields{"phone": sample(1)["phone"]}, connectors.Scope{})
			if got := fmt.Sprint(len(ids), gone == nil, len(found)); got != want || err != nil || ferr != nil {
				t.Errorf("listed, got, found = %s, want %s; %v, %v", got, want, err, ferr)
			}
		}
		look("0 false 0")
		time.Sleep(8 * time.Second) //nolint:forbidigo // the bubble's clock
		look("0 true 0")
		time.Sleep(20 * time.Second) //nolint:forbidigo // the bubble's clock
		look("0 true 1")
		time.Sleep(30 * time.Second) //nolint:forbidigo // the bubble's clock
		look("1 true 1")
		s.Edit("guests", made.Ref.ID, record.Fields{"name": text("After")})
		r, err := c.Get(t.Context(), made.Ref, connectors.Scope{})
		if err != nil || !r.Fields["name"].Equal(sample(1)["name"]) {
			t.Errorf("a read right after an edit shows %v, %v, want the pre-image", r.Fields["name"], err)
		}
		s.Remove("guests", made.Ref.ID)
		look("1 true 1")
		time.Sleep(time.Minute) //nolint:forbidigo // the bubble's clock
		look("0 false 0")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if _, err := c.Apply(ctx, create(sample(2))); !errors.Is(err, context.DeadlineExceeded) || len(s.All("guests")) != 0 {
			t.Errorf("a call that took too long: %v, want nothing written", err)
		}
	})
}

// A program is ended before a write, between the write and its answer, and after
// it: what the system holds is what a real one would.
func TestHooksEndTheCaller(t *testing.T) {
	for step, want := range map[string]int{"before create guests": 0, "applied create guests": 1, "after create guests": 1} {
		s := newSystem(memory.Kind{})
		var steps []string
		s.Hook(memory.Hooks{Step: func(name string) {
			steps = append(steps, name)
			if name == step {
				s.Put("guests", sample(7)) // the system is not locked
				panic("killed")
			}
		}})
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: not killed; steps %v", step, steps)
				}
			}()
			_, _ = s.Connector().(connectors.Writer).Apply(t.Context(), create(sample(1)))
		}()
		s.Hook(memory.Hooks{})
		if got := len(s.All("guests")) - 1; got != want {
			t.Errorf("killed %s: %d records, want %d", step, got, want)
		}
	}
}

// A writer that removes a row between two pages hides another one, where pages are
// counted by offset, and none where they go on behind the last row.
func TestWriterBetweenPages(t *testing.T) {
	for paging, want := range map[memory.Paging]int{memory.Offset: 18, memory.Keyset: 19} {
		s := newSystem(memory.Kind{PageSize: 7, Paging: paging})
		for i := range 20 {
			s.Put("guests", sample(i))
		}
		var pages []int
		s.Hook(memory.Hooks{Page: func(_ record.Kind, page int) {
			pages = append(pages, page)
			if page == 2 {
				s.Remove("guests", "00000001")
			}
		}})
		ids, err := scan(t, s.Connector())
		live := slices.DeleteFunc(ids, func(id string) bool { return id == "00000001" })
		if err != nil || len(live) != want {
			t.Errorf("paging %d: %d live rows seen of 19, %v, want %d", paging, len(live), err, want)
		}
		if diff := cmp.Diff([]int{1, 2, 3}, pages); diff != "" {
			t.Errorf("pages (-want +got):\n%s", diff)
		}
	}
}

func TestSnapshot(t *testing.T) {
	s, clock := timed(memory.Kind{Idempotent: true, Versions: true})
	w := s.Connector().(connectors.Writer)
	first, err := w.Apply(t.Context(), create(sample(1)))
	if err != nil {
		t.Fatal(err)
	}
	s.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Late: time.Hour})
	_, _ = w.Apply(t.Context(), create(sample(5)))
	before, backup := s.All("guests"), s.Snapshot()
	for range 2 {
		if _, err := w.Apply(t.Context(), update(first.Ref.ID, record.Fields{"name": text("Edited")})); err != nil {
			t.Fatal(err)
		}
		second, err := w.Apply(t.Context(), create(sample(2)))
		if err != nil {
			t.Fatal(err)
		}
		s.Restore(backup)
		if diff := cmp.Diff(before, s.All("guests")); diff != "" {
			t.Errorf("restored (-want +got):\n%s", diff)
		}
		again, err := w.Apply(t.Context(), create(sample(3)))
		if err != nil || again.Ref != second.Ref {
			t.Errorf("after a restore the next id is %s, %v, want %s again", again.Ref, err, second.Ref)
		}
		s.Restore(backup)
	}
	clock.advance(2 * time.Hour)
	if n := len(s.All("guests")); n != 2 {
		t.Errorf("%d records after what was still to be applied, want 2", n)
	}
}

func TestMoved(t *testing.T) {
	s := newSystem(memory.Kind{})
	a, b := s.Put("guests", sample(1)), s.Put("guests", sample(2))
	if !s.Merge("guests", a, b) || s.Merge("guests", a, b) {
		t.Error("a record is merged once")
	}
	_, err := s.Connector().(connectors.Getter).Get(t.Context(), record.Ref{Kind: "guests", ID: a}, connectors.Scope{})
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok || e.Class != connectors.Moved || e.Ref.ID != b {
		t.Errorf("error %v, want moved to %s", err, b)
	}
}

// The last room is asked for by many at once; one gets it.
func TestAcceptIsAskedInTheTransaction(t *testing.T) {
	s := newSystem(memory.Kind{Accept: func(others []record.Record, _ record.Record) bool { return len(others) < 1 }})
	var wg sync.WaitGroup
	classes := make(chan connectors.ErrorClass, 8)
	for i := range 8 {
		wg.Go(func() {
			_, err := s.Connector().(connectors.Writer).Apply(context.Background(), create(sample(i)))
			classes <- connectors.ClassOf(err)
		})
	}
	wg.Wait()
	close(classes)
	var got []string
	for c := range classes {
		got = append(got, string(c))
	}
	slices.Sort(got)
	if want := "" + strings.Repeat(" refused", 7); strings.Join(got, " ") != want || len(s.All("guests")) != 1 {
		t.Errorf("answers %q, %d bookings, want one", got, len(s.All("guests")))
	}
}

func TestRulesOfFields(t *testing.T) {
	s := newSystem(memory.Kind{
		Fields: fields(), Required: []string{"name"}, ListHides: []string{"email"}, Filter: func(f record.Fields) bool { return f["name"].Text() != "Private" },
		Normalise: map[string]func(record.Value) record.Value{"email": lower},
	})
	c := s.Connector().(interface {
		connectors.Connector
		connectors.Writer
		connectors.Getter
	})
	for name, f := range map[string]record.Fields{
		"unknown": {"name": text("A"), "shoes": text("44")}, "read only": {"name": text("A"), "room": text("1")},
		"too long": {"name": text("A"), "notes": text(strings.Repeat("é", 12_001))}, "required": {"email": text("a@example.test")}, "empty": {"name": text("")},
	} {
		if _, err := c.Apply(t.Context(), create(f)); connectors.ClassOf(err) != connectors.Rejected {
			t.Errorf("%s: %v, want rejected", name, err)
		}
	}
	r, err := c.Apply(t.Context(), create(record.Fields{"name": text("A"), "email": text("A@Example.TEST")}))
	if err != nil || r.Fields["email"].Text() != "a@example.test" || r.Fields["phone"].Type() != record.Null {
		t.Errorf("answered %v, %v", r.Fields, err)
	}
	p, err := c.Fetch(t.Context(), connectors.Query{Kind: "guests"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if listed, err := p.Read(p.Items[0]); err != nil || listed.Fields["email"].Observed() || !listed.Fields["phone"].Observed() {
		t.Errorf("the list shows %v, %v, want all but the e-mail", listed.Fields, err)
	}
	private := s.Put("guests", record.Fields{"name": text("Private")})
	if ids, _ := scan(t, c); slices.Contains(ids, private) {
		t.Error("the list shows what the connector may not read")
	}
	_, err = c.Get(t.Context(), record.Ref{Kind: "guests", ID: private}, connectors.Scope{})
	if connectors.ClassOf(err) != connectors.OutOfScope {
		t.Errorf("get: %v, want out of scope", err)
	}
	if _, err = c.Apply(t.Context(), update(private, record.Fields{"name": text("B")})); connectors.ClassOf(err) != connectors.OutOfScope {
		t.Errorf("update: %v, want out of scope", err)
	}
}
