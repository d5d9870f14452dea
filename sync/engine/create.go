package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// planJoin adds what is decided about two strangers that are the same.
func (r *run) planJoin(ctx context.Context, d *draft, left, right record.Ref) error {
	var sides [2]seenSide
	for side, ref := range [2]record.Ref{left, right} {
		var ok bool
		var err error
		if sides[side], ok, err = r.unlinked(ctx, record.Side(side), ref); err != nil || !ok {
			return err
		}
	}
	entity, err := r.entityFor(ctx, left, right)
	if err != nil {
		return err
	}
	return r.addJoin(ctx, d, entity, sides)
}

// planJoins is planJoin for many, named by where they stand among strangers, and read
// some at a time.
func (r *run) planJoins(ctx context.Context, d *draft, strangers [2][]candidate, same [][2]int) error {
	d.joins = slices.Grow(d.joins, len(same))
	for some := range slices.Chunk(same, slice) {
		var nums []int64
		var refs [2][]record.Ref
		for _, pair := range some {
			for side, i := range pair {
				s := &strangers[side][i]
				nums, refs[side] = append(nums, s.num), append(refs[side], s.ref)
			}
		}
		known, err := r.Store.Entries(ctx, nums)
		if err != nil {
			return err
		}
		var entities [2]map[record.Ref]string
		for _, side := range record.Sides {
			if entities[side], err = r.Store.EntitiesOf(ctx, r.side(side).System, refs[side]); err != nil {
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

// addJoin adds what is decided about two strangers that are the same.
func (r *run) addJoin(ctx context.Context, d *draft, entity string, sides [2]seenSide) error {
	x, err := r.decideJoin(ctx, entity, sides)
	if why, is := unnamed(err); is {
		for _, side := range record.Sides {
			d.waits = append(d.waits, waits{side: side, entry: briefOf(sides[side].since), why: why.Error()})
			r.namesDamaged(why, record.Finding{Place: record.Place{Side: side.Other()}, Op: record.Create, Entry: sides[side].Entry, Ref: sides[side].Ref})
		}
		return nil
	}
	if err != nil {
		return err
	}
	x.hush()
	d.joins = append(d.joins, x)
	return nil
}

// decideJoin decides two strangers that are the same: a first contact.
func (r *run) decideJoin(ctx context.Context, entity string, sides [2]seenSide) (decided, error) {
	x := decided{entity: entity}
	for _, side := range record.Sides {
		x.entries[side], x.refs[side] = sides[side].Entry, sides[side].Ref
	}
	c, w, err := r.newCase(ctx, 0, entity, sides)
	if err != nil {
		return x, fmt.Errorf("%s and %s: %w", x.refs[record.Left], x.refs[record.Right], err)
	}
	for _, side := range record.Sides {
		x.partly[side] = r.hidden(side, sides[side].since)
	}
	x.waits = w
	x.verdict, err = r.obey(ctx, c, plan.Pair(r.job.Rules, c))
	return x, err
}

// entityFor is the entity of a new link: the one that either record has in another
// job, or a new one.
func (r *run) entityFor(ctx context.Context, left, right record.Ref) (string, error) {
	for side, ref := range [2]record.Ref{left, right} {
		if ref.ID == "" {
			continue
		}
		entity, ok, err := r.Store.EntityOf(ctx, r.job.Sides[side].System, ref)
		if err != nil || ok {
			return entity, err
		}
	}
	return r.NewID(), nil
}

// planAlone decides a record that the other side lacks.
func (r *run) planAlone(ctx context.Context, d *draft, side record.Side, c candidate, f fate) error {
	because := sameKey
	if why, err := r.aloneWithMark(ctx, d, side, c); err != nil {
		return err
	} else if why != "" && f.held == "" {
		f, because = fate{held: why}, ourMarked
	}
	if f.attached != "" {
		d.parks = append(d.parks, park{side, c.brief, record.Attached, f.attached + " stands for it"})
		return nil
	}
	one, ok, err := r.unlinked(ctx, side, c.ref)
	if err != nil || !ok {
		return err
	}
	d.meant = append(d.meant, one.meant...)
	s := stranger{seenSide: one, brief: c.brief, keys: c.keys}
	if f.unread != "" {
		d.waits = append(d.waits, waits{side: side, entry: s.brief, why: f.unread})
		return nil
	}
	if f.held == "" {
		f.held, because = r.back[s.Entry], wasGone
	}
	if f.held != "" {
		q := question{cause: because, why: f.held}
		for _, ref := range f.about {
			q.about = append(q.about, ref.String())
		}
		if q.links, err = r.linksOf(ctx, f.about); err != nil {
			return err
		}
		return r.planHeld(ctx, d, side, s, q)
	}
	return r.planNew(ctx, d, side, s, false)
}

// planHeld holds a record for a person, or does what the person said.
// What they said of another question counts for that alone.
func (r *run) planHeld(ctx context.Context, d *draft, side record.Side, s stranger, q question) error {
	if q.cause != wasGone { // whether it is there again for good has nothing to do with others
		first, err := r.waitsForLink(ctx, d, side, s)
		if err != nil {
			return err
		}
		q.links = append(q.links, first...)
	}
	if why, err := r.goneFirst(ctx, q.links); err != nil {
		return err
	} else if why != "" {
		if !s.brief.waitsForGone() {
			if err := r.retellOf(ctx, d, s.brief, q.links); err != nil {
				return err
			}
		}
		d.parks = append(d.parks, park{side, s.brief, record.Waiting, why})
		return nil
	}
	choice, ok, err := r.Store.EntryChoice(ctx, s.Entry)
	if err != nil {
		return err
	}
	if q, err = r.withAlike(ctx, side, s, q); err != nil {
		return err
	}
	if doubt, err := r.perhapsSent(ctx, side.Other(), s.brief); err != nil {
		return err
	} else if doubt != "" && q.cause != mayBeSent {
		q.why, q.about = q.why+"; "+doubt, append(q.about, string(mayBeSent))
	}
	want := choice.Value.Text()
	other := record.Ref{Kind: r.side(side.Other()).Kind, ID: want} // if it is no word
	answered := ok && choice.Choice != "" && q.answeredBy(choice.Facts) && !q.hasLost(choice.Facts, across(side, other))
	q.it = r.whoIs(side, s.since, s.keys)
	q.said = r.saidOf(side, s.Ref)
	why, facts := q.why, q.facts()
	if answered && isWord(want) { // their word stands until it can be done
		facts = choice.Facts
	}
	if !ok && r.staysLeft(s.brief, q) {
		if !s.brief.isLeftOut() {
			d.parks = append(d.parks, park{side, s.brief, record.LeftOut, "a person left it out"})
		}
		return nil
	}
	answers, err := r.answersTo(ctx, side, s, q)
	if err != nil {
		return err
	}
	d.ask(s.Entry, facts, answers)
	if !answered {
		d.parks = append(d.parks, park{side, s.brief, record.Held, why})
		return nil
	}
	if but, err := r.contradicted(ctx, side, s, want); err != nil {
		return err
	} else if but != "" {
		d.parks = append(d.parks, park{side, s.brief, record.Held, why + but})
		return nil
	}
	switch want {
	case "leave":
		d.parks = append(d.parks, park{side, s.brief, record.LeftOut, "a person left it out"})
		return nil
	case "create":
		return r.planNew(ctx, d, side, s, true)
	default:
		other, ok, err := r.Store.Entry(ctx, r.place(side.Other()), other)
		if err != nil {
			return err
		}
		if !ok || other.Link != 0 || other.State == record.Gone {
			d.parks = append(d.parks, park{side, s.brief, record.Held, why + "; the record chosen for it can't be linked"})
			return nil
		}
		if side == record.Right {
			return r.planJoin(ctx, d, other.Ref, s.Ref)
		}
		return r.planJoin(ctx, d, s.Ref, other.Ref)
	}
}

// planNew decides whether the other side gets a record, and which. asked says that
// a person wants it made.
func (r *run) planNew(ctx context.Context, d *draft, side record.Side, s stranger, asked bool) error {
	if why, err := r.notWanted(ctx, side, s); err != nil || why != "" {
		d.parks = append(d.parks, park{side, s.brief, record.LeftOut, why})
		return err
	}
	if !asked && r.isAsLeft(side, s) {
		d.parks = append(d.parks, park{side, s.brief, record.LeftOut, "a person left it out"})
		return nil
	}
	if why := keysBlanked(s); why != "" && !asked {
		return r.planHeld(ctx, d, side, s, question{cause: blankedKey, why: why})
	}
	if _, names := r.mustWait(side, s); len(s.keys) == 0 && r.job.Booking == nil && !names { // whom it names may be all that tells it
		// Whoever can't be recognised may be there already, under another spelling.
		d.parks = append(d.parks, park{side, s.brief, record.LeftOut, "it shows nothing that it could be recognised by: " + strings.Join(r.ruleNames(), ", ")})
		return nil
	}
	if why := r.unfinished(side, s); why != "" && !asked {
		d.waits = append(d.waits, waits{side: side, entry: s.brief, why: why})
		return nil
	}
	if p, ok := r.bookingParked(side, s); ok && p.state == record.Held && !asked {
		return r.planHeld(ctx, d, side, s, question{cause: booked, why: p.why})
	} else if ok && p.state != record.Held {
		d.parks = append(d.parks, p)
		return nil
	}
	if w, ok := r.mustWait(side, s); ok {
		if w.held && !asked {
			return r.planHeld(ctx, d, side, s, question{cause: missing, why: w.why, about: namesOf(w.on)})
		}
		if w.held { // nobody can have it made without
			d.parks = append(d.parks, park{side, s.brief, record.Held, w.why})
			return nil
		}
		r.findWaiting(s, w)
		d.waits = append(d.waits, w)
		return nil
	}
	if why, err := r.perhapsSent(ctx, side.Other(), s.brief); err != nil {
		return err
	} else if why != "" && !asked {
		return r.planHeld(ctx, d, side, s, question{cause: mayBeSent, why: why})
	}
	if why := r.mayBeOrphans(side.Other(), s); why != "" && !asked {
		return r.planHeld(ctx, d, side, s, question{cause: orphans, why: why})
	}
	entity, err := r.entityFor(ctx, refOn(side, record.Left, s.Ref), refOn(side, record.Right, s.Ref))
	if err != nil {
		return err
	}
	var sides [2]seenSide
	sides[side] = s.seenSide
	sides[side.Other()] = seenSide{Side: plan.Side{Now: record.Fields{}, Native: record.Fields{}}}
	c, w, err := r.newCase(ctx, 0, entity, sides)
	if why, is := unnamed(err); is {
		d.waits = append(d.waits, waits{side: side, entry: s.brief, why: why.Error()})
		r.namesDamaged(why, record.Finding{Place: record.Place{Side: side.Other()}, Op: record.Create, Entry: s.Entry, Ref: s.Ref})
		return nil
	}
	if err != nil {
		return err
	}
	if why := plan.Unfit(r.job.Rules, c.Sides[side], side); why != "" {
		r.noteFinding(record.Finding{
			Place: record.Place{Side: side.Other()}, Name: record.FindUnwritable, Op: record.Create, Entry: s.Entry, Ref: s.Ref, Text: why,
		})
		d.parks = append(d.parks, park{side, s.brief, record.Quarantined, why})
		return nil
	}
	a, unmade := plan.New(r.job.Rules, r.arriving(c, side), side)
	leftOut := unmade.Text
	if b := r.job.Booking; leftOut != "" && b != nil && side != b.Authority {
		if !asked { // its guest counts on it: that is not to be left out by a rule
			return r.planHeld(ctx, d, side, s, question{cause: byRule, why: leftOut})
		}
		d.parks = append(d.parks, park{side, s.brief, record.Held, leftOut})
		return nil
	}
	if leftOut != "" {
		r.findUnmade(side, s, unmade)
		d.parks = append(d.parks, park{side, s.brief, record.LeftOut, leftOut})
		return nil
	}
	if why, about, err := r.mayBeForgotten(ctx, d, s, a); err != nil {
		return err
	} else if why != "" && !asked {
		return r.planHeld(ctx, d, side, s, question{cause: forgottenIt, why: why, about: about})
	}
	if why, about, err := r.beyond(ctx, d, side.Other(), s.keys); err != nil {
		return err
	} else if why != "" && !asked {
		q := question{cause: outOfWindow, why: why}
		for _, ref := range about {
			q.about = append(q.about, ref.String())
		}
		return r.planHeld(ctx, d, side, s, q)
	}
	if why, about, err := r.underName(ctx, side, s); err != nil {
		return err
	} else if why != "" && !asked {
		return r.planHeld(ctx, d, side, s, question{cause: sameName, why: why, about: about})
	}
	if !asked {
		if said, err := r.planSaid(ctx, d, side, s); err != nil || said {
			return err
		}
		if left, err := r.planLeft(ctx, d, side, s); err != nil || left {
			return err
		}
	}
	if why, err := r.underOthersID(ctx, side.Other(), s.keys); err != nil {
		return err
	} else if why != "" { // whatever a person said of something else
		d.waits = append(d.waits, waits{side: side, entry: s.brief, why: why})
		return nil
	}
	if why, ref, err := r.leftUnderOthersID(ctx, side.Other(), s.keys); err != nil {
		return err
	} else if why != "" && !asked {
		return r.planHeld(ctx, d, side, s, question{cause: leftAlone, why: why, about: []string{ref.String()}})
	}
	if why, err := r.taken(ctx, side.Other(), a); err != nil {
		return err
	} else if why != "" && !asked {
		return r.planHeld(ctx, d, side, s, question{cause: keyTaken, why: why})
	} else if why != "" { // nobody can have it made as it is
		d.parks = append(d.parks, park{side, s.brief, record.Held, why})
		return nil
	}
	if r.unknowable[side.Other()] {
		d.waits = append(d.waits, waits{side: side, entry: s.brief, why: fmt.Sprintf(
			"of a %s of %s the state file has damaged values: it may be this one, and is read again first", r.side(side.Other()).Kind, r.side(side.Other()).System)})
		return nil
	}
	if why, err := r.suspected(ctx, d, side.Other(), s.keys); err != nil {
		return err
	} else if why != "" && !asked {
		d.waits = append(d.waits, waits{side: side, entry: s.brief, why: why})
		return nil
	}
	if why := r.isAside(side.Other(), s.keys); why != "" { // whatever a person said of something else
		d.waits = append(d.waits, waits{side: side, entry: s.brief, why: why})
		return nil
	}
	if why, links, err := r.inPlaceOf(ctx, d, side, s); err != nil {
		return err
	} else if why != "" && !asked {
		return r.planHeld(ctx, d, side, s, question{cause: inPlace, why: why, links: links})
	}
	if no := r.refusalOf(a); no.stands() && !r.askedAnew(s) {
		return r.planRefused(ctx, d, side, s, no)
	}
	if why := r.rejectedAlone(a); why != "" {
		d.parks = append(d.parks, park{side, s.brief, record.LeftOut, why})
		return nil
	}
	a = r.redoneAlone(a)
	r.firstSeen[s.Entry], r.bears[s.Entry] = s.brief.since, rulesOf(s.keys)
	if lacks, err := r.lacksAList(ctx, a); err != nil {
		return err
	} else if lacks {
		d.missing[side.Other()]++
	}
	if hidden, err := r.mayBeIllegible(ctx, side.Other(), a); err != nil {
		return err
	} else if hidden {
		a.Risk = plan.RiskUnreadable
	}
	d.waits = append(d.waits, w...) // to be looked at again once its references are linked
	d.news = append(d.news, a)
	return nil
}

// rulesOf is the rules of which a record has keys.
func rulesOf(keys []record.Key) []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return slices.Compact(names)
}

// lacksAList reports whether a create could go if its side were read once more. What is not
// sent now needs no list.
func (r *run) lacksAList(ctx context.Context, a plan.Action) (bool, error) {
	if ok, err := r.listsTell(ctx, a.Side, a); err != nil || ok {
		return false, err
	}
	h, err := r.planHold(ctx, a.Side, a.Change)
	return h.Why == "", err
}

// taken says that a key which the side keeps unique belongs to a record of it already.
// Had the new record been known for the same it would have been matched: its own key
// is not certain enough for that. Sent all the same, it would be refused at every run.
func (r *run) taken(ctx context.Context, side record.Side, a plan.Action) (string, error) {
	m := r.job.Mapping
	canonical, _ := m.Read(side, a.Change.Fields)
	for _, k := range m.Keys(side, a.Change.Fields, resolvedOnly(canonical)) {
		if !r.keptUnique(side, strings.Split(k.Name, "+")) {
			continue
		}
		es, err := r.Store.Matching(ctx, r.place(side), []record.Key{k})
		if err != nil {
			return "", err
		}
		if len(es) > 0 {
			return fmt.Sprintf("its %s is that of %s of %s, and nothing proves that they are the same",
				k.Name, es[0].Ref, r.side(side).System), nil
		}
	}
	return "", nil
}

// suspected says that the side had a record with one of the keys that its last list did
// not show, and nobody has read since: it may well be there.
func (r *run) suspected(ctx context.Context, d *draft, side record.Side, keys []record.Key) (string, error) {
	if some, err := r.anyUnlinked(ctx, d, side, record.Suspect); err != nil || !some {
		return "", err
	}
	es, err := r.Store.Matching(ctx, r.place(side), keys)
	if err != nil {
		return "", err
	}
	for _, e := range es {
		if e.Link == 0 && e.State == record.Suspect {
			return fmt.Sprintf("%s of %s has the same key, and whether it is still there can't be read now", e.Ref, r.side(side).System), nil
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

// notWanted says by which rule the other side gets no such record, "" if it does.
func (r *run) notWanted(ctx context.Context, side record.Side, s stranger) (string, error) {
	to := r.side(side.Other())
	switch to.Create {
	case Never:
		return fmt.Sprintf("%s gets no new %s", to.System, to.Kind), nil
	case WhenReferenced:
		ok, err := r.Store.WaitedFor(ctx, r.place(side), s.Ref)
		if err != nil || ok {
			return "", err
		}
		return fmt.Sprintf("%s gets it only when a booking names it", to.System), nil
	case Always:
	}
	if !to.Can.Create {
		return fmt.Sprintf("%s can't take new %s", to.System, to.Kind), nil
	}
	return "", nil
}

// mustWait reports whether a record can't be created before another is linked.
func (r *run) mustWait(side record.Side, s stranger) (waits, bool) {
	for _, ref := range r.job.References {
		res, open := s.open[ref.Field]
		if !open {
			continue
		}
		if res.standing != waiting && ref.IfLeftOut != "" && r.writesName(side.Other(), ref) {
			continue // a stay that takes a room is always published
		}
		if r.now.Sub(s.brief.since) > ref.Wait && ref.Wait > 0 {
			if ref.Snapshot && r.writesName(side.Other(), ref) {
				continue // written with the texts that are known now
			}
			return waits{side: side, entry: s.brief, held: true, why: fmt.Sprintf(
				"its %s has been missing for longer than %s: %s", ref.Field, ref.Wait, res.why)}, true
		}
		w := waits{side: side, entry: s.brief, why: fmt.Sprintf("its %s: %s", ref.Field, res.why)}
		if res.wait.Ref.ID != "" {
			w.on = []record.Wait{res.wait}
		}
		if res.partner.ID != "" { // it is not linked one of these days: a person is told
			w.stuck = []plan.Stuck{{Side: side.Other(), Name: record.FindUnwritable, Fields: []string{ref.Field}, Why: res.why}}
		}
		r.seek(side, s.Ref, res)
		return w, true
	}
	return waits{}, false
}

// writesName reports whether a side writes a reference as a text of its own, and
// not as the id of a record that must be there.
func (r *run) writesName(side record.Side, ref Reference) bool {
	n, problems := r.job.Mapping.Write(side, record.Fields{ref.Field: record.OfMap(map[string]record.Value{
		"name": record.OfText("Occupied"), // any name will do: only the form is asked
	})}, nil)
	return len(problems) == 0 && len(n) > 0
}

// canFind reports whether the side can be asked for a record by one of the sets.
func canFind(s *Side) bool {
	_, ok := s.Conn.(connectors.Finder)
	return ok && len(s.Can.FindBy) > 0
}
