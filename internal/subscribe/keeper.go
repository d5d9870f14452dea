package subscribe

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Store keeps what is known of subscriptions.
type Store interface {
	Subscriptions(ctx context.Context) (map[record.System]record.Subscription, error)
	KeepSubscription(ctx context.Context, s record.Subscription) error
	ForgetSubscription(ctx context.Context, system record.System) error
}

// Keeper keeps one subscription as it is declared. One at a time calls Check.
type Keeper struct {
	System record.System
	API    connectors.Subscriptions // nil: the system has none that is known
	Want   *Want                    // nil: none of ours is to be there
	Mark   string
	Store  Store
	Ring   *Ring
	Log    *slog.Logger
	Now    func() time.Time
	Step   func(name string) // told "before x" and "after x" around each request that changes something; nil: nobody
}

// Result is what a check came to. Unheard stays, check after check, until Heard.
type Result struct {
	record.Subscription
	// Done is the requests that changed something, by what they did: created, replaced,
	// changed, removed.
	Done map[string]int

	pending bool // a change that nobody answered may be made later than this
}

// Check looks whether the subscription is there as declared, and brings it there. An
// error says why that can't be known or done; what is kept says so as well.
func (k *Keeper) Check(ctx context.Context) (Result, error) {
	all, err := k.Store.Subscriptions(ctx)
	if err != nil {
		return Result{}, err
	}
	c := &checking{Keeper: k, Result: Result{Subscription: all[k.System], Done: map[string]int{}}}
	c.Subscription.System = k.System
	before := c.State
	err = c.check(ctx)
	c.Checked = k.Now()
	switch {
	case err == nil:
	case ctx.Err() != nil: // we end: that says nothing of the system
	case connectors.NotOffered(err):
		c.State, c.Why = record.NotOffered, err.Error()
	default:
		c.State, c.Why = record.Unsure, err.Error()
	}
	if k.Want == nil && err == nil {
		k.Ring.Put(k.System, nil)
		return c.Result, k.Store.ForgetSubscription(ctx, k.System)
	}
	c.told(ctx, before, err)
	return c.Result, errors.Join(err, c.keep(context.WithoutCancel(ctx)))
}

// Heard says that what the system may not have told was asked for after a check. Where
// nobody knows yet whether that check mended anything, it is to be asked for once more.
func (k *Keeper) Heard(ctx context.Context, res Result) error {
	if res.pending {
		return nil
	}
	all, err := k.Store.Subscriptions(ctx)
	if err != nil {
		return err
	}
	kept := all[k.System]
	if !kept.Unheard {
		return nil
	}
	kept.Unheard = false
	return k.Store.KeepSubscription(ctx, kept)
}

// told says once that the state is another one.
func (c *checking) told(ctx context.Context, before record.SubscriptionState, err error) {
	if c.State == before {
		return
	}
	log := c.Log.With("system", string(c.System))
	switch c.State {
	case record.Subscribed:
		log.InfoContext(ctx, "subscribed to webhooks", "subscription", c.ID)
	case record.NotOffered:
		log.WarnContext(ctx, "the system has no list of webhook subscriptions for us: lists are read by their cadence, and its webhooks come if somebody set them up there", "error", err)
	case record.Differs:
		log.WarnContext(ctx, "the system shows our webhook subscription otherwise than it is declared, also after it was mended", "subscription", c.ID, "why", c.Why)
	case record.Unsure:
		if errors.Is(err, connectors.ErrKeptBack) {
			log.InfoContext(ctx, "our webhook subscription is not mended now", "why", err)
			return
		}
		log.ErrorContext(ctx, "our webhook subscription can't be looked after", "error", err)
	}
}

// checking is one check on its way.
type checking struct {
	*Keeper
	Result
}

func (c *checking) check(ctx context.Context) error {
	if c.API == nil {
		return connectors.Wrong(connectors.Unsupported, "list webhook subscriptions", "the preset does not say how (webhooks.subscriptions)")
	}
	v, err := c.look(ctx)
	if err != nil || v.unmarked {
		return errors.Join(err, c.withdraw(ctx, v))
	}
	if v.moved && len(v.steps) > 0 {
		c.countMove()
	}
	for _, s := range v.steps {
		if err := c.do(ctx, s); err != nil {
			return err
		}
	}
	if len(v.steps) > 0 {
		if v, err = c.look(ctx); err != nil || v.unmarked {
			return errors.Join(err, c.withdraw(ctx, v))
		}
		c.Tried, c.TriedAt = v.tried, c.Now()
	}
	c.State, c.Why = record.Subscribed, ""
	switch {
	case v.wrong != "":
		c.State, c.Why = record.Differs, v.wrong
	default:
		c.Tried, c.TriedAt = "", time.Time{}
		if c.Want != nil {
			c.Address = c.Want.URL
		}
	}
	return nil
}

// look asks the system for its list, and says what is to be done.
func (c *checking) look(ctx context.Context) (verdict, error) {
	shown, err := c.API.List(ctx)
	if err != nil {
		return verdict{}, err
	}
	v := decide(c.Want, c.API.Means(), shown, c.Subscription, c.Mark, c.Now())
	c.Marked = c.Marked || v.marked
	return v, nil
}

// withdraw takes away the one that we made and that was never shown with our mark: at the
// next look it would pass for somebody else's, and another one would be made, and so on.
func (c *checking) withdraw(ctx context.Context, v verdict) error {
	if !v.unmarked {
		return nil
	}
	if err := c.remove(ctx, c.ID); err != nil {
		return err
	}
	c.ID = ""
	hint := "leave out webhooks.subscriptions.note in the preset, and it stands in the address"
	if !c.API.Means().Note {
		hint = "name a text of an entry that is shown as it was sent under webhooks.subscriptions.note in the preset"
	}
	return connectors.Wrong(connectors.Unsupported, "keep webhook subscription",
		"the list shows what we made without our mark, and it was taken away again: %s", hint)
}

// do makes one step.
func (c *checking) do(ctx context.Context, s step) error {
	log := c.Log.With("system", string(c.System), "why", s.why)
	switch s.do {
	case remove:
		if err := c.remove(ctx, s.id); err != nil {
			return err
		}
		log.InfoContext(ctx, "webhook subscription removed", "subscription", s.id)
		return nil
	case change:
		return c.change(ctx, s, log)
	case create, replace:
	}
	if s.why != rotation {
		c.Unheard = true // it is kept in one with the one that is made
	}
	err := c.create(ctx)
	if s.do == replace && connectors.ClassOf(err) == connectors.Exists {
		// No two have the same address there: the old one makes room first.
		if err = c.remove(ctx, s.id); err != nil {
			return err
		}
		c.Unheard = true
		err = c.create(ctx)
	}
	if err != nil {
		return err
	}
	c.note(s)
	log.InfoContext(ctx, "webhook subscription made", "subscription", c.ID)
	if s.do == replace {
		return c.remove(ctx, s.id)
	}
	return nil
}

// note counts what was made, by why.
func (c *checking) note(s step) {
	switch {
	case s.why == rotation:
		c.Rotated++
	case s.why != firstOne:
		c.mended(s.why)
	}
}

func (c *checking) mended(why string) {
	c.Repaired++
	c.Mended, c.MendedOf = c.Now(), why
}

// change brings one to what it should be. That the system may have told us nothing is kept
// before: whoever comes after a kill finds all right, and must know of it.
func (c *checking) change(ctx context.Context, s step, log *slog.Logger) error {
	before := c.Unheard
	c.Unheard = true
	if err := c.keep(ctx); err != nil {
		return err
	}
	sub := c.Want.asked()
	sub.ID = s.id
	err := c.request(ctx, "change subscription", func(ctx context.Context) error { return c.API.Change(ctx, sub) })
	if connectors.ClassOf(err) == connectors.Unsupported || connectors.ClassOf(err) == connectors.NotFound {
		// It is there, and it has no such request: another one takes its place.
		return c.do(ctx, step{replace, s.id, s.why})
	}
	if err != nil {
		c.pending = connectors.ClassOf(err) == connectors.Ambiguous
		c.Unheard = c.pending || before // what is refused mends nothing
		return err
	}
	c.Done["changed"]++
	c.mended(s.why)
	log.InfoContext(ctx, "webhook subscription mended", "subscription", s.id)
	return nil
}

func (c *checking) remove(ctx context.Context, id string) error {
	err := c.request(ctx, "remove subscription", func(ctx context.Context) error { return c.API.Remove(ctx, id) })
	if err == nil {
		c.Done["removed"]++
	}
	return err
}

// create makes one, and keeps its secret before it counts. What the system signs by it
// before that is kept waiting.
func (c *checking) create(ctx context.Context) error {
	sub := c.Want.asked()
	if c.API.Means().Takes {
		secret := make([]byte, 32)
		_, _ = rand.Read(secret) // it never fails
		sub.Secret = hex.EncodeToString(secret)
		c.sign("", sub.Secret)
		if err := c.keep(ctx); err != nil {
			return err
		}
	}
	over := c.Ring.expect(c.System)
	defer over()
	made := sub
	err := c.request(ctx, "create subscription", func(ctx context.Context) (err error) {
		made, err = c.API.Create(ctx, sub)
		return err
	})
	if err != nil {
		return err
	}
	if c.API.Means().Takes {
		made.Secret = sub.Secret
	}
	if secretly(c.API.Means()) && made.Secret == "" {
		if err := c.remove(ctx, made.ID); err != nil {
			return err
		}
		return connectors.Wrong(connectors.Malformed, "create webhook subscription",
			"the answer shows no secret, and it was taken away again: look at webhooks.subscriptions.secret in the preset")
	}
	c.ID, c.Since, c.Marked = made.ID, c.Now(), false
	c.Created++
	c.sign(made.ID, made.Secret)
	c.Done["created"]++
	return c.keep(context.WithoutCancel(ctx))
}

// sign puts a secret before the others, which count for as long as deliveries that were
// signed by them may be on their way. One that is only asked for takes the place of those
// that were asked for before it: the subscription that is there goes on signing by its own.
func (c *checking) sign(by, secret string) {
	if secret == "" {
		return
	}
	now := c.Now()
	signed := []record.Signed{{By: by, Secret: record.Secret(secret), Since: now}}
	for _, old := range c.Secrets {
		if string(old.Secret) == secret {
			continue
		}
		until := now.Add(c.Want.Overlap)
		if replaced := by != "" || old.By == ""; replaced && (old.Until.IsZero() || until.Before(old.Until)) {
			old.Until = until
		}
		if old.Counts(now) {
			signed = append(signed, old)
		}
	}
	c.Secrets = signed
}

// keep keeps what is known, without the secrets that count no more, and has receivers
// go by it.
func (c *checking) keep(ctx context.Context) error {
	var counting []record.Signed
	for _, one := range c.Secrets {
		if one.Counts(c.Now()) {
			counting = append(counting, one)
		}
	}
	c.Secrets = counting
	if err := c.Store.KeepSubscription(ctx, c.Subscription); err != nil {
		return fmt.Errorf("keep the webhook subscription of %s: %w", c.System, err)
	}
	c.Ring.Put(c.System, c.Secrets)
	return nil
}

// request makes one request that changes something.
func (c *checking) request(ctx context.Context, name string, send func(context.Context) error) error {
	if c.Step != nil {
		c.Step("before " + name)
		defer c.Step("after " + name)
	}
	return send(ctx)
}
