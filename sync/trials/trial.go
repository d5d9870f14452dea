package trials

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/sync/apply"
	"nightporter/sync/plan"
	"nightporter/sync/plan/trial"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// RecallTrials loads the trials that the state knows, and keeps the halts of those that were not passed. A trial
// after which a person let such writes go on counts as passed.
func (r *Room) RecallTrials(ctx context.Context) error {
	r.Trials = run.Trials{
		Last: map[run.TrialKey]*record.Trial{}, Whom: map[record.Ref]bool{}, Shown: map[*record.Trial]*run.ShownAs{}, Read: r.Trials.Read, Beside: map[run.TrialAt]bool{},
	}
	all, err := r.store.Trials(ctx, "")
	if err != nil {
		return err
	}
	for i := range all {
		t := &all[i]
		r.noteLetEmpty(t)
		if t.Place.Binding != r.Job.Binding {
			if j := r.Jobs[t.Place.Binding]; j != nil && (!t.Over() || t.State == record.TrialBack) {
				r.Trials.Beside[run.TrialAt{System: j.Sides[t.Place.Side].System, Ref: t.Ref}] = true
			}
			continue
		}
		if t.State == record.TrialAside {
			r.Trials.Aside = append(r.Trials.Aside, t)
			continue
		}
		r.Trials.Last[run.KeyOfTrial(t)] = t
		side := t.Place.Side
		if !t.Stopped() || trial.Of(r.Side(side).Can.Written, t.Op, t, nil) != trial.Forbids {
			continue
		}
		if t.State == record.TrialBack || !r.letOn(t) {
			r.trust.KeptHalts = append(r.trust.KeptHalts, r.trialHalt(t))
			continue
		}
		if r.Options.Dry {
			continue
		}
		if err := r.letTrial(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// letOn reports whether a person let such writes go on although the trial was not passed.
func (r *Room) letOn(t *record.Trial) bool {
	h, let := r.trust.AnsweredHalt(record.HaltTrial, t.Place.Side)
	return let && h.Rests.IsOn(t.Described)
}

// noteLetEmpty notes on which sides of this job a person let updates go on that empty what they are not sent. What
// is empty there may be our own doing, whichever job sent the update.
func (r *Room) noteLetEmpty(t *record.Trial) {
	j := r.Jobs[t.Place.Binding]
	if j == nil || !t.LetGo() {
		return
	}
	of := j.Sides[t.Place.Side]
	for _, side := range record.Sides {
		if s := r.Side(side); s.System == of.System && s.Kind == of.Kind {
			r.Trials.Empties[side] = true
		}
	}
}

// letTrial counts a trial as passed, because a person let such writes go on although they do more than they are
// asked to. Its halt is over.
func (r *Room) letTrial(ctx context.Context, t *record.Trial) error {
	t.State, t.Left, t.Proved = record.TrialPassed, nil, []string{record.AllPaths}
	r.noteLetEmpty(t)
	r.trust.KeptHalts = slices.DeleteFunc(r.trust.KeptHalts, func(h record.Question) bool { return h.Cause == record.HaltTrial && h.Side == t.Place.Side })
	return r.store.KeepTrial(ctx, r.Lease, *t)
}

// EndTrials ends the trials that an earlier run left open, before anything is read or planned. What a write did
// unasked is put back. Until that is done, the record is left alone.
func (r *Room) EndTrials(ctx context.Context) error {
	for _, t := range r.Trials.All() {
		settled := t.State == record.TrialBack && time.Since(t.Ended) > r.Side(t.Place.Side).Settle
		if t.Over() && !settled || r.Options.Dry || r.waitsAside(t) {
			continue
		}
		if err := r.endTrial(ctx, t, settled); err != nil {
			return err
		}
	}
	return nil
}

// endTrial ends a trial, or leaves it for a later run. settled says that what the trial did was put back, and that
// its system has had the time to show that.
func (r *Room) endTrial(ctx context.Context, t *record.Trial, settled bool) error {
	if late, err := r.notNow(ctx, t); err != nil || late {
		return err
	}
	if held, err := r.trust.Held(ctx, t.Place.Side); err != nil || held {
		return err
	}
	switch open, err := r.underWay(ctx, t); {
	case err != nil:
		return err
	case open:
		return r.unseenTrial(ctx, t, nil)
	case settled:
		return r.seeSettled(ctx, t)
	}
	return r.judgeTrial(ctx, t, t.Original, false)
}

// underWay reports whether the system may still apply the write of a trial. An open write to the record across
// keeps the link unsure, but says nothing of the write of the trial.
func (r *Room) underWay(ctx context.Context, t *record.Trial) (bool, error) {
	open, err := r.store.Unsettled(ctx, t.Place.Binding)
	if err != nil {
		return false, err
	}
	lost, err := r.store.Lost(ctx, t.Place.Binding)
	return slices.ContainsFunc(slices.Concat(open, lost), func(in record.Intent) bool {
		return in.Place.Side == t.Place.Side && in.Change.Ref == t.Ref
	}), err
}

// seeSettled reads the record of a trial again, once its system has had the time to show what was put back. Until
// a read shows that, the record is known only as the trial left it.
func (r *Room) seeSettled(ctx context.Context, t *record.Trial) error {
	listed, known, err := r.shownSince(ctx, t)
	if err != nil {
		return err
	}
	if len(t.Listed) > 0 && !known {
		return nil
	}
	if err := r.observe.Refresh(ctx, t.Place.Side, t.Ref); err != nil {
		r.Note(t.Place.Side, t.Ref, record.Waiting, "it was put back after a trial, and can't be read now: "+err.Error())
		return ctx.Err()
	}
	if e, _, err := r.store.Entry(ctx, t.Place, t.Ref); err != nil || e.State == record.Quarantined { // nobody can make sense of it
		return err
	}
	var lost []string
	for p, v := range listed {
		if v.Empty() {
			lost = append(lost, p)
		}
	}
	t.State, t.Original, t.Listed = record.TrialStopped, nil, nil
	t.Left = slices.Compact(slices.Sorted(slices.Values(slices.Concat(t.Left, lost))))
	if err := r.nobodys(ctx, t, lost); err != nil {
		return err
	}
	if len(lost) == 0 && r.letOn(t) { // a person answered meanwhile
		return r.letTrial(ctx, t)
	}
	if err := r.store.KeepTrial(ctx, r.Lease, *t); err != nil || len(lost) == 0 {
		return err
	}
	return r.tellTrial(ctx, t, nil)
}

// OnTrial reports whether a link is left alone: a trial of this run wrote one of its records, or a trial of one of
// them is not over, be it of this job or of another one.
func (r *Room) OnTrial(p record.Pair) bool {
	for _, side := range record.Sides {
		ref := p.Sides[side].Ref
		if r.Trials.Whom[ref] || r.Trials.Beside[run.TrialAt{System: r.Side(side).System, Ref: ref}] {
			return true
		}
		for _, t := range r.Trials.All() {
			if t.Place.Side == side && t.Ref == ref && (!t.Over() || t.State == record.TrialBack) {
				return true
			}
		}
	}
	return false
}

// TrialWord says what a write is as far as trials go. If a person let such writes go on, they still wait until a
// read shows that what the first one changed was put back.
func (r *Room) TrialWord(a plan.Action) trial.Word {
	t := r.Trials.Last[run.TrialKey{Side: a.Side, Op: a.Change.Op}]
	word := trial.Of(r.Side(a.Side).Can.Written, a.Change.Op, t, a.Change.Fields.Names())
	if word == trial.Forbids && r.letOn(t) {
		return trial.Awaited
	}
	return word
}

// WhyTried says why trials do not let a write pass.
func (r *Room) WhyTried(a plan.Action) string {
	s := r.Side(a.Side)
	switch t := r.Trials.Last[run.TrialKey{Side: a.Side, Op: a.Change.Op}]; {
	case r.TrialWord(a) == trial.Forbids:
		return fmt.Sprintf("no more updates of %s are sent to %s: the first one changed more than it was sent", s.Kind, s.System)
	case t != nil && t.Stopped() && r.letOn(t):
		return fmt.Sprintf("a person let updates of %s of %s go on: first it is seen that what the first one changed is put back", s.Kind, s.System)
	}
	return fmt.Sprintf("the first %s of %s of %s is a trial, and it is not known yet what it did", a.Change.Op, s.Kind, s.System)
}

// TriedBefore reports whether trials let a write pass now. If they don't, it notes why.
func (r *Room) TriedBefore(a plan.Action) (may bool) {
	switch r.TrialWord(a) {
	case trial.Awaited:
		r.Count("postponed", 1)
		r.Note(a.Side, a.Change.Ref, record.Waiting, r.WhyTried(a))
		return false
	case trial.Forbids:
		r.Count("held", 1)
		r.Note(a.Side, a.Change.Ref, record.Held, r.WhyTried(a))
		return false
	case trial.None, trial.Due:
	}
	return true
}

// Try carries out a write. The write is a trial if it is the first of its operation, or an update through an
// object that no trial has proved. A record in which such an update could empty nothing is no trial.
func (r *Room) Try(ctx context.Context, a plan.Action) (apply.Outcome, error) {
	s := r.Side(a.Side)
	whole, ok := s.Conn.(connectors.Whole)
	last := r.Trials.Last[run.TrialKey{Side: a.Side, Op: a.Change.Op}]
	if !ok || trial.Of(s.Can.Written, a.Change.Op, last, a.Change.Fields.Names()) != trial.Due {
		return r.Door().Apply(ctx, a)
	}
	t := &record.Trial{
		Place: r.Place(a.Side), Op: a.Change.Op, Described: s.Can.Written, Ref: a.Change.Ref, Sent: a.Change.Fields.Names(),
		State: record.TrialOpen, At: time.Now(),
	}
	if last != nil && last.Described == t.Described {
		t.Proved = last.Proved
	}
	if a.Change.Op == record.Create { // there is nothing before it, and nothing to put back
		out, err := r.Door().Apply(ctx, a)
		if err != nil || out.Result != apply.Done {
			return out, err
		}
		return out, r.lookAtNew(ctx, t, out.Receipt.Ref, a.Change.Fields, whole)
	}
	before, err := whole.Whole(ctx, a.Change.Ref)
	r.Count(a.Side.String()+".reads", 1)
	if err != nil {
		return unreadBefore(err), nil
	}
	if t.Op == record.Update {
		hidden, err := r.listedAlone(ctx, t, before)
		if err != nil {
			return apply.Outcome{Result: apply.Unread, Class: connectors.ClassOf(err), Err: err}, ctx.Err()
		}
		t.Listed, before = hidden.Names(), trial.Comparable(before).With(hidden)
		if !trial.Loses(before, trial.Unproved(t.Proved, t.Sent), t.Sent, r.fixed(a.Side)) {
			return r.Door().Apply(ctx, a)
		}
	}
	return r.onTrial(ctx, t, a, before)
}

// unreadBefore returns the outcome of a write if its record could not be read before it: Vanished if the record is
// not there, and Unread otherwise.
func unreadBefore(err error) apply.Outcome {
	out := apply.Outcome{Result: apply.Unread, Class: connectors.ClassOf(err), Err: err}
	if out.Class == connectors.NotFound || out.Class == connectors.Moved || out.Class == connectors.OutOfScope {
		out.Result = apply.Vanished
	}
	return out
}

// onTrial carries out a write as a trial. before is the record as it was read whole before the write.
func (r *Room) onTrial(ctx context.Context, t *record.Trial, a plan.Action, before record.Fields) (apply.Outcome, error) {
	t.Original = trial.Comparable(before)
	if err := r.store.KeepTrial(ctx, r.Lease, *t); err != nil {
		return apply.Outcome{}, err
	}
	r.Trials.Last[run.KeyOfTrial(t)] = t
	by := r.Door()
	by.Known = r.knownOfTrial
	out, err := by.Apply(ctx, a)
	switch {
	case err != nil || out.Result == apply.Unknown:
		return out, err
	case out.Result != apply.Done:
		return out, r.dropTrial(ctx, t)
	}
	t.State = record.TrialAnswered
	if err := r.store.KeepTrial(ctx, r.Lease, *t); err != nil {
		return out, err
	}
	return out, r.judgeTrial(ctx, t, trial.Comparable(before), true)
}

// dropTrial forgets a trial that showed nothing. What earlier trials proved still counts.
func (r *Room) dropTrial(ctx context.Context, t *record.Trial) error {
	if t.State == record.TrialAside {
		return r.forgetAside(ctx, t)
	}
	if len(t.Proved) > 0 {
		t.Found = nil
		return r.passTrial(ctx, t, nil)
	}
	delete(r.Trials.Last, run.KeyOfTrial(t))
	delete(r.Trials.Whom, t.Ref)
	return r.store.DropTrial(ctx, r.Lease, *t)
}

// judgeTrial reads the record of a trial again, and puts back what the write emptied. done says that the write was
// answered a moment ago: a field that is empty now was emptied by the write. Later a user may have emptied it as
// well. Then it is put back only if nothing in the same object stands as it did. If the record can't be read, the
// trial stays open.
func (r *Room) judgeTrial(ctx context.Context, t *record.Trial, original record.Fields, done bool) error {
	side := t.Place.Side
	whole, ok := r.Side(side).Conn.(connectors.Whole)
	if !ok {
		return r.dropTrial(ctx, t)
	}
	r.Trials.Whom[t.Ref] = true
	x := tried{original: original, whole: whole}
	x.Done = done
	if over, err := r.look(ctx, t, &x); err != nil || over {
		return err
	}
	t.Found = trial.Found(*t, x.Effects)
	x.Trial = *t
	ruling := trial.Judge(x.Facts)
	if waits := r.awaits(t, ruling.Say); waits != "" {
		r.Note(side, t.Ref, record.Waiting, waits)
		return nil
	}
	if read, err := r.askAbout(ctx, t, x, ruling); err != nil || !read {
		return err
	}
	return r.concludeTrial(ctx, t, x, ruling)
}

// tried is what the record of a trial shows when it is read again.
type tried struct {
	trial.Facts
	whole    connectors.Whole
	original record.Fields // before the trial
	now      record.Fields
	listed   record.Fields // what the read by id hides, as a list has shown it since
}

// look reads the record of a trial again and puts what it shows into x. over says that there is nothing more to
// decide in this run.
func (r *Room) look(ctx context.Context, t *record.Trial, x *tried) (over bool, err error) {
	side := t.Place.Side
	entry, _, err := r.store.Entry(ctx, t.Place, t.Ref)
	if err != nil {
		return true, err
	}
	if x.Settled, err = r.settledTrial(ctx, t, entry); err != nil {
		return true, err
	}
	x.now, err = x.whole.Whole(ctx, t.Ref)
	r.Count(side.String()+".reads", 1)
	switch class := connectors.ClassOf(err); {
	case class == connectors.NotFound, class == connectors.Moved, class == connectors.OutOfScope:
		return true, r.dropTrial(ctx, t)
	case err != nil:
		r.Note(side, t.Ref, record.Waiting, "it was written as a trial, and can't be read now to see what became of it: "+err.Error())
		return true, errors.Join(ctx.Err(), r.unseenTrial(ctx, t, err))
	case !r.Job.IsLinked(side, entry, record.Record{Ref: t.Ref, Fields: x.now}): // its id went to another record
		return true, r.dropTrial(ctx, t)
	}
	if x.Written = trial.Shown(x.original, x.now, t.Sent, r.Job.Seal); !x.Written && time.Since(t.At) <= r.Side(side).Settle {
		r.Note(side, t.Ref, record.Waiting, "it was written as a trial, and a read does not show that yet")
		return true, nil
	}
	if x.listed, x.Listed, err = r.shownSince(ctx, t); err != nil {
		return true, err
	}
	x.now = x.now.With(x.listed)
	before := x.original
	if !x.Listed {
		before = leavingOut(before, t.Listed)
	}
	x.Effects = trial.Unasked(before, x.now, t.Sent, r.Job.Mapping.Paths(side), r.Job.Seal, r.fixed(side))
	x.Taken = trial.Taken(*t, x.original, entry, x.now, r.Job.Seal)
	x.Ours = r.observe.Restored.Before(t.At)
	return false, nil
}

// awaits says what a trial waits for before it can be judged; "" if it can be judged now.
func (r *Room) awaits(t *record.Trial, say trial.Say) string {
	switch say {
	case trial.AwaitList:
		return fmt.Sprintf("it was written as a trial, and its next list shows what became of %s: its read by id hides that", strings.Join(t.Listed, ", "))
	case trial.AwaitSettled:
		return "it was written as a trial, and shows nothing amiss: it is looked at again once its system has had the time to carry all of it out"
	case trial.Stop, trial.Next, trial.Pass, trial.Harmed:
	}
	return ""
}

// askAbout asks a person about what a user may have changed in the record of a trial. Unless something is to be
// put back, the record is then read by id. It reports false if that read fails now.
func (r *Room) askAbout(ctx context.Context, t *record.Trial, x tried, ruling trial.Ruling) (bool, error) {
	theirs := slices.Concat(ruling.Others, x.Effects.Changed)
	if err := r.nobodys(ctx, t, theirs); err != nil {
		return false, err
	}
	if err := r.askTried(ctx, t, theirs, x.now); err != nil {
		return false, err
	}
	if len(ruling.Ours) > 0 || len(theirs) == 0 {
		return true, nil
	}
	return r.readTried(ctx, t)
}

// concludeTrial carries out the ruling on a trial.
func (r *Room) concludeTrial(ctx context.Context, t *record.Trial, x tried, ruling trial.Ruling) error {
	switch ruling.Say {
	case trial.Stop:
		return r.stopTrial(ctx, t, nil, x.Effects.Changed)
	case trial.Next:
		return r.dropTrial(ctx, t)
	case trial.Pass:
		return r.passTrial(ctx, t, x.Effects.Shown)
	case trial.AwaitList, trial.AwaitSettled:
		return nil
	case trial.Harmed:
	}
	x.Effects.Emptied = ruling.Ours
	t.State = record.TrialHarmed
	r.Trials.TakeUp(t)
	kept := *t
	kept.Original = x.original
	if err := r.store.KeepTrial(ctx, r.Lease, kept); err != nil {
		return err
	}
	for p, v := range x.listed { // a user may have entered it since
		if !v.Empty() {
			x.original = x.original.With(record.Fields{p: v})
		}
	}
	return r.putTrialBack(ctx, t, x.original, x.Effects, x.whole)
}

// readTried reads the record of a trial that was changed meanwhile. The changed paths are in no base any more.
// Without this read nothing would be known of them until a list shows them: a booking would be written without the
// phone of its guest. It reports false if the record can't be read now, and the trial stays open.
func (r *Room) readTried(ctx context.Context, t *record.Trial) (bool, error) {
	side := t.Place.Side
	err := r.observe.Refresh(ctx, side, t.Ref)
	if err == nil {
		return true, nil
	}
	r.Note(side, t.Ref, record.Waiting, "it was written as a trial and changed since, and can't be read now: "+err.Error())
	return false, errors.Join(ctx.Err(), r.unseenTrial(ctx, t, err))
}

// notNow reports whether a trial is not looked at in this run, because its side is not read. A trial that other
// updates wait for is looked at all the same, once its system has settled.
func (r *Room) notNow(ctx context.Context, t *record.Trial) (bool, error) {
	if !r.Options.Skip[t.Place.Side] {
		return false, nil
	}
	if t.Over() || t.Op != record.Update {
		return true, nil
	}
	e, _, err := r.store.Entry(ctx, t.Place, t.Ref)
	return time.Now().Before(e.SettleUntil), err
}

// briefly is how long a run waits at most for a system to settle, so that the trial of a quick system is over at
// once.
const briefly = time.Second

// settledTrial reports whether a read that begins now shows all that a trial did. A system may empty what an
// update does not name later than it answers. A status action is only looked at, and needs no wait.
func (r *Room) settledTrial(ctx context.Context, t *record.Trial, e record.Entry) (bool, error) {
	if t.Op != record.Update {
		return true, nil
	}
	left := time.Until(e.SettleUntil)
	if left > briefly {
		return false, nil
	}
	return true, r.LetPass(ctx, left)
}

// nobodys takes paths of the record of a trial out of its base. Nobody can tell whether the system or a user made
// what stands there. If it differs from the record across, it is decided as if the two records met for the first
// time.
func (r *Room) nobodys(ctx context.Context, t *record.Trial, paths []string) error {
	pair, ok, err := r.store.PairOf(ctx, t.Place, t.Ref)
	if err != nil || !ok || len(paths) == 0 {
		return err
	}
	var out [2][]string
	out[t.Place.Side] = paths
	return r.store.Distrust(ctx, r.Lease, pair.Link, out, !pair.Doubted)
}

// putTrialBack writes back what a trial emptied, and ends the trial. A field that holds another value now stays as
// it is, and a person is asked: the system may have made it so. If the system can't be reached, the next run does
// it.
func (r *Room) putTrialBack(ctx context.Context, t *record.Trial, original record.Fields, e trial.Effects, whole connectors.Whole) error {
	side := t.Place.Side
	values, left := trial.PutBack(original, slices.Compact(slices.Sorted(slices.Values(slices.Concat(e.Emptied, t.Listed))))) // what reads hide is sent as well: the record is sent whole
	if len(values) == 0 {
		return r.stopTrial(ctx, t, left, e.Changed)
	}
	if held, err := r.trust.Held(ctx, side); err != nil || held {
		return err
	}
	first := t.Ended.IsZero()
	if first {
		t.Ended = time.Now()
	}
	err := whole.PutBack(ctx, t.Ref, values)
	class := connectors.ClassOf(err)
	refused := slices.Contains(notTaken, class)
	switch {
	case err == nil:
	case class == connectors.NotFound, class == connectors.Moved, class == connectors.OutOfScope: // a read may show the record that it was merged into
		return r.dropTrial(ctx, t)
	case refused:
		r.Note(side, t.Ref, record.Held, "what a trial changed can't be put back: "+err.Error())
	default: // it may have been applied, or may be later
		r.Note(side, t.Ref, record.Waiting, "what a trial changed is put back by the next run: "+err.Error())
		return ctx.Err()
	}
	now, err := whole.Whole(ctx, t.Ref)
	r.Count(side.String()+".reads", 1)
	if err != nil {
		return ctx.Err()
	}
	empty := trial.Unasked(leavingOut(values, t.Listed), now, nil, nil, nil, func(string) bool { return false }).Emptied
	if len(empty) > 0 && !refused && time.Since(t.Ended) <= r.Side(side).Settle { // the read may lag
		r.Note(side, t.Ref, record.Waiting, "what a trial changed was put back, and a read does not show that yet")
		if !first {
			return nil
		}
		kept := *t
		kept.Original = original
		return r.store.KeepTrial(ctx, r.Lease, kept)
	}
	if refused {
		empty = append(empty, only(original, t.Listed).Names()...)
		t.Listed = nil
	}
	t.Original = original
	return r.stopTrial(ctx, t, append(left, empty...), e.Changed)
}

// notTaken is the classes of answers that say that values can't be put back: a person has to do that then.
var notTaken = []connectors.ErrorClass{
	connectors.Rejected, connectors.Forbidden, connectors.Unsupported, connectors.Malformed, connectors.Refused, connectors.Exists,
}

// stopTrial ends a trial that was not passed: no more such writes are sent, and a person is told. left is the
// paths that were not put back. other is the paths that hold another value by now, which may be a user's: the
// person is asked which value is right, and nothing says that these values are lost.
func (r *Room) stopTrial(ctx context.Context, t *record.Trial, left, other []string) error {
	stands := func(p string) bool { return slices.Contains(other, p) }
	slices.Sort(left)
	t.State, t.Left, t.Ended = record.TrialBack, slices.DeleteFunc(slices.Compact(left), stands), time.Now()
	t.Found = slices.DeleteFunc(t.Found, stands)
	if t.Original = only(t.Original, t.Listed); len(t.Listed) == 0 { // the next list shows what reads hide
		t.Original = nil
	}
	if err := r.nobodys(ctx, t, t.Left); err != nil {
		return err
	}
	if err := r.store.KeepTrial(ctx, r.Lease, *t); err != nil {
		return err
	}
	return r.tellTrial(ctx, t, other)
}

// tellTrial tells a person of a trial that was not passed. other is the paths that hold another value by now.
func (r *Room) tellTrial(ctx context.Context, t *record.Trial, other []string) error {
	r.Count("held", 1)
	h := r.trialHalt(t)
	if len(other) > 0 {
		h.Why += fmt.Sprintf(". In %s other values stand there since, and a person is asked which are right: nightporter conflicts", strings.Join(other, ", "))
	}
	e, _, err := r.store.Entry(ctx, t.Place, t.Ref)
	if err != nil {
		return err
	}
	kind := record.HaltTrial
	if len(t.Left) > 0 { // somebody has to enter it, whatever becomes of the updates
		kind = "emptied"
	}
	if err := r.Alert(ctx, e.Num, kind, h.Why); err != nil {
		return err
	}
	r.trust.KeptHalts = append(r.trust.KeptHalts, h)
	return r.store.Stand(ctx, r.Lease, nil, []record.Question{r.trust.HaltOf(h)}, time.Now())
}

// passTrial ends a trial that did what was asked. shown is the objects that the trial proved: the update kept what
// stands in them beside what was sent.
func (r *Room) passTrial(ctx context.Context, t *record.Trial, shown []string) error {
	if t.State == record.TrialAside { // other trials have shown this, or will
		return r.forgetAside(ctx, t)
	}
	t.Proved = slices.Compact(slices.Sorted(slices.Values(slices.Concat(t.Proved, shown))))
	t.State, t.Original, t.Listed, t.Ended = record.TrialPassed, nil, nil, time.Now()
	r.Trials.Last[run.KeyOfTrial(t)] = t
	delete(r.Trials.Whom, t.Ref)
	return r.store.KeepTrial(ctx, r.Lease, *t)
}

// lookAtNew reads the record that a first create made, and notes which values were sent and are empty there.
// Nothing is put back. If the record can't be read, the trial has shown nothing.
func (r *Room) lookAtNew(ctx context.Context, t *record.Trial, ref record.Ref, sent record.Fields, whole connectors.Whole) error {
	t.Ref = ref
	now, err := whole.Whole(ctx, ref)
	r.Count(t.Place.Side.String()+".reads", 1)
	if err != nil {
		return ctx.Err()
	}
	for p := range sent {
		if v := now[p]; v.Observed() && v.Empty() && !sent[p].Empty() {
			t.Found = append(t.Found, p)
		}
	}
	slices.Sort(t.Found)
	return r.passTrial(ctx, t, nil)
}

// trialHalt is the halt that says what a trial which was not passed has changed, and what a person can do.
func (r *Room) trialHalt(t *record.Trial) record.Question {
	s := r.Side(t.Place.Side)
	text := fmt.Sprintf("the first update of %s of %s changed more than it was sent: in %s it also changed %s",
		s.Kind, s.System, t.Ref, strings.Join(t.Found, ", "))
	if hidden := slices.DeleteFunc(slices.Clone(t.Found), func(p string) bool { return !slices.Contains(t.Listed, p) }); len(hidden) > 0 {
		text += fmt.Sprintf(" (its lists show %s, and its reads by id do not)", strings.Join(hidden, ", "))
	}
	switch {
	case len(t.Found) == 0:
		text = fmt.Sprintf("the first update of %s of %s changed more than it was sent, in %s", s.Kind, s.System, t.Ref)
	case len(t.Left) > 0:
		text += fmt.Sprintf("; %s could not be put back: enter it again there", strings.Join(t.Left, ", "))
	default:
		text += "; that was put back"
	}
	text += ". No more updates are sent to it"
	if key := s.Can.WholeKey; key != "" {
		text += fmt.Sprintf(" until the description says how: with %s the record is read and sent whole", key)
	}
	return record.Question{Cause: record.HaltTrial, Subject: record.Subject{Side: t.Place.Side}, Why: text, Next: r.afterTrial(s), Rests: record.RestsOn(t.Described)}
}

// afterTrial says what a person can do after a trial that was not passed. It never proposes to let updates empty
// what they are not sent if they can be sent in another way.
func (r *Room) afterTrial(s *run.Side) string {
	if key := s.Can.WholeKey; key != "" {
		return fmt.Sprintf("set %s for %s in the description of %s, then %s", key, s.Kind, s.System, r.trust.LookAgainCommand())
	}
	return fmt.Sprintf("have the description of %s say how updates of %s are sent, then %s; if a user emptied it meanwhile: nightporter resume %s --let-it-empty",
		s.System, s.Kind, r.trust.LookAgainCommand(), r.Job.Binding)
}

// EndListed ends the trials that waited for a list, if a list of this run showed what reads by id hide of their
// records.
func (r *Room) EndListed(ctx context.Context) error {
	for _, side := range record.Sides {
		for _, t := range r.observe.AwaitsList(side) {
			if r.waitsAside(t) {
				continue
			}
			if _, known, err := r.shownSince(ctx, t); err != nil || !known || r.Options.Dry {
				if err != nil {
					return err
				}
				continue
			}
			if open, err := r.underWay(ctx, t); err != nil {
				return err
			} else if open {
				continue
			}
			end := func() error { return r.judgeTrial(ctx, t, t.Original, false) }
			if t.State == record.TrialBack {
				end = func() error { return r.seeSettled(ctx, t) }
			}
			if err := end(); err != nil {
				return err
			}
		}
	}
	return nil
}
