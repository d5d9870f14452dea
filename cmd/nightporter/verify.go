package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

func (c *cli) verify() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "verify [JOB...]",
		Short: "Read both sides whole, and say where they disagree and why; changes nothing",
		Long: `verify reads both sides of each job whole and compares what is linked, field by field.
For each difference, and for each record without a partner, it says why: it changed since
the last run, waits for a person or another record, is left out, out of the window, gone,
refused, held by a guard, undone, or nobody knows. It works on a copy of the state: no
system is written, and nothing that is seen is remembered.

It ends with exit code 3 if a person is waited for, or something is not written or
unexplained.`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.runVerify(cmd.Context(), args, all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, fmt.Sprintf("print everything, not the first %d of each cause", most))
	return cmd
}

// verifyJSON is what verify --json prints for each job.
type verifyJSON struct {
	Job     record.Binding     `json:"job"`
	Links   int                `json:"links"`
	Same    int                `json:"same"`
	Hidden  int                `json:"not_compared"` // fields that a side did not show
	Causes  map[plan.Cause]int `json:"causes"`
	Differs []differsJSON      `json:"differences"`
	Lone    []loneJSON         `json:"alone"`
	Flaws   []string           `json:"flaws,omitempty"`
}

type differsJSON struct {
	Cause   plan.Cause                     `json:"cause"`
	Field   string                         `json:"field"`
	Records map[record.System]record.Ref   `json:"records"`
	Values  map[record.System]record.Value `json:"values"`
	Why     string                         `json:"why"`
	systems [2]record.System
}

type loneJSON struct {
	Cause  plan.Cause    `json:"cause"`
	System record.System `json:"system"`
	Record record.Ref    `json:"record"`
	Why    string        `json:"why"`
}

func (c *cli) runVerify(ctx context.Context, args []string, all bool) (err error) {
	cfg, err := c.load()
	if err != nil {
		return err
	}
	a, remove, err := app.OpenCopy(ctx, cfg, c.options())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	names, err := jobsOf(a).names(args)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		names = a.Order
	}
	out := []verifyJSON{}
	var failed []error
	for _, b := range names {
		p := c.progress()
		rep, err := a.Engine.Run(ctx, b, engine.Options{Dry: true, Full: true, Verify: true, Progress: p.show})
		p.end()
		if err != nil {
			failed = append(failed, fmt.Errorf("job %s: %w", b, err))
			continue
		}
		if rep.Verified == nil { // halted before anything was compared
			for _, h := range rep.Halts {
				failed = append(failed, fmt.Errorf("job %s: %s", b, h.Why))
			}
			continue
		}
		out = append(out, verifiedOf(*rep.Verified, a.Engine.Jobs[b]))
	}
	if c.json {
		failed = append(failed, c.printJSON(out))
	} else {
		for _, v := range out {
			c.printVerified(v, all)
		}
	}
	if err := errors.Join(failed...); err != nil {
		return err
	}
	waits, err := c.waitFor(ctx, cfg, a.Store, names)
	if err != nil {
		return err
	}
	if waits {
		return errWaits
	}
	for _, v := range out {
		if v.Causes[plan.Held]+v.Causes[plan.NotWritten]+v.Causes[plan.Guarded]+v.Causes[plan.Unexplained] > 0 {
			return errWaits
		}
	}
	return nil
}

// waitFor says how many questions of these jobs wait for a person, and reports whether any does. A question about a
// record that is gone shows in no field: there is nothing to compare.
func (c *cli) waitFor(ctx context.Context, cfg *config.Config, s *state.Store, names []record.Binding) (bool, error) {
	open, err := questions(ctx, s, cfg)
	if err != nil {
		return false, err
	}
	n := 0
	for _, x := range open {
		if x.Choice == "" && slices.Contains(names, x.Job) {
			n++
		}
	}
	if n > 0 && !c.json {
		show(c.out, "%s for a person: nightporter conflicts\n", count(n, "question waits", "questions wait"))
	}
	return n > 0, nil
}

func verifiedOf(v engine.Verified, job *engine.Job) verifyJSON {
	systems := [2]record.System{job.Sides[0].System, job.Sides[1].System}
	out := verifyJSON{
		Job: job.Binding, Links: v.Links, Same: v.Same, Hidden: v.Hidden, Causes: v.Causes, Flaws: v.Flaws, Differs: []differsJSON{}, Lone: []loneJSON{},
	}
	for _, d := range v.Differs {
		x := differsJSON{
			Cause: d.Cause, Field: d.Field, Why: d.Why, Records: map[record.System]record.Ref{}, Values: map[record.System]record.Value{}, systems: systems,
		}
		for side, value := range [2]record.Value{d.Left, d.Right} {
			x.Records[systems[side]] = d.Refs[side]
			if value.Observed() {
				x.Values[systems[side]] = value
			}
		}
		out.Differs = append(out.Differs, x)
	}
	for _, l := range v.Lone {
		out.Lone = append(out.Lone, loneJSON{l.Cause, systems[l.Side], l.Ref, l.Why})
	}
	return out
}

func (c *cli) printVerified(v verifyJSON, all bool) {
	show(c.out, "%s: %s compared, %d the same", v.Job, count(v.Links, "link", "links"), v.Same)
	var parts []string
	for _, cause := range slices.Sorted(maps.Keys(v.Causes)) {
		parts = append(parts, fmt.Sprintf("%d %s", v.Causes[cause], cause))
	}
	if len(parts) > 0 {
		show(c.out, "; %s", strings.Join(parts, ", "))
	}
	showln(c.out)
	if v.Hidden > 0 {
		show(c.out, "  not compared, because a side does not show it or only a digest is kept: %s\n", count(v.Hidden, "field", "fields"))
	}
	for _, f := range v.Flaws {
		show(c.out, "  not sure: %s\n", f)
	}
	shown := map[plan.Cause]int{}
	more := func(cause plan.Cause) bool {
		shown[cause]++
		if shown[cause] == most+1 && !all {
			show(c.out, "  … and more of these: %s (--all prints them)\n", cause)
		}
		return shown[cause] <= most || all
	}
	for _, d := range v.Differs {
		if !more(d.Cause) {
			continue
		}
		l, r := d.systems[record.Left], d.systems[record.Right]
		show(c.out, "  %s: %s of %s of %s and %s of %s: %s\n", d.Cause, d.Field, d.Records[l], l, d.Records[r], r, d.Why)
		if len(d.Values) > 0 {
			show(c.out, "    %s: %s\n    %s: %s\n", l, d.Values[l], r, d.Values[r])
		}
	}
	for _, x := range v.Lone {
		if more(x.Cause) {
			show(c.out, "  %s: %s of %s alone: %s\n", x.Cause, x.Record, x.System, x.Why)
		}
	}
}
