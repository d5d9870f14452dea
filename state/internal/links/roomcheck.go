package links

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// RoomCheck returns what was noted about the room of a linked booking; false if no run has asked for it again.
func (s *Store) RoomCheck(ctx context.Context, link record.LinkID) (record.RoomCheck, bool, error) {
	scan := func(rows *sql.Rows) (c record.RoomCheck, err error) {
		var asked int64
		err = rows.Scan(&c.Entry, &asked, &c.Shown, &c.Fate)
		c.Asked = time.UnixMilli(asked)
		return c, err
	}
	return sqlite.Find(ctx, s.db, "read what is known of a room", scan, `SELECT entry, asked, shown, fate FROM room_check WHERE link = ?1`, link)
}

// NoteRoomCheck notes what is known of the room of a linked booking, in place of what was noted before.
func (s *Store) NoteRoomCheck(ctx context.Context, l record.Lease, link record.LinkID, c record.RoomCheck) error {
	return s.db.Lease(ctx, l, "note what is known of a room", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.Exec(ctx, tx, `INSERT INTO room_check (link, entry, asked, shown, fate) VALUES (?1, ?2, ?3, ?4, ?5)
			ON CONFLICT (link) DO UPDATE SET entry = excluded.entry, asked = excluded.asked, shown = excluded.shown,
				fate = excluded.fate`,
			link, c.Entry, c.Asked.UnixMilli(), c.Shown, c.Fate)
	})
}
