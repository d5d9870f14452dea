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

// Unlink takes an entry out of its link: what it holds is an observation, and nothing
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

// ForgetSent forgets that values of paths were sent and never shown: what is shown there later is
// nothing that the system made of them.
func (r *Row) ForgetSent(paths []string) {
	r.paths = slices.DeleteFunc(slices.Clone(r.paths), func(p string) bool {
		name, _ := pathOf(p)
		return slices.Contains(paths, name)
	})
	r.Sent = sentOnly(r.paths)
}

// SettleState puts an entry in step, but never forgets that its record is absent,
// or may be, or could not be read: only a read may say otherwise.
func (r *Row) SettleState() {
	if !Absent(r.State) && r.State != record.Stranger && (!r.Parked || r.State != record.Quarantined) {
		r.State, r.Why = record.InStep, ""
	}
}

// ReadAgain is why a record that was gone is only doubted from now on.
const ReadAgain = "to be read once more"

// Doubt has a record read again that is gone when it gets its link: what becomes of the
// one across asks for more proof than it takes of one that nothing was linked with.
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

// Row is an entry as it is read from its table, with what the rules ask about it
// besides.
type Row struct {
	record.Entry
	paths      []string        // those that no read has shown since they were written: see answeredPath
	earlier    []record.Fields // what it held before that, newest first, where reads may still show it
	sent       bool            // its link has an open intent
	busy       bool            // its link has that or an open conflict, or can't be touched
	Parked     bool            // it is in quarantine because a read could not make sense of it
	seal       sqlite.Seal     // how its values are kept
	StoodStill bool            // this read showed another value beside the version that vouched for it
	News       bool            // this read showed something that is neither known nor in step
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

// fill decodes what a row holds. Of one that is damaged nothing is left to decide by.
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

// Entry is what is known of a record; false if nothing is.
func (s *Store) Entry(ctx context.Context, p record.Place, ref record.Ref) (record.Entry, bool, error) {
	return sqlite.Find(ctx, s.db, "read entry", scanEntry, `SELECT `+Columns+` FROM entry e
		WHERE e.binding = ?1 AND e.side = ?2 AND e.id = ?3 AND e.kind = ?4`, p.Binding, p.Side, ref.ID, ref.Kind)
}

// EntryNum is the entry of that number; false if there is none.
func (s *Store) EntryNum(ctx context.Context, num int64) (record.Entry, bool, error) {
	return sqlite.Find(ctx, s.db, "read entry", scanEntry, `SELECT `+Columns+` FROM entry e WHERE e.num = ?1`, num)
}

// rowQuery reads entries with what the rules need to know; a WHERE is to follow.
const rowQuery = `SELECT ` + Columns + `,
	e.link IS NOT NULL AND EXISTS (SELECT 1 FROM intent i WHERE i.link = e.link AND i.state IN ` + sqlite.IntentsOpen + `),
	e.link IS NOT NULL AND (
		(SELECT l.state <> '' FROM link l WHERE l.id = e.link)
		OR EXISTS (SELECT 1 FROM question c WHERE c.link = e.link AND c.closed IS NULL)),
	EXISTS (SELECT 1 FROM quarantine q WHERE q.entry = e.num)
	FROM entry e WHERE `

// Where is the entries e that a condition chooses.
func Where(ctx context.Context, q sqlite.Querier, where string, args ...any) ([]*Row, error) {
	return sqlite.Collect(ctx, q, func(rows *sql.Rows) (*Row, error) {
		r := &Row{seal: sqlite.SealOf(ctx)}
		err := ScanRow(rows, r, &r.sent, &r.busy, &r.Parked)
		r.busy = r.busy || r.sent
		return r, err
	}, rowQuery+where, args...)
}

// ByNum is one entry of the lease's binding, in its transaction.
func ByNum(ctx context.Context, tx *sql.Tx, b record.Binding, num int64) (*Row, error) {
	r, ok, err := sqlite.First(Where(ctx, tx, `e.num = ?1 AND e.binding = ?2`, num, b))
	if err == nil && !ok {
		err = sqlite.Unknown("entry %d of job %s", num, b)
	}
	return r, err
}

// ByID is the entries of those ids, by id.
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

// NewRow is the entry of a record of which nothing is known.
func NewRow(ctx context.Context, p record.Place, ref record.Ref, since time.Time) *Row {
	return &Row{Entry: record.Entry{Place: p, Ref: ref, Since: since}, seal: sqlite.SealOf(ctx)}
}

// IsFormer reports whether what is known under the id of a record that a create made is of another
// one, which had the id before: it was gone, or was made at another time, or the create is known to
// have made a record of its own.
func (r *Row) IsFormer(i record.Intent, a record.Receipt) bool {
	born, known := r.born()
	switch {
	case r.Damaged != "":
		return false
	case r.Link == 0: // a list may have shown the new one before its answer was kept
		before := r.State == record.Gone || r.Seen != nil && r.Seen.At.Before(i.SentAt)
		return !a.Adopted && before && (a.New || r.State == record.Gone)
	case known && !a.Created.IsZero() && !sameBirth(born, a.Created):
		return true
	}
	return a.New || r.State == record.Gone && (!a.Adopted || r.Link == i.Link) // of its own link it was made to take the place
}

// Absent reports whether a state says that the record is not there, or not in
// scope, or may not be.
func Absent(st record.EntryState) bool {
	return st.Doubted() || st == record.Gone || st == record.OutOfScope
}
