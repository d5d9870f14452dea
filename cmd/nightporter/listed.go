package main

import (
	"context"
	"fmt"
	"strings"

	"nightporter/internal/app"
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

// listsOf is such lists of a job that ran.
func listsOf(ctx context.Context, s *state.Store, cfg *config.Config, b record.Binding) (out []listedJSON, err error) {
	systems, kinds := systemsOf(cfg, b), kindsOf(cfg, b)
	all, err := app.DoubtfulLists(ctx, s, b)
	for _, d := range all {
		out = append(out, listedJSON{System: systems[d.Side], Kind: kinds[d.Side], State: strings.ReplaceAll(string(d.State), "_", " "), Flaws: d.Flaws})
	}
	return out, err
}

func (x listedJSON) String() string {
	what := fmt.Sprintf("%s of %s", x.Kind, x.System)
	switch x.State {
	case "empty":
		return fmt.Sprintf("the last list of %s was empty: it showed no record", what)
	case "not whole":
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
