package proof

import (
	"context"
	"testing"
	"time"

	"nightporter/sync/findings"
	"nightporter/sync/match"
	"nightporter/sync/observe"
	"nightporter/sync/refer"
	"nightporter/sync/run"
	"nightporter/sync/trust"

	"nightporter/connectors"
	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// scansOnly is a store of which only the ended scans are asked.
type scansOnly struct {
	run.History
	run.Strangers
	ended []record.EndedScan
}

func (s scansOnly) Ended(context.Context, record.Place, int) ([]record.EndedScan, error) {
	return s.ended, nil
}

func (scansOnly) Illegible(context.Context, record.Place, int) ([]record.Entry, error) {
	return nil, nil
}

func phoneMapping(t *testing.T) *mapping.Mapping {
	t.Helper()
	m, err := mapping.Compile(mapping.Spec{
		Systems: [2]string{"platform", "pms"}, Zone: time.UTC, Match: [][]string{{"phone"}},
		Fields: []mapping.FieldSpec{{
			Name: "phone", As: mapping.Phone, Region: []string{"IT"},
			Sides: [2]mapping.SideSpec{{Path: "phone_number"}, {Path: "phone"}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A list of other days knows nothing of a stay that is not wholly inside them.
func TestPermittedByWindow(t *testing.T) {
	m, err := mapping.Compile(mapping.Spec{
		Systems: [2]string{"platform", "pms"}, Zone: time.UTC, Match: [][]string{{"arrival"}},
		Fields: []mapping.FieldSpec{
			{Name: "arrival", As: mapping.Date, Sides: [2]mapping.SideSpec{{Path: "from"}, {Path: "arr"}}},
			{Name: "departure", As: mapping.Date, Sides: [2]mapping.SideSpec{{Path: "to"}, {Path: "dep"}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	const before, now = "2026-11-19..2026-11-29", "2026-11-20..2026-11-30"
	today := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name     string
		from, to string
		scopes   []string
		want     bool
	}{
		{"lists of today", "2026-11-28", "2026-11-30", []string{now, now}, true},
		{"one of them of yesterday, and the stay is in both", "2026-11-28", "2026-11-29", []string{now, before}, true},
		{"one of them of yesterday, and the stay begins after it", "2026-11-30", "2026-12-01", []string{now, before}, false},
		{"one of them of yesterday, and the stay ends after it", "2026-11-28", "2026-11-30", []string{now, before}, false},
		{"both of yesterday, and the stay ends after them", "2026-11-28", "2026-11-30", []string{before, before}, false},
		{"a stay over the border, and lists of today", "2026-11-28", "2026-12-05", []string{now, now}, true},
		{"a stay over the border, and a list without a window", "2026-11-28", "2026-12-05", []string{now, ""}, true},
		{"a stay that began before the window of yesterday", "2026-11-15", "2026-11-25", []string{now, before}, false},
		{"days that are not known", "", "2026-11-25", []string{now, before}, false},
		{"a scope that can't be read", "2026-11-28", "2026-11-29", []string{now, "all"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			job := &run.Job{
				Binding: "stays", Mapping: m, Window: &run.Window{From: -1, To: 9}, Zone: time.UTC,
				Booking: &run.Booking{First: "arrival", Last: "departure"},
			}
			job.Sides[record.Left].Can = connectors.Kind{Windowed: true}
			store := scansOnly{}
			for _, scope := range tt.scopes {
				store.ended = append(store.ended, record.EndedScan{
					Scan:        record.Scan{Started: today, Spec: record.ScanSpec{Mapping: m.Fingerprint(record.Left), Scope: scope}},
					Certificate: record.Certificate{Complete: true},
				})
			}
			r := ofStore(store, job)
			r.Now, r.FirstSeen[5] = today, today
			r.observe.Begun[record.Left] = today
			a := plan.Action{From: 5, Change: record.Change{Fields: record.Fields{"from": record.OfText(tt.from), "to": record.OfText(tt.to)}}}
			got, err := r.permitted(t.Context(), record.Left, a)
			if err != nil || got != tt.want {
				t.Errorf("permitted: got %v, %v, want %v", got, err, tt.want)
			}
		})
	}
}

// A create is permitted only by lists that were complete, read with the mapping of
// today, and begun when the record to be created was known, of which the last one is of
// this run or not much older.
func TestPermitted(t *testing.T) {
	m := phoneMapping(t)
	known := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	list := func(after time.Duration, complete bool) record.EndedScan {
		return record.EndedScan{
			Scan:        record.Scan{Started: known.Add(after), Spec: record.ScanSpec{Mapping: m.Fingerprint(record.Left)}},
			Certificate: record.Certificate{Complete: complete},
		}
	}
	other := list(time.Second, true)
	other.Scan.Spec.Mapping = "another"
	for _, tt := range []struct {
		name    string
		can     connectors.Kind
		lists   []record.EndedScan
		want    bool
		after   time.Duration // the run begins that long after the record was known
		read    bool          // it read a list that is whole, of all or of what changed
		follows bool          // it follows a run that read the lists
	}{
		{name: "no list"},
		{name: "one list", lists: []record.EndedScan{list(time.Second, true)}, read: true},
		{name: "two lists", lists: []record.EndedScan{list(time.Second, true), list(time.Minute, true)}, read: true, want: true},
		{name: "two lists of an earlier run", lists: []record.EndedScan{list(time.Second, true), list(time.Minute, true)}},
		{name: "two lists of the run that this one follows", lists: []record.EndedScan{list(time.Second, true), list(time.Minute, true)}, follows: true, want: true},
		{name: "two lists, one not complete", lists: []record.EndedScan{list(time.Second, true), list(time.Minute, false)}, read: true},
		{name: "two lists, one begun before", lists: []record.EndedScan{list(-time.Second, true), list(time.Minute, true)}, read: true},
		{name: "two lists, one under another mapping", lists: []record.EndedScan{other, list(time.Minute, true)}, read: true},
		{name: "a stable order, one list", can: connectors.Kind{Stable: true}, lists: []record.EndedScan{list(time.Second, true)}, read: true, want: true},
		{name: "a stable order, begun before", can: connectors.Kind{Stable: true}, lists: []record.EndedScan{list(-time.Second, true)}, read: true},
		{name: "lists of days ago", lists: []record.EndedScan{list(time.Second, true), list(time.Minute, true)}, follows: true, after: 48 * time.Hour},
		{name: "lists of days ago, and one that is not whole", lists: []record.EndedScan{list(time.Second, true), list(time.Minute, true), list(48*time.Hour, false)}, after: 48 * time.Hour},
		{name: "a list of days ago, and one of now", lists: []record.EndedScan{list(time.Second, true), list(48*time.Hour, true)}, after: 48 * time.Hour, read: true, want: true},
		{name: "lists of days ago, and what changed since", lists: []record.EndedScan{list(time.Second, true), list(time.Minute, true)}, after: 48 * time.Hour, read: true, want: true},
		{name: "a stable order, days ago", can: connectors.Kind{Stable: true}, lists: []record.EndedScan{list(time.Second, true)}, after: 48 * time.Hour},
		{name: "the side refuses doubles", can: connectors.Kind{Unique: [][]string{{"phone_number"}}}, want: true},
		{name: "the side refuses doubles of something else", can: connectors.Kind{Unique: [][]string{{"id"}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			job := &run.Job{Binding: "guests", Mapping: m, Match: [][]string{{"phone"}}}
			job.Sides[record.Left].Can = tt.can
			r := ofStore(scansOnly{ended: tt.lists}, job)
			r.Options.After = tt.follows
			r.Now, r.FirstSeen[5] = known.Add(tt.after), known
			if tt.read {
				r.observe.Begun[record.Left] = r.Now
			}
			a := plan.Action{From: 5, Change: record.Change{Fields: record.Fields{"phone_number": record.OfText("+390550000001")}}}
			got, err := r.permitted(t.Context(), record.Left, a)
			if err != nil || got != tt.want {
				t.Errorf("permitted: got %v, %v, want %v", got, err, tt.want)
			}
		})
	}
}

// ofStore is a run of a job whose store is given.
func ofStore(s scansOnly, job *run.Job) *Room {
	base := run.New(&run.House{Stores: run.Stores{History: s, Strangers: s}}, job, record.Lease{}, run.Options{})
	t := trust.New(base, findings.New(base))
	o := observe.New(base, t)
	refs := refer.New(base, o)
	return New(base, match.New(base, refs, o), refs, o, t)
}
