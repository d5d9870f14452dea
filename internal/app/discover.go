package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"nightporter/connectors/file"
	"nightporter/connectors/sql"
	"nightporter/internal/config"
	"nightporter/internal/discover"
)

// The most that discover reads.
const (
	MostPages  = 5    // of each kind of an API, a request each
	MostRows   = 5000 // of each table or file
	MostTables = 40   // of a database

	MostAsked = discover.MostAsked // of each kind of an API, where few of the first records stand on both sides
)

// Discovery is what discover found.
type Discovery struct {
	Proposal discover.Proposal `json:"proposal"`
	Requests map[string]int    `json:"requests"` // sent to each API, all of them GET
	Notes    []string          `json:"notes"`    // what could not be read
	Config   string            `json:"config"`   // the whole of it as YAML
	// Wrong is why the configuration can't be used as it is; empty where it can.
	Wrong []string `json:"wrong,omitempty"`
}

// NoSystemError says that somebody named what is no system.
type NoSystemError struct{ Text string }

// Error is what is wrong, with the names there are.
func (e *NoSystemError) Error() string { return e.Text }

// Discover reads a sample of the records of two systems, and proposes how they are kept in
// step. It changes nothing, and opens no state file. Before it asks for records say is told
// how much will be read.
func Discover(ctx context.Context, cfg *config.Config, left, right string, o Options, say func(string)) (Discovery, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d := &discovering{cfg: cfg, o: o, say: say, out: Discovery{Requests: map[string]int{}, Notes: []string{}}}
	for i, name := range []string{left, right} {
		sys, ok := cfg.System(name)
		switch {
		case !ok:
			return d.out, &NoSystemError{Text: fmt.Sprintf("there is no system %q; there are: %s", name, strings.Join(systemNames(cfg), ", "))}
		case i == 1 && left == right:
			return d.out, &NoSystemError{Text: "name two systems: a system is not kept in step with itself"}
		}
		s, err := d.seen(ctx, sys)
		if err != nil {
			return d.out, fmt.Errorf("look at system %s: %w", name, err)
		}
		d.sides[i] = s
	}
	in := discover.Input{Zone: cfg.TimeZone}
	for _, s := range d.sides {
		say(s.reads())
	}
	for i, s := range d.sides {
		if err := d.read(ctx, s); err != nil {
			return d.out, fmt.Errorf("read system %s: %w", s.sys.Name, errors.Join(append(d.noted(), err)...))
		}
		in.Systems[i] = discover.System{Name: s.sys.Name}
		for _, k := range s.kinds {
			if k.read {
				in.Systems[i].Kinds = append(in.Systems[i].Kinds, k.sample)
			}
		}
	}
	if err := d.ask(ctx, &in); err != nil {
		return d.out, err
	}
	d.out.Proposal = discover.Propose(in)
	d.out.Config = d.text()
	d.out.Wrong = wrongIn(cfg.Path, d.out.Config)
	return d.out, nil
}

// Count is how many fields are known, how many likely, and how many things are left to the
// user.
func (d Discovery) Count() (known, likely, open int) {
	for _, j := range d.Proposal.Jobs {
		for _, f := range j.Fields {
			if f.Confidence == discover.Known {
				known++
			} else {
				likely++
			}
		}
		open += len(j.Unknown)
	}
	return known, likely, open + len(d.Proposal.Unknown) + len(d.Notes)
}

// wrongIn is why a configuration can't be used.
func wrongIn(path, text string) []string {
	made, err := config.Parse(path, []byte(text), os.Environ())
	if err != nil {
		var out []string
		if all, ok := errors.AsType[*config.Errors](err); ok {
			for _, m := range all.List {
				out = append(out, fmt.Sprintf("line %d: %s", m.Line, m.Text))
			}
		}
		if len(out) == 0 {
			out = append(out, err.Error())
		}
		return out
	}
	a := &App{Config: made}
	var out []string
	for i := range made.Jobs {
		for _, f := range a.checkJob(&made.Jobs[i]) {
			if f.Wrong {
				out = append(out, f.Where+": "+f.Text)
			}
		}
	}
	return out
}

// discovering is one look at two systems.
type discovering struct {
	cfg   *config.Config
	o     Options
	say   func(string)
	sides [2]*seen
	out   Discovery
}

// seen is a system with its kinds.
type seen struct {
	sys   config.System
	kinds []*seenKind
	more  bool // the database has more tables than are looked at
}

// seenKind is a kind, before and after it was read.
type seenKind struct {
	sample discover.Sample
	read   bool

	table  sql.Listed // of a database
	file   file.File  // of a folder
	listed bool       // it stands in the configuration already
	key    []string
	keyWhy string // why that is the key; empty where nobody knows one
}

// reads says how much will be asked for.
func (s *seen) reads() string {
	n := len(s.kinds)
	switch {
	case s.sys.REST != nil:
		more := ""
		if s.askable() > 0 {
			more = fmt.Sprintf(", and %d records of each of %d by a phone or an address that the other side has, where few of the first stand on both sides", MostAsked, s.askable())
		}
		return fmt.Sprintf("%s: at most %d requests, all of them GET: %d pages of each of %d kinds%s", s.sys.Name, n*MostPages+s.askable()*MostAsked, MostPages, n, more)
	case s.sys.SQL != nil:
		more := ""
		if s.more {
			more = ", of more than there are; name the others under tables"
		}
		if s.askable() > 0 {
			more += fmt.Sprintf("; and up to %d rows of each of %d by a phone or an address that the other side has, where a table has more", MostAsked, s.askable())
		}
		return fmt.Sprintf("%s: select alone, at most %d rows of each of %d tables%s", s.sys.Name, MostRows, n, more)
	}
	return fmt.Sprintf("%s: at most %d rows of each of %d files, reading only", s.sys.Name, MostRows, n)
}

// seen lists the kinds of a system, without reading a record.
func (d *discovering) seen(ctx context.Context, sys config.System) (*seen, error) {
	switch {
	case sys.REST != nil:
		return d.seenAPI(sys)
	case sys.SQL != nil:
		return d.seenTables(ctx, sys)
	}
	return d.seenFiles(ctx, sys)
}

// noted is what was noted, as errors.
func (d *discovering) noted() []error {
	var out []error
	for _, n := range d.out.Notes {
		out = append(out, errors.New(n))
	}
	return out
}

func (d *discovering) note(format string, args ...any) {
	d.out.Notes = append(d.out.Notes, fmt.Sprintf(format, args...))
}
