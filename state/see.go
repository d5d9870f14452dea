package state

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"nightporter/sync/record"
)

// See stores what reads by id, finds and receipts showed, by the same rules as a
// page of a scan, but never marks an entry's listing as known.
func (s *Store) See(ctx context.Context, l record.Lease, p record.Place, mapping string, items []record.Seen) error {
	return s.lease(ctx, l, "see records", func(ctx context.Context, tx *sql.Tx) error {
		_, err := seeItems(ctx, tx, l, p, mapping, false, items)
		return err
	})
}

// seeItems stores items and returns the numbers of their entries, an entry that
// came twice twice.
func seeItems(ctx context.Context, tx *sql.Tx, l record.Lease, p record.Place, mapping string, listing bool, items []record.Seen) ([]int64, error) {
	if len(items) == 0 {
		return nil, nil
	}
	if err := checkKinds(ctx, tx, l, p, items); err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(items))
	for i := range items {
		if usable(items[i].Ref.ID) {
			ids = append(ids, items[i].Ref.ID)
		}
	}
	rows, err := rowsOfPlace(ctx, tx, p, ids)
	if err != nil {
		return nil, err
	}
	nums := make([]int64, 0, len(items))
	keyed, polled, belied := map[int64]*row{}, polling{}, false
	for i := range items {
		r := rows[items[i].Ref.ID]
		belied = belied || r != nil && r.State == record.Suspect
		num, err := seeItem(ctx, tx, p, rows, keyed, sight{seen: items[i], mapping: mapping, listing: listing})
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
	return nums, saveKeys(ctx, tx, p, keyed)
}

// checkKinds refuses another binding's place and records of another kind than the
// place's: a mix-up of the caller's that would mix up records.
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

// usable reports whether an id can name a record here and in a request.
func usable(id string) bool {
	return id != "" && utf8.ValidString(id) && !strings.ContainsRune(id, 0)
}

// seeItem stores one item and returns the number of its entry, 0 if it has none. An
// entry whose match keys were replaced is added to keyed.
func seeItem(ctx context.Context, tx *sql.Tx, p record.Place, rows map[string]*row, keyed map[int64]*row, g sight) (int64, error) {
	item := g.seen
	if !usable(item.Ref.ID) {
		return 0, quarantineNameless(ctx, tx, p, item)
	}
	r := rows[item.Ref.ID]
	if r == nil {
		r = newRow(ctx, p, item.Ref, latest(item.Observation.At, item.Came))
		rows[item.Ref.ID] = r
	}
	if r.Damaged != "" && r.Link == 0 {
		r.begin()
	}
	switch {
	case r.Damaged != "":
		return quarantineRow(ctx, tx, r, r.Damaged, item.Observation.At)
	case item.Problem != "":
		r.State, r.Why, r.parked = record.Quarantined, item.Problem, true
		return quarantineRow(ctx, tx, r, item.Problem, item.Observation.At)
	}
	return seeRow(ctx, tx, r, keyed, g)
}

// seeRow stores what a read showed of an entry, and returns the number of the entry.
func seeRow(ctx context.Context, tx *sql.Tx, r *row, keyed map[int64]*row, g sight) (num int64, err error) {
	o := g.seen.Observation
	if r.mayBeOlder(o) {
		if g.written, err = lastWritten(ctx, tx, r); err != nil {
			return 0, err
		}
	}
	gone := r.State == record.Gone
	r.still = false
	keys := r.observe(g)
	if r.still {
		if err := noteStill(ctx, tx, r.Place, g.mapping, o.At); err != nil {
			return 0, err
		}
	}
	if err := save(ctx, tx, r); err != nil {
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
	if r.parked && r.State != record.Quarantined {
		return r.Num, r.unpark(ctx, tx)
	}
	return r.Num, nil
}

// quarantineRow saves an entry of which a read could not make sense, and notes why. It returns the
// number of the entry.
func quarantineRow(ctx context.Context, tx *sql.Tx, r *row, problem string, at time.Time) (int64, error) {
	r.unlist()
	if err := save(ctx, tx, r); err != nil {
		return 0, err
	}
	return r.Num, quarantine(ctx, tx, r.Place, "id:"+r.Ref.ID, r.Num, problem, at)
}

// unpark takes a record out of quarantine: it could be read, or there is nothing to read
// any more.
func (r *row) unpark(ctx context.Context, tx *sql.Tx) error {
	if !r.parked {
		return nil
	}
	r.parked = false
	return exec(ctx, tx, `DELETE FROM quarantine WHERE entry = ?1`, r.Num)
}

// quarantineNameless notes an item without an id that could be used. Its name in quarantine is a
// digest of it.
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
	return exec(ctx, tx, `INSERT INTO quarantine (binding, side, name, entry, problem, since, at)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
		ON CONFLICT (binding, side, name) DO UPDATE SET problem = excluded.problem, at = excluded.at, entry = excluded.entry`,
		p.Binding, p.Side, name, orNull(num), problem, at.UnixMilli())
}
