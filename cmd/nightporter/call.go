package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nightporter/internal/config"
	"nightporter/internal/requests"
	"nightporter/internal/serve"
	"nightporter/state"
	"nightporter/sync/record"
)

// callFlags are those of call.
type callFlags struct {
	text, by, system, event string
	list                    bool
	most                    int
}

func (c *cli) call() *cobra.Command {
	var f callFlags
	cmd := &cobra.Command{
		Use: "call NUMBER", Short: "Ask for a call to be placed, or list those that were asked for", Args: cobra.MaximumNArgs(1),
		Long: `call notes that somebody is to be called. The job that brings such requests to the platform
places the call: at once where a service runs, else in its next run. What the job holds
back (hours, a cap, numbers that are never called) holds here too. Of a call of which
nobody knows whether it was placed another is never placed unless its history proves that.`,
		Example: `  nightporter call "+39 055 0000001" --text "your table is ready"
  nightporter call --list`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.runCall(cmd.Context(), args, f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.text, "text", "", "what is to be said")
	fl.StringVar(&f.by, "by", "", "who asks, instead of the user of this machine")
	fl.StringVar(&f.system, "system", "", "the system of type requests, where there are several")
	fl.StringVar(&f.event, "id", "", "an id of your own: the same id again asks for no second call")
	fl.BoolVar(&f.list, "list", false, "list what was asked for, the last first")
	fl.IntVar(&f.most, "most", 20, "how many are listed")
	return cmd
}

func (c *cli) runCall(ctx context.Context, args []string, f callFlags) (err error) {
	if f.list == (len(args) == 1) {
		return usageError{errors.New("name the number to call, or --list")}
	}
	cfg, err := c.load()
	if err != nil {
		return err
	}
	sys, err := requestSystem(cfg, f.system)
	if err != nil {
		return usageError{err}
	}
	r, err := requests.Open(ctx, sys.SQL.Address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if f.list {
		return c.listCalls(ctx, cfg, sys, r, f.most)
	}
	by := f.by
	if by == "" {
		by = caller()
	}
	now := time.Now()
	id, known, err := r.Add(ctx, requests.Call{Number: args[0], Text: f.text, By: by, At: now}, f.event)
	if errors.Is(err, requests.ErrNumber) || errors.Is(err, requests.ErrOther) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	return c.sayAsked(ctx, cfg, sys, id, known, now)
}

// requestSystem is the system that calls are asked for in.
func requestSystem(cfg *config.Config, name string) (config.System, error) {
	var found []config.System
	var names []string
	for _, s := range cfg.Systems {
		if s.Type != config.TypeRequests {
			continue
		}
		names = append(names, s.Name)
		if name == "" || s.Name == name {
			found = append(found, s)
		}
	}
	switch {
	case len(names) == 0:
		return config.System{}, fmt.Errorf("%s has no system of type: requests, in which calls are asked for: add one under systems, and a job between it and the platform (docs/outbound.md has both)", cfg.Path)
	case len(found) != 1:
		return config.System{}, fmt.Errorf("name one of %s with --system", strings.Join(names, ", "))
	}
	return found[0], nil
}

// sayAsked has a service take the request up, and says what follows.
func (c *cli) sayAsked(ctx context.Context, cfg *config.Config, sys config.System, id string, known bool, now time.Time) (err error) {
	_, s, err := c.decide(ctx)
	if err != nil {
		return fmt.Errorf("the call is noted as %s; a service could not be told: %w", id, err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	places := askedPlaces(cfg, sys)
	holder, err := runner(ctx, s)
	if err != nil {
		return err
	}
	for _, p := range places {
		if holder == nil || known {
			break
		}
		w := serve.Wish{Yes: false, Only: []record.Ref{{Kind: config.RequestKind, ID: id}}, OnlySide: p.Side}
		if _, err := serve.Ask(ctx, s, p.Binding, w, caller(), now); err != nil {
			return fmt.Errorf("the call is noted as %s; the service could not be told: %w", id, err)
		}
	}
	if c.json {
		return c.printJSON(map[string]any{"id": id, "known": known})
	}
	switch {
	case known:
		c.say("asked for before, as %s: nothing was added", id)
	case len(places) == 0:
		c.say("noted as %s; no job takes it to a platform: add one between %s and it", id, sys.Name)
	case holder == nil:
		c.say("noted as %s; it is placed by the next run: nightporter sync %s", id, places[0].Binding)
	default:
		c.say("noted as %s; the service takes it up now. What comes of it: nightporter call --list", id)
	}
	return nil
}

// askedPlaces is where jobs take up what is asked for.
func askedPlaces(cfg *config.Config, sys config.System) (out []record.Place) {
	for _, j := range cfg.Jobs {
		for side, js := range [2]config.JobSide{j.Left, j.Right} {
			if js.System == sys.Name && js.Kind == config.RequestKind {
				out = append(out, record.Place{Binding: record.Binding(j.Name), Side: record.Side(side)})
			}
		}
	}
	return out
}

// listedCall is a request with where it stands.
type listedCall struct {
	requests.Call
	Stands string `json:"stands"`
}

func (c *cli) listCalls(ctx context.Context, cfg *config.Config, sys config.System, r *requests.Store, most int) (err error) {
	calls, err := r.List(ctx, most)
	if err != nil {
		return err
	}
	_, s, err := c.decide(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	open, err := openCalls(ctx, s, askedPlaces(cfg, sys))
	if err != nil {
		return err
	}
	out := make([]listedCall, 0, len(calls))
	for _, one := range calls {
		stands, err := standing(ctx, s, askedPlaces(cfg, sys), open, one)
		if err != nil {
			return err
		}
		out = append(out, listedCall{one, stands})
	}
	if c.json {
		return c.printJSON(out)
	}
	for _, one := range out {
		show(c.out, "%s  %s  %s\n    %s\n", moment(one.At), one.ID, one.Number, one.Stands)
	}
	if len(out) == 0 {
		c.say("no call was asked for yet")
	}
	return nil
}

// openCalls is the creates of which nobody knows what became, by the entry they are of.
func openCalls(ctx context.Context, s *state.Store, places []record.Place) (map[int64]record.Intent, error) {
	out := map[int64]record.Intent{}
	for _, p := range places {
		lost, err := s.Lost(ctx, p.Binding)
		if err != nil {
			return nil, err
		}
		sent, err := s.Unsettled(ctx, p.Binding)
		if err != nil {
			return nil, err
		}
		for _, in := range append(lost, sent...) {
			out[in.From] = in
		}
	}
	return out, nil
}

// standing says where a request stands.
func standing(ctx context.Context, s *state.Store, places []record.Place, open map[int64]record.Intent, one requests.Call) (string, error) {
	if one.CallID != "" {
		what := strings.Join(strings.Fields(strings.Join([]string{one.Status, one.Outcome}, " ")), ", ")
		text := fmt.Sprintf("placed as %s: %s", one.CallID, what)
		if one.Seconds > 0 {
			text += fmt.Sprintf(", %d s", one.Seconds)
		}
		if one.Summary != "" {
			text += ": " + one.Summary
		}
		return text, nil
	}
	for _, p := range places {
		e, ok, err := s.Entry(ctx, p, record.Ref{Kind: config.RequestKind, ID: one.ID})
		if err != nil {
			return "", err
		}
		in, unknown := open[e.Num]
		switch {
		case !ok:
		case unknown && in.State == record.Lost:
			return "held: nobody knows whether it was placed: " + in.Error, nil
		case unknown:
			return "asked of the platform, and not known yet whether it was placed", nil
		case e.Link != 0:
			return "placed; what came of it is not here yet", nil
		case e.State != record.InStep:
			return stateWords(e.State) + ": " + e.Why, nil
		}
	}
	return "waits for the next run", nil
}
