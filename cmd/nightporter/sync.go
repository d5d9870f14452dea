package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nightporter/internal/serve"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// syncFlags is how a sync was asked for.
type syncFlags struct {
	yes, full bool
	limit     int
	only      string
	plan      string
}

func (c *cli) sync() *cobra.Command {
	var f syncFlags
	cmd := &cobra.Command{
		Use:   "sync [JOB...]",
		Short: "Bring both sides in step once",
		Long: `sync reads both sides of each job, merges what changed, writes both ways, and
ends. Without a name it runs all jobs, in the order in which they need each other.

The first run on two systems that both have records stops after its plan; --yes says
that you have looked at it. --limit and --only do a part of it, for real.

Beside a running service it has the service make the runs, and waits for them.`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.runSync(cmd, args, f) },
	}
	fl := cmd.Flags()
	fl.BoolVarP(&f.yes, "yes", "y", false, "the plan was looked at: let a first run and the guards go")
	fl.BoolVar(&f.full, "full", false, "compare both sides whole, also where a shorter way exists")
	fl.IntVar(&f.limit, "limit", 0, "make at most this many changes in each job")
	fl.StringVar(&f.only, "only", "", "one record alone, as SYSTEM:ID (or KIND:ID, where the kind's name is one side's only)")
	fl.StringVar(&f.plan, "plan", "", "apply only what the plan of this digest held")
	return cmd
}

func (c *cli) runSync(cmd *cobra.Command, args []string, f syncFlags) error {
	ctx := cmd.Context()
	if f.limit < 1 && cmd.Flags().Changed("limit") {
		return usageError{errors.New("--limit: must be 1 or more; nightporter plan shows what would be done, and changes nothing")}
	}
	a, err := c.openFor(ctx, func(b record.Binding) bool { return len(args) == 0 || slices.Contains(args, string(b)) })
	if held, ok := errors.AsType[*state.HeldError](err); ok && serve.Answers(held.Holder) {
		return c.syncBeside(ctx, args, f)
	}
	if err != nil {
		return err
	}
	defer a.Close()
	names, o, planned, err := jobsOf(a).wanted(ctx, args, f)
	if err != nil {
		return err
	}
	p := c.progress()
	o.Progress = p.show
	unwatch := p.watch(ctx, a, true)
	reports, err := a.Sync(ctx, names, o)
	err = errors.Join(err, unwatch())
	p.end()
	waiting, perr := c.printReports(context.WithoutCancel(ctx), reports, jobsOf(a), droppedFrom(reports, planned))
	if err := errors.Join(err, perr); err != nil {
		return err
	}
	if err := a.Tidy(ctx, time.Now()); err != nil {
		return err
	}
	if waiting > 0 {
		return errWaits
	}
	return nil
}

// wanted is what the user asked a sync to do; planned names the actions of the plan
// that it may carry out.
func (js jobs) wanted(ctx context.Context, args []string, f syncFlags) (names []record.Binding, o engine.Options, planned map[string]string, err error) {
	if names, err = js.names(args); err != nil {
		return nil, o, nil, err
	}
	o = engine.Options{Yes: f.yes, Full: f.full, Limit: f.limit}
	if f.only != "" {
		if names, err = js.onlyRecord(names, f.only, &o); err != nil {
			return nil, o, nil, err
		}
	}
	if f.plan != "" {
		if o.Plan, planned, err = keptPlan(ctx, js.store, f.plan); err != nil {
			return nil, o, nil, usageError{err}
		}
		o.Yes = true
	}
	return names, o, planned, nil
}

// names checks the names that the user gave.
func (js jobs) names(args []string) ([]record.Binding, error) {
	var names []record.Binding
	for _, arg := range args {
		if _, ok := js.of[record.Binding(arg)]; !ok {
			return nil, usageError{fmt.Errorf("there is no job %q; there are: %s", arg, joinNames(js.order))}
		}
		names = append(names, record.Binding(arg))
	}
	return names, nil
}

func joinNames(bs []record.Binding) string {
	out := make([]string, len(bs))
	for i, b := range bs {
		out[i] = string(b)
	}
	return strings.Join(out, ", ")
}

// onlyRecord finds the job and side that a record of the user's is of.
func (js jobs) onlyRecord(names []record.Binding, text string, o *engine.Options) ([]record.Binding, error) {
	where, id, ok := strings.Cut(text, ":")
	if !ok || where == "" || id == "" {
		return nil, usageError{fmt.Errorf("--only %q: write it as SYSTEM:ID or KIND:ID, such as pms:1042", text)}
	}
	if len(names) == 0 {
		names = js.order
	}
	type hit struct {
		job  record.Binding
		side record.Side
	}
	var hits []hit
	for _, b := range names {
		for s, side := range js.of[b].Sides {
			if string(side.System) == where || string(side.Kind) == where {
				hits = append(hits, hit{b, record.Sides[s]})
			}
		}
	}
	switch len(hits) {
	case 0:
		return nil, usageError{fmt.Errorf("--only %q: no job has a system or kind %q", text, where)}
	case 1:
	default:
		return nil, usageError{fmt.Errorf("--only %q: that may be a record of several jobs; name the job too: nightporter sync JOB --only %s", text, text)}
	}
	h := hits[0]
	o.Only = []record.Ref{{Kind: js.of[h.job].Sides[h.side].Kind, ID: id}}
	o.OnlySide = h.side
	return []record.Binding{h.job}, nil
}
