package trust

import (
	"testing"
	"time"

	"nightporter/sync/record"
)

// What tells that a record is older than what is known of it, and what is an edit.
func TestSaysOlder(t *testing.T) {
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	at := func(hours int) time.Time { return noon.Add(time.Duration(hours) * time.Hour) }
	ref := record.Ref{Kind: "people", ID: "1"}
	name := func(s string) record.Fields { return record.Fields{"name": record.OfText(s)} }
	write := func(op record.Op, changed time.Time, settled int) []record.Landed {
		return []record.Landed{
			{Ref: record.Ref{Kind: "people", ID: "2"}, Op: op, Before: name("old"), After: name("other"), At: at(settled)},
			{Ref: ref, Op: op, Before: name("old"), After: name("new"), Changed: changed, At: at(settled)},
			{Ref: ref, Op: op, Before: name("older"), After: name("old"), At: at(-9)}, // an earlier one says nothing
		}
	}
	var none time.Time
	for _, tt := range []struct {
		name      string
		was, is   record.Version
		shows     string
		changed   time.Time
		newest    time.Time
		written   []record.Landed
		takenBack bool
		want      bool
	}{
		{name: "nothing is known", shows: "old"},
		{name: "its version went back", was: "7", is: "6", want: true},
		{name: "its version went on", was: "7", is: "8", shows: "old", written: write(record.Update, none, -2), takenBack: true},
		{name: "versions that don't count", was: "v7", is: "v6"},
		{name: "it was seen with a later change", changed: at(-5), newest: at(-4), want: true},
		{name: "it is as it was seen", changed: at(-4), newest: at(-4)},
		{name: "changed before our write", changed: at(-5), written: write(record.Update, at(-4), -4), want: true},
		{name: "changed after our write", shows: "old", changed: at(-3), written: write(record.Update, at(-4), -4), takenBack: true},
		{name: "changed before our write, which settles", changed: at(-5), written: write(record.Update, at(-4), 1)},
		{name: "our write is undone", shows: "old", written: write(record.Update, none, -2), takenBack: true, want: true},
		{name: "our write is undone, which is no proof", shows: "old", written: write(record.Update, none, -2)},
		{name: "a third value", shows: "theirs", written: write(record.Update, none, -2), takenBack: true},
		{name: "what we made holds something else", shows: "old", written: write(record.Create, none, -2), takenBack: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := &lately{written: tt.written}
			if !tt.newest.IsZero() {
				k.newest = []newest{{ID: "2", Changed: at(9)}, {ID: ref.ID, Changed: tt.newest}}
			}
			e := record.Entry{Ref: ref, BaseVersion: tt.was, Seen: &record.Observation{Version: tt.is, Changed: tt.changed, Fields: name(tt.shows)}}
			if got := k.saysOlder(e, noon, tt.takenBack); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}
