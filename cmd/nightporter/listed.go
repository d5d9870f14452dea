package main

import (
	"context"
	"fmt"
	"strings"

	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/record"
)

// listedJSON is a list of a job by which nobody can tell what is not there, or which shows
// nothing at all.
type listedJSON struct {
	System record.System `json:"system"`
	Kind   record.Kind   `json:"kind"`
	State  string        `json:"state"`           // empty, not whole or never
	Flaws  []string      `json:"flaws,omitempty"` // why it is not whole
}

// The states of such a list.
const (
	listEmpty = "empty"
	listCut   = "not whole"
	listNever = "never"
)

// listsOf is such lists of a job that ran, by its last whole look at each side.
func listsOf(ctx context.Context, s *state.Store, cfg *config.Config, b record.Binding) (out []listedJSON, err error) {
	systems, kinds := systemsOf(cfg, b), kindsOf(cfg, b)
	for _, side := range record.Sides {
		scans, err := s.Scans(ctx, record.Place{Binding: b, Side: side}, 1)
		if err != nil {
			return nil, err
		}
		x := listedJSON{System: systems[side], Kind: kinds[side]}
		switch {
		case len(scans) == 0:
			x.State = listNever
		case !scans[0].Complete:
			x.State, x.Flaws = listCut, scans[0].Flaws
		case scans[0].Rows == 0:
			x.State = listEmpty
		default:
			continue
		}
		out = append(out, x)
	}
	return out, nil
}

func (x listedJSON) String() string {
	what := fmt.Sprintf("%s of %s", x.Kind, x.System)
	switch x.State {
	case listEmpty:
		return fmt.Sprintf("the last list of %s was empty: it showed no record", what)
	case listCut:
		return fmt.Sprintf("the last list of %s was not whole: %s; nothing counts as absent there", what, strings.Join(x.Flaws, "; "))
	}
	return what + " were never read to the end of their list"
}

// printLists prints them, for as long as it is so.
func (c *cli) printLists(all []listedJSON) {
	for _, x := range all {
		show(c.out, "  %s\n", x)
	}
}
