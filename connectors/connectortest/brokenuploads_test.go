package connectortest

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/record"
)

// uploaded is what the users of a system see of its files, and what it does with them.
func uploaded(sub *Subject, s *memory.System) {
	sub.Stored = func(_ testing.TB, id, path string) (record.Body, bool) {
		b, ok := s.Content("guests", id, path)
		return Content{Bytes: b}.body(), ok
	}
	sub.Lose = func(testing.TB) {
		s.Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Ambiguous, Applied: true})
	}
	sub.Finish = func(_ testing.TB, id string, failed bool) {
		s.Edit("guests", id, record.Fields{"status": record.OfText(map[bool]string{true: "failed", false: "ready"}[failed])})
	}
}

// library is a house that takes a file with each record, and reads it for a while.
func library() memory.Kind {
	return memory.Kind{
		PageSize: 5, Paging: memory.Keyset, FindBy: [][]string{{"phone"}}, Stamp: connectors.Stamp{Path: "reference", Find: true}, Idempotent: true,
		Contents: map[string]connectors.Limits{"file": {MaxBytes: 1000, Media: []string{"text/plain", "application/pdf"}}},
		Unfinished: func(shown record.Fields) *record.Unfinished {
			switch shown["status"].Text() {
			case "ready":
				return nil
			case "failed":
				return &record.Unfinished{Within: time.Hour, Failed: "no text in it"}
			}
			return &record.Unfinished{Within: time.Hour}
		},
	}
}

// Each connector here deals with files wrongly in one way, and the chapter that is about
// it must say so; as it should be, it must say nothing.
func TestABrokenUploadFails(t *testing.T) {
	const (
		up, off, lost, ready = "contents go up with a create", "contents that are not taken", "an upload that nobody answered", "a record that becomes ready"
		undeclared           = "what it does not declare it does not do"
	)
	careless, keyless := library(), library()
	careless.Contents = map[string]connectors.Limits{"file": {}}
	keyless.Idempotent = false
	limited := func(l connectors.Limits) func(*connectors.Kind) {
		return func(k *connectors.Kind) { k.Contents = map[string]connectors.Limits{"file": l} }
	}
	for name, x := range map[string]struct {
		chapter string
		kind    memory.Kind
		broken  broken
	}{
		"cuts the last byte":             {up, library(), broken{apply: regiven(always, func(b []byte) []byte { return b[:max(len(b)-1, 0)] })}},
		"takes it for a text":            {up, library(), broken{apply: regiven(always, func(b []byte) []byte { return bytes.ToValidUTF8(b, nil) })}},
		"takes the line's end":           {up, library(), broken{apply: regiven(always, bytes.TrimSpace)}},
		"has Unix's lines":               {up, library(), broken{apply: regiven(always, func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r"), nil) })}},
		"forgets a part":                 {up, library(), broken{apply: regiven(always, func(b []byte) []byte { return b[:min(len(b), 900)] })}},
		"nothing is something":           {up, library(), broken{apply: regiven(hasNone, func([]byte) []byte { return []byte("\n") })}},
		"nothing is an outage":           {up, library(), broken{apply: refusing(hasNone, connectors.Transient)}},
		"mixes several up":               {up, library(), broken{apply: regiven(oneOfSeveral, func([]byte) []byte { return []byte("of another") })}},
		"several are an outage":          {up, library(), broken{apply: refusing(oneOfSeveral, connectors.Transient)}},
		"writes in the bytes":            {up, library(), broken{apply: scribblesInFile}},
		"sends it in two":                {up, library(), broken{apply: doubles}},
		"answers with the file":          {up, library(), broken{apply: answers("file")}},
		"shows the file's address":       {up, library(), broken{get: showsFile}},
		"lists the file's address":       {up, library(), broken{fetch: reread(func(r *record.Record) { r.Fields["file"] = record.OfText("https://files.example.com/1") })}},
		"takes any size":                 {off, careless, broken{change: limited(connectors.Limits{MaxBytes: 1000})}},
		"takes any type":                 {off, careless, broken{change: limited(connectors.Limits{Media: []string{"text/plain"}})}},
		"takes half a file":              {off, library(), broken{apply: regiven(has, func(b []byte) []byte { return b })}},
		"takes no file":                  {off, library(), broken{apply: regiven(hasnt, func([]byte) []byte { return nil })}},
		"a file of no class":             {off, library(), broken{apply: classless}},
		"tells what was in it":           {off, library(), broken{apply: tellsFile}},
		"asks the system first":          {off, library(), broken{apply: asksFirst}},
		"leaves a record without it":     {off, library(), broken{apply: leavesRest}},
		"a file in an update":            {off, library(), broken{apply: drops(record.Update)}},
		"a file at another place":        {off, library(), broken{apply: drops(record.Create)}},
		"a file where none is taken":     {undeclared, house(), broken{apply: drops(record.Create)}},
		"a file in any update":           {undeclared, house(), broken{apply: drops(record.Update)}},
		"says that it went well":         {lost, library(), broken{apply: onLost(func(context.Context, whole, record.Change) (record.Record, error) { return record.Record{}, nil })}},
		"sends it again":                 {lost, library(), broken{apply: onLost(sendsAgain)}},
		"calls it an outage":             {lost, library(), broken{apply: onLost(outage)}},
		"takes it back":                  {lost, withDelete(library()), broken{apply: onLost(takesBack)}},
		"keeps half of what was lost":    {lost, library(), broken{apply: regiven(always, func(b []byte) []byte { return b[:5] })}},
		"lost without a trace":           {lost, library(), broken{apply: stampless}},
		"lost and not found":             {lost, library(), broken{find: findsNone}},
		"lost under another name":        {lost, library(), broken{apply: renames}},
		"ignores the key of what is big": {lost, keyless, broken{change: func(k *connectors.Kind) { k.Idempotent = true }}},
		"a read says ready":              {ready, library(), broken{get: unfinished(func(*record.Unfinished) *record.Unfinished { return nil })}},
		"a list says ready":              {ready, library(), broken{fetch: reread(func(r *record.Record) { r.Unfinished = nil })}},
		"the answer says ready":          {ready, library(), broken{apply: answersReady}},
		"never is ready":                 {ready, library(), broken{get: neverWhole}},
		"what failed is ready":           {ready, library(), broken{get: unfinished(noneThatFailed)}},
		"what failed goes on":            {ready, library(), broken{fetch: reread(func(r *record.Record) { r.Unfinished = withoutReason(r.Unfinished) })}},
		"what goes on has failed":        {ready, library(), broken{get: unfinished(allFail)}},
		"waits for the file":             {ready, library(), broken{get: unfinished(lacksFile)}},
		"waits for ever":                 {ready, library(), broken{get: unfinished(endless)}},
		"the list looks the same":        {ready, library(), broken{fetch: constant}},
		"one is ready and all are":       {ready, library(), broken{get: readyTogether()}},
		"nobody can ask":                 {ready, library(), broken{change: func(k *connectors.Kind) { k.Get = false }}},
	} {
		t.Run(name, func(t *testing.T) {
			i := chapterNamed(t, x.chapter)
			failures, _ := verdict(t, i, subjectOf(x.kind, x.broken, nil))
			if len(failures) == 0 {
				t.Errorf("%q does not notice", x.chapter)
			}
			sound := library()
			if x.chapter == undeclared {
				sound = house()
			}
			if failures, skipped := verdict(t, i, subjectOf(sound, broken{}, nil)); len(failures) > 0 || skipped {
				t.Errorf("%q about a sound connector: skipped %t, %v", x.chapter, skipped, failures)
			}
		})
	}
}

func chapterNamed(t *testing.T, name string) chapter {
	t.Helper()
	for _, c := range chapters() {
		if c.name == name {
			return c
		}
	}
	t.Fatalf("there is no chapter %q", name)
	return chapter{}
}

// fileOf is a file of a create: its bytes, whether they were handed over, and whether it is
// said to have one.
func fileOf(ctx context.Context, ch record.Change) (b []byte, handed, said bool) {
	b, handed = connectors.ContentAt(ctx, "file")
	return b, handed, ch.Op == record.Create && ch.Fields["file"].Type() == record.Content
}

type sort = func(ctx context.Context, ch record.Change) bool

func always(ctx context.Context, ch record.Change) bool {
	_, handed, said := fileOf(ctx, ch)
	return handed && said
}

func has(ctx context.Context, ch record.Change) bool { return always(ctx, ch) }

func hasnt(ctx context.Context, ch record.Change) bool {
	_, handed, said := fileOf(ctx, ch)
	return !handed && said
}

func hasNone(ctx context.Context, ch record.Change) bool {
	b, handed, said := fileOf(ctx, ch)
	return handed && said && len(b) == 0
}

func oneOfSeveral(ctx context.Context, ch record.Change) bool {
	return always(ctx, ch) && strings.HasPrefix(ch.Fields["phone"].Text(), "+39055500050")
}

// regiven changes the bytes of some creates, and what is said of them.
func regiven(some sort, change func([]byte) []byte) applies {
	return func(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
		if some(ctx, ch) {
			b, _, _ := fileOf(ctx, ch)
			c := Content{change(bytes.Clone(b)), "text/plain"}
			if said, _ := ch.Fields["file"].Body(); said.Media != "" {
				c.Media = said.Media
			}
			ch.Fields = ch.Fields.With(record.Fields{"file": c.value()})
			ctx = connectors.WithContents(ctx, map[string][]byte{"file": c.Bytes})
		}
		return w.Apply(ctx, ch)
	}
}

func refusing(some sort, class connectors.ErrorClass) applies {
	return func(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
		if some(ctx, ch) {
			return record.Record{}, connectors.Wrong(class, "create guests", "not this one")
		}
		return w.Apply(ctx, ch)
	}
}

func scribblesInFile(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	r, err := w.Apply(ctx, ch)
	if b, handed, _ := fileOf(ctx, ch); handed && len(b) > 0 {
		b[0]++
	}
	return r, err
}

func showsFile(ctx context.Context, w whole, ref record.Ref, s connectors.Scope) (record.Record, error) {
	r, err := w.Get(ctx, ref, s)
	r.Fields = r.Fields.With(record.Fields{"file": record.OfText("https://files.example.com/1")})
	return r, err
}

// reread changes each record that a list shows.
func reread(change func(*record.Record)) func(context.Context, whole, connectors.Query, record.Cursor) (connectors.Page, error) {
	return func(ctx context.Context, w whole, q connectors.Query, after record.Cursor) (connectors.Page, error) {
		p, err := w.Fetch(ctx, q, after)
		read := p.Read
		p.Read = func(item connectors.Item) (record.Record, error) {
			r, err := read(item)
			change(&r)
			return r, err
		}
		return p, err
	}
}

func tellsFile(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	r, err := w.Apply(ctx, ch)
	if b, _, _ := fileOf(ctx, ch); err != nil && len(b) > 0 {
		err = connectors.Wrong(connectors.ClassOf(err), "create guests", "no place for %q", b)
	}
	return r, err
}

func asksFirst(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	r, err := w.Apply(ctx, ch)
	if err != nil {
		_, _ = w.Apply(ctx, record.Change{Op: record.Update, Ref: record.Ref{Kind: "guests", ID: "0"}, Fields: record.Fields{"notes": record.OfText("?")}})
	}
	return r, err
}

// leavesRest makes the record when its file was refused.
func leavesRest(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	r, err := w.Apply(ctx, ch)
	if err != nil {
		ch.Fields = ch.Fields.Clone()
		delete(ch.Fields, "file")
		_, _ = w.Apply(ctx, ch)
	}
	return r, err
}

// drops leaves a file out where it has no place.
func drops(op record.Op) applies {
	return func(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
		if ch.Op != op {
			return w.Apply(ctx, ch)
		}
		fields := record.Fields{}
		for name, v := range ch.Fields {
			if name == "file" && op == record.Create || v.Type() != record.Content {
				fields[name] = v
			}
		}
		if len(fields) == 0 {
			fields["notes"] = record.OfText("a file")
		}
		ch.Fields = fields
		return w.Apply(ctx, ch)
	}
}

// onLost does something about an answer that did not come.
func onLost(do func(context.Context, whole, record.Change) (record.Record, error)) applies {
	return func(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
		r, err := w.Apply(ctx, ch)
		if connectors.ClassOf(err) != connectors.Ambiguous {
			return r, err
		}
		if r, done := do(ctx, w, ch); done == nil || connectors.ClassOf(done) != connectors.Ambiguous {
			return r, done
		}
		return r, err
	}
}

func outage(context.Context, whole, record.Change) (record.Record, error) {
	return record.Record{}, connectors.Wrong(connectors.Transient, "create guests", "no answer")
}

func sendsAgain(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	if _, err := w.Apply(ctx, ch); err != nil {
		return record.Record{}, err
	}
	return record.Record{}, connectors.Wrong(connectors.Ambiguous, "create guests", "no answer")
}

func withDelete(k memory.Kind) memory.Kind {
	k.Delete = true
	return k
}

func takesBack(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	found, err := w.Find(ctx, "guests", record.Fields{"phone": ch.Fields["phone"]}, connectors.Scope{})
	if err == nil && len(found) > 0 {
		_, err = w.Apply(ctx, record.Change{ID: "back", Op: record.Delete, Ref: found[0].Ref})
	}
	return record.Record{}, connectors.Wrong(connectors.Ambiguous, "create guests", "no answer: %w", errors.Join(err))
}

func findsNone(context.Context, whole, record.Kind, record.Fields, connectors.Scope) ([]record.Record, error) {
	return nil, nil
}

func renames(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	if ch.Op == record.Create {
		ch.Fields = ch.Fields.With(record.Fields{"name": record.OfText("Document")})
	}
	return w.Apply(ctx, ch)
}

func unfinished(change func(*record.Unfinished) *record.Unfinished) func(context.Context, whole, record.Ref, connectors.Scope) (record.Record, error) {
	return func(ctx context.Context, w whole, ref record.Ref, s connectors.Scope) (record.Record, error) {
		r, err := w.Get(ctx, ref, s)
		r.Unfinished = change(r.Unfinished)
		return r, err
	}
}

func noneThatFailed(u *record.Unfinished) *record.Unfinished {
	if u.Hopeless() {
		return nil
	}
	return u
}

func withoutReason(u *record.Unfinished) *record.Unfinished {
	if u == nil {
		return nil
	}
	return &record.Unfinished{Within: u.Within}
}

func allFail(u *record.Unfinished) *record.Unfinished {
	if u == nil {
		return nil
	}
	return &record.Unfinished{Within: u.Within, Failed: "it takes long"}
}

func lacksFile(u *record.Unfinished) *record.Unfinished {
	if u == nil || u.Hopeless() {
		return u
	}
	return &record.Unfinished{Within: u.Within, Lacks: []string{"file"}}
}

func endless(u *record.Unfinished) *record.Unfinished {
	if u == nil {
		return nil
	}
	return &record.Unfinished{Failed: u.Failed}
}

func answersReady(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	r, err := w.Apply(ctx, ch)
	r.Unfinished = nil
	return r, err
}

// readyTogether takes all for ready once one of them is.
func readyTogether() func(context.Context, whole, record.Ref, connectors.Scope) (record.Record, error) {
	one := false
	return func(ctx context.Context, w whole, ref record.Ref, s connectors.Scope) (record.Record, error) {
		r, err := w.Get(ctx, ref, s)
		if one = one || r.Unfinished == nil; one {
			r.Unfinished = noneThatFailed(r.Unfinished)
			if r.Unfinished != nil && !r.Unfinished.Hopeless() {
				r.Unfinished = nil
			}
		}
		return r, err
	}
}
