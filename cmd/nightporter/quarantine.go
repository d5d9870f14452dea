package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nightporter/internal/config"
	"nightporter/internal/serve"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

func (c *cli) quarantine() *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use: "quarantine", Short: "List, show, retry or dismiss records that can't be read or written as they are", Args: cobra.NoArgs,
		Long: `quarantine lists records that keep no other from being in step: what a system
refuses as it is, and what can't be read. What was refused is asked for again ever more
seldom, from a minute to a day, and after eight times left to you; it is free at once
when its value changes, or the configuration does.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.listQuarantine(cmd.Context(), all) },
	}
	cmd.PersistentFlags().BoolVar(&all, "all", false, "also what was dismissed")
	cmd.AddCommand(&cobra.Command{
		Use: "list", Short: "List them", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.listQuarantine(cmd.Context(), all) },
	}, &cobra.Command{
		Use: "show ID", Short: "Show what is wrong with one, and since when", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.showQuarantine(cmd.Context(), args[0]) },
	}, &cobra.Command{
		Use: "retry ID", Short: "Have it read, or asked for, once more", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.settleQuarantine(cmd.Context(), args[0], false)
		},
	}, &cobra.Command{
		Use: "dismiss ID", Short: "Hear no more of it, until its value changes", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.settleQuarantine(cmd.Context(), args[0], true) },
	})
	return cmd
}

// asideJSON is one record that was put aside.
type asideJSON struct {
	ID        string         `json:"id"`
	Job       record.Binding `json:"job"`
	System    record.System  `json:"system"` // that refused it, or that shows it so
	Record    record.Ref     `json:"record"`
	Kind      string         `json:"kind"` // "refused" or "unreadable"
	Op        string         `json:"op,omitempty"`
	Fields    []string       `json:"fields,omitempty"`
	Why       string         `json:"why"`
	Times     int            `json:"times,omitempty"`
	Since     instant        `json:"since"`
	Last      instant        `json:"last"`
	Next      instant        `json:"next,omitempty"` // when it is asked for again; missing: not by itself
	Dismissed bool           `json:"dismissed,omitempty"`

	place   record.Place
	link    record.LinkID
	entry   int64
	from    int64
	refusal *engine.Refusal
}

// asides is everything that was put aside, job by job.
func asides(ctx context.Context, s *state.Store, cfg *config.Config) ([]asideJSON, error) {
	var out []asideJSON
	for i := range cfg.Jobs {
		b := record.Binding(cfg.Jobs[i].Name)
		refused, err := refusedOf(ctx, s, cfg, b)
		if err != nil {
			return nil, err
		}
		unread, err := unreadOf(ctx, s, cfg, b)
		if err != nil {
			return nil, err
		}
		out = append(out, slices.Concat(refused, unread)...)
	}
	return out, nil
}

func refusedOf(ctx context.Context, s *state.Store, cfg *config.Config, b record.Binding) ([]asideJSON, error) {
	journal, err := s.Refusals(ctx, b)
	if err != nil {
		return nil, err
	}
	forgiven, err := s.Forgiven(ctx, b)
	if err != nil {
		return nil, err
	}
	var out []asideJSON
	for _, f := range engine.Refused(journal, forgiven, record.Fields.Digest) {
		x := asideJSON{
			Job: b, System: systemsOf(cfg, b)[f.Side], Record: f.Ref, Kind: "refused", Op: f.Op.String(), Fields: f.Paths, Why: f.Text,
			Times: f.Fails, Since: timeJSON(f.Since), Last: timeJSON(f.Last), Dismissed: f.Dismissed,
			place: record.Place{Binding: b, Side: f.Side}, link: f.Link, from: f.From, refusal: f,
		}
		if at, again := f.Next(); again {
			x.Next = timeJSON(at)
		}
		if err := x.locate(ctx, s); err != nil {
			return nil, err
		}
		out = slices.DeleteFunc(out, func(o asideJSON) bool { return o.ID == x.ID }) // the last no is what counts
		out = append(out, x)
	}
	return out, nil
}

// locate names a refusal by the entry that it is about.
func (x *asideJSON) locate(ctx context.Context, s *state.Store) error {
	x.entry = x.from
	if x.link != 0 {
		pair, ok, err := s.Pair(ctx, x.link)
		if err != nil || !ok {
			return err
		}
		x.entry = pair.Sides[x.place.Side].Num
	} else if e, ok, err := s.EntryNum(ctx, x.from); err != nil {
		return err
	} else if ok {
		x.Record = e.Ref
	}
	x.ID = strconv.FormatInt(x.entry, 10)
	return nil
}

func unreadOf(ctx context.Context, s *state.Store, cfg *config.Config, b record.Binding) ([]asideJSON, error) {
	items, err := s.Unreadable(ctx, b)
	if err != nil {
		return nil, err
	}
	var out []asideJSON
	for _, u := range items {
		x := asideJSON{
			ID: strconv.FormatInt(u.Entry, 10), Job: b, System: systemsOf(cfg, b)[u.Place.Side], Record: u.Ref, Kind: "unreadable",
			Why: u.Problem, Since: timeJSON(u.Since), Last: timeJSON(u.At), place: u.Place, entry: u.Entry,
		}
		if u.Entry == 0 {
			x.ID, x.Record.ID = strings.TrimPrefix(u.Name, "digest:")[:8], u.Name
		}
		out = append(out, x)
	}
	undecided, err := undecidedOf(ctx, s, cfg, b)
	return append(out, undecided...), err
}

// undecidedOf is the new records that are not made across, because a field that decides about them can't be read.
func undecidedOf(ctx context.Context, s *state.Store, cfg *config.Config, b record.Binding) ([]asideJSON, error) {
	found, err := s.Findings(ctx, b)
	if err != nil {
		return nil, err
	}
	var out []asideJSON
	for _, f := range found {
		if f.Name != record.FindUndecided {
			continue
		}
		out = append(out, asideJSON{
			ID: strconv.FormatInt(f.Entry, 10), Job: b, System: systemsOf(cfg, b)[f.Place.Side], Record: f.Ref, Kind: "unreadable",
			Why: fmt.Sprintf("its %s can't be read: %s", f.About, f.Text), Since: timeJSON(f.Since), Last: timeJSON(f.Since),
			place: record.Place{Binding: b, Side: f.Place.Side}, entry: f.Entry,
		})
	}
	return out, nil
}

func (c *cli) listQuarantine(ctx context.Context, all bool) error {
	cfg, s, err := c.look(ctx)
	if err != nil {
		return err
	}
	out := []asideJSON{}
	if s != nil {
		defer s.Close()
		if out, err = asides(ctx, s, cfg); err != nil {
			return err
		}
	}
	if !all {
		out = slices.DeleteFunc(out, func(x asideJSON) bool { return x.Dismissed })
	}
	if c.json {
		return c.printJSON(out)
	}
	if len(out) == 0 {
		err := tell(c.out, "nothing is in quarantine\n")
		return err
	}
	var rows [][]string
	for _, x := range out {
		rows = append(rows, []string{x.ID, string(x.Job), fmt.Sprintf("%s %s", x.System, x.about()), x.Why, x.next()})
	}
	tableOf(c.out, []string{"id", "job", "record", "why", "asked again"}, rows)
	return nil
}

// about names the record, and what was asked for it.
func (x asideJSON) about() string {
	switch {
	case x.Kind == "unreadable":
		return x.Record.String()
	case x.from != 0:
		return "create for " + x.Record.String()
	}
	return fmt.Sprintf("%s of %s", strings.Join(x.Fields, ", "), x.Record)
}

// next is when it is looked at again.
func (x asideJSON) next() string {
	switch {
	case x.Dismissed:
		return "dismissed"
	case x.Kind == "unreadable":
		return "by each list"
	case x.Next == "":
		return "not by itself"
	}
	at, _ := x.refusal.Next()
	return moment(at)
}

func (c *cli) showQuarantine(ctx context.Context, id string) error {
	cfg, s, err := c.look(ctx)
	if err != nil {
		return err
	}
	x, err := asideOf(ctx, s, cfg, id)
	if s != nil {
		defer s.Close()
	}
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(x)
	}
	show(c.out, "%s, job %s, %s: %s\n", x.ID, x.Job, x.System, x.about())
	show(c.out, "  why:    %s\n  since:  %s\n  last:   %s\n", x.Why, x.Since, x.Last)
	if x.Kind == "refused" {
		show(c.out, "  asked:  %s, next: %s\n", count(x.Times, "time", "times"), x.next())
	}
	show(c.out, "  mend it where it comes from, or: nightporter quarantine retry %s | dismiss %s\n", x.ID, x.ID)
	return nil
}

func asideOf(ctx context.Context, s *state.Store, cfg *config.Config, id string) (asideJSON, error) {
	if s != nil {
		all, err := asides(ctx, s, cfg)
		if err != nil {
			return asideJSON{}, err
		}
		if i := slices.IndexFunc(all, func(x asideJSON) bool { return x.ID == id }); i >= 0 {
			return all[i], nil
		}
	}
	return asideJSON{}, usageError{fmt.Errorf("nothing of the id %q is in quarantine: nightporter quarantine lists what is", id)}
}

// settleQuarantine does what a person says about one.
func (c *cli) settleQuarantine(ctx context.Context, id string, dismiss bool) (err error) {
	cfg, s, err := c.decide(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	x, err := asideOf(ctx, s, cfg, id)
	if err != nil {
		return err
	}
	now, words := time.Now(), "it is asked for once more by the next run"
	switch {
	case x.Kind == "unreadable" && dismiss:
		return usageError{fmt.Errorf("%s of %s can't be read, and what it holds is not known: mend it there, and it is gone from here by the next list", x.Record, x.System)}
	case x.Kind == "unreadable" && x.entry == 0:
		return usageError{fmt.Errorf("the item has no id by which %s could be asked for it: it is read again with each list", x.System)}
	case x.Kind == "unreadable":
		err, words = s.ReadAgain(ctx, x.Job, x.entry, now), "it is read by its id by the next run"
	case dismiss:
		f := record.Forgiven{Side: x.place.Side, Link: x.link, From: x.from, Dismissed: now, By: caller()}
		err, words = s.Forgive(ctx, x.Job, f), "you hear no more of it until its value changes"
	default:
		f := record.Forgiven{Side: x.place.Side, Link: x.link, From: x.from, At: now, By: caller()}
		if err = s.Forgive(ctx, x.Job, f); err == nil {
			err = hintAt(ctx, s, x.Job, x.entry)
		}
	}
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(x)
	}
	err = tell(c.out, "%s: %s\n", x.ID, words)
	return err
}

// hintAt has a service look at a record at once.
func hintAt(ctx context.Context, s *state.Store, b record.Binding, entry int64) error {
	e, ok, err := s.EntryNum(ctx, entry)
	if err != nil || !ok {
		return err
	}
	if _, err = s.Hint(ctx, []record.Hint{{Place: record.Place{Binding: b, Side: e.Place.Side}, Ref: e.Ref, At: time.Now()}}); err != nil {
		return err
	}
	if there, err := served(ctx, s); err != nil || !there {
		return err
	}
	return serve.Wake(ctx, s, b, caller(), time.Now())
}
