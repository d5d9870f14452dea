package connectortest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// odd are contents of all sorts that a place takes.
func (s *story) odd(path string) map[string]Content {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	out := map[string]Content{
		"a text":            s.file(path, "From 7 to 23.\r\nHunde: ja. 犬も。\n"),
		"every byte":        {every, s.media(path)},
		"no text":           {[]byte("\xff\xfe\x00\x00\xed\xa0\x80"), s.media(path)},
		"JSON":              s.file(path, `{"file":"\u0000"}`),
		"like a form":       s.file(path, "--\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n----\r\n--0--\r\n"),
		"ends like a line":  s.file(path, "\n\r\n\n"),
		"larger than a few": {bytes.Repeat(every, 4000), s.media(path)},
	}
	for _, media := range s.can.Contents[path].Media {
		out["of the type "+media] = Content{[]byte("a file of " + media), media}
	}
	most := s.can.Contents[path].MaxBytes
	if most > 0 && most <= mostSent {
		out["as large as may be"] = Content{bytes.Repeat([]byte("x"), int(most)), s.media(path)}
	}
	maps.DeleteFunc(out, func(_ string, c Content) bool { return most > 0 && int64(len(c.Bytes)) > most })
	return out
}

// A document goes up with the record that is made for it, in the one request, and the
// system has just its bytes. They are given once: no read shows them, for nothing of them
// is ever compared.
func uploads(s *story) {
	s.takesContents()
	n := 0
	for _, path := range s.places() {
		odd := s.odd(path)
		for _, what := range slices.Sorted(maps.Keys(odd)) {
			n++
			c := odd[what]
			kept := bytes.Clone(c.Bytes)
			ch := s.upload(s.Sample(n), map[string]Content{path: c})
			r := s.apply(ch)
			if !bytes.Equal(kept, c.Bytes) {
				s.t.Errorf("%s: the bytes that were handed over are others now", what)
			}
			s.hides(what+", the answer", r.Fields)
			s.tick()
			s.stored(what, r.Ref.ID, map[string]Content{path: {kept, c.Media}})
			s.hides(what+", a read", s.now(r.Ref.ID).Fields)
		}
		s.emptyFile(path)
	}
	for id, r := range s.whole().records {
		s.hides("the list, "+id, r.Fields)
	}
	s.uploadsTogether()
}

// emptyFile is a file with nothing in it: it goes up as that, or is refused.
func (s *story) emptyFile(path string) {
	s.t.Helper()
	empty := map[string]Content{path: {[]byte{}, s.media(path)}}
	ch := s.upload(s.Sample(400), empty)
	r, err := s.send(s.t.Context(), ch)
	if err != nil {
		s.class(err, ch.Fields, connectors.Rejected)
		return
	}
	s.tick()
	s.stored("nothing", r.Ref.ID, empty)
}

// uploadsTogether has several go up at a time: each record has its own.
func (s *story) uploadsTogether() {
	s.t.Helper()
	var wg sync.WaitGroup
	var made sync.Map
	for i := range 4 {
		wg.Go(func() {
			ch := s.change(record.Create, "", s.Sample(500+i))
			r, err := s.send(s.t.Context(), ch)
			if err != nil {
				s.t.Errorf("one of several uploads at a time: %v", err)
				return
			}
			made.Store(r.Ref.ID, s.given(ch))
		})
	}
	wg.Wait()
	s.tick()
	made.Range(func(id, files any) bool {
		s.stored("one of several at a time", fmt.Sprint(id), files.(map[string]Content)) //nolint:forcetypeassert // it was put a moment ago
		return true
	})
}

// What a system does not take is not sent, not a byte of it: a price list of a gigabyte
// over the hotel's line, once an hour, for a refusal. Nor is what was not handed over
// whole, or what is given where nothing is taken.
func misfits(s *story) {
	s.takesContents()
	id := s.fill(0, 1)[0]
	s.tick()
	first := s.all()
	before := s.mutations()
	n := 10
	const private = "a guest's own words"
	refused := func(what string, path string, value record.Value, b []byte) {
		s.t.Helper()
		n++
		ctx, ch := s.handed(s.t.Context(), s.change(record.Create, "", s.Sample(n)))
		ch.Fields[path] = value
		all := map[string][]byte{}
		for _, other := range s.places() {
			if all[other], _ = connectors.ContentAt(ctx, other); other == path {
				delete(all, path)
			}
		}
		if b != nil {
			all[path] = b
		}
		r, err := s.writer().Apply(connectors.WithContents(s.t.Context(), all), ch)
		if err == nil {
			s.t.Errorf("%s: it went up as %s", what, r.Ref)
			return
		}
		s.class(err, record.Fields{"the content": record.OfText(private)}, connectors.Rejected)
	}
	for _, path := range s.places() {
		c := s.file(path, private)
		refused("no bytes", path, c.value(), nil)
		refused("half the bytes", path, c.value(), c.Bytes[:5])
		refused("more bytes", path, c.value(), append(bytes.Clone(c.Bytes), '!'))
		l := s.can.Contents[path]
		if l.MaxBytes > 0 && l.MaxBytes < mostSent {
			large := Content{bytes.Repeat([]byte("x"), int(l.MaxBytes)+1), s.media(path)}
			refused("a byte too many", path, large.value(), large.Bytes)
		}
		if len(l.Media) > 0 {
			strange := Content{[]byte(private), "application/x-that-nobody-has"}
			refused("another type", path, strange.value(), strange.Bytes)
		}
		if s.can.Update {
			s.misplaced("in an update", record.Update, id, path, c)
		}
	}
	if s.Text != "" {
		s.misplaced("at another place", record.Create, "", s.Text, Content{[]byte(private), "text/plain"})
	}
	if n := s.mutations() - before; n != 0 {
		s.t.Errorf("%d mutating requests were sent with what is not taken", n)
	}
	s.tick()
	last := s.all()
	s.just(last, first.ids)
	if !bytes.Equal(last.raw[id], first.raw[id]) {
		s.t.Error("a record has other bytes, and nothing was to be sent")
	}
}

// misplaced gives a content where none is taken.
func (s *story) misplaced(what string, op record.Op, id, path string, c Content) {
	s.t.Helper()
	f := record.Fields{}
	if op == record.Create {
		f = s.Sample(9)
	}
	ctx, ch := s.handed(s.t.Context(), s.change(op, id, f))
	all := map[string][]byte{path: c.Bytes}
	for _, other := range s.places() {
		if b, ok := connectors.ContentAt(ctx, other); ok {
			all[other] = b
		}
	}
	ch.Fields = ch.Fields.With(record.Fields{path: c.value()})
	r, err := s.writer().Apply(connectors.WithContents(s.t.Context(), all), ch)
	if err == nil {
		s.t.Errorf("a content %s: it went up as %s", what, r.Ref)
		return
	}
	s.class(err, record.Fields{"the content": record.OfText(string(c.Bytes))}, connectors.Unsupported, connectors.Rejected)
}

// undeclaredContent gives a content to a kind that takes none, in a new record and in that
// of an id.
func (s *story) undeclaredContent(id string) {
	s.t.Helper()
	if len(s.can.Contents) > 0 || s.Text == "" {
		return
	}
	c := Content{[]byte("what goes up"), "text/plain"}
	if s.can.Create {
		s.misplaced("with a create", record.Create, "", s.Text, c)
	}
	if s.can.Update {
		s.misplaced("in an update", record.Update, id, s.Text, c)
	}
}

// The line breaks when all has gone up and before the answer came. Nobody knows, and the
// error says so; the connector sends nothing again by itself. What is there is found by
// all that there is to find it by, and where repetitions are recognised the same upload,
// byte for byte, is.
func unanswered(s *story) {
	s.takesContents()
	s.need(s.Lose != nil, "the subject loses no answer")
	const private = "a guest's own words"
	files := map[string]Content{}
	for _, path := range s.places() {
		files[path] = s.file(path, private)
	}
	ch := s.upload(s.Sample(1), files)
	if s.can.Stamp.Path != "" {
		ch.Stamp = "np:0000cafe:01JQZ0000000000000000000AA"
	}
	before := s.mutations()
	s.Lose(s.t)
	r, err := s.send(s.t.Context(), ch)
	if err == nil {
		s.t.Fatalf("its answer was lost, and it is said to be %s", r.Ref)
	}
	s.class(err, ch.Fields.With(record.Fields{"the content": record.OfText(private)}), connectors.Ambiguous)
	if n := s.mutations() - before; s.Mutations != nil && n != 1 {
		s.t.Errorf("an upload without an answer was sent %d times, want once", n)
	}
	s.tick()
	l := s.whole()
	if len(l.ids) != 1 {
		s.t.Fatalf("%d records are there after an upload without an answer, want the one", len(l.ids))
	}
	id := l.ids[0]
	s.stored("without an answer", id, files)
	s.holds("without an answer, the list", l.records[id].Fields, s.Sample(1))
	s.foundAgain(ch, id)
	if s.can.Idempotent {
		again := s.apply(ch)
		if again.Ref.ID != id {
			s.t.Errorf("the same upload gave %s and then %s", id, again.Ref.ID)
		}
		s.tick()
		s.just(s.all(), []string{id})
		s.stored("sent again", id, files)
	}
	other := s.apply(s.change(record.Create, "", s.Sample(2)))
	s.tick()
	s.just(s.all(), []string{id, other.Ref.ID})
}

// foundAgain looks for an upload by all that it can be asked for.
func (s *story) foundAgain(ch record.Change, id string) {
	s.t.Helper()
	_, ch = s.handed(s.t.Context(), ch)
	if ch.Stamp != "" {
		if got := s.now(id).Stamp; got != ch.Stamp {
			s.t.Errorf("it carries %q, want our reference", got)
		}
	}
	sets := map[string]record.Fields{}
	if s.can.Stamp.Find {
		sets["our reference"] = record.Fields{s.can.Stamp.Path: record.OfText(ch.Stamp)}
	}
	for _, set := range s.can.FindBy {
		if subset(set, ch.Fields) {
			sets[strings.Join(set, " and ")] = only(ch.Fields, set)
		}
	}
	for what, by := range sets {
		if found := s.find(by); !slices.ContainsFunc(found, func(r record.Record) bool { return r.Ref.ID == id }) {
			s.t.Errorf("looking by %s finds %d records, and not what went up without an answer", what, len(found))
		}
	}
}
