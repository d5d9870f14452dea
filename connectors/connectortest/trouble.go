package connectortest

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Nothing in a field, the empty text, and a field that a read can't show are three
// things. A system may keep the first two as one; a connector invents nothing.
func nothings(s *story) {
	s.need(s.Text != "", "the subject names no text field")
	values := map[string]record.Value{"null": record.Nothing(), "the empty text": record.OfText(""), "a text": record.OfText("there")}
	shown := map[string]record.Value{}
	for i, name := range []string{"null", "the empty text", "a text"} {
		id := s.Put(s.t, s.Sample(i).With(s.text("before")))
		s.Edit(s.t, id, record.Fields{s.Text: values[name]})
		s.tick()
		v := s.now(id).Fields[s.Text]
		listed := s.all().records[id].Fields[s.Text]
		if v.Observed() && listed.Observed() && !v.Equal(listed) {
			s.t.Errorf("%s: a read shows %s and the list %s", name, v, listed)
		}
		if v.Observed() && v.Empty() != values[name].Empty() {
			s.t.Errorf("%s is shown as %s %s", name, v.Type(), v)
		}
		shown[name] = v
	}
	if shown["null"].Equal(shown["the empty text"]) {
		s.t.Log("null and the empty text are shown alike here")
	}
	if !s.can.Update {
		return
	}
	for i, name := range []string{"null", "the empty text"} {
		id := s.Put(s.t, s.Sample(10+i).With(s.text("before")))
		s.tick()
		s.apply(s.change(record.Update, id, record.Fields{s.Text: values[name]}))
		if got := s.now(id).Fields[s.Text]; got.Observed() && !got.Empty() {
			s.t.Errorf("%s was written and %s is shown", name, got)
		} else if got.Type() != shown[name].Type() && got.Type() != shown["null"].Type() {
			// Where a system is told to empty a field in one way only, that is the way of null.
			s.t.Errorf("%s, written by us, is shown as %s, and as %s when the desk wrote it", name, got.Type(), shown[name].Type())
		}
	}
}

// Names come from all over the world, and notes from a copied e-mail.
func texts(s *story) {
	s.need(s.Text != "", "the subject names no text field")
	most := 10_000
	if f := s.can.Fields[s.Text]; f.MaxRunes > 0 {
		most = min(most, f.MaxRunes)
	}
	odd := []string{
		"Zoë Müller-Łukasiewicz", "שלום עולם", "مرحبا", "日本語のお客様", "👩‍👩‍👧 family 🇮🇹", "e\u0301 is not \u00e9",
		`"quoted" and 'quoted' and back\slash`, "two\nlines\r\nand\ta tab", "50% off; DROP TABLE guests; --", "<b>&amp;</b>",
		" a blank on either side ", "null", "0012", "1e3", "true", "${env}", "\u2028\u2029", "$1 :name ?",
		strings.Repeat("ünïcödé ", (most-1)/8) + "!",
	}
	for i, text := range odd {
		if len([]rune(text)) > most {
			continue
		}
		id := s.Put(s.t, s.Sample(100+i).With(s.text(text)))
		s.holds("put by the desk", s.now(id).Fields, s.text(text))
		s.holds("put by the desk, in the list", s.all().records[id].Fields, s.text(text))
		if s.can.Create {
			r := s.apply(s.change(record.Create, "", s.Sample(200+i).With(s.text(text))))
			s.holds("created by us", s.now(r.Ref.ID).Fields, s.text(text))
		}
		if s.can.Update {
			before := s.Put(s.t, s.Sample(300+i))
			s.apply(s.change(record.Update, before, s.text(text)))
			s.holds("updated by us", s.now(before).Fields, s.text(text))
		}
	}
}

// The program is being stopped. What has not been sent by now never is, and the
// error says why nobody waits.
func cancelled(s *story) {
	id := s.fill(1, 2)[0]
	s.tick()
	whole := s.all()
	before := s.mutations()
	cause := errors.New("the night is over")
	ctx, cancel := context.WithCancelCause(s.t.Context())
	cancel(cause)
	check := func(call string, err error) {
		s.t.Helper()
		if err == nil {
			s.t.Errorf("%s goes through with a context that is done", call)
		} else if !errors.Is(err, cause) {
			s.t.Errorf("%s: error %v does not wrap the context's cause", call, err)
		}
	}
	_, err := s.conn.Fetch(ctx, s.query(), "")
	check("fetch", err)
	if g, ok := s.conn.(connectors.Getter); ok && s.can.Get {
		_, err := g.Get(ctx, s.ref(id), s.Scope)
		check("get", err)
	}
	if _, ok := s.conn.(connectors.Writer); ok {
		for op, can := range map[record.Op]bool{record.Create: s.can.Create, record.Update: s.can.Update} {
			if !can {
				continue
			}
			ch := s.change(op, "", s.Sample(2))
			if op == record.Update {
				ch = s.change(op, id, s.text("too late"))
			}
			_, err := s.send(ctx, ch)
			check(op.String(), err)
			if connectors.ClassOf(err) == connectors.Ambiguous {
				s.t.Errorf("%s was never sent, and its error says that nobody knows", op)
			}
		}
	}
	if n := s.mutations() - before; n != 0 {
		s.t.Errorf("%d mutating requests were sent with a context that is done", n)
	}
	s.tick()
	after := s.all()
	s.just(after, whole.ids)
	if !bytes.Equal(after.raw[id], whole.raw[id]) {
		s.t.Error("the record is another one, and nothing was to be sent")
	}
}

// A page is read while a booking is entered and another record is looked up. Run
// it with -race.
func together(s *story) {
	ids := s.fill(0, s.size()+1)
	s.tick()
	errs := make(chan error, 100)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			after := record.Cursor("")
			for range 3 {
				p, err := s.conn.Fetch(s.t.Context(), s.query(), after)
				errs <- err
				if err != nil || p.End {
					return
				}
				after = p.Next
			}
		})
		wg.Go(func() {
			if g, ok := s.conn.(connectors.Getter); ok && s.can.Get {
				_, err := g.Get(s.t.Context(), s.ref(ids[i%len(ids)]), s.Scope)
				errs <- err
			}
		})
		wg.Go(func() {
			if s.can.Create {
				_, err := s.send(s.t.Context(), s.change(record.Create, "", s.Sample(1000+i)))
				errs <- err
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			s.t.Errorf("one of several calls at a time: %v", err)
		}
	}
	want := len(ids)
	if s.can.Create {
		want += 4
	}
	s.tick()
	if got := len(s.all().ids); got != want {
		s.t.Errorf("%d records are there, want %d", got, want)
	}
}

// And now once more. After writes of our own nothing changes by itself: a second
// night over the same house finds nothing to do.
func twice(s *story) {
	s.fill(0, 3)
	s.tick()
	if s.can.Create {
		s.apply(s.change(record.Create, "", s.Sample(3)))
	}
	if s.can.Update {
		s.apply(s.change(record.Update, s.all().ids[0], s.text("once")))
	}
	s.tick()
	first := s.all()
	s.tick()
	second := s.list(s.open(), s.query(), "")
	if n := differing(first, second); n != 0 || len(first.ids) != len(second.ids) {
		s.t.Errorf("%d of %d records have other bytes when they are listed again", n, len(first.ids))
	}
	for id, r := range first.records {
		if !r.Fields.Equal(second.records[id].Fields) || r.Version != second.records[id].Version {
			s.t.Errorf("record %s reads otherwise when it is listed again", id)
		}
	}
}

// Closing twice does no harm, and a closed connection answers with an error, not
// with an empty house. The others go on.
func closes(s *story) {
	s.fill(0, 1)
	s.tick()
	c := s.open()
	for range 2 {
		if err := c.Close(); err != nil {
			s.t.Errorf("close: %v", err)
		}
	}
	if p, err := c.Fetch(s.t.Context(), s.query(), ""); err == nil && len(p.Items) == 0 {
		s.t.Error("a closed connection shows an empty system")
	}
	if n := len(s.all().ids); n != 1 {
		s.t.Errorf("another connection shows %d records after one was closed, want 1", n)
	}
}
