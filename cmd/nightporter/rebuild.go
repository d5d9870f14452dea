package main

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"nightporter/internal/app"
	"nightporter/state"
)

func (c *cli) rebuild() *cobra.Command {
	force := false
	cmd := &cobra.Command{
		Use: "rebuild", Short: "Begin a new state where the old one and every backup are lost", Args: cobra.NoArgs,
		Long: `rebuild is for when the state file is lost or damaged and there is no backup to restore.
It begins a new state and looks in the systems for the marks that were left there. What
was there is kept aside. The next runs read both sides whole and link, by these marks and
by the match rules, what is on both; only then is anything created, and a record that
carries a mark and finds no partner is asked about.

Values that differ are decided as at a first contact: what a person must decide is asked.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.runRebuild(cmd.Context(), force) },
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace a state that knows links, or that can't be read")
	return cmd
}

func (c *cli) runRebuild(ctx context.Context, force bool) (err error) {
	cfg, err := c.load()
	if err != nil {
		return err
	}
	findings := app.CheckFile(cfg)
	for _, f := range findings {
		c.say("%s: %s", f.Where, f.Text)
	}
	if wrong(findings) {
		return errCheck
	}
	r, err := state.Rebuild(ctx, c.statePath(cfg), force, time.Now())
	if err != nil {
		return err
	}
	if r.Aside != "" {
		c.say("what was there is kept as %s", r.Aside)
	}
	a, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	found, err := a.Installs(ctx)
	if err != nil {
		return err
	}
	names := slices.SortedFunc(maps.Keys(found), func(x, y string) int { return found[y] - found[x] })
	if len(names) > 0 {
		if err := a.Store.Rename(ctx, names[0]); err != nil {
			return err
		}
		c.say("%s of installation %s were found: they are taken for our own", count(int64(found[names[0]]), "mark", "marks"), names[0])
	}
	for _, other := range names[min(1, len(names)):] {
		c.say("%s of another installation, %s, are left alone", count(int64(found[other]), "mark", "marks"), other)
	}
	c.say("a new state is begun; nothing is created before both sides were read whole; run `nightporter plan`, then `nightporter sync --yes`")
	return nil
}
