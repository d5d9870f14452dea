package outbox

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"sync"
	"time"

	"nightporter/sync/record"
)

// Store is what an Outbox keeps.
type Store interface {
	SetDestinations(ctx context.Context, ds []record.Destination, now time.Time) error
	Happened(ctx context.Context, n int) ([]record.Happening, error)
	Failing(ctx context.Context) (map[record.Binding]*record.Failing, error)
	Tell(ctx context.Context, t record.Told, now time.Time) error
	Expecting(ctx context.Context) ([]record.Destination, error)
	NextEvent(ctx context.Context, destination string, now time.Time) (record.Event, bool, error)
	EventSent(ctx context.Context, e record.Event, now time.Time) error
	EventFailed(ctx context.Context, e record.Event, why string, next, dead, now time.Time) (int64, error)
	EventHeldBack(ctx context.Context, e record.Event, why string, until, now time.Time) (int64, error)
	EventRefused(ctx context.Context, e record.Event, why string, now time.Time) (int64, error)
	GiveUpEvent(ctx context.Context, num int64, why string, now time.Time) (bool, error)
	DestinationGone(ctx context.Context, name, address, why string, now time.Time) (int64, error)
	AwayDestinations(ctx context.Context) ([]record.Destination, error)
	DestinationMoved(ctx context.Context, name, address string) error
}

// atOnce is how many happenings events are made of in one transaction; look is how
// often what waits is looked at, where nobody says otherwise.
const (
	atOnce = 200
	look   = time.Second
)

// Plan is a configuration of events.
type Plan struct {
	Rules        Rules // Topics are the destinations' own
	Destinations []Destination
}

// Outbox makes events of what happened and sends them. There is one for a state file.
type Outbox struct {
	store  Store
	client *http.Client
	log    *slog.Logger
	look   time.Duration
	kicked chan struct{}

	telling sync.Mutex // one makes events at a time
	mu      sync.Mutex
	rules   Rules
	places  map[string]Destination
	busy    map[string]bool      // destinations to which somebody sends
	rests   map[string]time.Time // until when a destination is left alone because what became of a try can't be kept
	counts  map[string]Counts
}

// Counts is what became of events since the start: tries that were taken and that were
// not, and events that were given up.
type Counts struct{ Sent, Failed, Dead int64 }

// Options is what the surroundings decide.
type Options struct {
	Transport http.RoundTripper // nil: the network
	Log       *slog.Logger
	// Look is how often what waits is looked at; 0 is each second.
	Look time.Duration
}

// New is an Outbox that sends to nobody yet.
func New(s Store, o Options) *Outbox {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Outbox{
		store: s, client: newClient(o.Transport), log: o.Log, look: cmp.Or(o.Look, look), kicked: make(chan struct{}, 1), busy: map[string]bool{}, rests: map[string]time.Time{}, counts: map[string]Counts{},
	}
}

// Use puts a plan in force. What was noted of a destination stays if its address does,
// or can't be read now; what waits for one that is not there any more is dead.
func (o *Outbox) Use(ctx context.Context, p Plan) error {
	rules, places := p.Rules, map[string]Destination{}
	rules.Topics = map[string]Topic{}
	var all []record.Destination
	for _, d := range p.Destinations {
		places[d.Name], rules.Topics[d.Name] = d, d.Topic
		all = append(all, record.Destination{Name: d.Name, Address: d.address()})
	}
	if err := o.store.SetDestinations(ctx, all, time.Now()); err != nil {
		return err
	}
	o.mu.Lock()
	o.rules, o.places = rules, places
	o.mu.Unlock()
	o.Kick()
	return nil
}

// Kick has what happened looked at now. It never waits.
func (o *Outbox) Kick() {
	select {
	case o.kicked <- struct{}{}:
	default:
	}
}

// Run makes events and sends them until ctx ends. What is on its way then is cut off,
// and sent again by who comes next, under the same id.
func (o *Outbox) Run(ctx context.Context) {
	var senders sync.WaitGroup
	defer senders.Wait()
	troubled := false
	for ctx.Err() == nil {
		var err error
		if o.used() {
			err = errors.Join(o.tell(ctx), o.start(ctx, &senders))
		}
		if err != nil && ctx.Err() == nil && !troubled { // once, not every second
			o.log.ErrorContext(ctx, "events can't be kept or read", "error", err)
		}
		troubled = err != nil
		o.pause(ctx)
	}
}

// pause waits for something to do: until it is called, and where anybody is to be told
// no longer than o.look.
func (o *Outbox) pause(ctx context.Context) {
	var due <-chan time.Time
	if o.used() {
		timer := time.NewTimer(o.look)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-ctx.Done():
	case <-o.kicked:
	case <-due:
	}
}

// Flush makes events of all that happened and sends what is due, to each destination
// until it is to be left alone. It is for a command that ends after it.
func (o *Outbox) Flush(ctx context.Context) error {
	if !o.used() {
		return nil
	}
	var senders sync.WaitGroup
	err := errors.Join(o.tell(ctx), o.start(ctx, &senders))
	senders.Wait()
	return err
}

func (o *Outbox) used() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.places) > 0
}

// tell makes events of what happened.
func (o *Outbox) tell(ctx context.Context) error {
	o.telling.Lock()
	defer o.telling.Unlock()
	for {
		happened, err := o.store.Happened(ctx, atOnce)
		if err != nil || len(happened) == 0 {
			return err
		}
		if err := o.revive(ctx); err != nil {
			return err
		}
		failing, err := o.store.Failing(ctx)
		if err != nil {
			return err
		}
		o.mu.Lock()
		rules := o.rules
		o.mu.Unlock()
		told, err := Tell(rules, happened, failing)
		if err != nil {
			return err
		}
		if err := o.store.Tell(ctx, told, time.Now()); err != nil {
			return err
		}
	}
}

// revive begins anew with destinations that are gone or away, and that the file which keeps
// their address says to be elsewhere now: what happens would be given up unsent, or wait for
// as long as the old address deserved.
func (o *Outbox) revive(ctx context.Context) error {
	away, err := o.store.AwayDestinations(ctx)
	if err != nil {
		return err
	}
	for _, was := range away {
		d, ok := o.place(was.Name)
		if !ok {
			continue
		}
		at := d.address()
		if at == "" || at == was.Address {
			continue
		}
		if err := o.store.DestinationMoved(ctx, was.Name, at); err != nil {
			return err
		}
		o.log.InfoContext(ctx, "a destination that was gone (410) or away is at another address, and is sent events again", "destination", was.Name)
	}
	return nil
}

// start has somebody send to each destination that an event waits for and that is not
// to be left alone. The destinations are taken before it is read what they wait for: who sent
// until now may have put the next try off.
func (o *Outbox) start(ctx context.Context, senders *sync.WaitGroup) error {
	mine := o.take()
	defer func() {
		for name := range mine {
			o.release(name, nil)
		}
	}()
	waiting, err := o.store.Expecting(ctx)
	if err != nil {
		return err
	}
	for _, d := range waiting {
		if !mine[d.Name] || remaining(d.Next, time.Now()) > 0 {
			continue
		}
		delete(mine, d.Name)
		senders.Go(func() {
			err := o.drain(ctx, d)
			o.release(d.Name, err)
			if err != nil && ctx.Err() == nil {
				o.log.ErrorContext(ctx, "what became of an event can't be kept", "destination", d.Name, "error", err)
			}
		})
	}
	return nil
}

// take makes the caller the only one who sends to the destinations to which nobody does, and
// names them.
func (o *Outbox) take() map[string]bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	mine := map[string]bool{}
	for name := range o.places {
		if !o.busy[name] && remaining(o.rests[name], time.Now()) == 0 {
			mine[name], o.busy[name] = true, true
		}
	}
	return mine
}

// rest is how long a destination is left alone once what became of a try could not be
// kept, on a full disk perhaps: it would get the same event every second.
const rest = 5 * time.Minute

func (o *Outbox) release(name string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.busy, name)
	if delete(o.rests, name); err != nil {
		o.rests[name] = time.Now().Add(rest)
	}
}

// place is a destination as the plan that is in force has it.
func (o *Outbox) place(name string) (Destination, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	d, ok := o.places[name]
	return d, ok
}

// Counts is what became of events since the start, by destination.
func (o *Outbox) Counts() map[string]Counts {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := maps.Clone(o.counts)
	for name := range o.places {
		out[name] = o.counts[name] // one that was never tried counts zero
	}
	return out
}

// tally adds to what became of events.
func (o *Outbox) tally(name string, sent, failed, dead int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := o.counts[name]
	o.counts[name] = Counts{Sent: c.Sent + sent, Failed: c.Failed + failed, Dead: c.Dead + dead}
}

// turn is how it goes while somebody sends to a destination.
type turn struct {
	name  string
	fails int // tries in a row
	alone int // events that were given up by themselves
}

// drain sends what waits for a destination, in order, until it is to be left alone.
func (o *Outbox) drain(ctx context.Context, at record.Destination) error {
	t := &turn{name: at.Name, fails: at.Fails}
	for ctx.Err() == nil {
		d, ok := o.place(t.name)
		if !ok {
			return nil
		}
		e, ok, err := o.store.NextEvent(ctx, t.name, time.Now())
		if err != nil || !ok {
			return err
		}
		did := d.send(ctx, o.client, e)
		if ctx.Err() != nil && !did.took {
			return nil // it was cut off: that says nothing of the destination
		}
		goOn, err := o.note(context.WithoutCancel(ctx), t, e, did)
		if err != nil || !goOn {
			return err
		}
	}
	return nil
}

// note keeps what came of a try, and says whether the next event may be sent.
func (o *Outbox) note(ctx context.Context, t *turn, e record.Event, did outcome) (goOn bool, err error) {
	now := time.Now()
	about := aboutEvent(e)
	switch {
	case did.took:
		o.tally(t.name, 1, 0, 0)
		o.log.DebugContext(ctx, "event sent", about...)
		if t.fails > 0 {
			o.log.InfoContext(ctx, "a destination takes events again", "destination", t.name, "failed_tries", t.fails)
		}
		t.fails = 0
		return true, o.store.EventSent(ctx, e, now)
	case did.gone:
		o.log.ErrorContext(ctx, "a destination wants no more events (410), and none are sent there until nightporter events resend --dead, or another address",
			"destination", t.name)
		dead, err := o.store.DestinationGone(ctx, t.name, did.address, did.why, now)
		o.tally(t.name, 0, 1, dead)
		return false, err
	case did.never:
		o.tally(t.name, 0, 0, 1)
		o.log.ErrorContext(ctx, "an event can't be sent as it is", append(about, "cause", did.why)...)
		_, err := o.store.GiveUpEvent(ctx, e.Num, did.why, now)
		return true, err
	}
	if did.refused && t.fails == 0 && !e.Next.IsZero() {
		return true, o.heldBack(ctx, e, did, now)
	}
	return o.failed(ctx, t, e, did, now)
}

// heldBack keeps that an event was refused once more by a destination that takes others. It is
// tried by its own schedule, and given up with it; the others are not kept waiting.
func (o *Outbox) heldBack(ctx context.Context, e record.Event, did outcome, now time.Time) error {
	level, until := slog.LevelDebug, now.Add((&Schedule{Fails: e.Tries}).NextBackOff())
	if overdue(e.Tries, e.Since, now) {
		level, until = slog.LevelWarn, time.Time{}
	}
	dead, err := o.store.EventHeldBack(ctx, e, did.why, until, now)
	o.tally(e.Destination, 0, 1, dead)
	o.log.Log(ctx, level, "an event was not taken", append(aboutEvent(e), "cause", did.why, "given_up", dead)...)
	return err
}

// mostAlone is how many events that are refused are given up by themselves, one after the
// other, before all that waited as long are.
const mostAlone = 10

// givenUpAlone reports whether an event that was not taken is given up by itself. Of a
// destination that answers nothing one is enough to tell that it is away.
func givenUpAlone(t *turn, e record.Event, did outcome, now time.Time) bool {
	if did.refused {
		return t.alone < mostAlone && overdue(max(t.fails, e.Tries), e.Since, now)
	}
	return t.alone == 0 && overdue(t.fails, e.Since, now)
}

// failed keeps that an event was not taken, and says whether the next one may be sent: after
// the first that is refused it may, so that it is held back alone. One that is late is given up by itself at first, for it may be the only one that is
// refused, and those behind it were never tried. Where the next one is not taken either
// the destination is away, and all that waited as long is given up.
func (o *Outbox) failed(ctx context.Context, t *turn, e record.Event, did outcome, now time.Time) (goOn bool, err error) {
	alone := givenUpAlone(t, e, did, now)
	var wait time.Duration
	var dead int64
	if alone {
		dead, err = o.store.EventRefused(ctx, e, did.why, now)
	} else {
		var since time.Time
		if overdue(t.fails, e.Since, now) {
			since = now.Add(-patience)
		}
		wait = (&Schedule{Fails: t.fails, Asked: did.asked}).NextBackOff()
		if did.refused {
			e.Next = now.Add(min(wait, (&Schedule{Fails: e.Tries}).NextBackOff()))
		}
		dead, err = o.store.EventFailed(ctx, e, did.why, now.Add(wait), since, now)
	}
	o.tally(t.name, 0, 1, dead)
	level := slog.LevelDebug
	if t.fails == 0 || dead > 0 { // of a destination that is away once, not at every try
		level = slog.LevelWarn
	}
	o.log.Log(ctx, level, "an event was not taken", append(aboutEvent(e), "cause", did.why, "next_s", wait.Seconds(), "given_up", dead)...)
	next := did.refused && t.fails == 0 && !alone
	t.fails++
	if alone {
		t.alone++
	}
	return next || alone && dead > 0, err // one that did not wait any more was dropped, and the tries are counted anew
}

// aboutEvent names an event in the log.
func aboutEvent(e record.Event) []any {
	return []any{"destination", e.Destination, "event", e.ID, "type", string(e.Type)}
}

// Ping sends a destination an event that tells nothing, past all that waits, and says
// how it answered.
func Ping(ctx context.Context, rt http.RoundTripper, d Destination) (status int, err error) {
	did := d.send(ctx, newClient(rt), PingOf(d.Topic, time.Now()))
	if !did.took {
		return did.status, errors.New(did.why)
	}
	return did.status, nil
}
