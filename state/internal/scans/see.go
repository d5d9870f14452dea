package scans

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"nightporter/state/internal/entries"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// dropTombstone forgets that a record was gone, unless something was done because of that: then a person is asked
// what its return means.
func dropTombstone(ctx context.Context, tx *sql.Tx, entry int64) error {
	return sqlite.Exec(ctx, tx, `DELETE FROM tombstone WHERE entry = ?1 AND done IN ('', 'held', 'ignored')`, entry)
}

// Witnessed returns what a place was last seen to be, by trait: its account, for example.
func (s *Store) Witnessed(ctx context.Context, p record.Place) (map[string]record.Witness, error) {
	list, err := sqlite.Collect(ctx, s.db.Reader, func(rows *sql.Rows) (w record.Witness, err error) {
		err = rows.Scan(&w.Name, &w.Value, sqlite.AsTime(&w.At))
		return w, err
	}, `SELECT name, value, at FROM witnessed WHERE binding = ?1 AND side = ?2`, p.Binding, p.Side)
	out := make(map[string]record.Witness, len(list))
	for _, w := range list {
		out[w.Name] = w
	}
	return out, s.db.Explain("read what a side was seen to be", err)
}

// Witness keeps a trait that a side of the lease's binding is seen to have.
func (s *Store) Witness(ctx context.Context, l record.Lease, side record.Side, name, value string, now time.Time) error {
	return s.db.Lease(ctx, l, "note what a side is", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.Exec(ctx, tx, `INSERT INTO witnessed (binding, side, name, value, at) VALUES (?1, ?2, ?3, ?4, ?5)
			ON CONFLICT (binding, side, name) DO UPDATE SET value = excluded.value, at = excluded.at`,
			l.Binding, side, name, value, now.UnixMilli())
	})
}

// lastWritten returns when our last write to a linked record changed it, by its system's clock; zero if the answer
// did not say.
func lastWritten(ctx context.Context, tx *sql.Tx, r *entries.Row) (time.Time, error) {
	at, _, err := sqlite.First(sqlite.Collect(ctx, tx, func(rows *sql.Rows) (at sqlite.Moment, err error) {
		err = rows.Scan(&at)
		return at, err
	}, `SELECT coalesce(CASE WHEN json_valid(receipt) THEN receipt ->> '$.changed' END, 0) FROM intent WHERE link = ?1 AND side = ?2 AND state = `+sqlite.IntentSettled+`
		ORDER BY ended_at DESC, id DESC LIMIT 1`, r.Link, r.Place.Side))
	return at.Time(), err
}

// See stores what reads by id, finds and receipts showed. It goes by the same rules as a page of a scan, but never
// remembers the bytes of a listing.
func (s *Store) See(ctx context.Context, l record.Lease, p record.Place, mapping string, items []record.Seen) error {
	return s.db.Lease(ctx, l, "see records", func(ctx context.Context, tx *sql.Tx) error {
		_, err := seeItems(ctx, tx, l, p, mapping, false, items)
		return err
	})
}

// seeItems stores items, and returns the numbers of their entries; twice if an entry came twice.
func seeItems(ctx context.Context, tx *sql.Tx, l record.Lease, p record.Place, mapping string, listing bool, items []record.Seen) ([]int64, error) {
	if len(items) == 0 {
		return nil, nil
	}
	if err := checkKinds(ctx, tx, l, p, items); err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(items))
	for i := range items {
		if sqlite.Usable(items[i].Ref.ID) {
			ids = append(ids, items[i].Ref.ID)
		}
	}
	rows, err := entries.ByID(ctx, tx, p, ids)
	if err != nil {
		return nil, err
	}
	nums := make([]int64, 0, len(items))
	keyed, polled, belied := map[int64]*entries.Row{}, polling{}, false
	for i := range items {
		r := rows[items[i].Ref.ID]
		belied = belied || r != nil && r.State == record.Suspect
		num, err := seeItem(ctx, tx, p, rows, keyed, entries.Sight{Seen: items[i], Mapping: mapping, Listing: listing})
		if err != nil {
			return nil, fmt.Errorf("record %s: %w", items[i].Ref, err)
		}
		if listing {
			polled.note(rows[items[i].Ref.ID])
		}
		if num != 0 {
			nums = append(nums, num)
		}
	}
	if belied {
		if err := contradict(ctx, tx, p); err != nil {
			return nil, err
		}
	}
	if err := polled.count(ctx, tx, p); err != nil {
		return nil, err
	}
	return nums, entries.SaveKeys(ctx, tx, p, keyed)
}

// checkKinds refuses a place of another binding than the lease is for, and records of another kind than the place
// holds. Such a mistake of the caller would mix up records.
func checkKinds(ctx context.Context, tx *sql.Tx, l record.Lease, p record.Place, items []record.Seen) error {
	if p.Binding != l.Binding {
		return fmt.Errorf("place is of job %s, the lease of job %s", p.Binding, l.Binding)
	}
	var kinds [2]record.Kind
	err := tx.QueryRowContext(ctx, `SELECT left_kind, right_kind FROM binding WHERE binding = ?1`, p.Binding).Scan(&kinds[0], &kinds[1])
	if err != nil {
		return err
	}
	for i := range items {
		if ref := items[i].Ref; ref.ID != "" && ref.Kind != kinds[p.Side] {
			return fmt.Errorf("record %s: the %s side of job %s holds %s", ref, p.Side, p.Binding, kinds[p.Side])
		}
	}
	return nil
}

// seeItem stores one item and returns the number of its entry, 0 if it has none. An
// entry whose match keys were replaced is added to keyed.
func seeItem(ctx context.Context, tx *sql.Tx, p record.Place, rows map[string]*entries.Row, keyed map[int64]*entries.Row, g entries.Sight) (int64, error) {
	item := g.Seen
	if !sqlite.Usable(item.Ref.ID) {
		return 0, quarantineNameless(ctx, tx, p, item)
	}
	r := rows[item.Ref.ID]
	if r == nil {
		r = entries.NewRow(ctx, p, item.Ref, entries.Latest(item.Observation.At, item.Came))
		rows[item.Ref.ID] = r
	}
	if r.Damaged != "" && r.Link == 0 {
		r.Begin()
	}
	switch {
	case r.Damaged != "":
		return quarantineRow(ctx, tx, r, r.Damaged, item.Observation.At)
	case item.Problem != "":
		r.State, r.Why, r.Parked = record.Quarantined, item.Problem, true
		return quarantineRow(ctx, tx, r, item.Problem, item.Observation.At)
	}
	return seeRow(ctx, tx, r, keyed, g)
}

// seeRow stores what a read showed of an entry, and returns the number of the entry.
func seeRow(ctx context.Context, tx *sql.Tx, r *entries.Row, keyed map[int64]*entries.Row, g entries.Sight) (num int64, err error) {
	o := g.Seen.Observation
	if r.MayBeOlder(o) {
		if g.Written, err = lastWritten(ctx, tx, r); err != nil {
			return 0, err
		}
	}
	gone := r.State == record.Gone
	r.StoodStill = false
	keys := r.Observe(g)
	if r.StoodStill {
		if err := noteStill(ctx, tx, r.Place, g.Mapping, o.At); err != nil {
			return 0, err
		}
	}
	if err := entries.Save(ctx, tx, r); err != nil {
		return 0, err
	}
	if err := keepChangedBy(ctx, tx, r, o); err != nil {
		return 0, err
	}
	if gone && r.State != record.Gone {
		if err := dropTombstone(ctx, tx, r.Num); err != nil {
			return 0, err
		}
	}
	if keys {
		keyed[r.Num] = r
	}
	if r.Parked && r.State != record.Quarantined {
		return r.Num, r.Unpark(ctx, tx)
	}
	return r.Num, nil
}

// quarantineRow saves an entry that can't be read as it is, and notes why. It returns the number of the entry.
func quarantineRow(ctx context.Context, tx *sql.Tx, r *entries.Row, problem string, at time.Time) (int64, error) {
	r.Unlist()
	if err := entries.Save(ctx, tx, r); err != nil {
		return 0, err
	}
	return r.Num, quarantine(ctx, tx, r.Place, "id:"+r.Ref.ID, r.Num, problem, at)
}

// quarantineNameless notes an item without an id that can be used. Its name in quarantine is a digest of the item.
func quarantineNameless(ctx context.Context, tx *sql.Tx, p record.Place, item record.Seen) error {
	d, problem := item.Listed, item.Problem
	if d == "" {
		d = record.DigestOf(item.Problem, []byte(item.Observation.Fields.Digest()))
	}
	if problem == "" {
		problem = "the record has no id that could be used"
	}
	return quarantine(ctx, tx, p, "digest:"+d.String(), 0, problem, item.Observation.At)
}

func quarantine(ctx context.Context, tx *sql.Tx, p record.Place, name string, num int64, problem string, at time.Time) error {
	return sqlite.Exec(ctx, tx, `INSERT INTO quarantine (binding, side, name, entry, problem, since, at)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
		ON CONFLICT (binding, side, name) DO UPDATE SET problem = excluded.problem, at = excluded.at, entry = excluded.entry`,
		p.Binding, p.Side, name, sqlite.OrNull(num), problem, at.UnixMilli())
}

// noteStill notes that versions of a place vouch for nothing, as long as it is read by this mapping: a record
// showed a new value, but the version that vouched for the old one.
func noteStill(ctx context.Context, tx *sql.Tx, p record.Place, mapping string, at time.Time) error {
	return sqlite.Exec(ctx, tx, `INSERT INTO witnessed (binding, side, name, value, at) VALUES (?1, ?2, ?3, ?4, ?5)
		ON CONFLICT (binding, side, name) DO UPDATE SET value = excluded.value, at = excluded.at`,
		p.Binding, p.Side, record.VersionStands, mapping, at.UnixMilli())
}
