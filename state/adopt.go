package state

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"

	"nightporter/sync/record"
)

// AdoptOnly reports whether the state was put back to an older copy, and when, and
// the binding's sides were not compared whole since: what was created in between is
// on both sides and unknown here. Until then nothing is created for the binding.
func (s *Store) AdoptOnly(ctx context.Context, b record.Binding) (time.Time, bool, error) {
	var since sql.NullInt64
	err := s.reader.QueryRowContext(ctx, `SELECT since FROM adopt_only a WHERE a.binding = ''
		AND NOT EXISTS (SELECT 1 FROM adopt_only p WHERE p.binding = ?1 AND p.since >= a.since)`, b).Scan(&since)
	if isNone(err) {
		return time.Time{}, false, nil
	}
	return instant(since), since.Valid, s.explain("read restore", err)
}

// ClearAdoptOnly says that both sides of the lease's binding were compared whole
// since the state was put back. Links of which both records were shown to be as they were
// settled are in doubt no more.
func (s *Store) ClearAdoptOnly(ctx context.Context, l record.Lease, now time.Time) error {
	return s.lease(ctx, l, "end adopt-only", func(ctx context.Context, tx *sql.Tx) error {
		err := exec(ctx, tx, `UPDATE link SET doubted = 0 WHERE binding = ?1 AND doubted = 1
			AND NOT EXISTS (SELECT 1 FROM entry e WHERE e.link = link.id AND (e.seen IS NOT NULL OR e.state <> ''))`, l.Binding)
		if err != nil {
			return err
		}
		err = exec(ctx, tx, `INSERT INTO setting (binding, name, value) VALUES (?1, ?2, ?3)
			ON CONFLICT (binding, name) DO UPDATE SET value = excluded.value`, l.Binding, comparedSetting, now.UnixMilli())
		if err != nil {
			return err
		}
		return exec(ctx, tx, `INSERT INTO adopt_only (binding, since) SELECT ?1, since FROM adopt_only WHERE binding = ''
			ON CONFLICT (binding) DO UPDATE SET since = excluded.since`, l.Binding)
	})
}

// comparedSetting names the setting that says when a binding's sides had been compared since the
// state was put back.
const comparedSetting = "compared"

// PutBack is when the state was put back last, and when the sides of a binding had been compared
// after that; from is zero where it never was, until where they were not yet.
func (s *Store) PutBack(ctx context.Context, b record.Binding) (from, until time.Time, err error) {
	var since, compared sql.NullInt64
	err = s.reader.QueryRowContext(ctx, `SELECT a.since, (SELECT CAST(value AS INTEGER) FROM setting WHERE binding = ?1 AND name = ?2
		AND EXISTS (SELECT 1 FROM adopt_only p WHERE p.binding = ?1 AND p.since >= a.since))
		FROM adopt_only a WHERE a.binding = ''`, b, comparedSetting).Scan(&since, &compared)
	if isNone(err) {
		return time.Time{}, time.Time{}, nil
	}
	return instant(since), instant(compared), s.explain("read restore", err)
}

// adoptOnly makes every binding adopt-only, those of jobs to come included. The moment
// is always a later one: what was compared before counts no more, whatever the clock. What
// persons answered may have been carried out since: all of it is asked again.
func adoptOnly(ctx context.Context, tx *sql.Tx, since time.Time) error {
	err := exec(ctx, tx, `INSERT INTO adopt_only (binding, since) VALUES ('', ?1)
		ON CONFLICT (binding) DO UPDATE SET since = max(since + 1, excluded.since)`, since.UnixMilli())
	if err != nil {
		return err
	}
	for _, query := range []string{
		`UPDATE link SET doubted = 1`,
		`UPDATE conflict SET choice = '', value = '', chosen = NULL WHERE closed IS NULL AND choice <> ''`,
		`UPDATE halt SET answer = '', who = '' WHERE ended IS NULL AND answer <> ''`,
		`DELETE FROM setting WHERE name >= 'claim:' AND name < 'claim;'`,
		// A no may have been put back, and done again: that is asked about, however little it is.
		`UPDATE staged SET state = '` + record.StagedBack + `' WHERE state = '' AND stage IN (
			SELECT digest FROM stage WHERE ended IS NULL AND decision = '` + string(record.Refusal) + `')`,
		`UPDATE stage SET decision = '', who = '', decided = NULL WHERE ended IS NULL AND decision = '` + string(record.Approved) + `'`,
	} {
		if err := exec(ctx, tx, query); err != nil {
			return err
		}
	}
	return nil
}

// forgetSent forgets that values of paths were sent and never shown: what is shown there later is
// nothing that the system made of them.
func (r *row) forgetSent(paths []string) {
	r.paths = slices.DeleteFunc(slices.Clone(r.paths), func(p string) bool {
		name, _ := pathOf(p)
		return slices.Contains(paths, name)
	})
	r.Sent = sentOnly(r.paths)
}

// Distrust takes paths out of the bases of a link, so that what is there is decided as
// where two records meet for the first time. over says that the link is in doubt no more.
func (s *Store) Distrust(ctx context.Context, l record.Lease, link record.LinkID, paths [2][]string, over bool) error {
	return s.lease(ctx, l, "distrust what a link was settled on", func(ctx context.Context, tx *sql.Tx) error {
		pair, err := linkRows(ctx, tx, l.Binding, link)
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
			r.forgetSent(paths[side])
			r.unlist()
			if err := save(ctx, tx, r); err != nil {
				return err
			}
		}
		if !over {
			return nil
		}
		return exec(ctx, tx, `UPDATE link SET doubted = 0 WHERE id = ?1`, link)
	})
}
