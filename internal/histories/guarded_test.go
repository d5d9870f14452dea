package histories

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// said is what a person said of a set of changes that a guard held.
type said struct {
	seq      int // what was said later has a higher one
	kind     int
	stage    record.Stage // as it was when they said so
	approved bool
	rows     map[string]record.Staged // by the digest of the change
	made     map[string]bool          // those that were made before the state was put back: no run may make them again, and the no before them is over all the same
	until    time.Time
	during   int // the run that was on its way, 0 for none
}

// guarded is what guards count together.
type guarded struct {
	side record.Side
	risk plan.Risk
}

// letGo is a change that was made without a person.
type letGo struct {
	guarded
	kind   int
	at     time.Time
	run    int // the run that let it go
	change record.Change
}

// budget is what a run wrote, by what persons said and by what it may write without.
type budget struct {
	first    map[guarded]map[string]bool // the records that were written without a person
	approved map[string]record.Staged    // changes of this job that a person approved and that wait to be made
	made     map[string]bool             // of those, the ones that a system said yes to
	now      string                      // the change that is on its way, if it is one of them
	counted  *letGo                      // the same, if nobody let it go
}

// decided notes what a person said of a set.
func (o *oracle) decided(kind int, st record.Stage, rows []record.Staged) {
	o.words++
	x := said{seq: o.words, kind: kind, stage: st, approved: st.Choice == record.Approved, rows: map[string]record.Staged{}, made: map[string]bool{}, until: st.Expires}
	for _, row := range rows {
		if row.State == "" {
			x.rows[row.Action] = row
			if !x.approved {
				o.rejectedEnd(kind, st.Side, row)
			}
		}
	}
	if o.w.running > 0 {
		x.during = o.w.runs
		if x.approved {
			maps.Copy(o.spent.approved, x.rows)
		}
	}
	o.said = append(o.said, x)
}

func newBudget() budget {
	return budget{first: map[guarded]map[string]bool{}, approved: map[string]record.Staged{}, made: map[string]bool{}}
}

// openBook notes which changes persons approved that are not made yet: they said so, and
// the state shows them as waiting.
func (o *oracle) openBook(kind int) {
	o.spent = newBudget()
	if len(o.said) == 0 {
		return
	}
	waits := o.waiting(kind)
	for _, x := range o.said {
		for action, row := range x.rows {
			if x.kind == kind && x.approved && waits[action] {
				o.spent.approved[action] = row
			}
		}
	}
}

// waiting is the approved changes that the state shows as neither made nor dropped.
func (o *oracle) waiting(kind int) map[string]bool {
	ctx, out := context.Background(), map[string]bool{}
	stages, err := o.w.store.Stages(ctx, jobs[kind], false)
	o.w.must("read stages", err)
	for _, st := range stages {
		if st.Choice != record.Approved || !st.Expires.After(time.Now()) {
			continue
		}
		rows, err := o.w.store.StagedOf(ctx, st.Set, 0)
		o.w.must("read a stage", err)
		for _, row := range rows {
			if row.State == "" {
				out[row.Action] = true
			}
		}
	}
	return out
}

// closeBook checks that what a person approved and a run made is not said to wait.
func (o *oracle) closeBook(kind int) {
	if len(o.spent.made) == 0 {
		return
	}
	waits := o.waiting(kind)
	for action := range o.spent.made {
		if waits[action] {
			row := o.spent.approved[action]
			o.wrong("%s was approved and written, and it is said to wait still: %s", row.Ref, row.Text)
		}
	}
}

// sentGuarded judges a change by the guards: what a person rejected is not written, what
// one approved is written as it was shown, and of all else no more than may go without.
func (o *oracle) sentGuarded(side record.Side, ch record.Change) {
	o.spent.now, o.spent.counted = "", nil
	if o.sends[ch.ID] { // it was judged when it was sent first
		return
	}
	o.sends[ch.ID] = true
	kind, let := max(0, kindOf(ch.Ref.Kind)), o.letBy(ch.ID)
	if len(o.said) == 0 && o.w.opt.Plan == nil {
		if !let.yes && !o.carries(kind, side, ch) {
			o.sentFree(kind, side, ch, let.run)
		}
		return
	}
	names := o.digests(kind, side, ch)
	if o.refused(kind, side, ch, names) {
		o.wrong("%s of %s on the %s was rejected by a person, and was sent: %s", ch.Op, ch.Ref, side, show(ch.Fields))
		return
	}
	if o.shownFor(ch, names) {
		return
	}
	if o.w.opt.Plan != nil {
		o.wrong("%s of %s was sent to the %s by a run that makes what was approved, and nobody approved it: %s", ch.Op, ch.Ref, side, show(ch.Fields))
		return
	}
	if let.yes || o.carries(kind, side, ch) || o.putsBack(kind, side, ch) || o.w.is(oddSeal) > 0 { // what was rejected is kept as digests: nobody can tell what puts it back
		return
	}
	o.sentFree(kind, side, ch, let.run)
}

// carries reports whether a change removes what a person wanted to go, since the record across
// is gone: they were asked about this one record, and no guard counts it.
func (o *oracle) carries(kind int, side record.Side, ch record.Change) bool {
	r := o.recs[kind][side][ch.Ref.ID]
	return r != nil && r.t.carried && o.riskOf(kind, side, ch) == plan.RiskDelete
}

// shownFor reports whether a change is one that a person approved, and judges whether it
// is what they were shown.
func (o *oracle) shownFor(ch record.Change, names map[string][]string) bool {
	for _, of := range names {
		for _, name := range of {
			row, ok := o.spent.approved[name]
			if !ok {
				continue
			}
			if o.spent.now = name; o.w.is(oddSeal) == 0 && !row.After.Equal(ch.Fields) { // digests are all that is kept to be shown
				o.wrong("a person was shown %s for %s, and %s was sent", show(row.After), ch.Ref, show(ch.Fields))
			}
			return true
		}
	}
	return false
}

// sentFree counts a change that nobody let go: to the run that decided it, which is not
// the one that sends it where a death came between.
func (o *oracle) sentFree(kind int, side record.Side, ch record.Change, decided int) {
	of := guarded{side, o.riskOf(kind, side, ch)}
	o.spent.counted = &letGo{of, kind, time.Now(), decided, ch}
	if o.spent.first[of] == nil {
		o.spent.first[of] = map[string]bool{}
	}
	if decided == o.w.runs {
		o.spent.first[of][o.countedBy(kind, side, ch)] = true
	}
	run := len(o.spent.first[of])
	limit := limitOf(o.w.c.guards, of.risk)
	if most := limit.Run.Count; most > 0 && run > most {
		o.wrong("%d changes of the risk %s were sent to the %s in a run, and the guard lets %d go: %s of %s", run, of.risk, side, most, ch.Op, ch.Ref)
	}
	for _, w := range []struct {
		most int
		d    time.Duration
	}{{limit.Day.Count, 24 * time.Hour}, {limit.Week.Count, 7 * 24 * time.Hour}} {
		if w.most == 0 || o.restored { // what was counted was forgotten
			continue
		}
		all := maps.Clone(o.spent.first[of])
		if decided != o.w.runs {
			all[o.spent.counted.name()] = true
		}
		for _, x := range o.let {
			if x.guarded == of && x.kind == kind && x.run < o.w.runs && x.at.After(o.begun.Add(-w.d)) {
				all[x.name()] = true
			}
		}
		if n := len(all); n > w.most {
			o.wrong("%d changes of the risk %s were sent to the %s in %s, and the guard lets %d go: %s of %s", n, of.risk, side, w.d, w.most, ch.Op, ch.Ref)
		}
	}
}

// name is what a change of an earlier run is counted by: its record, and a create by itself.
func (x letGo) name() string {
	if x.change.Op == record.Create {
		return "create " + x.change.ID
	}
	return x.change.Ref.String()
}

// madeGuarded notes that a system said yes to what was sent, and of which record.
func (o *oracle) madeGuarded(ref record.Ref) {
	if o.spent.now != "" {
		o.spent.made[o.spent.now], o.made[o.spent.now] = true, true
	}
	if x := o.spent.counted; x != nil {
		if x.change.Op == record.Create {
			x.change.Ref = ref
		}
		o.let = append(o.let, *x)
	}
}

func limitOf(g guard.Guards, risk plan.Risk) guard.Limit {
	return map[plan.Risk]guard.Limit{
		plan.RiskCreate: g.Creates, plan.RiskFill: g.Fills, plan.RiskUpdate: g.Updates, plan.RiskClear: g.Clears, plan.RiskCancel: g.Cancels, plan.RiskDelete: g.Deletes,
	}[risk]
}

// riskOf is what a change puts at stake.
func (o *oracle) riskOf(kind int, side record.Side, ch record.Change) plan.Risk {
	r := o.recs[kind][side][ch.Ref.ID]
	status := ch.Fields[path(side, "status")].Text()
	aside := o.w.c.gone[side] == away.GoneArchive && ch.Fields[path(side, "mail")].Text() == aside
	switch {
	case ch.Op == record.Create:
		return plan.RiskCreate
	case ch.Op == record.Delete, aside && r != nil && o.across(r):
		return plan.RiskDelete
	case kind == stays && slices.Contains(deadWords, status):
		return plan.RiskCancel
	}
	fills := ch.Op == record.Update
	for p, v := range ch.Fields {
		was := ch.Before[p]
		fills = fills && was.Observed() && was.Empty() && !v.Empty()
		if v.Empty() && was.Observed() && !was.Empty() {
			return plan.RiskClear
		}
	}
	if fills {
		return plan.RiskFill
	}
	return plan.RiskUpdate
}

// digests is the names that a change may have, by the id of what it is made from, which
// is not said in it. What one side alone is told, as that a room was sold twice, is made
// from its own record.
func (o *oracle) digests(kind int, side record.Side, ch record.Change) map[string][]string {
	out := map[string][]string{}
	for id := range o.recs[kind][side.Other()] {
		a := plan.Action{Side: side, Source: record.Ref{Kind: kinds[kind][side.Other()], ID: id}, Change: ch}
		out[id] = append(out[id], a.Digest())
	}
	if ch.Op != record.Create {
		a := plan.Action{Side: side, Source: ch.Ref, Change: ch}
		out[ch.Ref.ID] = append(out[ch.Ref.ID], a.Digest())
	}
	return out
}

// refused reports whether a person rejected a change as it is, and that counts still. A no
// that had run out when a run was on its way was ended by it, though our clock was set back
// since. What is planned by then goes on. A create may be of any record that looks the same. Of
// what was done again and asked about again the last word counts.
func (o *oracle) refused(kind int, side record.Side, ch record.Change, names map[string][]string) bool {
	no := func(id string) bool {
		return slices.ContainsFunc(o.noes(kind), func(x said) bool {
			return x.during != o.w.runs && x.until.After(o.ran[kind]) && x.isAbout(names[id]) && !o.allowed(names[id], x)
		})
	}
	ids := slices.Collect(maps.Keys(names))
	if ch.Op != record.Create {
		return slices.ContainsFunc(ids, no)
	}
	ids = slices.DeleteFunc(ids, func(id string) bool {
		r := o.recs[kind][side.Other()][id]
		return r.dead || r.linked != nil || r.t.n != numberIn(ch.Fields[path(side, tag[kind])].Text())
	})
	return len(ids) > 0 && !slices.ContainsFunc(ids, func(id string) bool { return !no(id) })
}

// allowed reports whether a person approved a change that they had rejected: it was put
// back, done again and asked about again, or waited in another set as well. Beside other
// fields it may bear another name.
func (o *oracle) allowed(names []string, no said) bool {
	return slices.ContainsFunc(o.said, func(x said) bool {
		return x.isAbout(names) && x.approved && x.seq > no.seq
	})
}

// isAbout reports whether a change of one of some names is in what a person decided.
func (x said) isAbout(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { _, is := x.rows[n]; return is || x.made[n] })
}

// noes is what persons rejected of a job, and when that counts still.
func (o *oracle) noes(kind int) []said {
	return slices.DeleteFunc(slices.Clone(o.said), func(x said) bool {
		return x.kind != kind || x.approved || !x.until.After(time.Now())
	})
}

// putsBack reports whether all that a change writes is what a person wanted kept: they
// rejected to have it written over with what this record holds.
func (o *oracle) putsBack(kind int, side record.Side, ch record.Change) bool {
	r := o.recs[kind][side][ch.Ref.ID]
	if r == nil || ch.Op == record.Create || ch.Op == record.Delete {
		return false
	}
	for _, f := range o.written(kind, side, ch.Fields) {
		if !o.wanted(r, f, ch.Before) {
			return false
		}
	}
	return true
}

// written is the canonical fields that some native ones belong to.
func (o *oracle) written(kind int, side record.Side, native record.Fields) []string {
	var out []string
	for _, f := range o.w.mappings[kind].Fields() {
		if slices.ContainsFunc(o.w.mappings[kind].Outputs(side, f.Name), func(p string) bool { return native[p].Observed() }) {
			out = append(out, f.Name)
		}
	}
	return out
}

// wanted reports whether a person rejected that what a record holds in a field, or held
// then, is written to the one across; or what another had chosen for both.
func (o *oracle) wanted(r *rec, f string, holds record.Fields) bool {
	return o.unwelcome(o.noes(r.t.kind), r, f, holds)
}

// neither reports whether a person rejected that what either record holds in a field goes
// across, or that it fills what was never filled there: both stay as they are, also when that
// runs out, until somebody edits one. After the state was put back, what differs is decided as at
// a first meeting: there what is empty was never filled.
func (o *oracle) neither(l, r *rec, f string) bool {
	noes := slices.DeleteFunc(slices.Clone(o.said), func(x said) bool { return x.kind != l.t.kind || x.approved })
	stays := func(x *rec) bool { return o.unwelcome(noes, x, f, x.native) }
	unfilled := func(x, across *rec) bool {
		return stays(x) && (!across.wasFilled(f) || o.w.restored && across.now(f) == "")
	}
	return stays(l) && stays(r) || unfilled(l, r) || unfilled(r, l)
}

// wasFilled reports whether a field held anything while its record was linked, for as long as
// it takes a run to begin.
func (r *rec) wasFilled(f string) bool {
	hs := r.held[f]
	for i, h := range hs {
		if h.value != "" && (i == len(hs)-1 || hs[i+1].runs > h.runs && hs[i+1].runs >= r.linkedIn) {
			return true
		}
	}
	return false
}

// unwelcome reports whether what a record holds in a field is what one of some noes keeps
// from the other side.
func (o *oracle) unwelcome(noes []said, r *rec, f string, holds record.Fields) bool {
	m := o.w.mappings[r.t.kind]
	mine, _ := m.Read(r.side, holds)
	for _, x := range noes {
		if x.stage.Side != r.side.Other() {
			continue
		}
		for _, row := range x.rows {
			to := o.recs[r.t.kind][x.stage.Side][row.Ref.ID]
			if row.Entry != 0 || to == nil || !slices.Contains(o.akin(r.t), to.t) || !slices.Contains(o.written(r.t.kind, to.side, row.After), f) {
				continue
			}
			theirs, _ := m.Read(to.side, row.After)
			var both [2]record.Value
			both[r.side], both[to.side] = mine[f], theirs[f]
			if f == "guest" || slices.Contains(r.t.chosen[f], theirs[f].Text()) || m.Same(f, both[record.Left], both[record.Right]) {
				return true
			}
		}
	}
	return false
}

// leftOut reports whether a person rejected that a record is made across.
func (o *oracle) leftOut(r *rec) bool {
	m := o.w.mappings[r.t.kind]
	mine, _ := m.Read(r.side, r.native)
	for _, x := range o.noes(r.t.kind) {
		for _, row := range x.rows {
			if row.Entry == 0 || x.stage.Side != r.side.Other() || row.Ref.ID != r.id {
				continue
			}
			theirs, _ := m.Read(x.stage.Side, row.After)
			same := !slices.ContainsFunc(fields[r.t.kind], func(f string) bool {
				shown := f != "note" || o.w.odds(r.side, oddHides)+o.w.odds(r.side, oddLate) == 0 // a person is shown what the list shows
				return shown && mine[f].Text() != theirs[f].Text()
			})
			if same {
				return true
			}
		}
	}
	return false
}

// book is what persons said, for a copy of the state.
func (o *oracle) book() []said {
	out := slices.Clone(o.said)
	for i := range out {
		out[i].rows, out[i].made = maps.Clone(out[i].rows), maps.Clone(out[i].made)
	}
	return out
}

// What a field held before its record was linked, or between two runs, no run knows of: a no
// to filling it leaves it empty for good.
func TestWasFilled(t *testing.T) {
	for name, c := range map[string]struct {
		held []held
		want bool
	}{
		"never":                     {held: []held{{runs: 1}}},
		"stands":                    {held: []held{{runs: 1}, {value: "one", runs: 4}}, want: true},
		"emptied after it was read": {held: []held{{value: "one", runs: 1}, {runs: 3}}, want: true},
		"emptied before the link":   {held: []held{{value: "one", runs: 1}, {runs: 2}}},
		"between two runs":          {held: []held{{runs: 1}, {value: "one", runs: 5}, {runs: 5}}},
		"filled after the link":     {held: []held{{runs: 1}, {value: "one", runs: 5}, {runs: 6}}, want: true},
	} {
		r := &rec{held: map[string][]held{"note": c.held}, linkedIn: 3}
		if got := r.wasFilled("note"); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
