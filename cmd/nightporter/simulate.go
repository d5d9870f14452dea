package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"nightporter/simulator"
)

type simulateFlags struct {
	listen, control, dialect, key string
	seed                          uint64
	load, save                    string
}

func (c *cli) simulate() *cobra.Command {
	var f simulateFlags
	cmd := &cobra.Command{
		Use: "simulate", Short: "Serve a simulated platform to try things with", Args: cobra.NoArgs,
		Long: `simulate serves a platform of one's own, until it is interrupted: empty, or with the
records that --load names and --save once wrote (they are what CONTROL/state shows). Its
control address puts, edits and removes records behind the back of the API, arms
faults, and tells what was asked:

  GET  CONTROL/counts              POST CONTROL/records/contacts {"first_name": …}
  GET  CONTROL/records/contacts    POST CONTROL/faults {"kind": …}`,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.runSimulate(cmd.Context(), f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.listen, "listen", "127.0.0.1:0", "where the platform is served; port 0 takes a free one")
	fl.StringVar(&f.control, "control", "127.0.0.1:0", "where it is steered from; asks for no key, so keep it local")
	fl.StringVar(&f.dialect, "dialect", "platform", "the API it speaks: "+strings.Join(dialects(), ", ")+", or draw:N, one that the number N makes up")
	fl.StringVar(&f.key, "key", simulator.DefaultKey, "the key it asks for")
	fl.Uint64Var(&f.seed, "seed", 1, "makes the ids it gives repeatable")
	fl.StringVar(&f.load, "load", "", "a file with the records that it begins with")
	fl.StringVar(&f.save, "save", "", "a file for its records when it is interrupted; may be the one of --load")
	return cmd
}

// dialects is the names of the APIs that can be simulated.
func dialects() []string {
	names := []string{string(simulator.DialectCRM)}
	for _, d := range simulator.Dialects() {
		names = append(names, string(d))
	}
	slices.Sort(names)
	return names
}

// spoken is a dialect, and what meets it.
type spoken struct {
	traits   *simulator.Traits // nil: the name is enough
	preset   string
	override map[string]any
}

// dialectOf is a dialect by its name; "draw:7" is made up by the seed 7.
func dialectOf(name string) (spoken, error) {
	if text, ok := strings.CutPrefix(name, "draw:"); ok {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return spoken{}, fmt.Errorf("dialect %q: what follows draw: is a number, the seed", name)
		}
		t := simulator.Draw(seed)
		return spoken{&t, "platform", t.Override()}, nil
	}
	d := simulator.Dialect(name)
	if !slices.Contains(dialects(), name) {
		return spoken{}, fmt.Errorf("there is no dialect %q; there are: %s, and draw: with a number", name, strings.Join(dialects(), ", "))
	}
	switch t, ok := simulator.TraitsOf(d); {
	case !ok:
		return spoken{}, nil
	case d == simulator.DialectYourang, d == "platform":
		return spoken{preset: name}, nil
	default:
		return spoken{preset: "platform", override: t.Override()}, nil
	}
}

// simulateJSON is where a simulator is to be found.
type simulateJSON struct {
	URL     string `json:"url"`
	Control string `json:"control"`
	Key     string `json:"key"`
	// Preset and Override are what a configuration says to be understood.
	Preset   string         `json:"preset,omitempty"`
	Override map[string]any `json:"override,omitempty"`
}

func (c *cli) runSimulate(ctx context.Context, f simulateFlags) error {
	spoken, err := dialectOf(f.dialect)
	if err != nil {
		return usageError{err}
	}
	o := simulator.Options{Seed: f.seed, Keys: map[string]simulator.Key{f.key: {}}, Dialect: simulator.Dialect(f.dialect), Traits: spoken.traits}
	sim := simulator.New(o)
	if err := loadRecords(sim, f.load); err != nil {
		return err
	}
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
			stop(answer(ctx, l, x.h))
			done <- struct{}{}
		}()
	}
	if err := c.printSimulator(simulateJSON{URL: urls[0], Control: urls[1], Key: f.key, Preset: spoken.preset, Override: spoken.override}); err != nil {
		return err
	}
	<-done
	<-done
	err = context.Cause(ctx)
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, saveRecords(sim, f.save))
}

// loadRecords fills a simulator from a file; "" is none.
func loadRecords(sim *simulator.Sim, file string) error {
	if file == "" {
		return nil
	}
	b, err := os.ReadFile(file) //nolint:gosec // the file that the user named
	if err != nil {
		return fmt.Errorf("load records: %w", err)
	}
	var st simulator.State
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if err := dec.Decode(&st); err != nil {
		return fmt.Errorf("load records: %s is not what simulate --save writes: %w", file, err)
	}
	if err := sim.Import(st); err != nil {
		return fmt.Errorf("load records of %s: %w", file, err)
	}
	return nil
}

// saveRecords writes a simulator's records to a file, whole or not at all; "" is
// none.
func saveRecords(sim *simulator.Sim, file string) error {
	if file == "" {
		return nil
	}
	b, err := json.MarshalIndent(sim.Export(), "", "  ")
	if err != nil {
		return fmt.Errorf("save records: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".new-*") // a new name: nobody has put a link there
	if err != nil {
		return fmt.Errorf("save records: %w", err)
	}
	_, err = f.Write(append(b, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return fmt.Errorf("save records: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

func (c *cli) printSimulator(s simulateJSON) error {
	if c.json {
		return c.printJSON(s)
	}
	err := tell(c.out, "base_url: %s\ncontrol:  %s\nkey:      %s\n", s.URL, s.Control, s.Key)
	if err == nil && s.Preset != "" {
		err = printMet(c.out, s)
	}
	c.say("serving until interrupted")
	return err
}

// printMet prints the keys of a system's configuration that meet a dialect.
func printMet(w io.Writer, s simulateJSON) error {
	keys := map[string]any{"preset": s.Preset}
	if len(s.Override) > 0 {
		keys["override"] = s.Override
	}
	b, err := yaml.Marshal(keys)
	if err != nil {
		return fmt.Errorf("print what meets the dialect: %w", err)
	}
	err = tell(w, "\n# a system's keys in the configuration\n%s", ours(b))
	return err
}

// serve answers requests until ctx is done.
func answer(ctx context.Context, l net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	stopped := context.AfterFunc(ctx, func() { _ = srv.Close() })
	defer stopped()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve on %s: %w", l.Addr(), err)
	}
	return nil
}
