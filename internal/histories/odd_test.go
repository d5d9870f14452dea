package histories

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// oddity is something that a system, a job or its people do in some histories, beside the
// climate. Each is drawn by numbers of its own: a new one leaves the draws of all others.
type oddity struct {
	name string
	one  int    // it comes in one of so many histories that have oddities
	job  bool   // it is of the whole history, not of one side
	what string // what it is
	// waits says for which section of docs/outside.md it waits, or why else it is not
	// drawn; "" where it is. NIGHTPORTER_ODD draws it all the same.
	waits string
}

// The oddities.
const (
	oddClamp    = "clamp"
	oddByField  = "byfield"
	oddGetLag   = "getlag"
	oddFindLag  = "findlag"
	oddOverlap  = "overlap"
	oddMerged   = "mergedshows"
	oddRequired = "required"
	oddNoGet    = "noget"
	oddFindAny  = "findany"
	oddHides    = "hides"
	oddBulky    = "bulky"
	oddGarbled  = "garbled"
	oddReplaces = "replaces"
	oddRewrites = "rewrites"
	oddIgnores  = "ignores"
	oddKeyLife  = "keylife"
	oddLate     = "late"
	oddNever    = "never"
	oddSecond   = "whenreferenced"
	oddWindow   = "window"
	oddShrink   = "shrink"
	oddSeal     = "seal"
	oddLimit    = "limit"
	oddHold     = "hold"
	oddSkip     = "skip"
	oddAlways   = "always"
	oddScopes   = "scopes"
	oddRecall   = "recall"
	oddLeave    = "leave"
	oddNoTimes  = "notimes"
	oddFixed    = "fixed"
	oddStands   = "represent"
	oddCadence  = "cadence"
	oddAccount  = "account"
	oddKicked   = "kicked"
	oddTried    = "tried"
	oddTells    = "tells"
	oddSchema   = "schema"
	oddUndone   = "undone"
	oddStill    = "still"
	oddUnlisted = "unlisted"
)

// oddities is all of them, in no order that matters.
var oddities = []oddity{
	{name: oddClamp, one: 6, what: "pages have fewer rows than are asked for"},
	{name: oddByField, one: 6, what: "lists are sorted by a field that users edit"},
	{name: oddGetLag, one: 6, what: "reads by id show what was there some seconds ago"},
	{name: oddFindLag, one: 6, what: "searches lag otherwise than lists"},
	{name: oddOverlap, one: 6, what: "lists of what changed begin again some time before"},
	{name: oddMerged, one: 6, what: "a merged record is read as the one that it became"},
	{name: oddRequired, one: 6, what: "a create without a phone or a name is refused"},
	{name: oddNoGet, one: 6, what: "nothing can be read by its id"},
	{name: oddFindAny, one: 6, what: "any fields can be searched for"},
	{name: oddHides, one: 6, what: "lists don't show the note"},
	{name: oddBulky, one: 6, what: "users enter records that are too large to be read"},
	{name: oddGarbled, one: 6, what: "users enter records of which nobody can make anything"},
	{name: oddReplaces, one: 8, what: "an update empties what it is not given, until the owner says how it is sent"},
	{name: oddRewrites, one: 6, what: "an update sends the record whole, as it was read just before"},
	{name: oddIgnores, one: 6, what: "a create takes no notice of the status"},
	{name: oddKeyLife, one: 6, what: "an idempotency key is forgotten after a day"},
	{name: oddLate, one: 6, what: "the note of a record is shown once its name was edited"},
	{name: oddNever, one: 8, what: "nothing is created on a side"},
	{name: oddSecond, one: 8, what: "a guest is created on a side only for a booking"},
	{name: oddWindow, one: 3, job: true, what: "bookings of some days alone are read"},
	{name: oddShrink, one: 6, job: true, what: "a side that lacks many records stops the job"},
	{name: oddSeal, one: 6, job: true, what: "values are kept as digests"},
	{name: oddLimit, one: 6, job: true, what: "some runs carry out one action, or two"},
	{name: oddHold, one: 6, job: true, what: "in some runs nothing may be written to a side"},
	{name: oddSkip, one: 6, job: true, what: "some runs don't read one side"},
	{name: oddAlways, one: 6, job: true, what: "a person decides a field once and for all, and takes that back"},
	{name: oddScopes, one: 6, job: true, what: "a person pauses one job, or one system"},
	{name: oddRecall, one: 6, job: true, what: "the state is put back between an answer and what comes of it"},
	{name: oddNoTimes, one: 6, what: "records don't show when they changed, and half of them not when they were made"},
	{name: oddFixed, one: 8, what: "what is there can't be changed"},
	{name: oddStands, one: 6, job: true, what: "of several with one key one stands for all"},
	{name: oddCadence, one: 6, job: true, what: "lists are compared whole every hour, and bookings wait an hour for their guest"},
	{name: oddAccount, one: 6, job: true, what: "systems name their account"},
	{name: oddKicked, one: 6, job: true, what: "a record is taken first in the middle of a run"},
	{name: oddLeave, one: 6, job: true, what: "a person says of a record that is gone what becomes of the other"},
	{name: oddTried, one: 4, what: "the first write of each operation is a trial, and shows nothing wrong"},
	{name: oddTells, one: 6, what: "lists go on showing what was removed, to say that it was"},
	{name: oddSchema, one: 2, job: true, what: "a field that lists show no more stops the job"},
	{name: oddUndone, one: 6, what: "some updates are answered as if they were done, and are not"},
	{name: oddStill, one: 6, what: "a version moves with what programs write, and not with what users do"},
	{name: oddUnlisted, one: 6, what: "lists don't show bookings that were cancelled"},
}

// odd is the oddities of a history: a number for each that it has, to draw more from.
type odd struct {
	sides [2]map[string]int
	job   map[string]int
}

// forced is the environment's word on which oddities histories have: these, and no others.
var forced = os.Getenv("NIGHTPORTER_ODD")

// oddOf draws the oddities of a seed. Half of the histories have none.
func oddOf(seed uint64) odd {
	o := odd{job: map[string]int{}, sides: [2]map[string]int{{}, {}}}
	rng := rand.New(rand.NewPCG(seed, 6))
	if rng.IntN(2) == 0 && forced == "" {
		return o
	}
	for i, x := range oddities {
		rng := rand.New(rand.NewPCG(seed, uint64(100+i)))
		of := []map[string]int{o.sides[record.Left], o.sides[record.Right]}
		if x.job {
			of = []map[string]int{o.job}
		}
		must := slices.Contains(strings.Split(forced, ","), x.name)
		first := rng.IntN(len(of))
		for j := range of {
			v, hit := 1+rng.IntN(1000), rng.IntN(x.one) == 0
			if must && (j == 0 || hit) || hit && forced == "" && x.waits == "" {
				of[(first+j)%len(of)][x.name] = v
			}
		}
	}
	return o
}

// at is the number of an oddity of a side, 0 where it has none.
func (w *world) odds(side record.Side, name string) int { return w.odd.sides[side][name] }

// fitting is the oddities without those that a climate has no place for. Where digests alone
// are kept, of a set that a person rejected nobody could tell any more what would put it back;
// and no job is begun with digests of what can't be read by its id.
func (o odd) fitting(c climate) odd {
	noGet := o.sides[record.Left][oddNoGet]+o.sides[record.Right][oddNoGet] > 0
	if o.job = maps.Clone(o.job); !c.free() || noGet {
		delete(o.job, oddSeal)
	}
	for i, has := range o.sides { // what lists don't show, nothing would
		if has[oddNoGet] == 0 {
			continue
		}
		o.sides[i] = maps.Clone(has)
		delete(o.sides[i], oddLate)
		delete(o.sides[i], oddHides)
		delete(o.sides[i], oddUnlisted)
		delete(o.sides[i], oddReplaces) // what an update did beside what it was sent, nothing would tell
	}
	for i, has := range o.sides { // what an update emptied, and no read had shown before, nobody knows: it came late, or a moment ago
		if has[oddGetLag]+has[oddLate] > 0 && has[oddReplaces] > 0 {
			o.sides[i] = maps.Clone(has)
			delete(o.sides[i], oddReplaces)
		}
	}
	for i, has := range o.sides { // of what comes late a list says that it is lacking, wherever it shows nothing of it
		if has[oddLate] > 0 && has[oddHides] > 0 {
			o.sides[i] = maps.Clone(has)
			delete(o.sides[i], oddHides)
		}
	}
	for _, has := range o.sides { // what comes late, or no list shows, lists lack by nature
		if has[oddLate]+has[oddHides] > 0 {
			delete(o.job, oddSchema)
		}
	}
	return o
}

// is is the number of an oddity of the history, 0 where it has none.
func (w *world) is(name string) int { return w.odd.job[name] }

// String is the oddities in a line.
func (o odd) String() string {
	return fmt.Sprintf("left %v, right %v, both %v", slices.Sorted(maps.Keys(o.sides[record.Left])), slices.Sorted(maps.Keys(o.sides[record.Right])), slices.Sorted(maps.Keys(o.job)))
}

// with is a climate with what oddities change in it.
func (c climate) with(o odd) climate {
	for side := range c.sides {
		w := &c.sides[side]
		if o.sides[side][oddByField] > 0 {
			w.order = int(memory.ByField)
		}
		if o.sides[side][oddFindAny] > 0 && w.versions { // what is asked in a query of its own compares what it replaces, too
			w.guarded = true
		}
		if n := o.sides[side][oddGetLag]; n > 0 {
			w.getLag = time.Duration(1+n%4) * time.Second
		}
	}
	return c
}

// unlistedStay reports whether a booking was cancelled, and so is in no list of a side of which the
// lists omit such ones.
func unlistedStay(side record.Side, f record.Fields) bool {
	return strings.EqualFold(f[path(side, "status")].Text(), "cancelled")
}

// oddKind gives a kind of a system what its oddities are.
func (w *world) oddKind(side record.Side, kind int, k memory.Kind) memory.Kind {
	at := func(name string) int { return w.odds(side, name) }
	if n := at(oddClamp); n > 0 {
		k.Clamp = 1 + n%k.PageSize
	}
	if k.Order == memory.ByField {
		k.OrderField = path(side, tag[kind])
	}
	k.GetLag = w.c.sides[side].getLag
	if n := at(oddFindLag); n > 0 {
		k.FindLag = time.Duration(n%5) * time.Second
	}
	if n := at(oddOverlap); n > 0 {
		k.SinceOverlap = time.Duration(1+n%60) * time.Minute
	}
	k.MergedShows, k.ShowsGone = at(oddMerged) > 0, at(oddTells) > 0
	if at(oddRequired) > 0 {
		for _, f := range [2][]string{guests: {"phone", "full_name"}, stays: {"arrival", "departure"}}[kind] {
			k.Required = append(k.Required, path(side, f))
		}
	}
	k.NoCreate, k.NoUpdate = at(oddNever)%2 == 1, at(oddFixed) > 0
	if k.Times = at(oddNoTimes) == 0; !k.Times {
		k.Since, k.Born = false, at(oddNoTimes)%2 == 1
	}
	k.NoGet, k.FindAny = at(oddNoGet) > 0, at(oddFindAny) > 0
	k.Replaces, k.Rewrites = at(oddReplaces) > 0, at(oddRewrites) > 0 || w.righted[side]
	k.Tried = k.Replaces || at(oddTried) > 0
	if at(oddUndone) > 0 {
		k.Undone, k.Echoes = undone, at(oddUndone)%2 == 1
	}
	if at(oddKeyLife) > 0 {
		k.KeyLife = 24 * time.Hour
	}
	if kind == stays {
		if at(oddUnlisted) > 0 {
			k.Unlisted = func(f record.Fields) bool { return unlistedStay(side, f) }
		}
		if w.is(oddWindow) > 0 {
			k.Window = [2]string{path(side, "arrival"), path(side, "departure")}
			k.SinceInDays = w.changesInDays(side)
			if w.is(oddWindow)%4 == 1+int(side) {
				k.Reach = 400
			}
		}
		if at(oddIgnores) > 0 {
			k.Ignores = map[string]record.Value{path(side, "status"): record.OfText(word(side, "pending"))}
		}
		return k
	}
	note := path(side, "note")
	if at(oddHides) > 0 {
		k.ListHides = []string{note}
	}
	if at(oddGarbled) > 0 {
		k.Unreadable = func(f record.Fields) bool { return strings.HasPrefix(f[note].Text(), garbled) }
	}
	if at(oddLate) > 0 {
		if k.Late = []string{note}; side == record.Right { // the part with all that is in it
			k.Late = []string{theirMore}
		}
		name := path(side, "full_name")
		k.Unfinished = func(shown record.Fields) *record.Unfinished {
			if !strings.HasPrefix(shown[name].Text(), asEntered) {
				return nil
			}
			return &record.Unfinished{Lacks: []string{note}, Within: time.Hour}
		}
	}
	return k
}

// garbled is what a note begins with that makes its record unreadable, in small letters and
// six of them.
const garbled = "broken"

// asEntered is what a name begins with that nobody edited yet.
const asEntered = "p#"

// mostField is how large a record may be where some are larger.
const mostField = 4000

// oddValue is what a user enters in a field in the place of what was drawn.
func (w *world) oddValue(s step, v string) string {
	if s.field != "note" || v == "" {
		return v
	}
	switch {
	case w.odds(s.side, oddBulky) > 0 && s.k%6 == 0:
		return v + strings.Repeat(".", mostField)
	case w.odds(s.side, oddGarbled) > 0 && s.k%6 == 1:
		return garbled + v
	}
	return v
}

// unreadable reports whether nobody can read a record as it is.
func (w *world) unreadable(r *rec) bool {
	note := r.now("note")
	return len(note) > mostField && w.odds(r.side, oddBulky) > 0 || strings.HasPrefix(note, garbled) && w.odds(r.side, oddGarbled) > 0
}

// lacks reports whether a record does not show its note yet.
func (w *world) lacks(r *rec) bool {
	return w.odds(r.side, oddLate) > 0 && strings.HasPrefix(r.now("full_name"), asEntered)
}

// lackedLately reports whether a record did not show its note at a moment of which a read by id
// tells now.
func (w *world) lackedLately(r *rec) bool {
	from := w.clock(r.side).Add(-w.c.sides[r.side].getLag)
	return w.odds(r.side, oddLate) > 0 && slices.ContainsFunc(r.since("full_name", from), func(name string) bool { return strings.HasPrefix(name, asEntered) })
}

// outside reports whether a booking begins behind the days that are read.
func (w *world) outside(r *rec) bool {
	return r.t.kind == stays && w.is(oddWindow) > 0 && r.now("arrival") > w.windowTo().Format(time.DateOnly)
}

// changesInDays reports whether a side lists what changed of some days alone.
func (w *world) changesInDays(side record.Side) bool { return w.is(oddWindow)/7%4 == 1+int(side) }

// unknown reports whether lists say nothing of a record that there is to say: nobody can read
// it, or it is outside of the days that are read.
func (w *world) unshown(r *rec) bool { return w.unreadable(r) || w.outside(r) }

// seal has the state keep digests in the place of values. The key is in a file beside it, and
// the same for all of a history's lives.
func (w *world) seal(ctx context.Context) error {
	if w.is(oddSeal) == 0 {
		return nil
	}
	if w.key == "" {
		w.key = filepath.Join(w.dir, fmt.Sprintf("key-%d", w.seed))
	}
	return w.store.KeepDigests(ctx, w.key, jobs[:w.kinds()])
}

// untold reports whether nothing tells of an edit of a record's note: lists hide it, and show
// neither a version that moves with it nor a time of change. Nobody has a reason to read it by
// its id.
func (w *world) untold(r *rec) bool {
	moves := w.c.sides[r.side].versions && w.odds(r.side, oddStill) == 0
	return w.odds(r.side, oddHides) > 0 && w.odds(r.side, oddNoTimes) > 0 && !moves
}

// listed is what a list shows of a record.
func (w *world) listed(side record.Side, all record.Fields) record.Fields {
	lacks := w.odds(side, oddLate) > 0 && strings.HasPrefix(all[path(side, "full_name")].Text(), asEntered)
	if w.odds(side, oddHides) == 0 && !lacks {
		return all
	}
	out := all.Clone()
	delete(out, path(side, "note"))
	return out
}

// justNow reports whether a record held a value until a moment of which no read tells any
// more: reads by id show what was there before, or there are none, and nobody could look.
func (w *world) justNow(r *rec, at string, was record.Value) bool {
	if !w.gets(r.side) {
		return true
	}
	from := w.clock(r.side).Add(-w.c.sides[r.side].getLag)
	for _, f := range fields[r.t.kind] {
		if path(r.side, f) == at {
			return slices.Contains(r.since(f, from), was.Text())
		}
	}
	return false
}

// garbles reports whether a side has a record of a kind that nobody can read.
func (w *world) garbles(kind int) bool {
	return w.some(kind, func(r *rec) bool { return !r.dead && w.unreadable(r) })
}

// unburied reports whether a linked record is gone, or has left the days that are read, on a
// side that can't be asked for it: it is never believed gone, and what waits to be written there
// waits on.
func (w *world) unburied(kind int) bool {
	return w.some(kind, func(r *rec) bool { return (r.dead || w.outside(r)) && r.linked != nil && !w.gets(r.side) })
}

// some reports whether any record of a kind is so.
func (w *world) some(kind int, is func(*rec) bool) bool {
	for _, side := range record.Sides {
		if slices.ContainsFunc(slices.Collect(maps.Values(w.recs[kind][side])), is) {
			return true
		}
	}
	return false
}

// mend has users mend what nobody could read: in half of the histories that have such records,
// and wherever too few others are left to know a system by, or a trial may stand: it waits for
// its record until that can be read.
func (w *world) mend() {
	for _, side := range record.Sides {
		readable := 0
		for _, r := range w.recs[guests][side] {
			if !r.dead && r.linked != nil && !r.linked.dead && !w.unreadable(r) {
				readable++
			}
		}
		tried := w.odds(side, oddTried)+w.odds(side, oddReplaces) > 0
		if (w.odds(side, oddBulky)+w.odds(side, oddGarbled))%2 > 0 && readable > vouching && !tried {
			continue
		}
		for n := range people {
			if r := w.alive(side, guests, n); r != nil && w.unreadable(r) {
				w.userStep(step{what: doEdit, side: side, n: n, field: "note", value: fmt.Sprintf("mended%d", n), k: 2})
			}
		}
	}
}

// compareIgnored checks that a status which a create took no notice of stands in the end,
// where nobody gave the booking another one and the desk's word is the one that it was made
// with.
func (w *world) compareIgnored(t *thing, l, r *rec) {
	at := w.c.sides[record.Left]
	if at.silent && (at.getLag > 0 || !w.gets(record.Left) || !at.action) { // nothing showed the word in time: it is taken for what was sent
		return
	}
	if w.odds(record.Left, oddUndone)%2 == 1 { // it answers with what it was asked for: the word that it shows later is the drift of somebody's step
		return
	}
	if w.odds(record.Left, oddIgnores) == 0 || l.user || t.torn || t.refused || t.blurred || len(r.held["status"]) > 1 || len(l.held["status"]) > 1 && over(l.now("status")) {
		return
	}
	if slices.ContainsFunc(t.writes["status"], func(x write) bool { return x.side == record.Left }) {
		return
	}
	if want := word(record.Left, r.now("status")); l.now("status") != want && !w.wanted(l, "status", l.native) && !w.wanted(r, "status", r.native) {
		w.wrong("booking %d is %s on the right since it was entered, and is %s on the left, which took no notice of the word", t.n, r.now("status"), l.now("status"))
	}
}

// gets reports whether records of a side can be read by id.
func (w *world) gets(side record.Side) bool { return w.odds(side, oddNoGet) == 0 }

// barred reports whether nothing is created on a side of what is across, or only what
// something names.
func (w *world) barred(side record.Side, kind int) bool {
	return w.odds(side, oddNever) > 0 || w.odds(side, oddSecond) > 0 && kind == guests && w.c.stays
}

// oddJob gives a job what is odd about it.
func (w *world) oddJob(kind int, j *engine.Job) {
	for _, side := range record.Sides {
		k := &j.Sides[side]
		switch {
		case w.odds(side, oddNever) > 0:
			k.Create = engine.Never
		case w.odds(side, oddSecond) > 0 && kind == guests && w.c.stays:
			k.Create = engine.WhenReferenced
		}
		j.Rules.Kinds[side].Required = k.Can.Required
		j.Rules.Kinds[side].NoUpdate = !k.Can.Update
		if w.is(oddAccount) > 0 {
			k.Account = func(context.Context) (string, error) { return accountOf(side), nil }
		}
		if w.odds(side, oddBulky) > 0 {
			j.MaxField = mostField
		}
	}
	if w.is(oddWindow) > 0 && kind == stays {
		j.Window = &engine.Window{From: -30 - w.is(oddWindow)%7, To: int(w.windowTo().Sub(windowFrom).Hours() / 24)}
	}
	if n := w.is(oddStands); n > 0 {
		j.Represent, j.By = true, []string{"oldest", "newest", "lowest_id"}[n%3]
	}
	if w.is(oddCadence) > 0 {
		j.FullEvery = time.Hour
		for i := range j.References {
			j.References[i].Wait = time.Hour
		}
	}
	if w.is(oddShrink) > 0 {
		j.Shrink = 30
	}
	if n := w.is(oddSchema); n > 0 {
		j.Unshown = 10 + n%50
	}
	if w.is(oddSeal) > 0 {
		j.Seal = w.store.SealKey(jobs[kind])
	}
}

// windowFrom is the day on which a history begins.
var windowFrom = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// windowTo is the last day on which a booking may begin that is read on the first day.
func (w *world) windowTo() time.Time {
	return time.Date(2000, 6, 8+w.is(oddWindow)%5, 0, 0, 0, 0, time.UTC)
}

// accountOf is what a system calls its account.
func accountOf(side record.Side) string { return "house of " + string(systems[side]) }

// kicked has a record taken first somewhere in a run, once.
func (w *world) kicked(s step) func() []engine.Kick {
	calls := 0
	return func() []engine.Kick {
		t := w.things[s.job(w)][s.n]
		if calls++; calls != 1+s.k/4 || t == nil || len(t.recs[s.side]) == 0 {
			return nil
		}
		r := t.recs[s.side][s.k%len(t.recs[s.side])]
		w.log("    taken first: %s %s", s.side, r.id)
		return []engine.Kick{{Side: s.side, Ref: record.Ref{Kind: kinds[t.kind][s.side], ID: r.id}}}
	}
}

// oddRun gives a run what is odd about it.
func (w *world) oddRun(s step, o engine.Options) engine.Options {
	if w.is(oddLimit) > 0 && s.k%4 == 0 {
		o.Limit = 1 + s.k%2
	}
	if w.is(oddHold) > 0 && s.k%4 == 1 {
		o.Hold = func(side record.Side) string {
			if side == s.side {
				return "its limit is used up"
			}
			return ""
		}
	}
	if w.is(oddKicked) > 0 && !o.Dry {
		o.Kicked = w.kicked(s)
		o.Took = func(_ context.Context, t engine.Taken) { w.log("    taken: %+v", t) }
		o.Urgent = func(ctx context.Context) context.Context { return ctx }
		o.Begun = func(run int64) { w.log("    run %d", run) }
		o.Progress = func(p engine.Progress) {
			if p.Total >= 0 && p.Done > p.Total && p.Phase == "apply" {
				w.wrong("%d of %d are done", p.Done, p.Total)
			}
		}
	}
	if w.is(oddSkip) > 0 && s.k%4 == 2 {
		o.Skip[s.side] = true
	}
	return o
}

// decideAlways has a person decide a field once and for all, or take that back.
func (w *world) decideAlways(ctx context.Context, s step) {
	if w.is(oddAlways) == 0 || s.k%3 == 0 {
		return
	}
	field := fields[guests][s.k%len(fields[guests])]
	if s.k%2 == 0 {
		_, err := w.store.ForgetAlways(ctx, jobs[guests], field)
		w.must("forget what was decided", err)
		return
	}
	take := []string{"left", "right"}[s.side]
	w.log("  always take %s of the %s", field, take)
	w.count.add("choice always")
	w.must("decide for always", w.store.DecideAlways(ctx, record.Always{Binding: jobs[guests], Field: field, Take: record.Choice(take), By: "a person", Since: time.Now()}))
}

// again has a person take back what they said of a lost change, or have a record read again.
func (w *world) again(ctx context.Context, s step) {
	if w.is(oddAlways) == 0 {
		return
	}
	claims, err := w.store.Claims(ctx, jobs[s.job(w)])
	w.must("read what was said", err)
	for _, id := range slices.Sorted(maps.Keys(claims)) {
		w.log("  lost change %s: nothing is said any more", id)
		w.must("take back what was said", w.store.Unclaim(ctx, id))
	}
	if r := w.alive(s.side, s.job(w), s.n); r != nil {
		e, ok, err := w.store.Entry(ctx, record.Place{Binding: jobs[r.t.kind], Side: r.side}, record.Ref{Kind: kinds[r.t.kind][r.side], ID: r.id})
		if w.must("read entry", err); ok {
			w.must("read it again", w.store.ReadAgain(ctx, jobs[r.t.kind], e.Num, time.Now()))
		}
	}
}

// decideGone has a person say of a record that is gone what becomes of the one across.
func (w *world) decideGone(ctx context.Context, s step, c record.Question) bool {
	asked := []away.Question{away.AskGone, away.AskEdited, away.AskAnew, away.AskUnable}
	if w.is(oddLeave) == 0 || c.Field != engine.RecordField || !slices.Contains(asked, away.Question(c.Cause)) {
		return false
	}
	choice := []away.GoneChoice{away.ChooseLeave, away.ChooseAnew, away.ChooseCarry}[s.k%3]
	if c.Cause == record.Cause(away.AskUnable) { // that it goes is no answer
		choice = []away.GoneChoice{away.ChooseLeave, away.ChooseAnew}[s.k%2]
	}
	w.log("  conflict %d of link %d, %s: %s", c.ID, c.Link, c.Cause, choice)
	for _, t := range w.thingsOf(c.Link) {
		if t != nil {
			t.torn, t.carried, t.wantedAnew = true, t.carried || choice == away.ChooseCarry, t.wantedAnew || choice == away.ChooseAnew
		}
	}
	w.count.add("choice " + string(choice))
	w.must("say what becomes of it", w.store.Choose(ctx, c.ID, "value", record.OfText(string(choice)), time.Now()))
	return true
}

// oddPause is what a person pauses: one job or one system alone, or all.
func (w *world) oddPause(p record.Pause) record.Pause {
	if w.is(oddScopes) == 0 {
		return p
	}
	switch w.halted % 3 {
	case 0:
		p.Scope, p.Name = record.PauseJob, string(jobs[guests])
	case 1:
		p.Scope, p.Name = record.PauseSystem, string(systems[w.halted/3%2])
	}
	return p
}

// recall has the state copied right after an answer, what was answered done, and the state
// put back to the copy.
func (w *world) recall(ctx context.Context, s step) {
	if w.is(oddRecall) == 0 || s.k%2 > 0 || w.running > 0 {
		return
	}
	w.keepCopy(ctx)
	w.try(s.job(w), engine.Options{})
	if s.k%4 == 0 { // what came of it is edited before
		w.userStep(step{what: doEdit, side: s.side, kind: guests, n: s.n, field: "note", value: fmt.Sprintf("R%dafter", w.runs), k: 2})
	}
	w.sleep(settle)
	w.putBack(ctx)
}

// reverts reports whether what is written over a user's last edit is what stood there before
// it, and nobody edited the other side since or decided that. A person is to be asked about
// such a field, also by a state that was put back and does not know what we wrote.
func (o *oracle) reverts(r *rec, f, v string) bool {
	ws := r.t.writes[f]
	if !o.restored || o.w.c.policies[f] != merge.Person || len(ws) == 0 || len(o.said) > 0 || o.w.is(oddAlways) > 0 || len(o.akin(r.t)) > 1 {
		return false
	}
	for _, c := range o.w.c.sides {
		if c.lag+c.getLag > 0 || c.silent || c.lossy {
			return false
		}
	}
	last := ws[len(ws)-1]
	if slices.ContainsFunc(ws[:len(ws)-1], func(x write) bool { return x.ofJob == last.ofJob && x.value == v }) {
		return false // no run saw it there before that, or it is an edit across that none has brought yet
	}
	return last.side == r.side && last.value == r.now(f) && last.value != v && last.value != "" && v != "" && last.seq > r.t.decided && r.ever(f, v) && r.user && len(r.t.all(r.side)) == 1 && len(r.t.all(r.side.Other())) == 1 && r.back.IsZero()
}

// recalled takes from what persons said what was made of it: said before the state was put
// back, it does not count a second time.
func (o *oracle) recalled() {
	for _, x := range o.said {
		maps.DeleteFunc(x.rows, func(action string, _ record.Staged) bool {
			x.made[action] = x.made[action] || x.approved && o.made[action]
			return x.made[action]
		})
	}
}
