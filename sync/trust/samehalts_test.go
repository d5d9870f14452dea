package trust

import (
	"testing"

	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// A halt that is over and one that is new are not the same because they are as many.
func TestSameHalts(t *testing.T) {
	open := func(name string, side record.Side) record.Halt { return record.Halt{Name: name, Side: side} }
	kept := func(name string, side record.Side) guard.Halt { return guard.Halt{Name: name, Side: side} }
	for name, tt := range map[string]struct {
		open []record.Halt
		kept []guard.Halt
		want bool
	}{
		"none":                       {want: true},
		"the same":                   {[]record.Halt{open("trial", record.Right)}, []guard.Halt{kept("trial", record.Right)}, true},
		"one is over":                {[]record.Halt{open("trial", record.Right)}, nil, false},
		"one is new":                 {nil, []guard.Halt{kept("trial", record.Right)}, false},
		"one is over and one is new": {[]record.Halt{open("rolled_back", record.Left)}, []guard.Halt{kept("trial", record.Right)}, false},
		"of the other side":          {[]record.Halt{open("trial", record.Left)}, []guard.Halt{kept("trial", record.Right)}, false},
		"in another order": {
			[]record.Halt{open("trial", record.Left), open("trial", record.Right)},
			[]guard.Halt{kept("trial", record.Right), kept("trial", record.Left)},
			true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := sameHalts(tt.open, tt.kept); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}
