package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// If an index has lost a row, the row is taken for unknown, and what is unknown is made once more. SQLite's quick
// check reads each index by itself and does not see that. So each row of a table that decides is looked up by every
// index that it belongs to.

// deciding lists the tables that decide what is made, and what is open. The keys of entries are many, and are
// looked at in slices alone.
func deciding() []string { return []string{"entry", "link", "intent"} }

// knowing lists the tables that say whether a record is known, and which one it is linked with.
func knowing() []string { return []string{"entry", "link"} }

// sound is what is known of the indexes of an open file.
type sound struct {
	sync.Mutex
	damage error     // what was found: nothing is begun or sent any more
	known  time.Time // when this process last found the indexes of the knowing tables whole; zero: not yet
}

// soundFor is for how long indexes count as whole after they were found whole. A service looks at them more often,
// a slice at a time, so that no change waits for it.
const soundFor = 2 * time.Hour

// index is an index of a table with numbered rows.
type index struct {
	name  string
	where string // of a partial index: which rows it has
	by    []string
}

// indexesOf reads from the schema which indexes a table has, and by which columns.
func indexesOf(ctx context.Context, q Querier, table string) ([]index, error) {
	all, err := Collect(ctx, q, func(rows *sql.Rows) (x index, err error) {
		var text sql.NullString
		err = rows.Scan(&x.name, &text)
		_, x.where, _ = strings.Cut(strings.Join(strings.Fields(text.String), " "), " WHERE ")
		return x, err
	}, `SELECT l.name, m.sql FROM pragma_index_list(?1) l JOIN sqlite_schema m ON m.name = l.name ORDER BY l.seq`, table)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].by, err = Collect(ctx, q, func(rows *sql.Rows) (c string, err error) {
			err = rows.Scan(&c)
			return c, err
		}, `SELECT name FROM pragma_index_info(?1) ORDER BY seqno`, all[i].name)
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// has is the condition for a row to be in an index. Its columns are those of the innermost table.
func (x index) has() string {
	if x.where == "" {
		return `1`
	}
	return `(` + x.where + `)`
}

// loses is the condition for an index not to find row e, although the row belongs to it.
func (x index) loses(table string) string {
	same := []string{x.has()}
	for _, c := range x.by {
		same = append(same, fmt.Sprintf(`x.%s IS e.%s`, c, c))
	}
	return fmt.Sprintf(`(%s AND NOT EXISTS (SELECT 1 FROM %s x INDEXED BY %s WHERE %s AND x.rowid = e.rowid))`,
		x.has(), table, x.name, strings.Join(same, ` AND `))
}

// wholeQuery asks whether an index of a table has lost a row, or has another number of rows than belong to it.
func wholeQuery(table string, xs []index) string {
	lost, sums, counts := make([]string, len(xs)), "", ""
	for i, x := range xs {
		lost[i] = x.loses(table)
		sums += fmt.Sprintf(`, coalesce(sum(%s), 0)`, x.has())
		counts += fmt.Sprintf(`, (SELECT count(*) FROM %s INDEXED BY %s WHERE %s)`, table, x.name, x.has())
	}
	return fmt.Sprintf(`SELECT (SELECT coalesce(sum(%s), 0)%s FROM %s e NOT INDEXED) <> (0%s)`, strings.Join(lost, ` OR `), sums, table, counts)
}

// sliceQuery asks whether an index has lost a row with a number above ?1 and up to ?2.
func sliceQuery(table string, xs []index) string {
	lost := make([]string, len(xs))
	for i, x := range xs {
		lost[i] = x.loses(table)
	}
	return fmt.Sprintf(`SELECT EXISTS (SELECT 1 FROM %s e NOT INDEXED WHERE e.rowid > ?1 AND e.rowid <= ?2 AND (%s))`, table, strings.Join(lost, ` OR `))
}

// keySlice asks whether a key is not found by its text, of entries with a number above ?1 and up to ?2.
const keySlice = `SELECT EXISTS (SELECT 1 FROM entry_key e INDEXED BY entry_key_entry WHERE e.entry > ?1 AND e.entry <= ?2
	AND NOT EXISTS (SELECT 1 FROM entry_key x INDEXED BY sqlite_autoindex_entry_key_1 WHERE x.binding IS e.binding AND x.side IS e.side
		AND x.name IS e.name AND x.text IS e.text AND x.entry IS e.entry))`

// checkIndexes looks up all rows of tables by their indexes. A file that has none of the tables yet
// has nothing to lose.
func checkIndexes(ctx context.Context, q Querier, path string, tables []string) error {
	for _, table := range tables {
		xs, err := indexesOf(ctx, q, table)
		if err != nil {
			return err
		}
		if len(xs) == 0 {
			continue
		}
		if err := unsound(ctx, q, path, table, wholeQuery(table, xs)); err != nil {
			return err
		}
	}
	return nil
}

// unsound returns ErrCorrupt if a query says that an index of a table is damaged.
func unsound(ctx context.Context, q Querier, path, table, query string, args ...any) error {
	var damaged bool
	if err := q.QueryRowContext(ctx, query, args...).Scan(&damaged); err != nil {
		return err
	}
	if damaged {
		return fmt.Errorf("%s: %w (an index of %s does not find all of its rows)", path, ErrCorrupt, table)
	}
	return nil
}

// Sound returns ErrCorrupt if an index was found damaged since the file was opened: then no run is begun,
// and nothing is sent.
func (s *DB) Sound() error {
	s.sound.Lock()
	defer s.sound.Unlock()
	return s.sound.damage
}

// MayWrite makes sure, before a change, that the indexes find every record and every link: that what a run takes
// for unknown is unknown, and that no record is taken for another. It looks only if the indexes were not found
// whole a short while ago. ErrCorrupt says that they are damaged.
func (s *DB) MayWrite(ctx context.Context) error {
	if s.Path == Memory {
		return nil
	}
	s.sound.Lock()
	defer s.sound.Unlock()
	if s.sound.damage != nil || !s.sound.known.IsZero() && time.Since(s.sound.known) < soundFor {
		return s.sound.damage
	}
	begun := time.Now()
	if err := s.foundSound(checkIndexes(ctx, s.Reader.DB, s.Path, knowing())); err != nil {
		return err
	}
	s.sound.known = begun
	return nil
}

// foundSound returns the error of a check, and remembers it if it says that an index is damaged.
func (s *DB) foundSound(err error) error {
	if err != nil {
		err = s.Explain("check the indexes", err)
	}
	if errors.Is(err, ErrCorrupt) {
		s.sound.damage = err
	}
	return err
}

// sliceRows is how many rows of a table one CheckSlice looks at: that takes some milliseconds.
const sliceRows = 4096

// Slice is how far a check of the indexes has come. The zero value begins one.
type Slice struct {
	table int
	after int64
	begun time.Time
}

// CheckSlice checks one more slice of the indexes of all tables that decide. It returns where the next call goes
// on, and whether this was the last slice. ErrCorrupt says that an index is damaged: from then on no run is begun
// and nothing is sent, and the next start looks at the whole file.
func (s *DB) CheckSlice(ctx context.Context, at Slice) (next Slice, done bool, err error) {
	tables := append(deciding(), "entry_key")
	if at.table >= len(tables) {
		return at, true, nil
	}
	s.sound.Lock()
	defer s.sound.Unlock()
	if at.begun.IsZero() {
		at.begun = time.Now()
	}
	last, err := s.checkSlice(ctx, tables[at.table], at.after)
	if err := s.foundSound(err); err != nil {
		if errors.Is(err, ErrCorrupt) {
			err = errors.Join(err, s.forgetChecked(ctx))
		}
		return at, false, err
	}
	at.after += sliceRows
	if at.after >= last {
		at = Slice{table: at.table + 1, begun: at.begun}
	}
	if done = at.table >= len(tables); done {
		s.sound.known = at.begun
	}
	return at, done, nil
}

// checkSlice looks at some rows of a table, and returns the number of the table's last row.
func (s *DB) checkSlice(ctx context.Context, table string, after int64) (last int64, err error) {
	query, numbers := keySlice, "entry"
	if table != "entry_key" {
		xs, err := indexesOf(ctx, s.Reader, table)
		if err != nil {
			return 0, err
		}
		query, numbers = sliceQuery(table, xs), table
	}
	if err := s.Reader.QueryRowContext(ctx, `SELECT coalesce(max(rowid), 0) FROM `+numbers).Scan(&last); err != nil {
		return 0, err
	}
	return last, unsound(ctx, s.Reader, s.Path, table, query, after, after+sliceRows)
}

// forgetChecked makes the next start look at the whole file.
func (s *DB) forgetChecked(ctx context.Context) error {
	return s.commit(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return Exec(ctx, tx, `DELETE FROM setting WHERE binding = '' AND name = ?1`, checkedSetting)
	})
}

// checkBoth asks SQLite whether the file is whole, and meanwhile looks at the indexes over a connection of its own:
// two checks in the time of one.
func (s *DB) checkBoth(ctx context.Context) error {
	if s.Path == Memory {
		return s.check(ctx)
	}
	db := sql.OpenDB(Connector{DSN: readerDSN(s.Path), ReadOnly: true})
	defer db.Close()
	found := make(chan error, 1)
	go func() { found <- checkIndexes(ctx, db, s.Path, deciding()) }()
	begun := time.Now()
	whole := s.check(ctx)
	indexes := <-found
	if err := cmp.Or(whole, indexes); err != nil {
		return err
	}
	s.sound.Lock()
	defer s.sound.Unlock()
	s.sound.known = begun
	return nil
}
