package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// runJSON is what a run did, for --json.
type runJSON struct {
	Run       int64          `json:"run"`
	Job       record.Binding `json:"job"`
	Outcome   record.Outcome `json:"outcome"`
	Counts    record.Counts  `json:"counts"`
	Halts     []haltJSON     `json:"halts,omitempty"`
	Conflicts []conflictJSON `json:"conflicts,omitempty"`
	Notes     []noteJSON     `json:"notes,omitempty"`
	Alerts    []alertJSON    `json:"alerts,omitempty"`
	Error     string         `json:"error,omitempty"`
}

type haltJSON struct {
	Name string `json:"name"`
	Text string `json:"text"`

	Resume string `json:"resume,omitempty"` // all that lets the job go on, in a line

	Answers []wayJSON `json:"answers,omitempty"`
}

type noteJSON struct {
	System record.System     `json:"system"`
	Record record.Ref        `json:"record"`
	State  record.EntryState `json:"state"`
	Why    string            `json:"why"`
}

type alertJSON struct {
	At   instant        `json:"at"`
	Job  record.Binding `json:"job"`
	Kind string         `json:"kind"`
	Text string         `json:"text"`
}

func haltsJSON(hs []record.Question, job *engine.Job) []haltJSON {
	out := []haltJSON{}
	for _, h := range hs {
		ways := waysOf(h, job.Binding, job.Sides[h.Side].System)
		out = append(out, haltJSON{Name: string(h.Cause), Text: h.Why, Resume: inALine(ways), Answers: ways})
	}
	return out
}

func notesJSON(ns []engine.Note, job *engine.Job) []noteJSON {
	out := []noteJSON{}
	for _, n := range ns {
		out = append(out, noteJSON{System: job.Sides[n.Side].System, Record: n.Ref, State: n.State, Why: n.Why})
	}
	return out
}

func alertsJSON(as []record.Alert) []alertJSON {
	out := []alertJSON{}
	for _, a := range as {
		out = append(out, alertJSON{At: timeJSON(a.At), Job: a.Binding, Kind: a.Kind, Text: a.Text})
	}
	return out
}

func runOf(rep engine.Report, job *engine.Job) runJSON {
	r := runJSON{
		Run: rep.Run, Job: rep.Binding, Outcome: rep.Outcome, Counts: rep.Counts, Halts: haltsJSON(rep.Halts, job),
		Notes: notesJSON(rep.Notes, job), Alerts: alertsJSON(rep.Alerts),
	}
	for _, x := range rep.Conflicts {
		r.Conflicts = append(r.Conflicts, conflictOf(x, job))
	}
	if rep.Error != nil {
		r.Error = rep.Error.Error()
	}
	return r
}

// printReports says what runs did: for each job a line, then what waits. It gives
// how much waits for a person, from these runs or from earlier ones.
func (c *cli) printReports(ctx context.Context, reports []engine.Report, js jobs, dropped []string) (waiting int64, err error) {
	var ran []record.Binding
	for _, r := range reports {
		if r.Run != 0 && !slices.Contains(ran, r.Binding) {
			ran = append(ran, r.Binding)
		}
	}
	standing, found := map[record.Binding]record.Counts{}, map[record.Binding][]findingJSON{}
	lists := map[record.Binding][]listedJSON{}
	mend := int64(0)
	stood, err := standsStill(ctx, js.cfg, js.store)
	if err != nil {
		return 0, err
	}
	for _, b := range ran {
		stood[b] = stillOpen(stood[b], b, reports)
		mend += int64(len(stood[b]))
		counts, err := js.store.Counts(ctx, b)
		if err != nil {
			return 0, err
		}
		standing[b] = counts
		waiting += forPerson(counts)
		if found[b], err = findingsOf(ctx, js.store, js.cfg, b); err != nil {
			return 0, err
		}
		mend += unwritten(found[b])
		if lists[b], err = listsOf(ctx, js.store, js.cfg, b); err != nil {
			return 0, err
		}
	}
	if c.json {
		out := struct {
			Runs     []runJSON                        `json:"runs"`
			Standing map[record.Binding]record.Counts `json:"standing"`
			Findings map[record.Binding][]findingJSON `json:"findings"`
			Lists    map[record.Binding][]listedJSON  `json:"lists"`
			Dropped  []string                         `json:"dropped,omitempty"`
		}{Runs: []runJSON{}, Standing: standing, Findings: found, Lists: lists, Dropped: dropped}
		for _, r := range reports {
			if r.Run != 0 {
				out.Runs = append(out.Runs, runOf(r, js.of[r.Binding]))
			}
		}
		return waiting + mend, c.printJSON(out)
	}
	for _, b := range ran {
		c.printJob(b, reports, js.of[b], standing[b])
		c.printStood(stood[b])
		c.printLists(lists[b])
		c.printUnwritten(found[b])
		if err := c.printSets(ctx, js.store, b, js.of[b]); err != nil {
			return waiting, err
		}
	}
	for _, d := range dropped {
		show(c.out, "not done, because it no longer holds: %s\n", d)
	}
	if waiting > stagedIn(standing) {
		c.say("%s for a person: run `nightporter conflicts`", count(waiting, "thing waits", "things wait"))
	}
	return waiting + mend, nil
}

// stillOpen is what a job stands still before, or one direction of it, that none of its runs
// ended with and nobody answered.
func stillOpen(stood []stoodJSON, b record.Binding, reports []engine.Report) (open []stoodJSON) {
	for _, h := range stood {
		told := slices.ContainsFunc(reports, func(r engine.Report) bool {
			return r.Binding == b && slices.ContainsFunc(r.Halts, func(x record.Question) bool { return string(x.Cause) == h.Name })
		})
		if h.Answer == "" && !told {
			open = append(open, h)
		}
	}
	return open
}

// forPerson is how much of a job waits for a person.
func forPerson(standing record.Counts) int64 {
	return standing["conflicts"] + standing["lost"] + standing["staged"]
}

// printJob prints what all runs of one job did together.
func (c *cli) printJob(b record.Binding, reports []engine.Report, job *engine.Job, standing record.Counts) {
	done := record.Counts{}
	halted, failed := false, false
	for _, r := range reports {
		if r.Binding != b {
			continue
		}
		for name, n := range r.Counts {
			done[name] += n
		}
		halted = halted || r.Outcome == record.Halted
		failed = failed || r.Outcome == record.Failed
	}
	what := didWords(done, job)
	switch {
	case halted:
		what = "stopped before the first write"
	case failed && what == "":
		what = "failed"
	case failed:
		what = "failed after this: " + what
	case what == "":
		what = "nothing to do"
	}
	line := fmt.Sprintf("%s: %s", b, what)
	if rest := standingWords(standing); rest != "" {
		line += "; " + rest
	}
	showln(c.out, line)
	for _, r := range reports {
		if r.Binding == b {
			c.printRest(r, job)
		}
	}
}

// printRest prints what a run has to say beside its counts.
func (c *cli) printRest(r engine.Report, job *engine.Job) {
	for _, h := range r.Halts {
		show(c.out, "  stopped: %s\n", h.Why)
	}
	for _, al := range r.Alerts {
		show(c.out, "  ALERT %s: %s\n", al.Kind, al.Text)
	}
	for _, x := range r.Conflicts {
		show(c.out, "  waits for a person: %s: %s\n", x.Field, x.Why)
	}
	shown := 0
	for _, n := range r.Notes {
		if n.State != record.Held && n.State != "dropped" && !c.verbose {
			continue
		}
		if shown++; shown > most && !c.verbose {
			continue
		}
		show(c.out, "  %s: %s of %s: %s\n", stateWords(n.State), n.Ref, job.Sides[n.Side].System, n.Why)
	}
	if shown > most && !c.verbose {
		show(c.out, "  and %d more\n", shown-most)
	}
}

// didWords says what runs did, "" for nothing.
func didWords(n record.Counts, job *engine.Job) string {
	var parts []string
	for _, verb := range []string{"created", "updated", "deleted"} {
		var places []string
		for _, side := range record.Sides {
			if k := n[side.String()+"."+verb]; k > 0 {
				places = append(places, fmt.Sprintf("%d in %s", k, job.Sides[side].System))
			}
		}
		if len(places) > 0 {
			parts = append(parts, verb+" "+list(places))
		}
	}
	for _, x := range []struct{ name, words string }{
		{"linked", "linked %d"},
		{"refused", "%d refused"},
		{"postponed", "%d postponed"},
		{"kept_back", "%d kept back"},
		{"stale", "%d changed meanwhile"},
		{"vanished", "%d vanished"},
		{"unproven", "%d not sure to be new"},
	} {
		if k := n[x.name]; k > 0 {
			parts = append(parts, fmt.Sprintf(x.words, k))
		}
	}
	if k := n["left.adopted"] + n["right.adopted"]; k > 0 {
		parts = append(parts, fmt.Sprintf("%d found done already", k))
	}
	return strings.Join(parts, ", ")
}

// standingWords says what is not in step.
func standingWords(n record.Counts) string {
	var parts []string
	add := func(k int64, one, many string) {
		if k > 0 {
			parts = append(parts, count(k, one, many))
		}
	}
	both := func(state string) int64 { return n["left."+state] + n["right."+state] }
	add(both("left_out"), "is left out", "are left out")
	add(both("attached"), "is stood for by another", "are stood for by another")
	add(both("waiting"), "waits for another record", "wait for another record")
	add(both("quarantined")+both("unreadable"), "can't be read or written", "can't be read or written")
	add(both("gone"), "is gone", "are gone")
	add(n["unwritten"], "is not written", "are not written")
	add(n["intents"], "change is not settled", "changes are not settled")
	add(forPerson(n), "waits for a person", "wait for a person")
	return strings.Join(parts, ", ")
}

// stateWords is a state of a record as a heading.
func stateWords(s record.EntryState) string {
	switch s {
	case record.LeftOut:
		return "left out"
	case record.Waiting:
		return "waits"
	case record.Held:
		return "waits for a person"
	case record.Refused:
		return "refused"
	case record.Quarantined:
		return "can't be read or written"
	case record.Attached:
		return "stood for"
	case record.Stranger:
		return "another record under its id"
	case record.InStep, record.Missed, record.Suspect, record.Gone, record.OutOfScope:
	}
	if s == "" {
		return "in step"
	}
	return strings.ReplaceAll(string(s), "_", " ")
}
