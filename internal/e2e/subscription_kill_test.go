//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"nightporter/simulator"
)

// Killed before or after any durable step and any request of a start that has to make a
// subscription, or to change its secret, the next process leaves one of ours, whose
// secret it knows, and what is another's.
func TestSubscriptionKilledAtEachStep(t *testing.T) {
	t.Parallel()
	program := binary(t)
	for _, begin := range []string{"it was deleted", "its secret is due"} {
		t.Run(begin, func(t *testing.T) {
			t.Parallel()
			s := newServed(t, program)
			url := s.subscribed(", rotate: 600ms, overlap: 100ms")
			s.edit("    when: { webhook: platform }\n", "")
			s.edit("    kind: stay\n    when: { full", "    kind: stay\n    when: { webhook: platform, full")
			s.edit(filepath.Join(s.dir, "state.db"), s.stateFile())
			s.write(s.path, s.config)
			s.sim.Subscribe(simulator.Subscription{URL: url, Events: []string{"event.created"}, Description: "somebody else's", Active: true})
			left := map[string]int{} // by how many kills
			step := 8                // those before open files
			if os.Getenv("NIGHTPORTER_FULL") != "" {
				step = 1
			}
			first := step
			for rounds := 1; ; step++ {
				if step > 300 {
					t.Fatal("there is no end to the steps")
				}
				s.livesUntilWell(url)
				if begin == "it was deleted" {
					s.sim.EditSubscription(s.ours(url)[0].ID, func(x *simulator.Subscription) { x.ID = "" })
				} else {
					eventually(t, words("the secret is due"), func() bool { return time.Since(s.subscription().Since) > 600*time.Millisecond })
				}
				was := s.subscription().ID
				if !s.livesUntil(step, url) {
					if len(left) == 3 || rounds == 3 {
						break
					}
					rounds, step = rounds+1, first-1 // jobs run beside it: its steps fall otherwise in another round
					continue
				}
				known := s.subscription().ID
				left[fmt.Sprintf("%d are there, the new one is known: %t", len(s.ours(url)), known != was)]++
			}
			s.livesUntilWell(url)
			if all := s.sim.Subscriptions(); len(all) != 2 || all[0].Description != "somebody else's" || !all[0].Active {
				t.Errorf("got %v, want another's as it was and one of ours", all)
			}
			t.Logf("%d steps; %v", step, left)
			if len(left) < 3 {
				t.Errorf("the kills left %v: want them before a create, between it and its keeping, and behind", left)
			}
		})
	}
}

// livesUntil runs the service, which is killed at a step, and reports whether it was:
// otherwise it is stopped once all is well.
func (s *served) livesUntil(step int, url string) (wasKilled bool) {
	s.t.Helper()
	s.env = []string{fmt.Sprint("NIGHTPORTER_KILL_AT=", step)}
	c := s.begin("serve")
	s.env = nil
	before := s.subscription()
	for begun := time.Now(); time.Since(begun) < patience; {
		select {
		case <-c.over:
			return true
		case <-time.After(wink):
		}
		if now := s.subscription(); now.ID != before.ID && s.well(url) && now.Checked.After(before.Checked) {
			_ = c.cmd.Process.Signal(syscall.SIGTERM) // it may just be killed, a step later
			<-c.over
			return false
		}
	}
	s.t.Fatalf("step %d: neither killed nor well: %s", step, c.stderr())
	return false
}

// livesUntilWell runs the service undisturbed until the subscription is as declared.
func (s *served) livesUntilWell(url string) {
	s.t.Helper()
	begun := time.Now()
	c := s.begin("serve")
	eventually(s.t, func() string {
		return fmt.Sprintf("all is well: %v, %v\n%s", s.ours(url), s.subscription(), c.stderr())
	},
		func() bool { return s.well(url) && s.subscription().Checked.After(begun) })
	c.signal(syscall.SIGTERM)
	c.ends(0)
}
