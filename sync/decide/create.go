package decide

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/match"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/refer"
	"nightporter/sync/run"
)

// planJoin adds to the plan that two records without a link are the same. It adds nothing if one of them is not to
// be linked any more.
func (r *Room) planJoin(ctx context.Context, d *run.Draft, left, right record.Ref) error {
	var sides [2]run.SeenSide
	for side, ref := range [2]record.Ref{left, right} {
		var ok bool
		var err error
		if sides[side], ok, err = r.match.Unlinked(ctx, record.Side(side), ref); err != nil || !ok {
			return err
		}
	}
	entity, err := r.entityFor(ctx, left, right)
	if err != nil {
		return err
	}
	return r.addJoin(ctx, d, entity, sides)
}

// planJoins is planJoin for many pairs, given as indexes into strangers. They are read some at a time.
func (r *Room) planJoins(ctx context.Context, d *run.Draft, strangers [2][]run.Candidate, same [][2]int) error {
	d.Joins = slices.Grow(d.Joins, len(same))
	for some := range slices.Chunk(same, run.Slice) {
		var nums []int64
		var refs [2][]record.Ref
		for _, pair := range some {
			for side, i := range pair {
				s := &strangers[side][i]
				nums, refs[side] = append(nums, s.Num), append(refs[side], s.Ref)
			}
		}
		known, err := r.store.Entries(ctx, nums)
		if err != nil {
			return err
		}
		var entities [2]map[record.Ref]string
		for _, side := range record.Sides {
			if entities[side], err = r.store.EntitiesOf(ctx, r.Side(side).System, refs[side]); err != nil {
				return err
			}
		}
		for i := range some {
			left, right := refs[record.Left][i], refs[record.Right][i]
			sides, ok, err := r.unlinkedPair(ctx, known, [2]int64(nums[2*i:]), [2]record.Ref{left, right})
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			entity := cmp.Or(entities[record.Left][left], entities[record.Right][right])
			if entity == "" {
				entity = r.NewID()
			}
			sides[record.Left].Ref, sides[record.Right].Ref = left, right // the same texts, not copies of them
			if err := r.addJoin(ctx, d, entity, sides); err != nil {
				return err
			}
		}
	}
	return nil
}

// addJoin adds what is decided about two records that are the same. Both wait if a record that one of them names
// can't be read now.
func (r *Room) addJoin(ctx context.Context, d *run.Draft, entity string, sides [2]run.SeenSide) error {
	x, err := r.decideJoin(ctx, entity, sides)
	if why, is := run.Unnamed(err); is {
		for _, side := range record.Sides {
			d.Waits = append(d.Waits, run.Waits{Side: side, Entry: run.BriefOf(sides[side].Since), Why: why.Error()})
			r.observe.NamesDamaged(why, record.Finding{Place: record.Place{Side: side.Other()}, Op: record.Create, Entry: sides[side].Entry, Ref: sides[side].Ref})
		}
		return nil
	}
	if err != nil {
		return err
	}
	x.Hush()
	d.Joins = append(d.Joins, x)
	return nil
}

// decideJoin decides about two records that are the same, and meet for the first time.
func (r *Room) decideJoin(ctx context.Context, entity string, sides [2]run.SeenSide) (run.Decided, error) {
	x := run.Decided{Entity: entity}
	for _, side := range record.Sides {
		x.Entries[side], x.Refs[side] = sides[side].Entry, sides[side].Ref
	}
	if err := r.settle.Unlike(ctx, &sides); err != nil {
		return x, err
	}
	c, w, err := r.links.NewCase(ctx, 0, entity, sides)
	if err != nil {
		return x, fmt.Errorf("%s and %s: %w", x.Refs[record.Left], x.Refs[record.Right], err)
	}
	for _, side := range record.Sides {
		x.Partly[side] = r.Hidden(side, sides[side].Since)
	}
	x.Waits = w
	x.Verdict, err = r.guards.Obey(ctx, c, plan.Pair(r.Job.Rules, c))
	return x, err
}

// entityFor returns the entity of a new link: the one that either record has in another job, or a new one.
func (r *Room) entityFor(ctx context.Context, left, right record.Ref) (string, error) {
	for side, ref := range [2]record.Ref{left, right} {
		if ref.ID == "" {
			continue
		}
		entity, ok, err := r.store.EntityOf(ctx, r.Job.Sides[side].System, ref)
		if err != nil || ok {
			return entity, err
		}
	}
	return r.NewID(), nil
}

// planAlone decides a record that the other side lacks.
func (r *Room) planAlone(ctx context.Context, d *run.Draft, side record.Side, c run.Candidate, f match.Fate) error {
	because, aside := run.SameKey, f.Why()
	if marked, why, err := r.aloneWithMark(ctx, d, side, c); err != nil {
		return err
	} else if why != "" && aside.Held == "" {
		aside, because = match.Aside{Held: why}, marked
	}
	if aside.Attached != "" {
		d.Parks = append(d.Parks, run.Park{Side: side, Entry: c.Brief, State: record.Attached, Why: aside.Attached + " stands for it"})
		return nil
	}
	one, ok, err := r.match.Unlinked(ctx, side, c.Ref)
	if err != nil || !ok {
		return err
	}
	d.Meant = append(d.Meant, one.Meant...)
	s := run.Stranger{SeenSide: one, Brief: c.Brief, Keys: c.Keys}
	if aside.Unread != "" {
		d.Waits = append(d.Waits, run.Waits{Side: side, Entry: s.Brief, Why: aside.Unread})
		return nil
	}
	if aside.Held == "" {
		aside.Held, because = r.gone.Back[s.Entry], run.WasGone
	}
	if aside.Held != "" {
		q := question{cause: because, why: aside.Held}
		for _, ref := range aside.About {
			q.about = append(q.about, ref.String())
		}
		if q.links, err = r.gone.LinksOf(ctx, aside.About); err != nil {
			return err
		}
		if q, err = r.aloneAcross(ctx, side, s, aside.About, q); err != nil {
			return err
		}
		return r.planHeld(ctx, d, side, s, q)
	}
	return r.planNew(ctx, d, side, s, false)
}

// planHeld holds a record for a person, or does what the person said. An answer to another question does not
// count for this one.
func (r *Room) planHeld(ctx context.Context, d *run.Draft, side record.Side, s run.Stranger, q question) error {
	if waits, err := r.waitsForGone(ctx, d, side, s, &q); err != nil || waits {
		return err
	}
	choice, ok, err := r.store.EntryChoice(ctx, s.Entry)
	if err != nil {
		return err
	}
	if q, err = r.wholeQuestion(ctx, side, s, q); err != nil {
		return err
	}
	want := choice.Value.Text()
	answered := ok && choice.Choice != "" && q.answeredBy(choice.Rests) && !q.hasLost(choice.Rests, across(side, r.namedAcross(side, want)))
	q.it, q.said = r.whoIs(side, s.Since, s.Keys), r.saidOf(side, s.Ref)
	rests := q.rests()
	if answered && isWord(want) { // their word stands until it can be done
		rests = choice.Rests
	}
	if !ok && r.staysLeft(s.Brief, q) {
		if !s.Brief.IsLeftOut() {
			leaveOut(d, side, s)
		}
		return nil
	}
	answers, err := r.answersTo(ctx, side, s, q)
	if err != nil {
		return err
	}
	d.Ask(s.Entry, rests, answers)
	if !answered {
		hold(d, side, s, q, "")
		return nil
	}
	news := len(d.News)
	err = r.heed(ctx, d, side, s, q, want)
	plan.RestOn(d.News[news:], record.WordsOf(map[string]record.Question{"": choice}))
	return err
}

// heed does what a person said about a record. If they said the opposite about a record across, the
// question stays open.
func (r *Room) heed(ctx context.Context, d *run.Draft, side record.Side, s run.Stranger, q question, want string) error {
	but, err := r.contradicted(ctx, side, s, want)
	if err != nil {
		return err
	}
	if but != "" {
		hold(d, side, s, q, but)
		return nil
	}
	return r.doSaid(ctx, d, side, s, q, want)
}

// waitsForGone lets a record wait, and returns true, if the record may be the missing one of a link: what becomes
// of that link is decided first. It adds the links that the record may belong to to the question.
func (r *Room) waitsForGone(ctx context.Context, d *run.Draft, side record.Side, s run.Stranger, q *question) (bool, error) {
	if q.cause != run.WasGone { // whether it is there again for good has nothing to do with others
		first, err := r.waitsForLink(ctx, d, side, s)
		if err != nil {
			return false, err
		}
		q.links = append(q.links, first...)
	}
	why, err := r.gone.GoneFirst(ctx, q.links)
	if err != nil || why == "" {
		return false, err
	}
	if !s.Brief.WaitsForGone() {
		if err := r.gone.RetellOf(ctx, d, s.Brief, q.links); err != nil {
			return false, err
		}
	}
	d.Parks = append(d.Parks, run.Park{Side: side, Entry: s.Brief, State: record.Waiting, Cause: run.GoneFirst, Why: why})
	return true, nil
}

// wholeQuestion adds to a question what else the person must know to answer it: the records that are like this one,
// and that it may have been sent before.
func (r *Room) wholeQuestion(ctx context.Context, side record.Side, s run.Stranger, q question) (question, error) {
	q, err := r.withAlike(ctx, side, s, q)
	if err != nil {
		return q, err
	}
	doubt, err := r.settle.PerhapsSent(ctx, side.Other(), s.Brief)
	if err == nil && doubt != "" && q.cause != run.MayBeSent {
		q.why, q.about = q.why+"; "+doubt, append(q.about, string(run.MayBeSent))
	}
	return q, err
}

// namedAcross is the record across that an answer names. For an answer that is a word it means nothing.
func (r *Room) namedAcross(side record.Side, want string) record.Ref {
	return record.Ref{Kind: r.Side(side.Other()).Kind, ID: want}
}

// doSaid does what a person said of a record.
func (r *Room) doSaid(ctx context.Context, d *run.Draft, side record.Side, s run.Stranger, q question, want string) error {
	switch want {
	case "leave":
		leaveOut(d, side, s)
		return nil
	case "create":
		return r.planNew(ctx, d, side, s, true)
	}
	other, ok, err := r.store.Entry(ctx, r.Place(side.Other()), r.namedAcross(side, want))
	if err != nil {
		return err
	}
	p, alone, err := r.goesAlone(ctx, other)
	if err != nil {
		return err
	}
	if alone && r.joinAlone(d, side, s, p) {
		return nil
	}
	if !ok || other.Link != 0 || other.State == record.Gone {
		hold(d, side, s, q, "; the record chosen for it can't be linked")
		return nil
	}
	if side == record.Right {
		return r.planJoin(ctx, d, other.Ref, s.Ref)
	}
	return r.planJoin(ctx, d, s.Ref, other.Ref)
}

// leaveOut leaves a record out, as a person said.
func leaveOut(d *run.Draft, side record.Side, s run.Stranger) {
	d.Parks = append(d.Parks, run.Park{Side: side, Entry: s.Brief, State: record.LeftOut, Why: "a person left it out"})
}

// hold lets a record wait for a person. but is added to the reason that they are shown.
func hold(d *run.Draft, side record.Side, s run.Stranger, q question, but string) {
	d.Parks = append(d.Parks, run.Park{Side: side, Entry: s.Brief, State: record.Held, Cause: q.cause, Why: q.why + but})
}

// rulesOf returns the names of the match rules for which a record has a key.
func rulesOf(keys []record.Key) []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return slices.Compact(names)
}

// LacksAList reports whether a create waits only for one more list of its side. It is false for a create that would
// not be sent now anyway.
func (r *Room) LacksAList(ctx context.Context, a plan.Action) (bool, error) {
	if ok, err := r.proof.ListsTell(ctx, a.Side, a); err != nil || ok {
		return false, err
	}
	h, err := r.guards.PlanHold(ctx, a.Side, a.Change)
	return h.Why == "", err
}

// taken says that a key of the create, which its side keeps unique, belongs to a record there already, "" if none
// does. The two were not matched: that key alone is not certain enough. Sent all the same, the create would be
// refused in every run.
func (r *Room) taken(ctx context.Context, side record.Side, a plan.Action) (string, error) {
	m := r.Job.Mapping
	canonical, _ := m.Read(side, a.Change.Fields)
	for _, k := range m.Keys(side, a.Change.Fields, run.ResolvedOnly(canonical)) {
		if !r.KeptUnique(side, strings.Split(k.Name, "+")) {
			continue
		}
		es, err := r.store.Matching(ctx, r.Place(side), []record.Key{k})
		if err != nil {
			return "", err
		}
		if len(es) > 0 {
			return fmt.Sprintf("its %s is that of %s of %s, and nothing proves that they are the same",
				k.Name, es[0].Ref, r.Side(side).System), nil
		}
	}
	return "", nil
}

// suspected says that the side had a record with one of the keys, which its last list did not show and nobody has
// read since: it may well be there. It is "" if there is none.
func (r *Room) suspected(ctx context.Context, d *run.Draft, side record.Side, keys []record.Key) (string, error) {
	if some, err := r.proof.AnyUnlinked(ctx, d, side, record.Suspect); err != nil || !some {
		return "", err
	}
	es, err := r.store.Matching(ctx, r.Place(side), keys)
	if err != nil {
		return "", err
	}
	for _, e := range es {
		if e.Link == 0 && e.State == record.Suspect {
			return fmt.Sprintf("%s of %s has the same key, and whether it is still there can't be read now", e.Ref, r.Side(side).System), nil
		}
	}
	return "", nil
}

func refOn(side, want record.Side, ref record.Ref) record.Ref {
	if side == want {
		return ref
	}
	return record.Ref{}
}

// notWanted says by which rule the record is not made on the other side, "" if none is against it.
func (r *Room) notWanted(ctx context.Context, side record.Side, s run.Stranger) (string, error) {
	to := r.Side(side.Other())
	switch to.Create {
	case run.Never:
		return fmt.Sprintf("%s gets no new %s", to.System, to.Kind), nil
	case run.WhenReferenced:
		ok, err := r.store.WaitedFor(ctx, r.Place(side), s.Ref)
		if err != nil || ok {
			return "", err
		}
		return fmt.Sprintf("%s gets it only when a booking names it", to.System), nil
	case run.Always:
	}
	if !to.Can.Create {
		return fmt.Sprintf("%s can't take new %s", to.System, to.Kind), nil
	}
	return "", nil
}

// mustWait returns what a record waits for before it can be created: another record must be linked first. It
// returns false if the record need not wait.
func (r *Room) mustWait(side record.Side, s run.Stranger) (run.Waits, bool) {
	for _, ref := range r.Job.References {
		res, open := s.Open[ref.Field]
		if !open {
			continue
		}
		if res.Standing != refer.Waiting && ref.IfLeftOut != "" && r.WritesName(side.Other(), ref) {
			continue // a stay that takes a room is always published
		}
		if r.Now.Sub(s.Brief.Since) > ref.Wait && ref.Wait > 0 {
			if ref.Snapshot && r.WritesName(side.Other(), ref) {
				continue // written with the texts that are known now
			}
			return run.Waits{Side: side, Entry: s.Brief, Held: true, Why: fmt.Sprintf(
				"its %s has been missing for longer than %s: %s", ref.Field, ref.Wait, res.Why)}, true
		}
		w := run.Waits{Side: side, Entry: s.Brief, Why: fmt.Sprintf("its %s: %s", ref.Field, res.Why)}
		if res.Wait.Ref.ID != "" {
			w.On = []record.Wait{res.Wait}
		}
		if res.Partner.ID != "" { // the link of the record it names leads nowhere, and that may last: a person is told
			w.Stuck = []plan.Stuck{{Side: side.Other(), Name: record.FindUnwritable, Fields: []string{ref.Field}, Why: res.Why}}
		}
		r.Seek(side, s.Ref, res)
		return w, true
	}
	return run.Waits{}, false
}
