package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/internal/outbox"
	"nightporter/state"
	"nightporter/sync/record"
)

func (c *cli) events() *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use: "events", Short: "List the events that others were not told yet, send them again, or try whether they arrive", Args: cobra.NoArgs,
		Long: `events lists what waits to be sent to the destinations of the configuration (events),
and what was given up: a destination that takes nothing in ten tries over three days, or
says that it is no more (410), has its events put there. resend sends them once more, under the
ids that they had, so that a receiver knows those that it has.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.listEvents(cmd.Context(), all) },
	}
	cmd.PersistentFlags().BoolVar(&all, "all", false, "also what was sent in the last week")
	cmd.AddCommand(&cobra.Command{
		Use: "list", Short: "List them", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.listEvents(cmd.Context(), all) },
	}, c.resend(), c.dropEvent(), &cobra.Command{
		Use: "test [DESTINATION]", Short: "Send each destination, or one, an event of type ping, now", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.testEvents(cmd.Context(), args) },
	})
	return cmd
}

func (c *cli) resend() *cobra.Command {
	var dead bool
	var to string
	cmd := &cobra.Command{
		Use: "resend [ID...]", Short: "Send events once more: by their ids, or all that were given up (--dead)",
		RunE: func(cmd *cobra.Command, args []string) error {
			if dead == (len(args) > 0) {
				return usageError{errors.New("name the ids of events, or say --dead for all that were given up")}
			}
			return c.resendEvents(cmd.Context(), args, to)
		},
	}
	cmd.Flags().BoolVar(&dead, "dead", false, "all that were given up")
	cmd.Flags().StringVar(&to, "to", "", "only to this destination")
	return cmd
}

func (c *cli) dropEvent() *cobra.Command {
	to := ""
	cmd := &cobra.Command{
		Use: "drop ID", Short: "Give an event up that waits, so that those behind it are sent at once", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.runDrop(cmd.Context(), args[0], to) },
	}
	cmd.Flags().StringVar(&to, "to", "", "only for this destination")
	return cmd
}

// destinationJSON is how events go to one destination.
type destinationJSON struct {
	Name    string  `json:"destination"`
	Waiting int     `json:"waiting"`
	Oldest  instant `json:"oldest,omitempty"` // since when the first of them waits
	Dead    int     `json:"dead"`
	Fails   int     `json:"failed_tries,omitempty"` // in a row
	Failing instant `json:"failing_since,omitempty"`
	Next    instant `json:"next_try,omitempty"`
	Error   string  `json:"error,omitempty"`
	Gone    instant `json:"gone,omitempty"` // when it answered that it is no more
	d       record.Destination
}

// eventJSON is one event on its way to one destination.
type eventJSON struct {
	ID          string            `json:"id"`
	Destination string            `json:"destination"`
	Type        record.EventType  `json:"type"`
	Job         record.Binding    `json:"job"`
	At          instant           `json:"at"`
	State       record.EventState `json:"state"`
	Tries       int               `json:"tries"`
	Error       string            `json:"error,omitempty"`
	at          time.Time
}

type eventsJSON struct {
	Destinations []destinationJSON `json:"destinations"`
	Events       []eventJSON       `json:"events"`
}

func destinationsOf(ctx context.Context, s *state.Store) ([]destinationJSON, error) {
	all, err := s.Destinations(ctx)
	out := []destinationJSON{}
	for _, d := range all {
		out = append(out, destinationJSON{
			Name: d.Name, Waiting: d.Waiting, Oldest: timeJSON(d.Oldest), Dead: d.Dead, Fails: d.Fails, Failing: timeJSON(d.Failing),
			Next: timeJSON(d.Next), Error: d.Error, Gone: timeJSON(d.Gone), d: d,
		})
	}
	return out, err
}

// String says how events go there, and what to do.
func (d destinationJSON) String() string {
	var parts []string
	switch {
	case d.Gone != "":
		parts = append(parts, fmt.Sprintf("it wanted no more at %s (410); give it another address, or nightporter events resend --dead --to %s", moment(d.d.Gone), d.Name))
	case d.Waiting > 0:
		parts = append(parts, fmt.Sprintf("%s since %s", count(d.Waiting, "waits", "wait"), moment(d.d.Oldest)))
	}
	if d.Fails > 0 && d.Gone == "" {
		parts = append(parts, fmt.Sprintf("%s since %s (%s), next at %s",
			count(d.Fails, "failed try", "failed tries"), moment(d.d.Failing), d.Error, moment(d.d.Next)))
	}
	if d.Dead > 0 && d.Gone == "" {
		parts = append(parts, fmt.Sprintf("%d given up: nightporter events resend --dead --to %s", d.Dead, d.Name))
	}
	if len(parts) == 0 {
		parts = []string{"all sent"}
	}
	return "events to " + d.Name + ": " + strings.Join(parts, "; ")
}

func (c *cli) listEvents(ctx context.Context, all bool) error {
	_, s, err := c.look(ctx)
	if err != nil {
		return err
	}
	out := eventsJSON{Destinations: []destinationJSON{}, Events: []eventJSON{}}
	if s != nil {
		defer s.Close()
		if out.Destinations, err = destinationsOf(ctx, s); err != nil {
			return err
		}
		found, err := s.Events(ctx, state.EventFilter{})
		if err != nil {
			return err
		}
		for _, e := range found {
			if all || e.State != record.EventSent {
				out.Events = append(out.Events, eventJSON{
					ID: e.ID, Destination: e.Destination, Type: e.Type, Job: e.Binding, At: timeJSON(e.At), State: e.State,
					Tries: e.Tries, Error: e.Error, at: e.At,
				})
			}
		}
	}
	if c.json {
		return c.printJSON(out)
	}
	for _, d := range out.Destinations {
		showln(c.out, d)
	}
	if len(out.Events) == 0 {
		if len(out.Destinations) == 0 {
			showln(c.out, "nobody is told: the configuration has no events, or nothing was run with it yet")
		}
		return nil
	}
	var rows [][]string
	for _, e := range out.Events {
		state := string(e.State)
		if e.Tries > 0 && e.State != record.EventSent {
			state += ", " + count(e.Tries, "try", "tries")
		}
		rows = append(rows, []string{e.ID, e.Destination, string(e.Type), string(e.Job), moment(e.at), state, e.Error})
	}
	tableOf(c.out, []string{"id", "destination", "type", "job", "happened", "state", "last answer"}, rows)
	return nil
}

func (c *cli) resendEvents(ctx context.Context, ids []string, to string) (err error) {
	_, s, err := c.decide(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	filters := []state.EventFilter{{State: record.EventDead, Destination: to}}
	if len(ids) > 0 {
		filters = nil
		for _, id := range ids {
			filters = append(filters, state.EventFilter{ID: id, Destination: to})
		}
	}
	total := int64(0)
	for _, f := range filters {
		n, err := s.Resend(ctx, f, time.Now())
		if err != nil {
			return err
		}
		if n == 0 && f.ID != "" {
			return usageError{fmt.Errorf("no event %s was sent or given up%s: nightporter events --all lists them", f.ID, toWhom(to))}
		}
		total += n
	}
	if total == 0 {
		err = tell(c.out, "nothing was given up%s\n", toWhom(to))
		return err
	}
	when, err := whenSent(ctx, s)
	if err != nil {
		return err
	}
	err = tell(c.out, "%s once more: %s\n", count(total, "event waits", "events wait"), when)
	return err
}

// whenSent says who sends events that are due, and when.
func whenSent(ctx context.Context, s *state.Store) (string, error) {
	h, err := runner(ctx, s)
	if err != nil || h == nil {
		return "serve sends them, or the next sync", err
	}
	return "they are sent now", nil
}

func toWhom(to string) string {
	if to == "" {
		return ""
	}
	return " for " + to
}

func (c *cli) runDrop(ctx context.Context, id, to string) (err error) {
	_, s, err := c.decide(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	found, err := s.Events(ctx, state.EventFilter{ID: id, Destination: to, State: record.EventWaiting})
	if err != nil {
		return err
	}
	dropped, waiting, why := 0, int64(0), "dropped"
	if who := caller(); who != "" {
		why += " by " + who
	}
	for _, e := range found {
		did, behind, err := s.DropEvent(ctx, e, why, time.Now())
		if err != nil {
			return err
		}
		if did {
			dropped++
			waiting += behind
		}
	}
	if dropped == 0 {
		return usageError{fmt.Errorf("no event %s waits%s: nightporter events lists those that do", id, toWhom(to))}
	}
	if waiting == 0 {
		err = tell(c.out, "%s: given up\n", id)
		return err
	}
	when, err := whenSent(ctx, s)
	if err != nil {
		return err
	}
	err = tell(c.out, "%s: given up; %s behind it: %s\n", id, count(waiting, "event waits", "events wait"), when)
	return err
}

// pingJSON is how a destination answered a ping.
type pingJSON struct {
	Destination string `json:"destination"`
	OK          bool   `json:"ok"`
	Status      int    `json:"status,omitempty"` // of HTTP
	MS          int64  `json:"ms"`
	Error       string `json:"error,omitempty"`
}

// errNotTaken ends a test of which an event did not arrive.
var errNotTaken = errors.New("a destination did not take the event")

func (c *cli) testEvents(ctx context.Context, args []string) error {
	cfg, err := c.load()
	if err != nil {
		return err
	}
	chosen, err := chosenDestinations(cfg, args)
	if err != nil {
		return err
	}
	out, failed := []pingJSON{}, false
	for _, d := range chosen {
		begun := time.Now()
		status, err := outbox.Ping(ctx, nil, d)
		p := pingJSON{Destination: d.Name, OK: err == nil, Status: status, MS: time.Since(begun).Milliseconds()}
		if err != nil {
			p.Error, failed = err.Error(), true
		}
		out = append(out, p)
		switch {
		case c.json:
		case err != nil:
			show(c.out, "%s: %s\n", d.Name, p.Error)
		default:
			show(c.out, "%s: took it (HTTP %d, %d ms)\n", d.Name, p.Status, p.MS)
		}
	}
	if c.json {
		if err := c.printJSON(out); err != nil {
			return err
		}
	}
	if failed {
		return errNotTaken
	}
	return nil
}

// chosenDestinations is those of the configuration, or the one that is named.
func chosenDestinations(cfg *config.Config, args []string) ([]outbox.Destination, error) {
	plan, err := app.Events(cfg, "")
	if err != nil {
		return nil, usageError{err}
	}
	if len(plan.Destinations) == 0 {
		return nil, usageError{fmt.Errorf("%s has no events: nobody is told anything", cfg.Path)}
	}
	if len(args) == 0 {
		return plan.Destinations, nil
	}
	var names []string
	for _, d := range plan.Destinations {
		if d.Name == args[0] {
			return []outbox.Destination{d}, nil
		}
		names = append(names, d.Name)
	}
	return nil, usageError{fmt.Errorf("there is no destination %q; there are: %s", args[0], strings.Join(names, ", "))}
}
