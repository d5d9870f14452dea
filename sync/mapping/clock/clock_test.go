package clock

import (
	"testing"
	"time"
)

// The clock of St John's once went back from 00:01 to 23:01, Havana's goes back
// from 01:00 to midnight.
func TestStartOfDay(t *testing.T) {
	for _, tt := range []struct{ zone, day, want string }{
		{"America/Havana", "2025-11-02", "2025-11-02T04:00:00Z"},
		{"America/St_Johns", "2010-11-07", "2010-11-07T02:30:00Z"},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"},
		{"UTC", "2026-01-01", "2026-01-01T00:00:00Z"},
	} {
		zone, err := time.LoadLocation(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := StartOfDay(tt.day, zone)
		if !ok || got.Format(time.RFC3339) != tt.want {
			t.Errorf("%s %s: got %s %v, want %s", tt.zone, tt.day, got.Format(time.RFC3339), ok, tt.want)
		}
	}
}
