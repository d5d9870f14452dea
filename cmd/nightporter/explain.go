package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/record"
	"nightporter/sync/story"
)

func (c *cli) explain() *cobra.Command {
	var on string
	cmd := &cobra.Command{
		Use:   "explain RECORD",
		Short: "Say how a record stands, and tell its story: what changed, from where, by which rule",
		Long: `explain finds a record by its id (alone, or as SYSTEM:ID or KIND:ID), by a name, a
phone in whatever spelling, a mail address or a booking's number, and says in one
sentence how it stands. Then it tells what happened to it, newest last: each value
before and after, from which system, in which run, by which rule, and what the system
answered; questions and how they were decided; and why it is not in step, if it isn't.

It asks no system. --on says what both records held on a day, as far as the journal
tells.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.runExplain(cmd.Context(), strings.Join(args, " "), on)
		},
	}
	cmd.Flags().StringVar(&on, "on", "", "what it held at the end of this day (2026-05-20), or at this moment (\"2026-05-20 14:30\")")
	return cmd
}

// explainJSON is what explain --json prints.
type explainJSON struct {
	Asked string       `json:"asked"`
	Found []foundJSON  `json:"found"`
	Story *story.Story `json:"story"` // null unless one record was found
	On    *onJSON      `json:"on,omitempty"`
	// Unread is why a record may not be known; only where none was found.
	Unread []string `json:"unread,omitempty"`
}

type foundJSON struct {
	Job    record.Binding `json:"job"`
	System record.System  `json:"system"`
	Record record.Ref     `json:"record"`
	Name   string         `json:"name,omitempty"`
	Linked bool           `json:"linked"`
}

type onJSON struct {
	At      instant       `json:"at"`
	Records []story.Stand `json:"records"`
	at      time.Time
}

func (c *cli) runExplain(ctx context.Context, text, on string) error {
	cfg, s, err := c.look(ctx)
	if err != nil {
		return err
	}
	at, err := dayEnd(on, cfg.TimeZone)
	if err != nil {
		return usageError{err}
	}
	if s == nil {
		return usageError{fmt.Errorf("nothing is known of %q: nothing was run yet", text)}
	}
	defer s.Close()
	found, err := app.LookUp(ctx, cfg, s, text)
	if err != nil {
		return err
	}
	out := explainJSON{Asked: text, Found: []foundJSON{}}
	for _, f := range found {
		out.Found = append(out.Found, foundJSON{
			Job: f.Job, System: systemsOf(cfg, f.Job)[f.Entry.Place.Side], Record: f.Entry.Ref, Name: f.Name, Linked: f.Entry.Link != 0,
		})
	}
	switch len(found) {
	case 0:
		return c.unknownTo(ctx, cfg, s, out)
	case 1:
		err = c.tell(ctx, cfg, s, found[0].Entry, at, &out)
	}
	switch {
	case err != nil:
		return err
	case c.json:
		return c.printJSON(out)
	case out.Story == nil:
		c.printFound(out.Found)
	case out.On != nil:
		c.printOn(*out.On, *out.Story)
	default:
		c.printStory(*out.Story)
	}
	return nil
}

// unknownTo ends an explain that found nothing: it says what is not read.
func (c *cli) unknownTo(ctx context.Context, cfg *config.Config, s *state.Store, out explainJSON) error {
	var err error
	if out.Unread, err = app.Unread(ctx, cfg, s); err != nil {
		return err
	}
	if c.json {
		err = c.printJSON(out)
	} else {
		show(c.out, "no record that is known has the id, name, phone, mail or number %q\n", out.Asked)
		if len(out.Unread) > 0 {
			showln(c.out, "a system may have one all the same:")
		}
		for _, u := range out.Unread {
			show(c.out, "  %s\n", u)
		}
	}
	if err != nil {
		return err
	}
	return usageError{fmt.Errorf("nothing is known of %q", out.Asked)}
}

func (c *cli) tell(ctx context.Context, cfg *config.Config, s *state.Store, e record.Entry, at time.Time, out *explainJSON) error {
	f, err := app.FactsOf(ctx, cfg, s, e, time.Now())
	if err != nil {
		return err
	}
	f.Zone = clock()
	told := story.Tell(f)
	out.Story = &told
	if !at.IsZero() {
		out.On = &onJSON{At: timeJSON(at), Records: story.At(f, at), at: at}
	}
	return nil
}

// dayEnd is the moment that --on names, zero for none: of a day its end, on the
// house's clock.
func dayEnd(text string, zone *time.Location) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if zone == nil {
		zone = clock()
	}
	if d, err := time.ParseInLocation(time.DateOnly, text, zone); err == nil {
		return d.AddDate(0, 0, 1).Add(-time.Millisecond), nil
	}
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04", time.RFC3339} {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("--on %q: write a day as 2026-05-20, or a moment as \"2026-05-20 14:30\"", text)
}

func (c *cli) printFound(found []foundJSON) {
	show(c.out, "%s may be meant; name one:\n", count(len(found), "record", "records"))
	for i, f := range found {
		if i == most && !c.verbose {
			show(c.out, "  … and %d more (-v prints them)\n", len(found)-most)
			return
		}
		name := ""
		if f.Name != "" {
			name = "   " + f.Name
		}
		show(c.out, "  nightporter explain %s:%s   (job %s)%s\n", f.Record.Kind, f.Record.ID, f.Job, name)
	}
}

func (c *cli) printStory(s story.Story) {
	showln(c.out, s.Sentence)
	for i, why := range s.Why {
		if i > 0 {
			show(c.out, "  also: %s\n", why)
		}
	}
	for _, n := range s.Next {
		show(c.out, "  next: %s\n", n)
	}
	for _, n := range s.Notes {
		show(c.out, "  note: %s\n", n)
	}
	c.printSides(s)
	showln(c.out, "what happened, newest last:")
	for _, e := range s.Events {
		c.printEvent(e)
	}
}

// printSides prints what both records hold, side by side.
func (c *cli) printSides(s story.Story) {
	header := []string{"  field"}
	names := map[string]bool{}
	for _, r := range s.Records {
		header = append(header, fmt.Sprintf("%s of %s", r.Record, r.System))
		for f := range r.Fields {
			names[f] = true
		}
	}
	tableOf(c.out, header, fieldRows(names, func(field string) []string {
		var row []string
		for _, r := range s.Records {
			row = append(row, text(r.Fields[field]))
		}
		return row
	}))
}

func fieldRows(names map[string]bool, values func(field string) []string) [][]string {
	sorted := make([]string, 0, len(names))
	for n := range names {
		sorted = append(sorted, n)
	}
	slices.Sort(sorted)
	rows := make([][]string, len(sorted))
	for i, n := range sorted {
		rows[i] = append([]string{"  " + n}, values(n)...)
	}
	return rows
}

// text is a value in a table, nothing where there is none.
func text(v story.Shown) string {
	if !v.Observed() {
		return ""
	}
	return v.String()
}

func (c *cli) printEvent(e story.Event) {
	show(c.out, "%s  %s\n", moment(e.At.Time), e.Text)
	if e.Kind == story.EventChange || e.Kind == story.EventUndo {
		for _, f := range e.Fields {
			c.printTold(f, e.Op == record.Create.String())
		}
	}
	if e.Answer != "" {
		show(c.out, "      %s\n", e.Answer)
	}
	if e.By != "" {
		show(c.out, "      who: %s\n", e.By)
	}
}

func (c *cli) printTold(f story.Told, create bool) {
	if f.Before.Observed() && !create {
		show(c.out, "    - %s: %s\n", f.Field, f.Before)
	}
	why := ""
	if !create {
		why = "   (" + whyTold(f) + ")"
	}
	after := text(f.After)
	if after == "" {
		after = "(not shown)"
	}
	show(c.out, "    + %s: %s%s\n", f.Field, after, why)
}

// whyTold is why a field was written: the reason, the rule, and what it was written
// over.
func whyTold(f story.Told) string {
	why := []string{f.Why}
	if f.Rule != "" {
		why = append(why, "rule: "+f.Rule)
	}
	if f.Loser.Observed() {
		why = append(why, "loses: "+f.Loser.String())
	}
	return strings.Join(why, "; ")
}

// printOn prints what both records held at a moment.
func (c *cli) printOn(on onJSON, s story.Story) {
	showln(c.out, s.Sentence)
	for _, n := range s.Notes {
		show(c.out, "  note: %s\n", n)
	}
	for _, r := range on.Records {
		if !r.Known {
			show(c.out, "%s of %s was not known yet at %s\n", r.Record, r.System, moment(on.at))
			continue
		}
		show(c.out, "%s of %s at %s held\n", r.Record, r.System, moment(on.at))
		names := map[string]bool{}
		for f := range r.Fields {
			names[f] = true
		}
		tableOf(c.out, []string{"  field", "value", "how that is known"}, fieldRows(names, func(field string) []string {
			v := r.Fields[field]
			value := text(v.Value)
			if !v.Sure {
				value += " (?)"
			}
			return []string{value, v.How}
		}))
	}
}
