package entries

import (
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Unlink takes an entry out of its link. What the record is known to hold becomes an observation, as if nothing
// was ever settled.
func (r *Row) Unlink() {
	last := r.Last()
	if r.Seen == nil && r.Base != nil {
		r.Seen = &record.Observation{At: r.Since, View: "base", Version: r.BaseVersion}
	}
	if r.Seen != nil {
		r.Seen.Fields = last
	}
	r.Link, r.Base, r.BaseVersion, r.Sent, r.paths, r.Pre = 0, nil, "", nil, nil, nil
	r.Revision = record.Revision{}
	r.Unlist()
}

// ForgetSent forgets that values were sent to these paths and never shown. What a read shows there later is then
// not taken for what the system made of them.
func (r *Row) ForgetSent(paths []string) {
	r.paths = slices.DeleteFunc(slices.Clone(r.paths), func(p string) bool {
		name, _ := pathOf(p)
		return slices.Contains(paths, name)
	})
	r.Sent = sentOnly(r.paths)
}

// SettleState puts an entry in step, unless its record is or may be absent, is another record, or could not be
// read: only a read may change that.
func (r *Row) SettleState() {
	if !Absent(r.State) && r.State != record.Stranger && (!r.Parked || r.State != record.Quarantined) {
		r.State, r.Why = record.InStep, ""
	}
}

// ReadAgain is the reason shown for a record that was gone and is only a suspect from now on.
const ReadAgain = "to be read once more"

// Doubt makes a record that is gone a suspect when it gets its link, so that it is read again. For a record
// without a link less proof was enough: now a decision about the record across rests on it.
func (r *Row) Doubt() {
	if r.State == record.Gone {
		r.State, r.Why = record.Suspect, ReadAgain
	}
}

// Take makes values part of the base and drops an observation that then says
// nothing new. nil takes nothing.
func (r *Row) Take(values record.Fields) {
	if values != nil {
		r.reviseTaken(values)
		base := maps.Clone(r.Base)
		if base == nil {
			base = make(record.Base, len(values))
		}
		for path, v := range values {
			if v.Observed() {
				base[path] = r.seal.Keep(path, v)
			}
		}
		r.Base = base
		if r.Seen != nil {
			seen := *r.Seen
			seen.Untaken = without(seen.Untaken, values)
			r.Seen, r.BaseVersion = &seen, r.Seen.Version
		}
	}
	r.dropSeen()
}

func (r *Row) dropSeen() {
	if r.Seen != nil && r.Base != nil && r.agrees(r.Seen.Fields) {
		r.BaseVersion = r.Seen.Version
		r.Seen = nil
		if r.Witness == record.SaidWitness {
			r.Witness = ""
		}
	}
}

// Row is an entry as it is read from its table, with what else the rules need to know.
type Row struct {
	record.Entry
	paths      []string        // written paths that no read has shown since, kept as answeredPath says
	earlier    []record.Fields // what the record held before Pre, newest first, as long as reads may show it
	sent       bool            // its link has an open intent
	busy       bool            // its link has an open intent or question, or is not simply in step
	Parked     bool            // it is in quarantine because a read could not make sense of it
	seal       sqlite.Seal     // how its values are kept
	StoodStill bool            // this read showed a new value, but the version that vouched for the old one
	News       bool            // this read showed something new that the base does not hold
}

// Columns are the columns of an entry e, as ScanRow reads them.
const Columns = `e.num, e.binding, e.side, e.kind, e.id, e.link, e.base, e.base_version, e.seen, e.listed,
	e.mapping, e.pre, e.acked, e.settle_until, e.provisional, e.state, e.why, e.recheck, e.since, e.keys, e.dirty, e.witness, e.unfinished,
	e.vouching, e.cause`

// entryTexts holds the columns that need decoding.
type entryTexts struct {
	base, seen, pre, paths, keys   sql.NullString
	unfinished, vouching           sql.NullString
	link, acked, settle, re, since sql.NullInt64
	listed                         []byte
}

func (r *Row) targets(t *entryTexts) []any {
	return []any{
		&r.Num, &r.Place.Binding, &r.Place.Side, &r.Ref.Kind, &r.Ref.ID, &t.link, &t.base, &r.BaseVersion, &t.seen,
		&t.listed, &r.Mapping, &t.pre, &t.acked, &t.settle, &t.paths, &r.State, &r.Why, &t.re, &t.since, &t.keys, &r.Dirty, &r.Witness,
		&t.unfinished, &t.vouching, &r.Cause,
	}
}

// fill decodes the columns of a row. If any of them is damaged, no decoded value is left to decide by.
func (r *Row) fill(t *entryTexts) {
	r.Link = record.LinkID(t.link.Int64)
	r.Listed = record.Digest(t.listed)
	r.Acked, r.SettleUntil, r.Recheck, r.Since = sqlite.Instant(t.acked), sqlite.Instant(t.settle), sqlite.Instant(t.re), sqlite.Instant(t.since)
	if err := r.fillTexts(t); err != nil {
		r.damaged()
	}
}

func (r *Row) fillTexts(t *entryTexts) error {
	for _, c := range []struct {
		text sql.NullString
		into any
	}{{t.base, &r.Base}, {t.paths, &r.paths}, {t.keys, &r.Keys}} {
		if c.text.Valid {
			if err := sqlite.Decode(c.text.String, c.into); err != nil {
				return err
			}
		}
	}
	r.Sent = sentOnly(r.paths)
	if t.unfinished.Valid {
		var err error
		if r.Unfinished, err = decodeUnfinished(t.unfinished.String); err != nil {
			return err
		}
	}
	if t.vouching.Valid {
		var err error
		if r.Vouching, r.Revision, err = decodeVouching(t.vouching.String); err != nil {
			return err
		}
	}
	if t.pre.Valid {
		if err := r.fillPre(t.pre.String); err != nil {
			return err
		}
	}
	if t.seen.Valid {
		var err error
		r.Seen, err = decodeSeen(t.seen.String)
		return err
	}
	return nil
}

// ScanRow reads Columns and then the columns for extra.
func ScanRow(rows *sql.Rows, r *Row, extra ...any) error {
	var t entryTexts
	if err := rows.Scan(append(r.targets(&t), extra...)...); err != nil {
		return err
	}
	r.fill(&t)
	return nil
}

func scanEntry(rows *sql.Rows) (record.Entry, error) {
	var r Row
	err := ScanRow(rows, &r)
	return r.Entry, err
}

// Entry returns what is known of a record; false if nothing is.
func (s *Store) Entry(ctx context.Context, p record.Place, ref record.Ref) (record.Entry, bool, error) {
	return sqlite.Find(ctx, s.db, "read entry", scanEntry, `SELECT `+Columns+` FROM entry e
		WHERE e.binding = ?1 AND e.side = ?2 AND e.id = ?3 AND e.kind = ?4`, p.Binding, p.Side, ref.ID, ref.Kind)
}

// EntryNum returns the entry with this number; false if there is none.
func (s *Store) EntryNum(ctx context.Context, num int64) (record.Entry, bool, error) {
	return sqlite.Find(ctx, s.db, "read entry", scanEntry, `SELECT `+Columns+` FROM entry e WHERE e.num = ?1`, num)
}

// rowQuery reads entries with what else the rules need to know. A condition must follow it.
const rowQuery = `SELECT ` + Columns + `,
	e.link IS NOT NULL AND EXISTS (SELECT 1 FROM intent i WHERE i.link = e.link AND i.state IN ` + sqlite.IntentsOpen + `),
	e.link IS NOT NULL AND (
		(SELECT l.state <> '' FROM link l WHERE l.id = e.link)
		OR EXISTS (SELECT 1 FROM question c WHERE c.link = e.link AND c.closed IS NULL)),
	EXISTS (SELECT 1 FROM quarantine q WHERE q.entry = e.num)
	FROM entry e WHERE `

// Where returns the entries e that meet a condition.
func Where(ctx context.Context, q sqlite.Querier, where string, args ...any) ([]*Row, error) {
	return sqlite.Collect(ctx, q, func(rows *sql.Rows) (*Row, error) {
		r := &Row{seal: sqlite.SealOf(ctx)}
		err := ScanRow(rows, r, &r.sent, &r.busy, &r.Parked)
		r.busy = r.busy || r.sent
		return r, err
	}, rowQuery+where, args...)
}

// ByNum returns one entry of the lease's binding, in its transaction; ErrUnknown if there is none.
func ByNum(ctx context.Context, tx *sql.Tx, b record.Binding, num int64) (*Row, error) {
	r, ok, err := sqlite.First(Where(ctx, tx, `e.num = ?1 AND e.binding = ?2`, num, b))
	if err == nil && !ok {
		err = sqlite.Unknown("entry %d of job %s", num, b)
	}
	return r, err
}

// ByID returns the entries of a place with these ids, by id.
func ByID(ctx context.Context, q sqlite.Querier, p record.Place, ids []string) (map[string]*Row, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := Where(ctx, q, `e.binding = ?1 AND e.side = ?2 AND e.id IN (SELECT value FROM json_each(?3))`,
		p.Binding, p.Side, string(list))
	if err != nil {
		return nil, err
	}
	out := make(map[string]*Row, len(rows))
	for _, r := range rows {
		out[r.Ref.ID] = r
	}
	return out, nil
}

// NewRow returns an entry for a record of which nothing is known yet.
func NewRow(ctx context.Context, p record.Place, ref record.Ref, since time.Time) *Row {
	return &Row{Entry: record.Entry{Place: p, Ref: ref, Since: since}, seal: sqlite.SealOf(ctx)}
}

// IsFormer reports whether the entry belongs to a former record with the id of the record that our create made. It
// does if the former record was gone, or was made at another time, or if the create is known to have made a new
// record.
func (r *Row) IsFormer(i record.Intent, a record.Receipt) bool {
	born, known := r.born()
	switch {
	case r.Damaged != "":
		return false
	case r.Link == 0: // a list may have shown the new record before the answer was kept
		before := r.State == record.Gone || r.Seen != nil && r.Seen.At.Before(i.SentAt)
		return !a.Adopted && before && (a.New || r.State == record.Gone)
	case known && !a.Created.IsZero() && !record.SameBirth(born, a.Created):
		return true
	}
	return a.New || r.State == record.Gone && (!a.Adopted || r.Link == i.Link) // on its own link, the create was to replace the record that is gone
}

// Absent reports whether a state says that the record is not there, may not be there, or is not in scope.
func Absent(st record.EntryState) bool {
	return st.Doubted() || st == record.Gone || st == record.OutOfScope
}
