package state

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"nightporter/sync/record"
)

// seal is how the values of a binding are kept: plain, or as keyed digests.
type seal struct {
	on  bool
	key []byte
}

type sealKey struct{}

// withSeal hands a binding's seal to the functions of its transaction.
func withSeal(ctx context.Context, s seal) context.Context {
	return context.WithValue(ctx, sealKey{}, s)
}

func sealOf(ctx context.Context) seal {
	s, _ := ctx.Value(sealKey{}).(seal)
	return s
}

// keep is a value of the base at a path. What a reference was resolved to is our own
// name for an entity and stays plain; a marker may hold a guest's name.
func (s seal) keep(path string, v record.Value) record.Stored {
	switch {
	case !s.on:
		return record.Keep(v)
	case !strings.HasPrefix(path, "@"):
		return record.KeepDigest(s.key, v)
	case v.Type() == record.Map:
		return record.Keep(record.OfMap(record.Fields(v.Map()).Seal(s.key)))
	}
	return record.Keep(v)
}

func (s seal) value(v record.Value) record.Value {
	if !s.on {
		return v
	}
	return record.Seal(s.key, v)
}

func (s seal) fields(f record.Fields) record.Fields {
	if !s.on {
		return f
	}
	return f.Seal(s.key)
}

// keys keeps nil and none apart.
func (s seal) keys(ks []record.Key) []record.Key {
	if !s.on || ks == nil {
		return ks
	}
	out := make([]record.Key, len(ks))
	for i, k := range ks {
		out[i] = k.Seal(s.key)
	}
	return out
}

// digest turns the plain values that are kept of a record into digests.
func (r *row) digest() {
	if r.Base != nil {
		base := make(record.Base, len(r.Base))
		for path, kept := range r.Base {
			base[path] = kept
			if v, plain := kept.Plain(); plain {
				base[path] = r.seal.keep(path, v)
			}
		}
		r.Base = base
	}
	r.Keys, r.Pre = r.seal.keys(r.Keys), r.seal.fields(r.Pre)
	for i, f := range r.earlier {
		r.earlier[i] = r.seal.fields(f)
	}
}

// agrees reports whether the base holds all that f shows.
func (r *row) agrees(f record.Fields) bool {
	for path, v := range f {
		if v.Observed() && !r.holds(path, v) {
			return false
		}
	}
	return true
}

// holds reports whether v is what the base has at a path.
func (r *row) holds(path string, v record.Value) bool {
	if kept := r.Base[path]; kept.Digested() || !strings.HasPrefix(path, "@") {
		return kept.Same(r.seal.key, v)
	}
	was, _ := r.seal.keep(path, v).Plain()
	return r.Base[path].Same(nil, was)
}

// news reports whether a read shows anything that was not known.
func (r *row) news(f record.Fields) bool {
	for path, v := range f {
		if !v.Observed() {
			continue
		}
		if r.Seen != nil && r.Seen.Fields[path].Observed() {
			if !r.Seen.Fields[path].Equal(v) {
				return true
			}
		} else if !r.holds(path, v) {
			return true
		}
	}
	return false
}

// sealedSetting names the setting that says that a binding's values are kept as digests.
const sealedSetting = "sealed"

// sealedToSetting names the setting that says until when the history of a binding is kept as digests.
const sealedToSetting = "sealed_to"

// keySetting names the setting that tells the right key of digests from another.
const keySetting = "key"

// keyBytes is the length of the key of digests.
const keyBytes = 32

// ErrKey says that the key of the digests is not the one that they were made with.
var ErrKey = errors.New("the key of the digests is missing or another one")

// ErrSealed says that a job's values are kept as digests, and can't be kept plain
// again: what they were is not known.
var ErrSealed = errors.New("its values are kept as digests, and can't be kept plain again")

// KeepDigests has the values of bindings kept as digests from now on, and turns what
// is kept of them into digests. file holds the key and is made where there is none;
// without it the digests say nothing, so it is best not kept beside a copy of the
// state. Bindings not named must never have been. It is to be called before the first run
// of a binding; those that were named before may run meanwhile.
func (s *Store) KeepDigests(ctx context.Context, file string, bindings []record.Binding) error {
	if err := s.refusePlain(ctx, bindings); err != nil || len(bindings) == 0 {
		return err
	}
	key, err := s.key(ctx, file)
	if err != nil {
		return err
	}
	if _, err := s.writer.ExecContext(ctx, `PRAGMA secure_delete = ON`); err != nil {
		return s.explain("overwrite what is deleted", err)
	}
	seals := make(map[record.Binding]seal, len(bindings))
	for _, b := range bindings {
		seals[b] = seal{on: true, key: key}
	}
	s.seals.Store(&seals)
	for _, b := range bindings {
		var done bool
		err := s.reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM setting WHERE binding = ?1 AND name = ?2)`,
			b, sealedSetting).Scan(&done)
		if err != nil {
			return s.explain("read settings", err)
		}
		if done {
			continue
		}
		if err := s.write(ctx, "keep digests of "+string(b), func(ctx context.Context, tx *sql.Tx) error {
			return sealEntries(withSeal(ctx, s.sealOf(b)), tx, b)
		}); err != nil {
			return err
		}
		if err := s.sweep(ctx, b); err != nil {
			return err
		}
		// What was deleted before is still in pages that nobody overwrote.
		if _, err := s.writer.ExecContext(ctx, `VACUUM`); err != nil {
			return s.explain("write the state anew", err)
		}
		if err := s.truncate(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sealOf is how the values of a binding are kept.
func (s *Store) sealOf(b record.Binding) seal {
	if seals := s.seals.Load(); seals != nil {
		return (*seals)[b]
	}
	return seal{}
}

// SealKey is the key by which a binding's values are kept as digests, nil where they
// are kept plain.
func (s *Store) SealKey(b record.Binding) []byte { return s.sealOf(b).key }

// refusePlain refuses to keep the values of a binding plain that are digests.
func (s *Store) refusePlain(ctx context.Context, sealed []record.Binding) error {
	text := func(rows *sql.Rows) (b record.Binding, err error) {
		err = rows.Scan(&b)
		return b, err
	}
	was, err := collect(ctx, s.reader, text, `SELECT binding FROM setting WHERE name = ?1 ORDER BY binding`, sealedSetting)
	if err != nil {
		return s.explain("read settings", err)
	}
	may := map[record.Binding]bool{}
	for _, b := range sealed {
		may[b] = true
	}
	for _, b := range was {
		if !may[b] {
			return fmt.Errorf("job %s: %w: set keep_values: digest again, or begin with a new state file", b, ErrSealed)
		}
	}
	return nil
}

// key reads the key from its file. Where nothing is kept by one yet it is made, and
// noted once it is on the disk.
func (s *Store) key(ctx context.Context, file string) ([]byte, error) {
	var want string
	err := s.reader.QueryRowContext(ctx, `SELECT value FROM setting WHERE binding = '' AND name = ?1`, keySetting).Scan(&want)
	if err != nil && !isNone(err) {
		return nil, s.explain("read settings", err)
	}
	if want == "" {
		return s.beginKey(ctx, file)
	}
	key, err := readKey(file)
	if err == nil && keyMark(key) != want {
		err = fmt.Errorf("read %s: %w: put back the one that belongs to this state file", file, ErrKey)
	}
	return key, err
}

// beginKey notes the key that is in file, or makes one where there is none. Only one
// process at a time does so.
func (s *Store) beginKey(ctx context.Context, file string) (key []byte, err error) {
	err = s.write(ctx, "note key", func(ctx context.Context, tx *sql.Tx) error {
		info, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 { // a kill may leave an empty one
			err = makeKey(file)
		}
		if err != nil {
			return err
		}
		if key, err = readKey(file); err != nil {
			return err
		}
		return exec(ctx, tx, `INSERT INTO setting (name, value) VALUES (?1, ?2)
			ON CONFLICT (binding, name) DO UPDATE SET value = excluded.value`, keySetting, keyMark(key))
	})
	return key, err
}

// keyMark tells a key from another and does not give it away.
func keyMark(key []byte) string { return record.Seal(key, record.OfText(keySetting)).Text() }

func readKey(file string) ([]byte, error) {
	text, err := os.ReadFile(file) //nolint:gosec // the path is the user's own
	if err != nil {
		return nil, fmt.Errorf("read %s: %w (%w): put it back from a copy", file, ErrKey, err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != keyBytes {
		return nil, fmt.Errorf("read %s: %w: it holds no key; put it back from a copy", file, ErrKey)
	}
	return key, nil
}

// makeKey makes a key that its owner alone may read. Whenever the process is killed,
// file is whole or not there.
func makeKey(file string) error {
	key := make([]byte, keyBytes)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	part := file + partial
	f, err := openNew(part)
	if err != nil {
		return err
	}
	_, err = f.WriteString(hex.EncodeToString(key) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(part, file)
	}
	if err == nil {
		err = syncFolder(filepath.Dir(file))
	}
	return err
}

// sealEntries turns what is kept of a binding's records into digests.
func sealEntries(ctx context.Context, tx *sql.Tx, b record.Binding) error {
	if err := exec(ctx, tx, `DELETE FROM changed_by WHERE binding = ?1`, b); err != nil {
		return err
	}
	for side := range record.Sides {
		rows, err := rowsWhere(ctx, tx, `e.binding = ?1 AND e.side = ?2`, b, side)
		if err != nil {
			return err
		}
		keyed := make(map[int64]*row, len(rows))
		for _, r := range rows {
			r.digest()
			if err := save(ctx, tx, r); err != nil {
				return err
			}
			keyed[r.Num] = r
		}
		if err := saveKeys(ctx, tx, record.Place{Binding: b, Side: record.Side(side)}, keyed); err != nil {
			return err
		}
	}
	return exec(ctx, tx, `INSERT INTO setting (binding, name, value) VALUES (?1, ?2, 'digest')`, b, sealedSetting)
}

// sweep turns what has ended into digests: changes, the values of conflicts, and
// what was read of records that are in step. Then no byte of it is left in the file.
func (s *Store) sweep(ctx context.Context, b record.Binding) error {
	err := s.write(ctx, "keep digests of what ended in "+string(b), func(ctx context.Context, tx *sql.Tx) error {
		ctx = withSeal(ctx, s.sealOf(b))
		if err := sealIntents(ctx, tx, b); err != nil {
			return err
		}
		rows, err := rowsWhere(ctx, tx, `e.binding = ?1 AND e.link IS NOT NULL AND e.seen IS NOT NULL`, b)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if !r.forget() {
				continue
			}
			if err := save(ctx, tx, r); err != nil {
				return err
			}
		}
		return exec(ctx, tx, `UPDATE conflict SET left_value = '', right_value = '', base_value = '', value = ''
			WHERE binding = ?1 AND closed IS NOT NULL AND link <> 0 AND (left_value <> '' OR right_value <> '' OR value <> '')`, b)
	})
	if err != nil {
		return err
	}
	return s.truncate(ctx)
}

// forget drops of an observation what the base says as well, and reports whether
// there was any of it.
func (r *row) forget() bool {
	if r.dropSeen(); r.Seen == nil {
		return true
	}
	left := record.Fields{}
	for path, v := range r.Seen.Fields {
		if v.Observed() && !r.holds(path, v) {
			left[path] = v
		}
	}
	if len(left) == len(r.Seen.Fields) {
		return false
	}
	seen := *r.Seen
	seen.Fields, r.Seen = left, &seen
	return true
}

// truncate empties the write-ahead log. A reader may be in the way: then the next
// run's end does it.
func (s *Store) truncate(ctx context.Context) error {
	_, err := s.writer.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return s.explain("empty the log of the state", err)
}

// sealIntents turns the values of changes that have ended into digests.
func sealIntents(ctx context.Context, tx *sql.Tx, b record.Binding) error {
	var from int64
	err := tx.QueryRowContext(ctx, `SELECT CAST(value AS INTEGER) FROM setting WHERE binding = ?1 AND name = ?2`, b, sealedToSetting).Scan(&from)
	if err != nil && !isNone(err) {
		return err
	}
	ended, err := collect(ctx, tx, scanChange, `SELECT `+intentColumns+` FROM intent i
		WHERE i.ended_at >= ?2 AND i.binding = ?1`, b, from)
	if err != nil || len(ended) == 0 {
		return err
	}
	for _, c := range ended {
		if err := sealIntent(ctx, tx, c); err != nil {
			return err
		}
		from = max(from, c.EndedAt.UnixMilli())
	}
	return exec(ctx, tx, `INSERT INTO setting (binding, name, value) VALUES (?1, ?2, ?3)
		ON CONFLICT (binding, name) DO UPDATE SET value = excluded.value`, b, sealedToSetting, fmt.Sprint(from))
}

func sealIntent(ctx context.Context, tx *sql.Tx, c Change) error {
	s := sealOf(ctx)
	ch := c.Change
	what, err := encode(change{
		Op: ch.Op.String(), Ref: ch.Ref, Fields: s.fields(ch.Fields), Before: s.fields(ch.Before), Version: ch.Version, Stamp: ch.Stamp,
	})
	if err != nil {
		return err
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		f.Before, f.After, f.Loser = s.value(f.Before), s.value(f.After), s.value(f.Loser)
	}
	fields, err := encode(c.Fields)
	if err != nil {
		return err
	}
	var answer any
	if r := c.Receipt; r != nil {
		answer, err = encode(receipt{
			Ref: r.Ref, Version: r.Version, Fields: s.fields(r.Fields), Provisional: r.Provisional, Changed: momentOf(r.Changed), Created: momentOf(r.Created),
			At: momentOf(r.At), SettleUntil: momentOf(r.SettleUntil), Adopted: r.Adopted, Note: r.Note,
		})
		if err != nil {
			return err
		}
	}
	return exec(ctx, tx, `UPDATE intent SET change = ?2, fields = ?3, bases = '[null,null]', receipt = ?4 WHERE id = ?1`,
		c.ID, what, fields, answer)
}
