package app

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/internal/config"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// Online is what asking the systems showed.
type Online struct {
	Findings []Finding `json:"findings"`
	Sides    []Looked  `json:"sides"`
}

// Looked is one kind of one system, as a side of a job.
type Looked struct {
	Job     string           `json:"job"`
	System  string           `json:"system"`
	Kind    string           `json:"kind"`
	Class   connectors.Class `json:"class"`
	Promise string           `json:"promise"`         // what the class means, in one sentence
	Read    int              `json:"read"`            // records looked at
	Records int              `json:"records"`         // how many there are
	More    bool             `json:"more"`            // there are more than that, nobody says how many
	Shown   string           `json:"shown,omitempty"` // how it is read, where that was found out by looking
	Takes   string           `json:"takes,omitempty"` // what contents it takes
	Private []string         `json:"private,omitempty"`
	Losses  []Lossy          `json:"losses,omitempty"`
	Unshown []Unshown        `json:"unshown,omitempty"` // what is mapped and no record shows
	Lacking []string         `json:"lacking,omitempty"` // what the preset requires in a new record, and no record shows
	Rights  []string         `json:"rights"`

	Lists     int `json:"list_calls"` // requests for reading all of them
	Creates   int `json:"creates"`    // records made in a first load, if the other side's are all unknown here
	Create    int `json:"create_calls"`
	Update    int `json:"update_calls"`
	PerMinute int `json:"per_minute,omitempty"`

	// Lasts is how long a first load takes under the system's limits, the bookings'
	// part of them left alone.
	Lasts time.Duration `json:"lasts_ns,omitempty"`
	// Export names the command that spares a first load that is long, "" if none does.
	Export string `json:"export,omitempty"`
}

// Calls is how many requests a first load takes at most.
func (l Looked) Calls() int { return l.Lists + l.Creates*l.Create }

// Lossy is a field that some of the records looked at would not survive.
type Lossy struct {
	Field   string `json:"field"`
	To      string `json:"to"` // the system it was written to and read again
	Why     string `json:"why"`
	Records int    `json:"records"`
	Example string `json:"example"` // the id of one of them
}

// promise is what a class means for who runs the program.
func promise(c connectors.Class) string {
	switch c {
	case connectors.ClassA:
		return "a repeated request is recognised by the system itself: nothing is ever made twice"
	case connectors.ClassB:
		return "the system refuses a second record with the same key or mark: nothing is ever made twice"
	case connectors.ClassC:
		return "our mark can be looked up after a break: nothing is made twice, unless a request is applied later than the settle time"
	case connectors.ClassD:
		return "only a record's own values tell whether it was made: nothing is made twice, unless a request is applied later than the settle time"
	case connectors.ClassE:
	}
	return "no value tells whether a record was made when a request was cut off: where anything came since that may be it, it is held and listed for a person"
}

// Unshown is a path that a field is mapped to, and that none of the records looked at shows:
// whether what is written there arrives is not known.
type Unshown struct {
	Field string `json:"field"`
	Path  string `json:"path"`
}

// CheckOnline opens the systems, reads one page of each kind and tries the
// mappings on it. It changes nothing, in no system and in no state file. A system
// that can't be reached is a finding.
func CheckOnline(ctx context.Context, cfg *config.Config, o Options) (Online, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	a := &App{Config: cfg, log: o.Log, conns: map[string]connectors.Connector{}, descs: map[string]connectors.Description{}}
	defer a.Close()
	var out Online
	for _, sys := range cfg.Systems {
		if err := a.reach(ctx, sys, o); err != nil {
			if ctx.Err() != nil {
				return out, context.Cause(ctx)
			}
			out.Findings = append(out.Findings, Finding{Where: sys.Name, Text: err.Error(), Wrong: true})
			out.Findings = append(out.Findings, a.rightsMissing(ctx, sys.Name, err)...)
			continue
		}
		out.Findings = append(out.Findings, a.lookAtSubscriptions(ctx, sys)...)
	}
	for i := range cfg.Jobs {
		j := &cfg.Jobs[i]
		if !a.described(j.Left.System) || !a.described(j.Right.System) {
			continue
		}
		job, err := a.compile(j)
		if err != nil {
			out.Findings = append(out.Findings, Finding{Where: "job " + j.Name, Text: err.Error(), Wrong: true})
			continue
		}
		if err := a.lookAt(ctx, j, job, &out); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (a *App) described(system string) bool {
	_, ok := a.descs[system]
	return ok
}

// reach opens a system and has it describe itself.
func (a *App) reach(ctx context.Context, sys config.System, o Options) error {
	conn, err := a.openSystem(ctx, sys, o)
	if err != nil {
		return err
	}
	a.conns[sys.Name] = conn
	d, err := conn.Describe(ctx)
	if err != nil {
		return err
	}
	a.descs[sys.Name] = d
	return nil
}

// lookAt looks at both sides of a job.
func (a *App) lookAt(ctx context.Context, j *config.Job, job *engine.Job, out *Online) error {
	var sides [2]Looked
	for s, js := range [2]config.JobSide{j.Left, j.Right} {
		side := record.Sides[s]
		l, found, err := a.lookAtSide(ctx, j, job, side, js)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		out.Findings = append(out.Findings, found...)
		if err != nil {
			out.Findings = append(out.Findings, Finding{Where: js.System, Text: err.Error(), Wrong: true})
			out.Findings = append(out.Findings, a.rightsMissing(ctx, js.System, err)...)
			return nil
		}
		sides[side] = l
	}
	for _, side := range record.Sides {
		if job.Sides[side].Create != engine.Never && job.Sides[side].Can.Create {
			sides[side].Creates = sides[side.Other()].Records
		}
		if sides[side].PerMinute > 0 {
			sides[side].Lasts = a.Lasts(sides[side].System, sides[side].Calls())
		}
		sides[side].Export = ExportHint(job, side, sides[side].Creates, sides[side].Lasts)
	}
	out.Sides = append(out.Sides, sides[0], sides[1])
	return nil
}

func (a *App) lookAtSide(ctx context.Context, j *config.Job, job *engine.Job, side record.Side, js config.JobSide) (Looked, []Finding, error) {
	s := job.Sides[side]
	class := Class(job, side)
	l := Looked{
		Job: j.Name, System: js.System, Kind: js.Kind, Class: class, Promise: promise(class),
		Create: CreateCalls(job, side), Update: UpdateCalls(s.Can), PerMinute: a.PerMinute(js.System),
		Takes: takes(s),
	}
	if sys, ok := a.Config.System(js.System); ok && sys.SQL != nil {
		if t, ok := sys.SQL.Table(js.Kind); ok {
			l.Private = t.Private
		}
	}
	found := checkFields(j, job.Mapping, side, s.Can)
	var err error
	if sh, ok := a.conns[js.System].(shower); ok {
		if l.Shown, err = sh.Shows(ctx, s.Kind); err != nil {
			return l, found, err
		}
	}
	if l.Rights, err = a.rights(ctx, js); err != nil {
		return l, found, err
	}
	err = a.sample(ctx, j, job, side, &l)
	size := max(s.Can.PageSize, 1)
	l.Lists = (l.Records+size-1)/size + 2
	return l, found, err
}

func other(j *config.Job, side record.Side) config.JobSide {
	if side == record.Left {
		return j.Right
	}
	return j.Left
}

// granter is a connector whose system knows rights by column.
type granter interface {
	Grants(ctx context.Context, kind record.Kind, reads, creates, updates []string) ([]string, error)
}

// shower is a connector that finds out by looking how a kind is to be read.
type shower interface {
	Shows(ctx context.Context, kind record.Kind) (string, error)
}

// uses is what the jobs do with a kind: the native paths that they read, give new records,
// and change.
type uses struct{ reads, creates, updates []string }

func (a *App) usesOf(js config.JobSide) uses {
	var u uses
	a.jobSides(js.System, js.Kind, func(j *config.Job, side record.Side, js config.JobSide) {
		m, err := a.mapping(j)
		if err != nil {
			return
		}
		var writes []string
		for _, f := range j.Fields {
			if side == record.Left && f.ToLeft || side == record.Right && f.ToRight {
				writes = append(writes, m.Outputs(side, f.Name)...)
			}
		}
		u.reads = append(u.reads, m.Paths(side)...)
		if js.Create != config.CreateNever {
			u.creates = append(append(u.creates, writes...), pathsOf(js.OnCreate)...)
		}
		if js.Update != config.UpdateNever {
			u.updates = append(u.updates, writes...)
		}
		u.updates = append(u.updates, pathsOf(js.Gone.Archive)...)
	})
	return uses{unique(u.reads), unique(u.creates), unique(u.updates)}
}

func pathsOf(cs []config.Constant) []string {
	var out []string
	for _, c := range cs {
		out = append(out, c.Path)
	}
	return out
}

// rights is what the user or key of a system must be allowed to do with a kind.
func (a *App) rights(ctx context.Context, js config.JobSide) ([]string, error) {
	u := a.usesOf(js)
	if g, ok := a.conns[js.System].(granter); ok {
		return g.Grants(ctx, record.Kind(js.Kind), u.reads, u.creates, u.updates)
	}
	doing := []string{"list " + js.Kind, "read one of them"}
	if len(u.creates) > 0 {
		doing = append(doing, "create them")
	}
	if len(u.updates) > 0 {
		doing = append(doing, "update them")
	}
	return []string{"the key must be allowed to " + strings.Join(doing, ", ")}, nil
}

// rightsMissing is what the user of a system must be granted, where the system does not even
// describe itself to that user.
func (a *App) rightsMissing(ctx context.Context, system string, err error) []Finding {
	if _, opened := a.conns[system]; !opened || !forbidden(err) {
		return nil
	}
	var out []Finding
	for _, j := range a.Config.Jobs {
		for _, js := range []config.JobSide{j.Left, j.Right} {
			if js.System != system {
				continue
			}
			rights, err := a.rights(ctx, js)
			if err != nil { // what keeps it from describing itself is said already
				continue
			}
			for _, r := range rights {
				f := Finding{Where: system, Text: "right needed: " + strings.TrimPrefix(r, "-- ")}
				if !slices.Contains(out, f) {
					out = append(out, f)
				}
			}
		}
	}
	return out
}

// forbidden reports whether an error, or one of those joined in it, is of a missing right.
func forbidden(err error) bool {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		return slices.ContainsFunc(all.Unwrap(), forbidden)
	}
	return connectors.ClassOf(err) == connectors.Forbidden
}

func unique(s []string) []string {
	slices.Sort(s)
	return slices.Compact(s)
}
