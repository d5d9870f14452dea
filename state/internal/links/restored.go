package links

import (
	"context"
	"database/sql"
	"maps"
	"time"

	"nightporter/state/internal/entries"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// AdoptOnly reports whether the state was put back to an older copy, and when, if the binding's sides were not
// compared as a whole since. Records that were created in between are on both sides and unknown here. So nothing
// is created for the binding until its sides were compared.
func (s *Store) AdoptOnly(ctx context.Context, b record.Binding) (time.Time, bool, error) {
	var since sql.NullInt64
	err := s.db.Reader.QueryRowContext(ctx, `SELECT since FROM adopt_only a WHERE a.binding = ''
		AND NOT EXISTS (SELECT 1 FROM adopt_only p WHERE p.binding = ?1 AND p.since >= a.since)`, b).Scan(&since)
	if sqlite.IsNone(err) {
		return time.Time{}, false, nil
	}
	return sqlite.Instant(since), since.Valid, s.db.Explain("read restore", err)
}

// ClearAdoptOnly notes that both sides of the lease's binding were compared as a whole since the state was put
// back. A link is not in doubt any more if both its records were shown as they were settled.
func (s *Store) ClearAdoptOnly(ctx context.Context, l record.Lease, now time.Time) error {
	return s.db.Lease(ctx, l, "end adopt-only", func(ctx context.Context, tx *sql.Tx) error {
		err := sqlite.Exec(ctx, tx, `UPDATE link SET doubted = 0 WHERE binding = ?1 AND doubted = 1
			AND NOT EXISTS (SELECT 1 FROM entry e WHERE e.link = link.id AND (e.seen IS NOT NULL OR e.state <> ''))`, l.Binding)
		if err != nil {
			return err
		}
		err = sqlite.PutSetting(ctx, tx, l.Binding, comparedSetting, now.UnixMilli())
		if err != nil {
			return err
		}
		return sqlite.Exec(ctx, tx, `INSERT INTO adopt_only (binding, since) SELECT ?1, since FROM adopt_only WHERE binding = ''
			ON CONFLICT (binding) DO UPDATE SET since = excluded.since`, l.Binding)
	})
}

// comparedSetting names the setting that says when a binding's sides had been compared since the
// state was put back.
const comparedSetting = "compared"

// PutBack returns when the state was last put back to an older copy (from), and when the sides of a binding had
// been compared after that (until). from is zero if it never was; until is zero if they were not compared yet.
func (s *Store) PutBack(ctx context.Context, b record.Binding) (from, until time.Time, err error) {
	var since, compared sql.NullInt64
	err = s.db.Reader.QueryRowContext(ctx, `SELECT a.since, (SELECT CAST(value AS INTEGER) FROM setting WHERE binding = ?1 AND name = ?2
		AND EXISTS (SELECT 1 FROM adopt_only p WHERE p.binding = ?1 AND p.since >= a.since))
		FROM adopt_only a WHERE a.binding = ''`, b, comparedSetting).Scan(&since, &compared)
	if sqlite.IsNone(err) {
		return time.Time{}, time.Time{}, nil
	}
	return sqlite.Instant(since), sqlite.Instant(compared), s.db.Explain("read restore", err)
}

// Distrust takes paths out of the bases of a link: what stands there is decided as if two records met for the
// first time. over says that the link is not in doubt any more.
func (s *Store) Distrust(ctx context.Context, l record.Lease, link record.LinkID, paths [2][]string, over bool) error {
	return s.db.Lease(ctx, l, "distrust what a link was settled on", func(ctx context.Context, tx *sql.Tx) error {
		pair, err := entries.OfLink(ctx, tx, l.Binding, link)
		if err != nil {
			return err
		}
		for side, r := range pair {
			if len(paths[side]) == 0 {
				continue
			}
			base := maps.Clone(r.Base)
			for _, path := range paths[side] {
				delete(base, path)
			}
			r.Base = base
			r.ForgetSent(paths[side])
			r.Unlist()
			if err := entries.Save(ctx, tx, r); err != nil {
				return err
			}
		}
		if !over {
			return nil
		}
		return sqlite.Exec(ctx, tx, `UPDATE link SET doubted = 0 WHERE id = ?1`, link)
	})
}
