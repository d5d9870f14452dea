package questions

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"nightporter/state/internal/asked"
	"nightporter/state/internal/entries"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Ask makes qs the open questions of a link (or, with link 0, of an entry). If an open question about the same
// field rests on the same, it stays as it is. If not, it is replaced, and its answer is lost. Open questions about
// fields that qs does not name are closed.
func (s *Store) Ask(ctx context.Context, l record.Lease, link record.LinkID, entry int64, qs []record.Question, now time.Time) error {
	return s.db.Lease(ctx, l, "ask", func(ctx context.Context, tx *sql.Tx) error {
		if err := checkCase(ctx, tx, l.Binding, link, entry); err != nil {
			return err
		}
		open, err := openOf(ctx, tx, link, entry)
		if err != nil {
			return err
		}
		for _, q := range qs {
			old, known := open[q.Field]
			delete(open, q.Field)
			if known && sameQuestion(old, q) {
				continue
			}
			if known {
				if err := asked.Supersede(ctx, tx, old.ID, now); err != nil {
					return err
				}
			}
			q.Subject = record.Subject{Link: link, Entry: entry, Field: q.Field}
			if err := asked.Put(ctx, tx, l, q, now); err != nil {
				return err
			}
		}
		for _, q := range open {
			if err := asked.Close(ctx, tx, q.ID, now); err != nil {
				return err
			}
		}
		if err := sqlite.Exec(ctx, tx, `UPDATE entry SET listed = NULL WHERE num = ?1`, entry); err != nil {
			return err
		}
		if link == 0 {
			return nil
		}
		if err := entries.UnlistLink(ctx, tx, link); err != nil {
			return err
		}
		return entries.UpdateLinkState(ctx, tx, link)
	})
}

func sameQuestion(a, b record.Question) bool {
	return a.Left.Equal(b.Left) && a.Right.Equal(b.Right) && a.Base.Equal(b.Base) && a.Rests.Equal(b.Rests) && a.Cause == b.Cause && a.Choices == b.Choices
}

func checkCase(ctx context.Context, tx *sql.Tx, b record.Binding, link record.LinkID, entry int64) error {
	if link != 0 {
		if err := entries.CheckLink(ctx, tx, b, link); err != nil {
			return err
		}
	}
	if entry != 0 {
		_, err := entries.ByNum(ctx, tx, b, entry)
		return err
	}
	return nil
}

func openOf(ctx context.Context, q sqlite.Querier, link record.LinkID, entry int64) (map[string]record.Question, error) {
	found, err := sqlite.Collect(ctx, q, asked.Scan, `SELECT `+asked.Columns+` FROM question
		WHERE link = ?1 AND entry = ?2 AND closed IS NULL`, link, entry)
	return byField(found), err
}

func byField(cs []record.Question) map[string]record.Question {
	out := make(map[string]record.Question, len(cs))
	for _, c := range cs {
		out[c.Field] = c
	}
	return out
}

// Questions returns the open (or the closed) questions about records of a binding, oldest first; those of all
// bindings if b is empty.
func (s *Store) Questions(ctx context.Context, b record.Binding, open bool) ([]record.Question, error) {
	return sqlite.List(ctx, s.db, "read questions", asked.Scan, `SELECT `+asked.Columns+` FROM question
		WHERE (?1 = '' OR binding = ?1) AND (closed IS NULL) = ?2 AND (link <> 0 OR entry <> 0) ORDER BY id`, b, sqlite.Flag(open))
}

// Question returns the question with this number if it is about a record; false if there is none.
func (s *Store) Question(ctx context.Context, id int64) (record.Question, bool, error) {
	return sqlite.Find(ctx, s.db, "read question", asked.Scan, `SELECT `+asked.Columns+` FROM question WHERE id = ?1 AND (link <> 0 OR entry <> 0)`, id)
}

// TakenOver returns the open question that took the place of a closed one; false if there is none.
func (s *Store) TakenOver(ctx context.Context, q record.Question) (record.Question, bool, error) {
	return sqlite.Find(ctx, s.db, "read question", asked.Scan, `SELECT `+asked.Columns+` FROM question
		WHERE link = ?1 AND entry = ?2 AND field = ?3 AND closed IS NULL AND id > ?4 AND (link <> 0 OR entry <> 0)`, q.Link, q.Entry, q.Field, q.ID)
}

// Choose notes a person's decision on an open question: "left", "right", "leave" (both sides keep what they have),
// or "value" with v; "" takes it back. The next plan takes it up. It needs no lease: a person decides while jobs
// run. An answer can be taken back until a change that rests on it is opened; from then on that is a record.SentError.
func (s *Store) Choose(ctx context.Context, id int64, choice record.Choice, v record.Value, now time.Time) error {
	switch choice { //nolint:exhaustive // any other is refused
	case record.Undecided, record.ChoiceLeft, record.ChoiceRight, record.ChoiceLeave:
		v = record.Value{}
	case record.ChoiceValue:
		if !v.Observed() {
			return fmt.Errorf("choose for question %d: the choice \"value\" needs a value", id)
		}
	case record.Accepted, record.Again, record.Approved, record.Refusal:
		fallthrough
	default:
		return fmt.Errorf("choose for question %d: %q is none of left, right, leave and value", id, choice)
	}
	return s.db.Write(ctx, "choose", func(ctx context.Context, tx *sql.Tx) error {
		if choice == record.Undecided {
			if err := notSent(ctx, tx, id); err != nil {
				return err
			}
		}
		err := sqlite.One(ctx, tx, sqlite.Unknown("open question %d", id),
			`UPDATE question SET choice = ?2, value = ?3, chosen = ?4 WHERE id = ?1 AND closed IS NULL`,
			id, choice, v.Encode(), now.UnixMilli())
		if err != nil {
			return err
		}
		return sqlite.Exec(ctx, tx, `UPDATE entry SET dirty = 1, listed = NULL
			WHERE link = (SELECT nullif(link, 0) FROM question WHERE id = ?1)
			OR num = (SELECT nullif(entry, 0) FROM question WHERE id = ?1)`, id)
	})
}

// LeftSo reports whether the last closed question about a link's field was answered with "leave": both sides keep
// what they have.
func (s *Store) LeftSo(ctx context.Context, link record.LinkID, field string) (bool, error) {
	c, ok, err := sqlite.First(sqlite.Collect(ctx, s.db.Reader, asked.Scan, `SELECT `+asked.Columns+` FROM question
		WHERE link = ?1 AND field = ?2 AND closed IS NOT NULL ORDER BY id DESC LIMIT 1`, link, field))
	return ok && c.Choice == record.ChoiceLeave, s.db.Explain("read what a person left as it is", err)
}

// AskAgain takes back what a person said to a closed question about a record without a link, and to earlier ones
// about the same record. The next plan looks at the record.
func (s *Store) AskAgain(ctx context.Context, id int64) error {
	return s.db.Write(ctx, "ask again", func(ctx context.Context, tx *sql.Tx) error {
		err := sqlite.One(ctx, tx, sqlite.Unknown("closed question %d", id),
			`UPDATE question SET choice = '', value = '', chosen = NULL WHERE id = ?1 AND closed IS NOT NULL AND entry <> 0`, id)
		if err != nil {
			return err
		}
		err = sqlite.Exec(ctx, tx, `UPDATE question SET choice = '', value = '', chosen = NULL
			WHERE entry = (SELECT entry FROM question WHERE id = ?1) AND id < ?1 AND closed IS NOT NULL AND link = 0`, id)
		if err != nil {
			return err
		}
		return sqlite.Exec(ctx, tx, `UPDATE entry SET dirty = 1, listed = NULL
			WHERE link IS NULL AND num = (SELECT entry FROM question WHERE id = ?1)`, id)
	})
}

// Choices returns the open questions about a link by field, decided or not.
func (s *Store) Choices(ctx context.Context, link record.LinkID) (map[string]record.Question, error) {
	cs, err := sqlite.Collect(ctx, s.db.Reader, asked.Scan, `SELECT `+asked.Columns+` FROM question
		WHERE link = ?1 AND closed IS NULL`, link)
	return byField(cs), s.db.Explain("read choices", err)
}

// EntryChoice returns the open question about an entry that a person has answered; false if there is none.
func (s *Store) EntryChoice(ctx context.Context, num int64) (record.Question, bool, error) {
	return sqlite.Find(ctx, s.db, "read choice", asked.Scan, `SELECT `+asked.Columns+` FROM question
		WHERE entry = ?1 AND closed IS NULL AND choice <> ''`, num)
}

// LeftOut returns the entries of a binding that a person wanted left out when they last answered a question about
// them, each with what that question rested on. It does not matter whether that was carried out. A later question
// that nobody has answered changes nothing.
func (s *Store) LeftOut(ctx context.Context, b record.Binding) (map[int64]record.Rests, error) {
	found, err := sqlite.Collect(ctx, s.db.Reader, asked.Scan, `SELECT `+asked.Columns+` FROM question c
		WHERE binding = ?1 AND link = 0 AND entry <> 0 AND choice <> ''
		AND NOT EXISTS (SELECT 1 FROM question n WHERE n.entry = c.entry AND n.link = 0 AND n.id > c.id AND n.choice <> '')`, b)
	if err != nil {
		return nil, s.db.Explain("read what was left out", err)
	}
	out := map[int64]record.Rests{}
	for _, c := range found {
		if c.Value.Text() == "leave" {
			out[c.Entry] = c.Rests
		}
	}
	return out, nil
}
