package journal

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"nightporter/state/internal/entries"
	"nightporter/state/internal/sqlite"
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
	Changed     sqlite.Moment  `json:"changed,omitempty"`
	Created     sqlite.Moment  `json:"created,omitempty"`
	At          sqlite.Moment  `json:"at"`
	SettleUntil sqlite.Moment  `json:"settle_until,omitempty"`
	Adopted     bool           `json:"adopted,omitempty"`
	Note        string         `json:"note,omitempty"`
}

// bases is Intent.Bases in a form that keeps nil and empty apart.
type bases [2]*record.Fields

// Columns are the columns of an intent i, as ScanIntent reads them.
const Columns = `i.id, i.binding, i.run, i.side, i.link, i.source, i.entity, i.change, i.reason, i.fields, i.bases,
	i.state, i.tries, i.made, i.sent_at, i.ended_at, i.error || i.refused, i.class, i.risk, i.receipt`

func scanChange(rows *sql.Rows) (c Change, err error) {
	var link, source sql.NullInt64
	var what, fields, base string
	var answer sql.NullString
	err = rows.Scan(&c.ID, &c.Place.Binding, &c.Run, &c.Place.Side, &link, &source, &c.Entity, &what, &c.Reason, &fields,
		&base, &c.State, &c.Tries, sqlite.AsTime(&c.Made), sqlite.AsTime(&c.SentAt), sqlite.AsTime(&c.EndedAt), &c.Error, &c.Class, &c.Risk, &answer)
	if err != nil {
		return c, err
	}
	c.Link, c.From = record.LinkID(link.Int64), source.Int64
	return c, sqlite.Garbled("change "+c.ID, c.readTexts(what, fields, base, answer))
}

func (c *Change) readTexts(what, fields, base string, answer sql.NullString) error {
	if err := c.readChange(what); err != nil {
		return err
	}
	if err := sqlite.Decode(fields, &c.Fields); err != nil {
		return err
	}
	var b bases
	if err := sqlite.Decode(base, &b); err != nil {
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
	if err := sqlite.Decode(text, &ch); err != nil {
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
	if err := sqlite.Decode(text, &r); err != nil {
		return err
	}
	c.Receipt = &record.Receipt{
		Intent: c.ID, Ref: r.Ref, Version: r.Version, Fields: r.Fields, Provisional: r.Provisional,
		Changed: r.Changed.Time(), Created: r.Created.Time(), At: r.At.Time(), SettleUntil: r.SettleUntil.Time(), Adopted: r.Adopted, Note: r.Note,
	}
	return nil
}

// ScanIntent reads a row of Columns.
func ScanIntent(rows *sql.Rows) (record.Intent, error) {
	c, err := scanChange(rows)
	return c.Intent, err
}

// Get returns a change of a binding; ErrUnknown if there is none with this id.
func Get(ctx context.Context, q sqlite.Querier, b record.Binding, id string) (record.Intent, error) {
	i, ok, err := sqlite.First(sqlite.Collect(ctx, q, ScanIntent, `SELECT `+Columns+` FROM intent i
		WHERE i.id = ?1 AND i.binding = ?2`, id, b))
	if err == nil && !ok {
		err = sqlite.Unknown("change %s of job %s", id, b)
	}
	return i, err
}

// OpenIntent makes a change durable as Sent, at its SentAt or else its Made: its request goes out now, and nothing
// keeps the change back any more. From now on, until a receipt or a failure is stored, nobody knows whether the system
// applied it. ErrOpen says that an earlier change of the same link and side, or an earlier create from the same entry, is still open. A
// change that is Lost counts as open. ErrWordGone says that an answer which the change rests on does not stand any
// more: it was taken back or changed before this transaction.
func (s *Store) OpenIntent(ctx context.Context, l record.Lease, i record.Intent) error {
	if err := s.db.MaySend(ctx); err != nil {
		return fmt.Errorf("open change %s: %w", i.ID, err)
	}
	if err := s.db.MayWrite(ctx); err != nil {
		return fmt.Errorf("open change %s: %w", i.ID, err)
	}
	i.State = record.Sent
	if i.SentAt.IsZero() {
		i.SentAt = i.Made
	}
	return s.db.Lease(ctx, l, "open change "+i.ID, func(ctx context.Context, tx *sql.Tx) error {
		if err := saidStands(ctx, tx, i.Said); err != nil {
			return err
		}
		if err := keep(ctx, tx, l, i); err != nil {
			return err
		}
		if err := letGo(ctx, tx, i.Place, i.Link, i.From); err != nil {
			return err
		}
		return entries.UpdateLinkState(ctx, tx, i.Link)
	})
}

// NoteUnsent keeps a change as Cancelled that ended before anything of it was sent: its Class, Error and EndedAt say
// how.
func (s *Store) NoteUnsent(ctx context.Context, l record.Lease, i record.Intent) error {
	i.State, i.SentAt = record.Cancelled, time.Time{}
	return s.db.LeaseReserved(ctx, l, "note unsent change "+i.ID, func(ctx context.Context, tx *sql.Tx) error {
		return keep(ctx, tx, l, i)
	})
}

// keep stores a change. The records that it is about are decoded when they are listed next, whatever their bytes.
func keep(ctx context.Context, tx *sql.Tx, l record.Lease, i record.Intent) error {
	if err := checkIntent(ctx, tx, l, i); err != nil {
		return err
	}
	err := insertIntent(ctx, tx, l, i)
	if sqlite.IsUnique(err) {
		return fmt.Errorf("%w (%w)", sqlite.ErrOpen, err)
	}
	if err != nil {
		return err
	}
	if i.Link == 0 {
		return sqlite.Exec(ctx, tx, `UPDATE entry SET listed = NULL WHERE num = ?1`, i.From)
	}
	return entries.UnlistLink(ctx, tx, i.Link)
}

func checkIntent(ctx context.Context, tx *sql.Tx, l record.Lease, i record.Intent) error {
	if i.Place.Binding != l.Binding {
		return fmt.Errorf("change is of job %s, the lease of job %s", i.Place.Binding, l.Binding)
	}
	if i.Link != 0 {
		return entries.CheckLink(ctx, tx, l.Binding, i.Link)
	}
	r, err := entries.ByNum(ctx, tx, l.Binding, i.From)
	if err != nil {
		return err
	}
	if i.Change.Op != record.Create && (r.Place != i.Place || r.Ref != i.Change.Ref) {
		return fmt.Errorf("a change to %s is said to be one to %s: %w", i.Change.Ref, r.Ref, sqlite.ErrUnknown)
	}
	if r.Link != 0 {
		return fmt.Errorf("record %s: %w", r.Ref, sqlite.ErrLinked)
	}
	return nil
}

func insertIntent(ctx context.Context, tx *sql.Tx, l record.Lease, i record.Intent) error {
	c := i.Change
	what, err := sqlite.Encode(change{
		Op: c.Op.String(), Ref: c.Ref, Fields: c.Fields, Before: c.Before, Version: c.Version, Stamp: c.Stamp,
	})
	if err != nil {
		return err
	}
	fields, err := sqlite.Encode(i.Fields)
	if err != nil {
		return err
	}
	var b bases
	for side := range i.Bases {
		if i.Bases[side] != nil {
			b[side] = &i.Bases[side]
		}
	}
	base, err := sqlite.Encode(b)
	if err != nil {
		return err
	}
	run := i.Run
	if run == 0 {
		run = l.Run
	}
	tries := 0
	if !i.SentAt.IsZero() {
		tries = 1
	}
	return sqlite.Exec(ctx, tx, `INSERT INTO intent (id, binding, run, side, link, source, entity, kind, ref, change, reason, fields, bases,
		state, made, risk, tries, sent_at, ended_at, class, error)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)`,
		i.ID, i.Place.Binding, run, i.Place.Side, sqlite.OrNull(int64(i.Link)), sqlite.OrNull(i.From), i.Entity, c.Ref.Kind, c.Ref.ID,
		what, i.Reason, fields, base, i.State, i.Made.UnixMilli(), i.Risk, tries, sqlite.Millis(i.SentAt), sqlite.Millis(i.EndedAt), i.Class, i.Error)
}

// SendIntent notes that the request of a Sent change is about to go out once more.
func (s *Store) SendIntent(ctx context.Context, l record.Lease, id string, now time.Time) error {
	if err := s.db.MaySend(ctx); err != nil {
		return fmt.Errorf("send change %s: %w", id, err)
	}
	return s.db.Lease(ctx, l, "send change "+id, func(ctx context.Context, tx *sql.Tx) error {
		i, err := Get(ctx, tx, l.Binding, id)
		if err != nil {
			return err
		}
		if i.State != record.Sent {
			return fmt.Errorf("it is %s: %w", i.State, sqlite.ErrNotOpen)
		}
		err = sqlite.Exec(ctx, tx, `UPDATE intent SET state = ?2, tries = tries + 1, sent_at = ?3, error = '', class = ''
			WHERE id = ?1`, id, record.Sent, now.UnixMilli())
		if err != nil {
			return err
		}
		if err := letGo(ctx, tx, i.Place, i.Link, i.From); err != nil {
			return err
		}
		return entries.UpdateLinkState(ctx, tx, i.Link)
	})
}

// FailIntent notes what became of a change that has no receipt: Rejected, Cancelled, Sent (nobody knows yet) or Lost (a person is asked). What a person had said of the change is used up by that.
func (s *Store) FailIntent(ctx context.Context, l record.Lease, id string, st record.IntentState, class, msg string, now time.Time) error {
	return s.db.LeaseReserved(ctx, l, "fail change "+id, func(ctx context.Context, tx *sql.Tx) error {
		if st == record.Settled {
			return fmt.Errorf("a change is settled by its receipt: %w", sqlite.ErrNotOpen)
		}
		if err := Fail(ctx, tx, l.Binding, id, st, class, msg, now); err != nil || st != record.Lost {
			return err
		}
		i, err := Get(ctx, tx, l.Binding, id)
		if err != nil {
			return err
		}
		return ask(ctx, tx, l, i, msg, now)
	})
}

// Fail is FailIntent within a transaction.
func Fail(ctx context.Context, tx *sql.Tx, b record.Binding, id string, st record.IntentState, class, msg string, now time.Time) error {
	i, err := Get(ctx, tx, b, id)
	if err != nil {
		return err
	}
	if !IsOpen(i.State) {
		return fmt.Errorf("it is %s: %w", i.State, sqlite.ErrNotOpen)
	}
	var ended any
	if !IsOpen(st) {
		ended = now.UnixMilli()
	}
	err = sqlite.Exec(ctx, tx, `UPDATE intent SET state = ?2, class = ?3, error = ?4, refused = '', ended_at = ?5 WHERE id = ?1`,
		id, st, class, msg, ended)
	if err != nil {
		return err
	}
	if err := closeAsked(ctx, tx, i, now); err != nil {
		return err
	}
	return entries.UpdateLinkState(ctx, tx, i.Link)
}

// IsOpen reports whether a change in that state still stands in the way of another.
func IsOpen(st record.IntentState) bool {
	return st == record.Sent || st == record.Lost
}

// Unsettled returns the changes of a binding that are Sent, oldest first.
func (s *Store) Unsettled(ctx context.Context, b record.Binding) ([]record.Intent, error) {
	return sqlite.List(ctx, s.db, "read unsettled changes", ScanIntent, `SELECT `+Columns+` FROM intent i
		WHERE i.binding = ?1 AND i.state IN `+sqlite.IntentsOpen+` AND i.state <> `+sqlite.IntentLost+` ORDER BY i.made, i.id`, b)
}

// Stamped returns the last create on a place that gave a record this mark, or was to; false if there is none.
func (s *Store) Stamped(ctx context.Context, p record.Place, mark string) (record.Intent, bool, error) {
	return sqlite.Find(ctx, s.db, "read which create gave a mark", ScanIntent, `SELECT `+Columns+` FROM intent i
		WHERE i.binding = ?1 AND i.side = ?2 AND CASE WHEN json_valid(i.change) THEN i.change ->> '$.stamp' END = ?3 ORDER BY i.made DESC, i.id DESC LIMIT 1`,
		p.Binding, p.Side, mark)
}

// End stores the receipt of a change, and makes it Settled.
func End(ctx context.Context, tx *sql.Tx, i record.Intent, r record.Receipt, link record.LinkID) error {
	text, err := sqlite.Encode(receipt{
		Ref: r.Ref, Version: r.Version, Fields: r.Fields, Provisional: r.Provisional, Changed: sqlite.MomentOf(r.Changed), Created: sqlite.MomentOf(r.Created),
		At: sqlite.MomentOf(r.At), SettleUntil: sqlite.MomentOf(r.SettleUntil), Adopted: r.Adopted, Note: r.Note,
	})
	if err != nil {
		return err
	}
	ref := i.Change.Ref
	if ref.ID == "" {
		ref = r.Ref
	}
	err = sqlite.Exec(ctx, tx, `UPDATE intent SET state = ?2, link = ?3, kind = ?4, ref = ?5, receipt = ?6, ended_at = ?7,
		error = '', class = '' WHERE id = ?1`, i.ID, record.Settled, sqlite.OrNull(int64(link)), ref.Kind, ref.ID, text, r.At.UnixMilli())
	if err != nil {
		return err
	}
	if err := closeAsked(ctx, tx, i, r.At); err != nil {
		return err
	}
	return entries.UpdateLinkState(ctx, tx, link)
}
