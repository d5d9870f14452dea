package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"nightporter/sync/record"
)

func (c *cli) configure() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Show which configurations jobs were run with", Args: cobra.NoArgs}
	cmd.AddCommand(&cobra.Command{
		Use: "history [N]", Short: "List them, or show what number N changed", Args: cobra.MaximumNArgs(1),
		Long: `config history lists each configuration that jobs were run with: since when, by whom,
from which file. With a number it shows the difference to the one before. Remarks are
not kept, nor secrets: where one is needed the name of its place stands.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.listConfigs(cmd.Context())
			}
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil || id <= 0 {
				return usageError{fmt.Errorf("%q is no number of a configuration: nightporter config history lists them", args[0])}
			}
			return c.showConfig(cmd.Context(), id)
		},
	})
	return cmd
}

// configJSON is one configuration that jobs were run with.
type configJSON struct {
	ID      int64    `json:"id"`
	At      instant  `json:"at"`
	Who     string   `json:"who"`
	File    string   `json:"file"`
	Digest  string   `json:"digest"`
	Changes []string `json:"changes,omitempty"` // lines that are gone, with -, and new, with +
	version record.ConfigVersion
}

// configs is all of them, oldest first.
func (c *cli) configs(ctx context.Context) ([]configJSON, error) {
	_, s, err := c.look(ctx)
	if err != nil || s == nil {
		return []configJSON{}, err
	}
	defer s.Close()
	all, err := s.Configs(ctx)
	out := make([]configJSON, 0, len(all))
	for _, v := range all {
		out = append(out, configJSON{ID: v.ID, At: timeJSON(v.At), Who: v.Who, File: v.File, Digest: v.Digest, version: v})
	}
	return out, err
}

func (c *cli) listConfigs(ctx context.Context) error {
	all, err := c.configs(ctx)
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(all)
	}
	var rows [][]string
	for i, v := range all {
		before := ""
		if i > 0 {
			before = all[i-1].version.Text
		}
		gone, added := 0, 0
		for _, l := range difference(before, v.version.Text) {
			switch l[0] {
			case '-':
				gone++
			case '+':
				added++
			}
		}
		rows = append(rows, []string{
			strconv.FormatInt(v.ID, 10), moment(v.version.At), v.Who, v.File, fmt.Sprintf("-%d +%d lines", gone, added),
		})
	}
	tableOf(c.out, []string{"number", "since", "who", "file", "changed"}, rows)
	return nil
}

func (c *cli) showConfig(ctx context.Context, id int64) error {
	all, err := c.configs(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(v configJSON) bool { return v.ID == id })
	if at < 0 {
		return usageError{fmt.Errorf("there is no configuration %d: nightporter config history lists them", id)}
	}
	v, before := all[at], ""
	if at > 0 {
		before = all[at-1].version.Text
	}
	v.Changes = difference(before, v.version.Text)
	if c.json {
		return c.printJSON(v)
	}
	show(c.out, "configuration %d, since %s\n  by:    %s\n  file:  %s\n", v.ID, moment(v.version.At), v.Who, v.File)
	for _, l := range v.Changes {
		showln(c.out, l)
	}
	return nil
}

// around is how many lines that did not change are shown beside one that did.
const around = 2

// difference is the lines that differ between two texts, with what stands around them.
// Lines begin with "- ", "+ " or two spaces; "  …" stands for those left out.
func difference(was, now string) []string {
	a, b := lines(was), lines(now)
	all := compare(a, b)
	var out []string
	for i, l := range all {
		near := false
		for j := max(0, i-around); j <= min(len(all)-1, i+around); j++ {
			near = near || all[j][0] != ' '
		}
		switch {
		case near:
			out = append(out, l)
		case len(out) > 0 && out[len(out)-1] != "  …":
			out = append(out, "  …")
		}
	}
	return out
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// compare is every line of both texts, those that both have once: the longest common
// part stays, between the common beginning and end.
func compare(a, b []string) []string {
	var head, tail []string
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head, a, b = append(head, "  "+a[0]), a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail, a, b = append(tail, "  "+a[len(a)-1]), a[:len(a)-1], b[:len(b)-1]
	}
	slices.Reverse(tail)
	return slices.Concat(head, middle(a, b), tail)
}

// mostCompared is up to how many lines times lines the longest common part is looked
// for; of more, all is gone and all is new.
const mostCompared = 4_000_000

func middle(a, b []string) []string {
	var out []string
	if len(a)*len(b) > mostCompared {
		for _, l := range a {
			out = append(out, "- "+l)
		}
		for _, l := range b {
			out = append(out, "+ "+l)
		}
		return out
	}
	common := make([][]int, len(a)+1) // of what is left from i and j on
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i, line := range slices.Backward(a) {
		for j := len(b) - 1; j >= 0; j-- {
			if line == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, "  "+a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			out = append(out, "- "+a[i])
			i++
		default:
			out = append(out, "+ "+b[j])
			j++
		}
	}
	return out
}
