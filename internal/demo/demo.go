// Package demo tells the story of a hotel that gets nightporter, with a simulated
// platform and a small PMS: a first sync, edits on both sides, a kill in the middle
// of a run, the run that clears up after it, and one that finds nothing to do. What
// it prints are the program's own commands and their output. It needs no network
// beyond this machine.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// ErrFailed says that a demo did not come out as it must.
var ErrFailed = errors.New("the demo did not come out as it must; the lines that say NO tell where")

// Options is what the surroundings decide about a demo.
type Options struct {
	// Dir is where its files are made. A demo that is there already is made anew.
	Dir string
	// Keep refuses to make an earlier demo anew.
	Keep bool
	// Binary is this program's file, which is started once and killed.
	Binary string
	// Name is how the user calls the program, for the commands that are printed.
	Name string
	// Command runs one of the program's commands in this process and gives its exit
	// code.
	Command func(ctx context.Context, args []string, out, errw io.Writer) int
	Out     io.Writer
}

// Result is what a demo found out, for whoever must not take its word for it.
type Result struct {
	// Death is how the process that was killed ended, as the system tells it.
	Death string
	// Open is how many changes had no answer after the kill.
	Open int
	// Requests and Writes is what the platform was asked in the last sync.
	Requests, Writes int
	Checks           []Check
}

// Check is one sentence that must be true in the end.
type Check struct {
	Text string
	Got  string // what was found
	Good bool
}

// runFor is how long a demo may take in all. It takes a few seconds.
const runFor = 2 * time.Minute

// Run tells the whole story. It fails with ErrFailed unless the check at its end
// holds, and with a DirError if it may not use Options.Dir.
func Run(ctx context.Context, o Options) (res Result, err error) {
	ctx, cancel := context.WithTimeout(ctx, runFor)
	defer cancel()
	h, err := build(ctx, o)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, h.close()) }()
	s := &story{house: h, o: o, w: o.Out}
	for _, chapter := range []func(context.Context) error{
		s.before, s.plan, s.first, s.edits, s.killed, s.second, s.third, s.check,
	} {
		if err := chapter(ctx); err != nil {
			return s.res, err
		}
	}
	if err := h.save(); err != nil {
		return s.res, err
	}
	s.goOn()
	for _, c := range s.res.Checks {
		if !c.Good {
			return s.res, ErrFailed
		}
	}
	return s.res, nil
}

// DirError says that a demo may not use a folder.
type DirError struct{ Dir, Why, Next string }

// Error is the sentence.
func (e *DirError) Error() string { return fmt.Sprintf("use %s: %s; %s", e.Dir, e.Why, e.Next) }
