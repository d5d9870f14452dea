package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"time"

	"nightporter/internal/webhook"
	"nightporter/sync/record"
)

// hooks is where systems call us: one receiver, and a server for each address.
type hooks struct {
	*webhook.Receiver
	log    *slog.Logger
	listen func(ctx context.Context, address string) (net.Listener, error)
	open   map[string]*web
	noted  map[record.System]record.Called
	wrote  time.Time // noted
	finish func()    // keeps what waits, and returns then
}

// hook begins to keep what systems call about; nobody is listened to yet.
func (d *Daemon) hook(ctx context.Context) *hooks {
	h := &hooks{
		Receiver: webhook.New(webhook.Options{Keep: d.Hint, Log: d.log}),
		log:      d.log, listen: d.opts.Listen, open: map[string]*web{}, noted: map[record.System]record.Called{},
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	over := make(chan struct{})
	go func() {
		defer close(over)
		h.Run(ctx)
	}()
	h.finish = func() { cancel(); <-over }
	return h
}

// doors are addresses that nobody is answered at yet: whoever calls waits.
type doors map[string]net.Listener

func (ds doors) close() {
	for _, l := range ds {
		_ = l.Close()
	}
}

// doors takes the addresses of sources that are not listened at so far. An error takes
// none.
func (h *hooks) doors(ctx context.Context, sources []webhook.Source) (doors, error) {
	taken := doors{}
	for _, s := range sources {
		if h.open[s.Listen] != nil || taken[s.Listen] != nil {
			continue
		}
		l, err := h.listen(ctx, s.Listen)
		if err != nil {
			taken.close()
			return nil, fmt.Errorf("listen at %s for webhooks of %s: %w; give another address in the configuration (systems.%s.webhooks.listen)", s.Listen, s.System, err, s.System)
		}
		taken[s.Listen] = l
	}
	return taken, nil
}

// receive takes the deliveries of sources, at doors too, and gives what stops the
// servers that nobody calls any more.
func (h *hooks) receive(ctx context.Context, sources []webhook.Source, more doors) (old []*web) {
	h.Receive(sources)
	for address, l := range more {
		h.open[address] = h.answer(ctx, address, l)
	}
	for address, w := range h.open {
		if !slices.ContainsFunc(sources, func(s webhook.Source) bool { return s.Listen == address }) {
			old = append(old, w)
			delete(h.open, address)
		}
	}
	for _, s := range sources {
		h.log.InfoContext(ctx, "waiting for webhooks", "system", string(s.System), "address", s.Listen, "paths", s.Paths)
	}
	return old
}

// answer takes deliveries at a door. Anybody may call: whoever takes their time, or says
// much before a body begins, is cut off.
func (h *hooks) answer(ctx context.Context, address string, l net.Listener) *web {
	srv := &http.Server{
		Handler: h.At(address), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(h.log.Handler(), slog.LevelDebug),
	}
	return serving(ctx, h.log, l, srv, web{address: address, patience: 5 * time.Second, what: "webhooks"})
}

// close ends what is being received: a delivery that came is kept and answered.
func (h *hooks) close() {
	for _, w := range h.open {
		w.stop()
	}
	clear(h.open)
	h.finish()
}

// noteEvery is how often it is written down when systems called last.
const noteEvery = 5 * time.Second

// noteHooks writes down when systems called last, for who looks on from another process.
func (d *Daemon) noteHooks(ctx context.Context, now time.Time) error {
	if now.Sub(d.hooks.wrote).Abs() < noteEvery {
		return nil
	}
	var errs []error
	for system, c := range d.hooks.Counts() {
		last := record.Called{System: system, Came: c.Came(), Refused: c.Refused()}
		if last == d.hooks.noted[system] || last.Came.IsZero() && last.Refused.IsZero() {
			continue
		}
		if err := d.store.NoteCalled(ctx, last); err != nil {
			errs = append(errs, err)
			continue
		}
		d.hooks.noted[system], d.hooks.wrote = last, now
	}
	return errors.Join(errs...)
}
