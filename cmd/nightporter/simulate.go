package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"nightporter/simulator"
)

type simulateFlags struct {
	listen, control, dialect, key string
	seed                          uint64
}

func (c *cli) simulate() *cobra.Command {
	var f simulateFlags
	cmd := &cobra.Command{
		Use: "simulate", Short: "Serve a simulated platform to try things with", Args: cobra.NoArgs,
		Long: `simulate serves an empty platform of one's own, until it is interrupted. Its
control address puts, edits and removes records behind the back of the API, arms
faults, and tells what was asked:

  GET  CONTROL/counts              POST CONTROL/records/contacts {"first_name": …}
  GET  CONTROL/records/contacts    POST CONTROL/faults {"kind": …}`,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.runSimulate(cmd.Context(), f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.listen, "listen", "127.0.0.1:0", "where the platform is served; port 0 takes a free one")
	fl.StringVar(&f.control, "control", "127.0.0.1:0", "where it is steered from; asks for no key, so keep it local")
	fl.StringVar(&f.dialect, "dialect", "platform", "the API it speaks: platform or crm")
	fl.StringVar(&f.key, "key", simulator.DefaultKey, "the key it asks for")
	fl.Uint64Var(&f.seed, "seed", 1, "makes the ids it gives repeatable")
	return cmd
}

// simulateJSON is where a simulator is to be found.
type simulateJSON struct {
	URL     string `json:"url"`
	Control string `json:"control"`
	Key     string `json:"key"`
}

func (c *cli) runSimulate(ctx context.Context, f simulateFlags) error {
	o := simulator.Options{Seed: f.seed, Keys: map[string]simulator.Key{f.key: {}}}
	switch f.dialect {
	case "platform":
	case "crm":
		o.Dialect = simulator.DialectCRM
	default:
		return usageError{fmt.Errorf("there is no dialect %q; there are: platform, crm", f.dialect)}
	}
	sim := simulator.New(o)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	done := make(chan struct{}, 2)
	var urls [2]string
	for i, x := range []struct {
		addr string
		h    http.Handler
	}{{f.listen, sim}, {f.control, sim.Control()}} {
		var lc net.ListenConfig
		l, err := lc.Listen(ctx, "tcp", x.addr)
		if err != nil {
			stop(nil)
			return fmt.Errorf("listen on %s: %w", x.addr, err)
		}
		urls[i] = "http://" + l.Addr().String()
		go func() {
			stop(serve(ctx, l, x.h))
			done <- struct{}{}
		}()
	}
	if err := c.printSimulator(simulateJSON{URL: urls[0], Control: urls[1], Key: f.key}); err != nil {
		return err
	}
	<-done
	<-done
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func (c *cli) printSimulator(s simulateJSON) error {
	if c.json {
		return c.printJSON(s)
	}
	_, err := fmt.Fprintf(c.out, "base_url: %s\ncontrol:  %s\nkey:      %s\n", s.URL, s.Control, s.Key)
	c.say("serving until interrupted")
	return err
}

// serve answers requests until ctx is done.
func serve(ctx context.Context, l net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	stopped := context.AfterFunc(ctx, func() { _ = srv.Close() })
	defer stopped()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve on %s: %w", l.Addr(), err)
	}
	return nil
}
