package e2e

import (
	"fmt"
	"testing"
	"time"

	"nightporter/simulator"
)

// Killed at whatever step, before, while and after its texts come, a call is there once,
// with its texts.
func TestCallsKilledAnywhere(t *testing.T) {
	for _, rights := range []string{"SELECT, INSERT", "SELECT, INSERT, UPDATE"} {
		t.Run(rights, func(t *testing.T) {
			t.Parallel()
			h := newCallsHouse(t, rights)
			h.dir = ramDir(t)
			ended := time.Now().UTC().Truncate(time.Minute)
			h.call(1, ended, nil)
			want := "k000001 +390550000001 completed 90 " + ended.Format("15:04") + " text-1 sum-1"
			kills := 0
			for run := range 2 { // before the texts are written, and when they are
				for k, died := 1, true; died; k += 3 {
					h.do(`TRUNCATE voice.calls`)
					h.lives++ // with a state of its own
					h.sim.SetTexts(simulator.Texts{Transcript: time.Hour, Summary: time.Hour})
					if run == 1 {
						h.sync()
						h.sim.SetTexts(simulator.Texts{})
						h.later()
					}
					if died = h.die(k); died {
						kills++
					}
					h.sim.SetTexts(simulator.Texts{})
					for range 2 {
						h.later()
						h.sync()
					}
					h.holds(fmt.Sprintf("run %d killed at step %d", run+1, k), want)
				}
			}
			if kills < 10 {
				t.Errorf("%d kills: is the run doing anything?", kills)
			}
		})
	}
}

// die runs once and is killed at step k, unless there are fewer.
func (h *house) die(k int) (died bool) {
	steps := 0
	h.step = func(string) {
		if steps++; steps == k {
			h.copyState(killed)
			panic(crash{k})
		}
	}
	defer func() {
		h.step = nil
		if p := recover(); p != nil {
			if _, ok := p.(crash); !ok {
				panic(p)
			}
			h.lives++
			died = true
		}
	}()
	h.sync()
	return false
}
