package door

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"nightporter/connectors"
	"nightporter/sync/apply"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
	"nightporter/sync/settle"
)

// Applier returns what carries out the changes of this run.
func (r *Room) Applier() *apply.Applier {
	a := &apply.Applier{
		Lease: r.Lease, Journal: r.store.Journal, NewID: r.NewID, Step: r.Step,
		Held:  r.guards.Passes,
		Open:  r.observe.OpenContent,
		Based: r.settle.MadeOf, Unheeded: r.settle.Unheeded,
		Vouched: r.Vouched,
		Unmoved: r.Unmoved, Recognised: r.recognised,
		Beside: r.trials.SentWhole,
		Stamp:  r.MarkOf,
	}
	for i, s := range r.Job.Sides {
		a.Systems[i] = apply.System{Name: s.System, Conn: s.Conn, Kind: s.Can, Settle: s.Settle}
	}
	return a
}

// recognised reports whether it is known which record the id of a change names, without reading it before the write. A
// complete list of this run has shown it, or the change names a version that no other record has had.
func (r *Room) recognised(in record.Intent) bool {
	side := in.Place.Side.String()
	listed := r.Report.Counts[side+".pages"] > 0 && r.Report.Counts[side+".incomplete"] == 0
	return listed || isUnique(in.Change.Version)
}

// isUnique reports whether no two records of a side have had the same version. One that counts from 1 says nothing: a
// new record that got the id of a deleted one counts from 1 as well.
func isUnique(v record.Version) bool {
	n, err := strconv.ParseUint(string(v), 10, 64)
	return v != "" && (err != nil || n >= 1_000_000)
}

// Act makes sure that an action may be sent, and sends it. It returns whether the action was done, and which
// records must be read and decided once more in this run. An error ends the run.
func (r *Room) Act(ctx context.Context, a plan.Action) (bool, []run.ToRead, error) {
	if holds, err := r.holds(ctx, a); err != nil || !holds {
		return false, nil, err
	}
	out, err := r.trials.Try(ctx, a)
	if err != nil {
		return false, nil, err
	}
	return r.concluded(ctx, a, out)
}

// concluded is the one place that decides what an outcome means for the run. Its results are those of Act.
func (r *Room) concluded(ctx context.Context, a plan.Action, out apply.Outcome) (bool, []run.ToRead, error) {
	r.findings.Heard(a, out)
	switch out.Result {
	case apply.Done:
		return r.done(ctx, a, out)
	case apply.Changed:
		reread, err := r.changedSince(ctx, a, out)
		return false, reread, err
	case apply.Vanished:
		r.observe.Vanished(a)
		_, err := r.observe.ReadFirst(ctx, a.Side, a.Change.Ref)
		return false, nil, err
	case apply.Said:
		return false, nil, r.refused(ctx, a, out)
	case apply.Met:
		return false, nil, r.met(ctx, a, out)
	case apply.Unknown:
		r.unknown(ctx, a, out)
		return false, nil, nil
	case apply.Taken:
		return false, nil, r.AnsweredTaken(ctx, a, out)
	case apply.Put:
		return false, nil, r.PutBack(ctx, a, out)
	case apply.Kept:
		return false, nil, r.kept(ctx, a, out)
	case apply.Unread:
		r.Unverified(a, out)
		return false, nil, nil
	}
	return false, nil, fmt.Errorf("apply %s: unknown result %d", a.Change.Ref, out.Result)
}

// done does what follows a change that was made, and returns what Act returns.
func (r *Room) done(ctx context.Context, a plan.Action, out apply.Outcome) (bool, []run.ToRead, error) {
	r.Count(a.Side.String()+"."+run.Past(a.Change.Op), 1)
	r.findings.Written(a)
	if err := r.afterGone(ctx, a); err != nil {
		return false, nil, err
	}
	told, err := r.gaveWay(ctx, a)
	if err != nil {
		return false, nil, err
	}
	return true, append(settle.StepDue(a.Side, out.Receipt), told...), r.afterCreate(ctx, a, out)
}

// changedSince deals with a record that was changed after its action was decided. It stores what the record shows
// now, and returns that record to be decided once more. It returns nothing where the record can't be read, or where
// no read shows the change.
func (r *Room) changedSince(ctx context.Context, a plan.Action, out apply.Outcome) ([]run.ToRead, error) {
	reread := []run.ToRead{{Side: a.Side, Ref: a.Change.Ref}}
	r.Count("stale", 1)
	if out.Observed != nil {
		return reread, r.observe.SeeIfNew(ctx, a.Side, *out.Observed, out.At)
	}
	if read, err := r.observe.ReadFirst(ctx, a.Side, a.Change.Ref); err != nil || !read {
		return nil, err
	}
	if unseen, err := r.observe.ChangedUnseen(ctx, a); err != nil || unseen {
		return nil, err
	}
	return reread, nil
}

// unknown notes a change that got no clear answer: nobody knows whether it was made.
func (r *Room) unknown(ctx context.Context, a plan.Action, out apply.Outcome) {
	if a.From != 0 {
		r.match.Open[a.From] = true
	}
	r.Count("unsettled", 1)
	r.settle.FindUnanswered(a, out)
	r.Log.WarnContext(ctx, "nobody knows whether a change was applied", "side", a.Side.String(), "ref", a.Change.Ref.String(), "op", a.Change.Op.String())
}

// kept notes why a change is not sent now.
func (r *Room) kept(ctx context.Context, a plan.Action, out apply.Outcome) error {
	if errors.Is(out.Err, record.ErrWordGone) {
		r.postponed(a, "what a person had answered about it was taken back or changed before it was sent: it is decided anew")
		return nil
	}
	if kept, err := r.guards.KeptBack(ctx, a); err != nil || kept {
		return err
	}
	_, err := r.trust.Held(ctx, a.Side) // notes why
	r.Count("postponed", 1)
	return err
}

// PutBack deals with a change that was not made and may be sent later. Nothing more is written to a side in this
// run if the system asks to wait or can't be reached. If the system does not take such changes at all, only these
// stop. If it does not accept our key any more, the whole run ends.
func (r *Room) PutBack(ctx context.Context, a plan.Action, out apply.Outcome) error {
	if out.Class == connectors.Unauthorized {
		return out.Err
	}
	if a.Change.Op == record.Delete && out.Class == connectors.Unsupported { // other changes may still be sent
		return r.deleteRefused(ctx, a, out)
	}
	if out.Class == connectors.Unsupported {
		r.VerbRefused(a, out)
		return nil
	}
	r.findings.Stopped[a.Side] = string(out.Class)
	r.Count("postponed", 1)
	r.Log.WarnContext(ctx, "no more writes to a side in this run", "side", a.Side.String(), "class", string(out.Class))
	r.Note(a.Side, a.Change.Ref, record.Waiting, fmt.Sprintf("%s can't be written now: %v", r.Side(a.Side).System, out.Err))
	return nil
}

// AnsweredTaken deals with a create that was answered with a record of another link: some systems give back a
// record that they have already and take to be the same. A person decides.
func (r *Room) AnsweredTaken(ctx context.Context, a plan.Action, out apply.Outcome) error {
	r.match.Open[a.From] = true
	in := record.Intent{
		ID: out.Receipt.Intent, Place: record.Place{Binding: r.Job.Binding, Side: a.Side},
		Link: a.Link, From: a.From, Change: a.Change,
	}
	return r.settle.LoseTaken(ctx, in, out.Receipt.Ref)
}

// met deals with a create that was not made, because the system has a record with the same key. That record is
// looked up, so that the next plan can match the two.
func (r *Room) met(ctx context.Context, a plan.Action, out apply.Outcome) error {
	intents, err := r.store.Unsettled(ctx, r.Job.Binding)
	if err != nil {
		return err
	}
	for _, in := range intents {
		if in.From != a.From || in.Change.Op != record.Create {
			continue
		}
		if r.Once(a.Side) { // the record that is there may be what this very request made
			r.match.Open[a.From] = true
			r.Count("unsettled", 1)
			continue
		}
		open, err := r.settle.SettleCreate(ctx, in, true)
		if err != nil {
			return err
		}
		if open { // the record can't be asked for: the next list will show it
			if err := r.guards.Blocked(ctx, in); err != nil {
				return err
			}
			if r.findings.ApartFromKeys(a.Side, run.NamedBy(out.Err)) { // its key is no match key: no list will ever match the two
				r.FindAnswer(record.FindHeld, a, out.Err)
			}
			r.Note(a.Side.Other(), a.Source, record.Waiting, "the other system already has it: it is matched when it is listed")
			continue
		}
		r.observe.Strays = true
	}
	return nil
}

// giveWay takes back a booking of ours, because its room was sold twice. The pair is marked first: if the run is
// killed in between, the next run tells the other side what became of the booking. If its system did not take the
// change, the fate stays RoomGivesWay.
func (r *Room) giveWay(ctx context.Context, pair record.Pair, s run.SeenSide) (record.RoomFate, error) {
	const gives = "gives way and its guest must be called"
	const open = record.RoomGivesWay
	b := r.Job.Booking
	if !r.CanRefuse(b.Authority) { // the side has no word for a refused booking: the desk decides
		return record.RoomStands, r.tellSoldTwice(ctx, s, gives)
	}
	a, err := r.StatusAction(b.Authority, s.Side, pair.Link, b.Refused, "its room was sold twice")
	if err != nil {
		return open, err
	}
	if err := r.store.Touch(ctx, r.Lease, []int64{pair.Sides[0].Num, pair.Sides[1].Num}); err != nil {
		return open, err
	}
	if err := r.guards.NeedBook(ctx); err != nil {
		return open, err
	}
	if r.guards.RejectedTell(a) { // a person has said that it stands, and may take that back
		return record.RoomHeld, nil
	}
	may := false
	if !r.Book.WaitsFor(a) { // if a set that a person is asked about has it already, it goes with a whole plan
		if may, err = r.guards.MayTell(ctx, a); err != nil {
			return open, err
		}
	}
	if !may {
		return record.RoomHeld, r.tellSoldTwice(ctx, s, "waits for a person to say that it gives way (nightporter staged), and its guest must be called then")
	}
	if err := r.tellSoldTwice(ctx, s, gives); err != nil {
		return open, err
	}
	if ok, _, err := r.Act(ctx, a); err != nil || !ok {
		return open, err
	}
	return record.RoomGaveWay, r.giveWayAcross(ctx, pair)
}

// giveWayAcross tells the other side that a booking gave way, if that side has a word for it.
func (r *Room) giveWayAcross(ctx context.Context, pair record.Pair) error {
	b := r.Job.Booking
	side := b.Authority.Other()
	if !r.CanRefuse(side) {
		return nil
	}
	one, err := r.refer.SideOf(ctx, side, pair.Sides[side])
	if err != nil {
		return err
	}
	a, err := r.StatusAction(side, one.Side, pair.Link, b.Refused, "its room was sold twice")
	if err != nil {
		return err
	}
	if may, err := r.guards.MayTell(ctx, a); err != nil || !may {
		return err
	}
	if ok, _, err := r.Act(ctx, a); err != nil || !ok {
		return err
	}
	return r.store.Adopt(ctx, r.Lease, pair.Link, [2]record.Fields{}, time.Now())
}
