package histories

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// do carries out one step. What users do inside of a run waits for the next.
func (w *world) do(s step) {
	w.log("%s", s)
	ctx := context.Background()
	w.end(ctx)
	switch s.what {
	case doPut, doBoth, doEdit, doRemove, doUndelete, doMerge:
		if s.at > 0 {
			w.inside = append(w.inside, s)
			return
		}
		w.userStep(s)
		w.sleep(time.Second)
	case doRun:
		w.try(s.job(w), w.oddRun(s, engine.Options{Yes: w.yes(s.job(w), s), Full: s.full, Dry: s.dry}))
	case doCrash:
		w.killAt = w.within(2 + s.k)
		w.try(s.job(w), engine.Options{Yes: w.yes(s.job(w), s), Full: s.full})
	case doFull:
		w.diskFull(ctx, s)
	case doHint:
		w.hint(s)
	case doFault:
		w.inject(s)
	case doRestart:
		w.must("restart", w.reopen())
	case doWait:
		w.sleep(s.d)
	case doForward:
		w.forward(s.d)
	case doKey:
		w.unknown[s.side], w.locked[s.side] = true, 1+s.k%8
	case doAccount:
		if !switches.account {
			return
		}
		w.swapped[s.side], w.strange[s.side] = true, 1+s.k%8
		if len(w.alien[s.side].All(kinds[guests][s.side])) == 0 && s.k%2 == 0 {
			w.populate(s.side)
		}
	case doPause:
		if w.halted = 1 + s.k%10; !w.paused {
			w.pause(ctx)
		}
	case doBackup:
		w.keepCopy(ctx)
	case doRestore:
		w.putBack(ctx)
	case doSnap:
		snap := w.sys[s.side].Snapshot()
		w.snaps[s.side] = &snap
	case doRollback:
		if snap := w.snaps[s.side]; snap != nil {
			w.sys[s.side].Restore(*snap)
			w.rolledBack(s.side)
		}
	case doChoose:
		w.choose(ctx, s)
	case doApprove, doReject:
		if s.at > 0 {
			w.inside = append(w.inside, s)
			return
		}
		w.say(ctx, s)
		w.recall(ctx, s)
	case doAnswer:
		w.answer(ctx, s)
		w.again(ctx, s)
	}
	w.look()
}

// end ends what lasts for some steps only.
func (w *world) end(ctx context.Context) {
	for _, side := range record.Sides {
		if w.locked[side]--; w.locked[side] == 0 {
			w.unknown[side] = false
		}
		if w.strange[side]--; w.strange[side] == 0 {
			w.swapped[side] = false
		}
	}
	w.rightSome(ctx, false)
	if w.halted--; w.halted == 0 && w.paused {
		w.pause(ctx)
	}
}

func (w *world) must(doing string, err error) {
	if err != nil {
		w.wrong("%s: %v", doing, err)
	}
}

// job is the job that a step is about.
func (s step) job(w *world) int { return min(s.kind, w.kinds()-1) }

// userStep is what a user does.
func (w *world) userStep(s step) {
	switch s.what {
	case doPut:
		w.put(s.side, s)
	case doBoth:
		w.put(record.Left, s)
		w.put(record.Right, s)
	case doEdit:
		w.edit(s)
	case doRemove:
		if r := w.alive(s.side, s.kind, s.n); r != nil {
			w.sys[s.side].Remove(kinds[s.kind][s.side], r.id)
			w.removed(r)
		}
	case doUndelete:
		w.undelete(s)
	case doMerge:
		r, into := w.alive(s.side, s.kind, s.n), w.alive(s.side, s.kind, (s.n+1)%people)
		if r == nil || into == nil || s.kind != guests {
			return
		}
		if s.k%2 == 0 {
			w.sys[s.side].Merge(kinds[s.kind][s.side], r.id, into.id)
			w.merged(r, into)
		} else {
			w.sys[s.side].Remove(kinds[s.kind][s.side], r.id)
			w.removed(r)
		}
	}
	w.look()
}

// put enters a record, unless it is there.
func (w *world) put(side record.Side, s step) {
	if s.kind >= w.kinds() || w.alive(side, s.kind, s.n) != nil {
		return
	}
	f := record.Fields{}
	set := func(field, v string) { f[path(side, field)] = record.OfText(v) }
	switch s.kind {
	case guests:
		set("phone", phoneOf(s.n))
		set("full_name", "p#"+fmt.Sprint(s.n))
		if s.value != "" && (s.field == "note" || s.field == "mail") {
			set(s.field, s.value)
		}
	case stays:
		if w.alive(side, guests, s.n) == nil {
			w.put(side, step{n: s.n})
		}
		g := w.alive(side, guests, s.n)
		if side == record.Left {
			f["guest_phone"], f["guest_name"] = record.OfText(g.now("phone")), record.OfText(g.now("full_name"))
		} else {
			f["their_guest_id"] = record.OfText(g.id)
		}
		set("arrival", dayOf(s.n))
		set("departure", dayOf(s.n+40))
		set("status", word(side, "confirmed"))
		set("notes", "s#"+fmt.Sprint(s.n))
	}
	id := w.sys[side].Put(kinds[s.kind][side], f)
	w.entered(side, s.kind, id, s.n)
}

func dayOf(n int) string { return time.Date(2000, 6, 1+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) }

// edit sets a field.
func (w *world) edit(s step) {
	w.look()
	r := w.alive(s.side, s.kind, s.n)
	if r == nil {
		return
	}
	v := w.oddValue(s, s.value)
	switch s.field {
	case "full_name":
		v += "#" + fmt.Sprint(s.n)
	case "notes":
		v += "#" + fmt.Sprint(s.n)
	case "arrival", "departure":
		var n int
		if _, err := fmt.Sscan(s.value, &n); err != nil {
			return
		}
		v = dayOf(n)
	case "status":
		v = word(s.side, s.value)
	}
	value := record.OfText(v)
	if v == "" {
		value = record.Nothing()
	}
	w.sys[s.side].Edit(kinds[s.kind][s.side], r.id, record.Fields{path(s.side, s.field): value})
	w.edited(r, s.field)
}

// undelete puts back the last record of a thing, as it was.
func (w *world) undelete(s step) {
	t := w.things[s.kind][s.n]
	if t == nil || w.alive(s.side, s.kind, s.n) != nil || len(t.recs[s.side]) == 0 {
		return
	}
	r := t.recs[s.side][len(t.recs[s.side])-1]
	w.sys[s.side].PutAs(kinds[s.kind][s.side], r.id, r.native)
	w.revived(r)
}

// diskFull runs a job while the disk has room for a few pages only.
func (w *world) diskFull(ctx context.Context, s step) {
	w.must("limit the state", w.store.LimitGrowth(ctx, s.k%4))
	_, err := w.run(s.job(w), engine.Options{Yes: w.yes(s.job(w), s)})
	if err != nil && !errors.Is(err, state.ErrFull) {
		w.log("  %v", err)
	}
	w.must("free the disk", w.store.LimitGrowth(ctx, 1<<20))
}

// hint looks at one record which its system has named: it may be gone, the hint may
// be old, or not the first.
func (w *world) hint(s step) {
	job := s.job(w)
	t := w.things[job][s.n]
	if t == nil || len(t.recs[s.side]) == 0 {
		return
	}
	if first, err := w.eng.Unagreed(context.Background(), jobs[job]); err != nil || first { // nobody has seen the first plan
		w.must("look for a first run", err)
		return
	}
	r := t.recs[s.side][s.k%len(t.recs[s.side])]
	w.try(job, engine.Options{Only: []record.Ref{{Kind: kinds[job][s.side], ID: r.id}}, OnlySide: s.side, Patient: true})
}

// forward sets our clock forward, unless a system has something to show or to apply:
// that no system takes longer than it is given is what all is built on.
func (w *world) forward(d time.Duration) {
	for _, side := range record.Sides {
		if w.sys[side].Pending() > 0 {
			return
		}
	}
	w.sleep(settle)
	w.sleep(d)
	for _, side := range record.Sides {
		w.late[side] -= d
	}
}

// inject lets the next calls of one system go wrong.
func (w *world) inject(s step) {
	c := w.c.sides[s.side]
	kind := kinds[s.job(w)][s.side]
	call := []memory.Call{memory.CallFetch, memory.CallGet, memory.CallApply, memory.CallFind}[s.k%4]
	short, empty := c.lies()
	faults := []memory.Fault{
		{Call: memory.CallFetch, Kind: kind, Class: connectors.Transient, Skip: s.k % 3},                      // 500 on page 2
		{Call: call, Class: connectors.Throttled, RetryAfter: s.d},                                            // 429
		{Call: memory.CallFetch, Kind: kind, Class: connectors.Malformed, Skip: s.k % 2},                      // HTML
		{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true},                                  // the answer is lost
		{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true, Skip: s.k % 3},                   // the answer is HTML
		{Call: memory.CallApply, Class: connectors.Ambiguous},                                                 // the request is lost
		{Call: memory.CallApply, Class: connectors.Ambiguous, Late: time.Duration(1+s.k%9) * time.Second / 2}, // it is applied late
		{Call: memory.CallApply, Class: connectors.Transient, Times: 1 + s.k%2},                               // it can't be reached
		{Call: memory.CallGet, Class: connectors.Transient, Times: 1 + s.k%5},                                 //
		{Call: memory.CallGet, Class: connectors.Malformed},                                                   //
		{Call: memory.CallApply, Class: connectors.Rejected},                                                  //
		{Call: memory.CallFind, FilterIgnored: true, Times: 1 + s.k%3},                                        //
		{Call: memory.CallFetch, Kind: kind, OffsetIgnored: true, Times: 2},                                   //
		{Call: memory.CallFetch, Kind: kind, Drop: 1, Skip: s.k % 2},                                          // a list that is cut short
		{Call: memory.CallFetch, Kind: kind, Empty: true, Skip: s.k % 2},                                      //
	}
	f := faults[s.k%len(faults)]
	if f.Drop > 0 && !short || f.Empty && !empty {
		return
	}
	if f.Drop > 0 || f.Empty || f.OffsetIgnored {
		w.lied[s.side] = true
		w.lies[s.job(w)][s.side] += 3 // a second fault may wait until the first has passed
	}
	w.sys[s.side].Inject(f)
}

func (w *world) pause(ctx context.Context) {
	if w.paused = !w.paused; w.paused {
		w.pausing = w.oddPause(record.Pause{Scope: record.PauseAll, By: "a person", Since: time.Now()})
	}
	if w.paused && w.plant == plantNoPause {
		return
	} else if w.paused {
		w.must("pause", w.store.Pause(ctx, w.pausing))
		return
	}
	_, err := w.store.Resume(ctx, "", "")
	w.must("resume", err)
}

// keepCopy copies our own state.
func (w *world) keepCopy(ctx context.Context) {
	var err error
	if !w.files {
		w.backup, err = w.store.Image(ctx)
		w.must("copy the state", err)
		w.copied()
		return
	}
	file := filepath.Join(w.dir, "copy.db")
	_ = os.Remove(file)
	_, err = w.store.Backup(ctx, file)
	w.must("copy the state", err)
	w.backup, err = os.ReadFile(file)
	w.must("copy the state", err)
	w.copied()
}

// putBack puts our own state back to the copy.
func (w *world) putBack(ctx context.Context) {
	if w.backup == nil {
		return
	}
	var image []byte
	var err error
	if !w.files {
		image, err = w.store.Image(ctx)
		w.must("copy the state", err)
	}
	w.must("end", w.close())
	from, to := filepath.Join(w.dir, "copy.db"), filepath.Join(w.dir, "restored.db")
	if w.files {
		to = w.file
	} else {
		w.must("put the state", os.WriteFile(to, image, 0o600))
	}
	w.must("put the copy", os.WriteFile(from, w.backup, 0o600))
	r, err := state.Restore(ctx, from, to, true, time.Now())
	w.must("restore the state", err)
	if !w.files {
		image, err = os.ReadFile(to)
		w.must("read the restored state", err)
		w.must("begin with the restored state", w.refill(image))
	}
	for _, f := range []string{from, r.Aside, r.Aside + "-wal"} {
		_ = os.Remove(f)
	}
	if !w.files {
		_ = os.Remove(to)
	}
	w.must("begin", w.open())
	w.paused = false
	if ps, err := w.store.Paused(ctx, time.Now()); err == nil {
		if w.paused = len(ps) > 0; w.paused {
			w.pausing = ps[0]
		}
	}
	w.forgot()
}

// choose decides an open conflict.
func (w *world) choose(ctx context.Context, s step) {
	w.decideAlways(ctx, s)
	cs, err := w.store.Questions(ctx, jobs[s.job(w)], true)
	w.must("read conflicts", err)
	if len(cs) == 0 {
		return
	}
	c := cs[s.k%len(cs)]
	if c.Link == 0 || w.decideGone(ctx, s, c) {
		return
	}
	choice, v := []string{"left", "right"}[s.side], record.Value{}
	if s.k%5 == 0 && c.Field == "note" {
		choice, v = "value", record.OfText(fmt.Sprintf("c%d", s.k))
	}
	if s.k%5 == 1 && c.Field == "note" {
		choice = string(record.ChoiceLeave)
	}
	w.log("  conflict %d of link %d: %s is %s and %s: %s %s", c.ID, c.Link, c.Field, c.Left, c.Right, choice, v)
	w.count.add("choice " + choice)
	w.must("choose", w.store.Choose(ctx, c.ID, record.Choice(choice), v, time.Now()))
	w.chose(c, choice, v)
}

// answer says what became of a change of which nobody knows.
func (w *world) answer(ctx context.Context, s step) {
	lost, err := w.store.Lost(ctx, jobs[s.job(w)])
	w.must("read what is lost", err)
	if len(lost) == 0 {
		return
	}
	w.tell(ctx, lost[s.k%len(lost)])
}

// tell says the truth about a lost change.
func (w *world) tell(ctx context.Context, in record.Intent) {
	c := w.truth(in)
	w.log("  lost change %s: arrived %t %s", in.ID, c.Arrived, c.Ref)
	w.must("answer", w.store.Claim(ctx, in.ID, c))
}
