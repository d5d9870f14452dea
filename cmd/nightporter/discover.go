package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"nightporter/internal/app"
)

func (c *cli) discover() *cobra.Command {
	to := ""
	cmd := &cobra.Command{
		Use: "discover LEFT RIGHT", Short: "Propose how two systems are kept in step, from a sample of both; changes nothing", Args: cobra.ExactArgs(2),
		Long: fmt.Sprintf(`discover reads some of the records of two systems of the configuration, and prints a
whole configuration for them: which kinds are the same, which fields, by what two
records are known to be one, and what their words mean. For a beginning it needs
nothing but systems: tables and files that aren't named are found in the database's
catalogue and in the folder.

Each line says how sure it is and why: known was seen in values on both sides, likely
rests on few values or on names alone; what is not known stands in remarks, for you.
Nothing is made in either system by what is proposed (create: never) until you say so,
and where both sides were edited a person is asked (conflict: hold). No value of a record is shown, only its shape.

It reads at most %d pages of each kind of an API, with GET, and %d single records
of those that the other side has, and %d rows of each of %d tables or of each file, and says so before.

Afterwards: nightporter check --online, and nightporter plan.`, app.MostPages, app.MostAsked, app.MostRows, app.MostTables),
		RunE: func(cmd *cobra.Command, args []string) error { return c.runDiscover(cmd, args[0], args[1], to) },
	}
	cmd.Flags().StringVar(&to, "to", "", "write it into this new file, beside the configuration")
	return cmd
}

func (c *cli) runDiscover(cmd *cobra.Command, left, right, to string) error {
	cfg, err := c.loadSystems()
	if err != nil {
		return err
	}
	if err := c.mayWrite(to); err != nil {
		return usageError{err}
	}
	d, err := app.Discover(cmd.Context(), cfg, left, right, c.options(), func(text string) { c.say("%s", text) })
	if _, ok := errors.AsType[*app.NoSystemError](err); ok {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	switch {
	case c.json:
		err = c.printJSON(d)
	case to != "":
		err = writeNew(to, d.Config)
	default:
		_, err = fmt.Fprint(c.out, d.Config)
	}
	if err != nil {
		return err
	}
	return c.discovered(d, to)
}

// discovered says what becomes of a proposal.
func (c *cli) discovered(d app.Discovery, to string) error {
	for _, n := range d.Notes {
		c.say("%s", n)
	}
	known, likely, open := d.Count()
	c.say("%d lines are known, %d likely, and %d are left to you", known, likely, open)
	if len(d.Wrong) > 0 {
		for _, w := range d.Wrong {
			c.say("before it can be used: %s", w)
		}
		return errWaits
	}
	if to == "" {
		to = "FILE"
	}
	c.say("next: nightporter check --online -c %s, then nightporter plan -c %s", to, to)
	return nil
}

// mayWrite refuses a file that is there already, and one in another folder: relative
// paths in it begin at its own.
func (c *cli) mayWrite(to string) error {
	if to == "" {
		return nil
	}
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already, and nothing is written over: name another file", to)
	}
	here, err := filepath.Abs(filepath.Dir(c.config))
	if err != nil {
		return err
	}
	there, err := filepath.Abs(filepath.Dir(to))
	if err != nil {
		return err
	}
	if here != there {
		return fmt.Errorf("%s is in another folder than %s, and paths in it begin at its own: write it beside that one", to, c.config)
	}
	return nil
}

// writeNew makes a file that only its owner may read; one that is there stays as it is.
func writeNew(path, text string) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the path is the user's own
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.WriteString(text); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return f.Sync()
}
