package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"nightporter/state"
)

func (c *cli) backup() *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Copy the state to a new file, also while jobs run, and verify the copy", Args: cobra.ExactArgs(1),
		Long: `backup copies what nightporter knows (which records belong together, what both sides
last agreed on, what was sent) to a file that doesn't exist yet. It works while jobs
run. The file appears only once it is whole and was opened again.

It holds guests' data: keep it where only this program's user can read it. The
configuration and the secrets that it names are not in it.`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.runBackup(cmd.Context(), args[0]) },
	}
}

// copyJSON is a copy of a state.
type copyJSON struct {
	File    string `json:"file"`
	Bytes   int64  `json:"bytes"`
	Schema  int64  `json:"schema"`
	Links   int64  `json:"links"`
	Records int64  `json:"records"`
	Aside   string `json:"replaced,omitempty"`
}

func copyJSONOf(x state.Copy) copyJSON {
	return copyJSON{File: x.File, Bytes: x.Bytes, Schema: x.Schema, Links: x.Links, Records: x.Entries}
}

func (c *cli) runBackup(ctx context.Context, file string) (err error) {
	_, s, err := c.look(ctx)
	if err != nil {
		return err
	}
	if s == nil {
		return errors.New("there is nothing to back up")
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	made, err := s.Backup(ctx, file)
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(copyJSONOf(made))
	}
	c.say("%s: %s and %s, %d kB, verified", made.File, count(made.Links, "link", "links"),
		count(made.Entries, "record", "records"), made.Bytes>>10+1)
	return nil
}
