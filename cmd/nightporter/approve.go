package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"nightporter/internal/serve"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

func (c *cli) approve() *cobra.Command {
	return &cobra.Command{
		Use: "approve DIGEST", Short: "Make the changes of a set that a guard holds, just these", Args: cobra.ExactArgs(1),
		Long: `approve makes the changes that staged DIGEST shows, and no other. Each is verified
again: one that does not hold any more is dropped and named. Beside a running service
the service makes them, within a second; otherwise this command does.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.runDecide(cmd.Context(), args[0], record.Approved, time.Time{})
		},
	}
}

func (c *cli) reject() *cobra.Command {
	days, yes := int(rejectFor/(24*time.Hour)), false
	cmd := &cobra.Command{
		Use: "reject DIGEST", Short: "Don't make the changes of a set that a guard holds", Args: cobra.ExactArgs(1),
		Long: `reject keeps what the system has that the changes of the set would have been written
to, and writes that back to the other one where it may be written. A record that would
have been made is left out until it changes or --days are over, one that would have been
deleted stays and is linked no more. What only a changed configuration asked for is left
as it is on both sides. The same is not asked again for --days. What was put back, and was seen to be, and
is done again by somebody is a new edit: a set of its own asks about it, and until that is
answered it is neither written nor put back; sync --yes does not answer it.
Where something would be put back, reject says how much and in which system, and does
it with --yes alone.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if days < 1 {
				return usageError{errors.New("--days: must be 1 or more")}
			}
			if !yes {
				if err := c.askBack(cmd.Context(), args[0]); err != nil {
					return err
				}
			}
			return c.runDecide(cmd.Context(), args[0], record.Refusal, time.Now().Add(time.Duration(days)*24*time.Hour))
		},
	}
	cmd.Flags().IntVar(&days, "days", days, "how long the same is not asked again")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "the set was looked at: put back what it says")
	return cmd
}

// askBack says what the rejection of a set would put back, and where. It ends with errWaits
// unless that is nothing.
func (c *cli) askBack(ctx context.Context, digest string) (err error) {
	cfg, s, err := c.decide(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	st, err := findSet(ctx, s, digest)
	if err != nil || st.Choice != record.Undecided {
		return err
	}
	rows, err := s.StagedOf(ctx, st.Set, 0)
	if err != nil {
		return err
	}
	n := putBack(st, rows)
	if n == 0 {
		return nil
	}
	c.say("this puts back %s in %s, as far as it may be written there: nothing is done yet", count(n, "change", "changes"), systemsOf(cfg, st.Binding)[st.Side.Other()])
	c.say("nightporter staged %s shows them; nightporter reject %s --yes puts them back", st.Set, st.Set)
	return errWaits
}

// putBack is how many changes of a set a rejection writes back to the other side. What
// would have been made or deleted, and what only a changed configuration asked for, is left
// as it is there.
func putBack(st record.Stage, rows []record.Staged) int {
	switch plan.Risk(st.Risk) {
	case plan.RiskMapping, plan.RiskDelete, plan.RiskCreate, plan.RiskUnreadable:
		return 0
	case plan.RiskUpdate, plan.RiskFill, plan.RiskClear, plan.RiskCancel, plan.RiskRedone:
	}
	n := 0
	for _, x := range rows {
		if x.Entry == 0 && x.State == "" {
			n++
		}
	}
	return n
}

// runDecide notes what the user said of a set, and has it done.
func (c *cli) runDecide(ctx context.Context, digest string, d record.Choice, until time.Time) error {
	st, only, err := c.noteDecision(ctx, digest, d, until)
	if err != nil {
		return err
	}
	c.say("%s %s: %s", d, st.Set, count(st.Left, "change", "changes"))
	w := serve.Wish{Seen: true}
	if d == record.Approved {
		w.Plan = only
	}
	a, err := c.open(ctx)
	if held, ok := errors.AsType[*state.HeldError](err); ok {
		if serve.Answers(held.Holder) {
			return c.decideBeside(ctx, st.Binding, w)
		}
		c.say("another nightporter is at work: the next run does it")
		return nil
	}
	if err != nil {
		return err
	}
	defer a.Close()
	p := c.progress()
	unwatch := p.watch(ctx, a, true)
	reports, err := a.Sync(ctx, []record.Binding{st.Binding}, engine.Options{Seen: w.Seen, Plan: w.Plan, Progress: p.show})
	err = errors.Join(err, unwatch())
	p.end()
	return c.decided(ctx, reports, jobsOf(a), err)
}

// noteDecision stores the decision and gives the changes that it is about.
func (c *cli) noteDecision(ctx context.Context, digest string, d record.Choice, until time.Time) (st record.Stage, only map[string]bool, err error) {
	_, s, err := c.decide(ctx)
	if err != nil {
		return st, nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	st, err = s.DecideStage(ctx, digest, d, caller(), until, time.Now())
	if errors.Is(err, state.ErrUnknown) {
		err = usageError{fmt.Errorf("there is no set of changes %s: nightporter staged lists them", digest)}
	}
	if err != nil {
		return st, nil, err
	}
	rows, err := s.StagedOf(ctx, st.Set, 0)
	only = map[string]bool{}
	for _, x := range rows {
		if x.State == "" {
			only[x.Action] = true
		}
	}
	return st, only, err
}

// decideBeside has the service carry a decision out, and waits for it.
func (c *cli) decideBeside(ctx context.Context, b record.Binding, w serve.Wish) (err error) {
	cfg, s, err := c.decide(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	rep, err := c.askRun(ctx, s, b, w)
	return c.decided(ctx, []engine.Report{rep}, jobsIn(cfg, s), err)
}

// decided says what came of a decision. What no longer holds is named in the notes.
func (c *cli) decided(ctx context.Context, reports []engine.Report, js jobs, failed error) error {
	waiting, err := c.printReports(context.WithoutCancel(ctx), reports, js, nil)
	if err := errors.Join(failed, err); err != nil {
		return err
	}
	if waiting > 0 {
		return errWaits
	}
	return nil
}
