package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"

	"nightporter/internal/serve"
	"nightporter/state"
)

func (c *cli) serve() *cobra.Command {
	var takeOver time.Duration
	cmd := &cobra.Command{
		Use: "serve", Short: "Run all jobs by their cadences, for good; this is what the service does", Args: cobra.NoArgs,
		Long: `serve runs each job when its "when" says, takes up what other commands ask for, and
goes on until it is told to stop (SIGINT, SIGTERM): what is under way then may end
within the configuration's grace. SIGHUP, or nightporter reload, has it read the
configuration again. It logs JSON to stderr.

All other commands work beside it, with the same configuration and state file.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.runServe(cmd.Context(), takeOver) },
	}
	cmd.Flags().DurationVar(&takeOver, "take-over", 0,
		"take the state file from a process that holds it and gave no sign of life for this long, such as 5m")
	return cmd
}

func (c *cli) runServe(ctx context.Context, takeOver time.Duration) error {
	level := slog.LevelInfo
	if c.verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewJSONHandler(c.err, &slog.HandlerOptions{Level: level}))
	watchdog, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		return usageError{fmt.Errorf("read what the service manager wants: %w", err)}
	}
	o := c.options()
	o.Command = serve.Command + " --config " + c.config // by its beginning it is known as one that takes requests
	o.Log = log
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	hangups := catchHangups() // not caught yet, one that comes as soon as jobs run would end the process
	defer signal.Stop(hangups)
	err = serve.Run(ctx, serve.Options{
		Load: c.load, App: o, Log: log, TakeOver: takeOver, Watchdog: watchdog,
		Notify: func(state string) {
			if _, err := daemon.SdNotify(false, state); err != nil {
				log.WarnContext(ctx, "the service manager can't be told", "error", err)
			}
		},
		Ready: func(d *serve.Daemon) { go reloadOn(ctx, hangups, d, log) },
	})
	if _, ok := errors.AsType[*state.HeldError](err); ok {
		return fmt.Errorf("%w; stop that process first, or, if it hangs, start with --take-over 5m", err)
	}
	return err
}

// catchHangups is told of SIGHUP, and keeps one until it is asked for.
func catchHangups() chan os.Signal {
	hangups := make(chan os.Signal, 1)
	if len(hangup) > 0 { // to be told of none means of all
		signal.Notify(hangups, hangup...)
	}
	return hangups
}

// reloadOn reads the configuration again at each signal.
func reloadOn(ctx context.Context, hangups <-chan os.Signal, d *serve.Daemon, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
		}
		if err := d.Reload(ctx); err != nil {
			log.WarnContext(ctx, "configuration not reloaded", "error", err)
		}
	}
}
