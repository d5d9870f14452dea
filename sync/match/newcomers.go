package match

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"nightporter/sync/record"
	"nightporter/sync/run"
	"nightporter/sync/trust"
)

// newcomers is the unlinked records of a side that came since a create was sent to it,
// by how surely each is what it made.
type Arrivals struct {
	Source  record.Entry   // what it was made from
	Ours    []record.Entry // they hold what was sent, or carry our reference
	Alike   []record.Entry // they are much like it, or only the create ties them to its source
	Others  []record.Entry // anything else; none where ours would carry our reference
	Unseen  bool           // one that may be ours was shown, the last list does not show it, and no read tells that it is gone
	Matched bool           // one has the key that the system keeps unique, and so has the source, which is there: they are matched
}

// newcomers tells the records apart that a create may have made.
func (r *Room) arrivals(ctx context.Context, in record.Intent) (Arrivals, error) {
	side, came := in.Place.Side, Arrivals{}
	known, err := r.store.Entries(ctx, []int64{in.From})
	if err != nil {
		return came, err
	}
	came.Source = known[in.From]
	look := func(e record.Entry) {
		stamped := e.Seen != nil && e.Seen.Stamp != "" && e.Seen.Stamp == in.Change.Stamp
		if stamped || r.CameAfter(in, e) {
			r.Sort(&came, in, e, stamped)
		}
	}
	after, looked := int64(0), map[int64]bool{}
	for {
		es, err := r.store.Unlinked(ctx, r.Place(side), after, run.Batch)
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
	aside, err := r.store.UnlinkedSince(ctx, r.Place(side), r.madeAfter(in))
	for _, e := range aside {
		came.Unseen = came.Unseen || r.mayBeUnseen(in, came.Source, e)
		aside := e.State == record.LeftOut || e.State == record.OutOfScope // by a rule, before anybody asked whether it is ours
		if aside && !looked[e.Num] {
			look(e)
		}
	}
	return came, err
}

// mayBeUnseen reports whether a record may be what a create made, and its side does not show it
// now: one list that leaves it out proves no more than another that showed it.
func (r *Room) mayBeUnseen(in record.Intent, source, e record.Entry) bool {
	if !e.State.Doubted() || !r.CameAfter(in, e) {
		return false
	}
	may := Arrivals{Source: source}
	r.Sort(&may, in, e, e.Seen != nil && e.Seen.Stamp != "" && e.Seen.Stamp == in.Change.Stamp)
	return may.Matched || len(may.Ours)+len(may.Alike) > 0
}

// NewcomersWhole is newcomers once those are read by id that hold what was sent only as far as
// the list shows them: a user may have entered the same, and the rest of it says so. known is
// false while one can't be read. failed counts such records.
func (r *Room) NewcomersWhole(ctx context.Context, in record.Intent, failed *int) (came Arrivals, known bool, err error) {
	side := in.Place.Side
	came, err = r.arrivals(ctx, in)
	if err != nil || !r.CanRead(side) {
		return came, err == nil, err
	}
	read := false
	for _, e := range came.Ours {
		if in.Change.Stamp != "" && e.Seen.Stamp == in.Change.Stamp || !r.Hidden(side, e) {
			continue
		}
		err := r.observe.Refresh(ctx, side, e.Ref)
		if stop := r.observe.PassOver(side, err, failed); stop != nil {
			return came, false, fmt.Errorf("read all of %s, which may be what was made: %w", e.Ref, stop)
		}
		if err != nil {
			r.NoteUnread(side, e.Ref, err)
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
func (r *Room) madeAfter(in record.Intent) time.Time {
	if in.Made.After(r.Now) { // our clock was set back since
		return time.Time{}
	}
	return in.Made
}

// Sort puts one record where it belongs.
func (r *Room) Sort(came *Arrivals, in record.Intent, e record.Entry, stamped bool) {
	side, sent := in.Place.Side, in.Change.Fields
	tied, lasting := r.tied(side, sent, came.Source, e)
	switch {
	case stamped, r.HoldsSent(side, sent, e.Last()):
		came.Ours = append(came.Ours, e)
	case lasting:
		came.Matched = true
	case tied, r.Mostly(side, sent, e.Last()):
		came.Alike = append(came.Alike, e)
	case in.Change.Stamp == "":
		came.Others = append(came.Others, e)
	}
}

// tied reports whether a record has a key of what was sent that the source has no more:
// were the create forgotten, nothing would match the two. lasting says that the source has
// it still, and that the system keeps it unique: whoever made the record, they are matched.
// A source that has left has no key any more: forgotten, what was made of it would pass for
// a stranger, and what somebody removed would be made again of it.
func (r *Room) tied(side record.Side, sent record.Fields, source, e record.Entry) (tied, lasting bool) {
	if source.Num == 0 {
		return false, false
	}
	was, has, now := r.OwnKeys(side, sent), r.OwnKeys(side, e.Last()), map[string][]string{}
	if !Departed(source) {
		now = r.OwnKeys(side.Other(), source.Last())
	}
	unique := r.UniqueRules()[side]
	for rule := range was {
		if !Share(was[rule], has[rule]) {
			continue
		}
		tied = true
		lasting = lasting || unique[rule] && Share(now[rule], has[rule])
	}
	for rule := range has {
		tied = tied && !Share(now[rule], has[rule])
	}
	return tied, lasting
}

func Share(a, b []string) bool {
	return slices.ContainsFunc(a, func(text string) bool { return slices.Contains(b, text) })
}

// MayBe is the newcomers that may be what was sent, and are not the same: any of them
// where the system is not known to give values back as it was given them.
func (r *Room) MayBe(ctx context.Context, side record.Side, came Arrivals) ([]record.Entry, error) {
	if len(came.Ours)+len(came.Alike) > 0 || len(came.Others) == 0 {
		return came.Alike, nil
	}
	tells, err := r.ValuesTell(ctx, side)
	if tells || err != nil {
		return nil, err
	}
	return came.Others, nil
}

// DoubtAll keeps every record back that may be what a create made of which nobody knows
// what became. A list shows ever more of them.
func (r *Room) DoubtAll(ctx context.Context) error {
	if err := r.DoubtLost(ctx); err != nil {
		return err
	}
	return r.DoubtOpen(ctx)
}

// DoubtLost is doubtAll of what is for a person to say.
func (r *Room) DoubtLost(ctx context.Context) error {
	lost, err := r.store.Lost(ctx, r.Job.Binding)
	if err != nil {
		return err
	}
	return r.doubtMade(ctx, lost)
}

// DoubtOpen is doubtAll of what may be settled yet: a record that is taken before it is
// would be created across.
func (r *Room) DoubtOpen(ctx context.Context) error {
	if len(r.Open) == 0 {
		return nil
	}
	open, err := r.store.Unsettled(ctx, r.Job.Binding)
	if err != nil {
		return err
	}
	return r.doubtMade(ctx, slices.DeleteFunc(open, func(in record.Intent) bool { return in.State != record.Sent || r.Meeting[in.From] != "" }))
}

// doubtMade keeps records back that may be what these changes made. Where a create is to
// be sent again the answer names its record, so that until then it may be any newcomer,
// however much a user has made of it.
func (r *Room) doubtMade(ctx context.Context, changes []record.Intent) error {
	for _, in := range changes {
		if in.Change.Op != record.Create {
			continue
		}
		came, err := r.arrivals(ctx, in)
		if err != nil {
			return err
		}
		may, err := r.MayBe(ctx, in.Place.Side, came)
		if err != nil {
			return err
		}
		if in.State == record.Sent && r.AppliesOnce(in.Place.Side, in) {
			may = slices.Concat(came.Alike, came.Others)
		}
		r.doubt(slices.Concat(came.Ours, may), in)
	}
	return nil
}

// doubt keeps records back that may be the ones that a create of ours made.
func (r *Room) doubt(es []record.Entry, in record.Intent) {
	for _, e := range es {
		r.Doubtful[e.Num] = "it may be what change " + in.ID + " made, of which no answer came"
	}
}

// ValuesTell reports whether a linked record shows that the side gives back what
// it was given. Without one, that a value is not in a list proves nothing.
func (r *Room) ValuesTell(ctx context.Context, side record.Side) (bool, error) {
	sample, err := r.store.Sample(ctx, r.Place(side), trust.Witnesses)
	if err != nil {
		return false, err
	}
	for _, e := range sample {
		pair, ok, err := r.store.PairOf(ctx, r.Place(side), e.Ref)
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		here, _ := r.Job.Mapping.Read(side, pair.Sides[side].Last())
		there, _ := r.Job.Mapping.Read(side.Other(), pair.Sides[side.Other()].Last())
		if r.mostlySame(here, there) {
			return true, nil
		}
	}
	return false, nil
}

// mostlySame reports whether at least half of the fields that both sides show are
// the same.
func (r *Room) mostlySame(here, there record.Fields) bool {
	same, shown := 0, 0
	for f, v := range here {
		w := there[f]
		if r.Refs[f] || !v.Observed() || !w.Observed() || v.Empty() || w.Empty() {
			continue
		}
		shown++
		if r.Job.Mapping.Same(f, v, w) {
			same++
		}
	}
	return shown > 0 && same*2 >= shown
}

// Mostly reports whether at least half of what was sent is there: as it was sent, or as something that
// is read the same, such as a number in the place of its digits. A field that is written as several, as
// a guest by a name and a phone, counts once.
func (r *Room) Mostly(side record.Side, sent, now record.Fields) bool {
	m := r.Job.Mapping
	was, _ := m.Read(side, now.With(OnlyShown(sent, now)))
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
		if now.Agrees(part) || len(OnlyShown(part, now)) > 0 && was[f.Name].Equal(is[f.Name]) {
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
