package engine

import (
	"context"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// scansOnly is a store of which only the ended scans are asked.
type scansOnly struct {
	Store
	ended []record.EndedScan
}

func (s scansOnly) Ended(context.Context, record.Place, int) ([]record.EndedScan, error) {
	return s.ended, nil
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

// A create is permitted only by lists that were complete, read with the mapping of
// today, and begun when the record to be created was known.
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
		name  string
		can   connectors.Kind
		lists []record.EndedScan
		want  bool
	}{
		{"no list", connectors.Kind{}, nil, false},
		{"one list", connectors.Kind{}, []record.EndedScan{list(time.Second, true)}, false},
		{"two lists", connectors.Kind{}, []record.EndedScan{list(time.Second, true), list(time.Minute, true)}, true},
		{"two lists, one not complete", connectors.Kind{}, []record.EndedScan{list(time.Second, true), list(time.Minute, false)}, false},
		{"two lists, one begun before", connectors.Kind{}, []record.EndedScan{list(-time.Second, true), list(time.Minute, true)}, false},
		{"two lists, one under another mapping", connectors.Kind{}, []record.EndedScan{other, list(time.Minute, true)}, false},
		{"a stable order, one list", connectors.Kind{Stable: true}, []record.EndedScan{list(time.Second, true)}, true},
		{"a stable order, begun before", connectors.Kind{Stable: true}, []record.EndedScan{list(-time.Second, true)}, false},
		{"the side refuses doubles", connectors.Kind{Unique: [][]string{{"phone_number"}}}, nil, true},
		{"the side refuses doubles of something else", connectors.Kind{Unique: [][]string{{"id"}}}, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			job := &Job{Binding: "guests", Mapping: m, Match: [][]string{{"phone"}}}
			job.Sides[record.Left].Can = tt.can
			r := newRun(&Engine{Store: scansOnly{ended: tt.lists}}, job, record.Lease{}, Options{})
			r.firstSeen[5] = known
			a := plan.Action{From: 5, Change: record.Change{Fields: record.Fields{"phone_number": record.OfText("+390550000001")}}}
			got, err := r.permitted(t.Context(), record.Left, a)
			if err != nil || got != tt.want {
				t.Errorf("permitted: got %v, %v, want %v", got, err, tt.want)
			}
		})
	}
}
