package decide

import (
	"context"
	"fmt"
	"strings"

	"nightporter/sync/links"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// A record that only one side has passes a row of objections before it is made on the other side. The first one
// that stands decides: the record is put aside, it waits, or a person is asked. If a person wants the record made,
// the objections that their word answers are skipped.

// arrival is a record that only one side has, and that may be made on the other.
type arrival struct {
	d     *run.Draft
	side  record.Side // the side that has it
	s     run.Stranger
	asked bool // a person wants it made

	c plan.Case   // the record, with nothing across; set once its references are known
	w []run.Waits // when it is to be looked at again
	a plan.Action // the create
}

// outcome is what an objection says. The zero outcome says nothing against a create.
type outcome struct {
	park  *run.Park  // it is put aside
	waits *run.Waits // it waits
	ask   *question  // a person is asked
	told  bool       // its own side is told no
}

func (o outcome) stands() bool { return o.park != nil || o.waits != nil || o.ask != nil || o.told }

// objection is one reason why a record is not made across, or not now.
type objection struct {
	name   string
	waived bool // the word of a person who wants the record made answers it
	look   func(*Room, context.Context, *arrival) (outcome, error)
}

// objections lists all of them, in the order in which they are asked. What the record itself tells comes first, and
// what has to be asked of the state or of a system last.
var objections = []objection{
	{"not wanted there", false, (*Room).objectUnwanted},
	{"linked by another job", false, (*Room).objectLinkedElsewhere},
	{"left out as it is", true, (*Room).objectLeftAsIs},
	{"its keys are blanked", true, (*Room).objectBlanked},
	{"not finished", true, (*Room).objectUnfinished},
	{"a booking that does not go", false, (*Room).objectBooking},
	{"what decides can't be read", false, (*Room).objectUndecided},
	{"nothing tells it", false, (*Room).objectUnknowable},
	{"what it names is missing", false, (*Room).objectMissing},
	{"perhaps sent before", true, (*Room).objectSent},
	{"our mark on records nobody knows", true, (*Room).objectOrphans},
	{"what it names is unknown", false, (*Room).objectUnnamed},
	{"its values do not fit", false, (*Room).objectUnfit},
	{"a rule leaves it out", false, (*Room).objectByRule},
	{"made before the state was put back", true, (*Room).objectForgotten},
	{"outside of what is read", true, (*Room).objectBeyond},
	{"a booking under the same name", true, (*Room).objectSameName},
	{"a person said which one it is", true, (*Room).objectSaid},
	{"a person left it out", true, (*Room).objectLeft},
	{"under the id of another one", false, (*Room).objectUnderOthersID},
	{"left alone under the id of another one", true, (*Room).objectLeftAlone},
	{"its key is taken", false, (*Room).objectTaken},
	{"damaged values across", false, (*Room).objectDamaged},
	{"one across may be there still", true, (*Room).objectSuspected},
	{"one across is put aside", false, (*Room).objectAside},
	{"in the place of one that is gone", true, (*Room).objectInPlace},
	{"refused before", false, (*Room).objectRefused},
	{"rejected by a person", false, (*Room).objectRejected},
	{"another job decides first", false, (*Room).objectMadeFirstElsewhere},
}

// planNew decides whether a record is made on the other side, and how. asked means that a person wants it made.
func (r *Room) planNew(ctx context.Context, d *run.Draft, side record.Side, s run.Stranger, asked bool) error {
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

// object carries out what an objection says. If a person wants the record made, and their word does not answer the
// objection, the question stays open.
func (r *Room) object(ctx context.Context, n *arrival, out outcome) error {
	switch {
	case out.park != nil:
		n.d.Parks = append(n.d.Parks, *out.park)
	case out.waits != nil:
		n.d.Waits = append(n.d.Waits, *out.waits)
	case out.ask != nil && n.asked:
		n.d.Parks = append(n.d.Parks, n.asksStill(*out.ask))
	case out.ask != nil:
		return r.planHeld(ctx, n.d, n.side, n.s, *out.ask)
	}
	return nil
}

// asksStill holds the record for the same question, although a person answered it.
func (n *arrival) asksStill(q question) run.Park {
	p := n.aside(record.Held, q.why)
	p.Cause = q.cause
	return p
}

// aside puts the record aside, in state st and because of why.
func (n *arrival) aside(st record.EntryState, why string) run.Park {
	return run.Park{Side: n.side, Entry: n.s.Brief, State: st, Why: why}
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
	return outcome{waits: &run.Waits{Side: n.side, Entry: n.s.Brief, Why: why}}
}

func asksAbout(q question) outcome {
	if q.why == "" {
		return outcome{}
	}
	return outcome{ask: &q}
}

func (r *Room) objectUnwanted(ctx context.Context, n *arrival) (outcome, error) {
	why, err := r.notWanted(ctx, n.side, n.s)
	return n.leaves(record.LeftOut, why), err
}

func (r *Room) objectLinkedElsewhere(ctx context.Context, n *arrival) (outcome, error) {
	why, err := r.match.LinkedElsewhere(ctx, n.side, n.s.Ref)
	return n.leaves(record.LeftOut, why), err
}

func (r *Room) objectLeftAsIs(_ context.Context, n *arrival) (outcome, error) {
	if !r.isAsLeft(n.side, n.s) {
		return outcome{}, nil
	}
	return n.leaves(record.LeftOut, "a person left it out"), nil
}

func (r *Room) objectBlanked(_ context.Context, n *arrival) (outcome, error) {
	return asksAbout(question{cause: run.BlankedKey, why: links.KeysBlanked(n.s)}), nil
}

// objectUnknowable leaves out a record that has nothing to be recognised by: it may be there already, under another
// spelling. A record that names another one passes: its reference may be all that it is recognised by.
func (r *Room) objectUnknowable(_ context.Context, n *arrival) (outcome, error) {
	if _, names := r.mustWait(n.side, n.s); len(n.s.Keys) > 0 || r.Job.Booking != nil || names {
		return outcome{}, nil
	}
	return n.leaves(record.LeftOut, "it shows nothing that it could be recognised by: "+strings.Join(r.RuleNames(), ", ")), nil
}

func (r *Room) objectUnfinished(_ context.Context, n *arrival) (outcome, error) {
	return n.waitsBecause(r.Unfinished(n.side, n.s)), nil
}

func (r *Room) objectBooking(_ context.Context, n *arrival) (outcome, error) {
	switch p, ok := r.bookingParked(n.side, n.s); {
	case !ok, p.State == record.Held && n.asked:
		return outcome{}, nil
	case p.State == record.Held:
		return asksAbout(question{cause: run.Booked, why: p.Why}), nil
	default:
		return outcome{park: &p}, nil
	}
}

func (r *Room) objectMissing(_ context.Context, n *arrival) (outcome, error) {
	w, ok := r.mustWait(n.side, n.s)
	switch {
	case !ok:
		return outcome{}, nil
	case w.Held:
		return asksAbout(question{cause: run.Missing, why: w.Why, about: links.NamesOf(w.On)}), nil
	}
	r.findings.FindWaiting(n.s, w)
	return outcome{waits: &w}, nil
}

func (r *Room) objectSent(ctx context.Context, n *arrival) (outcome, error) {
	why, err := r.settle.PerhapsSent(ctx, n.side.Other(), n.s.Brief)
	return asksAbout(question{cause: run.MayBeSent, why: why}), err
}

func (r *Room) objectOrphans(_ context.Context, n *arrival) (outcome, error) {
	return asksAbout(question{cause: run.Orphans, why: r.match.MayBeOrphans(n.side.Other(), n.s)}), nil
}

// objectUnnamed makes the case of the record. The record waits if it names another one that can't be read now.
func (r *Room) objectUnnamed(ctx context.Context, n *arrival) (outcome, error) {
	entity, err := r.entityFor(ctx, refOn(n.side, record.Left, n.s.Ref), refOn(n.side, record.Right, n.s.Ref))
	if err != nil {
		return outcome{}, err
	}
	var sides [2]run.SeenSide
	sides[n.side] = n.s.SeenSide
	sides[n.side.Other()] = run.SeenSide{Side: plan.Side{Now: record.Fields{}, Native: record.Fields{}}}
	n.c, n.w, err = r.links.NewCase(ctx, 0, entity, sides)
	if why, is := run.Unnamed(err); is {
		r.observe.NamesDamaged(why, record.Finding{Place: record.Place{Side: n.side.Other()}, Op: record.Create, Entry: n.s.Entry, Ref: n.s.Ref})
		return n.waitsBecause(why.Error()), nil
	}
	return outcome{}, err
}

func (r *Room) objectUnfit(_ context.Context, n *arrival) (outcome, error) {
	field, why := plan.Unfit(r.Job.Rules, n.c.Sides[n.side], n.side)
	if why != "" {
		r.NoteFinding(record.Finding{
			Place: record.Place{Side: n.side.Other()}, Name: record.FindUnwritable, Op: record.Create, Entry: n.s.Entry, Ref: n.s.Ref, About: field, Text: why,
		})
	}
	return n.leaves(record.Quarantined, why), nil
}

// objectByRule makes the create, and leaves the record out if a rule wants none. For a booking a person is asked
// instead: its guest counts on it.
func (r *Room) objectByRule(ctx context.Context, n *arrival) (outcome, error) {
	c, err := r.arriving(ctx, n)
	if err != nil {
		return outcome{}, err
	}
	var unmade plan.Unmade
	n.a, unmade = plan.New(r.Job.Rules, c, n.side)
	if b := r.Job.Booking; b != nil && n.side != b.Authority {
		return asksAbout(question{cause: run.ByRule, why: unmade.Text}), nil
	}
	if unmade.Text != "" {
		r.findings.FindUnmade(n.side, n.s, unmade)
	}
	return n.leaves(record.LeftOut, unmade.Text), nil
}

func (r *Room) objectForgotten(ctx context.Context, n *arrival) (outcome, error) {
	why, about, err := r.proof.MayBeForgotten(ctx, n.d, n.s, n.a)
	return asksAbout(question{cause: run.ForgottenIt, why: why, about: about}), err
}

func (r *Room) objectBeyond(ctx context.Context, n *arrival) (outcome, error) {
	why, refs, err := r.proof.Beyond(ctx, n.d, n.side.Other(), n.s.Keys)
	q := question{cause: run.OutOfWindow, why: why}
	for _, ref := range refs {
		q.about = append(q.about, ref.String())
	}
	return asksAbout(q), err
}

func (r *Room) objectSameName(ctx context.Context, n *arrival) (outcome, error) {
	why, about, err := r.match.UnderName(ctx, n.side, n.s)
	return asksAbout(question{cause: run.SameName, why: why, about: about}), err
}

// objectUnderOthersID lets the record wait even if a person wants it made: they were asked about something else.
func (r *Room) objectUnderOthersID(ctx context.Context, n *arrival) (outcome, error) {
	why, err := r.proof.UnderOthersID(ctx, n.side.Other(), n.s.Keys, len(r.gone.Absences) > 0)
	return n.waitsBecause(why), err
}

func (r *Room) objectLeftAlone(ctx context.Context, n *arrival) (outcome, error) {
	why, ref, err := r.proof.LeftUnderOthersID(ctx, n.side.Other(), n.s.Keys)
	return asksAbout(question{cause: run.LeftAlone, why: why, about: []string{ref.String()}}), err
}

func (r *Room) objectTaken(ctx context.Context, n *arrival) (outcome, error) {
	why, err := r.taken(ctx, n.side.Other(), n.a)
	return asksAbout(question{cause: run.KeyTaken, why: why}), err
}

func (r *Room) objectDamaged(_ context.Context, n *arrival) (outcome, error) {
	to := r.Side(n.side.Other())
	if !r.observe.Unknowable[n.side.Other()] {
		return outcome{}, nil
	}
	return n.waitsBecause(fmt.Sprintf(
		"of a %s of %s the state file has damaged values: it may be this one, and is read again first", to.Kind, to.System)), nil
}

func (r *Room) objectSuspected(ctx context.Context, n *arrival) (outcome, error) {
	why, err := r.suspected(ctx, n.d, n.side.Other(), n.s.Keys)
	return n.waitsBecause(why), err
}

// objectAside lets the record wait even if a person wants it made: they were asked about something else.
func (r *Room) objectAside(_ context.Context, n *arrival) (outcome, error) {
	return n.waitsBecause(r.proof.IsAside(n.side.Other(), n.s.Keys)), nil
}

func (r *Room) objectInPlace(ctx context.Context, n *arrival) (outcome, error) {
	q, err := r.inPlaceOf(ctx, n.d, n.side, n.s)
	return asksAbout(q), err
}

func (r *Room) objectRejected(_ context.Context, n *arrival) (outcome, error) {
	return n.leaves(record.LeftOut, r.guards.RejectedAlone(n.a)), nil
}

// objectMadeFirstElsewhere comes last: to other jobs, a record that waits for them is one that this job looked for.
func (r *Room) objectMadeFirstElsewhere(ctx context.Context, n *arrival) (outcome, error) {
	why, err := r.match.MadeFirstElsewhere(ctx, n.side, n.s.Brief)
	if err != nil || why == "" {
		return outcome{}, err
	}
	p := n.aside(record.Waiting, why)
	p.Cause = run.OtherFirst
	return outcome{park: &p}, nil
}

// planCreate adds a create that nothing speaks against.
func (r *Room) planCreate(ctx context.Context, n *arrival) error {
	a := r.links.RedoneAlone(n.a)
	r.proof.FirstSeen[n.s.Entry], r.proof.Bears[n.s.Entry] = n.s.Brief.Since, rulesOf(n.s.Keys)
	if lacks, err := r.LacksAList(ctx, a); err != nil {
		return err
	} else if lacks {
		n.d.Missing[a.Side]++
	}
	if hidden, err := r.proof.MayBeIllegible(ctx, a.Side, a); err != nil {
		return err
	} else if hidden {
		a.Risk = plan.RiskUnreadable
	}
	n.d.Waits = append(n.d.Waits, n.w...) // looked at again once its references are linked
	n.d.News = append(n.d.News, a)
	return nil
}
