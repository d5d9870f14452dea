package questions

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"nightporter/state/internal/asked"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// ofSides chooses the open questions about whole sides.
const ofSides = `closed IS NULL AND link = 0 AND entry = 0 AND held = '' AND change = ''`

// Stand stores the questions about the sides of the lease's binding: of the given causes, exactly qs are open
// afterwards. A question that was open already stays open since then, and keeps its answer if it rests on the same
// facts. Open questions of these causes that are not in qs are closed.
func (s *Store) Stand(ctx context.Context, l record.Lease, causes []record.Cause, qs []record.Question, now time.Time) error {
	return s.db.Lease(ctx, l, "note halts", func(ctx context.Context, tx *sql.Tx) error {
		open, err := sqlite.Collect(ctx, tx, asked.Scan, `SELECT `+asked.Columns+` FROM question WHERE binding = ?1 AND `+ofSides, l.Binding)
		if err != nil {
			return err
		}
		for _, q := range qs {
			q.Subject = record.Subject{Side: q.Side}
			if err := stand(ctx, tx, l, open, q, now); err != nil {
				return fmt.Errorf("halt %s: %w", q.Cause, err)
			}
		}
		for _, o := range open {
			if sameSide(qs, o) >= 0 || !slices.Contains(causes, o.Cause) {
				continue
			}
			if err := asked.Close(ctx, tx, o.ID, now); err != nil {
				return err
			}
		}
		return nil
	})
}

func sameSide(qs []record.Question, o record.Question) int {
	return slices.IndexFunc(qs, func(q record.Question) bool { return q.Side == o.Side && q.Cause == o.Cause })
}

// stand opens a question about a side. If it is open already, it gets what is known now.
func stand(ctx context.Context, tx *sql.Tx, l record.Lease, open []record.Question, q record.Question, now time.Time) error {
	i := sameSide(open, q)
	if i < 0 {
		return asked.Put(ctx, tx, l, q, now)
	}
	return sqlite.Exec(ctx, tx, `UPDATE question SET why = ?2, next = ?3, run = ?4, rests = ?5,
		choice = CASE WHEN rests = ?5 THEN choice ELSE '' END, who = CASE WHEN rests = ?5 THEN who ELSE '' END,
		chosen = CASE WHEN rests = ?5 THEN chosen END WHERE id = ?1`, open[i].ID, q.Why, q.Next, l.Run, q.Rests.Encode())
}

// Halts returns the open questions about the sides of a binding, oldest first; those of all bindings if b is
// empty.
func (s *Store) Halts(ctx context.Context, b record.Binding) ([]record.Question, error) {
	return sqlite.List(ctx, s.db, "read halts", asked.Scan, `SELECT `+asked.Columns+` FROM question
		WHERE `+ofSides+` AND (?1 = '' OR binding = ?1) ORDER BY opened, id`, b)
}

// HaltsBeside returns the open questions of a cause about the same system's sides in other jobs that nobody has
// answered, oldest first. All are left out while the place has an open question of that cause itself. Later
// a question is left out if it was opened before the place's own one ended: a person has answered that one.
func (s *Store) HaltsBeside(ctx context.Context, p record.Place, system record.System, cause record.Cause) ([]record.Question, error) {
	return sqlite.List(ctx, s.db, "read halts of other jobs", asked.Scan, `SELECT `+asked.Columns+` FROM question
		WHERE `+ofSides+` AND choice = '' AND cause = ?4 AND binding <> ?1
		AND (SELECT iif(question.side = 0, left_system, right_system) FROM binding b WHERE b.binding = question.binding) = ?3
		AND NOT EXISTS (SELECT 1 FROM question mine WHERE mine.binding = ?1 AND mine.side = ?2 AND mine.cause = ?4
			AND mine.link = 0 AND mine.entry = 0 AND mine.held = '' AND mine.change = '' AND coalesce(mine.closed, question.opened) >= question.opened)
		ORDER BY opened, id`, p.Binding, p.Side, system, cause)
}

// AnswerHalts notes what a person says to the open questions with these causes about the sides of a binding, or to
// all of them if there are no causes. Where some of them wait for an answer, it is for these alone: what was answered
// before stays as it is. Where none does, the answers are replaced. It returns the questions with the new answer. It
// needs no lease: the next run takes it up.
func (s *Store) AnswerHalts(ctx context.Context, b record.Binding, choice record.Choice, who string, causes ...record.Cause) ([]record.Question, error) {
	var halts []record.Question
	err := s.db.Write(ctx, "answer halts", func(ctx context.Context, tx *sql.Tx) (err error) {
		const these = `binding = ?1 AND ` + ofSides + ` AND (json_array_length(?4) = 0 OR cause IN (SELECT value FROM json_each(?4)))`
		halts, err = sqlite.Collect(ctx, tx, asked.Scan, `UPDATE question SET choice = ?2, who = ?3, chosen = ?5 WHERE `+these+`
			AND (choice = '' OR NOT EXISTS (SELECT 1 FROM question WHERE `+these+` AND choice = ''))
			RETURNING `+asked.Columns, b, choice, who, sqlite.JSON(append([]record.Cause{}, causes...)), time.Now().UnixMilli())
		return err
	})
	return halts, err
}
