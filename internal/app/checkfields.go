package app

import (
	"fmt"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/connectors/rest"
	"nightporter/internal/config"
	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// checkPresets compares what a job names with what presets say of their kinds, without
// asking a system.
func (a *App) checkPresets(j *config.Job) []Finding {
	m, err := a.mapping(j)
	if err != nil { // it is said elsewhere
		return nil
	}
	var out []Finding
	for s, js := range [2]config.JobSide{j.Left, j.Right} {
		if can, ok := a.presetKind(js); ok {
			c := checkNames(j, m, record.Side(s), can)
			out = append(out, c.out...)
			if c.out = nil; len(can.Required) > 0 {
				c.required()
			}
			for _, f := range c.out { // jobs that make no records by it go on
				f.Wrong = false
				out = append(out, f)
			}
			out = append(out, a.checkLate(j, m, record.Side(s), can)...)
		}
	}
	return out
}

// presetKind is what the preset of a side says of its kind, false where the side has no
// preset that can be read.
func (a *App) presetKind(js config.JobSide) (connectors.Kind, bool) {
	sys, ok := a.Config.System(js.System)
	if !ok || sys.REST == nil {
		return connectors.Kind{}, false
	}
	p, err := presetOf(sys.REST)
	if err != nil { // it is said elsewhere
		return connectors.Kind{}, false
	}
	kinds, err := rest.Kinds(p, a.mapped(js.System))
	if err != nil {
		return connectors.Kind{}, false
	}
	can, ok := kinds[record.Kind(js.Kind)]
	return can, ok
}

// fieldCheck compares what a job names on one side with what the kind has there.
type fieldCheck struct {
	j       *config.Job
	m       *mapping.Mapping
	side    record.Side
	js      config.JobSide
	can     connectors.Kind
	written map[string]bool // native paths that something writes in a new record
	out     []Finding
}

// checkNames looks at each name: it is there, and it can be written where it is to be.
func checkNames(j *config.Job, m *mapping.Mapping, side record.Side, can connectors.Kind) *fieldCheck {
	c := &fieldCheck{j: j, m: m, side: side, js: [2]config.JobSide{j.Left, j.Right}[side], can: can, written: map[string]bool{}}
	c.constants()
	for _, f := range j.Fields {
		c.field(f)
	}
	return c
}

// checkFields looks at each name, and for what a new record needs beside them.
func checkFields(j *config.Job, m *mapping.Mapping, side record.Side, can connectors.Kind) []Finding {
	c := checkNames(j, m, side, can)
	c.required()
	return c.out
}

func (c *fieldCheck) say(format string, args ...any) {
	c.out = append(c.out, Finding{Where: "job " + c.j.Name, Text: fmt.Sprintf(format, args...), Wrong: true})
}

// creates reports whether the job makes records on this side.
func (c *fieldCheck) creates() bool { return c.js.Create != config.CreateNever && c.can.Create }

// constants looks at the values that every new record is given.
func (c *fieldCheck) constants() {
	for _, k := range c.js.OnCreate {
		c.written[k.Path] = true
		why := c.can.Unwritable(k.Path)
		if slices.Contains(c.can.NotNew, k.Path) {
			why = "the preset says that no create takes it"
		}
		if why != "" {
			c.say("line %d: on_create: %s of %s can't be written (%s): take it out", k.Line, k.Path, c.js.System, why)
		}
	}
}

func (c *fieldCheck) field(f config.Field) {
	toward := c.side == record.Left && f.ToLeft || c.side == record.Right && f.ToRight
	for _, p := range c.m.Outputs(c.side, f.Name) {
		c.written[p] = c.written[p] || toward && !slices.Contains(c.can.NotNew, p)
		switch why := c.can.Unwritable(p); {
		case !c.can.Has(p):
			c.say("field %s: %s of %s has no %s", f.Name, c.js.Kind, c.js.System, p)
		case why == "" || !toward:
		case p == c.can.Status && (!c.creates() || slices.Contains(c.can.NotNew, p)): // it is changed by a request of its own
		default:
			c.say("field %s: %s of %s can't be written (%s): say to: %s, or map another one", f.Name, p, c.js.System, why, other(c.j, c.side).System)
		}
	}
}

// required looks for what a new record must hold.
func (c *fieldCheck) required() {
	if !c.creates() {
		return
	}
	for _, p := range c.can.Required {
		if !c.written[p] {
			c.say("%s needs %s in a new record of %s, and nothing writes it: map a field to it, or give it a value under on_create", c.js.System, p, c.js.Kind)
		}
	}
}

// lateParts is what is written after a record of a kind that is finished later: of a call,
// once it has ended.
var lateParts = []string{"summary", "transcript"} //nolint:gochecknoglobals // a fixed table

// checkLate names the paths of a side that come later than their record, and that nothing
// waits for: read too early they would be lost.
func (a *App) checkLate(j *config.Job, m *mapping.Mapping, side record.Side, can connectors.Kind) []Finding {
	js, across := [2]config.JobSide{j.Left, j.Right}[side], [2]bool{j.Left.Create != config.CreateNever, j.Right.Create != config.CreateNever}[side.Other()]
	apart := a.readApart(js)
	var out []Finding
	for _, f := range j.Fields {
		toward := [2]bool{f.ToLeft, f.ToRight}[side.Other()]
		for _, p := range m.Inputs(side, f.Name) {
			late := apart[p] || len(can.Late) > 0 && slices.ContainsFunc(lateParts, func(part string) bool {
				return f.Name == part || slices.Contains(strings.Split(p, "."), part)
			})
			if !across || !toward || !late || can.ComesLater(p) || slices.ContainsFunc(can.Late, func(part string) bool { return record.Under(part, p) }) {
				continue
			}
			out = append(out, Finding{Where: "job " + j.Name, Text: fmt.Sprintf(
				"field %s: %s of %s comes later than its record and is not waited for: name it under finished.fields of the kind, or what it is in", f.Name, p, js.System)})
		}
	}
	return out
}

// readApart is what a preset reads on addresses of its own.
func (a *App) readApart(js config.JobSide) map[string]bool {
	sys, ok := a.Config.System(js.System)
	if !ok || sys.REST == nil {
		return nil
	}
	p, err := presetOf(sys.REST)
	if err != nil { // it is said elsewhere
		return nil
	}
	out := map[string]bool{}
	if k, ok := p.Kinds[js.Kind]; ok {
		for name := range k.SubReads {
			out[name] = true
		}
	}
	return out
}
