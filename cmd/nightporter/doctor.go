package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"nightporter/internal/app"
	"nightporter/internal/doctor"
)

// errDoctor ends an examination that found no way in.
var errDoctor = errors.New("no list could be read: what was found says why")

func (c *cli) doctor() *cobra.Command {
	return &cobra.Command{
		Use: "doctor SYSTEM", Short: "Ask a system's API how it is to be read, and print the keys that fit; changes nothing", Args: cobra.ExactArgs(1),
		Long: fmt.Sprintf(`doctor asks the API of a system, with GET alone, how it wants to be read: where it
begins and how it takes the key, where the rows of a list are, how a list is paged and
how it ends, what it can be filtered by, how times are written. It says what that means
for what nightporter can promise, and prints what the system's override has to say.

What is known was seen; likely, seen and perhaps something else; what is not known
stays as the preset has it. Values of records are never shown.

It sends at most %d requests to get in, and %d a kind, at the pace of the system's limits.`, doctor.MostEntry, doctor.MostKind),
		RunE: func(cmd *cobra.Command, args []string) error { return c.runDoctor(cmd, args[0]) },
	}
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
	fmt.Fprintf(c.out, "%s, beside preset %s: %s sent, all of them GET\n", r.System, r.Preset, count(r.Requests, "request", "requests"))
	for _, group := range []doctor.Confidence{doctor.Known, doctor.Likely, doctor.NotKnown} {
		c.printFindings(group, r)
	}
	if !r.Entered { // nothing was read: nothing follows, not even that the preset fits
		return
	}
	fmt.Fprintf(c.out, "\nwhat that means:\n")
	for _, g := range r.Guarantees {
		fmt.Fprintf(c.out, "  %s\n", g)
	}
	if r.Override == "" {
		fmt.Fprintf(c.out, "\nthe preset fits as it is, as far as that could be seen\n")
		return
	}
	fmt.Fprintf(c.out, "\nunder systems.%s, beside what stands under override already:\n\n%s", r.System, indented(r.Override, "    "))
}

// printFindings prints what was found with that confidence. Where no list could be read,
// what isn't known of single kinds goes without saying.
func (c *cli) printFindings(group doctor.Confidence, r doctor.Report) {
	title := fmt.Sprintf("\n%s:\n", group)
	for _, f := range r.Findings {
		if f.Confidence != group || !r.Entered && f.Kind != "" {
			continue
		}
		fmt.Fprintf(c.out, "%s  %s\n", title, findingLine(f))
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
