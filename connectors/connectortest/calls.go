package connectortest

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"nightporter/connectors"
	"nightporter/sync/record"
)

func (s *story) notifier() connectors.Notifier {
	s.t.Helper()
	s.need(s.notifies, "the system does not call")
	if s.Delivery == nil {
		s.t.Fatal("calls are declared, and the subject sends none to try them with")
	}
	n, ok := s.conn.(connectors.Notifier)
	if !ok {
		s.t.Fatal("calls are declared and the connector is no Notifier")
	}
	return n
}

// hints reads a delivery of a form; ok is false where the system has none.
func (s *story) hints(n connectors.Notifier, form Form, ids ...string) (hints []connectors.Hint, ok bool) {
	s.t.Helper()
	h, body, ok := s.Delivery(s.t, form, ids...)
	if !ok {
		return nil, false
	}
	kept, header := bytes.Clone(body), h.Clone()
	hints, err := n.Notified(h, body)
	if err != nil {
		s.t.Fatalf("a delivery that is %s: %v", form, err)
	}
	if !bytes.Equal(kept, body) || fmt.Sprint(header) != fmt.Sprint(h) {
		s.t.Errorf("%s: the delivery is another one after it was read", form)
	}
	again, err := n.Notified(h, body)
	if err != nil || !slices.Equal(hints, again) {
		s.t.Errorf("%s: read twice it hints at %v and at %v (%v)", form, hints, again, err)
	}
	return hints, true
}

// named are the records that hints name.
func named(hints []connectors.Hint) []record.Ref {
	refs := []record.Ref{}
	for _, h := range hints {
		refs = append(refs, h.Ref)
	}
	return refs
}

// The system calls: something has changed. A call is a hint and never data: it names what
// is to be read again, the same way however often it comes, and asks the system nothing.
func called(s *story) {
	n := s.notifier()
	ids := s.fill(0, 3)
	s.tick()
	before := s.mutations()
	events := map[string]Form{}
	for _, form := range []Form{Thin, Fat} {
		for _, id := range ids[:2] {
			hints, ok := s.hints(n, form, id)
			if !ok {
				continue
			}
			if want := []record.Ref{s.ref(id)}; !slices.Equal(named(hints), want) {
				s.t.Errorf("%s: it hints at %v, want %v", form, named(hints), want)
				continue
			}
			s.event(events, form, hints[0])
		}
	}
	if hints, ok := s.hints(n, Several, ids...); ok {
		var want []record.Ref
		for _, id := range ids {
			want = append(want, s.ref(id))
		}
		if !slices.Equal(named(hints), want) {
			s.t.Errorf("several: they hint at %v, want %v", named(hints), want)
		}
	}
	if hints, ok := s.hints(n, Whole); ok && (len(hints) != 1 || hints[0].Ref != record.Ref{} || hints[0].Kind != s.Kind) {
		s.t.Errorf("about the kind: it hints at %+v, want %s as a whole", hints, s.Kind)
	}
	if len(events) == 0 {
		s.t.Error("the subject sends neither a thin nor a fat delivery")
	}
	if n := s.mutations() - before; n != 0 {
		s.t.Errorf("%d mutating requests were sent because the system called", n)
	}
	h, body, ok := s.Delivery(s.t, Thin, ids[0])
	if !ok {
		return
	}
	s.Remove(s.t, ids[0])
	hints, err := n.Notified(h, body)
	if want := []record.Ref{s.ref(ids[0])}; err != nil || !slices.Equal(named(hints), want) {
		s.t.Errorf("about a record that is gone by now: it hints at %v (%v), want %v: whether it is there is the reader's to see", named(hints), err, want)
	}
}

// event notes the id of an event: two that have the same one pass for one event.
func (s *story) event(known map[string]Form, form Form, h connectors.Hint) {
	s.t.Helper()
	if h.EventID == h.Ref.ID {
		s.t.Errorf("%s: its event has the id of the record: the next change of it would pass for this one", form)
	}
	if _, twice := known[h.EventID]; twice && h.EventID != "" {
		s.t.Errorf("%s: event %s has the id of another one", form, h.EventID)
	}
	known[h.EventID] = form
}

// Anybody may call, and systems learn new events. What is about nothing that is known is
// passed over; what can't be read is said to be so, without a word of what was in it.
func miscalled(s *story) {
	n := s.notifier()
	id := s.fill(0, 1)[0]
	if hints, ok := s.hints(n, Strange, id); ok && len(hints) != 0 {
		s.t.Errorf("about what is no kind: it hints at %v, want at nothing", hints)
	}
	const private = "a-guests-own-words"
	for _, body := range []string{
		"", " ", "null", "5", `"` + private + `"`, "{", `{"` + private + `":`, `[{"` + private + `":1},`, `{} {}`, "[1]", "<html>" + private + "</html>",
		"\xff\xfe", "\x00", strings.Repeat("[", 100_000),
	} {
		hints, err := n.Notified(http.Header{}, []byte(body))
		if err == nil {
			s.t.Errorf("%.20q is read as %v, want an error", body, hints)
			continue
		}
		s.class(err, record.Fields{"a body": record.OfText(private)}, connectors.Malformed)
		if len(hints) > 0 {
			s.t.Errorf("%.20q: there is an error, and hints at %v", body, hints)
		}
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := n.Notified(http.Header{}, []byte("{}")); err != nil {
				s.t.Errorf("several at a time: %v", err)
			}
		})
	}
	wg.Wait()
}
