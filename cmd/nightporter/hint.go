package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"syscall"

	"nightporter/connectors"
	"nightporter/internal/config"
	"nightporter/internal/secret"
	"nightporter/state"
	"nightporter/sync/engine"
)

// exit says what went wrong, and what to do about it, and gives the exit code.
func (c *cli) exit(err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errWaits):
		return exitWaits
	}
	for _, line := range errorLines(err) {
		show(c.err, "nightporter: error: %s\n", line)
	}
	if h := c.hint(err); h != "" {
		show(c.err, "nightporter: hint: %s\n", h)
	}
	if isUsage(err) {
		return exitUsage
	}
	return exitFailed
}

// isUsage reports whether an error is the user's to mend, in the call, the configuration or
// the secrets that it names, and none of a system or a run.
func isUsage(err error) bool {
	if _, called := errors.AsType[usageError](err); called || isCobra(err) {
		return true
	}
	_, noSecret := errors.AsType[secret.Error](err)
	return noSecret
}

// isCobra recognises what cobra itself refuses.
func isCobra(err error) bool {
	text := err.Error()
	for _, start := range []string{"unknown command", "unknown flag", "accepts ", "requires at least", "required flag", "invalid argument", "if any flags in the group"} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

// hint is the next step after an error, "" where the error says it itself.
func (c *cli) hint(err error) string {
	if _, ok := errors.AsType[*config.Errors](err); ok {
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Sprintf("there is no configuration at %s: name yours with --config, or begin with a copy of config.example.yaml", c.config)
		}
		return "mend the configuration, then run `nightporter check`"
	}
	switch {
	case errors.Is(err, state.ErrInUse):
		return "another nightporter runs jobs on this state file; wait until it is done or stop it. plan, status, runs, conflicts, backup, pause and resume work beside it, and sync beside a service"
	case errors.Is(err, state.ErrHasLinks):
		return "look at it with `nightporter status`; --force replaces it, and keeps it aside"
	case errors.Is(err, engine.ErrHalted):
		return "nothing was written; run `nightporter plan` and look at what it would do"
	case errors.Is(err, state.ErrReadOnly):
		return "run it as the user that owns the state file, or name another place with --state"
	case errors.Is(err, state.ErrRebound):
		return "links belong to the systems they were made with: a job between others needs a name of its own"
	}
	return systemHint(err)
}

// systemHint is the next step after an error of a system.
func systemHint(err error) string {
	switch connectors.ClassOf(err) {
	case connectors.Unauthorized:
		return "put a good key or password in the place that the configuration names, then run `nightporter check --online`"
	case connectors.Forbidden:
		return "give the key or user the rights that `nightporter check --online` prints"
	case connectors.Transient, connectors.Throttled, connectors.Stale, connectors.Rejected, connectors.Refused,
		connectors.NotFound, connectors.OutOfScope, connectors.Moved, connectors.Exists, connectors.Ambiguous,
		connectors.Unsupported, connectors.Malformed:
	}
	if e, ok := errors.AsType[*connectors.Error](err); ok && e.Hint != "" {
		return "" // it stands in the error
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "the name can't be resolved: look at the address in the configuration, and at this machine's name servers"
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return "nothing answers there: look at the address in the configuration, and whether the system is up"
	}
	return ""
}
