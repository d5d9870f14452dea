package settle

import (
	"context"
	"fmt"
	"time"

	"nightporter/connectors"
	"nightporter/sync/match"
	"nightporter/sync/record"
)

// settleLost ends lost changes as persons said: changes of which nobody could know what became. As long as a
// change is lost, its record is not touched.
func (r *Room) settleLost(ctx context.Context) error {
	lost, err := r.store.Lost(ctx, r.Job.Binding)
	if err != nil || len(lost) == 0 {
		return err
	}
	claims, err := r.store.Claims(ctx, r.Job.Binding)
	if err != nil {
		return err
	}
	failed := 0
	for _, in := range lost {
		c, said := claims[in.ID]
		stays := true
		switch {
		case r.Options.Dry:
		case said:
			stays, err = r.takeUp(ctx, in, c)
		case in.Change.Op == record.Action: // a read may show it by now
			stays, err = r.settleUpdate(ctx, in)
		}
		if err := r.observe.PassOver(in.Place.Side, err, &failed); err != nil {
			return fmt.Errorf("%s %s: %w", in.Change.Op, in.ID, err)
		}
		if err != nil { // one record that can't be read stops nothing
			stays = true
			r.Note(in.Place.Side, in.Change.Ref, record.Waiting, "what became of a change of it can't be looked up now: "+err.Error())
		}
		if !stays {
			continue
		}
		if in.From != 0 {
			r.match.Open[in.From] = true
		}
		r.Count("lost", 1)
	}
	return r.match.DoubtLost(ctx)
}

// takeUp ends a lost change as a person said. It reports whether the change stays lost: what they said can't be
// so, or can't be checked now.
func (r *Room) takeUp(ctx context.Context, in record.Intent, c record.Claim) (bool, error) {
	switch {
	case r.Young(in): // it may yet be applied, or be shown
		return true, nil
	case !c.Arrived:
		return false, r.Drop(ctx, in, "a person said that it was never applied")
	case in.Change.Op != record.Create:
		return r.takeUpdate(ctx, in, c)
	}
	rec, why, err := r.madeBy(ctx, in, c.Ref)
	switch {
	case err != nil:
		return true, err
	case why != "":
		return true, r.refuseClaim(ctx, in, c, why)
	}
	return r.adoptTold(ctx, in, rec)
}

// takeUpdate settles an update that a person said was applied. It reports whether the update stays lost.
func (r *Room) takeUpdate(ctx context.Context, in record.Intent, c record.Claim) (bool, error) {
	side := in.Place.Side
	sent, before := in.Change.Fields, in.Change.Before
	rec, found, err := r.shown(ctx, side, in.Change.Ref, in.SentAt)
	switch {
	case err != nil:
		return true, err
	case !found:
		return false, r.Drop(ctx, in, "the record is not there any more")
	case len(before) > 0 && len(rec.Fields) > 0 && r.match.HoldsSent(side, before, rec.Fields) && !r.match.HoldsSent(side, sent, rec.Fields):
		// Settled, this would be taken for an edit back to the old values.
		return true, r.refuseClaim(ctx, in, c, "it still holds what it held before")
	}
	return r.adoptTold(ctx, in, rec)
}

// shown returns a record as it is now. If its side has no reads by id, it is as a list has shown it since a
// moment, and has no fields if none did. It is false if the system says that there is no such record, or if nobody
// ever saw it.
func (r *Room) shown(ctx context.Context, side record.Side, ref record.Ref, since time.Time) (record.Record, bool, error) {
	if get, ok := r.Side(side).Conn.(connectors.Getter); ok && r.Side(side).Can.Get {
		rec, err := r.Get(ctx, side, get, ref)
		r.Count(side.String()+".reads", 1)
		if class := connectors.ClassOf(err); class == connectors.NotFound || class == connectors.OutOfScope || class == connectors.Moved {
			return rec, false, nil
		}
		if rec.Ref.ID == "" {
			rec.Ref = ref
		}
		return rec, true, err
	}
	e, ok, err := r.store.Entry(ctx, r.Place(side), ref)
	if err != nil || !ok || e.State == record.Gone {
		return record.Record{}, false, err
	}
	rec := record.Record{Ref: ref}
	if e.Seen != nil && e.Seen.At.After(since) {
		rec.Version, rec.Fields, rec.Stamp = e.LastVersion(), e.Last(), e.Seen.Stamp
	}
	return rec, true, nil
}

// madeBy finds the record that a person named as the one that a create made. why says why it can't be that one; ""
// if it can.
func (r *Room) madeBy(ctx context.Context, in record.Intent, ref record.Ref) (rec record.Record, why string, err error) {
	side := in.Place.Side
	ref.Kind = in.Change.Ref.Kind
	rec, found, err := r.shown(ctx, side, ref, in.SentAt)
	if err != nil {
		return rec, "", err
	}
	if !found {
		return rec, fmt.Sprintf("%s does not have it", r.Side(side).System), nil
	}
	if why, err := r.cantLink(ctx, in, rec.Ref); err != nil || why != "" {
		return rec, why, err
	}
	e, known, err := r.store.Entry(ctx, r.Place(side), rec.Ref)
	switch {
	case err != nil:
		return rec, "", err
	case known && e.Since.Before(in.Made):
		return rec, "it was there before anything was sent", nil
	case in.Change.Stamp != "" && rec.Stamp != "" && rec.Stamp != in.Change.Stamp:
		return rec, "it carries the reference of another record", nil
	case len(rec.Fields) > 0 && r.foreign(side, in.Change.Fields, rec.Fields):
		return rec, "it has other keys and little of what was sent", nil
	}
	return rec, "", nil
}

// cantLink says why a create can't end at a record: since the create was sent, that record or its source was
// linked. It is "" if it can.
func (r *Room) cantLink(ctx context.Context, in record.Intent, ref record.Ref) (string, error) {
	if in.Change.Op != record.Create {
		return "", nil
	}
	made, _, err := r.store.Entry(ctx, r.Place(in.Place.Side), ref)
	if err != nil {
		return "", err
	}
	if made.Link != 0 {
		return "it is linked to another record already", nil
	}
	from, err := r.store.Entries(ctx, []int64{in.From})
	if err != nil {
		return "", err
	}
	if in.Link == 0 && from[in.From].Link != 0 {
		return "what it was made for is linked to another record already", nil
	}
	return "", nil
}

// foreign reports whether a record is clearly not the one that was sent: less than half of it is as it was sent,
// and where both have a key they share none.
func (r *Room) foreign(side record.Side, sent, now record.Fields) bool {
	if r.match.Mostly(side, sent, now) || r.match.HoldsSent(side, sent, now) {
		return false
	}
	here, there := r.OwnKeys(side, sent), r.OwnKeys(side, now)
	other := false
	for name := range here {
		if match.Share(here[name], there[name]) {
			return false
		}
		other = other || len(there[name]) > 0
	}
	return other
}

// adoptTold settles a change by the record that a person said it made or changed. A value that is not as it was
// sent was edited since: it stays an observation, and is decided like any other edit. It reports whether the
// change stays lost.
func (r *Room) adoptTold(ctx context.Context, in record.Intent, rec record.Record) (bool, error) {
	told, edited := rec, record.Fields{}
	if in.Change.Op == record.Create && record.AsMade(rec.Created, rec.Changed) { // a value that differs is what its system made of what was sent
		return r.adoptFound(ctx, in, rec)
	}
	for p, v := range in.Change.Fields {
		if rec.Fields[p].Observed() && !r.match.HoldsSent(in.Place.Side, record.Fields{p: v}, rec.Fields) {
			edited[p] = v
		}
	}
	if len(edited) > 0 {
		told.Fields, told.Version = rec.Fields.With(edited), ""
	}
	if open, err := r.adoptFound(ctx, in, told); err != nil || open || len(edited) == 0 {
		return open, err
	}
	return false, r.observe.See(ctx, in.Place.Side, rec, time.Now(), "get")
}

// refuseClaim leaves a change lost, although a person said that it arrived, and tells why that can't be so.
func (r *Room) refuseClaim(ctx context.Context, in record.Intent, c record.Claim, why string) error {
	said := "a person said that it arrived"
	if c.Ref.ID != "" {
		said += " as " + c.Ref.ID
	}
	text, err := r.store.RefuseClaim(ctx, r.Lease, in.ID, said+", but "+why)
	if err != nil {
		return err
	}
	return r.Alert(ctx, in.From, "unknown_outcome", fmt.Sprintf(
		"nobody knows what became of the %s of a %s in %s: %s", in.Change.Op, in.Change.Ref.Kind, r.Side(in.Place.Side).System, text))
}
