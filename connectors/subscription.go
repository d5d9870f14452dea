package connectors

import "context"

// Subscriber is implemented by connectors whose system can be told where it shall send
// its webhooks.
type Subscriber interface {
	// Subscriptions is the system's own list of whom it tells what changes; nil where
	// the connector was not told how it is read.
	Subscriptions() Subscriptions
}

// Subscriptions is a system's own list of whom it tells what changes. It holds those of
// others as well: whoever changes or removes one must know it for their own.
//
// A system that has no such list answers with an error for which NotOffered holds.
type Subscriptions interface {
	// Means says how the system's subscriptions are made. It makes no request.
	Means() SubscriptionMeans
	// List is all of them, or an error: a part of the list is none.
	List(ctx context.Context) ([]Subscription, error)
	// Create makes one, by one request that is never repeated. After an error of the
	// class Ambiguous nobody knows whether it is there.
	Create(ctx context.Context, s Subscription) (Subscription, error)
	// Change gives the one with the id of s its address, events and note, and turns it on.
	Change(ctx context.Context, s Subscription) error
	// Remove takes one away. One that is not there any more is no error.
	Remove(ctx context.Context, id string) error
}

// SubscriptionMeans is how a system's subscriptions are made, as data.
type SubscriptionMeans struct {
	Note   bool // they have a text for people, in which a mark can stand
	Shows  bool // the answer to a create shows the secret that deliveries are signed with, and nothing else does
	Takes  bool // the secret is sent with the create
	Change bool // one can be changed
	// Events are those that are asked for where nobody names some.
	Events []string
}

// Subscription is somebody whom a system tells what changes.
type Subscription struct {
	ID     string
	URL    string
	Events []string // nil where the list shows none
	Note   string   // "" where there is no place for one
	Off    bool     // nothing is sent
	Secret string   // shown by the answer to a create alone; never in an error or a log
}

// NotOffered reports whether an error says that a system has no list of subscriptions,
// or none for our key: it is not going to be there by itself.
func NotOffered(err error) bool {
	e, ok := asError(err)
	if !ok {
		return false
	}
	switch e.Class { //nolint:exhaustive // the others may go by
	case Unsupported, Forbidden, NotFound:
		return true
	case Malformed:
		return e.Status == 404 || e.Status == 410
	}
	return false
}
