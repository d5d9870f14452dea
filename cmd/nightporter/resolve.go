package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

type resolveFlags struct {
	value, with         string
	create, leave, undo bool
	arrived, notArrived bool
	always              bool
	remove, same        bool
}

func (c *cli) resolve() *cobra.Command {
	var f resolveFlags
	cmd := &cobra.Command{
		Use:   "resolve ID [SYSTEM | RECORD]",
		Short: "Decide what waits; the next sync does it",
		Long: `resolve says what is to become of a conflict. Of a field: the name of the system
whose value stays (or left, or right), --value, or --leave: both keep what they have until
one is edited. Of a field that names another record (job:) no value can be given. Of a record that may be the same
as several: --with the id of the one it is, --create if it is none of them, or
--leave to leave it out until --undo, or until its keys or its name change and you are asked anew;
conflicts show names those that can be done. Of a record that is gone on one side: --delete to have the
other one go, too, --leave to leave that alone for good, --create to have it made anew, --with the id of the one
of several that is the same, entered anew; of one that came back: --same, or --leave; of one whose id names another now: --create, it is another
one and goes across like any new one, --same, or --leave. With --always the same side's value stays in every later
conflict of that field. Of a change with an unknown outcome: --arrived, for a create
with the record that it made, or --not-arrived, and it is planned anew. Nothing is
written before the next sync; a running service does it at once.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return c.runResolve(cmd, args, f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.value, "value", "", "the value that both sides get; empty clears the field; none for a reference")
	fl.StringVar(&f.with, "with", "", "the record that it is the same as")
	fl.BoolVar(&f.create, "create", false, "it is none of them: the other side gets a new record")
	fl.BoolVar(&f.leave, "leave", false, "of a field: both keep what they have; of a record: leave it out")
	fl.BoolVar(&f.remove, "delete", false, "one is gone: the other one goes, too")
	fl.BoolVar(&f.same, "same", false, "it is the same record: go on with it")
	fl.BoolVar(&f.arrived, "arrived", false, "the change was applied; of a create name the record that it made")
	fl.BoolVar(&f.notArrived, "not-arrived", false, "the change never was applied")
	fl.BoolVar(&f.undo, "undo", false, "take an earlier decision back, until a run has sent what it says; of a record that was left out also later")
	fl.BoolVar(&f.always, "always", false, "and decide every later conflict of this field so (nightporter conflicts always)")
	cmd.MarkFlagsMutuallyExclusive("always", "with", "create", "leave", "undo", "arrived", "not-arrived", "value", "delete", "same")
	cmd.MarkFlagsMutuallyExclusive("value", "with", "create", "leave", "undo", "arrived", "not-arrived", "delete", "same")
	return cmd
}

// hintOf has a service take a decision up at once.
func hintOf(ctx context.Context, s *state.Store, x record.Question) error {
	num := x.Entry
	if num == 0 {
		pair, ok, err := s.Pair(ctx, x.Link)
		if err != nil || !ok {
			return err
		}
		num = pair.Sides[record.Left].Num
	}
	return hintAt(ctx, s, x.Binding, num)
}

// decision is what a person said, as the state keeps it.
type decision struct {
	choice record.Choice
	value  record.Value
	words  string
}

func (c *cli) runResolve(cmd *cobra.Command, args []string, f resolveFlags) (err error) {
	ctx := cmd.Context()
	cfg, err := c.load()
	if err != nil {
		return err
	}
	s, err := state.Open(ctx, c.statePath(cfg), state.Options{SkipCheck: true})
	if err != nil {
		return fmt.Errorf("open state file %s: %w", c.statePath(cfg), err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	q, err := questionOf(ctx, s, cfg, args[0])
	if err != nil {
		return err
	}
	if q.lost != nil {
		return c.resolveOutcome(ctx, s, cfg, q, args[1:], f)
	}
	x := q.conflict
	if f.undo && !x.Closed.IsZero() && x.Entry != 0 && x.Value.Text() == leftOut {
		return c.askAgain(ctx, s, x)
	}
	if !x.Closed.IsZero() {
		if now, is, err := s.TakenOver(ctx, x); err != nil || is {
			return errors.Join(err, overtaken(x, now, is))
		}
		return usageError{fmt.Errorf("conflict %d is closed since %s: there is nothing to decide", x.ID, moment(x.Closed))}
	}
	d, err := decide(ctx, s, cfg, x, cmd, args[1:], f)
	if err == nil {
		err = daysInOrder(ctx, s, cfg, x, d)
	}
	if err != nil {
		return usageError{err}
	}
	if f.always {
		if err := s.DecideAlways(ctx, record.Always{Binding: x.Binding, Field: x.Field, Take: d.choice, By: caller(), Since: time.Now()}); err != nil {
			return err
		}
		d.words += ", and so does every later conflict of " + x.Field
	}
	if err := s.Choose(ctx, x.ID, d.choice, d.value, time.Now()); err != nil {
		return tooLate(x, err)
	}
	if err := hintOf(ctx, s, x); err != nil {
		return err
	}
	if c.json {
		x.Choice, x.Value = d.choice, d.value
		out, err := loadConflict(ctx, s, cfg, x)
		if err != nil {
			return err
		}
		return c.printJSON(out)
	}
	err = tell(c.out, "conflict %d: %s\n", x.ID, d.words)
	return err
}

// tooLate says of an answer that can't be taken back any more what can be done instead.
func tooLate(x record.Question, err error) error {
	if sent := (record.SentError{}); errors.As(err, &sent) {
		return fmt.Errorf("the decision of conflict %d can't be taken back any more: %w. Once that run has ended, nightporter undo %d --dry shows what of it can be put back", x.ID, sent, sent.Run)
	}
	return err
}

// overtaken says that what a question was about has changed since it was asked, so that another one took its place. is
// says whether there is one.
func overtaken(x, now record.Question, is bool) error {
	if !is {
		return nil
	}
	return usageError{fmt.Errorf("conflict %d is not asked any more: what it was about has changed since. Conflict %d took its place: %s. Look at it with nightporter conflicts show %d, and answer that one",
		x.ID, now.ID, strings.TrimSuffix(now.Why, "?"), now.ID)}
}

// decide reads the decision from the command's words.
func decide(ctx context.Context, s *state.Store, cfg *config.Config, x record.Question, cmd *cobra.Command, args []string, f resolveFlags) (decision, error) {
	valued := cmd.Flags().Changed("value")
	switch {
	case f.undo:
		return decision{words: "the decision is taken back"}, nil
	case f.arrived, f.notArrived:
		return decision{}, errors.New("--arrived and --not-arrived are for changes with an unknown outcome: nightporter conflicts show says what this is about")
	case x.Field == engine.RecordField && x.Link != 0:
		return decideGone(ctx, s, cfg, x, args, f)
	case f.remove && x.Entry != 0:
		about, err := loadConflict(ctx, s, cfg, x)
		return decision{}, errors.Join(err, fmt.Errorf("it has no partner, and what has none is never deleted from here: %s", about.removeThere()))
	case f.remove, f.same:
		return decision{}, errors.New("--delete and --same are for records that are gone on one side, or came back: nightporter conflicts show says what this is about")
	case x.Entry != 0:
		if len(args) > 0 || valued {
			return decision{}, errors.New("this is about which record is the same: say " + matchAnswers(plan.Answers(x.Choices)))
		}
		return decideMatch(ctx, s, cfg, x, f)
	case f.with != "" || f.create:
		return decision{}, fmt.Errorf("this is about a field: %s", fieldAnswers(cfg, x))
	case f.leave && len(args) > 0:
		return decision{}, errors.New("say either a system or --leave, not both")
	case f.leave:
		return decision{choice: record.ChoiceLeave, words: "both keep what they have, until one is edited"}, nil
	case valued && len(args) > 0:
		return decision{}, errors.New("say either a system or --value, not both")
	case valued && refers(cfg, x):
		return decision{}, cantType(cfg, x)
	case valued:
		return decideValue(ctx, s, cfg, x, f.value)
	case len(args) == 0:
		return decision{}, errors.New(fieldAnswers(cfg, x))
	}
	systems := systemsOf(cfg, x.Binding)
	for _, side := range record.Sides {
		if args[0] == side.String() || args[0] == string(systems[side]) {
			return decision{choice: record.Choice(side.String()), words: fmt.Sprintf("the value of %s stays; the next sync writes it", systems[side])}, nil
		}
	}
	return decision{}, fmt.Errorf("%q is neither of the two systems: say %s or %s", args[0], systems[0], systems[1])
}

func decideValue(ctx context.Context, s *state.Store, cfg *config.Config, x record.Question, text string) (decision, error) {
	m, err := app.MappingOf(cfg, string(x.Binding))
	if err != nil {
		return decision{}, err
	}
	pair, _, err := s.Pair(ctx, x.Link)
	if err != nil {
		return decision{}, err
	}
	v, err := app.ValueOf(m, x.Field, text, pair)
	return decision{choice: "value", value: v, words: fmt.Sprintf("both sides get %s; the next sync writes it", v)}, err
}
