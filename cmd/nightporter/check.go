package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/sync/record"
)

// errCheck ends a check that found what must be mended.
var errCheck = errors.New("the check found what must be mended")

func (c *cli) check() *cobra.Command {
	online := false
	cmd := &cobra.Command{
		Use: "check", Short: "Look at the configuration and, with --online, at the systems; changes nothing", Args: cobra.NoArgs,
		Long: `check looks for mistakes in the configuration, whether the secrets that it names
can be had, and whether the fields of each job can be mapped. It asks no system.

It also says how many requests an hour the jobs' cadences (when) cost each API, by
what the last full run counted, beside the limits that are declared.

With --online it also opens the systems, reads one page of each kind, tries every
field on these records, and says what can be promised, which rights are needed and
what a first load costs. It changes nothing.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.runCheck(cmd, online) },
	}
	cmd.Flags().BoolVar(&online, "online", false, "ask the systems too")
	return cmd
}

// checkJSON is what a check found.
type checkJSON struct {
	Config   string        `json:"config"`
	OK       bool          `json:"ok"`
	Findings []app.Finding `json:"findings"`
	Sides    []app.Looked  `json:"sides,omitempty"`
	Trials   []app.Tried   `json:"trials,omitempty"` // what first writes showed
	Hourly   []app.Hourly  `json:"hourly,omitempty"` // of the jobs' cadences
}

func (c *cli) runCheck(cmd *cobra.Command, online bool) error {
	cfg, err := c.load()
	if err != nil {
		return err
	}
	out := checkJSON{Config: cfg.Path, OK: true, Findings: app.CheckFile(cfg)}
	if online && !wrong(out.Findings) {
		found, err := app.CheckOnline(cmd.Context(), cfg, c.options())
		if err != nil {
			return err
		}
		out.Findings = slices.DeleteFunc(out.Findings, func(f app.Finding) bool { // what is a note until the system is asked
			f.Wrong = true
			return slices.Contains(found.Findings, f)
		})
		out.Findings, out.Sides = append(out.Findings, found.Findings...), found.Sides
		out.Trials = app.TrialsOf(cmd.Context(), cfg, c.state)
	}
	if out.OK = !wrong(out.Findings); out.OK {
		var above []app.Finding
		out.Hourly, above = app.CostAnHour(cmd.Context(), cfg, c.state, out.Sides, time.Now())
		out.Findings = append(out.Findings, above...)
	}
	if c.json {
		if out.Findings == nil {
			out.Findings = []app.Finding{}
		}
		if err := c.printJSON(out); err != nil {
			return err
		}
	} else {
		c.printCheck(cfg, out, online)
	}
	if !out.OK {
		return usageError{errCheck}
	}
	return nil
}

func wrong(fs []app.Finding) bool {
	for _, f := range fs {
		if f.Wrong {
			return true
		}
	}
	return false
}

func (c *cli) printCheck(cfg *config.Config, out checkJSON, online bool) {
	for _, f := range out.Findings {
		word := "note"
		if f.Wrong {
			word = "error"
		}
		c.say("%s: %s: %s", word, f.Where, f.Text)
	}
	stopped := func(system, kind string) bool {
		return slices.ContainsFunc(out.Trials, func(t app.Tried) bool { return t.Stopped() && t.System == system && t.Kind == kind })
	}
	for _, l := range out.Sides {
		c.printSide(l, stopped(l.System, l.Kind))
	}
	for _, t := range out.Trials {
		c.printTrial(t)
	}
	for _, h := range out.Hourly {
		c.printHourly(h)
	}
	switch {
	case !out.OK:
	case slices.ContainsFunc(out.Trials, app.Tried.Stopped):
		show(c.out, "%s is right, and the systems answer, but for updates that are not sent: see the first update above, and status\n", cfg.Path)
	case online:
		show(c.out, "%s is right, and the systems answer\n", cfg.Path)
	default:
		show(c.out, "%s is right; with --online the systems are asked too\n", cfg.Path)
	}
}

// printSide prints what was seen of one kind of one system. stopped says that no updates of it are sent.
func (c *cli) printSide(l app.Looked, stopped bool) {
	more := ""
	if l.More {
		more = " or more"
	}
	show(c.out, "%s: %s of %s\n", l.Job, l.Kind, l.System)
	show(c.out, "  %s%s, %d of them looked at\n", count(l.Records, "record", "records"), more, l.Read)
	if l.Shown != "" {
		show(c.out, "  read as %s\n", l.Shown)
	}
	if l.Takes != "" {
		show(c.out, "  takes files of %s\n", l.Takes)
	}
	show(c.out, "  class %s: %s\n", l.Class, l.Promise)
	for _, x := range l.Losses {
		show(c.out, "  field %s loses something in %s, in %s such as %s: %s\n",
			x.Field, x.To, count(x.Records, "record", "records"), x.Example, x.Why)
	}
	for _, u := range l.Unshown {
		show(c.out, "  field %s: none of these shows %s: is it spelt as %s spells it? Whether what is written there arrives is not known\n",
			u.Field, u.Path, l.System)
	}
	for _, p := range l.Lacking {
		show(c.out, "  a new record must hold %s, and none of these shows it: if %s has no such field, take it out of kinds.%s.required\n", p, l.System, l.Kind)
	}
	switch {
	case stopped:
		show(c.out, "  no updates of these are sent: the first one changed more than it was sent\n")
	case len(l.Losses)+len(l.Unshown) == 0 && l.Read > 0:
		show(c.out, "  every field of these can be written and read again as it was\n")
	}
	for _, p := range l.Private {
		show(c.out, "  private, never read: %s\n", p)
	}
	for _, r := range l.Rights {
		show(c.out, "  right needed: %s\n", strings.TrimPrefix(r, "-- "))
	}
	show(c.out, "  a first load takes at most %s: %d to read, and if all of the other side's are new here %s at %d each%s\n",
		count(l.Calls(), "request", "requests"), l.Lists, count(l.Creates, "create", "creates"), l.Create, hours(l.Lasts, l.PerMinute))
	if l.Export != "" {
		show(c.out, "  %s\n", l.Export)
	}
	show(c.out, "  a change of a record takes %s\n", count(l.Update, "request", "requests"))
}

// printTrial prints what the first write of an operation showed.
func (c *cli) printTrial(t app.Tried) {
	show(c.out, "%s: the first %s of %s of %s, to %s: %s\n", t.Job, t.Op, t.Kind, t.System, t.Record, tried(t))
}

func tried(t app.Tried) string {
	found := strings.Join(t.Found, ", ")
	switch {
	case t.State.Pending(), t.State == record.TrialAside:
		return "it is not known yet what it did"
	case t.State == record.TrialHarmed:
		return "it changed " + found + " as well, which is still to be put back"
	case t.State == record.TrialPassed && found == "":
		return "it did what was asked"
	case t.State == record.TrialPassed && t.Op == record.Create.String():
		return "what was sent is there but for " + found
	case t.State == record.TrialPassed:
		return "it changed " + found + " as well, and goes on"
	case len(t.Left) > 0:
		return "it changed " + found + " as well; " + strings.Join(t.Left, ", ") + " could not be put back; no more are sent"
	}
	return "it changed " + found + " as well, which was put back; no more are sent"
}

// printHourly prints what the cadences cost one API.
func (c *cli) printHourly(h app.Hourly) {
	least, limits := "", "no limit is declared"
	if !h.Known {
		least = "at least "
	}
	if len(h.Limits) > 0 {
		limits = "declared: " + strings.Join(h.Limits, ", ")
	}
	show(c.out, "%s: serve asks it %s%s an hour, %d in the fullest; %s\n", h.System, least, rounded(h.AnHour), h.Most, limits)
	for _, l := range h.Lines {
		pages := count(l.Pages, "list request", "list requests")
		switch {
		case l.Changed:
			pages += ", for what changed"
		case !l.Known:
			pages = "how many list requests is not known before the first run"
		}
		show(c.out, "  %s: %q is %s an hour; each %s\n", l.Key, l.Cadence, runsAnHour(l.Runs), pages)
	}
}

func runsAnHour(n float64) string {
	if n == 1 {
		return "1 run"
	}
	return rounded(n) + " runs"
}

// rounded is a number with no more digits than it deserves.
func rounded(n float64) string {
	if n >= 10 || n == math.Trunc(n) {
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprintf("%.2g", n)
}

// hours is how long something lasts at a pace, "" where none is declared.
func hours(lasts time.Duration, perMinute int) string {
	if perMinute <= 0 {
		return ""
	}
	if lasts < time.Hour {
		return fmt.Sprintf("; %s at %d a minute", count(max(1, int(math.Ceil(lasts.Minutes()))), "minute", "minutes"), perMinute)
	}
	return fmt.Sprintf("; %.1f hours at %d a minute", lasts.Hours(), perMinute)
}
