package pull

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// shop is a list in pages by number that takes a while to answer, and tells how many
// requests were under way at once.
type shop struct {
	rows, size, ahead int
	delay             time.Duration
	short             int // a page that shows one row less than the others
	broken            int // a page that can't be read
	mu                sync.Mutex
	asked             []record.Cursor
	now, most         atomic.Int32
}

func (s *shop) Describe(context.Context) (connectors.Description, error) {
	return connectors.Description{}, nil
}

func (s *shop) Close() error { return nil }

func (s *shop) Fetch(ctx context.Context, _ connectors.Query, after record.Cursor) (connectors.Page, error) {
	s.mu.Lock()
	s.asked = append(s.asked, after)
	s.mu.Unlock()
	if n := s.now.Add(1); n > s.most.Load() {
		s.most.Store(n)
	}
	defer s.now.Add(-1)
	select {
	case <-time.After(s.delay):
	case <-ctx.Done():
		return connectors.Page{}, context.Cause(ctx)
	}
	from, _ := strconv.Atoi(string(after))
	if s.broken > 0 && from == s.broken*s.size {
		return connectors.Page{}, errors.New("broken")
	}
	to := min(from+s.size, s.rows)
	if s.short > 0 && from == s.short*s.size {
		to--
	}
	p := connectors.Page{Total: s.rows, View: "list", End: to >= s.rows, Next: record.Cursor(fmt.Sprint(to))}
	for i := from; i < to; i++ {
		p.Items = append(p.Items, connectors.Item{ID: fmt.Sprint(i), Raw: fmt.Appendf(nil, "row %d", i)})
	}
	for at := to + s.size; at < s.rows && len(p.Ahead) < s.ahead-1; at += s.size {
		p.Ahead = append(p.Ahead, record.Cursor(fmt.Sprint(at)))
	}
	p.Read = func(it connectors.Item) (record.Record, error) {
		return record.Record{Ref: record.Ref{Kind: "contacts", ID: it.ID}, Fields: record.Fields{"name": record.OfText(string(it.Raw))}}, nil
	}
	return p, nil
}

// order is what the sink was given, in its order.
func (s *shelf) order() string {
	var ids []string
	for _, p := range s.pages {
		for _, it := range p.Items {
			ids = append(ids, it.Ref.ID)
		}
	}
	return strings.Join(ids, " ")
}

func upTo(n int) string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprint(i)
	}
	return strings.Join(ids, " ")
}

func TestAhead(t *testing.T) {
	tests := []struct {
		name     string
		shop     *shop
		most     int32
		requests int // at most
		took     time.Duration
		rows     int
		err      string
	}{
		{name: "one by one", shop: &shop{rows: 1000, size: 10, ahead: 1}, most: 1, requests: 100, took: 10 * time.Second, rows: 1000},
		{name: "eight at once", shop: &shop{rows: 1000, size: 10, ahead: 8}, most: 8, requests: 100, took: 1500 * time.Millisecond, rows: 1000},
		{name: "one page", shop: &shop{rows: 10, size: 10, ahead: 8}, most: 1, requests: 1, took: 100 * time.Millisecond, rows: 10},
		{name: "a short page in between", shop: &shop{rows: 1000, size: 10, ahead: 8, short: 20}, most: 8, requests: 109, took: 10 * time.Second, rows: 1000},
		{name: "a page that can't be read", shop: &shop{rows: 1000, size: 10, ahead: 8, broken: 5}, most: 8, requests: 13, took: time.Second, rows: 50, err: "broken"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.shop.delay = 100 * time.Millisecond
				s, sink := side(t, nil), &shelf{}
				s.Conn = tt.shop
				begun := time.Now()
				res, err := Pull(t.Context(), s, sink)
				if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("got %v, want %q", err, tt.err)
				}
				if res.Complete != (tt.err == "") {
					t.Errorf("complete %v with flaws %v", res.Complete, res.Flaws)
				}
				if got, want := sink.order(), upTo(tt.rows); got != want {
					t.Errorf("stored %s, want %s", got, want)
				}
				if n := tt.shop.most.Load(); n != tt.most {
					t.Errorf("%d requests were under way at once, want %d", n, tt.most)
				}
				if n := len(tt.shop.asked); n > tt.requests {
					t.Errorf("sent %d requests, want %d at most", n, tt.requests)
				}
				if took := time.Since(begun); took > tt.took {
					t.Errorf("took %v, want %v at most", took, tt.took)
				}
				if n := tt.shop.now.Load(); n != 0 {
					t.Errorf("%d requests are under way after the end", n)
				}
			})
		})
	}
}

// A pull that is cut off takes back what it has sent out for.
func TestAheadStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := shop{rows: 1000, size: 10, ahead: 8, delay: time.Second}
		s, sink := side(t, nil), &shelf{}
		s.Conn = &list
		n := 0
		s.Between = func(context.Context) error {
			if n++; n == 3 {
				return errors.New("stop")
			}
			return nil
		}
		if _, err := Pull(t.Context(), s, sink); err == nil || err.Error() != "stop" {
			t.Fatalf("got %v, want stop", err)
		}
		if got, want := sink.order(), upTo(30); got != want {
			t.Errorf("stored %s, want %s", got, want)
		}
		if at := sink.pages[len(sink.pages)-1].Next; at != "30" {
			t.Errorf("the scan goes on at %s, want behind what was stored", at)
		}
		if list.now.Load() != 0 {
			t.Error("requests are under way after the end")
		}
	})
}

// What a page showed is of the time when its own request was begun, also of one that
// was fetched before its turn.
func TestAheadAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := shop{rows: 40, size: 10, ahead: 8, delay: time.Second}
		s, sink := side(t, nil), &shelf{}
		s.Conn = &list
		begun := time.Now()
		if _, err := Pull(t.Context(), s, sink); err != nil {
			t.Fatal(err)
		}
		for i, p := range sink.pages {
			want := begun
			if i > 0 { // all others were asked for together, once the first was there
				want = begun.Add(time.Second)
			}
			if !p.At.Equal(want) || !p.Items[0].Observation.At.Equal(want) {
				t.Errorf("page %d is of %v, want %v", i, p.At.Sub(begun), want.Sub(begun))
			}
		}
	})
}

// Pages that show nothing new are stored together; one that does, an end of any sort
// and some seconds store what has waited.
func TestQuietPagesWait(t *testing.T) {
	tests := []struct {
		name  string
		rows  int
		delay time.Duration
		news  string // a record that is not known
		stop  int    // Between fails after this page
		pages []int  // stored together
		next  record.Cursor
	}{
		{name: "nothing new", rows: 1500, pages: []int{64, 64, 22}, next: "1500"},
		{name: "something new", rows: 300, news: "105", pages: []int{11, 19}, next: "300"},
		{name: "cut off", rows: 300, stop: 7, pages: []int{7}, next: "70"},
		{name: "a slow list", rows: 60, delay: time.Second, pages: []int{2, 2, 2}, next: "60"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, sink := side(t, nil), &shelf{known: map[string]record.Known{}}
				s.Conn = &shop{rows: tt.rows, size: 10, ahead: 1, delay: tt.delay}
				salt := s.Mapping.Fingerprint(record.Left)
				for i := range tt.rows {
					if id := fmt.Sprint(i); id != tt.news {
						sink.known[id] = record.Known{Num: int64(i + 1), Listed: record.DigestOf(salt, fmt.Appendf(nil, "row %d", i))}
					}
				}
				n := 0
				s.Between = func(context.Context) error {
					if n++; n == tt.stop {
						return errors.New("stop")
					}
					return nil
				}
				if _, err := Pull(t.Context(), s, sink); (err != nil) != (tt.stop > 0) {
					t.Fatal(err)
				}
				var pages []int
				rows := 0
				for _, p := range sink.pages {
					pages = append(pages, p.Pages)
					rows += p.Rows
				}
				if diff := cmp.Diff(tt.pages, pages); diff != "" {
					t.Errorf("pages stored together (-want +got):\n%s", diff)
				}
				last := sink.pages[len(sink.pages)-1]
				if last.Next != tt.next {
					t.Errorf("the scan goes on at %s, want %s", last.Next, tt.next)
				}
				if want, _ := strconv.Atoi(string(tt.next)); rows != want {
					t.Errorf("stored %d rows, want %d", rows, want)
				}
			})
		})
	}
}
