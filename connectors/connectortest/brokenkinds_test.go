package connectortest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

type (
	applies = func(context.Context, whole, record.Change) (record.Record, error)
	reads   = func(http.Header, []byte) ([]connectors.Hint, error)
)

// Notified reads a delivery of the house: {"event", "kind", "id", "guest": {"id"}}, or some.
func (b broken) Notified(h http.Header, body []byte) ([]connectors.Hint, error) {
	switch {
	case b.silent:
		return nil, connectors.Wrong(connectors.Unsupported, "read a webhook", "the house does not call")
	case b.notified != nil:
		return b.notified(h, body)
	}
	return soundly(h, body)
}

func soundly(_ http.Header, body []byte) ([]connectors.Hint, error) {
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		body = append(append([]byte("["), body...), ']')
	}
	var events []*struct {
		Event, Kind, ID string
		Guest           struct{ ID string }
	}
	if err := json.Unmarshal(body, &events); err != nil || slices.Contains(events, nil) || events == nil {
		return nil, connectors.Wrong(connectors.Malformed, "read a webhook", "it is no event")
	}
	var out []connectors.Hint
	for _, e := range events {
		hint := connectors.Hint{EventID: e.Event, Ref: record.Ref{Kind: "guests", ID: cmp.Or(e.ID, e.Guest.ID)}}
		if hint.Ref.ID == "" {
			hint.Ref, hint.Kind = record.Ref{}, "guests"
		}
		if e.Kind == "guests" {
			out = append(out, hint)
		}
	}
	return out, nil
}

// delivered is what the house sends.
func delivered() func(testing.TB, Form, ...string) (http.Header, []byte, bool) {
	n := 0
	event := func(kind, rest string) string {
		n++
		return fmt.Sprintf(`{"event":"ev-%d","kind":%q%s}`, n, kind, rest)
	}
	return func(_ testing.TB, form Form, ids ...string) (http.Header, []byte, bool) {
		var all []string
		for _, id := range ids {
			all = append(all, event("guests", fmt.Sprintf(`,"id":%q`, id)))
		}
		text := map[Form]func() string{
			Thin: func() string { return all[0] }, Several: func() string { return "[" + strings.Join(all, ",") + "]" },
			Fat:   func() string { return event("guests", fmt.Sprintf(`,"guest":{"id":%q,"name":"Ada"}`, ids[0])) },
			Whole: func() string { return event("guests", "") }, Strange: func() string { return event("parking", fmt.Sprintf(`,"id":%q`, ids[0])) },
		}[form]()
		return http.Header{"X-Event": {"1"}}, []byte(text), true
	}
}

// wholly is a connector with all methods; what it hasn't it doesn't do.
func wholly(c connectors.Connector) whole {
	if w, ok := c.(whole); ok {
		return w
	}
	type getsAndFinds interface {
		connectors.Connector
		connectors.Getter
		connectors.Finder
	}
	return struct {
		getsAndFinds
		mute
	}{c.(getsAndFinds), mute{}}
}

// mute writes nothing.
type mute struct{}

// Apply says so.
func (mute) Apply(context.Context, record.Change) (record.Record, error) {
	return record.Record{}, connectors.Wrong(connectors.Unsupported, "write", "nothing is written")
}

// marks notes in each record that it was read.
func marks(ctx context.Context, w whole, ref record.Ref, s connectors.Scope) (record.Record, error) {
	r, err := w.Get(ctx, ref, s)
	if err == nil {
		_, err = w.Apply(ctx, record.Change{ID: "mark " + ref.ID, Op: record.Update, Ref: ref, Version: r.Version, Fields: record.Fields{"notes": record.OfText("read")}})
	}
	return r, err
}

// overTheFirst changes the first record that a list shows with each that it adds.
func overTheFirst() applies {
	return func(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
		if ch.Op == record.Create {
			p, err := w.Fetch(ctx, connectors.Query{Kind: "guests"}, "")
			if err == nil && len(p.Items) > 0 {
				rest := ch
				rest.Op, rest.Ref, rest.ID, rest.Stamp = record.Create, record.Ref{Kind: "guests"}, ch.ID+" too", ""
				rest.Fields = ch.Fields.With(record.Fields{"phone": record.OfText("+39" + ch.ID)})
				_, _ = w.Apply(ctx, rest)
			}
		}
		return w.Apply(ctx, ch)
	}
}

// losesOne answers every third create without doing it.
func losesOne() applies {
	var mu sync.Mutex
	n := 0
	var last record.Record
	return func(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
		mu.Lock()
		defer mu.Unlock()
		if n++; ch.Op == record.Create && n%5 == 0 {
			return last, nil
		}
		r, err := w.Apply(ctx, ch)
		last = r
		return r, err
	}
}

// actsOnTheFirst takes the first record that it is asked about for all others, too.
func actsOnTheFirst() applies {
	return func(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
		r, err := w.Apply(ctx, ch)
		if ch.Op != record.Action || err != nil {
			return r, err
		}
		p, listed := w.Fetch(ctx, connectors.Query{Kind: "guests"}, "")
		if listed == nil && len(p.Items) > 0 {
			ch.Ref.ID, ch.ID = p.Items[0].ID, ch.ID+" too"
			_, _ = w.Apply(ctx, ch)
		}
		return r, nil
	}
}

// neverGone answers an action on what is not there as if it were.
func neverGone(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	r, err := w.Apply(ctx, ch)
	if ch.Op == record.Action && connectors.ClassOf(err) == connectors.NotFound {
		return record.Record{Ref: ch.Ref, Fields: ch.Fields}, nil
	}
	return r, err
}

// hinting changes each hint that is right.
func hinting(change func(*connectors.Hint)) reads {
	return func(h http.Header, body []byte) ([]connectors.Hint, error) {
		hints, err := soundly(h, body)
		for i := range hints {
			change(&hints[i])
		}
		return hints, err
	}
}

func kindOnly(h http.Header, body []byte) ([]connectors.Hint, error) {
	return hinting(func(h *connectors.Hint) { h.Ref, h.Kind = record.Ref{}, "guests" })(h, body)
}

func thinOnly(h http.Header, body []byte) ([]connectors.Hint, error) {
	if bytes.Contains(body, []byte(`"guest"`)) {
		return nil, nil
	}
	return soundly(h, body)
}

func firstOnly(h http.Header, body []byte) ([]connectors.Hint, error) {
	hints, err := soundly(h, body)
	return hints[:min(len(hints), 1)], err
}

// onceOnly is deaf to what it has heard.
func onceOnly() reads {
	heard := map[string]bool{}
	return func(h http.Header, body []byte) ([]connectors.Hint, error) {
		if heard[string(body)] {
			return nil, nil
		}
		heard[string(body)] = true
		return soundly(h, body)
	}
}

func scribbles(h http.Header, body []byte) ([]connectors.Hint, error) {
	hints, err := soundly(h, bytes.Clone(body))
	copy(body, bytes.ToUpper(body))
	return hints, err
}

func refuses(http.Header, []byte) ([]connectors.Hint, error) {
	return nil, connectors.Wrong(connectors.Malformed, "read a webhook", "it is no event")
}

func anyKind(h http.Header, body []byte) ([]connectors.Hint, error) {
	return soundly(h, bytes.ReplaceAll(body, []byte("parking"), []byte("guests")))
}

func strangeIsWrong(h http.Header, body []byte) ([]connectors.Hint, error) {
	if bytes.Contains(body, []byte("parking")) {
		return refuses(h, body)
	}
	return soundly(h, body)
}

func takesAll(h http.Header, body []byte) ([]connectors.Hint, error) {
	if !json.Valid(body) {
		return nil, nil
	}
	return soundly(h, body)
}

func repeats(h http.Header, body []byte) ([]connectors.Hint, error) {
	hints, err := soundly(h, body)
	if err != nil {
		err = connectors.Wrong(connectors.Malformed, "read a webhook", "it is no event: %s", strings.TrimSpace(string(body[:min(len(body), 100)])))
	}
	return hints, err
}

func plainError(h http.Header, body []byte) ([]connectors.Hint, error) {
	hints, err := soundly(h, body)
	if err != nil {
		return nil, errors.New("no")
	}
	return slices.Clip(hints), nil
}

// answersForAnother does as it is told, and says that it was done to another record.
func answersForAnother(ctx context.Context, w whole, ch record.Change) (record.Record, error) {
	r, err := w.Apply(ctx, ch)
	if ch.Op == record.Action {
		r.Ref.ID += "0"
	}
	return r, err
}

// causeless says that it was stopped, and not why.
func causeless(ctx context.Context, w whole, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	p, err := w.Fetch(ctx, q, after)
	if ctx.Err() != nil {
		err = &connectors.Error{Class: connectors.Transient, Op: "fetch", Err: ctx.Err()}
	}
	return p, err
}

// misspelt has a field that tells a record apart, under a name that none has.
func misspelt(k *connectors.Kind) {
	k.Fields = map[string]connectors.Field{}
	for _, name := range []string{"name", "phone", "reference", "notes", "status", "first", "last", "email"} {
		k.Fields[name] = connectors.Field{}
	}
	k.Once = []string{"surname"}
}

func contentsAlone(k *connectors.Kind) {
	k.Create, k.Contents = false, map[string]connectors.Limits{"file": {}}
}

// sixTimes passes over a record of which it has read six deliveries: it might be gone.
func sixTimes() reads {
	heard := map[string]int{}
	return func(h http.Header, body []byte) ([]connectors.Hint, error) {
		hints, err := soundly(h, body)
		if len(hints) == 0 {
			return hints, err
		}
		if heard[hints[0].Ref.ID]++; heard[hints[0].Ref.ID] > 6 {
			return nil, err
		}
		return hints, err
	}
}
