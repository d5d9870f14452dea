package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// backTime is how long taking back may take after everything else was given up.
const backTime = 2 * time.Minute

// takeBack removes what was made, or puts back what was there, and looks until that is
// shown. A record that is ours by its values alone may be somebody's, and stays.
func (t *trial) takeBack(ctx context.Context) error {
	if t.cfg.Keep || t.rep.ID == "" || t.likely {
		return nil
	}
	limit := backTime
	if ctx.Err() == nil {
		limit += t.cfg.Patience
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	made, err := t.again(ctx)
	switch {
	case connectors.ClassOf(err) == connectors.Ambiguous:
		t.rep.Left = "whether this was taken back is not known: " + t.stands()
	case err != nil:
		t.rep.Left = t.stands()
	case !made:
		t.rep.Left = fmt.Sprintf("no read showed the write to %s %s, whose answer was lost; if it is made later, it stays: look at it", t.cfg.Kind, t.rep.ID)
	default:
		return t.seenBack(ctx)
	}
	if err != nil {
		return fmt.Errorf("take back: %w", err)
	}
	return nil
}

// again takes back, and asks again where the system had no time for it. made is whether
// there was anything to take back.
func (t *trial) again(ctx context.Context) (made bool, err error) {
	for wait := firstWait; ; wait = min(2*wait, longWait) {
		if t.rep.Made {
			made, err = true, t.remove(ctx)
		} else {
			made, err = t.putBack(ctx)
		}
		e, ok := errors.AsType[*connectors.Error](err)
		if !ok || e.Class != connectors.Transient && e.Class != connectors.Throttled || ctx.Err() != nil {
			return made, err
		}
		pause := max(wait, e.RetryAfter)
		t.cfg.Say(fmt.Sprintf("it could not be taken back yet; asking again in %s", pause.Round(time.Second)))
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return made, err
		case <-timer.C:
		}
	}
}

// errEdited is why nothing was taken back.
var errEdited = errors.New("it holds something else than when it was written: somebody edited it, or the system did; it is left as it is, for you to put right there")

// old is how much older than the write a record has to be to be somebody's, whatever the
// clocks of the two say.
const old = time.Hour

// remove removes the new record, if a read shows that it is still what was written.
func (t *trial) remove(ctx context.Context) error {
	now, shown, err := t.now(ctx)
	switch {
	case err != nil:
		return err
	case !shown:
		return fmt.Errorf("%s does not show it, so that nobody knows what would be removed", t.surest())
	case t.first != nil && !now.Fields.Equal(t.first):
		return errEdited
	case !now.Created.IsZero() && now.Created.Before(t.wrote.Add(-old)):
		return errors.New("it was made long before the write: the system took the new record for one that was there")
	case !t.bearsOurs(now):
		return fmt.Errorf("%s shows none of the values that were written, so that it may be somebody's", t.surest())
	}
	t.cfg.Say(fmt.Sprintf("removing %s %s", t.cfg.Kind, t.rep.ID))
	_, err = t.apply(ctx, record.Change{Op: record.Delete, Ref: t.ref(), Version: now.Version})
	return err
}

// now is the record as the surest way of reading shows it.
func (t *trial) now(ctx context.Context) (now record.Record, shown bool, err error) {
	for _, v := range t.views() {
		if v.Name == t.surest() {
			shown, err = v.read(ctx, func(rec record.Record) bool {
				now = rec
				return rec.Ref.ID == t.rep.ID
			})
		}
	}
	return now, shown, err
}

func (t *trial) bearsOurs(rec record.Record) bool {
	for path := range t.cfg.Fields {
		if t.ours(rec.Fields, path) {
			return true
		}
	}
	return false
}

// putBack gives the named record what it held, if a read shows what was written there, or
// still what it held before: a read may lag. made is false where nobody knows of a write.
func (t *trial) putBack(ctx context.Context) (made bool, err error) {
	now, err := t.byID(ctx)
	if err != nil {
		return true, err
	}
	holds := held(now.Fields, t.was)
	if holds.Equal(t.was) && t.rep.Lost {
		return false, nil
	}
	for path := range t.cfg.Fields {
		if !holds.Equal(t.was) && !t.ours(holds, path) {
			return true, errEdited
		}
	}
	t.cfg.Say(fmt.Sprintf("putting %s %s back", t.cfg.Kind, t.rep.ID))
	_, err = t.apply(ctx, record.Change{Op: record.Update, Ref: t.ref(), Fields: t.was, Before: holds, Version: now.Version})
	return true, err
}

// seenBack looks until no view shows any more what was written: a sync that begins before
// would carry it to the other side.
func (t *trial) seenBack(ctx context.Context) error {
	t.cfg.Say("looking until that is shown")
	t.rep.Left = fmt.Sprintf("%s %s was taken back, and that was not seen: begin no sync before its system shows it so", t.cfg.Kind, t.rep.ID)
	views := t.views()
	err := t.until(ctx, views, func(ctx context.Context, v *view) (bool, error) {
		if t.rep.Made || v.part {
			shown, err := v.read(ctx, t.stale)
			return !shown, err
		}
		return v.read(ctx, t.restored)
	})
	if err != nil {
		return err
	}
	for _, v := range views {
		if !v.Shown {
			t.rep.Left = fmt.Sprintf("%s %s was taken back, and after %s %s still does not show it so: begin no sync before it does", t.cfg.Kind, t.rep.ID, t.cfg.Patience, v.Name)
			return nil
		}
	}
	for _, v := range t.rep.Views { // what is late may show both in a while
		if !v.Shown {
			t.rep.Left = fmt.Sprintf("%s %s was taken back before %s had shown what was written, so that it may show that yet, for a while: begin no sync until that is over", t.cfg.Kind, t.rep.ID, v.Name)
			return nil
		}
	}
	t.rep.Left = ""
	return nil
}
