package histories

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// A transcript is what the engine decides and asks in a history, in words that stand as long
// as its behaviour does: each request in order, each plan with its risks, and after each run
// what changed of the links, of the records without one, of the questions, and of what is open.
// Two versions of the engine that behave alike write the same, however they are built: time
// passes, users act and runs die at requests alone, and not at steps of the state. What is
// said to a person stands behind textAt, so that a comparison may leave it out.

// textAt is where the words of a line begin that only a person reads.
const textAt = "\t# "

// requests is within how many requests of a run what is to happen in its middle happens.
const requests = 8

// ourID is an id that the engine made up. Which number it has says how many there were before.
var ourID = regexp.MustCompile(`\bU0\d{5}\b`)

// TestTranscript writes the transcripts of NIGHTPORTER_HISTORIES seeds, from NIGHTPORTER_SEED
// on, to the folder NIGHTPORTER_TRANSCRIPT: SEED.txt each. `make transcripts` compares those of
// two commits.
func TestTranscript(t *testing.T) {
	to := os.Getenv("NIGHTPORTER_TRANSCRIPT")
	if to == "" {
		to = t.TempDir()
	}
	image := template(t)
	each(t, number(t, "NIGHTPORTER_SEED", 1), number(t, "NIGHTPORTER_HISTORIES", 2), func(t *testing.T, seed uint64, dir string) bool {
		h := historyOf(seed, false)
		h.trace, h.script = true, &script{shown: map[string]bool{}}
		wrong, _, text := play(t, h, dir, image)
		if wrong != "" {
			text += "wrong: " + wrong + "\n"
		}
		if err := os.WriteFile(filepath.Join(to, fmt.Sprintf("%06d.txt", seed)), []byte(named(text)), 0o600); err != nil {
			t.Error(err)
		}
		return true // what is wrong with a history is for TestHistories to say
	})
}

// named gives the ids that the engine made up the numbers of their first appearance.
func named(text string) string {
	known := map[string]string{}
	return ourID.ReplaceAllStringFunc(text, func(id string) string {
		if known[id] == "" {
			known[id] = fmt.Sprintf("id-%d", len(known)+1)
		}
		return known[id]
	})
}

// script is what a transcript has of the state so far.
type script struct{ shown map[string]bool }

// durable is told at each durable step of the state. In a transcript it takes no time, and
// nothing happens at it.
func (w *world) durable(name string) {
	if w.script == nil {
		w.step(name)
		return
	}
	w.noteSaid(name)
	if w.running == 0 || w.dead {
		return
	}
	w.noteSent(name)
	w.noteOver(name)
	w.noteUndone(name)
}

// within is at which step of a run something happens. A run has fewer requests than steps.
func (w *world) within(step int) int {
	if w.script != nil {
		return 2 + step%requests
	}
	return step
}

// writeRun writes what a run planned, and what it left in the state.
func (w *world) writeRun(job int, rep engine.Report, err error) {
	w.log("  run %s %v%s%v", rep.Outcome, rep.Counts, textAt, err)
	for _, a := range rep.Actions {
		w.log("    plan %s", planned(a))
	}
	for _, st := range rep.Staged {
		for _, a := range st.Actions {
			w.log("    withheld by %s: %s", st.Stage.Cause, planned(a))
		}
	}
	for _, n := range rep.Notes {
		w.log("    note %s %s %s%s%s", n.Side, n.Ref, n.State, textAt, n.Why)
	}
	for _, h := range rep.Halts {
		w.log("    halt %s %s%s%s", h.Cause, h.Side, textAt, h.Why)
	}
	for _, a := range rep.Alerts {
		w.log("    alert %s%s%s", a.Kind, textAt, a.Text)
	}
	w.writeState(job)
}

func planned(a plan.Action) string {
	return fmt.Sprintf("%s %s %s %s of %s, step %d, risk %q, let %t%s%s %s",
		a.Side, a.Change.Op, a.Change.Ref, show(a.Change.Fields), a.Source, a.Step, a.Risk, a.Let, textAt, a.Reason, a.Warning)
}

// writeState writes what changed in the state of a job since it was written last.
func (w *world) writeState(job int) {
	now := map[string]bool{}
	for _, line := range w.stateOf(context.Background(), job) {
		now[fmt.Sprintf("%s %s", jobs[job], line)] = true
	}
	of := string(jobs[job]) + " "
	for _, line := range slices.Sorted(maps.Keys(w.script.shown)) {
		if strings.HasPrefix(line, of) && !now[line] {
			w.log("    - %s", line)
			delete(w.script.shown, line)
		}
	}
	for _, line := range slices.Sorted(maps.Keys(now)) {
		if !w.script.shown[line] {
			w.log("    + %s", line)
			w.script.shown[line] = true
		}
	}
}

// stateOf is what the state knows of a job that a person or a later run could tell.
func (w *world) stateOf(ctx context.Context, job int) (lines []string) {
	b := jobs[job]
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	names := map[int64]string{}
	pairs, err := w.store.Pairs(ctx, b, 0, 1000)
	w.must("read links", err)
	for _, p := range pairs {
		l, r := p.Sides[record.Left], p.Sides[record.Right]
		names[l.Num], names[r.Num] = l.Ref.ID, r.Ref.ID
		add("link %s = %s, %s, doubted %t", l.Ref, r.Ref, p.State, p.Doubted)
		for _, e := range p.Sides {
			add("linked %s %s", e.Place.Side, entryLine(e))
		}
	}
	for _, side := range record.Sides {
		lone, err := w.store.Lone(ctx, record.Place{Binding: b, Side: side}, 0, 1000)
		w.must("read entries", err)
		for _, e := range lone {
			names[e.Num] = e.Ref.ID
			add("alone %s %s", side, entryLine(e))
		}
	}
	open, err := w.store.Questions(ctx, b, true)
	w.must("read conflicts", err)
	for _, c := range open {
		about := names[c.Entry]
		if p, ok, err := w.store.Pair(ctx, c.Link); ok || err != nil {
			w.must("read link", err)
			about = p.Sides[record.Left].Ref.ID + "=" + p.Sides[record.Right].Ref.ID
		}
		add("question %s %s, %s: %s or %s, choice %q %s%s%s", about, c.Field, cmp.Or(c.Choices, string(c.Cause)), c.Left, c.Right, c.Choice, c.Value, textAt, c.Why)
	}
	return append(lines, w.openOf(ctx, b)...)
}

// entryLine is what is known of one record.
func entryLine(e record.Entry) string {
	seen := "as its base"
	if e.Seen != nil {
		seen = show(e.Seen.Fields)
	}
	return fmt.Sprintf("%s, %s, base %s; seen %s%s%s", e.Ref, e.State, show(e.Base.Fields()), seen, textAt, e.Why)
}

// openOf is what is open of a job beside its records.
func (w *world) openOf(ctx context.Context, b record.Binding) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	halts, err := w.store.Halts(ctx, b)
	w.must("read halts", err)
	for _, h := range halts {
		add("halted %s %s", h.Cause, h.Side)
	}
	stages, err := w.store.Stages(ctx, b, false)
	w.must("read stages", err)
	for _, st := range stages {
		add("set %s %s by %s, %q, %d of %d left%s%s", st.Side, st.Risk, st.Cause, st.Choice, st.Left, st.Size, textAt, st.Why)
	}
	lost, err := w.store.Lost(ctx, b)
	w.must("read lost changes", err)
	for _, in := range lost {
		add("lost %s %s %s%s%s", in.Place.Side, in.Change.Op, in.Change.Ref, textAt, in.Error)
	}
	unsettled, err := w.store.Unsettled(ctx, b)
	w.must("read unsettled changes", err)
	for _, in := range unsettled {
		add("unsettled %s %s %s, tries %d", in.Place.Side, in.Change.Op, in.Change.Ref, in.Tries)
	}
	kept, err := w.store.KeptBack(ctx, b)
	w.must("read what is kept back", err)
	for range kept {
		add("kept back %d", len(lines))
	}
	return lines
}
