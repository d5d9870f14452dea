package schedule

import (
	"testing"
	"time"
)

// Who looks on sees what the process that runs jobs will do next, and changes nothing.
func TestStand(t *testing.T) {
	hourly, err := Parse("every 1h", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	jobs := []Job{{Binding: "guests", Left: hourly}}
	m := NewMemory()
	opened := time.Date(2026, 3, 1, 10, 30, 0, 0, time.UTC)
	if err := m.Settle(t.Context(), Entry{Binding: "guests", What: Left, Outcome: Opened, At: opened}); err != nil {
		t.Fatal(err)
	}
	if err := m.Settle(t.Context(), Entry{Binding: "guests", What: Left, Outcome: Failed, Fails: 3, At: opened}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Request(t.Context(), "guests", Kick, opened); err != nil {
		t.Fatal(err)
	}
	splay := Splay("guests", time.Hour, 10*time.Minute)
	tests := map[string]struct{ now, want time.Time }{
		"before its slot": {opened.Add(10 * time.Minute), opened.Add(30*time.Minute + splay)},
		"long after it":   {opened.Add(3 * time.Hour), opened.Add(150*time.Minute + splay)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Stand(t.Context(), jobs, m, tt.now)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != 2 || got[0].What != Left || got[1].What != Kick || !got[1].Asked {
				t.Fatalf("got lines %+v, want the left one and a kick that is asked for", got)
			}
			if !got[0].Next.Equal(tt.want) || got[0].Fails != 3 {
				t.Errorf("got due at %s after %d failures, want %s after 3", got[0].Next, got[0].Fails, tt.want)
			}
			if got[0].NotUntil.IsZero() {
				t.Error("a failing job may run at once, want it to rest")
			}
		})
	}
	fresh := NewMemory()
	if _, err := Stand(t.Context(), jobs, fresh, opened); err != nil {
		t.Fatal(err)
	}
	if b, err := fresh.Load(t.Context(), "guests"); err != nil || len(b.Lines) > 0 {
		t.Errorf("the ledger holds %+v (error %v), want nothing: it was only looked at", b, err)
	}
}
