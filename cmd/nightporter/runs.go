package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/record"
)

type runsFlags struct {
	job   string
	limit int
}

func (c *cli) runs() *cobra.Command {
	var f runsFlags
	cmd := &cobra.Command{
		Use: "runs [ID]", Short: "List runs, or each change of one: before, after, why, and what the system answered",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.listRuns(cmd.Context(), f)
			}
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil || id <= 0 {
				return usageError{fmt.Errorf("%q is no number of a run: nightporter runs lists them", args[0])}
			}
			return c.showRun(cmd.Context(), id)
		},
	}
	cmd.Flags().StringVar(&f.job, "job", "", "of this job alone")
	cmd.Flags().IntVarP(&f.limit, "limit", "n", most, "at most this many")
	return cmd
}

// runLine is one run in a list.
type runLine struct {
	Run     int64          `json:"run"`
	Job     record.Binding `json:"job"`
	Started instant        `json:"started"`
	Ended   instant        `json:"ended,omitempty"`
	Dry     bool           `json:"dry,omitempty"`
	Outcome record.Outcome `json:"outcome"`
	Error   string         `json:"error,omitempty"`
	Counts  record.Counts  `json:"counts"`
	Config  int64          `json:"config,omitempty"` // which of nightporter config history
	run     record.Run
}

func runLineOf(r record.Run) runLine {
	return runLine{
		Run: r.ID, Job: r.Binding, Started: timeJSON(r.Started), Ended: timeJSON(r.Ended), Dry: r.Dry,
		Outcome: r.Outcome, Error: r.Error, Counts: r.Counts, Config: r.Config, run: r,
	}
}

// String is the run on one line.
func (l runLine) String() string {
	what := string(l.Outcome)
	if l.Dry {
		what = "plan, " + what
	}
	if l.Error != "" {
		what += ": " + l.Error
	}
	return fmt.Sprintf("%d at %s, %s", l.Run, moment(l.run.Started), what)
}

func (c *cli) listRuns(ctx context.Context, f runsFlags) error {
	cfg, s, err := c.look(ctx)
	if err != nil {
		return err
	}
	if _, ok := cfg.Job(f.job); f.job != "" && !ok {
		return usageError{fmt.Errorf("there is no job %q", f.job)}
	}
	lines := []runLine{}
	if s != nil {
		defer s.Close()
		by, err := runner(ctx, s)
		if err != nil {
			return err
		}
		runs, err := s.Runs(ctx, record.Binding(f.job), max(f.limit, 1))
		if err != nil {
			return err
		}
		for _, r := range runs {
			lines = append(lines, runLineOf(by.shown(r)))
		}
	}
	if c.json {
		return c.printJSON(lines)
	}
	var rows [][]string
	for _, l := range lines {
		wrote := l.Counts["left.created"] + l.Counts["right.created"] + l.Counts["left.updated"] + l.Counts["right.updated"] +
			l.Counts["left.deleted"] + l.Counts["right.deleted"]
		outcome := string(l.Outcome)
		if l.Dry {
			outcome = "plan, " + outcome
		}
		rows = append(rows, []string{
			strconv.FormatInt(l.Run, 10), string(l.Job), moment(l.run.Started), outcome, strconv.FormatInt(wrote, 10),
		})
	}
	tableOf(c.out, []string{"run", "job", "started", "outcome", "written"}, rows)
	return nil
}

// runShown is a run with its changes.
type runShown struct {
	runLine
	Changes []changeJSON `json:"changes"`
}

// changeJSON is one change of the journal.
type changeJSON struct {
	ID      string             `json:"id"`
	Op      string             `json:"op"`
	System  record.System      `json:"system"`
	Record  record.Ref         `json:"record"`
	State   record.IntentState `json:"state"`
	Reason  string             `json:"reason"`
	Fields  []line             `json:"fields"`
	Before  record.Fields      `json:"before"` // in the system's own fields
	After   record.Fields      `json:"after"`
	Error   string             `json:"error,omitempty"`
	Sent    instant            `json:"sent,omitempty"`
	Receipt *receiptJSON       `json:"receipt,omitempty"`
}

// receiptJSON is what the system answered.
type receiptJSON struct {
	At      instant        `json:"at"`
	Record  record.Ref     `json:"record"`
	Version record.Version `json:"version,omitempty"`
	Fields  record.Fields  `json:"fields"`
	Adopted bool           `json:"adopted,omitempty"` // found by a look-up, not answered
	Note    string         `json:"note,omitempty"`
}

func (c *cli) showRun(ctx context.Context, id int64) error {
	cfg, s, err := c.look(ctx)
	if err != nil {
		return err
	}
	if s == nil {
		return usageError{fmt.Errorf("there is no run %d", id)}
	}
	defer s.Close()
	run, err := findRun(ctx, s, id)
	if err != nil {
		return err
	}
	changes, err := s.Changes(ctx, state.Filter{Run: id})
	if err != nil {
		return err
	}
	by, err := runner(ctx, s)
	if err != nil {
		return err
	}
	out := runShown{runLine: runLineOf(by.shown(run)), Changes: []changeJSON{}}
	for _, ch := range changes {
		out.Changes = append(out.Changes, changeOf(ch, cfg))
	}
	if c.json {
		return c.printJSON(out)
	}
	show(c.out, "run %s\n", out.runLine)
	for _, ch := range out.Changes {
		c.printChange(ch)
	}
	if len(out.Changes) == 0 {
		showln(c.out, "no change was made")
	}
	return nil
}

func findRun(ctx context.Context, s *state.Store, id int64) (record.Run, error) {
	runs, err := s.Runs(ctx, "", 1<<30)
	if err != nil {
		return record.Run{}, err
	}
	for _, r := range runs {
		if r.ID == id {
			return r, nil
		}
	}
	return record.Run{}, usageError{fmt.Errorf("there is no run %d: nightporter runs lists them", id)}
}

func changeOf(ch state.Change, cfg *config.Config) changeJSON {
	systems := systemsOf(cfg, ch.Place.Binding)
	m, err := app.MappingOf(cfg, string(ch.Place.Binding))
	refers := func(field string) []string {
		if err != nil { // the job is gone from the configuration: its references stay as we call them
			return nil
		}
		return app.Written(m, ch.Place.Side, field)
	}
	x := changeJSON{
		ID: ch.ID, Op: ch.Change.Op.String(), System: systems[ch.Place.Side], Record: ch.Change.Ref,
		State: ch.State, Reason: ch.Reason, Fields: linesFrom(ch.Fields, ch.Change, refers, systems), Before: ch.Change.Before, After: ch.Change.Fields,
		Error: ch.Error, Sent: timeJSON(ch.SentAt),
	}
	if r := ch.Receipt; r != nil {
		x.Record = r.Ref
		x.Receipt = &receiptJSON{
			At: timeJSON(r.At), Record: r.Ref, Version: r.Version, Fields: r.Fields, Adopted: r.Adopted, Note: r.Note,
		}
	}
	return x
}

func (c *cli) printChange(ch changeJSON) {
	show(c.out, "  %s %s in %s, %s: %s\n", ch.Op, ch.Record, ch.System, ch.State, ch.Reason)
	c.diff(ch.Fields, ch.Op == record.Create.String())
	for _, p := range ch.After.Names() {
		if c.verbose {
			show(c.out, "    sent %s: %s\n", p, ch.After[p])
		}
	}
	switch {
	case ch.Receipt != nil && ch.Receipt.Adopted:
		show(c.out, "    found done already, %s\n", ch.Receipt.At)
	case ch.Receipt != nil:
		show(c.out, "    answered %s\n", ch.Receipt.At)
	case ch.Error != "":
		show(c.out, "    error: %s\n", ch.Error)
	}
}
