package apply

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// taking is a system that keeps the contents that it is given.
type taking struct {
	*diary
	got []byte
}

func (c *taking) Apply(ctx context.Context, ch record.Change) (record.Record, error) {
	c.got, _ = connectors.ContentAt(ctx, "file")
	return c.diary.Apply(ctx, ch)
}

type unclosable struct{ io.Reader }

func (unclosable) Close() error { return errors.New("the disk went") }

// What is given is just what the change was decided upon, and otherwise nothing is sent.
func TestContent(t *testing.T) {
	const text = "From 7 to 23."
	sum := sha256.Sum256([]byte(text))
	given := record.OfContent(hex.EncodeToString(sum[:]), int64(len(text)), "text/plain")
	opens := func(s string) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }
	}
	for name, tt := range map[string]struct {
		open  func() (io.ReadCloser, error)
		again bool
		want  Result
		class connectors.ErrorClass
		state string
	}{
		"as it was":             {open: opens(text), want: Done},
		"half of it":            {open: opens(text[:5]), want: Unread, class: connectors.NotFound, state: "cancelled"},
		"more of it":            {open: opens(text + "!"), want: Unread, class: connectors.NotFound, state: "cancelled"},
		"another of its length": {open: opens("From 8 to 22."), want: Unread, class: connectors.NotFound, state: "cancelled"},
		"another, once more":    {open: opens("From 8 to 22."), again: true, want: Unknown, class: connectors.NotFound, state: "sent"},
		"it is not there": {open: func() (io.ReadCloser, error) {
			return nil, connectors.Wrong(connectors.Transient, "open", "no such file")
		}, want: Unread, class: connectors.Transient, state: "cancelled"},
		"it can't be read to its end": {open: func() (io.ReadCloser, error) {
			return unclosable{strings.NewReader(text)}, nil
		}, want: Unread, class: connectors.Rejected, state: "cancelled"},
		"nobody gives it": {want: Unread, class: connectors.Rejected, state: "cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			d := &diary{answer: record.Record{Ref: record.Ref{Kind: "guests", ID: "1"}}}
			a := applierOf(d, withGet)
			c := &taking{diary: d}
			a.Systems[record.Right].Conn = c
			if tt.open != nil {
				a.Open = func(_ context.Context, in record.Intent, path string) (io.ReadCloser, error) {
					if in.From != 5 || path != "file" {
						t.Errorf("%s of entry %d is asked for, want file of 5", path, in.From)
					}
					return tt.open()
				}
			}
			act := create()
			act.Change.Fields = record.Fields{"title": record.OfText("a"), "file": given}
			out, err := run(t, a, act, tt.again)
			if err != nil || out.Result != tt.want || out.Class != tt.class {
				t.Fatalf("got %+v, %v, want result %d of class %q", out, err, tt.want, tt.class)
			}
			sent := slices.Contains(d.log, "REQUEST") || slices.Contains(d.log, "sent") || slices.Contains(d.log, "open")
			if sent != (tt.want == Done) {
				t.Errorf("sent: %t: %v", sent, d.log)
			}
			if tt.want == Done && string(c.got) != text {
				t.Errorf("given %q, want %q", c.got, text)
			}
			if last := d.log[len(d.log)-1]; tt.state != "" && !strings.HasSuffix(last, " "+tt.state+" "+string(tt.class)) {
				t.Errorf("the intent ends as %q, want %s", last, tt.state)
			}
		})
	}
}

// zeros is a file of so many zeros.
func zeros(n int64) io.ReadCloser { return io.NopCloser(io.LimitReader(nought{}, n)) }

type nought struct{}

func (nought) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// A content is as large in memory as it is.
func TestContentIsNotHeldTwice(t *testing.T) {
	const size = 16 << 20
	sum := sha256.New()
	if _, err := io.Copy(sum, zeros(size)); err != nil {
		t.Fatal(err)
	}
	a := applierOf(&diary{}, withGet)
	a.Open = func(context.Context, record.Intent, string) (io.ReadCloser, error) { return zeros(size), nil }
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := a.content(t.Context(), record.Intent{}, "file", record.Body{Digest: hex.EncodeToString(sum.Sum(nil)), Size: size})
	runtime.ReadMemStats(&after)
	if err != nil || len(got) != size {
		t.Fatalf("got %d bytes, %v", len(got), err)
	}
	if all := float64(after.TotalAlloc-before.TotalAlloc) / size; all > 1.1 {
		t.Errorf("%.2f times the content was allocated, want it once", all)
	}
}

func run(t *testing.T, a *Applier, act plan.Action, again bool) (Outcome, error) {
	t.Helper()
	if again {
		return a.Again(t.Context(), sentOnce(a, act))
	}
	return a.Apply(t.Context(), act)
}
