package gone

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Who names a record is looked up among the records of the jobs that refer to its job, as the state knows them. They are
// read only if a record may go, and again once what was read is older than namersAge.

// naming is a reference of some job to the records of this one.
type naming struct {
	by  *run.Job
	ref run.Reference
}

// from returns the side of the referring job that has the records which name those of a side of this job.
func (n naming) from(side record.Side) record.Side {
	for _, s := range record.Sides {
		if n.ref.Sides[s] == side {
			return s
		}
	}
	return side
}

// namer is a record that names one, as the state knows it.
type namer struct {
	ref    record.Ref
	place  record.Place
	awaits string // what is to be decided about it first, "" for nothing
	across string // whom the record across names; "" where that changes nothing here
	moved  bool   // we have moved it, and it may yet be shown as it was before
}

// namers is who names the records of one side, by the key of whom they name.
type namers struct {
	at time.Time
	by map[string][]namer
}

// namersAge is how long a run goes by what the state knew of who names a record: other jobs
// may run beside it.
const namersAge = time.Minute

// namings returns the references of all jobs to the records of this one.
func (r *Room) namings() []naming {
	var out []naming
	for _, b := range slices.Sorted(maps.Keys(r.Jobs)) {
		for _, ref := range r.Jobs[b].References {
			if ref.Binding == r.Job.Binding {
				out = append(out, naming{by: r.Jobs[b], ref: ref})
			}
		}
	}
	return out
}

// NamedBy returns what goes by the record of a side that may have to go, because the one across is gone: who names
// it, and which partners it has in other jobs. It also says what is to be known first.
func (r *Room) NamedBy(ctx context.Context, a *run.Absence, side record.Side) (away.NamedBy, error) {
	with, err := r.partnersElsewhere(ctx, side, a.Pair.Sides[side].Ref)
	out, all := away.NamedBy{With: with}, r.namings()
	if err != nil || len(all) == 0 {
		return out, err
	}
	known, err := r.namersOf(ctx, side)
	if err != nil {
		return out, err
	}
	gone := r.nameKeys(a.Pair.Entity, side.Other(), a.Pair.Sides[side.Other()])
	here := r.nameKeys(a.Pair.Entity, side, a.Pair.Sides[side])
	if out.Await, err = r.mayBeNamed(ctx, all, side, here); err != nil {
		return out, err
	}
	for key := range here {
		for _, n := range known.by[key] {
			switch why := n.pending(gone); {
			case n.place.Binding == r.Job.Binding && n.ref == a.Pair.Sides[side].Ref: // itself
			case why != "":
				out.Await = why
			default:
				out.By = append(out.By, n.ref)
			}
		}
	}
	slices.SortFunc(out.By, func(a, b record.Ref) int {
		return slices.Compare([]string{string(a.Kind), a.ID}, []string{string(b.Kind), b.ID})
	})
	out.By = slices.Compact(out.By)
	if out.Await == "" {
		out.Await, err = r.notReadSince(ctx, all, side, a.Tombs[side.Other()].At, len(out.By) > 0)
	}
	return out, err
}

// notReadSince says which job must be read before it is known who names a record of a side; "" for none. named
// says that somebody is known to name the record.
func (r *Room) notReadSince(ctx context.Context, all []naming, side record.Side, since time.Time, named bool) (string, error) {
	for _, n := range all {
		if !named && n.mayBeAsked(side) { // such a system is asked before anything is done
			continue
		}
		if read, err := r.comparedSince(ctx, n.by, since); err != nil || !read {
			return fmt.Sprintf("it waits until %s was read: who names it there may have changed", n.by.Binding), err
		}
	}
	return "", nil
}

// mayBeNamed says what must be known first, if a change without an answer names a record by one of these names:
// what it wrote may be there without a list that shows it. It is "" if there is no such change.
func (r *Room) mayBeNamed(ctx context.Context, all []naming, side record.Side, names map[string]bool) (string, error) {
	for _, n := range all {
		for _, open := range []func(context.Context, record.Binding) ([]record.Intent, error){r.store.Unsettled, r.store.Lost} {
			intents, err := open(ctx, n.by.Binding)
			if err != nil {
				return "", fmt.Errorf("look who may name %s: %w", r.Side(side).Kind, err)
			}
			for _, in := range intents {
				if in.Place.Side == n.from(side) && n.changeNames(in, names) {
					return fmt.Sprintf("job %s sent a change that names it and got no answer: it waits until that is known", n.by.Binding), nil
				}
			}
		}
	}
	return "", nil
}

// changeNames reports whether a change writes one of these names.
func (n naming) changeNames(in record.Intent, names map[string]bool) bool {
	if key := n.keyOf(in.Place.Side, record.Entry{}, in.Change.Fields); names[key] {
		return true
	}
	entity := in.Bases[in.Place.Side][plan.RefPath(n.ref.Field)]
	return entity.Observed() && !run.IsMarker(entity) && names[nameByEntity(entity.Text())]
}

// partnersElsewhere returns the partners that a record has in other jobs, without those that are gone. Example: an
// import beside the job of the PMS links the same contacts. What becomes of the record would become of these
// partners, too.
func (r *Room) partnersElsewhere(ctx context.Context, side record.Side, ref record.Ref) (with []string, err error) {
	for _, p := range r.match.JobsBeside(side) {
		pair, ok, err := r.store.PairOf(ctx, p, r.match.RefIn(p, ref))
		if err != nil {
			return nil, fmt.Errorf("look what %s is linked with in job %s: %w", ref, p.Binding, err)
		}
		if across := pair.Sides[p.Side.Other()]; ok && !pair.State.Ended() && across.State != record.Gone {
			with = append(with, fmt.Sprintf("%s of %s", across.Ref, r.Jobs[p.Binding].Sides[p.Side.Other()].System))
		}
	}
	return with, nil
}

// pending says what must happen before it is known whether x goes on naming a record; "" for nothing. gone holds
// the names of the partner of that record, which is gone. If the partner of x names somebody else, x is still to
// be moved.
func (x namer) pending(gone map[string]bool) string {
	switch {
	case x.awaits != "":
		return x.awaits
	case x.moved, x.across != "" && !gone[x.across]:
		return fmt.Sprintf("it waits for %s to be moved", x.ref)
	}
	return ""
}

// byID reports whether the records that name those of a side name them by an id of its system.
func (n naming) byID(side record.Side) bool { return n.idPath(side) != "" }

func (n naming) idPath(side record.Side) string {
	return n.by.Mapping.PartPath(n.from(side), n.ref.Field, mapping.PartID)
}

// mayBeAsked reports whether a system can be asked for the records that name one.
func (n naming) mayBeAsked(side record.Side) bool {
	s, path := &n.by.Sides[n.from(side)], n.idPath(side)
	_, is := s.Conn.(connectors.Finder)
	return is && path != "" && (s.Can.FindAny || slices.ContainsFunc(s.Can.FindBy, func(by []string) bool { return slices.Equal(by, []string{path}) }))
}

// comparedSince reports whether both sides of a job were read whole since a moment. Once that moment is longer ago
// than a job takes from one whole comparison to the next, and a day at least, it is true in any case: then what is
// known has to do, and a person is asked.
func (r *Room) comparedSince(ctx context.Context, job *run.Job, since time.Time) (bool, error) {
	if since.IsZero() || job == r.Job || time.Since(since) > max(job.FullEvery, 24*time.Hour) {
		return true, nil
	}
	for _, side := range record.Sides {
		ended, err := r.store.Ended(ctx, record.Place{Binding: job.Binding, Side: side}, 2)
		if err != nil {
			return false, err
		}
		if !slices.ContainsFunc(ended, func(s record.EndedScan) bool {
			return s.Certificate.Complete && !s.Scan.Started.Before(since.Truncate(time.Millisecond))
		}) {
			return false, nil
		}
	}
	return true, nil
}

// nameKeys returns the keys by which others name a record: its id, its phone, and its entity, which is what a
// reference was settled on when both sides were in step.
func (r *Room) nameKeys(entity string, side record.Side, e record.Entry) map[string]bool {
	keys := map[string]bool{nameByEntity(entity): true, nameByID(e.Ref.ID): true}
	now, _ := r.Job.Mapping.Read(side, e.Last())
	if phone := now["phone"].Text(); phone != "" {
		keys[nameByPhone(phone)] = true
	}
	return keys
}

func nameByID(id string) string         { return "id " + id }
func nameByPhone(phone string) string   { return "phone " + phone }
func nameByEntity(entity string) string { return "entity " + entity }

// keyOf returns the key of whom a record names, "" for nobody: its id, or else a phone that is new since the link
// was settled, or else the entity that the reference was settled on.
func (n naming) keyOf(side record.Side, e record.Entry, native record.Fields) string {
	m := n.by.Mapping
	now, _ := m.Read(side, native)
	p := now[n.ref.Field].Map()
	if id := p[mapping.PartID].Text(); id != "" {
		return nameByID(id)
	}
	base := e.Base.Fields()
	was, _ := m.Read(side, base)
	phone, settled := p[mapping.PartPhone].Text(), base[plan.RefPath(n.ref.Field)]
	switch {
	case phone != "" && phone != was[n.ref.Field].Map()[mapping.PartPhone].Text():
		return nameByPhone(phone)
	case phone == "" && n.shownEmpty(side, native), !settled.Observed() || run.IsMarker(settled):
		return ""
	}
	return nameByEntity(settled.Text())
}

// shownEmpty reports whether a record that seems to name nobody shows so. Not every list shows whom it names, and
// of what is kept as digests nothing is shown.
func (n naming) shownEmpty(side record.Side, native record.Fields) bool {
	path := n.by.Mapping.PartPath(side, n.ref.Field, mapping.PartID)
	if path == "" {
		path = n.by.Mapping.PartPath(side, n.ref.Field, mapping.PartPhone)
	}
	return path != "" && native[path].Observed()
}

// namersOf returns who names the records of a side, as the state knows it.
func (r *Room) namersOf(ctx context.Context, side record.Side) (namers, error) {
	if k := r.namers[side]; k.by != nil && time.Since(k.at) < namersAge {
		return k, nil
	}
	k := namers{at: time.Now(), by: map[string][]namer{}}
	for _, n := range r.namings() {
		from := n.from(side)
		for after := record.LinkID(0); ; {
			pairs, err := r.store.Pairs(ctx, n.by.Binding, after, run.Batch)
			if err != nil {
				return k, fmt.Errorf("look who names %s: %w", r.Side(side).Kind, err)
			}
			if len(pairs) == 0 {
				break
			}
			for _, p := range pairs {
				after = p.Link
				k.add(n, from, p.Sides[from], &p)
			}
		}
		place := record.Place{Binding: n.by.Binding, Side: from}
		for after := int64(0); ; {
			lone, err := r.store.Lone(ctx, place, after, run.Batch)
			if err != nil {
				return k, fmt.Errorf("look who names %s: %w", r.Side(side).Kind, err)
			}
			if len(lone) == 0 {
				break
			}
			for _, e := range lone {
				after = e.Num
				k.add(n, from, e, nil)
			}
		}
	}
	r.namers[side] = k
	return k, nil
}

// add notes whom a record names, unless it is proven gone.
func (k namers) add(n naming, side record.Side, e record.Entry, p *record.Pair) {
	if e.Num == 0 || e.State == record.Gone || e.Damaged != "" {
		return
	}
	x := namer{ref: e.Ref, place: record.Place{Binding: n.by.Binding, Side: side}}
	if p != nil && !p.State.Ended() {
		x.expect(n, side, p)
	}
	key := n.keyOf(side, e, e.Last())
	if key != "" {
		k.by[key] = append(k.by[key], x)
	}
	if time.Now().Before(e.SettleUntil) { // it was written lately, and may be shown as it was
		if before := n.keyOf(side, e, e.Last().With(e.Pre)); before != "" && before != key {
			x.moved = true
			k.by[before] = append(k.by[before], x)
		}
	}
}

// expect notes what is to become of a linked record: it may go with the one across, or come to name whom that one
// names by now.
func (x *namer) expect(n naming, side record.Side, p *record.Pair) {
	across := p.Sides[side.Other()]
	if slices.Contains([]record.EntryState{record.Suspect, record.Missed, record.Gone}, across.State) {
		switch n.by.Sides[side.Other()].Gone.Policy {
		case away.GoneIgnore, away.GoneUnlink: // it stays as it is
		case away.GoneHold, away.GoneDelete, away.GoneArchive, "":
			x.awaits = fmt.Sprintf("it waits until it is known what becomes of %s, which names it and is gone across", x.ref)
		}
		return
	}
	if !n.by.Rules.Carries(n.ref.Field, side) || across.Damaged != "" {
		return
	}
	x.across = n.keyOf(side.Other(), across, across.Last())
}

// nobodyNames makes sure, as the last thing before a record is deleted or put aside, that since this was decided
// nothing new names it, or is linked with it.
func (r *Room) nobodyNames(ctx context.Context, a plan.Action, x *run.Absence) (bool, error) {
	now, err := r.NamedBy(ctx, x, a.Side)
	if err != nil {
		return false, err
	}
	if now.Await == "" {
		now.By, now.Await, err = r.askWhoNames(ctx, a, x, now.By)
	}
	if err != nil {
		return false, err
	}
	switch {
	case now.Await != "":
		r.Note(a.Side, a.Change.Ref, record.Waiting, now.Await)
	case !(record.Rests{Named: x.Named.All()}).Covers(record.Rests{Named: now.All()}):
		r.Note(a.Side, a.Change.Ref, record.Waiting, now.Reason(a.Change.Ref)+": it is not touched before a person was asked")
	default:
		return true, nil
	}
	r.Count("postponed", 1)
	return false, nil
}

// askWhoNames asks the system itself who names a record, if it can be asked, and adds them to those that are
// known. If it can't be asked, whole lists that were begun after the record across was gone have to do. await says
// for what the record has to wait, "" for nothing.
func (r *Room) askWhoNames(ctx context.Context, a plan.Action, x *run.Absence, by []record.Ref) (_ []record.Ref, await string, err error) {
	for _, n := range r.namings() {
		if !n.byID(a.Side) {
			continue
		}
		found, asked, err := r.findNamers(ctx, n, a)
		if err != nil {
			failed := 0
			return by, fmt.Sprintf("who names it can't be asked now: %v", err), r.observe.PassOver(a.Side, err, &failed)
		}
		by = append(by, found...)
		if asked {
			continue
		}
		read, err := r.comparedSince(ctx, n.by, x.Tombs[a.Side.Other()].At)
		if err != nil || !read {
			return by, fmt.Sprintf("it waits until %s was read: who names it there may have changed", n.by.Binding), err
		}
	}
	return by, "", nil
}

// findNamers asks a system for the records that name one. asked is false where the answer
// proves nothing.
func (r *Room) findNamers(ctx context.Context, n naming, a plan.Action) (by []record.Ref, asked bool, err error) {
	if !n.mayBeAsked(a.Side) {
		return nil, false, nil
	}
	o, side, path := r.OfJob(n.by), n.from(a.Side), n.idPath(a.Side)
	f := o.Side(side).Conn.(connectors.Finder)
	works, err := o.observe.FindWorks(ctx, side, f, []string{path})
	if err != nil || !works {
		return nil, false, err
	}
	found, fault, err := o.observe.Find(ctx, side, f, record.Fields{path: record.OfText(a.Change.Ref.ID)})
	if err != nil || fault != nil {
		return nil, false, err
	}
	for _, rec := range found {
		if n.keyOf(side, record.Entry{}, rec.Fields) == nameByID(a.Change.Ref.ID) && (n.by != r.Job || rec.Ref != a.Change.Ref) {
			by = append(by, rec.Ref)
		}
	}
	return by, true, nil
}
