package trust

import (
	"testing"
	"time"

	"nightporter/sync/run"

	"nightporter/sync/record"
)

func TestInstallOf(t *testing.T) {
	for mark, want := range map[string]string{
		"np:abc:entity": "abc", "np:abc:": "abc", "np:abc": "", "": "", "VIP": "", "xnp:abc:entity": "", "np::entity": "",
	} {
		if got := installOf(mark); got != want {
			t.Errorf("%q: got %q, want %q", mark, got, want)
		}
	}
}

// Whether a record that became known at twelve was made since ten, when this
// installation began.
func TestF11_MadeSince(t *testing.T) {
	at := func(hour int) time.Time { return time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC) }
	list := func(ended int, complete bool, scope string) record.EndedScan {
		return record.EndedScan{
			Scan:        record.Scan{Spec: record.ScanSpec{Full: true, Scope: scope}},
			Certificate: record.Certificate{Ended: at(ended), Complete: complete},
		}
	}
	for name, tt := range map[string]struct {
		created time.Time
		scans   []record.EndedScan
		want    bool
	}{
		"made since, as it says":                        {created: at(11), want: true},
		"made before, as it says":                       {created: at(9), scans: []record.EndedScan{list(10, true, ""), list(11, true, "")}},
		"two lists did not show it":                     {scans: []record.EndedScan{list(10, true, ""), list(11, true, "")}, want: true},
		"one list did not":                              {scans: []record.EndedScan{list(11, true, "")}},
		"one of the two was not whole":                  {scans: []record.EndedScan{list(10, false, ""), list(11, true, "")}},
		"they may have shown it: they are of later":     {scans: []record.EndedScan{list(12, true, ""), list(13, true, "")}},
		"they were of other days than it may belong to": {scans: []record.EndedScan{list(10, true, "2026-03-01..2026-03-09"), list(11, true, "2026-03-01..2026-03-09")}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Room{Run: &run.Run{Job: &run.Job{}}}
			e := record.Entry{Since: at(12), Seen: &record.Observation{Created: tt.created}}
			if got := r.madeSince(record.Left, e, at(10), tt.scans); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
