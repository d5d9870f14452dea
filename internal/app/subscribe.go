package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/rest"
	"nightporter/internal/config"
	"nightporter/internal/subscribe"
	"nightporter/internal/webhook"
	"nightporter/sync/record"
)

// Subscription is our subscription to the webhooks of a system, kept as it is declared.
type Subscription struct {
	subscribe.Keeper
	Every  time.Duration // it is looked at
	Places []record.Hint // what is to be read whole where the system may have told us nothing
}

// Subscriptions is those that the configuration declares, and those that it declares no
// more and that were kept before. Ring gets the secrets that are kept of them.
func (a *App) Subscriptions(ctx context.Context, ring *subscribe.Ring, step func(string)) ([]Subscription, error) {
	kept, err := a.Store.Subscriptions(ctx)
	if err != nil {
		return nil, err
	}
	var out []Subscription
	for _, sys := range a.Config.Systems {
		system := record.System(sys.Name)
		was, had := kept[system]
		declared := sys.Webhooks != nil && sys.Webhooks.Subscribe != nil
		if !declared && !had {
			continue
		}
		s := Subscription{Keeper: subscribe.Keeper{
			System: system, Mark: subscribe.MarkOf(a.Engine.Install, system), Store: a.Store, Ring: ring, Log: a.log, Now: time.Now, Step: step,
		}, Every: 10 * time.Minute}
		if conn, ok := a.conns[sys.Name].(connectors.Subscriber); ok {
			s.API = conn.Subscriptions()
		}
		if !declared {
			out = append(out, s)
			continue
		}
		source, err := sourceOf(a.Config, sys)
		if err != nil {
			return nil, err
		}
		s.Every, s.Places = sys.Webhooks.Subscribe.Check, wholeKinds(source.Places)
		s.Want = wantOf(sys.Webhooks, source, s.API, s.Mark)
		ring.Begin(system, was.Secrets)
		out = append(out, s)
	}
	return out, nil
}

// wantOf is a subscription as it is declared.
func wantOf(w *config.Webhooks, source webhook.Source, api connectors.Subscriptions, mark string) *subscribe.Want {
	s := w.Subscribe
	want := &subscribe.Want{URL: w.PublicURL, Events: s.Events, Mark: mark, Rotate: s.Rotate, Overlap: s.Overlap}
	if api == nil {
		return want
	}
	means := api.Means()
	if !means.Note {
		want.URL = subscribe.Marked(want.URL, mark)
	}
	if len(want.Events) == 0 {
		want.Events = waitedFor(means.Events, source)
	}
	return want
}

// waitedFor is those of a preset's events that are about a kind that a job waits for.
func waitedFor(events []string, source webhook.Source) []string {
	return slices.DeleteFunc(slices.Clone(events), func(name string) bool {
		resource := name
		if i := strings.IndexAny(name, "./:"); i > 0 {
			resource = name[:i]
		}
		return len(source.Places[source.Kinds[strings.ToLower(resource)]]) == 0
	})
}

// wholeKinds is a hint at each kind as a whole, for each job that waits for it.
func wholeKinds(places map[record.Kind][]record.Place) []record.Hint {
	var out []record.Hint
	for kind, all := range places {
		for _, p := range all {
			out = append(out, record.Hint{Place: p, Ref: record.Ref{Kind: kind}})
		}
	}
	return out
}

// checkSubscription says why a subscription that is declared can't work.
func checkSubscription(cfg *config.Config, sys config.System, preset rest.Webhooks, s webhook.Source) error {
	sub := sys.Webhooks.Subscribe
	if sub == nil {
		return nil
	}
	said := preset.Subscriptions
	switch {
	case said == nil:
		return lacks(cfg, sys, "subscribe", "the preset of %s does not say how a subscription is made (webhooks.subscriptions): add that under override, or set the webhook up at %s and delete this", sys.Name, sys.Name)
	case said.Secret == "" && said.SendSecret == "" && len(sys.Webhooks.Secrets) == 0:
		return lacks(cfg, sys, "secret", "missing: the preset of %s does not say where a subscription's secret is to be had", sys.Name)
	case len(sub.Events) == 0 && len(waitedFor(said.AskFor, s)) == 0:
		return lacks(cfg, sys, "subscribe", "no event of the preset of %s is about a kind that a job waits for: name the events, or add webhook to the job's when", sys.Name)
	}
	return nil
}

// lookAtSubscriptions says what serve will meet where it subscribes to a system's
// webhooks. It reads alone.
func (a *App) lookAtSubscriptions(ctx context.Context, sys config.System) []Finding {
	conn, ok := a.conns[sys.Name].(connectors.Subscriber)
	if !ok || sys.Webhooks == nil || sys.Webhooks.Subscribe == nil || conn.Subscriptions() == nil {
		return nil // the check of the file says what is wrong with that
	}
	all, err := conn.Subscriptions().List(ctx)
	switch {
	case connectors.NotOffered(err):
		return []Finding{{Where: sys.Name, Text: fmt.Sprintf(
			"webhooks.subscribe: it offers no list of webhook subscriptions to this key: lists are read by their cadence (%s); set the webhook up there by hand, and name its secret", err)}}
	case err != nil:
		return []Finding{{Where: sys.Name, Text: "webhooks.subscribe: " + err.Error(), Wrong: true}}
	}
	same := 0
	for _, s := range all {
		if s.URL == sys.Webhooks.PublicURL && !strings.Contains(s.Note, "np:") {
			same++
		}
	}
	if same == 0 {
		return nil
	}
	return []Finding{{Where: sys.Name, Text: fmt.Sprintf(
		"webhooks.subscribe: subscriptions with our address and without our mark are there (%d): they are left as they are, and what they send is refused unless their secret is named under webhooks.secret", same)}}
}

// Polled is the sides of jobs whose systems call us: what lists find there before a
// webhook told of it is counted.
func Polled(sources []webhook.Source) []record.Place {
	var out []record.Place
	for _, s := range sources {
		for _, places := range s.Places {
			out = append(out, places...)
		}
	}
	return out
}

// Signing is a source whose deliveries are also believed where they are signed by a
// secret of a ring.
func Signing(s webhook.Source, ring *subscribe.Ring) webhook.Source {
	own := s.Secrets
	s.Secrets = func() ([]string, error) {
		secrets, coming := ring.Secrets(s.System, time.Now())
		more, err := own()
		if coming != nil {
			err = errors.Join(err, &webhook.ComingError{Done: coming})
		}
		return append(secrets, more...), err
	}
	return s
}

// errPaused is why nothing is changed at a system.
var errPaused = errors.New("writes are paused")

// Unpaused is nil unless a pause keeps a system from being written to.
func (a *App) Unpaused(ctx context.Context, system record.System) error {
	pauses, err := a.Store.Paused(ctx, time.Now())
	if err != nil {
		return err
	}
	for _, p := range pauses {
		if p.Scope != record.PauseJob && p.Stops("", system) {
			return fmt.Errorf("%w: nightporter resume lets them go on", errPaused)
		}
	}
	return nil
}
