package links

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"nightporter/state/internal/asked"
	"nightporter/state/internal/entries"
	"nightporter/state/internal/journal"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Join links two entries of the binding that have no link yet, and wakes the entries that wait for either record.
// Open questions about a match for either entry are closed.
func (s *Store) Join(ctx context.Context, l record.Lease, left, right int64, entity string, now time.Time) (record.LinkID, error) {
	links, err := s.JoinAll(ctx, l, []record.Joining{{Entries: [2]int64{left, right}, Entity: entity}}, now)
	if err != nil {
		return 0, err
	}
	return links[0], nil
}

// JoinAll is Join for many pairs at once: all of them are linked, or none is. Pairs that are Settled are settled
// as well, as by Adopt. It returns the links in the same order.
func (s *Store) JoinAll(ctx context.Context, l record.Lease, all []record.Joining, now time.Time) ([]record.LinkID, error) {
	links := make([]record.LinkID, 0, len(all))
	err := s.db.Lease(ctx, l, "join records", func(ctx context.Context, tx *sql.Tx) error {
		for i := range all {
			for _, id := range all[i].Ends {
				if err := journal.Fail(ctx, tx, l.Binding, id, record.Cancelled, record.EndedByLink, endedByLink, now); err != nil {
					return err
				}
			}
		}
		j, err := joinerOf(ctx, tx, l.Binding, all)
		if err != nil {
			return err
		}
		for i := range all {
			link, err := j.join(ctx, &all[i], now)
			if err != nil {
				return err
			}
			links = append(links, link)
		}
		return asked.CloseEntries(ctx, tx, j.nums, now)
	})
	return links, err
}

// endedByLink is the reason noted for a create without an answer that a link ends.
const endedByLink = "a record with its key came, and both are linked"

// joiner makes links of one binding in one transaction.
type joiner struct {
	tx      *sql.Tx
	binding record.Binding
	nums    []int64 // the numbers of all entries
	rows    map[int64]*entries.Row
	busy    map[int64]bool // entries from which a create is under way
	waits   bool           // any entry waits for a record
}

func joinerOf(ctx context.Context, tx *sql.Tx, b record.Binding, all []record.Joining) (*joiner, error) {
	nums := make([]int64, 0, 2*len(all))
	for i := range all {
		nums = append(nums, all[i].Entries[:]...)
	}
	j := &joiner{tx: tx, binding: b, nums: nums, rows: make(map[int64]*entries.Row, len(nums))}
	rows, err := entries.Where(ctx, tx, `e.num IN (SELECT value FROM json_each(?1)) AND e.binding = ?2`, sqlite.JSON(nums), b)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		j.rows[r.Num] = r
	}
	if j.busy, err = createsOf(ctx, tx, nums); err != nil {
		return nil, err
	}
	return j, tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM wait)`).Scan(&j.waits)
}

// OpenCreates chooses, of some entries (their numbers as JSON), those from which a create is open.
const OpenCreates = `SELECT source FROM intent WHERE source IN (SELECT value FROM json_each(?1)) AND link IS NULL
	AND source IS NOT NULL AND state IN ` + sqlite.IntentsOpen

// createsOf returns which of some entries, by their numbers, have a create under way.
func createsOf(ctx context.Context, tx *sql.Tx, nums []int64) (map[int64]bool, error) {
	found, err := sqlite.Collect(ctx, tx, sqlite.Number, OpenCreates, sqlite.JSON(nums))
	busy := make(map[int64]bool, len(found))
	for _, num := range found {
		busy[num] = true
	}
	return busy, err
}

// join makes one link. ErrLinked says that an entry has a link already, ErrOpen that a create from it is open.
func (j *joiner) join(ctx context.Context, x *record.Joining, now time.Time) (record.LinkID, error) {
	var pair [2]*entries.Row
	for side, num := range x.Entries {
		r := j.rows[num]
		switch {
		case r == nil:
			return 0, sqlite.Unknown("entry %d of job %s", num, j.binding)
		case int(r.Place.Side) != side:
			return 0, fmt.Errorf("record %s is of the %s side", r.Ref, r.Place.Side)
		case r.Link != 0:
			return 0, fmt.Errorf("record %s: %w", r.Ref, sqlite.ErrLinked)
		case j.busy[num]:
			return 0, fmt.Errorf("record %s: %w", r.Ref, sqlite.ErrOpen)
		}
		pair[side] = r
	}
	link, err := insertLink(ctx, j.tx, j.binding, x.Entity, now)
	if err != nil {
		return 0, err
	}
	for side, r := range pair {
		r.Link, r.Dirty = link, !x.Settled
		r.Unlist()
		r.SettleState()
		r.Doubt()
		if x.Settled {
			r.Take(x.Bases[side])
		}
	}
	return link, j.store(ctx, pair, x.Settled)
}

// store saves a pair that was just linked. It wakes what waits for either record before it saves them: if one of
// them waits for the other, what is saved must stand.
func (j *joiner) store(ctx context.Context, pair [2]*entries.Row, settled bool) error {
	for _, r := range pair {
		if !j.waits {
			break
		}
		if err := wake(ctx, j.tx, r.Place, r.Ref); err != nil {
			return err
		}
		if settled {
			if err := dropWaits(ctx, j.tx, r.Num); err != nil {
				return err
			}
			if err := dropMeant(ctx, j.tx, r.Num); err != nil {
				return err
			}
		}
	}
	for _, r := range pair {
		if err := entries.Save(ctx, j.tx, r); err != nil {
			return err
		}
	}
	return nil
}
