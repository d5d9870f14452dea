package app

import (
	"context"
	"fmt"
	"strings"

	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/record"
)

// Unread says what is never read, or was not read yet: why a record that a system has
// may not be known. A sentence for each reason.
func Unread(ctx context.Context, cfg *config.Config, s *state.Store) ([]string, error) {
	var out []string
	for i := range cfg.Jobs {
		j := &cfg.Jobs[i]
		for side, js := range [2]config.JobSide{j.Left, j.Right} {
			what := fmt.Sprintf("%s of %s", js.Kind, js.System)
			p := record.Place{Binding: record.Binding(j.Name), Side: record.Side(side)}
			scans, err := s.Ended(ctx, p, 1)
			if err != nil {
				return nil, err
			}
			switch {
			case len(scans) == 0:
				out = append(out, what+" were never listed whole")
			case !scans[0].Certificate.Complete:
				out = append(out, fmt.Sprintf("the last list of %s was not whole: %s", what, strings.Join(scans[0].Certificate.Flaws, "; ")))
			}
			out = append(out, notRead(cfg, js, what)...)
		}
		if w := j.Window; w != nil {
			out = append(out, fmt.Sprintf("%s looks at the days from %+d to %+d, counted from today: others are out of its window", j.Name, w.From, w.To))
		}
		if j.KeepValues == config.KeepDigest {
			out = append(out, fmt.Sprintf("values of %s are kept as digests: its records are found by their ids and by what they are matched by alone", j.Name))
		}
	}
	return out, nil
}

// notRead is what the configuration never reads of a kind.
func notRead(cfg *config.Config, js config.JobSide, what string) []string {
	var out []string
	for _, sys := range cfg.Systems {
		if sys.Name != js.System || sys.SQL == nil {
			continue
		}
		t, ok := sys.SQL.Table(js.Kind)
		if !ok {
			continue
		}
		if t.Only != "" {
			out = append(out, fmt.Sprintf("of %s only rows are read for which %s", what, t.Only))
		}
		if len(t.Private) > 0 {
			out = append(out, fmt.Sprintf("private columns of %s are never read: %s", what, strings.Join(t.Private, ", ")))
		}
	}
	return out
}
