// Package asked keeps questions in their table, whatever they are about. The rules of each subject are in the packages
// above.
package asked

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Columns are the columns of a question, as Scan reads them.
const Columns = `id, binding, side, link, entry, field, held, change, cause, choices, left_value, right_value, base_value, why, next, rests,
	opened, expires, run, choice, value, who, chosen, closed`

// Scan reads a row of Columns.
func Scan(rows *sql.Rows) (record.Question, error) { return ScanWith(rows) }

// ScanWith reads a row of Columns, and the columns that come after them.
func ScanWith(rows *sql.Rows, after ...any) (q record.Question, err error) {
	var left, right, base, value, rests string
	err = rows.Scan(append([]any{
		&q.ID, &q.Binding, &q.Side, &q.Link, &q.Entry, &q.Field, &q.Set, &q.Change, &q.Cause, &q.Choices, &left, &right, &base, &q.Why, &q.Next, &rests,
		sqlite.AsTime(&q.Opened), sqlite.AsTime(&q.Expires), &q.Run, &q.Choice, &value, &q.Who, sqlite.AsTime(&q.Chosen), sqlite.AsTime(&q.Closed),
	}, after...)...)
	if err != nil {
		return q, err
	}
	switch {
	case q.Set != "":
		q.Risk, q.Field = q.Field, ""
	case q.IsSide(), q.Change != "":
		q.Field = ""
	}
	if q.Rests, err = record.DecodeRests(rests); err != nil {
		return q, sqlite.Garbled(fmt.Sprintf("question %d", q.ID), err)
	}
	for _, v := range []struct {
		text string
		into *record.Value
	}{{left, &q.Left}, {right, &q.Right}, {base, &q.Base}, {value, &q.Value}} {
		if *v.into, err = sqlite.DecodeValue(v.text); err != nil {
			return q, sqlite.Garbled(fmt.Sprintf("question %d", q.ID), err)
		}
	}
	return q, nil
}

// Put opens a question.
func Put(ctx context.Context, tx *sql.Tx, l record.Lease, q record.Question, now time.Time) error {
	return sqlite.Exec(ctx, tx, `INSERT INTO question (cause, choices, left_value, right_value, base_value, why, next, rests, opened, run,
		binding, side, link, entry, field, held, expires, change) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)`,
		q.Cause, q.Choices, q.Left.Encode(), q.Right.Encode(), q.Base.Encode(), q.Why, q.Next, q.Rests.Encode(), now.UnixMilli(), l.Run,
		l.Binding, q.Side, q.Link, q.Entry, fieldOf(q), q.Set, sqlite.Millis(q.Expires), q.Change)
}

// Supersede ends a question in whose place another one comes: an answer to it does not count any more.
func Supersede(ctx context.Context, tx *sql.Tx, id int64, now time.Time) error {
	return sqlite.Exec(ctx, tx, `UPDATE question SET closed = ?2, choice = '', value = '', who = '', chosen = NULL WHERE id = ?1`, id, now.UnixMilli())
}

// Close ends a question.
func Close(ctx context.Context, tx *sql.Tx, id int64, now time.Time) error {
	return sqlite.Exec(ctx, tx, `UPDATE question SET closed = ?2 WHERE id = ?1`, id, now.UnixMilli())
}

// CloseLink ends all questions about a link.
func CloseLink(ctx context.Context, tx *sql.Tx, link record.LinkID, now time.Time) error {
	return sqlite.Exec(ctx, tx, `UPDATE question SET closed = ?2 WHERE link = ?1 AND closed IS NULL`, link, now.UnixMilli())
}

// CloseUnanswered ends the questions about a link that nobody has answered.
func CloseUnanswered(ctx context.Context, tx *sql.Tx, link record.LinkID, now time.Time) error {
	return sqlite.Exec(ctx, tx, `UPDATE question SET closed = ?2 WHERE link = ?1 AND closed IS NULL AND choice = ''`, link, now.UnixMilli())
}

// CloseEntries ends the questions about records without a link, by the numbers of their entries.
func CloseEntries(ctx context.Context, tx *sql.Tx, nums []int64, now time.Time) error {
	return sqlite.Exec(ctx, tx, `UPDATE question SET closed = ?2 WHERE entry IN (SELECT value FROM json_each(?1))
		AND entry <> 0 AND link = 0 AND closed IS NULL`, sqlite.JSON(nums), now.UnixMilli())
}

// CloseChange ends the questions about a change.
func CloseChange(ctx context.Context, tx *sql.Tx, change string, now time.Time) error {
	return sqlite.Exec(ctx, tx, `UPDATE question SET closed = ?2 WHERE change = ?1 AND change <> '' AND closed IS NULL`, change, now.UnixMilli())
}

// fieldOf returns what tells open questions about one subject apart: the field, for a set the risk of its changes,
// for a side or a change the cause.
func fieldOf(q record.Question) string {
	switch {
	case q.Set != "":
		return q.Risk
	case q.IsSide(), q.Change != "":
		return string(q.Cause)
	}
	return q.Field
}
