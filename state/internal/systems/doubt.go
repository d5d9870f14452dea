package systems

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// doubtSetting names the setting that holds the quotas that are not believed.
const doubtSetting = "quotas in doubt"

// doubt is a record.QuotaDoubt as it is kept, in milliseconds.
type doubt struct {
	System string `json:"system"`
	Quota  string `json:"quota"`
	Until  int64  `json:"until,omitempty"`
	Next   int64  `json:"next,omitempty"`
	Belied bool   `json:"belied,omitempty"`
}

// KeepDoubts keeps the quotas that are not believed, in place of those kept so far.
func (s *Store) KeepDoubts(ctx context.Context, all []record.QuotaDoubt) error {
	kept := make([]doubt, len(all))
	for i, d := range all {
		kept[i] = doubt{System: string(d.System), Quota: d.Quota, Belied: d.Belied, Until: millisOr0(d.Until), Next: millisOr0(d.Next)}
	}
	return s.db.AsHolder(ctx, "keep quotas in doubt", func(ctx context.Context, tx *sql.Tx) error {
		if len(kept) == 0 {
			return sqlite.Exec(ctx, tx, `DELETE FROM setting WHERE binding = '' AND name = ?1`, doubtSetting)
		}
		return sqlite.PutSetting(ctx, tx, "", doubtSetting, sqlite.JSON(kept))
	})
}

func millisOr0(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Doubts returns the quotas that are not believed.
func (s *Store) Doubts(ctx context.Context) ([]record.QuotaDoubt, error) {
	var kept []doubt
	err := sqlite.Setting(ctx, s.db.Reader, "", doubtSetting, &kept)
	at := func(ms int64) time.Time { return sqlite.Instant(sql.NullInt64{Int64: ms, Valid: ms != 0}) }
	var all []record.QuotaDoubt
	for _, d := range kept {
		all = append(all, record.QuotaDoubt{System: record.System(d.System), Quota: d.Quota, Until: at(d.Until), Next: at(d.Next), Belied: d.Belied})
	}
	return all, s.db.Explain("read quotas in doubt", err)
}
