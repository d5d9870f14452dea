package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"nightporter/sync/record"
)

// newcomers is the unlinked records of a side that came since a create was sent to it,
// by how surely each is what it made.
type arrivals struct {
	source  record.Entry   // what it was made from
	ours    []record.Entry // they hold what was sent, or carry our reference
	alike   []record.Entry // they are much like it, or only the create ties them to its source
	others  []record.Entry // anything else; none where ours would carry our reference
	unseen  bool           // one that may be ours was shown, the last list does not show it, and no read tells that it is gone
	matched bool           // one has the key that the system keeps unique, and so has the source, which is there: they are matched
}

// newcomers tells the records apart that a create may have made.
func (r *run) arrivals(ctx context.Context, in record.Intent) (arrivals, error) {
	side, came := in.Place.Side, arrivals{}
	known, err := r.Store.Entries(ctx, []int64{in.From})
	if err != nil {
		return came, err
	}
	came.source = known[in.From]
	look := func(e record.Entry) {
		stamped := e.Seen != nil && e.Seen.Stamp != "" && e.Seen.Stamp == in.Change.Stamp
		if stamped || r.cameAfter(in, e) {
			r.sort(&came, in, e, stamped)
		}
	}
	after, looked := int64(0), map[int64]bool{}
	for {
		es, err := r.Store.Unlinked(ctx, r.place(side), after, batch)
		if err != nil {
			return came, err
		}
		if len(es) == 0 {
			break
		}
		for _, e := range es {
			after, looked[e.Num] = e.Num, true
			look(e)
		}
	}
	aside, err := r.Store.UnlinkedSince(ctx, r.place(side), r.madeAfter(in))
	for _, e := range aside {
		came.unseen = came.unseen || r.mayBeUnseen(in, came.source, e)
		aside := e.State == record.LeftOut || e.State == record.OutOfScope // by a rule, before anybody asked whether it is ours
		if aside && !looked[e.Num] {
			look(e)
		}
	}
	return came, err
}

// mayBeUnseen reports whether a record may be what a create made, and its side does not show it
// now: one list that leaves it out proves no more than another that showed it.
func (r *run) mayBeUnseen(in record.Intent, source, e record.Entry) bool {
	if !e.State.Doubted() || !r.cameAfter(in, e) {
		return false
	}
	may := arrivals{source: source}
	r.sort(&may, in, e, e.Seen != nil && e.Seen.Stamp != "" && e.Seen.Stamp == in.Change.Stamp)
	return may.matched || len(may.ours)+len(may.alike) > 0
}

// newcomersWhole is newcomers once those are read by id that hold what was sent only as far as
// the list shows them: a user may have entered the same, and the rest of it says so. known is
// false while one can't be read. failed counts such records.
func (r *run) newcomersWhole(ctx context.Context, in record.Intent, failed *int) (came arrivals, known bool, err error) {
	side := in.Place.Side
	came, err = r.arrivals(ctx, in)
	if err != nil || !r.canRead(side) {
		return came, err == nil, err
	}
	read := false
	for _, e := range came.ours {
		if in.Change.Stamp != "" && e.Seen.Stamp == in.Change.Stamp || !r.hidden(side, e) {
			continue
		}
		err := r.refresh(ctx, side, e.Ref)
		if stop := r.passOver(side, err, failed); stop != nil {
			return came, false, fmt.Errorf("read all of %s, which may be what was made: %w", e.Ref, stop)
		}
		if err != nil {
			r.noteUnread(side, e.Ref, err)
			return came, false, nil
		}
		read = true
	}
	if read {
		came, err = r.arrivals(ctx, in)
	}
	return came, err == nil, err
}

// madeAfter is the moment after which records came that a create may have made.
func (r *run) madeAfter(in record.Intent) time.Time {
	if in.Made.After(r.now) { // our clock was set back since
		return time.Time{}
	}
	return in.Made
}

// cameAfter reports whether a record was first seen after a create was sent for the
// first time: sent once more, it may still have been the first that made it. Where our
// clock was set back since then, no time tells the new from the old.
func (r *run) cameAfter(in record.Intent, e record.Entry) bool {
	return e.Since.After(in.Made) || in.Made.After(r.now)
}

// sort puts one record where it belongs.
func (r *run) sort(came *arrivals, in record.Intent, e record.Entry, stamped bool) {
	side, sent := in.Place.Side, in.Change.Fields
	tied, lasting := r.tied(side, sent, came.source, e)
	switch {
	case stamped, r.holdsSent(side, sent, e.Last()):
		came.ours = append(came.ours, e)
	case lasting:
		came.matched = true
	case tied, r.mostly(side, sent, e.Last()):
		came.alike = append(came.alike, e)
	case in.Change.Stamp == "":
		came.others = append(came.others, e)
	}
}

// tied reports whether a record has a key of what was sent that the source has no more:
// were the create forgotten, nothing would match the two. lasting says that the source has
// it still, and that the system keeps it unique: whoever made the record, they are matched.
// A source that has left has no key any more: forgotten, what was made of it would pass for
// a stranger, and what somebody removed would be made again of it.
func (r *run) tied(side record.Side, sent record.Fields, source, e record.Entry) (tied, lasting bool) {
	if source.Num == 0 {
		return false, false
	}
	was, has, now := r.ownKeys(side, sent), r.ownKeys(side, e.Last()), map[string][]string{}
	if !departed(source) {
		now = r.ownKeys(side.Other(), source.Last())
	}
	unique := r.uniqueRules()[side]
	for rule := range was {
		if !share(was[rule], has[rule]) {
			continue
		}
		tied = true
		lasting = lasting || unique[rule] && share(now[rule], has[rule])
	}
	for rule := range has {
		tied = tied && !share(now[rule], has[rule])
	}
	return tied, lasting
}

func share(a, b []string) bool {
	return slices.ContainsFunc(a, func(text string) bool { return slices.Contains(b, text) })
}

// mayBe is the newcomers that may be what was sent, and are not the same: any of them
// where the system is not known to give values back as it was given them.
func (r *run) mayBe(ctx context.Context, side record.Side, came arrivals) ([]record.Entry, error) {
	if len(came.ours)+len(came.alike) > 0 || len(came.others) == 0 {
		return came.alike, nil
	}
	tells, err := r.valuesTell(ctx, side)
	if tells || err != nil {
		return nil, err
	}
	return came.others, nil
}

// doubtAll keeps every record back that may be what a create made of which nobody knows
// what became. A list shows ever more of them.
func (r *run) doubtAll(ctx context.Context) error {
	if err := r.doubtLost(ctx); err != nil {
		return err
	}
	return r.doubtOpen(ctx)
}

// doubtLost is doubtAll of what is for a person to say.
func (r *run) doubtLost(ctx context.Context) error {
	lost, err := r.Store.Lost(ctx, r.job.Binding)
	if err != nil {
		return err
	}
	return r.doubtMade(ctx, lost)
}

// doubtOpen is doubtAll of what may be settled yet: a record that is taken before it is
// would be created across.
func (r *run) doubtOpen(ctx context.Context) error {
	if len(r.open) == 0 {
		return nil
	}
	open, err := r.Store.Unsettled(ctx, r.job.Binding)
	if err != nil {
		return err
	}
	return r.doubtMade(ctx, slices.DeleteFunc(open, func(in record.Intent) bool { return in.State != record.Sent || r.meeting[in.From] != "" }))
}

// doubtMade keeps records back that may be what these changes made. Where a create is to
// be sent again the answer names its record, so that until then it may be any newcomer,
// however much a user has made of it.
func (r *run) doubtMade(ctx context.Context, changes []record.Intent) error {
	for _, in := range changes {
		if in.Change.Op != record.Create {
			continue
		}
		came, err := r.arrivals(ctx, in)
		if err != nil {
			return err
		}
		may, err := r.mayBe(ctx, in.Place.Side, came)
		if err != nil {
			return err
		}
		if in.State == record.Sent && r.appliesOnce(in.Place.Side, in) {
			may = slices.Concat(came.alike, came.others)
		}
		r.doubt(slices.Concat(came.ours, may), in)
	}
	return nil
}

// doubt keeps records back that may be the ones that a create of ours made.
func (r *run) doubt(es []record.Entry, in record.Intent) {
	for _, e := range es {
		r.doubtful[e.Num] = "it may be what change " + in.ID + " made, of which no answer came"
	}
}

// valuesTell reports whether a linked record shows that the side gives back what
// it was given. Without one, that a value is not in a list proves nothing.
func (r *run) valuesTell(ctx context.Context, side record.Side) (bool, error) {
	sample, err := r.Store.Sample(ctx, r.place(side), witnesses)
	if err != nil {
		return false, err
	}
	for _, e := range sample {
		pair, ok, err := r.Store.PairOf(ctx, r.place(side), e.Ref)
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		here, _ := r.job.Mapping.Read(side, pair.Sides[side].Last())
		there, _ := r.job.Mapping.Read(side.Other(), pair.Sides[side.Other()].Last())
		if r.mostlySame(here, there) {
			return true, nil
		}
	}
	return false, nil
}

// mostlySame reports whether at least half of the fields that both sides show are
// the same.
func (r *run) mostlySame(here, there record.Fields) bool {
	same, shown := 0, 0
	for f, v := range here {
		w := there[f]
		if r.refs[f] || !v.Observed() || !w.Observed() || v.Empty() || w.Empty() {
			continue
		}
		shown++
		if r.job.Mapping.Same(f, v, w) {
			same++
		}
	}
	return shown > 0 && same*2 >= shown
}

// mostly reports whether at least half of what was sent is there: as it was sent, or as something that
// is read the same, such as a number in the place of its digits. A field that is written as several, as
// a guest by a name and a phone, counts once.
func (r *run) mostly(side record.Side, sent, now record.Fields) bool {
	m := r.job.Mapping
	was, _ := m.Read(side, now.With(onlyShown(sent, now)))
	is, _ := m.Read(side, now)
	same, all, rest := 0, 0, maps.Clone(sent)
	for _, f := range m.Fields() {
		part := record.Fields{}
		for _, p := range m.Inputs(side, f.Name) {
			if v, ok := sent[p]; ok {
				part[p] = v
				delete(rest, p)
			}
		}
		if len(part) == 0 {
			continue
		}
		all++
		if now.Agrees(part) || len(onlyShown(part, now)) > 0 && was[f.Name].Equal(is[f.Name]) {
			same++
		}
	}
	for p, v := range rest {
		all++
		if now[p].Equal(v) {
			same++
		}
	}
	return same*2 >= all
}
