package engine

import (
	"context"
	"fmt"
	"strings"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// A record that one side alone has passes a row of objections before the other side gets one made of
// it. The first one that stands decides: the record is put aside, it waits, or a person is asked. What
// a person has answered is passed over, where their word is enough.

// arrival is a record of one side of which the other may get one.
type arrival struct {
	d     *draft
	side  record.Side // that has it
	s     stranger
	asked bool // a person wants it made

	c plan.Case   // it and nothing across, once its references are known
	w []waits     // what it is to be looked at again for
	a plan.Action // the create
}

// outcome is what an objection says. The zero outcome has nothing against a create.
type outcome struct {
	park  *park     // it is put aside
	waits *waits    // it waits
	ask   *question // a person says
	told  bool      // its own side is told no
}

func (o outcome) stands() bool { return o.park != nil || o.waits != nil || o.ask != nil || o.told }

// objection is one reason why a record is not made across, or not now.
type objection struct {
	name   string
	waived bool // a person who wants it made has answered it
	look   func(*run, context.Context, *arrival) (outcome, error)
}

// objections is all of them, in order. What the record itself tells comes first, and what has to be asked of
// the state or of a system last.
var objections = []objection{
	{"not wanted there", false, (*run).objectUnwanted},
	{"left out as it is", true, (*run).objectLeftAsIs},
	{"its keys are blanked", true, (*run).objectBlanked},
	{"nothing tells it", false, (*run).objectUnknowable},
	{"not finished", true, (*run).objectUnfinished},
	{"a booking that does not go", false, (*run).objectBooking},
	{"what it names is missing", false, (*run).objectMissing},
	{"perhaps sent before", true, (*run).objectSent},
	{"our mark on records nobody knows", true, (*run).objectOrphans},
	{"what it names is unknown", false, (*run).objectUnnamed},
	{"its values do not fit", false, (*run).objectUnfit},
	{"a rule leaves it out", false, (*run).objectByRule},
	{"made before the state was put back", true, (*run).objectForgotten},
	{"outside of what is read", true, (*run).objectBeyond},
	{"a booking under the same name", true, (*run).objectSameName},
	{"a person said which one it is", true, (*run).objectSaid},
	{"a person left it out", true, (*run).objectLeft},
	{"its key is taken", false, (*run).objectTaken},
	{"damaged values across", false, (*run).objectDamaged},
	{"one across may be there still", true, (*run).objectSuspected},
	{"one across is put aside", false, (*run).objectAside},
	{"in the place of one that is gone", true, (*run).objectInPlace},
	{"refused before", false, (*run).objectRefused},
	{"rejected by a person", false, (*run).objectRejected},
}

// planNew decides whether the other side gets a record, and which. asked says that
// a person wants it made.
func (r *run) planNew(ctx context.Context, d *draft, side record.Side, s stranger, asked bool) error {
	n := &arrival{d: d, side: side, s: s, asked: asked}
	for _, o := range objections {
		if asked && o.waived {
			continue
		}
		switch out, err := o.look(r, ctx, n); {
		case err != nil:
			return err
		case out.stands():
			return r.object(ctx, n, out)
		}
	}
	return r.planCreate(ctx, n)
}

// object carries out what an objection says. What a person has answered and can't have stays for them.
func (r *run) object(ctx context.Context, n *arrival, out outcome) error {
	switch {
	case out.park != nil:
		n.d.parks = append(n.d.parks, *out.park)
	case out.waits != nil:
		n.d.waits = append(n.d.waits, *out.waits)
	case out.ask != nil && n.asked:
		n.d.parks = append(n.d.parks, n.aside(record.Held, out.ask.why))
	case out.ask != nil:
		return r.planHeld(ctx, n.d, n.side, n.s, *out.ask)
	}
	return nil
}

// aside is the arrival, put aside.
func (n *arrival) aside(st record.EntryState, why string) park {
	return park{n.side, n.s.brief, st, why}
}

func (n *arrival) leaves(st record.EntryState, why string) outcome {
	if why == "" {
		return outcome{}
	}
	p := n.aside(st, why)
	return outcome{park: &p}
}

func (n *arrival) waitsBecause(why string) outcome {
	if why == "" {
		return outcome{}
	}
	return outcome{waits: &waits{side: n.side, entry: n.s.brief, why: why}}
}

func asksAbout(q question) outcome {
	if q.why == "" {
		return outcome{}
	}
	return outcome{ask: &q}
}

func (r *run) objectUnwanted(ctx context.Context, n *arrival) (outcome, error) {
	why, err := r.notWanted(ctx, n.side, n.s)
	return n.leaves(record.LeftOut, why), err
}

func (r *run) objectLeftAsIs(_ context.Context, n *arrival) (outcome, error) {
	if !r.isAsLeft(n.side, n.s) {
		return outcome{}, nil
	}
	return n.leaves(record.LeftOut, "a person left it out"), nil
}

func (r *run) objectBlanked(_ context.Context, n *arrival) (outcome, error) {
	return asksAbout(question{cause: blankedKey, why: keysBlanked(n.s)}), nil
}

// objectUnknowable leaves out what can't be recognised: it may be there already, under another spelling. Of a
// record that names another one, that may be all that tells it.
func (r *run) objectUnknowable(_ context.Context, n *arrival) (outcome, error) {
	if _, names := r.mustWait(n.side, n.s); len(n.s.keys) > 0 || r.job.Booking != nil || names {
		return outcome{}, nil
	}
	return n.leaves(record.LeftOut, "it shows nothing that it could be recognised by: "+strings.Join(r.ruleNames(), ", ")), nil
}

func (r *run) objectUnfinished(_ context.Context, n *arrival) (outcome, error) {
	return n.waitsBecause(r.unfinished(n.side, n.s)), nil
}

func (r *run) objectBooking(_ context.Context, n *arrival) (outcome, error) {
	switch p, ok := r.bookingParked(n.side, n.s); {
	case !ok, p.state == record.Held && n.asked:
		return outcome{}, nil
	case p.state == record.Held:
		return asksAbout(question{cause: booked, why: p.why}), nil
	default:
		return outcome{park: &p}, nil
	}
}

func (r *run) objectMissing(_ context.Context, n *arrival) (outcome, error) {
	w, ok := r.mustWait(n.side, n.s)
	switch {
	case !ok:
		return outcome{}, nil
	case w.held:
		return asksAbout(question{cause: missing, why: w.why, about: namesOf(w.on)}), nil
	}
	r.findWaiting(n.s, w)
	return outcome{waits: &w}, nil
}

func (r *run) objectSent(ctx context.Context, n *arrival) (outcome, error) {
	why, err := r.perhapsSent(ctx, n.side.Other(), n.s.brief)
	return asksAbout(question{cause: mayBeSent, why: why}), err
}

func (r *run) objectOrphans(_ context.Context, n *arrival) (outcome, error) {
	return asksAbout(question{cause: orphans, why: r.mayBeOrphans(n.side.Other(), n.s)}), nil
}

// objectUnnamed makes the case of the record, and waits where a record that it names can't be told now.
func (r *run) objectUnnamed(ctx context.Context, n *arrival) (outcome, error) {
	entity, err := r.entityFor(ctx, refOn(n.side, record.Left, n.s.Ref), refOn(n.side, record.Right, n.s.Ref))
	if err != nil {
		return outcome{}, err
	}
	var sides [2]seenSide
	sides[n.side] = n.s.seenSide
	sides[n.side.Other()] = seenSide{Side: plan.Side{Now: record.Fields{}, Native: record.Fields{}}}
	n.c, n.w, err = r.newCase(ctx, 0, entity, sides)
	if why, is := unnamed(err); is {
		r.namesDamaged(why, record.Finding{Place: record.Place{Side: n.side.Other()}, Op: record.Create, Entry: n.s.Entry, Ref: n.s.Ref})
		return n.waitsBecause(why.Error()), nil
	}
	return outcome{}, err
}

func (r *run) objectUnfit(_ context.Context, n *arrival) (outcome, error) {
	why := plan.Unfit(r.job.Rules, n.c.Sides[n.side], n.side)
	if why != "" {
		r.noteFinding(record.Finding{
			Place: record.Place{Side: n.side.Other()}, Name: record.FindUnwritable, Op: record.Create, Entry: n.s.Entry, Ref: n.s.Ref, Text: why,
		})
	}
	return n.leaves(record.Quarantined, why), nil
}

// objectByRule makes the create. A guest counts on a booking: no rule leaves it out unasked.
func (r *run) objectByRule(_ context.Context, n *arrival) (outcome, error) {
	var unmade plan.Unmade
	n.a, unmade = plan.New(r.job.Rules, r.arriving(n.c, n.side), n.side)
	if b := r.job.Booking; b != nil && n.side != b.Authority {
		return asksAbout(question{cause: byRule, why: unmade.Text}), nil
	}
	if unmade.Text != "" {
		r.findUnmade(n.side, n.s, unmade)
	}
	return n.leaves(record.LeftOut, unmade.Text), nil
}

func (r *run) objectForgotten(ctx context.Context, n *arrival) (outcome, error) {
	why, about, err := r.mayBeForgotten(ctx, n.d, n.s, n.a)
	return asksAbout(question{cause: forgottenIt, why: why, about: about}), err
}

func (r *run) objectBeyond(ctx context.Context, n *arrival) (outcome, error) {
	why, refs, err := r.beyond(ctx, n.d, n.side.Other(), n.s.keys)
	q := question{cause: outOfWindow, why: why}
	for _, ref := range refs {
		q.about = append(q.about, ref.String())
	}
	return asksAbout(q), err
}

func (r *run) objectSameName(ctx context.Context, n *arrival) (outcome, error) {
	why, about, err := r.underName(ctx, n.side, n.s)
	return asksAbout(question{cause: sameName, why: why, about: about}), err
}

func (r *run) objectTaken(ctx context.Context, n *arrival) (outcome, error) {
	why, err := r.taken(ctx, n.side.Other(), n.a)
	return asksAbout(question{cause: keyTaken, why: why}), err
}

func (r *run) objectDamaged(_ context.Context, n *arrival) (outcome, error) {
	to := r.side(n.side.Other())
	if !r.unknowable[n.side.Other()] {
		return outcome{}, nil
	}
	return n.waitsBecause(fmt.Sprintf(
		"of a %s of %s the state file has damaged values: it may be this one, and is read again first", to.Kind, to.System)), nil
}

func (r *run) objectSuspected(ctx context.Context, n *arrival) (outcome, error) {
	why, err := r.suspected(ctx, n.d, n.side.Other(), n.s.keys)
	return n.waitsBecause(why), err
}

// objectAside waits whatever a person said of something else.
func (r *run) objectAside(_ context.Context, n *arrival) (outcome, error) {
	return n.waitsBecause(r.isAside(n.side.Other(), n.s.keys)), nil
}

func (r *run) objectInPlace(ctx context.Context, n *arrival) (outcome, error) {
	why, links, err := r.inPlaceOf(ctx, n.d, n.side, n.s)
	return asksAbout(question{cause: inPlace, why: why, links: links}), err
}

func (r *run) objectRejected(_ context.Context, n *arrival) (outcome, error) {
	return n.leaves(record.LeftOut, r.rejectedAlone(n.a)), nil
}

// planCreate adds a create that nothing speaks against.
func (r *run) planCreate(ctx context.Context, n *arrival) error {
	a := r.redoneAlone(n.a)
	r.firstSeen[n.s.Entry], r.bears[n.s.Entry] = n.s.brief.since, rulesOf(n.s.keys)
	if lacks, err := r.lacksAList(ctx, a); err != nil {
		return err
	} else if lacks {
		n.d.missing[a.Side]++
	}
	if hidden, err := r.mayBeIllegible(ctx, a.Side, a); err != nil {
		return err
	} else if hidden {
		a.Risk = plan.RiskUnreadable
	}
	n.d.waits = append(n.d.waits, n.w...) // to be looked at again once its references are linked
	n.d.news = append(n.d.news, a)
	return nil
}
