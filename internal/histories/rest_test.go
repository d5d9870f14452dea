package histories

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// rounds is how many runs, each longer after the one before than a system is given to
// settle, are enough for all to come to rest.
const rounds = 12

// rest ends a history: users rest, faults are healed, and the jobs run until nothing is
// left to do. Then all is compared. A run after which nothing was asked for but what
// was refused before is not one of its rounds, as long as that may still be asked for.
func (w *world) rest() {
	ctx := context.Background()
	w.log("rest")
	w.inside = nil
	for _, side := range record.Sides {
		w.sys[side].Heal()
		w.unknown[side], w.swapped[side] = false, false
	}
	if w.paused {
		w.pause(ctx)
	}
	w.mend()
	// Where our clock was set back, what was to come is still to come.
	w.sleep(4 * time.Hour)
	most := rounds
	if w.c.tight { // each set is held by a run, decided, and made by another
		most *= 2
	}
	w.rebuffs = rebuffs{}
	for i, calm := 0, 0; calm < 2 && w.fault == ""; i++ {
		if i == most {
			w.wrong("%d runs were not enough to come to rest", most)
			return
		}
		before, due := w.real, w.rebuffs.due
		open := w.round(ctx, i)
		sent, refused := w.real-before, w.rebuffs.due-due
		if calm++; open || sent > 0 {
			calm = 0
		}
		if !open && sent > 0 && sent == refused { // each was asked for again in its time, which ends
			most++
		}
	}
	if w.fault != "" {
		return
	}
	w.compare(ctx)
	if w.fault == "" {
		w.echo(ctx)
	}
}

// round runs each job once, and answers what only a person knows. It reports whether
// anything is still open.
func (w *world) round(ctx context.Context, i int) (open bool) {
	for kind := range w.kinds() {
		w.sleep(w.given(ctx, kind) + 5*time.Second)
		w.nag(ctx, kind)
		rep, err := w.run(kind, w.atRest(kind))
		if w.rightSome(ctx, true) || w.accept(ctx, kind, rep) {
			open = true
			continue
		}
		if err != nil && i > 0 {
			w.wrong("all is well, and a run fails: %v", err)
		}
		c := rep.Counts
		if w.unburied(kind) || w.garbles(kind) || w.toldInVain(ctx, kind) { // what became of a change that was sent to it nobody can look up
			c["unsettled"] = 0
		}
		if w.garbles(kind) { // it has the key of what would be made, or may have; and what is linked with it waits for it
			c["unproven"], c["postponed"] = 0, 0
		}
		open = w.sayAll(ctx, kind, i) || open || err != nil || c["unsettled"]+c["unproven"]+c["postponed"] > 0 || awaitsOther(rep)
		if c["unsettled"] > 0 {
			w.tellOthers(ctx, kind)
		}
		lost, err := w.store.Lost(ctx, jobs[kind])
		w.must("read what is lost", err)
		for _, in := range lost {
			if w.told[in.ID]++; w.told[in.ID] > mostTold {
				w.unbelieved(ctx, kind, in)
				continue
			}
			w.tell(ctx, in)
			open = true
		}
	}
	return open
}

// awaitsOther reports whether a run left something until the other job is read, as a guest who may be named
// there: the round after it goes on.
func awaitsOther(rep engine.Report) bool {
	return slices.ContainsFunc(rep.Notes, func(n engine.Note) bool {
		return n.State == record.Waiting && strings.HasPrefix(n.Why, "it waits until ") && strings.HasSuffix(n.Why, " was read: who names it there may have changed")
	})
}

// given is how long the systems are given now to apply and to show what a job sent: more
// than they were configured to need where their lists were seldom read, and seen to lag.
func (w *world) given(ctx context.Context, kind int) time.Duration {
	most := settle
	for _, side := range record.Sides {
		lag, err := w.store.Lag(ctx, record.Place{Binding: jobs[kind], Side: side}, time.Now())
		w.must("read how late lists are", err)
		most = max(most, lag.Settle(settle))
	}
	return most
}

// atRest is how a job runs at rest. Where guards are tight, a person is asked about what
// they hold, and about no more than the first plan besides.
func (w *world) atRest(kind int) engine.Options {
	first, err := w.eng.Unagreed(context.Background(), jobs[kind])
	w.must("look for a first run", err)
	return engine.Options{Full: true, Yes: !w.c.tight || first}
}

// ofLoss is what a job stops for when linked records of a side are missing.
var ofLoss = []record.Cause{"identity", "account", "empty", "shrink"}

// isSo reports whether what a job stopped for is so: a system was put back, or did not do what it
// answered, which looks the same once users took back some of the rest; or users
// removed linked records of it, or moved them out of the days that are read where nothing is
// read by its id.
func (w *world) isSo(kind int, h record.Question) bool {
	if h.Cause == "rolled_back" {
		return w.older[kind][h.Side] || w.odds(h.Side, oddUndone) > 0
	}
	gone := func(r *rec) bool { return (r.dead || w.outside(r) && !w.gets(r.side)) && r.linked != nil }
	return slices.Contains(ofLoss, h.Cause) && slices.ContainsFunc(slices.Collect(maps.Values(w.recs[kind][h.Side])), gone)
}

// accept answers what a job stopped for as a person does, where all of it is so.
func (w *world) accept(ctx context.Context, kind int, rep engine.Report) bool {
	for _, h := range rep.Halts {
		if w.putBackAll(ctx, kind, h) {
			return true
		}
		if !w.isSo(kind, h) {
			return false
		}
	}
	if len(rep.Halts) == 0 {
		return false
	}
	_, err := w.store.AnswerHalts(ctx, jobs[kind], record.Accepted, "a person")
	w.must("answer a halt", err)
	for _, h := range rep.Halts {
		if h.Cause == "rolled_back" {
			w.older[kind][h.Side] = false // nobody says it twice
		}
	}
	return true
}

// echo checks that a run after which nobody did anything is followed by no write, once a
// person has heard of what was refused.
func (w *world) echo(ctx context.Context) {
	before := w.real
	for kind := range w.kinds() {
		w.dismiss(ctx, kind)
	}
	w.dismissed = map[*rec]bool{}
	for kind := range w.kinds() {
		for _, side := range record.Sides {
			for _, r := range w.recs[kind][side] {
				w.dismissed[r] = true
			}
		}
	}
	defer func() { w.dismissed = nil }()
	w.must("restart", w.reopen())
	for kind := range w.kinds() {
		w.sleep(settle + time.Second)
		if _, err := w.run(kind, w.atRest(kind)); err != nil {
			w.wrong("all is at rest, and a run fails: %v", err)
		}
	}
	if w.real != before {
		w.wrong("all was at rest, and %d changes were sent", w.real-before)
	}
}

// compare checks what both sides hold in the end.
func (w *world) compare(ctx context.Context) {
	open := map[record.LinkID]map[string]bool{}
	for kind := range w.kinds() {
		cs, err := w.store.Questions(ctx, jobs[kind], true)
		w.must("read conflicts", err)
		for _, c := range cs {
			if open[c.Link] == nil {
				open[c.Link] = map[string]bool{}
			}
			open[c.Link][c.Field] = true
		}
		w.left(ctx, kind)
		losers := w.losers(ctx, kind)
		for n := range []int{people, bookings}[kind] {
			if t := w.things[kind][n]; t != nil {
				w.compareThing(ctx, t, open, losers)
			}
		}
	}
}

// left checks that of what persons approved all is made, or dropped and named.
func (w *world) left(ctx context.Context, kind int) {
	stages, err := w.store.Stages(ctx, jobs[kind], false)
	w.must("read stages", err)
	for _, st := range stages {
		if st.Choice != record.Refusal && !w.unburied(kind) && !w.garbles(kind) {
			w.wrong("all is at rest, and %d changes of %s, %s, are neither made nor dropped: %s", st.Left, st.Set, st.Choice, st.Why)
		}
	}
}

// compareThing checks one thing.
func (w *world) compareThing(ctx context.Context, t *thing, open map[record.LinkID]map[string]bool, losers map[string]bool) {
	l, r := t.all(record.Left), t.all(record.Right)
	if len(l) == 0 && len(r) == 0 {
		return
	}
	if len(l) > 1 || len(r) > 1 { // users entered it twice
		return
	}
	if slices.ContainsFunc(slices.Concat(l, r), w.unshown) {
		return
	}
	if len(l) == 0 || len(r) == 0 {
		w.alone(ctx, t, append(l, r...)[0])
		return
	}
	if l[0].linked != r[0] {
		if w.plain(t) && !w.waitsInVain(ctx, l[0], r[0]) {
			w.wrong("thing %d is on both sides, %s and %s, and they are not linked: %s | %s", t.n, l[0].id, r[0].id, w.standing(ctx, l[0]), w.standing(ctx, r[0]))
		}
		return
	}
	p, _, err := w.store.PairOf(ctx, record.Place{Binding: jobs[t.kind], Side: record.Left}, record.Ref{Kind: kinds[t.kind][record.Left], ID: l[0].id})
	w.must("read link", err)
	if !goesOn(p, l[0], r[0]) {
		w.parted(ctx, t, l[0], r[0])
		return
	}
	if open[p.Link][engine.RecordField] || p.State.Ended() { // one of them was gone: a person says what comes of it
		if w.plain(t) {
			w.wrong("link %d of thing %d is %q, and nothing was ever gone of it", p.Link, t.n, p.State)
		}
		return
	}
	if w.disputed(ctx, t, p.Link) {
		return
	}
	for _, f := range fields[t.kind] {
		w.compareField(t, f, l[0], r[0], open[p.Link], losers)
	}
}

// disputed reports whether a stay waits, and is named, because its guest's id may be another one's by now.
func (w *world) disputed(ctx context.Context, t *thing, link record.LinkID) bool {
	if t.kind != stays {
		return false
	}
	all, err := w.store.Findings(ctx, jobs[t.kind])
	w.must("read findings", err)
	return slices.ContainsFunc(all, func(f record.Finding) bool {
		return f.Link == link && (strings.Contains(f.Text, "names, is still who it was") || strings.Contains(f.Text, "names, is another record by now"))
	})
}

// plain reports whether nothing happened to a thing by which it may be taken for
// another, or for gone: then it is in step in the end, and no excuse counts.
func (w *world) plain(t *thing) bool {
	if t.kind == stays {
		g := w.things[guests][t.n]
		return !t.torn && g != nil && w.plain(g) && false // its keys are edited all the time
	}
	if t.torn || t.byUsers(record.Left) > 1 || t.byUsers(record.Right) > 1 {
		return false
	}
	for _, side := range record.Sides {
		for _, r := range t.recs[side] {
			for _, h := range r.held["phone"] {
				if len(w.phones[h.value]) > 1 || len(r.held["phone"]) > 1 {
					return false
				}
			}
		}
	}
	return true
}

// alone checks a thing that one side alone has.
func (w *world) alone(ctx context.Context, t *thing, r *rec) {
	if !w.plain(t) || t.refused || w.leftOut(r) || w.barred(r.side.Other(), t.kind) || w.c.sides[record.Left].class == "E" || w.c.sides[record.Right].class == "E" {
		return
	}
	if w.lacks(r) && w.odds(r.side.Other(), oddFixed) > 0 { // nothing can be added to it across later, so it is waited for
		return
	}
	if s := w.standing(ctx, r); !strings.Contains(s, "refused") && !w.waitsInVain(ctx, r) && !w.mayBeOrphans(ctx, r) {
		w.wrong("thing %d is on the %s alone: %s", t.n, r.side, s)
	}
}

// standing is what the state says of a record.
func (w *world) standing(ctx context.Context, r *rec) string {
	e, ok, err := w.store.Entry(ctx, record.Place{Binding: jobs[r.t.kind], Side: r.side}, record.Ref{Kind: kinds[r.t.kind][r.side], ID: r.id})
	w.must("read entry", err)
	if !ok {
		return "it is not known"
	}
	return fmt.Sprintf("link %d, %s %s", e.Link, e.State, e.Why)
}

// compareField checks a field of two records that are linked.
func (w *world) compareField(t *thing, f string, l, r *rec, open, losers map[string]bool) {
	a, b := l.now(f), r.now(f)
	if w.odds(record.Left, oddFixed)+w.odds(record.Right, oddFixed) > 0 {
		return
	}
	if f == "note" && (w.lacks(l) || w.lacks(r) || w.untold(l) || w.untold(r) || w.enteredAlike(l, r) || w.enteredAlike(r, l)) {
		return
	}
	if f == "status" {
		// Who rejects the one and the other has both stay as they are.
		w.compareStatus(t, a, b, open[f] || w.neither(l, r, f))
		if !open[f] {
			w.compareIgnored(t, l, r)
		}
		return
	}
	shortened := f == "note" && (w.c.sides[record.Right].lossy && b == lossy(a) || w.c.sides[record.Left].lossy && a == lossy(b))
	if a != b && !shortened {
		if !open[f] && !w.apart(t, f) && !t.leftSo[f] && !w.undoneUnseen(l, f) && !w.undoneUnseen(r, f) && !w.wanted(l, f, l.native) && !w.wanted(r, f, r.native) && !w.neither(l, r, f) && !t.refused && !t.blurred {
			w.wrong("%s of thing %d is %q and %q, and nobody is asked", f, t.n, a, b)
		}
		return
	}
	if t.torn || t.blurred || w.is(oddSeal) > 0 { // the journal keeps digests
		return
	}
	w.kept(t, f, a, b, losers)
}

// compareStatus checks that what is over on one side is over on the other: the desk's
// end always, that of the other side unless a person is asked, or was and would not have
// it, or a guest has arrived.
func (w *world) compareStatus(t *thing, left, right string, open bool) {
	if open || t.torn || t.refused || t.blurred {
		return
	}
	for _, r := range t.recs[record.Right] { // from there no step leads to such an end: it is shown, and travels nowhere
		if r.ever("status", "completed") || r.ever("status", "checked_in") {
			return
		}
	}
	ws := t.writes["status"]
	if len(ws) == 0 {
		return
	}
	end := ws[len(ws)-1]
	excused := w.letBe(t) && (end.back || t.tookBack(end, right) || t.wasOver(right)) // the left's step alone is new, which is shown
	if over(right) && !over(left) && end.side == record.Right && !excused {
		w.wrong("booking %d is over on the right, %s, and is %s on the left", t.n, right, left)
	}
	cancelled := end.side == record.Left && end.value == "CANCELLED" && !end.back && !w.endedLate(t) // else the desk's word alone is new
	if cancelled && (right == "pending" || right == "confirmed") && !t.broughtBack(end, left, right) {
		w.wrong("booking %d was cancelled on the left and is over nowhere: it is %s on the right", t.n, right)
	}
}

// apart reports whether a field may differ by its rules: somebody emptied it, and that
// does not travel.
func (w *world) apart(t *thing, f string) bool {
	return w.c.clear[f] == "ignore" && (w.emptied(t, f, record.Left) || w.emptied(t, f, record.Right)) || w.c.policies[f] == "fill_empty"
}

// kept checks that no value of a user is lost: it stands, or a later one replaced it,
// or the journal shows it as what lost.
func (w *world) kept(t *thing, f, a, b string, losers map[string]bool) {
	ws := t.writes[f]
	i := slices.IndexFunc(ws, func(x write) bool { return x.value == a || x.value == b })
	for j, x := range ws { // the last one that stands
		if x.value == a || x.value == b {
			i = j
		}
	}
	for _, x := range ws[i+1:] {
		if x.value == "" || losers[f+"="+x.value] || later(ws, x) {
			continue
		}
		w.wrong("%s of thing %d was set to %q on the %s after it was set to what stands, %q and %q, and no journal knows", f, t.n, x.value, x.side, a, b)
		return
	}
}

// later reports whether a user set the field to something else on the same side after
// that: what nobody saw in between is nobody's loss.
func later(ws []write, x write) bool {
	return slices.ContainsFunc(ws, func(y write) bool { return y.seq > x.seq && y.side == x.side })
}

// losers is what lost, as the journal and the conflicts have it.
func (w *world) losers(ctx context.Context, kind int) map[string]bool {
	out := map[string]bool{}
	changes, err := w.store.Changes(ctx, state.Filter{Binding: jobs[kind]})
	w.must("read journal", err)
	for _, c := range changes {
		for _, f := range c.Fields {
			out[f.Field+"="+f.Loser.Text()] = true
			out[f.Field+"="+f.Before.Text()] = true
		}
	}
	for _, open := range []bool{true, false} {
		cs, err := w.store.Questions(ctx, jobs[kind], open)
		w.must("read conflicts", err)
		for _, c := range cs {
			out[c.Field+"="+c.Left.Text()], out[c.Field+"="+c.Right.Text()] = true, true
		}
	}
	return out
}
