package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"nightporter/internal/app"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

func (c *cli) export() *cobra.Command {
	return &cobra.Command{
		Use:   "export JOB FOLDER",
		Short: "Write what a job would make in a system as CSV files for that system's own import",
		Long: `export reads both sides of a job, as plan does, and writes the records that sync would
create as CSV files into FOLDER, as the system's own import takes them: for a first load
that would take too long through the API. It writes to no system.

Pause the job, import the files in the system's own pages, and resume it: the next sync
links what was imported, by the job's match, and makes what is still missing.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return c.runExport(cmd, args[0], args[1]) },
	}
}

func (c *cli) runExport(cmd *cobra.Command, name, folder string) (err error) {
	ctx := cmd.Context()
	a, finish, err := c.openPlan(ctx, cmd.Flags().Changed("config"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, finish()) }()
	names, err := jobsOf(a).names([]string{name})
	if err != nil {
		return err
	}
	job := a.Engine.Jobs[names[0]]
	side, ok := app.ImportSide(job)
	if !ok {
		return fmt.Errorf("%s: no system of this job makes records and is known to import files by a key of its match: a preset says so under import", name)
	}
	p := c.progress()
	unwatch := p.watch(ctx, a, false)
	reports, err := a.Sync(ctx, names, engine.Options{Dry: true, Yes: true, Progress: p.show})
	err = errors.Join(err, unwatch())
	p.end()
	if err != nil {
		return err
	}
	for _, rep := range reports {
		if rep.Binding != job.Binding {
			continue
		}
		out, err := app.Export(job, side, rep.Actions, folder)
		if err != nil {
			return err
		}
		return c.printExport(out, job, side)
	}
	return fmt.Errorf("%s did not run", name)
}

func (c *cli) printExport(out app.Exported, job *engine.Job, side record.Side) error {
	if c.json {
		return c.printJSON(map[string]any{"files": out.Files, "records": out.Records, "missing": out.Missing, "formulas": out.Formulas})
	}
	system := job.Sides[side].System
	if out.Formulas > 0 {
		show(c.out, "%s left out: a spreadsheet would take a text of theirs for a formula; sync makes them\n", count(out.Formulas, "record is", "records are"))
	}
	if out.Records == 0 {
		show(c.out, "%s makes nothing in %s: there is nothing to import\n", job.Binding, system)
		return nil
	}
	show(c.out, "%s in %s:\n", count(out.Records, "record", "records"), count(len(out.Files), "file", "files"))
	for _, f := range out.Files {
		show(c.out, "  %s\n", f)
	}
	if len(out.Missing) > 0 {
		show(c.out, "no column for %s: sync adds that to what was imported\n", strings.Join(out.Missing, ", "))
	}
	show(c.out, "nightporter pause %[1]s, import them in %[2]s's own pages so that a number that is there already is skipped,\n"+
		"then nightporter resume %[1]s: sync links what was imported. Remove the files: they hold guests' data.\n", job.Binding, system)
	return nil
}
