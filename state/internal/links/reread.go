package links

import (
	"context"
	"database/sql"
	"slices"

	"nightporter/state/internal/entries"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// ReadAs returns how the fields of a binding were last read, as Mapping.ReadPrints tells it; nil if nothing is
// known.
func (s *Store) ReadAs(ctx context.Context, b record.Binding) (map[string][2]string, error) {
	var out map[string][2]string
	err := sqlite.Setting(ctx, s.db.Reader, b, "read_as", &out)
	return out, s.db.Explain("read how fields were read", err)
}

// Rereads returns the fields of a binding that are read in another way than they were when their mapping was
// agreed to.
func (s *Store) Rereads(ctx context.Context, b record.Binding) (map[string]record.Reread, error) {
	var out map[string]record.Reread
	err := sqlite.Setting(ctx, s.db.Reader, b, "reread", &out)
	return out, s.db.Explain("read which fields are read in another way", err)
}

// MeetAnew takes paths out of the bases of all links of a binding that have not ended: what stands there is
// decided as if two records met for the first time. It also keeps how the fields are read from now on, and which
// of them are read in another way.
func (s *Store) MeetAnew(ctx context.Context, l record.Lease, anew [2][]record.Anew, read map[string][2]string, fields map[string]record.Reread) error {
	return s.db.Lease(ctx, l, "have fields decided anew", func(ctx context.Context, tx *sql.Tx) error {
		for side, some := range anew {
			if err := forgetPaths(ctx, tx, record.Place{Binding: l.Binding, Side: record.Side(side)}, some); err != nil {
				return err
			}
		}
		if err := sqlite.PutSetting(ctx, tx, l.Binding, "reread", sqlite.JSON(fields)); err != nil {
			return err
		}
		return sqlite.PutSetting(ctx, tx, l.Binding, "read_as", sqlite.JSON(read))
	})
}

// rewriteAtOnce is how many entries are rewritten at once.
const rewriteAtOnce = 500

// forgetPaths takes paths out of the bases of a side.
func forgetPaths(ctx context.Context, tx *sql.Tx, p record.Place, anew []record.Anew) error {
	if len(anew) == 0 {
		return nil
	}
	for after := int64(0); ; {
		rows, err := entries.Where(ctx, tx, `e.binding = ?1 AND e.side = ?2 AND e.num > ?3 AND e.base IS NOT NULL
			AND e.link IN (SELECT id FROM link WHERE binding = ?1 AND state NOT IN `+sqlite.LinksEnded+`)
			ORDER BY e.num LIMIT ?4 + 0`, p.Binding, p.Side, after, rewriteAtOnce)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, r := range rows {
			after = r.Num
			paths := r.Anew(anew)
			if r.Damaged != "" || !slices.ContainsFunc(paths, func(path string) bool { return r.Base[path].Known() }) {
				continue
			}
			r.Forget(paths)
			r.Unlist()
			if err := entries.Save(ctx, tx, r); err != nil {
				return err
			}
		}
	}
}
