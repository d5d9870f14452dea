package links

import (
	"context"
	"errors"
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
	"nightporter/sync/refer"
	"nightporter/sync/run"
)

// answering is a system that gives one answer to every read by id.
type answering struct {
	connectors.Connector
	id  string
	err error
}

func (a answering) Get(_ context.Context, ref record.Ref, _ connectors.Scope) (record.Record, error) {
	return record.Record{Ref: record.Ref{Kind: ref.Kind, ID: a.id}}, a.err
}

// A booking names a guest whom no list shows. Its guest across is emptied only if the system says that it has just that
// guest, outside of what is read. Whatever else it says, the guest stays, and a person is told why.
func TestOutsideOnlyAGuestWhoIsShownAsLeftOutEmptiesTheOneAcross(t *testing.T) {
	guest := record.Ref{Kind: "guests", ID: "03"}
	for name, tt := range map[string]struct {
		says answering
		want string // of the reason; "" for left out
	}{
		"outside of what is read":   {answering{err: connectors.Wrong(connectors.OutOfScope, "get", "outside")}, ""},
		"there is none":             {answering{err: connectors.Wrong(connectors.NotFound, "get", "none")}, "pms has no guests:03, whom its guest names: what stands here stays. Name another one in its record there"},
		"it is another one now":     {answering{err: &connectors.Error{Class: connectors.Moved, Ref: record.Ref{Kind: "guests", ID: "3"}}}, "asked for guests:03, whom its guest names, pms answers with guests:3: what stands here stays. Name guests:3"},
		"another id comes":          {answering{id: "3"}, "guests:03 of pms, whom its guest names, is in no list there: what stands here stays"},
		"it comes, and no list":     {answering{id: "03"}, "guests:03 of pms, whom its guest names, is in no list there: what stands here stays"},
		"it can't be read":          {answering{err: errors.New("away")}, "guests:03 of pms, whom its guest names, is in no list there and can't be read now"},
		"it can't be made sense of": {answering{err: connectors.Wrong(connectors.Malformed, "get", "garbled")}, "guests:03 of pms, whom its guest names, is in no list there and can't be read now"},
	} {
		t.Run(name, func(t *testing.T) {
			guests := &run.Job{Binding: "guests"}
			guests.Sides[record.Right] = run.Side{System: "pms", Kind: "guests", Conn: tt.says, Can: connectors.Kind{Get: true}}
			house := &run.House{Jobs: map[record.Binding]*run.Job{"guests": guests}}
			r := &Room{Run: run.New(house, &run.Job{Binding: "stays"}, record.Lease{}, run.Options{})}
			r.refer = refer.New(r.Run, nil)
			out := run.Resolution{
				Standing: refer.LeftOut, State: record.Gone, Value: refer.MarkLeftOut("03"),
				Wait: record.Wait{Binding: "guests", Side: record.Right, Ref: guest},
			}
			got, err := r.ledNowhere(t.Context(), run.Reference{Field: "guest", Binding: "guests"}, out)
			if err != nil {
				t.Fatal(err)
			}
			if stays := got.Standing == refer.Unmet; stays != (tt.want != "") || !strings.HasPrefix(got.Why, tt.want) {
				t.Errorf("what stands across stays: %t, because %q, want %q", stays, got.Why, tt.want)
			}
		})
	}
}
