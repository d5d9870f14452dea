package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/apply"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// settle finds out what became of changes that were sent and never answered. What
// can be asked is asked here; what only a list can tell waits for settleListed.
func (r *run) settle(ctx context.Context) error {
	if err := r.settleLost(ctx); err != nil {
		return err
	}
	intents, err := r.Store.Unsettled(ctx, r.job.Binding)
	if err != nil {
		return err
	}
	failed := 0
	for _, in := range intents {
		open, err := r.lookAgain(ctx, in, &failed)
		if err != nil {
			return fmt.Errorf("%s %s: %w", in.Change.Op, in.ID, err)
		}
		if open {
			r.hold(in)
		}
	}
	return nil
}

// hold keeps everything else off the record of an open intent.
func (r *run) hold(in record.Intent) {
	if in.From != 0 {
		r.open[in.From] = true
	}
	r.count("unsettled", 1)
}

// settleOne tries to conclude one intent by asking. It reports whether it stays
// open.
func (r *run) settleOne(ctx context.Context, in record.Intent) (bool, error) {
	if in.State == record.Prepared {
		return false, r.drop(ctx, in, "nothing was sent")
	}
	if in.Change.Op == record.Create {
		return r.settleCreate(ctx, in, false)
	}
	return r.settleUpdate(ctx, in)
}

// lookAgain asks what became of an intent, unless its side is to be left alone. It
// reports whether the intent stays open. failed counts records that can't be read:
// one stops nothing.
func (r *run) lookAgain(ctx context.Context, in record.Intent, failed *int) (bool, error) {
	held, err := r.held(ctx, in.Place.Side)
	if err != nil || held || r.opt.Dry {
		return true, err
	}
	open, err := r.settleOne(ctx, in)
	if stop := r.passOver(in.Place.Side, err, failed); stop != nil {
		return true, stop
	}
	if err != nil {
		r.note(in.Place.Side, in.Change.Ref, record.Waiting, "what became of a change of it can't be looked up now: "+err.Error())
		open = true
	}
	return open, nil
}

// drop ends an intent that is known not to be applied. Its record is planned anew.
func (r *run) drop(ctx context.Context, in record.Intent, why string) error {
	return r.Store.FailIntent(ctx, r.lease, in.ID, record.Cancelled, "", why, time.Now())
}

// young reports whether the system might still apply, or not yet show, the change.
func (r *run) young(in record.Intent) bool {
	return time.Since(in.SentAt) < r.side(in.Place.Side).Settle
}

// settleUpdate reads the record. Our value there: it landed. The old value, or
// nothing of it shown: it is not known to have landed, and is planned again. Anything
// else: somebody edited it, and both sides are merged as changed.
func (r *run) settleUpdate(ctx context.Context, in record.Intent) (bool, error) {
	side := in.Place.Side
	get, ok := r.side(side).Conn.(connectors.Getter)
	if !ok || !r.side(side).Can.Get {
		return true, nil // only a list can tell
	}
	at := time.Now()
	rec, err := r.get(ctx, side, get, in.Change.Ref)
	r.count(side.String()+".reads", 1)
	switch class := connectors.ClassOf(err); {
	case class == connectors.NotFound && in.Change.Op == record.Delete:
		_, err := r.applier().Settle(ctx, in, record.Record{Ref: in.Change.Ref}, true)
		r.count(side.String()+".adopted", 1)
		return false, err
	case class == connectors.NotFound, class == connectors.OutOfScope, class == connectors.Moved:
		return false, r.drop(ctx, in, "the record is not there any more")
	case err != nil:
		return true, err
	case in.Change.Op == record.Delete && r.young(in):
		return true, nil
	case in.Change.Op == record.Delete:
		if err := r.drop(ctx, in, "the record is still there"); err != nil {
			return true, err
		}
		return false, r.see(ctx, side, rec, at, "get")
	case r.holdsSent(side, in.Change.Fields, rec.Fields):
		_, err := r.applier().Settle(ctx, in, rec, true)
		r.count(side.String()+".adopted", 1)
		return false, err
	case r.young(in):
		return true, nil
	case unknowable(in, rec.Fields):
		return true, r.wonder(ctx, in)
	}
	if err := r.drop(ctx, in, "the record does not hold what was sent"); err != nil {
		return true, err
	}
	return false, r.see(ctx, side, rec, at, "get")
}

// unknowable reports whether a read can't tell whether a change landed, and sending
// it again is more than writing the same values once more: a status may have been
// acted upon.
func unknowable(in record.Intent, now record.Fields) bool {
	return in.Change.Op == record.Action && len(onlyShown(in.Change.Fields, now)) == 0
}

// wonder hands a change to a person of which no read tells what became. The first
// read that shows it ends it all the same.
func (r *run) wonder(ctx context.Context, in record.Intent) error {
	if in.State == record.Lost {
		return nil
	}
	r.count("lost", 1)
	const why = "the record does not show what was to be changed"
	if err := r.Store.FailIntent(ctx, r.lease, in.ID, record.Lost, "", why, time.Now()); err != nil {
		return err
	}
	side := in.Place.Side
	e, _, err := r.Store.Entry(ctx, r.place(side), in.Change.Ref)
	if err != nil {
		return err
	}
	return r.alert(ctx, e.Num, "unknown_outcome", fmt.Sprintf(
		"a change of %s of %s was sent, and nobody knows whether it arrived: "+why+"; nothing more is written to it until it does, or a person says",
		in.Change.Ref, r.side(side).System))
}

// holdsSent reports whether a record holds what was sent, as far as it shows it,
// allowing for what the system makes of a value. One that shows nothing of it does
// not.
func (r *run) holdsSent(side record.Side, sent, now record.Fields) bool {
	shown := onlyShown(sent, now)
	if len(shown) == 0 {
		return false
	}
	if now.Agrees(shown) {
		return true
	}
	a, _ := r.job.Mapping.Read(side, now.With(shown))
	b, _ := r.job.Mapping.Read(side, now)
	return b.Equal(a)
}

// onlyShown is what was sent of the paths that a record shows.
func onlyShown(sent, now record.Fields) record.Fields {
	out := record.Fields{}
	for p, v := range sent {
		if now[p].Observed() {
			out[p] = v
		}
	}
	return out
}

// settleCreate asks for the new record by what the system can be asked for. refused says
// that the system answered: it has another record with a key of ours.
func (r *run) settleCreate(ctx context.Context, in record.Intent, refused bool) (bool, error) {
	side := in.Place.Side
	if r.side(side).Can.Idempotent {
		return true, nil // a list says whether it may be sent again
	}
	ask, unique := r.askFor(side, in.Change)
	if ask == nil {
		return true, nil // only a list can tell
	}
	found, proven, err := r.lookUp(ctx, side, ask, unique)
	if err != nil {
		return true, err
	}
	return r.concludeCreate(ctx, in, found, proven, unique, refused)
}

// concludeCreate ends a create by the records that were found for it.
func (r *run) concludeCreate(ctx context.Context, in record.Intent, found []record.Record, proven, unique, refused bool) (bool, error) {
	side := in.Place.Side
	ours, fresh := found[:0:0], false
	for _, rec := range found {
		stamped := in.Change.Stamp != "" && rec.Stamp == in.Change.Stamp
		e, _, err := r.Store.Entry(ctx, r.place(side), rec.Ref)
		if err != nil {
			return true, err
		}
		if stamped || e.Link == 0 && r.holdsSent(side, in.Change.Fields, rec.Fields) {
			ours = append(ours, rec)
		}
		fresh = fresh || e.Link == 0 && (e.Num == 0 || r.cameAfter(in, e))
	}
	switch {
	case len(ours) == 1:
		return r.adoptFound(ctx, in, ours[0])
	case len(ours) > 1:
		return true, r.lose(ctx, in, "several records in the system could be the one that was sent")
	case len(found) > 0 && unique:
		for _, rec := range found {
			if err := r.see(ctx, side, rec, time.Now(), "find"); err != nil {
				return true, err
			}
		}
		if fresh && !refused {
			return true, nil // it may be ours, edited or changed by its system: the lists say whether it is matched
		}
		// Somebody else's record holds the key: ours was never made. It is matched.
		if refused {
			return false, r.blocked(ctx, in)
		}
		return false, r.drop(ctx, in, keyHeld)
	case !proven: // the system did not heed what it was asked, and may be silent about ours
		return true, nil
	case unique && in.Change.Stamp != "" && r.side(side).Can.Stamp.Unique:
		return true, nil // a list says whether it may be sent again
	case unique && !r.young(in):
		return false, r.drop(ctx, in, "it was not applied, and the system refuses a second one should it come late")
	case r.young(in):
		return true, nil
	}
	return false, r.drop(ctx, in, "it was looked up and is not there")
}

// adoptFound takes a record that was found for the one that was sent. It reports
// whether the change stays open.
func (r *run) adoptFound(ctx context.Context, in record.Intent, rec record.Record) (bool, error) {
	out, err := r.applier().Settle(ctx, in, rec, true)
	if err != nil || out.Result == apply.Taken {
		return true, cmp.Or(err, r.loseTaken(ctx, in, rec.Ref))
	}
	r.count(in.Place.Side.String()+".adopted", 1)
	return false, nil
}

// loseTaken hands a create to a person that the journal keeps from ending at a record:
// what is linked already can't have been made for it.
func (r *run) loseTaken(ctx context.Context, in record.Intent, ref record.Ref) error {
	why, err := r.cantLink(ctx, in, ref)
	if err != nil {
		return err
	}
	return r.lose(ctx, in, fmt.Sprintf("%s could be it, but %s", ref, cmp.Or(why, "it is linked already")))
}

// lose hands an intent to a person: what became of it can't be known.
func (r *run) lose(ctx context.Context, in record.Intent, why string) error {
	r.count("lost", 1)
	if err := r.Store.FailIntent(ctx, r.lease, in.ID, record.Lost, "", why, time.Now()); err != nil {
		return err
	}
	return r.alert(ctx, in.From, "unknown_outcome", fmt.Sprintf(
		"a new %s for %s was sent to %s and nobody knows whether it arrived: %s",
		in.Change.Ref.Kind, keyOf(in.Link, in.From), r.side(in.Place.Side).System, why))
}

// askFor is what a new record can be asked for by: our reference, or a key that
// the system keeps unique.
func (r *run) askFor(side record.Side, c record.Change) (ask record.Fields, unique bool) {
	s := r.side(side)
	if !canFind(s) && s.Can.Stamp.Path == "" {
		return nil, false
	}
	if st := s.Can.Stamp; st.Path != "" && st.Find && c.Stamp != "" {
		return record.Fields{st.Path: record.OfText(c.Stamp)}, st.Unique
	}
	for _, set := range s.Can.Unique {
		by := pick(c.Fields, set)
		if len(by) == len(set) && findable(s, set) {
			return by, true
		}
	}
	return nil, false
}

func findable(s *Side, set []string) bool {
	for _, by := range s.Can.FindBy {
		if joinFields(by) == joinFields(set) {
			return canFind(s)
		}
	}
	return false
}

// lookUp finds records, and says whether an empty answer proves anything.
func (r *run) lookUp(ctx context.Context, side record.Side, ask record.Fields, unique bool) ([]record.Record, bool, error) {
	s := r.side(side)
	f, ok := s.Conn.(connectors.Finder)
	if !ok {
		return nil, false, nil
	}
	found, fault, err := r.find(ctx, side, f, ask)
	if err = cmp.Or(err, fault); err != nil {
		return nil, false, err
	}
	for _, rec := range found {
		if !r.answers(side, rec, ask) {
			return nil, false, nil // the filter is ignored: nothing is proven
		}
	}
	if len(found) > 0 || unique {
		return found, true, nil
	}
	proven, err := r.findWorks(ctx, side, f, ask.Names())
	return nil, proven, err
}

// resend sends an intent again, under its own key or with its own reference. It
// reports whether the intent stays open.
func (r *run) resend(ctx context.Context, in record.Intent) (bool, error) {
	if !r.restored.IsZero() { // it may have been answered after the copy was made, and long ago
		return true, nil
	}
	side := in.Place.Side
	if held, err := r.held(ctx, side); err != nil || held {
		return true, err
	}
	if err := r.prove(ctx, side); err != nil {
		return true, err
	}
	out, err := r.applier().Again(ctx, in)
	if err != nil {
		return true, err
	}
	switch out.Result {
	case apply.Put:
		return true, r.putBack(ctx, plan.Action{Side: side, From: in.From, Change: in.Change}, out)
	case apply.Kept:
		_, err := r.held(ctx, side) // notes why
		return true, err
	case apply.Done:
		r.count(side.String()+"."+past(in.Change.Op), 1)
		return false, nil
	case apply.Taken:
		return true, r.loseTaken(ctx, in, out.Receipt.Ref)
	case apply.Unknown, apply.Met, apply.Changed, apply.Vanished, apply.Unread, apply.Said:
	}
	return true, nil
}

// settleListed concludes creates by what the list of this run showed: a record
// that came after the create was sent and holds what was sent, or carries our
// reference.
func (r *run) settleListed(ctx context.Context) error {
	if !r.opt.Dry {
		if err := r.settleAllListed(ctx); err != nil {
			return err
		}
	}
	return r.doubtAll(ctx)
}

func (r *run) settleAllListed(ctx context.Context) error {
	intents, err := r.Store.Unsettled(ctx, r.job.Binding)
	if err != nil {
		return err
	}
	failed := 0
	for _, in := range intents {
		if in.State == record.Sent && in.Change.Op != record.Create && !r.side(in.Place.Side).Can.Get {
			if err := r.settleUpdateByList(ctx, in); err != nil {
				return fmt.Errorf("%s %s: %w", in.Change.Op, in.ID, err)
			}
		}
		if in.State != record.Sent || in.Change.Op != record.Create || in.From == 0 {
			continue
		}
		if err := r.readAnew(ctx, in); err != nil {
			return err
		}
		if err := r.settleByList(ctx, in, &failed); err != nil {
			return fmt.Errorf("create %s: %w", in.ID, err)
		}
	}
	return nil
}

// settleUpdateByList concludes an update of a record that can't be read by id, by
// what a list showed of it since the update was sent.
func (r *run) settleUpdateByList(ctx context.Context, in record.Intent) error {
	side := in.Place.Side
	e, ok, err := r.Store.Entry(ctx, r.place(side), in.Change.Ref)
	if err != nil || !ok {
		return err
	}
	settled := in.SentAt.Add(r.side(side).Settle)
	switch {
	case e.Seen != nil && e.Seen.At.After(in.SentAt) && r.holdsSent(side, in.Change.Fields, e.Last()):
		_, err := r.applier().Settle(ctx, in, record.Record{Ref: e.Ref, Version: e.LastVersion(), Fields: e.Last()}, true)
		r.count(side.String()+".adopted", 1)
		return err
	case e.Seen != nil && e.Seen.At.After(settled) && unknowable(in, e.Seen.Fields):
		return r.wonder(ctx, in)
	case e.Seen != nil && e.Seen.At.After(settled), e.Seen == nil && r.scanned[side] && r.listedSince(ctx, side, in):
		return r.drop(ctx, in, "the record does not hold what was sent")
	}
	return nil
}

// settleByList concludes one create. What may be it is kept back for as long as it
// stays open: see doubtAll. failed counts records that can't be read.
func (r *run) settleByList(ctx context.Context, in record.Intent, failed *int) error {
	side := in.Place.Side
	came, err := r.newcomers(ctx, in)
	if err != nil {
		return err
	}
	switch {
	case len(came.ours) == 1:
		e := came.ours[0]
		open, err := r.adoptFound(ctx, in, record.Record{Ref: e.Ref, Version: e.LastVersion(), Fields: e.Last()})
		r.open[in.From] = open
		return err
	case len(came.ours) > 1:
		return r.lose(ctx, in, "several new records in the system could be it")
	case came.matched:
		delete(r.open, in.From)
		return r.drop(ctx, in, keyHeld)
	case !r.begun[side].IsZero() && r.appliesOnce(side, in) && !refused(in) && len(came.alike) == 0:
		if there, known, err := r.sourceThere(ctx, in, failed); err != nil || !known {
			return err
		} else if there {
			return r.onceMore(ctx, in)
		}
	}
	return r.giveUp(ctx, in, came, failed)
}

// giveUp concludes a create that is not sent again: by what may be it, or by lists that
// don't show it.
func (r *run) giveUp(ctx context.Context, in record.Intent, came newcomers, failed *int) error {
	side := in.Place.Side
	may, err := r.mayBe(ctx, side, came)
	switch {
	case err != nil:
		return err
	case len(may) > 0 && !r.young(in):
		return r.lose(ctx, in, "a new record in the system may be it, and is not the same")
	case len(may) == 0 && r.scanned[side] && r.listedSince(ctx, side, in):
		if open, err := r.unlisted(ctx, in, failed); err != nil || open {
			return err
		}
		delete(r.open, in.From)
		return r.drop(ctx, in, "a complete list made after it could have arrived does not show it")
	}
	return nil
}

// refused reports whether a create was sent again and the system would not have it: it
// is not asked once more, and lists say whether the first request came through.
func refused(in record.Intent) bool {
	return slices.Contains([]connectors.ErrorClass{
		connectors.Rejected, connectors.Refused, connectors.Forbidden, connectors.Malformed, connectors.Exists,
	}, connectors.ErrorClass(in.Class))
}

// appliesOnce reports whether a create may be sent again though the first may have
// been applied: under the same key the system gives the first answer again, and a
// reference that it keeps unique it refuses. That tells nothing of a record that
// somebody entered by hand when ours did not come: that is what is looked for first.
func (r *run) appliesOnce(side record.Side, in record.Intent) bool {
	can := r.side(side).Can
	return can.Idempotent && r.keyHolds(in) || in.Change.Stamp != "" && can.Stamp.Path != "" && can.Stamp.Find && can.Stamp.Unique
}

// onceMore sends a create again that the system applies once, unless a record is there
// by now that is matched by its keys, or may be and no list shows it yet: somebody has
// entered it by hand.
func (r *run) onceMore(ctx context.Context, in record.Intent) error {
	side, m := in.Place.Side, r.job.Mapping
	canonical, _ := m.Read(side, in.Change.Fields)
	same, err := r.Store.Matching(ctx, r.place(side), m.Keys(side, in.Change.Fields, resolvedOnly(canonical)))
	if err != nil {
		return err
	}
	open := len(same) > 0 && r.young(in)
	switch {
	case open: // it may yet be applied
	case len(same) > 0:
		err = r.drop(ctx, in, "a record with its keys is there")
	case r.mayHide(side, in.Change):
		open = true
	default:
		open, err = r.resend(ctx, in)
	}
	r.open[in.From] = open
	return err
}

// listedSince reports whether enough complete lists were begun after the system
// could still apply the change late: one of an order that no edit changes, or two,
// because one that pages by offset hides live records while somebody writes.
func (r *run) listedSince(ctx context.Context, side record.Side, in record.Intent) bool {
	scans, err := r.Store.Ended(ctx, r.place(side), 8)
	if err != nil {
		return false
	}
	needed := 2
	if r.side(side).Can.Stable {
		needed = 1
	}
	for _, s := range scans {
		if s.Certificate.Complete && s.Scan.Started.After(in.SentAt.Add(r.side(side).Settle)) {
			needed--
		}
	}
	return needed <= 0
}
