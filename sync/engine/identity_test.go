package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// linkedPeople is a world of n people that both sides have, linked.
func linkedPeople(t *testing.T, n int) *world {
	w := newWorld(t, setting{})
	for _, side := range record.Sides {
		for i := range n {
			w.put(side, i, map[string]string{"name": fmt.Sprint("n", i)})
		}
	}
	w.rest()
	return w
}

// Runs of single records that follow each other make sure of a system once a minute;
// a run by its cadence makes sure each time.
func TestSystemIsMadeSureOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := linkedPeople(t, 4)
		defer w.close()
		canaries := func(o engine.Options) int64 {
			o.Yes = true
			return w.run(o).Counts["right.canaries"]
		}
		kick := func(n int, name string) engine.Options {
			w.edit(record.Left, n, "name", name)
			r, _ := w.find(record.Left, n)
			return engine.Options{Only: []record.Ref{r.Ref}, OnlySide: record.Left}
		}
		w.tick(2 * time.Minute)
		if got := canaries(kick(1, "x")); got != 3 {
			t.Errorf("first kick: %d records read to make sure, want 3", got)
		}
		if got := canaries(kick(2, "y")); got != 0 {
			t.Errorf("a kick right after it: %d, want none", got)
		}
		w.edit(record.Left, 3, "name", "z")
		if got := canaries(engine.Options{}); got != 3 {
			t.Errorf("a whole run: %d, want 3", got)
		}
		w.tick(2 * time.Minute)
		if got := canaries(kick(1, "w")); got != 3 {
			t.Errorf("a kick two minutes later: %d, want 3", got)
		}
	})
}

// A record that is read to make sure of a system and is not there is suspected to be
// gone from then on; of a system that is another one nothing is suspected.
func TestMissedWhileMakingSure(t *testing.T) {
	for _, tt := range []struct {
		gone int
		want int64
		err  error
	}{{gone: 1, want: 1}, {gone: 4, want: 0, err: engine.ErrHalted}} {
		synctest.Test(t, func(t *testing.T) {
			w := linkedPeople(t, 5)
			defer w.close()
			for i := range tt.gone {
				w.remove(record.Right, i)
			}
			w.edit(record.Left, 4, "name", "new")
			var marked int64
			for range 20 { // they are drawn at random
				rep, err := w.try(engine.Options{Yes: true, Skip: [2]bool{record.Right: true}})
				if !errors.Is(err, tt.err) {
					t.Fatalf("%d of 5 gone: got error %v, want %v", tt.gone, err, tt.err)
				}
				marked += rep.Counts["right.missed"]
				w.edit(record.Left, 4, "name", fmt.Sprint("new", marked, time.Now().UnixNano()))
			}
			if marked != tt.want {
				t.Errorf("%d of 5 gone: %d were marked, want %d", tt.gone, marked, tt.want)
			}
		})
	}
}
