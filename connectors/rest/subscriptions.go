package rest

import (
	"context"
	"slices"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Subscriptions is the system's own list of whom it sends webhooks to. API is how it is
// listed and how its entries are made, changed and removed, like a kind of record; the
// rest are paths in an entry.
type Subscriptions struct {
	API        Kind     `yaml:"api"`
	URL        string   `yaml:"url"`         // the address that is called
	Events     string   `yaml:"events"`      // a list of texts
	Note       string   `yaml:"note"`        // a text for people, in which our mark stands; empty: it stands in the address
	Enabled    string   `yaml:"enabled"`     // a truth value, or a word
	On         string   `yaml:"on"`          // the word that means: it is sent to; default true
	Secret     string   `yaml:"secret"`      // in the answer to a create: what deliveries are signed with
	SendSecret string   `yaml:"send_secret"` // where a create says what deliveries are to be signed with
	AskFor     []string `yaml:"ask_for"`     // events, where the configuration names none
}

// subscriptions is a Subscriptions made ready.
type subscriptions struct {
	Subscriptions
	kind *kind
}

// subscriptionKind is what errors call an entry of the list.
const subscriptionKind = "webhook subscription"

func (c *checker) subscriptions(p *Subscriptions, ok flag) *subscriptions {
	if p == nil {
		return nil
	}
	s := &subscriptions{Subscriptions: *p}
	s.On = first(s.On, "true")
	c.at = "webhooks.subscriptions.api."
	s.kind = c.kind(subscriptionKind, p.API, ok, nil)
	if p.API.Create == nil {
		c.wrong("create is missing: without it no subscription can be made")
	}
	if p.API.Delete.Path == "" {
		c.wrong("delete is missing: one whose secret was lost must be taken away")
	}
	c.at = "webhooks.subscriptions."
	if p.URL == "" {
		c.wrong("url is missing: where in an entry does the address stand?")
	}
	if p.Secret != "" && p.SendSecret != "" {
		c.wrong("secret and send_secret exclude each other: either the system makes the secret, or we do")
	}
	for key, path := range map[string]string{
		"url": p.URL, "events": p.Events, "note": p.Note, "enabled": p.Enabled, "send_secret": p.SendSecret,
	} {
		c.sent(key, path, "")
	}
	c.path("secret", p.Secret, "")
	return s
}

// Subscriptions is the API's list of whom it sends webhooks to.
func (c *Conn) Subscriptions() connectors.Subscriptions {
	if c.api.subs == nil {
		return nil
	}
	return subscribed{c, c.api.subs}
}

var _ connectors.Subscriber = (*Conn)(nil)

// subscribed is the list of a connection.
type subscribed struct {
	c *Conn
	s *subscriptions
}

// Means says what the preset says.
func (l subscribed) Means() connectors.SubscriptionMeans {
	return connectors.SubscriptionMeans{
		Note: l.s.Note != "", Shows: l.s.Secret != "", Takes: l.s.SendSecret != "", Change: l.s.kind.Update != nil,
		Events: slices.Clone(l.s.AskFor),
	}
}

// mostSubscriptionPages ends a list that doesn't.
const mostSubscriptionPages = 100

// List reads all pages.
func (l subscribed) List(ctx context.Context) ([]connectors.Subscription, error) {
	const op = "list " + subscriptionKind + "s"
	var out []connectors.Subscription
	var after record.Cursor
	for range mostSubscriptionPages {
		page, err := l.c.fetch(ctx, l.s.kind, op, connectors.Query{Kind: subscriptionKind}, after)
		if err != nil {
			return nil, err
		}
		if page.Flaw != "" {
			return nil, connectors.Wrong(connectors.Malformed, op, "the list is not whole: %s", page.Flaw)
		}
		for _, item := range page.Items {
			rec, err := page.Read(item)
			if err != nil {
				return nil, err
			}
			if rec.Ref.ID == "" {
				return nil, connectors.Wrong(connectors.Malformed, op, "an entry shows no id at %q", l.s.kind.id)
			}
			out = append(out, l.s.read(rec))
		}
		if page.End {
			return out, nil
		}
		after = page.Next
	}
	return nil, connectors.Wrong(connectors.Malformed, op, "the list has more than %d pages", mostSubscriptionPages)
}

// read is an entry as the list shows it; a secret in it is passed over.
func (s *subscriptions) read(rec record.Record) connectors.Subscription {
	out := connectors.Subscription{ID: rec.Ref.ID, URL: rec.Fields[s.URL].Text(), Note: rec.Fields[s.Note].Text()}
	if events := rec.Fields[s.Events]; s.Events != "" && events.Observed() {
		out.Events = []string{}
		for _, v := range events.List() {
			out.Events = append(out.Events, v.Text())
		}
	}
	if on := rec.Fields[s.Enabled]; s.Enabled != "" && on.Observed() && !on.Empty() {
		out.Off = on.String() != s.On
	}
	return out
}

// fields is what is written of an entry.
func (s *subscriptions) fields(sub connectors.Subscription) record.Fields {
	f := record.Fields{s.URL: record.OfText(sub.URL)}
	if s.Events != "" {
		var events []record.Value
		for _, e := range sub.Events {
			events = append(events, record.OfText(e))
		}
		f[s.Events] = record.OfList(events...)
	}
	if s.Note != "" {
		f[s.Note] = record.OfText(sub.Note)
	}
	return f
}

// Create makes an entry.
func (l subscribed) Create(ctx context.Context, sub connectors.Subscription) (connectors.Subscription, error) {
	f := l.s.fields(sub)
	if l.s.SendSecret != "" {
		f[l.s.SendSecret] = record.OfText(sub.Secret)
	}
	rec, err := l.write(record.Create, "", f).create(ctx)
	if err != nil {
		return connectors.Subscription{}, err
	}
	sub.ID = rec.Ref.ID
	if l.s.Secret != "" {
		sub.Secret = rec.Fields[l.s.Secret].Text()
	}
	return sub, nil
}

// Change brings an entry to what it should be.
func (l subscribed) Change(ctx context.Context, sub connectors.Subscription) error {
	f := l.s.fields(sub)
	if l.s.Enabled != "" {
		f[l.s.Enabled] = record.OfText(l.s.On)
		if l.s.On == "true" || l.s.On == "false" {
			f[l.s.Enabled] = record.OfBool(l.s.On == "true")
		}
	}
	_, err := l.write(record.Update, sub.ID, f).update(ctx)
	return err
}

// Remove takes an entry away.
func (l subscribed) Remove(ctx context.Context, id string) error {
	_, err := l.write(record.Delete, id, nil).remove(ctx)
	if connectors.ClassOf(err) == connectors.NotFound {
		return nil
	}
	return err
}

func (l subscribed) write(op record.Op, id string, f record.Fields) *writing {
	ch := record.Change{Op: op, Ref: record.Ref{Kind: subscriptionKind, ID: id}, Fields: f}
	return &writing{c: l.c, k: l.s.kind, op: op.String() + " " + subscriptionKind, ch: ch}
}
