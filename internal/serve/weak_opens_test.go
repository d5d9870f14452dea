package serve

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/simulator"
	"nightporter/state"
	"nightporter/sync/record"
)

// A service that can't open a system at its start keeps why with each job that needs it, and
// not once more each time it is started again.
func TestWeakServiceThatCantOpenASystem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &inn{t: t, dir: t.TempDir()}
		n.path = filepath.Join(n.dir, "nightporter.yaml")
		key := filepath.Join(n.dir, "key")
		n.write(key, simulator.DefaultKey)
		n.write(n.path, fmt.Sprintf(settings, "", key, "", filepath.Join(n.dir, "nowhere", "pms.db"), ""))
		load := func() (*config.Config, error) { return config.Load(n.path, nil) }
		start := func() {
			t.Helper()
			log := slog.New(slog.DiscardHandler)
			if err := Run(t.Context(), Options{Load: load, App: app.Options{Log: log}, Log: log}); err == nil {
				t.Fatal("it started, want an error")
			}
		}
		cfg, err := load()
		if err != nil {
			t.Fatal(err)
		}
		kept := func() map[record.Binding]int {
			t.Helper()
			s, err := state.Open(context.Background(), cfg.State, state.Options{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			runs, err := s.Runs(t.Context(), "", 100)
			if err != nil {
				t.Fatal(err)
			}
			out := map[record.Binding]int{}
			for _, r := range runs {
				if r.Outcome != record.Failed || r.Error == "" {
					t.Errorf("got run %+v, want a failed one with its cause", r)
				}
				out[r.Binding]++
			}
			return out
		}
		for range 3 {
			start()
			<-time.After(15 * time.Second)
		}
		if got := kept(); got["guests"] != 1 || got["reservations"] != 1 {
			t.Errorf("got runs %v, want one of each job", got)
		}
		<-time.After(10 * time.Minute)
		start()
		if got := kept(); got["guests"] != 2 || got["reservations"] != 2 {
			t.Errorf("ten minutes later: got runs %v, want two of each job", got)
		}
	})
}
