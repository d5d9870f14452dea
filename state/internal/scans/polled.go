package scans

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"nightporter/state/internal/entries"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// polledSetting begins the names of the settings that count what lists showed before any webhook told of it. There
// is one for each side of a binding with a system that calls us.
const polledSetting = "polled:"

// polled is a record.PolledFirst as it is kept.
type polled struct {
	Count int64         `json:"count"`
	Last  sqlite.Moment `json:"last,omitempty"`
	Since sqlite.Moment `json:"since"`
}

// CountPolled has changes counted that lists of these places show before a webhook told of them. A count that has
// begun goes on. Counts of all other places are forgotten.
func (s *Store) CountPolled(ctx context.Context, places []record.Place, now time.Time) error {
	names := [][2]string{}
	for _, p := range places {
		names = append(names, [2]string{string(p.Binding), polledSetting + p.Side.String()})
	}
	list, err := sqlite.Encode(names)
	if err != nil {
		return s.db.Explain("count what is polled first", err)
	}
	fresh, err := json.Marshal(polled{Since: sqlite.MomentOf(now)})
	if err != nil {
		return s.db.Explain("count what is polled first", err)
	}
	return s.db.AsHolder(ctx, "count what is polled first", func(ctx context.Context, tx *sql.Tx) error {
		err := sqlite.Exec(ctx, tx, `DELETE FROM setting WHERE substr(name, 1, length(?1)) = ?1
			AND (binding, name) NOT IN (SELECT value ->> 0, value ->> 1 FROM json_each(?2))`, polledSetting, list)
		if err != nil {
			return err
		}
		return sqlite.Exec(ctx, tx, `INSERT INTO setting (binding, name, value) SELECT value ->> 0, value ->> 1, ?2 FROM json_each(?1) WHERE true
			ON CONFLICT DO NOTHING`, list, string(fresh))
	})
}

// PolledFirst returns what was counted, by place.
func (s *Store) PolledFirst(ctx context.Context) (map[record.Place]record.PolledFirst, error) {
	found, err := sqlite.Collect(ctx, s.db.Reader, func(rows *sql.Rows) (record.PolledFirst, error) {
		var f record.PolledFirst
		var name, text string
		if err := rows.Scan(&f.Place.Binding, &name, &text); err != nil {
			return f, err
		}
		var kept polled
		err := sqlite.Decode(text, &kept)
		for _, side := range record.Sides {
			if name == polledSetting+side.String() {
				f.Place.Side = side
			}
		}
		f.Count, f.Last, f.Since = kept.Count, kept.Last.Time(), kept.Since.Time()
		return f, err
	}, `SELECT binding, name, value FROM setting WHERE substr(name, 1, length(?1)) = ?1`, polledSetting)
	out := make(map[record.Place]record.PolledFirst, len(found))
	for _, f := range found {
		out[f.Place] = f
	}
	return out, s.db.Explain("read what was polled first", err)
}

// polling is what one page showed that was not known before.
type polling struct {
	changed []record.Ref // records that were known already
	made    []record.Ref // records that were not
	at      time.Time
}

// note takes in a record that a page was stored for, if the page showed anything new of it.
func (p *polling) note(r *entries.Row) {
	if r == nil || !r.News {
		return
	}
	r.News = false
	if r.Seen != nil {
		p.at = r.Seen.At
	}
	if r.Link == 0 && r.Base == nil {
		p.made = append(p.made, r.Ref)
		return
	}
	p.changed = append(p.changed, r.Ref)
}

// count adds the records that no open hint names to the count of their place. New records count only if the place
// was listed as a whole before: until then everything is new.
func (p *polling) count(ctx context.Context, tx *sql.Tx, place record.Place) error {
	if len(p.changed)+len(p.made) == 0 {
		return nil
	}
	var counted, listed bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM setting WHERE binding = ?1 AND name = ?3),
		EXISTS (SELECT 1 FROM scan WHERE binding = ?1 AND side = ?2 AND full = 1 AND complete = 1 AND ended IS NOT NULL)`,
		place.Binding, place.Side, polledSetting+place.Side.String()).Scan(&counted, &listed)
	if err != nil || !counted {
		return err
	}
	refs := p.changed
	if listed {
		refs = append(refs, p.made...)
	}
	ids := make([]string, 0, len(refs))
	for _, ref := range refs {
		ids = append(ids, ref.ID)
	}
	list, err := sqlite.Encode(ids)
	if err != nil {
		return err
	}
	var n int64
	err = tx.QueryRowContext(ctx, `SELECT count(*) FROM json_each(?3) AS shown WHERE NOT EXISTS (
		SELECT 1 FROM hint WHERE binding = ?1 AND done IS NULL AND side = ?2 AND id IN ('', shown.value))`,
		place.Binding, place.Side, list).Scan(&n)
	if err != nil || n == 0 {
		return err
	}
	return sqlite.Exec(ctx, tx, `UPDATE setting SET value = json_set(value, '$.count', value ->> '$.count' + ?3, '$.last', ?4)
		WHERE binding = ?1 AND name = ?2`, place.Binding, polledSetting+place.Side.String(), n, p.at.UnixMilli())
}
