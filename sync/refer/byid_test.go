package refer

import (
	"context"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// guestsBook is a store of guests: 3 is linked, 4 was merged into 5, and 5 into 3. 7 is gone.
type guestsBook struct {
	run.EntryStore
	run.Links
	run.History
	run.Absences
}

func (guestsBook) Entry(_ context.Context, _ record.Place, ref record.Ref) (record.Entry, bool, error) {
	e, known := map[string]record.Entry{
		"3": {Num: 3, Link: 1}, "4": {Num: 4, State: record.Gone}, "5": {Num: 5, State: record.Gone}, "7": {Num: 7, State: record.Gone},
	}[ref.ID]
	e.Ref = ref
	return e, known, nil
}

func (guestsBook) Tombstone(_ context.Context, num int64) (record.Tombstone, bool, error) {
	t, is := map[int64]record.Tombstone{4: {Moved: "5"}, 5: {Moved: "3"}, 7: {}}[num]
	return t, is, nil
}

func (guestsBook) PairOf(context.Context, record.Place, record.Ref) (record.Pair, bool, error) {
	return record.Pair{Link: 1, Entity: "E3"}, true, nil
}

func (guestsBook) Ended(context.Context, record.Place, int) ([]record.EndedScan, error) {
	return []record.EndedScan{{Certificate: record.Certificate{Complete: true}}}, nil
}

// answering is a system that gives one answer to every read by id.
type answering struct {
	connectors.Connector
	id  string
	err error
}

func (a answering) Get(_ context.Context, ref record.Ref, _ connectors.Scope) (record.Record, error) {
	return record.Record{Ref: record.Ref{Kind: ref.Kind, ID: a.id}}, a.err
}

// A booking names its guest by an id: whom it means, by what the store knows of the id and what the system says of it.
func TestOutsideWhomAnIDMeans(t *testing.T) {
	none := connectors.Wrong(connectors.NotFound, "get", "there is none")
	for name, tt := range map[string]struct {
		id   string
		says answering
		want string // the entity; "" for none
		as   run.Standing
	}{
		"as it is listed":                  {"3", answering{err: none}, "E3", Known},
		"spelt another way":                {"03", answering{id: "3"}, "E3", Known},
		"spelt another way, of an unknown": {"09", answering{id: "9"}, "", LeftOut},
		"another one's by now":             {"03", answering{err: &connectors.Error{Class: connectors.Moved, Ref: record.Ref{ID: "3"}}}, "", LeftOut},
		"it can't be asked for now":        {"03", answering{err: connectors.Wrong(connectors.Transient, "get", "away")}, "", Waiting},
		"merged, and merged again":         {"4", answering{err: none}, "E3", Known},
		"gone":                             {"7", answering{err: none}, "", LeftOut},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := ofBookings(t)
			r.store = store{EntryStore: guestsBook{}, Links: guestsBook{}, History: guestsBook{}, Absences: guestsBook{}}
			guests := r.Jobs["guests"]
			guests.Zone = time.UTC
			guests.Sides[record.Right] = run.Side{System: "two", Kind: "guests", Conn: tt.says, Can: connectors.Kind{Get: true}}
			place := record.Place{Binding: "guests", Side: record.Right}
			res, err := r.resolveID(t.Context(), place, record.Ref{Kind: "guests", ID: tt.id}, Target{Side: record.Left})
			if err != nil || res.Standing != tt.as || res.Value.Text() != tt.want {
				t.Errorf("it is %q, %v (%v), want %q, %v", res.Value.Text(), res.Standing, err, tt.want, tt.as)
			}
			if res.Standing != Known && res.State != record.Gone {
				t.Errorf("its system is not asked before anything is emptied: state %q", res.State)
			}
		})
	}
}
