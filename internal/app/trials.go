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
