package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nightporter/internal/app"
	"nightporter/internal/doctor"
)

// errDoctor ends an examination that found no way in.
var errDoctor = errors.New("no list could be read: what was found says why")

func (c *cli) doctor() *cobra.Command {
	var f lagFlags
	cmd := &cobra.Command{
		Use: "doctor SYSTEM", Short: "Ask a system's API how it is to be read, and print the keys that fit; changes nothing", Args: cobra.MaximumNArgs(1),
		Long: fmt.Sprintf(`doctor asks the API of a system, with GET alone, how it wants to be read: where it
begins and how it takes the key, where the rows of a list are, how a list is paged and
how it ends, what it can be filtered by, how times are written. It says what that means
for what nightporter can promise, and prints what the system's override has to say.

What is known was seen; likely, seen and perhaps something else; what is not known
stays as the preset has it. Values of records are never shown.

It sends at most %d requests to get in, and %d a kind, at the pace of the system's limits.

How late lists show what was written no read can tell. With --lag, and only then, it
writes: it makes one record of what --set names, or changes the one of --record, looks
until every way of reading shows it, and takes it back. Name values that reach nobody,
and days that nobody books; no job may run meanwhile.`, doctor.MostEntry, doctor.MostKind),
		Example: `  nightporter doctor platform
  nightporter doctor platform --lag contacts --record 4711 --set "first_name=a test"
  nightporter doctor pms --lag guests --set "name=Test Nightporter" --set "adults:=2"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			system := strings.Join(args, "")
			if f.kind != "" {
				return c.runLag(cmd.Context(), system, f)
			}
			if f.asks() {
				return usageError{errors.New("--set, --record and --keep go with --lag KIND, and write nothing without it")}
			}
			return c.runDoctor(cmd, system)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.kind, "lag", "", "write one record of this kind, see how late that is shown, and take it back")
	fl.StringArrayVar(&f.set, "set", nil, "with --lag: FIELD=TEXT or FIELD:=JSON that is written, by the system's own names")
	fl.StringVar(&f.record, "record", "", "with --lag: the id of a record that is there for tests, which is changed, and put back")
	fl.BoolVar(&f.keep, "keep", false, "with --lag: leave what was written")
	fl.DurationVar(&f.patience, "for", 10*time.Minute, "with --lag: how long it is looked for")
	return cmd
}

func (c *cli) runDoctor(cmd *cobra.Command, system string) error {
	cfg, err := c.loadSystems()
	if err != nil {
		return err
	}
	r, err := app.Doctor(cmd.Context(), cfg, system, c.options())
	if err != nil {
		return usageError{err}
	}
	if c.json {
		err = c.printJSON(r)
	} else {
		c.printDoctor(r)
	}
	if err == nil && !r.Entered {
		return errDoctor
	}
	return err
}

func (c *cli) printDoctor(r doctor.Report) {
	show(c.out, "%s, beside preset %s: %s sent, all of them GET\n", r.System, r.Preset, count(r.Requests, "request", "requests"))
	for _, group := range []doctor.Confidence{doctor.Known, doctor.Likely, doctor.NotKnown} {
		c.printFindings(group, r)
	}
	if !r.Entered { // nothing was read: nothing follows, not even that the preset fits
		return
	}
	show(c.out, "\nwhat that means:\n")
	for _, g := range r.Guarantees {
		show(c.out, "  %s\n", g)
	}
	if r.Override == "" {
		show(c.out, "\nthe preset fits as it is, as far as that could be seen\n")
		return
	}
	show(c.out, "\nunder systems.%s, beside what stands under override already:\n\n%s", r.System, ours(indented(r.Override, "    ")))
}

// printFindings prints what was found with that confidence. Where no list could be read,
// what isn't known of single kinds goes without saying.
func (c *cli) printFindings(group doctor.Confidence, r doctor.Report) {
	title := fmt.Sprintf("\n%s:\n", group)
	for _, f := range r.Findings {
		if f.Confidence != group || !r.Entered && f.Kind != "" {
			continue
		}
		show(c.out, "%s  %s\n", ours(title), findingLine(f))
		title = ""
	}
}

// findingLine is a finding on one line.
func findingLine(f doctor.Finding) string {
	subject := f.Subject()
	if subject == "" {
		return f.Evidence
	}
	if f.Key == "" || f.Confidence == doctor.NotKnown {
		return subject + ": " + f.Evidence
	}
	return fmt.Sprintf("%s = %s: %s", subject, f.Shown(), f.Evidence)
}

func indented(text, by string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(by + line)
	}
	return out.String()
}
