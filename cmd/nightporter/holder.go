package main

import (
	"context"
	"fmt"
	"time"

	"nightporter/state"
	"nightporter/sync/record"
)

// killed is how a run is shown whose process is no more. The next run of its job
// notes it so.
const killed record.Outcome = "killed"

// holderJSON is the process that runs jobs.
type holderJSON struct {
	PID     int     `json:"pid"`
	Host    string  `json:"host"`
	Command string  `json:"command"`
	Since   instant `json:"since"`
	Beat    instant `json:"last_sign_of_life,omitempty"`
	holder  state.Holder
}

// runner is the process that runs jobs on a state file now, nil for none.
func runner(ctx context.Context, s *state.Store) (*holderJSON, error) {
	held, err := s.Held(ctx)
	if err != nil || !held {
		return nil, err
	}
	h, ok, err := s.Holder(ctx)
	if err != nil || !ok {
		return nil, err
	}
	return &holderJSON{PID: h.PID, Host: h.Host, Command: h.Command, Since: timeJSON(h.Since), Beat: timeJSON(h.Beat), holder: h}, nil
}

// String says who it is, as a person looks for it.
func (h *holderJSON) String() string {
	if h == nil {
		return "nobody runs jobs"
	}
	text := fmt.Sprintf("process %d on %s runs jobs since %s: %s", h.PID, h.Host, moment(h.holder.Since), h.Command)
	if silent := time.Since(h.holder.Beat); silent > quietFor {
		text += fmt.Sprintf("; it gave no sign of life for %s", silent.Round(time.Second))
	}
	return text
}

// quietFor is how long a process that gives signs of life may go without one before
// that is said.
const quietFor = time.Minute

// shown is a run as it is shown: one that nobody can be making any more was killed.
func (h *holderJSON) shown(r record.Run) record.Run {
	if r.Outcome == record.Running && (h == nil || r.Started.Before(h.holder.Since)) {
		r.Outcome = killed
	}
	return r
}
