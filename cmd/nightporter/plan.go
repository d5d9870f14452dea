package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nightporter/internal/app"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

type planFlags struct {
	all, full bool
	only      string
}

func (c *cli) plan() *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:   "plan [JOB...]",
		Short: "Show every change that sync would make, and why; changes nothing",
		Long: `plan reads both sides of each job and prints, like a diff, what sync would write and
why, what waits, what is left out, and what it costs. It writes to no system.

It ends with a digest: sync --plan DIGEST makes just these changes, each verified
again. With --config, or while another process runs jobs, it works on a copy of the
state and remembers nothing but the plan.`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.runPlan(cmd, args, f) },
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.all, "all", false, fmt.Sprintf("print everything, not the first %d of each", most))
	fl.BoolVar(&f.full, "full", false, "compare both sides whole, also where a shorter way exists")
	fl.StringVar(&f.only, "only", "", "one record alone, as SYSTEM:ID (or KIND:ID, where the kind's name is one side's only)")
	return cmd
}

func (c *cli) runPlan(cmd *cobra.Command, args []string, f planFlags) (err error) {
	ctx := cmd.Context()
	a, finish, err := c.openPlan(ctx, cmd.Flags().Changed("config"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, finish()) }()
	names, err := jobsOf(a).names(args)
	if err != nil {
		return err
	}
	p := c.progress()
	o := engine.Options{Dry: true, Full: f.full, Progress: p.show}
	if f.only != "" {
		if names, err = jobsOf(a).onlyRecord(names, f.only, &o); err != nil {
			return err
		}
	}
	unwatch := p.watch(ctx, a, false)
	reports, err := a.Sync(ctx, names, o)
	err = errors.Join(err, unwatch())
	p.end()
	if err != nil {
		return err
	}
	out, err := c.planOf(ctx, reports, a)
	if err != nil {
		return err
	}
	if err := c.keepPlan(ctx, a, out); err != nil {
		c.say("the plan can't be kept for sync --plan: %v", err)
	}
	if c.json {
		err = c.printJSON(out.json())
	} else {
		err = c.printPlan(out, f.all)
	}
	return errors.Join(err, out.waits())
}

// openPlan opens the state itself, if it is this configuration's and nobody else
// uses it, and otherwise a copy.
func (c *cli) openPlan(ctx context.Context, another bool) (*app.App, func() error, error) {
	if !another {
		a, err := c.open(ctx)
		if !errors.Is(err, state.ErrInUse) {
			if err != nil {
				return nil, nil, err
			}
			return a, a.Close, nil
		}
		c.say("another nightporter is at work on the state: planning on a copy of it")
	}
	cfg, err := c.load()
	if err != nil {
		return nil, nil, err
	}
	return app.OpenCopy(ctx, cfg, c.options())
}

// planned is the plan of all jobs.
type planned struct {
	digest  string
	actions []plan.Action
	jobs    []jobPlan
}

// jobPlan is the plan of one job.
type jobPlan struct {
	rep   engine.Report
	job   *engine.Job
	calls [2]int
	pace  [2]int
	lasts [2]time.Duration
	refs  map[record.LinkID][2]record.Ref // of links with conflicts
}

func (c *cli) planOf(ctx context.Context, reports []engine.Report, a *app.App) (planned, error) {
	var out planned
	for _, rep := range reports {
		j := jobPlan{rep: rep, job: a.Engine.Jobs[rep.Binding], refs: map[record.LinkID][2]record.Ref{}}
		j.calls = app.Calls(j.job, rep.Actions)
		for _, side := range record.Sides {
			system := string(j.job.Sides[side].System)
			j.pace[side], j.lasts[side] = a.PerMinute(system), a.Lasts(system, j.calls[side])
		}
		for _, x := range rep.Conflicts {
			pair, ok, err := a.Store.Pair(ctx, x.Link)
			if err != nil {
				return out, err
			}
			if ok {
				j.refs[x.Link] = [2]record.Ref{pair.Sides[0].Ref, pair.Sides[1].Ref}
			}
		}
		out.actions = append(out.actions, rep.Actions...)
		out.jobs = append(out.jobs, j)
	}
	out.digest = plan.DigestOf(out.actions)
	return out, nil
}

// planSep stands between an action's digest and its name, where a plan is kept.
const planSep = "\t"

// keepPlan remembers the plan in the state itself, also if it was made on a copy.
func (c *cli) keepPlan(ctx context.Context, a *app.App, p planned) error {
	var keep []string
	for _, j := range p.jobs {
		for _, act := range j.rep.Actions {
			keep = append(keep, act.Digest()+planSep+nameOf(act, j.job))
		}
	}
	if len(keep) == 0 {
		return nil
	}
	path := a.Config.State
	if c.state != "" {
		path = c.state
	}
	s, err := state.Open(ctx, path, state.Options{SkipCheck: true})
	if err != nil {
		return err
	}
	return errors.Join(s.KeepPlan(ctx, p.digest, keep, time.Now()), s.Close())
}

// keptPlan reads a plan back: what may be applied, and the names of it.
func keptPlan(ctx context.Context, s *state.Store, digest string) (may map[string]bool, names map[string]string, err error) {
	kept, err := s.Plan(ctx, digest)
	if err != nil {
		return nil, nil, err
	}
	may, names = map[string]bool{}, map[string]string{}
	for k := range kept {
		d, name, _ := strings.Cut(k, planSep)
		may[d], names[d] = true, name
	}
	return may, names, nil
}

// droppedFrom names the actions of a plan that no run found to hold any more.
func droppedFrom(reports []engine.Report, names map[string]string) []string {
	missing := map[string]int{}
	runs := 0
	for _, r := range reports {
		if r.Run == 0 {
			continue
		}
		runs++
		for _, d := range r.Dropped {
			missing[d]++
		}
	}
	var out []string
	for d, n := range missing {
		if n == runs {
			out = append(out, names[d])
		}
	}
	slices.Sort(out)
	return out
}

// nameOf names an action by ids alone.
func nameOf(a plan.Action, job *engine.Job) string {
	s := job.Sides[a.Side]
	if a.Change.Op == record.Create {
		return fmt.Sprintf("create %s in %s, from %s of %s", s.Kind, s.System, a.Source, job.Sides[a.Side.Other()].System)
	}
	return fmt.Sprintf("%s %s of %s", a.Change.Op, a.Change.Ref, s.System)
}

// waits is errWaits where the plan, or what it shows, waits for a person.
func (p planned) waits() error {
	for _, j := range p.jobs {
		if j.rep.Outcome == record.Waits || len(j.rep.Halts)+len(j.rep.Staged) > 0 {
			return errWaits
		}
	}
	return nil
}
