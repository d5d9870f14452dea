package state

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"nightporter/sync/record"
)

// change is a record.Change as the column change holds it.
type change struct {
	Op      string         `json:"op"`
	Ref     record.Ref     `json:"ref"`
	Fields  record.Fields  `json:"fields"`
	Before  record.Fields  `json:"before,omitempty"`
	Version record.Version `json:"version,omitempty"`
	Stamp   string         `json:"stamp,omitempty"`
}

// receipt is a record.Receipt as the column receipt holds it.
type receipt struct {
	Ref         record.Ref     `json:"ref"`
	Version     record.Version `json:"version,omitempty"`
	Fields      record.Fields  `json:"fields"`
	Provisional bool           `json:"provisional,omitempty"`
	Changed     moment         `json:"changed,omitempty"`
	Created     moment         `json:"created,omitempty"`
	At          moment         `json:"at"`
	SettleUntil moment         `json:"settle_until,omitempty"`
	Adopted     bool           `json:"adopted,omitempty"`
	Note        string         `json:"note,omitempty"`
}

// bases is Intent.Bases with nil and empty kept apart.
type bases [2]*record.Fields

const intentColumns = `i.id, i.binding, i.run, i.side, i.link, i.source, i.entity, i.change, i.reason, i.fields, i.bases,
	i.state, i.tries, i.made, i.sent_at, i.ended_at, i.error, i.class, i.risk, i.receipt`

func scanChange(rows *sql.Rows) (c Change, err error) {
	var link, source, made, sent, ended sql.NullInt64
	var what, fields, base string
	var answer sql.NullString
	err = rows.Scan(&c.ID, &c.Place.Binding, &c.Run, &c.Place.Side, &link, &source, &c.Entity, &what, &c.Reason, &fields,
		&base, &c.State, &c.Tries, &made, &sent, &ended, &c.Error, &c.Class, &c.Risk, &answer)
	if err != nil {
		return c, err
	}
	c.Link, c.From = record.LinkID(link.Int64), source.Int64
	c.Made, c.SentAt, c.EndedAt = instant(made), instant(sent), instant(ended)
	return c, garbled("change "+c.ID, c.readTexts(what, fields, base, answer))
}

func (c *Change) readTexts(what, fields, base string, answer sql.NullString) error {
	if err := c.readChange(what); err != nil {
		return err
	}
	if err := decode(fields, &c.Fields); err != nil {
		return err
	}
	var b bases
	if err := decode(base, &b); err != nil {
		return err
	}
	for side, f := range b {
		if f != nil {
			c.Bases[side] = *f
		}
	}
	if answer.Valid {
		return c.readReceipt(answer.String)
	}
	return nil
}

func (c *Change) readChange(text string) error {
	var ch change
	if err := decode(text, &ch); err != nil {
		return err
	}
	c.Change = record.Change{
		ID: c.ID, Op: record.OpNamed(ch.Op), Ref: ch.Ref, Fields: ch.Fields, Before: ch.Before,
		Version: ch.Version, Stamp: ch.Stamp,
	}
	return nil
}

func (c *Change) readReceipt(text string) error {
	var r receipt
	if err := decode(text, &r); err != nil {
		return err
	}
	c.Receipt = &record.Receipt{
		Intent: c.ID, Ref: r.Ref, Version: r.Version, Fields: r.Fields, Provisional: r.Provisional,
		Changed: r.Changed.time(), Created: r.Created.time(), At: r.At.time(), SettleUntil: r.SettleUntil.time(), Adopted: r.Adopted, Note: r.Note,
	}
	return nil
}

func scanIntent(rows *sql.Rows) (record.Intent, error) {
	c, err := scanChange(rows)
	return c.Intent, err
}

func intentOf(ctx context.Context, q querier, b record.Binding, id string) (record.Intent, error) {
	i, ok, err := first(collect(ctx, q, scanIntent, `SELECT `+intentColumns+` FROM intent i
		WHERE i.id = ?1 AND i.binding = ?2`, id, b))
	if err == nil && !ok {
		err = unknown("change %s of job %s", id, b)
	}
	return i, err
}

// OpenIntent makes a change durable as Prepared. ErrOpen says that an earlier change
// of the same link and side, or an earlier create from the same entry, is not
// settled, one whose fate is unknown included.
func (s *Store) OpenIntent(ctx context.Context, l record.Lease, i record.Intent) error {
	if err := s.maySend(ctx); err != nil {
		return fmt.Errorf("open change %s: %w", i.ID, err)
	}
	if err := s.mayWrite(ctx); err != nil {
		return fmt.Errorf("open change %s: %w", i.ID, err)
	}
	return s.lease(ctx, l, "open change "+i.ID, func(ctx context.Context, tx *sql.Tx) error {
		if err := checkIntent(ctx, tx, l, i); err != nil {
			return err
		}
		err := insertIntent(ctx, tx, l, i)
		if isUnique(err) {
			return fmt.Errorf("%w (%w)", ErrOpen, err)
		}
		if err != nil {
			return err
		}
		if i.Link == 0 {
			return exec(ctx, tx, `UPDATE entry SET listed = NULL WHERE num = ?1`, i.From)
		}
		return unlistLink(ctx, tx, i.Link)
	})
}

func checkIntent(ctx context.Context, tx *sql.Tx, l record.Lease, i record.Intent) error {
	if i.Place.Binding != l.Binding {
		return fmt.Errorf("change is of job %s, the lease of job %s", i.Place.Binding, l.Binding)
	}
	if i.Link != 0 {
		return checkLink(ctx, tx, l.Binding, i.Link)
	}
	r, err := rowNum(ctx, tx, l.Binding, i.From)
	if err != nil {
		return err
	}
	if i.Change.Op != record.Create && (r.Place != i.Place || r.Ref != i.Change.Ref) {
		return fmt.Errorf("a change to %s is said to be one to %s: %w", i.Change.Ref, r.Ref, ErrUnknown)
	}
	if r.Link != 0 {
		return fmt.Errorf("record %s: %w", r.Ref, ErrLinked)
	}
	return nil
}

func insertIntent(ctx context.Context, tx *sql.Tx, l record.Lease, i record.Intent) error {
	c := i.Change
	what, err := encode(change{
		Op: c.Op.String(), Ref: c.Ref, Fields: c.Fields, Before: c.Before, Version: c.Version, Stamp: c.Stamp,
	})
	if err != nil {
		return err
	}
	fields, err := encode(i.Fields)
	if err != nil {
		return err
	}
	var b bases
	for side := range i.Bases {
		if i.Bases[side] != nil {
			b[side] = &i.Bases[side]
		}
	}
	base, err := encode(b)
	if err != nil {
		return err
	}
	run := i.Run
	if run == 0 {
		run = l.Run
	}
	return exec(ctx, tx, `INSERT INTO intent (id, binding, run, side, link, source, entity, kind, ref, change, reason,
		fields, bases, state, made, risk) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)`,
		i.ID, i.Place.Binding, run, i.Place.Side, orNull(int64(i.Link)), orNull(i.From), i.Entity, c.Ref.Kind, c.Ref.ID,
		what, i.Reason, fields, base, record.Prepared, i.Made.UnixMilli(), i.Risk)
}

// SendIntent notes that the request is about to go out: nothing keeps it back any more. From
// now on until a receipt or a failure nobody knows whether the system applied it.
func (s *Store) SendIntent(ctx context.Context, l record.Lease, id string, now time.Time) error {
	if err := s.maySend(ctx); err != nil {
		return fmt.Errorf("send change %s: %w", id, err)
	}
	return s.lease(ctx, l, "send change "+id, func(ctx context.Context, tx *sql.Tx) error {
		i, err := intentOf(ctx, tx, l.Binding, id)
		if err != nil {
			return err
		}
		if i.State != record.Prepared && i.State != record.Sent {
			return fmt.Errorf("it is %s: %w", i.State, ErrNotOpen)
		}
		err = exec(ctx, tx, `UPDATE intent SET state = ?2, tries = tries + 1, sent_at = ?3, error = '', class = ''
			WHERE id = ?1`, id, record.Sent, now.UnixMilli())
		if err != nil {
			return err
		}
		if err := letGo(ctx, tx, i.Place, i.Link, i.From); err != nil {
			return err
		}
		return linkState(ctx, tx, i.Link)
	})
}

// FailIntent notes what became of a change that was not done: Rejected, Cancelled,
// Prepared (to be sent again), Sent (nobody knows, yet) or Lost. What a person said of
// it is used up by that.
func (s *Store) FailIntent(ctx context.Context, l record.Lease, id string, st record.IntentState, class, msg string, now time.Time) error {
	return s.keep(ctx, l, "fail change "+id, func(ctx context.Context, tx *sql.Tx) error {
		if st == record.Settled {
			return fmt.Errorf("a change is settled by its receipt: %w", ErrNotOpen)
		}
		return fail(ctx, tx, l.Binding, id, st, class, msg, now)
	})
}

// fail is FailIntent within a transaction.
func fail(ctx context.Context, tx *sql.Tx, b record.Binding, id string, st record.IntentState, class, msg string, now time.Time) error {
	i, err := intentOf(ctx, tx, b, id)
	if err != nil {
		return err
	}
	if !open(i.State) {
		return fmt.Errorf("it is %s: %w", i.State, ErrNotOpen)
	}
	var ended any
	if !open(st) {
		ended = now.UnixMilli()
	}
	err = exec(ctx, tx, `UPDATE intent SET state = ?2, class = ?3, error = ?4, ended_at = ?5 WHERE id = ?1`,
		id, st, class, msg, ended)
	if err != nil {
		return err
	}
	if err := dropClaim(ctx, tx, i); err != nil {
		return err
	}
	return linkState(ctx, tx, i.Link)
}

// open reports whether a change in that state still stands in the way of another.
func open(st record.IntentState) bool {
	return st == record.Prepared || st == record.Sent || st == record.Lost
}

// Unsettled is the changes of a binding that are Prepared or Sent, oldest first.
func (s *Store) Unsettled(ctx context.Context, b record.Binding) ([]record.Intent, error) {
	found, err := collect(ctx, s.reader, scanIntent, `SELECT `+intentColumns+` FROM intent i
		WHERE i.binding = ?1 AND i.state IN ('prepared', 'sent', 'held') AND i.state <> 'held' ORDER BY i.made, i.id`, b)
	return found, s.explain("read unsettled changes", err)
}
