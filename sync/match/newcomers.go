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

// Arrivals is the records without a link that came to a side since a create was sent to it, by how surely each is
// what the create made.
type Arrivals struct {
	Source  record.Entry   // what the create was made from
	Ours    []record.Entry // they hold what was sent, or bear our mark
	Alike   []record.Entry // they are much like it, or only the create ties them to its source
	Others  []record.Entry // anything else; none if ours would bear our mark
	Unseen  bool           // one that may be ours is not shown now, and no read tells that it is gone
	Matched bool           // one and the source have the same key, which the system keeps unique: they are matched
}

// arrivals sorts the records that a create may have made.
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

// mayBeUnseen reports whether a record may be what a create made although its side does not show it now. One list
// that leaves the record out proves no more than another list that showed it.
func (r *Room) mayBeUnseen(in record.Intent, source, e record.Entry) bool {
	if !e.State.Doubted() || !r.CameAfter(in, e) {
		return false
	}
	may := Arrivals{Source: source}
	r.Sort(&may, in, e, e.Seen != nil && e.Seen.Stamp != "" && e.Seen.Stamp == in.Change.Stamp)
	return may.Matched || len(may.Ours)+len(may.Alike) > 0
}

// NewcomersWhole returns the arrivals as arrivals does, but first reads some of them by id: those that hold what
// was sent only as far as the list shows them. A user may have entered the same, and the rest of the record says
// so. known is false if one of them can't be read now. failed counts such records.
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

// madeAfter returns the moment after which a record came if a create may have made it.
func (r *Room) madeAfter(in record.Intent) time.Time {
	if in.Made.After(r.Now) { // our clock was set back since
		return time.Time{}
	}
	return in.Made
}

// Sort adds a record to the group of came that it belongs to. stamped says that the record bears the mark of the
// create.
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

// tied reports whether a record has a key of what was sent, and the source has none of the record's keys any more:
// if the create were forgotten, nothing would match the two. lasting says that the source still has such a key and
// that the system keeps it unique: then the two are matched, whoever made the record. A source that has left counts
// as one without keys. Otherwise, with the create forgotten, what it made would pass for a new record, and what
// somebody removed would be made again of it.
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

// Share reports whether two lists have a text in common.
func Share(a, b []string) bool {
	return slices.ContainsFunc(a, func(text string) bool { return slices.Contains(b, text) })
}

// MayBe returns the arrivals that may be what was sent, and do not hold the same. Others count only if nothing else
// came and the system is not known to give values back as it was given them.
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

// DoubtAll keeps every record back that may be what a create made, if nobody knows what became of that create. Each
// list may show more such records.
func (r *Room) DoubtAll(ctx context.Context) error {
	if err := r.DoubtLost(ctx); err != nil {
		return err
	}
	return r.DoubtOpen(ctx)
}

// DoubtLost does what DoubtAll does for the creates that a person has to decide.
func (r *Room) DoubtLost(ctx context.Context) error {
	lost, err := r.store.Lost(ctx, r.Job.Binding)
	if err != nil {
		return err
	}
	return r.doubtMade(ctx, lost)
}

// DoubtOpen does what DoubtAll does for the creates that may still be settled. A record that is taken up before
// that would be created across.
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

// doubtMade keeps records back that may be what these changes made. If a create is to be sent again, its answer
// will name its record. Until then it may be any newcomer, however much a user has made of it.
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

// doubt keeps records back that a create of ours may have made.
func (r *Room) doubt(es []record.Entry, in record.Intent) {
	for _, e := range es {
		r.Doubtful[e.Num] = "it may be what change " + in.ID + " made, of which no answer came"
	}
}

// ValuesTell reports whether a linked record shows that the side gives values back as it was given them. Without
// such a record, a value that is in no list proves nothing.
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

// Mostly reports whether at least half of what was sent is there: as it was sent, or as something that is read the
// same, such as a number in place of its digits. A field that is written as several values, as a guest is by a name
// and a phone, counts once.
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
