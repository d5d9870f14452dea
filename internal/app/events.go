package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"nightporter/internal/config"
	"nightporter/internal/outbox"
	"nightporter/internal/secret"
	"nightporter/internal/signature"
	"nightporter/sync/record"
)

// flushWithin is how long a command that made runs goes on telling of them.
const flushWithin = 20 * time.Second

// Events is whom a configuration wants told of what, and how. What is wrong with a
// template is an error, which names its line.
func Events(cfg *config.Config, install string) (outbox.Plan, error) {
	p := outbox.Plan{Rules: outbox.Rules{Install: install, Rooms: map[record.Binding]record.Side{}, Plain: map[record.Binding]bool{}}}
	for i := range cfg.Jobs {
		name := record.Binding(cfg.Jobs[i].Name)
		if b := booking(&cfg.Jobs[i]); b != nil {
			p.Rules.Rooms[name] = b.Authority
		}
		p.Rules.Plain[name] = cfg.Jobs[i].KeepValues == config.KeepPlain
	}
	for _, said := range cfg.Events {
		d, err := destinationOf(cfg, said)
		if err != nil {
			return p, err
		}
		p.Destinations = append(p.Destinations, d)
	}
	return p, nil
}

func destinationOf(cfg *config.Config, said config.Destination) (outbox.Destination, error) {
	d := outbox.Destination{
		Name: said.Name, Scheme: said.Signature, URL: func() (string, error) { return said.URL, nil },
		Topic: outbox.Topic{Fields: said.Fields}, Method: said.Method, Headers: said.Headers,
	}
	for _, t := range said.About {
		d.Topic.About = append(d.Topic.About, record.EventType(t))
	}
	for _, j := range said.Jobs {
		d.Topic.Jobs = append(d.Topic.Jobs, record.Binding(j))
	}
	var err error
	if said.Hidden {
		if d.URL, err = hiddenURL(said.URL); err != nil {
			return d, err
		}
	}
	if len(said.Secrets) > 0 {
		if d.Secrets, err = secretsOf(said.Secrets); err != nil {
			return d, err
		}
	}
	if said.Body == "" {
		return d, nil
	}
	if d.Body, err = outbox.ParseTemplate(said.Body); err == nil {
		err = d.Body.Check(d.Topic)
	}
	if err != nil {
		return d, errors.New(cfg.At(err.Error(), "events", said.Name, "body").String())
	}
	return d, nil
}

// hiddenURL reads an address where it is kept, anew each time.
func hiddenURL(text string) (func() (string, error), error) {
	ref, err := secret.Parse(text)
	if err != nil {
		return nil, err
	}
	return func() (string, error) {
		s, err := ref.Resolve()
		if err != nil {
			return "", err
		}
		if u, err := url.Parse(s); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return "", fmt.Errorf("read secret %s: it is no address such as https://hooks.example.com/abc", ref)
		}
		return s, nil
	}, nil
}

// checkEvents says which destinations can't work: templates that don't fit, secrets
// that can't sign, addresses in files that are none.
func checkEvents(cfg *config.Config) []Finding {
	var out []Finding
	wrong := func(name, key string, err error) {
		out = append(out, Finding{Where: name, Text: cfg.At(err.Error(), "events", name, key).String(), Wrong: true})
	}
	for _, said := range cfg.Events {
		d, err := destinationOf(cfg, said)
		if err != nil {
			out = append(out, Finding{Where: said.Name, Text: err.Error(), Wrong: true})
			continue
		}
		if _, err := d.URL(); err != nil {
			wrong(said.Name, "url", err)
		}
		if d.Secrets == nil {
			continue
		}
		secrets, _ := d.Secrets() // one that can't be had is found by CheckSecrets
		for _, one := range secrets {
			probe := signature.Request{Method: http.MethodPost, Header: http.Header{}}
			if err := d.Scheme.Sign(probe, "evt_0", []string{one}, time.Now()); err != nil {
				wrong(said.Name, "secret", err)
			}
		}
	}
	return out
}

// openEvents makes the outbox of the state file.
func (a *App) openEvents(ctx context.Context, o Options) error {
	install, err := a.Store.Install(ctx)
	if err != nil {
		return err
	}
	plan, err := Events(a.Config, install)
	if err != nil {
		return err
	}
	a.Outbox = outbox.New(a.Store, outbox.Options{Transport: o.Events, Log: a.log, Look: o.Look})
	return a.Outbox.Use(ctx, plan)
}

// Tell sends the events of what happened that can be sent soon; what can't waits for
// whoever runs jobs next.
func (a *App) Tell(ctx context.Context) {
	if a.Outbox == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, flushWithin)
	defer cancel()
	if err := a.Outbox.Flush(ctx); err != nil && ctx.Err() == nil {
		a.log.ErrorContext(ctx, "events can't be kept or read", "error", err)
	}
}
