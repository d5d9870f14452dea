package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/sync/record"
)

// What is written where: stdout is data (a plan, a list, JSON with --json), stderr
// is everything said about it. Lines on stderr begin with "nightporter: ", errors
// with "nightporter: error: " and what to do next with "nightporter: hint: ". No
// capitals at their beginning, no full stop at their end.

// The exit codes, for scripts and for the service that runs the program.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitWaits  = 3 // done, and something waits for a person
)

// errWaits ends a command that did its work and left something for a person.
var errWaits = errors.New("something waits for a person")

// usageError is a mistake in how the program was called.
type usageError struct{ error }

// Unwrap is the mistake itself.
func (e usageError) Unwrap() error { return e.error }

// cli is what all commands share.
type cli struct {
	in       io.Reader
	out, err io.Writer // screens
	terminal io.Writer // err without its screen, for the line that shows how far a run is
	config   string
	state    string
	json     bool
	verbose  bool
	command  string // as it was called, for those who find the state file in use
}

// run is main with everything it touches as parameters.
func run(args []string, in io.Reader, out, errw io.Writer) int {
	c := &cli{in: in, out: screen{out}, err: screen{errw}, terminal: errw, command: strings.Join(append([]string{"nightporter"}, args...), " ")}
	root := c.root()
	root.SetArgs(args)
	root.SetOut(c.out)
	root.SetErr(c.err)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return c.exit(root.ExecuteContext(ctx))
}

func (c *cli) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "nightporter",
		Short: "Keeps a booking platform and the house's own system in step, both ways",
		Long: `nightporter keeps a communications and booking platform in step with the system
a business really runs on: a hotel's PMS, a CRM, a database.

After every edit of the configuration, in this order:
  nightporter check --online    is the file right, do the systems answer? Changes nothing
  nightporter plan              every change it would make, and why. Changes nothing
  nightporter sync --limit 10   makes ten of them: look at both screens
  nightporter sync              makes all of them

Exit codes: 0 done, 1 failed, 2 usage, configuration or a secret, 3 done and something waits
for a person.`,
		SilenceErrors: true, SilenceUsage: true,
	}
	version := root.Flags().Bool("version", false, "print the version, as the command version does")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *version {
			return c.printVersion()
		}
		return cmd.Help()
	}
	f := root.PersistentFlags()
	f.StringVarP(&c.config, "config", "c", defaultConfig(), "the configuration file")
	f.StringVar(&c.state, "state", "", "the state file, instead of the configuration's")
	f.BoolVar(&c.json, "json", false, "print what is reported as JSON")
	f.BoolVarP(&c.verbose, "verbose", "v", false, "say more on stderr: ids and digests, never guests' data")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(c.check(), c.doctor(), c.discover(), c.plan(), c.export(), c.sync(), c.serve(), c.status(), c.runs(), c.explain(), c.undo(), c.verify(), c.conflicts(), c.staged(), c.approve(), c.reject(), c.quarantine(), c.events(), c.call(), c.backup(), c.restore(), c.rebuild(), c.pause(), c.resume(), c.reload(), c.configure(), c.simulate(), c.demo(), c.version())
	return root
}

// defaultConfig is $NIGHTPORTER_CONFIG, or nightporter.yaml here, or the system's.
func defaultConfig() string {
	if p := os.Getenv("NIGHTPORTER_CONFIG"); p != "" {
		return p
	}
	if _, err := os.Stat("nightporter.yaml"); err == nil {
		return "nightporter.yaml"
	}
	return "/etc/nightporter/nightporter.yaml"
}

// load reads the configuration. Its mistakes are the user's to mend: exit code 2.
func (c *cli) load() (*config.Config, error) {
	cfg, err := config.Load(c.config, os.Environ())
	if err != nil {
		return nil, usageError{err}
	}
	hang(cfg.TimeZone)
	return cfg, nil
}

// loadDespite is load for what must work though the configuration has mistakes. It says
// them, and gives them a line each.
func (c *cli) loadDespite() (*config.Config, []string, error) {
	cfg, mistakes, err := config.LoadDespite(c.config, os.Environ())
	if err != nil {
		return nil, nil, usageError{err}
	}
	hang(cfg.TimeZone)
	if mistakes == nil {
		return cfg, nil, nil
	}
	if c.statePath(cfg) == "" {
		return nil, nil, usageError{errors.Join(mistakes, errors.New("it does not say where the state file is: name it with --state"))}
	}
	lines := errorLines(mistakes)
	for _, line := range lines {
		c.say("the configuration has a mistake: %s", line)
	}
	return cfg, lines, nil
}

// loadSystems is load for who looks at systems alone: nothing else must be there yet.
func (c *cli) loadSystems() (*config.Config, error) {
	cfg, err := config.LoadSystems(c.config, os.Environ())
	if err != nil {
		return nil, usageError{err}
	}
	hang(cfg.TimeZone)
	return cfg, nil
}

// options is what the surroundings decide about an App.
func (c *cli) options() app.Options {
	return app.Options{Log: c.log(), State: c.state, Step: failpoint(), Command: c.command, Who: caller()}
}

// open opens state and systems for running jobs.
func (c *cli) open(ctx context.Context) (*app.App, error) { return c.openFor(ctx, nil) }

// openFor is open for who runs the wanted jobs next: one that needs a system that can't be
// opened has a failed run.
func (c *cli) openFor(ctx context.Context, wanted func(record.Binding) bool) (*app.App, error) {
	cfg, err := c.load()
	if err != nil {
		return nil, err
	}
	o := c.options()
	o.Jobs, o.Wanted = true, wanted
	return app.Open(ctx, cfg, o)
}

func (c *cli) log() *slog.Logger {
	level := slog.LevelError
	if c.verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(c.err, &slog.HandlerOptions{Level: level}))
}
