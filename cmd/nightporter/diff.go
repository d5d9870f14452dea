package main

import (
	"fmt"
	"slices"
	"strings"

	"nightporter/internal/app"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// line is one changed value of an action.
type line struct {
	Name   string       `json:"name"` // a field of the job or, for a reference and a constant, the system's own
	Before record.Value `json:"before,omitzero"`
	After  record.Value `json:"after,omitzero"`
	Loser  record.Value `json:"loser,omitzero"`
	Policy string       `json:"policy,omitempty"`
	Reason string       `json:"reason,omitempty"`
}

// linesOf is what an action changes.
func linesOf(a plan.Action, job *engine.Job) []line {
	systems := [2]record.System{job.Sides[record.Left].System, job.Sides[record.Right].System}
	refers := func(field string) []string { return app.Written(job.Mapping, a.Side, field) }
	out := linesFrom(a.Fields, a.Change, refers, systems)
	if a.Change.Op == record.Create {
		constants := job.Rules.Kinds[a.Side].Constants
		for _, p := range constants.Names() {
			out = append(out, line{Name: p, After: constants[p], Policy: "on_create", Reason: "written once"})
		}
	}
	return out
}

// linesFrom is the fields of a change. A reference is shown as the system writes
// it, in the paths that refers gives: our own word for it says nothing to anybody.
func linesFrom(fields []record.FieldReason, ch record.Change, refers func(field string) []string, systems [2]record.System) []line {
	var out []line
	for _, f := range fields {
		l := line{f.Field, f.Before, f.After, f.Loser, policyName(f.Policy, systems), f.Reason}
		paths := refers(f.Field)
		if len(paths) == 0 {
			out = append(out, l)
		}
		for _, p := range paths {
			if v := ch.Fields[p]; v.Observed() {
				out = append(out, line{f.Field + " (" + p + ")", ch.Before[p], v, record.Value{}, l.Policy, f.Reason})
			}
		}
	}
	return out
}

// policyName is a policy in the configuration's words, where a side goes by the
// name of its system.
func policyName(policy string, systems [2]record.System) string {
	for _, side := range record.Sides {
		if policy == side.String() {
			return string(systems[side])
		}
	}
	return policy
}

// diff prints lines as a diff.
func (c *cli) diff(lines []line, create bool) {
	for _, l := range lines {
		if create && l.After.Empty() {
			continue // it isn't sent
		}
		if l.Before.Observed() && !create {
			show(c.out, "    - %s: %s\n", l.Name, l.Before)
		}
		why := ""
		if !create {
			why = "   (" + whyOf(l) + ")"
		}
		show(c.out, "    + %s: %s%s\n", l.Name, l.After, why)
	}
}

func whyOf(l line) string {
	text := l.Reason
	if l.Policy != "" && !strings.Contains(text, l.Policy) {
		text = strings.TrimPrefix(text+"; rule: "+l.Policy, "; ")
	}
	if l.Loser.Observed() {
		text += "; loses: " + l.Loser.String()
	}
	return text
}

// printPlan prints a plan like a diff.
func (c *cli) printPlan(p planned, all bool) error {
	for _, j := range p.jobs {
		c.printJobPlan(j, all)
	}
	if len(p.actions) == 0 {
		err := tell(c.out, "nothing to write\n")
		return err
	}
	err := tell(c.out, "%s in all; to make just these: nightporter sync --plan %s\n",
		count(len(p.actions), "change", "changes"), p.digest)
	return err
}

func (c *cli) printJobPlan(j jobPlan, all bool) {
	l, r := j.job.Sides[record.Left], j.job.Sides[record.Right]
	show(c.out, "job %s: %s of %s and %s of %s\n", j.rep.Binding, l.Kind, l.System, r.Kind, r.System)
	if n := j.rep.Counts["joined"]; n > 0 {
		show(c.out, "  %s on both sides to be the same: they get linked\n", count(n, "record is found", "records are found"))
	}
	for _, g := range grouped(j.rep.Actions) {
		for i, a := range g {
			if i == most && !all {
				show(c.out, "  … and %d more of these (--all prints them)\n", len(g)-most)
				break
			}
			c.printAction(a, j.job)
		}
	}
	c.printConflicts(j, all)
	c.printNotes(j, all)
	c.printCost(j)
	for _, h := range j.rep.Halts {
		show(c.out, "  STOPS: %s\n", h.Why)
	}
	for _, x := range j.rep.Staged {
		show(c.out, "  HELD: %s; sync writes all else and keeps these as %s until somebody says approve or reject\n", x.Stage.Why, x.Stage.Set)
	}
	showln(c.out)
}

// grouped is the actions by what they do and where, each in its order.
func grouped(actions []plan.Action) [][]plan.Action {
	type what struct {
		op   record.Op
		side record.Side
	}
	groups := map[what][]plan.Action{}
	var order []what
	for _, a := range actions {
		w := what{a.Change.Op, a.Side}
		if groups[w] == nil {
			order = append(order, w)
		}
		groups[w] = append(groups[w], a)
	}
	slices.SortStableFunc(order, func(a, b what) int { return int(a.op) - int(b.op) })
	out := make([][]plan.Action, len(order))
	for i, w := range order {
		out[i] = groups[w]
	}
	return out
}

func (c *cli) printAction(a plan.Action, job *engine.Job) {
	sign := "~"
	if a.Change.Op == record.Create {
		sign = "+"
	}
	show(c.out, "  %s %s: %s\n", sign, nameOf(a, job), a.Reason)
	c.diff(linesOf(a, job), a.Change.Op == record.Create)
}

func (c *cli) printConflicts(j jobPlan, all bool) {
	for i, x := range j.rep.Conflicts {
		if i == most && !all {
			show(c.out, "  … and %d more conflicts\n", len(j.rep.Conflicts)-most)
			return
		}
		l, r := j.job.Sides[record.Left].System, j.job.Sides[record.Right].System
		of := ""
		if refs, ok := j.refs[x.Link]; ok {
			of = fmt.Sprintf(" of %s and %s", refs[0], refs[1])
		}
		show(c.out, "  ! conflict%s, %s: %s (%s)\n", of, x.Field, x.Why, ruleOf(x))
		show(c.out, "    %s: %s\n    %s: %s\n    last in step: %s\n", l, x.Left, r, x.Right, x.Base)
	}
}

// printNotes lists what is not in step, and counts what is left out by rule.
func (c *cli) printNotes(j jobPlan, all bool) {
	var order []record.EntryState
	byState := map[record.EntryState][]engine.Note{}
	for _, n := range j.rep.Notes {
		if byState[n.State] == nil {
			order = append(order, n.State)
		}
		byState[n.State] = append(byState[n.State], n)
	}
	slices.Sort(order)
	for _, st := range order {
		if st == record.LeftOut && !c.verbose {
			c.countLeftOut(byState[st])
			continue
		}
		for i, n := range byState[st] {
			if i == most && !all {
				show(c.out, "  … and %d more of these\n", len(byState[st])-most)
				break
			}
			show(c.out, "  . %s: %s of %s: %s\n", stateWords(st), n.Ref, j.job.Sides[n.Side].System, n.Why)
		}
	}
}

func (c *cli) countLeftOut(notes []engine.Note) {
	reasons := map[string]int{}
	var order []string
	for _, n := range notes {
		if reasons[n.Why] == 0 {
			order = append(order, n.Why)
		}
		reasons[n.Why]++
	}
	for _, why := range order {
		show(c.out, "  . left out: %s: %s\n", count(reasons[why], "record", "records"), why)
	}
}

// printCost says what can't be taken back, and what the plan costs.
func (c *cli) printCost(j jobPlan) {
	creates := [2]int{}
	for _, a := range j.rep.Actions {
		if a.Change.Op == record.Create {
			creates[a.Side]++
		}
	}
	if n := j.rep.Counts["waiting"]; n > 0 {
		show(c.out, "  %s for another record: what that comes to is not in this plan, and follows as soon as the other is linked\n",
			count(n, "record waits", "records wait"))
	}
	for _, side := range record.Sides {
		s := j.job.Sides[side]
		if creates[side] > 0 && !s.Can.Delete {
			show(c.out, "  can't be taken back: %s in %s, where records can't be deleted by us\n", count(creates[side], "create", "creates"), s.System)
		}
		if n := j.calls[side]; n > 0 {
			show(c.out, "  costs at most %s to %s%s\n", count(n, "request", "requests"), s.System, hours(j.lasts[side], j.pace[side]))
		}
		if hint := app.ExportHint(j.job, side, creates[side], j.lasts[side]); hint != "" {
			show(c.out, "  %s\n", hint)
		}
	}
}

// planJSON is a plan, for --json.
type planJSON struct {
	Digest string        `json:"digest"`
	Jobs   []jobPlanJSON `json:"jobs"`
}

type jobPlanJSON struct {
	Job       record.Binding `json:"job"`
	Counts    record.Counts  `json:"counts"`
	Actions   []actionJSON   `json:"actions"`
	Conflicts []conflictJSON `json:"conflicts"`
	Notes     []noteJSON     `json:"notes"`
	Halts     []haltJSON     `json:"halts"`
	Staged    []setJSON      `json:"staged,omitempty"` // what guards would hold
	Costs     []costJSON     `json:"costs"`
}

type actionJSON struct {
	Digest string        `json:"digest"`
	Op     string        `json:"op"`
	System record.System `json:"system"`
	Record record.Ref    `json:"record"` // without an id where it is to be created
	From   record.Ref    `json:"from"`   // the record of the other side
	Reason string        `json:"reason"`
	Fields []line        `json:"fields"`
}

type costJSON struct {
	System    record.System `json:"system"`
	Calls     int           `json:"calls"`
	PerMinute int           `json:"per_minute,omitempty"`
	Final     bool          `json:"final"` // what is created there can't be taken back by us
}

func actionsJSON(actions []plan.Action, job *engine.Job) []actionJSON {
	out := []actionJSON{}
	for _, a := range actions {
		out = append(out, actionJSON{
			Digest: a.Digest(), Op: a.Change.Op.String(), System: job.Sides[a.Side].System,
			Record: a.Change.Ref, From: a.Source, Reason: a.Reason, Fields: linesOf(a, job),
		})
	}
	return out
}

func (p planned) json() planJSON {
	out := planJSON{Digest: p.digest, Jobs: []jobPlanJSON{}}
	for _, j := range p.jobs {
		x := jobPlanJSON{
			Job: j.rep.Binding, Counts: j.rep.Counts, Actions: actionsJSON(j.rep.Actions, j.job), Conflicts: []conflictJSON{},
			Notes: notesJSON(j.rep.Notes, j.job), Halts: haltsJSON(j.rep.Halts, j.job), Staged: heldJSON(j.rep, j.job),
		}
		for _, k := range j.rep.Conflicts {
			x.Conflicts = append(x.Conflicts, conflictOf(k, j.job))
		}
		for _, side := range record.Sides {
			s := j.job.Sides[side]
			x.Costs = append(x.Costs, costJSON{System: s.System, Calls: j.calls[side], PerMinute: j.pace[side], Final: !s.Can.Delete})
		}
		out.Jobs = append(out.Jobs, x)
	}
	return out
}
