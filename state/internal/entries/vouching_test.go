package entries

import (
	"testing"

	"nightporter/sync/record"
)

// A version is belied by another value beside it, where a read with that version showed the one
// before. What was sent, and what no read with it has shown, tell nothing of it.
func TestStandsStill(t *testing.T) {
	shown := func(v string) record.Fields { return record.Fields{"note": record.OfText(v)} }
	for name, tt := range map[string]struct {
		paths    []string
		vouching *record.Vouching
		version  record.Version
		shows    record.Fields
		want     bool
	}{
		"another value":                         {version: "v2", shows: shown("another"), want: true},
		"the same":                              {version: "v2", shows: shown("old")},
		"not shown":                             {version: "v2", shows: record.Fields{}},
		"another version":                       {version: "v3", shows: shown("another")},
		"no version":                            {shows: shown("another")},
		"it was sent, and no read has shown it": {paths: []string{"note"}, version: "v2", shows: shown("another")},
		"the answer alone has shown it":         {paths: []string{answeredPath("note")}, version: "v2", shows: shown("another")},
		"no read with this version showed it":   {vouching: &record.Vouching{Unshown: []string{"note"}}, version: "v2", shows: shown("another")},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Row{paths: tt.paths, Entry: record.Entry{
				Base: record.BaseOf(shown("old")), BaseVersion: "v2", Vouching: tt.vouching,
			}}
			if got := r.standsStill(record.Observation{Version: tt.version, Fields: tt.shows}); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}
