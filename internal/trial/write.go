package trial

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// backTime is how long taking back may take after everything else was given up.
const backTime = 2 * time.Minute

func (t *trial) apply(ctx context.Context, ch record.Change) (record.Record, error) {
	ch.ID = ulid.MustNew(ulid.Now(), rand.Reader).String()
	return t.cfg.Conn.(connectors.Writer).Apply(ctx, ch) //nolint:forcetypeassert // mayWrite made sure
}

// write makes the one write. A lost answer is no error: the lists tell.
func (t *trial) write(ctx context.Context) error {
	ch := record.Change{Op: record.Create, Ref: record.Ref{Kind: t.cfg.Kind}, Fields: t.cfg.Fields}
	if !t.rep.Made {
		now, err := t.byID(ctx)
		if err != nil {
			return fmt.Errorf("nothing was written: %w", err)
		}
		t.was = held(now.Fields, t.cfg.Fields)
		ch.Op, ch.Ref, ch.Before, ch.Version = record.Update, t.ref(), t.was, now.Version
	}
	rec, err := t.apply(ctx, ch)
	t.answered = time.Now()
	switch {
	case connectors.ClassOf(err) == connectors.Ambiguous:
		t.cfg.Say("no answer came to the write: the reads tell whether it was made")
		t.lost = true
		t.rep.Left = "whether it was written is not known: look for it there by hand"
	case err != nil:
		return fmt.Errorf("it was not written: %w", err)
	case t.rep.Made && t.known[rec.Ref.ID]:
		t.rep.Left = fmt.Sprintf("%s %s holds what was written: put it right there", t.cfg.Kind, rec.Ref.ID)
		return fmt.Errorf("the system took the new record for %s %s, which was there before: it keeps something unique; name other values", t.cfg.Kind, rec.Ref.ID)
	default:
		if t.rep.Made {
			t.rep.ID = rec.Ref.ID
		}
		t.rep.Left = t.stands()
		t.cfg.Say(fmt.Sprintf("%s %s was written; looking for it", t.cfg.Kind, t.rep.ID))
	}
	return nil
}

// stands says what is there for as long as it was not taken back.
func (t *trial) stands() string {
	switch {
	case t.likely:
		return fmt.Sprintf("%s %s is new and holds what was written, but no answer said that it is ours, so that it is left: look at it, and remove it there", t.cfg.Kind, t.rep.ID)
	case t.rep.Made && t.rep.ID == "":
		return fmt.Sprintf("the new record of %s stands there, and no id of it was shown: remove it there by hand", t.cfg.Kind)
	case t.rep.Made:
		return fmt.Sprintf("%s %s stands there, as a new record: remove it there, or the next sync takes it for one", t.cfg.Kind, t.rep.ID)
	}
	return fmt.Sprintf("%s %s holds what was written: put it right there, or the next sync takes it for an edit", t.cfg.Kind, t.rep.ID)
}

// takeBack removes what was made, or puts back what was there. A record that is ours by
// its values alone may be somebody's, and stays.
func (t *trial) takeBack(ctx context.Context) error {
	if t.cfg.Keep || t.rep.ID == "" || t.likely {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), backTime)
	defer cancel()
	var err error
	if t.rep.Made {
		t.cfg.Say(fmt.Sprintf("removing %s %s", t.cfg.Kind, t.rep.ID))
		_, err = t.apply(ctx, record.Change{Op: record.Delete, Ref: t.ref()})
	} else {
		t.cfg.Say(fmt.Sprintf("putting %s %s back", t.cfg.Kind, t.rep.ID))
		err = t.putBack(ctx)
	}
	switch {
	case connectors.ClassOf(err) == connectors.Ambiguous:
		t.rep.Left = "whether this was taken back is not known: " + t.stands()
		return fmt.Errorf("take back: %w", err)
	case err != nil:
		t.rep.Left = t.stands()
		return fmt.Errorf("take back: %w", err)
	case t.lost && t.stood == nil:
		t.rep.Left = fmt.Sprintf("no read showed the write to %s %s, whose answer was lost; if it is made later, it stays: look at it", t.cfg.Kind, t.rep.ID)
		return nil
	}
	t.rep.Left = ""
	return nil
}

// putBack gives the named record what it held, unless somebody changed it meanwhile. It does
// so too where the read still shows that: a read may lag.
func (t *trial) putBack(ctx context.Context) error {
	now, err := t.byID(ctx)
	if err != nil {
		return err
	}
	holds := held(now.Fields, t.cfg.Fields)
	if !holds.Equal(t.was) && t.stood != nil && !holds.Equal(t.stood) {
		return errors.New("somebody changed these fields since: they are left as they are")
	}
	_, err = t.apply(ctx, record.Change{Op: record.Update, Ref: t.ref(), Fields: t.was, Before: holds, Version: now.Version})
	return err
}
