package trial

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"

	"nightporter/connectors"
	"nightporter/sync/record"
)

func (t *trial) apply(ctx context.Context, ch record.Change) (record.Record, error) {
	ch.ID = ulid.MustNew(ulid.Now(), rand.Reader).String()
	rec, err := t.cfg.Conn.(connectors.Writer).Apply(ctx, ch) //nolint:forcetypeassert // mayWrite made sure
	t.from = time.Now()
	return rec, err
}

// write makes the one write. A lost answer is no error: the lists tell.
func (t *trial) write(ctx context.Context) error {
	ch := record.Change{Op: record.Create, Ref: record.Ref{Kind: t.cfg.Kind}, Fields: t.cfg.Fields}
	if !t.rep.Made {
		now, err := t.byID(ctx)
		if err != nil {
			return fmt.Errorf("nothing was written: %w", err)
		}
		if !held(now.Fields, t.was).Equal(t.was) {
			return fmt.Errorf("nothing was written: somebody is changing %s %s", t.cfg.Kind, t.cfg.Record)
		}
		ch.Op, ch.Ref, ch.Before, ch.Version = record.Update, t.ref(), t.was, now.Version
	}
	t.wrote = time.Now()
	rec, err := t.apply(ctx, ch)
	switch {
	case connectors.ClassOf(err) == connectors.Ambiguous:
		t.rep.Lost = true
		t.cfg.Say("no answer came to the write: the reads tell whether it was made")
		t.rep.Left = "whether it was written is not known: look for it there by hand"
	case err != nil:
		return fmt.Errorf("it was not written: %w", err)
	default:
		return t.answered(rec)
	}
	return nil
}

// answered takes what the answer to the write shows.
func (t *trial) answered(rec record.Record) error {
	t.answer = rec.Fields
	if t.rep.Made && t.known[rec.Ref.ID] {
		t.rep.Left = fmt.Sprintf("%s %s holds what was written: put it right there", t.cfg.Kind, rec.Ref.ID)
		return fmt.Errorf("the system took the new record for %s %s, which was there before: it keeps something unique; name other values", t.cfg.Kind, rec.Ref.ID)
	}
	if t.rep.Made {
		t.rep.ID = rec.Ref.ID
	}
	t.rep.Left = t.stands()
	t.cfg.Say(fmt.Sprintf("%s %s was written; looking for it", t.cfg.Kind, t.rep.ID))
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
