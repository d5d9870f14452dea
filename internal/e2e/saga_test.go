package e2e

import (
	"strings"
	"testing"
)

// A booking of somebody new is several changes: the guest, then the booking that names
// it; and where a status has a request of its own, another one. Killed between any two
// of them the next run goes on with the first that is missing, and makes none twice.
func TestF06_KilledBetweenTheChangesOfOneBooking(t *testing.T) {
	tried := 0
	for _, s := range scenes() {
		if s.name != "a booking that waits for its guest" && s.name != "a status with a request of its own" {
			continue
		}
		st := s.set(t)
		steps := st.run(0, killed)
		st.settleAll()
		want := st.picture()
		for k, name := range steps {
			if !strings.HasPrefix(name, "after send") && !strings.HasPrefix(name, "before send") {
				continue
			}
			tried++
			st.run(k+1, killed)
			st.settleAll()
			if got := st.picture(); got != want {
				t.Errorf("%s, killed at %q:\n%s\nwant\n%s", s.name, name, got, want)
			}
		}
	}
	if tried < 6 {
		t.Errorf("killed at %d sends, want some of each booking's", tried)
	}
}
