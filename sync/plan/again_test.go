package plan

import (
	"testing"
	"time"
)

func TestAgain(t *testing.T) {
	last := time.Date(2011, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		fails int
		wait  time.Duration
		yes   bool
	}{
		{1, time.Minute, true},
		{2, 4 * time.Minute, true},
		{3, 16 * time.Minute, true},
		{6, 1024 * time.Minute, true},
		{7, 24 * time.Hour, true},
		{8, 0, false},
		{1000, 0, false},
	} {
		at, yes := Again(c.fails, last)
		if yes != c.yes || yes && at.Sub(last) != c.wait {
			t.Errorf("after %d refusals: got %s later, %t, want %s, %t", c.fails, at.Sub(last), yes, c.wait, c.yes)
		}
	}
}
