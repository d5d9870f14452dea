package settle

import (
	"cmp"
	"context"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/sync/guards"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// SettleCreate asks the system for the new record of a create, in the way in which the system can be asked. It
// reports whether the create stays open. refused says that the system answered: it has another record with a key
// of ours.
func (r *Room) SettleCreate(ctx context.Context, in record.Intent, refused bool) (bool, error) {
	side := in.Place.Side
	if r.Once(side) {
		return true, nil // only lists tell: see once.go
	}
	if ask := r.contentKey(side, in.Change); ask != nil && !refused {
		return r.settleByContent(ctx, in, ask)
	}
	if r.Side(side).Can.Idempotent {
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

// concludeCreate ends a create by the records that were found for it. It reports whether the create stays open.
func (r *Room) concludeCreate(ctx context.Context, in record.Intent, found []record.Record, proven, unique, refused bool) (bool, error) {
	f, err := r.foundFor(ctx, in, found)
	switch {
	case err != nil:
		return true, err
	case len(f.ours) == 1:
		return r.adoptFound(ctx, in, f.ours[0])
	case len(f.ours) > 1:
		return true, r.Lose(ctx, in, "several records in the system could be the one that was sent")
	case len(found) > 0 && unique:
		return r.keyIsHeld(ctx, in, found, f, refused)
	case !proven: // the system did not heed what it was asked, and may say nothing of ours
		return true, nil
	case unique: // lists tell whether it may be sent again with our mark, or was made and its key edited since
		return true, nil
	case r.Young(in), r.observe.ListsOmit(ctx, in.Place.Side): // a find may omit what the lists omit
		return true, nil
	}
	return r.unmade(ctx, in, "it was looked up and is not there")
}

// finds says what the records are that were found for a create.
type finds struct {
	ours  []record.Record // they bear its mark, or hold what was sent and have no link
	fresh bool            // one of the records has no link, and may have come after the create
	taken bool            // one of the records seems to be what the create made, under the id of a linked one
}

func (r *Room) foundFor(ctx context.Context, in record.Intent, found []record.Record) (f finds, err error) {
	side := in.Place.Side
	for _, rec := range found {
		e, _, err := r.store.Entry(ctx, r.Place(side), rec.Ref)
		if err != nil {
			return f, err
		}
		stamped := in.Change.Stamp != "" && rec.Stamp == in.Change.Stamp
		if stamped || e.Link == 0 && r.match.HoldsSent(side, in.Change.Fields, rec.Fields) {
			f.ours = append(f.ours, rec)
		}
		f.taken = f.taken || r.standsFor(in, asFound(e, rec, time.Now()))
		f.fresh = f.fresh || e.Link == 0 && (e.Num == 0 || r.CameAfter(in, e))
	}
	return f, nil
}

// keyIsHeld concludes a create if another record has its key, and only one record may have it.
func (r *Room) keyIsHeld(ctx context.Context, in record.Intent, found []record.Record, f finds, refused bool) (bool, error) {
	for _, rec := range found {
		if err := r.observe.SeeFound(ctx, in.Place.Side, rec, time.Now()); err != nil {
			return true, err
		}
	}
	switch {
	case f.fresh && !refused || f.taken:
		return true, nil // it may be ours, edited or changed by its system: lists, or a person, say whether it is matched
	case refused: // somebody else's record holds the key: ours was never made, and that one is matched
		return false, r.guards.Blocked(ctx, in)
	}
	return false, r.Drop(ctx, in, guards.KeyHeld)
}

// contentKey returns what a new record can be asked for by if it was made with a content: the digest of its bytes,
// which nobody edits. It is nil if there is no such digest, or if our mark says more.
func (r *Room) contentKey(side record.Side, c record.Change) record.Fields {
	s := r.Side(side)
	if st := s.Can.Stamp; !run.CanFind(s) || st.Path != "" && st.Find && c.Stamp != "" {
		return nil
	}
	for _, by := range s.Can.FindBy {
		if ask := run.Pick(c.Fields, by); len(by) == 1 && len(ask) == 1 && namesContent(c, ask[by[0]]) {
			return ask
		}
	}
	return nil
}

// namesContent reports whether a value of a change is the digest of a content that the change gives.
func namesContent(c record.Change, v record.Value) bool {
	for _, f := range c.Fields {
		if body, is := f.Body(); is && strings.Contains(strings.ToLower(v.Text()), body.Digest) {
			return true
		}
	}
	return false
}

// settleByContent asks for what a create may have made by the digest of its content. Several records may hold the
// same content. Only one that has no link, came after the create and holds all that was sent is ours. If none
// came, the create made nothing. An answer proves that if it shows other records with the same content, or if
// asking in this way was seen to work.
func (r *Room) settleByContent(ctx context.Context, in record.Intent, ask record.Fields) (open bool, err error) {
	side := in.Place.Side
	found, proven, err := r.lookUp(ctx, side, ask, false)
	if err != nil {
		return true, err
	}
	var ours []record.Record
	came := 0
	for _, rec := range found {
		e, known, err := r.store.Entry(ctx, r.Place(side), rec.Ref)
		if err != nil {
			return true, err
		}
		if e.Link != 0 || known && !r.CameAfter(in, e) {
			continue
		}
		came++
		if r.match.HoldsSent(side, in.Change.Fields, rec.Fields) {
			ours = append(ours, rec)
		}
	}
	switch {
	case len(ours) == 1:
		return r.adoptFound(ctx, in, ours[0])
	case came > 0, !proven, r.Young(in):
		return true, nil // lists tell, or a later look
	}
	return r.unmade(ctx, in, "it was looked up by what its file holds and is not there")
}

// askFor returns what a new record can be asked for by: our mark, or a key that the system keeps unique; nil for
// nothing.
func (r *Room) askFor(side record.Side, c record.Change) (ask record.Fields, unique bool) {
	s := r.Side(side)
	if !run.CanFind(s) && s.Can.Stamp.Path == "" {
		return nil, false
	}
	if st := s.Can.Stamp; st.Path != "" && st.Find && c.Stamp != "" {
		return record.Fields{st.Path: record.OfText(c.Stamp)}, st.Unique
	}
	for _, set := range s.Can.Unique {
		by := run.Pick(c.Fields, set)
		if len(by) == len(set) && findable(s, set) {
			return by, true
		}
	}
	return nil, false
}

func findable(s *run.Side, set []string) bool {
	for _, by := range s.Can.FindBy {
		if run.JoinFields(by) == run.JoinFields(set) {
			return run.CanFind(s)
		}
	}
	return false
}

// lookUp asks a side for records, and says whether the answer proves anything, also an empty one.
func (r *Room) lookUp(ctx context.Context, side record.Side, ask record.Fields, unique bool) ([]record.Record, bool, error) {
	s := r.Side(side)
	f, ok := s.Conn.(connectors.Finder)
	if !ok {
		return nil, false, nil
	}
	found, fault, err := r.observe.Find(ctx, side, f, ask)
	if err = cmp.Or(err, fault); err != nil {
		return nil, false, err
	}
	for _, rec := range found {
		if !r.observe.Answers(side, rec, ask) {
			return nil, false, nil // the filter is ignored: nothing is proven
		}
	}
	if len(found) > 0 || unique {
		return found, true, nil
	}
	proven, err := r.observe.FindWorks(ctx, side, f, ask.Names())
	return nil, proven, err
}
