package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"nightporter/internal/demo"
)

func (c *cli) demo() *cobra.Command {
	o := demo.Options{Name: os.Args[0]}
	cmd := &cobra.Command{
		Use: "demo", Short: "Show all of it on a simulated platform and a small PMS, in a few seconds", Args: cobra.NoArgs,
		Long: `demo makes a small hotel's PMS in a SQLite file, serves a simulated platform, and tells
what happens when both are kept in step: a first sync, edits on both sides of which
some collide, a sync that is killed in its middle, the one that clears up after it,
and one that finds nothing to do. It needs no network and no key.

What it made stays in the folder, to go on playing with; the next demo there makes it
anew.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.runDemo(cmd.Context(), o) },
	}
	fl := cmd.Flags()
	fl.StringVar(&o.Dir, "dir", "demo", "the folder for its files: new, empty, or an earlier demo's")
	fl.BoolVar(&o.Keep, "keep", false, "leave an earlier demo as it is, and stop")
	return cmd
}

func (c *cli) runDemo(ctx context.Context, o demo.Options) error {
	binary, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program's file: %w", err)
	}
	o.Binary, o.Out, o.Command = binary, c.out, within
	_, err = demo.Run(ctx, o)
	if _, ok := errors.AsType[*demo.DirError](err); ok {
		return usageError{err}
	}
	return err
}

// within runs a command in this process as its user would.
func within(ctx context.Context, args []string, out, errw io.Writer) int {
	c := &cli{out: out, err: errw}
	root := c.root() //nolint:contextcheck // a command gets its context from ExecuteContext
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errw)
	return c.exit(root.ExecuteContext(ctx))
}
