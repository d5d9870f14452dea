package trust

import (
	"testing"

	"nightporter/sync/record"
)

// A halt that is over and one that is new are not the same because they are as many.
func TestSameHalts(t *testing.T) {
	open := func(cause record.Cause, side record.Side) record.Question {
		return record.Question{Subject: record.Subject{Side: side}, Cause: cause}
	}
	kept := func(cause record.Cause, side record.Side) record.Question {
		return record.Question{Subject: record.Subject{Side: side}, Cause: cause}
	}
	for name, tt := range map[string]struct {
		open []record.Question
		kept []record.Question
		want bool
	}{
		"none":                       {want: true},
		"the same":                   {[]record.Question{open("trial", record.Right)}, []record.Question{kept("trial", record.Right)}, true},
		"one is over":                {[]record.Question{open("trial", record.Right)}, nil, false},
		"one is new":                 {nil, []record.Question{kept("trial", record.Right)}, false},
		"one is over and one is new": {[]record.Question{open("rolled_back", record.Left)}, []record.Question{kept("trial", record.Right)}, false},
		"of the other side":          {[]record.Question{open("trial", record.Left)}, []record.Question{kept("trial", record.Right)}, false},
		"in another order": {
			[]record.Question{open("trial", record.Left), open("trial", record.Right)},
			[]record.Question{kept("trial", record.Right), kept("trial", record.Left)},
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
