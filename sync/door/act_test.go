package door

import (
	"testing"

	"nightporter/sync/record"
)

// A version that counts from 1 may be that of another record with the same id. A hash or a time is of one record alone.
func TestIsUnique(t *testing.T) {
	for v, want := range map[record.Version]bool{
		"": false, "1": false, "17": false, "999999": false,
		"1764540000123": true, "W/\"17-abc\"": true, "2026-11-30T21:00:00Z": true,
	} {
		if got := isUnique(v); got != want {
			t.Errorf("%q: got %t, want %t", v, got, want)
		}
	}
}
