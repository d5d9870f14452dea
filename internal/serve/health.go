package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"nightporter/internal/config"
)

// web is what answers at an address; one whose stop does nothing is nobody.
type web struct {
	address  string
	patience time.Duration // how long answers that are under way may take when it stops
	what     string        // is answered there
	stop     func()
}

// serving has srv answer at l until w is stopped.
func serving(ctx context.Context, log *slog.Logger, l net.Listener, srv *http.Server, w web) *web {
	ctx = context.WithoutCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := srv.Serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
			log.ErrorContext(ctx, "an address is not answered at any more", "for", w.what, "address", w.address, "error", err)
		}
	}()
	w.stop = func() {
		ctx, cancel := context.WithTimeout(ctx, w.patience)
		defer cancel()
		if err := srv.Shutdown(ctx); err != nil {
			_ = srv.Close() // whoever still reads is cut off
		}
		<-done
	}
	return &w
}

// listenAnew answers at an address beside the one in force, if it is another; moved
// says so.
func (d *Daemon) listenAnew(ctx context.Context, address string) (w *web, moved bool, err error) {
	if address == d.web.Load().address {
		return nil, false, nil
	}
	w, err = d.listen(ctx, address)
	return w, err == nil, err
}

// listen answers for health and numbers at an address of the configuration.
func (d *Daemon) listen(ctx context.Context, address string) (*web, error) {
	if address == "" {
		return &web{stop: func() {}}, nil
	}
	l, err := d.opts.Listen(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("listen at %s for health and numbers: %w; give another address in the configuration (listen)", address, err)
	}
	srv := &http.Server{
		Handler: d.handler(), ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(d.log.Handler(), slog.LevelWarn),
	}
	d.log.InfoContext(ctx, "answering for health and numbers", "address", l.Addr().String())
	if config.OpenToAll(address) {
		d.log.WarnContext(ctx, "health and numbers are answered to whoever reaches this machine, without a password; give 127.0.0.1 in the configuration (listen)", "address", address)
	}
	return serving(ctx, d.log, l, srv, web{address: address, patience: time.Second, what: "health and numbers"}), nil
}

// handler answers /healthz: the process is alive and its schedule runs; /readyz: it
// can use its state file; /metrics: its numbers.
func (d *Daemon) handler() http.Handler {
	reg := prometheus.NewRegistry()
	reg.MustRegister(d.seen.runs, d.seen.changes, d.seen.seconds, d.seen.alerts, collector{d},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if !d.alive() {
			http.Error(w, fmt.Sprintf("the schedule has not looked at the clock since %s", d.runner.Beat().UTC().Format(time.RFC3339)), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if _, err := d.store.Paused(r.Context(), time.Now()); err != nil {
			http.Error(w, "the state file can't be read", http.StatusServiceUnavailable)
			return
		}
		if err := cmp.Or(d.store.Sound(), d.store.Full(r.Context())); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{}))
	return mux
}
