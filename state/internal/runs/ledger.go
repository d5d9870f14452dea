package runs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"nightporter/state/internal/sqlite"
)

// ErrSettled says that a slot is in the ledger already.
var ErrSettled = errors.New("the slot is settled already")

// keptSlots is how many slots of a line are kept, those that were settled last. They keep a slot from being run
// again after the clock was set back.
const keptSlots = 256

// Slot is one moment at which a cadence wants a run: a time on the wall clock of the job's zone, in the first pass
// (0) or the second pass (1) of a repeated hour.
type Slot struct {
	Civil string
	Fold  int
	At    time.Time
}

// Line is the stored state of one of a job's schedules: since when its moments count, and which of them are done.
type Line struct {
	Since   time.Time // slots after it count; zero: the line was never opened
	Settled []Slot    // in the order in which they were settled
}

// Book is what the ledger keeps of one binding: its failures in a row, when the last
// of them was, and its lines by their number.
type Book struct {
	Fails    int
	FailedAt time.Time
	Lines    map[int]Line
}

// Call is a run that was asked for outside of any cadence, and is not answered yet.
type Call struct {
	Binding string
	What    int
	Seq     int64     // of the newest call of this binding and line
	At      time.Time // when that call came
}

// Ledger keeps which slots are settled, what was asked for and how often a binding
// failed in a row. Lines are told apart by a number that the scheduler gives them.
type Ledger struct{ store *sqlite.DB }

// Ledger is the state file's ledger.
func (s *Store) Ledger() *Ledger { return &Ledger{store: s.db} }

// Load returns what is kept of a binding. For an unknown one it is empty.
func (g *Ledger) Load(ctx context.Context, binding string) (Book, error) {
	b, err := g.load(ctx, binding)
	return b, g.store.Explain("read ledger", err)
}

func (g *Ledger) load(ctx context.Context, binding string) (Book, error) {
	type kept struct {
		what int
		slot Slot
	}
	b := Book{Lines: map[int]Line{}}
	q := g.store.Reader
	var at sql.NullInt64
	err := q.QueryRowContext(ctx, `SELECT fails, at FROM failing WHERE binding = ?1`, binding).Scan(&b.Fails, &at)
	if err != nil && !sqlite.IsNone(err) {
		return Book{}, err
	}
	b.FailedAt = sqlite.Instant(at)
	read := func(rows *sql.Rows) (k kept, err error) {
		err = rows.Scan(&k.what, &k.slot.Civil, &k.slot.Fold, sqlite.AsTime(&k.slot.At))
		return k, err
	}
	lines, err := sqlite.Collect(ctx, q, read, `SELECT what, '', 0, since FROM line WHERE binding = ?1`, binding)
	if err != nil {
		return Book{}, err
	}
	for _, l := range lines {
		b.Lines[l.what] = Line{Since: l.slot.At}
	}
	slots, err := sqlite.Collect(ctx, q, read, `SELECT what, civil, fold, at FROM slot WHERE binding = ?1 ORDER BY num`, binding)
	if err != nil {
		return Book{}, err
	}
	for _, k := range slots {
		l := b.Lines[k.what]
		l.Settled = append(l.Settled, k.slot)
		b.Lines[k.what] = l
	}
	return b, nil
}

// Open notes since when the slots of a line count. Opened once more, the line keeps the earlier moment.
func (g *Ledger) Open(ctx context.Context, binding string, what int, at time.Time) error {
	return g.store.AsHolder(ctx, "open line", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.Exec(ctx, tx, `INSERT INTO line (binding, what, since) VALUES (?1, ?2, ?3)
			ON CONFLICT (binding, what) DO UPDATE SET since = min(since, excluded.since)`, binding, what, at.UnixMilli())
	})
}

// Ran settles the slot of a run that ended well (no slot if it is zero), answers calls up to the number seq, and
// ends the binding's failures. The error is ErrSettled if a slot of that name is settled already.
func (g *Ledger) Ran(ctx context.Context, binding string, what int, slot Slot, seq int64) error {
	return g.store.AsHolder(ctx, "settle slot", func(ctx context.Context, tx *sql.Tx) error {
		if slot.Civil != "" {
			if err := settleSlot(ctx, tx, binding, what, slot); err != nil {
				return err
			}
		}
		if err := answerCalls(ctx, tx, binding, what, seq); err != nil {
			return err
		}
		return sqlite.Exec(ctx, tx, `DELETE FROM failing WHERE binding = ?1`, binding)
	})
}

// Answer answers calls up to the number seq. The binding's failures stay as they are.
func (g *Ledger) Answer(ctx context.Context, binding string, what int, seq int64) error {
	return g.store.AsHolder(ctx, "answer call", func(ctx context.Context, tx *sql.Tx) error {
		return answerCalls(ctx, tx, binding, what, seq)
	})
}

func answerCalls(ctx context.Context, tx *sql.Tx, binding string, what int, seq int64) error {
	return sqlite.Exec(ctx, tx, `UPDATE call SET answered = max(answered, min(seq, ?3)) WHERE binding = ?1 AND what = ?2`,
		binding, what, seq)
}

// Skip settles a slot that came too late to be run.
func (g *Ledger) Skip(ctx context.Context, binding string, what int, slot Slot) error {
	return g.store.AsHolder(ctx, "skip slot", func(ctx context.Context, tx *sql.Tx) error {
		return settleSlot(ctx, tx, binding, what, slot)
	})
}

// Fail notes how often a binding has failed in a row. Its slot and its calls stay due.
func (g *Ledger) Fail(ctx context.Context, binding string, fails int, at time.Time) error {
	return g.store.AsHolder(ctx, "note failure", func(ctx context.Context, tx *sql.Tx) error {
		if fails <= 0 {
			return sqlite.Exec(ctx, tx, `DELETE FROM failing WHERE binding = ?1`, binding)
		}
		return sqlite.Exec(ctx, tx, `INSERT INTO failing (binding, fails, at) VALUES (?1, ?2, ?3)
			ON CONFLICT (binding) DO UPDATE SET fails = excluded.fails, at = excluded.at`, binding, fails, at.UnixMilli())
	})
}

// settleSlot adds a slot, and forgets those that were settled long before it.
func settleSlot(ctx context.Context, tx *sql.Tx, binding string, what int, slot Slot) error {
	err := sqlite.Exec(ctx, tx, `INSERT INTO slot (binding, what, civil, fold, at) VALUES (?1, ?2, ?3, ?4, ?5)`,
		binding, what, slot.Civil, slot.Fold, slot.At.UnixMilli())
	if sqlite.IsUnique(err) {
		return fmt.Errorf("%s of job %s: %w", slot.Civil, binding, ErrSettled)
	}
	if err != nil {
		return err
	}
	return sqlite.Exec(ctx, tx, `DELETE FROM slot WHERE binding = ?1 AND what = ?2 AND num <= (SELECT num FROM slot
		WHERE binding = ?1 AND what = ?2 ORDER BY num DESC LIMIT 1 OFFSET ?3 + 0)`, binding, what, keptSlots)
}

// Call asks for a run outside of any cadence. It returns the number of the call, higher than any before of this
// binding and line. The call is durable when it returns.
func (g *Ledger) Call(ctx context.Context, binding string, what int, at time.Time) (int64, error) {
	var seq int64
	err := g.store.Write(ctx, "call for a run", func(ctx context.Context, tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `INSERT INTO call (binding, what, seq, at) VALUES (?1, ?2, 1, ?3)
			ON CONFLICT (binding, what) DO UPDATE SET seq = seq + 1, at = excluded.at RETURNING seq`,
			binding, what, at.UnixMilli()).Scan(&seq)
	})
	return seq, err
}

// OpenCalls reads the calls that are not answered. Its index answers it, because it is asked each second.
const OpenCalls = `SELECT binding, what, seq, at FROM call WHERE answered < seq ORDER BY at, seq, binding, what`

// Calls returns the calls that are not answered, oldest first. If there is none, that is one cheap read.
func (g *Ledger) Calls(ctx context.Context) ([]Call, error) {
	found, err := sqlite.Collect(ctx, g.store.Reader, func(rows *sql.Rows) (c Call, err error) {
		err = rows.Scan(&c.Binding, &c.What, &c.Seq, sqlite.AsTime(&c.At))
		return c, err
	}, OpenCalls)
	return found, g.store.Explain("read calls", err)
}
