package app

import (
	"context"

	"nightporter/state"
	"nightporter/sync/record"
)

// ListState is what keeps a list from telling what is not there.
type ListState string

// The states of such a list. An empty one is whole, and may well be a mistake.
const (
	ListEmpty ListState = "empty"
	ListCut   ListState = "not_whole"
	ListNever ListState = "never" // none ever came to its end
)

// Doubtful is a list of a job by which nobody can tell what is not there, or which shows
// nothing at all.
type Doubtful struct {
	Side  record.Side
	State ListState
	Flaws []string // why it is not whole
}

// DoubtfulLists is such lists of a job that ran, by its last whole look at each side.
func DoubtfulLists(ctx context.Context, s *state.Store, b record.Binding) (out []Doubtful, err error) {
	for _, side := range record.Sides {
		scans, err := s.Scans(ctx, record.Place{Binding: b, Side: side}, 1)
		if err != nil {
			return nil, err
		}
		switch {
		case len(scans) == 0:
			out = append(out, Doubtful{Side: side, State: ListNever})
		case !scans[0].Complete:
			out = append(out, Doubtful{Side: side, State: ListCut, Flaws: scans[0].Flaws})
		case scans[0].Rows == 0:
			out = append(out, Doubtful{Side: side, State: ListEmpty})
		}
	}
	return out, nil
}
