package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/record"
)

// trials adds what is known of trials of the records that are not over, whichever job sent them.
func (g *gathering) trials(ctx context.Context) error {
	all, err := g.store.Trials(ctx, "")
	if err != nil {
		return err
	}
	for _, t := range all {
		j, ok := g.cfg.Job(string(t.Place.Binding))
		if !ok || t.Over() && t.State != record.TrialBack {
			continue
		}
		of := record.System([2]config.JobSide{j.Left, j.Right}[t.Place.Side].System)
		for side, k := range g.Sides {
			if k == nil || g.Systems[side] != of || k.Entry.Ref != t.Ref {
				continue
			}
			k.Trial = &t
		}
	}
	return nil
}

// Tried is what the first write of an operation to a side showed.
type Tried struct {
	Job    string            `json:"job"`
	System string            `json:"system"`
	Kind   string            `json:"kind"`
	Op     string            `json:"op"`
	State  record.TrialState `json:"state"`
	Record string            `json:"record"`
	At     time.Time         `json:"at"`
	Found  []string          `json:"found,omitempty"` // paths that it changed unasked, or of a create did not keep
	Left   []string          `json:"left,omitempty"`  // of them, what was not put back
}

// Stopped reports whether no more such writes are sent.
func (t Tried) Stopped() bool { return record.Trial{State: t.State}.Stopped() }

// TrialsOf is the trials that a state file knows, of the jobs that are configured; none
// where there is no file that can be read.
func TrialsOf(ctx context.Context, cfg *config.Config, stateFile string) []Tried {
	if stateFile == "" {
		stateFile = cfg.State
	}
	if _, err := os.Stat(stateFile); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	s, err := state.Open(ctx, stateFile, state.Options{ReadOnly: true})
	if err != nil {
		return nil
	}
	defer s.Close()
	all, err := s.Trials(ctx, "")
	if err != nil {
		return nil
	}
	var out []Tried
	for _, t := range all {
		j, ok := cfg.Job(string(t.Place.Binding))
		if !ok {
			continue
		}
		js := [2]config.JobSide{j.Left, j.Right}[t.Place.Side]
		out = append(out, Tried{
			Job: j.Name, System: js.System, Kind: js.Kind, Op: t.Op.String(), State: t.State, Record: t.Ref.String(), At: t.At, Found: t.Found, Left: t.Left,
		})
	}
	return out
}
