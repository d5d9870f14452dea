package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"nightporter/sync/record"
)

func (c *cli) always() *cobra.Command {
	cmd := &cobra.Command{
		Use: "always [forget JOB FIELD]", Short: "List, or take back, what was decided once and for all", Args: cobra.NoArgs,
		Long: `always lists the fields of which nightporter conflicts resolve ID SYSTEM --always said
whose value stays. What is better decided by rule belongs into the configuration:
conflict: of that field.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.listAlways(cmd.Context()) },
	}
	cmd.AddCommand(&cobra.Command{
		Use: "forget JOB FIELD", Short: "Ask again from the next conflict on", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return c.forgetAlways(cmd.Context(), args[0], args[1]) },
	})
	return cmd
}

// alwaysJSON is one standing decision.
type alwaysJSON struct {
	Job    record.Binding `json:"job"`
	Field  string         `json:"field"`
	System record.System  `json:"system"` // whose value stays
	By     string         `json:"by,omitempty"`
	Since  instant        `json:"since"`
}

func (c *cli) listAlways(ctx context.Context) error {
	cfg, s, err := c.look(ctx)
	if err != nil {
		return err
	}
	out := []alwaysJSON{}
	if s != nil {
		defer s.Close()
		all, err := s.Always(ctx, "")
		if err != nil {
			return err
		}
		for _, a := range all {
			x := alwaysJSON{Job: a.Binding, Field: a.Field, By: a.By, Since: timeJSON(a.Since)}
			for _, side := range record.Sides {
				if string(a.Take) == side.String() {
					x.System = systemsOf(cfg, a.Binding)[side]
				}
			}
			out = append(out, x)
		}
	}
	if c.json {
		return c.printJSON(out)
	}
	if len(out) == 0 {
		err := tell(c.out, "nothing is decided for always\n")
		return err
	}
	var rows [][]string
	for _, x := range out {
		rows = append(rows, []string{string(x.Job), x.Field, string(x.System), x.By, x.Since.String()})
	}
	tableOf(c.out, []string{"job", "field", "stays", "by", "since"}, rows)
	return nil
}

func (c *cli) forgetAlways(ctx context.Context, job, field string) (err error) {
	_, s, err := c.decide(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	had, err := s.ForgetAlways(ctx, record.Binding(job), field)
	if err != nil {
		return err
	}
	if !had {
		return usageError{fmt.Errorf("nothing is decided for always about %s of %s: nightporter conflicts always lists what is", field, job)}
	}
	err = tell(c.out, "%s of %s is asked about again\n", field, job)
	return err
}
