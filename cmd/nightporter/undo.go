package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/internal/serve"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/plan/undo"
	"nightporter/sync/record"
)

type undoFlags struct {
	dry, all bool
	record   string
}

func (c *cli) undo() *cobra.Command {
	var f undoFlags
	cmd := &cobra.Command{
		Use:   "undo RUN | undo --record RECORD",
		Short: "Take back what a run did, where its values still stand",
		Long: `undo puts back what a run replaced, deletes what it made and makes anew what it
deleted. It reads each record first: what somebody edited since is left as it is and
shown, and so is what a system has no way to take back. The other side is not written,
and no later run writes the undone values again until somebody edits one of the two.

An undo is a run of its own, and can be undone. A second undo of the same run does
nothing. --dry shows what it would do. --record takes one record and its partner alone:
of the run that is named, or of the last one that changed it.

It ends with exit code 3 if not everything could be taken back.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.runUndo(cmd.Context(), args, f) },
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.dry, "dry", false, "show what it would do; writes to no system")
	fl.BoolVar(&f.all, "all", false, fmt.Sprintf("print everything, not the first %d of each", most))
	fl.StringVar(&f.record, "record", "", "one record and its partner alone, named as for explain")
	return cmd
}

func (c *cli) runUndo(ctx context.Context, args []string, f undoFlags) (err error) {
	run := int64(0)
	if len(args) > 0 {
		if run, err = strconv.ParseInt(args[0], 10, 64); err != nil || run <= 0 {
			return usageError{fmt.Errorf("%q is no number of a run: nightporter runs lists them", args[0])}
		}
	}
	if run == 0 && f.record == "" {
		return usageError{errors.New("say which run is to be undone (nightporter runs lists them), or --record RECORD")}
	}
	if f.dry {
		a, finish, err := c.openPlan(ctx, false)
		if err != nil {
			return err
		}
		return errors.Join(c.undoWith(ctx, a, run, f), finish())
	}
	a, err := c.open(ctx)
	if held, ok := errors.AsType[*state.HeldError](err); ok && serve.Answers(held.Holder) {
		return c.undoBeside(ctx, run, f)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	return c.undoWith(ctx, a, run, f)
}

// undoWith makes the run in this process.
func (c *cli) undoWith(ctx context.Context, a *app.App, run int64, f undoFlags) error {
	b, u, err := undoOf(ctx, a.Config, a.Store, run, f.record)
	if err != nil {
		return err
	}
	p := c.progress()
	rep, err := a.Engine.Run(a.Urgent(ctx, b), b, engine.Options{Dry: f.dry, Undo: u, Progress: p.show})
	p.end()
	a.Tell(ctx)
	if err != nil {
		return err
	}
	return c.reportUndo(rep, a.Engine.Jobs[b], f)
}

// undoBeside has the service make the run.
func (c *cli) undoBeside(ctx context.Context, run int64, f undoFlags) (err error) {
	cfg, s, err := c.decide(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	b, u, err := undoOf(ctx, cfg, s, run, f.record)
	if err != nil {
		return err
	}
	rep, err := c.askRun(ctx, s, b, serve.Wish{Undo: u})
	if err != nil {
		return err
	}
	return c.reportUndo(rep, jobsIn(cfg, s).of[b], f)
}

// undoOf finds the run that is to be undone, and the record that is named.
func undoOf(ctx context.Context, cfg *config.Config, s *state.Store, run int64, text string) (record.Binding, *engine.Undo, error) {
	u := &engine.Undo{Run: run}
	b := record.Binding("")
	if text != "" {
		found, err := app.LookUp(ctx, cfg, s, text)
		if err != nil {
			return b, nil, err
		}
		if len(found) != 1 {
			return b, nil, usageError{fmt.Errorf("%q may be %s: nightporter explain lists them; name one as KIND:ID", text, count(len(found), "record", "records"))}
		}
		e := found[0].Entry
		b, u.Side, u.Ref = found[0].Job, e.Place.Side, e.Ref
		if u.Run == 0 {
			if u.Run, err = s.LastRunOn(ctx, e.Place, e.Ref); err != nil {
				return b, nil, err
			}
		}
		if u.Run == 0 {
			return b, nil, usageError{fmt.Errorf("no run that is known has changed %s: there is nothing to undo", e.Ref)}
		}
	}
	was, ok, err := s.Run(ctx, u.Run)
	switch {
	case err != nil:
		return b, nil, err
	case !ok:
		return b, nil, usageError{fmt.Errorf("there is no run %d: nightporter runs lists them", u.Run)}
	case b != "" && was.Binding != b:
		return b, nil, usageError{fmt.Errorf("run %d is of job %s, and the record of job %s", u.Run, was.Binding, b)}
	}
	if _, ok := cfg.Job(string(was.Binding)); !ok {
		return b, nil, usageError{fmt.Errorf("run %d is of job %s, which the configuration does not have any more", u.Run, was.Binding)}
	}
	return was.Binding, u, nil
}

// undoJSON is what undo --json prints.
type undoJSON struct {
	Run       int64              `json:"run"`
	Undoes    int64              `json:"undoes"`
	Job       record.Binding     `json:"job"`
	Dry       bool               `json:"dry"`
	Outcome   record.Outcome     `json:"outcome"`
	Counts    record.Counts      `json:"counts"`
	Actions   []actionJSON       `json:"actions"` // that were planned
	Conflicts []undoConflictJSON `json:"conflicts"`
	Beyond    []beyondJSON       `json:"beyond"` // what can't be taken back
	Already   int                `json:"already"`
	Notes     []noteJSON         `json:"notes,omitempty"`
}

type undoConflictJSON struct {
	System  record.System `json:"system"`
	Record  record.Ref    `json:"record"`
	Field   string        `json:"field"`
	Before  record.Value  `json:"before,omitzero"`
	Written record.Value  `json:"written,omitzero"`
	Now     record.Value  `json:"now,omitzero"`
	Why     string        `json:"why"`
}

type beyondJSON struct {
	System record.System `json:"system"`
	Record record.Ref    `json:"record"`
	Op     string        `json:"op"`
	Why    string        `json:"why"`
}

func undoJSONOf(rep engine.Report, job *engine.Job, dry bool) undoJSON {
	u := rep.Undo
	out := undoJSON{
		Run: rep.Run, Undoes: u.Run, Job: rep.Binding, Dry: dry, Outcome: rep.Outcome, Counts: rep.Counts, Already: u.Already,
		Actions: actionsJSON(rep.Actions, job), Conflicts: []undoConflictJSON{}, Beyond: []beyondJSON{}, Notes: notesJSON(rep.Notes, job),
	}
	for _, x := range u.Conflicts {
		out.Conflicts = append(out.Conflicts, undoConflictJSON{job.Sides[x.Side].System, x.Ref, x.Field, unsealed(x.Before), unsealed(x.Written), unsealed(x.Now), x.Why})
	}
	for _, x := range u.Beyond {
		out.Beyond = append(out.Beyond, beyondJSON{job.Sides[x.Side].System, x.Ref, x.Op.String(), x.Why})
	}
	return out
}

// unsealed is a value, nothing where only a digest of it is kept.
func unsealed(v record.Value) record.Value {
	if v.Sealed() {
		return record.Value{}
	}
	return v
}

// reportUndo says what an undo came to.
func (c *cli) reportUndo(rep engine.Report, job *engine.Job, f undoFlags) error {
	if rep.Undo == nil {
		return fmt.Errorf("undo: run %d ended without a word of what it took back; nightporter runs %d shows it", rep.Run, rep.Run)
	}
	u := rep.Undo
	if c.json {
		if err := c.printJSON(undoJSONOf(rep, job, f.dry)); err != nil {
			return err
		}
	} else {
		c.printUndo(rep, job, f)
	}
	if len(u.Conflicts)+len(u.Beyond) > 0 || rep.Counts["postponed"] > 0 {
		return errWaits
	}
	return nil
}

func (c *cli) printUndo(rep engine.Report, job *engine.Job, f undoFlags) {
	u := rep.Undo
	switch {
	case f.dry:
		show(c.out, "undo of run %d of %s would make %s:\n", u.Run, rep.Binding, count(len(rep.Actions), "change", "changes"))
		for i, a := range rep.Actions {
			if i == most && !f.all {
				show(c.out, "  … and %d more of these (--all prints them)\n", len(rep.Actions)-most)
				break
			}
			c.printAction(a, job)
		}
	case tookBack(rep.Counts, job) == "":
		show(c.out, "run %d of %s: nothing was taken back\n", u.Run, rep.Binding)
	default:
		show(c.out, "run %d of %s is undone by run %d: %s\n", u.Run, rep.Binding, rep.Run, tookBack(rep.Counts, job))
	}
	if u.Already > 0 {
		show(c.out, "  as before the run already, or gone: %d\n", u.Already)
	}
	if n := rep.Counts["postponed"]; n > 0 {
		show(c.out, "  put off: %d; undo the run once more\n", n)
	}
	c.printUndoConflicts(u.Conflicts, job, f.all)
	for i, x := range u.Beyond {
		if i == most && !f.all {
			show(c.out, "  … and %d more that can't be taken back (--all prints them)\n", len(u.Beyond)-most)
			break
		}
		show(c.out, "  can't be taken back: %s of %s in %s: %s\n", x.Op, x.Ref, job.Sides[x.Side].System, x.Why)
	}
	for _, n := range rep.Notes {
		show(c.out, "  %s: %s of %s: %s\n", stateWords(n.State), n.Ref, job.Sides[n.Side].System, n.Why)
	}
}

func (c *cli) printUndoConflicts(xs []undo.Conflict, job *engine.Job, all bool) {
	records := map[record.Ref]bool{}
	for _, x := range xs {
		records[x.Ref] = true
	}
	if len(xs) > 0 {
		show(c.out, "  left as %s: %s in %s\n", isAre(len(records)), count(len(xs), "value", "values"), count(len(records), "record", "records"))
	}
	for i, x := range xs {
		if i == most && !all {
			show(c.out, "  … and %d more of these (--all prints them)\n", len(xs)-most)
			return
		}
		show(c.out, "  ! %s of %s, %s: %s\n    before the run: %s\n    the run wrote:  %s\n    now:            %s\n",
			x.Ref, job.Sides[x.Side].System, x.Field, x.Why, x.Before, x.Written, x.Now)
	}
}

func isAre(n int) string {
	if n == 1 {
		return "it is"
	}
	return "they are"
}

// tookBack says what an undo did, "" for nothing.
func tookBack(n record.Counts, job *engine.Job) string {
	var parts []string
	for _, x := range []struct{ name, words string }{{"updated", "put back"}, {"deleted", "deleted"}, {"created", "made anew"}} {
		var places []string
		for _, side := range record.Sides {
			if k := n[side.String()+"."+x.name]; k > 0 {
				places = append(places, fmt.Sprintf("%d in %s", k, job.Sides[side].System))
			}
		}
		if len(places) > 0 {
			parts = append(parts, x.words+" "+list(places))
		}
	}
	return strings.Join(parts, ", ")
}
