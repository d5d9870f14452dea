package events

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

const eventColumns = `num, id, destination, binding, subject, type, at, data, state, since, tries, next, error, ended`

func scanEvent(rows *sql.Rows) (e record.Event, err error) {
	var data string
	err = rows.Scan(&e.Num, &e.ID, &e.Destination, &e.Binding, &e.Subject, &e.Type, sqlite.AsTime(&e.At), &data, &e.State, sqlite.AsTime(&e.Since), &e.Tries, sqlite.AsTime(&e.Next), &e.Error, sqlite.AsTime(&e.Ended))
	e.Data = []byte(data)
	return e, err
}

// SetDestinations makes these the destinations. A destination that is there already keeps all that was noted of it,
// if its address is the same or is not known now (""). Events for a destination that is not among them are dead. If
// there are none, what happens is noted for nobody.
func (s *Store) SetDestinations(ctx context.Context, ds []record.Destination, now time.Time) error {
	if len(ds) == 0 { // as in most houses: nothing is written
		if had, err := s.Destinations(ctx); err != nil || len(had) == 0 {
			return err
		}
	}
	return s.db.AsHolder(ctx, "set destinations", func(ctx context.Context, tx *sql.Tx) error {
		names := []string{}
		for _, d := range ds {
			names = append(names, d.Name)
			err := sqlite.Exec(ctx, tx, refusedNoMore+` AND ?2 <> '' AND EXISTS (SELECT 1 FROM destination WHERE name = ?1 AND address <> ?2)`, d.Name, d.Address)
			if err != nil {
				return err
			}
			err = sqlite.Exec(ctx, tx, `INSERT INTO destination (name, address) VALUES (?1, ?2)
				ON CONFLICT (name) DO UPDATE SET address = excluded.address, fails = 0, failing = NULL, next = NULL, error = '', gone = NULL
				WHERE address <> excluded.address AND excluded.address <> ''`, d.Name, d.Address)
			if err != nil {
				return err
			}
		}
		list, err := sqlite.Encode(names)
		if err != nil {
			return err
		}
		for _, query := range []string{
			`DELETE FROM destination WHERE name NOT IN (SELECT value FROM json_each(?1)) AND ?2`,
			`UPDATE event SET state = 'dead', ended = ?2, error = 'the configuration has no destination of that name any more'
				WHERE state = 'waiting' AND destination NOT IN (SELECT value FROM json_each(?1))`,
			`DELETE FROM happening WHERE json_array_length(?1) = 0 AND ?2`,
			`DELETE FROM setting WHERE name = '` + failingSetting + `' AND json_array_length(?1) = 0 AND ?2`,
		} {
			if err := sqlite.Exec(ctx, tx, query, list, now.UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Destinations returns where events go and how that goes, by name.
func (s *Store) Destinations(ctx context.Context) ([]record.Destination, error) {
	return sqlite.List(ctx, s.db, "read destinations", func(rows *sql.Rows) (d record.Destination, err error) {
		err = rows.Scan(&d.Name, &d.Address, &d.Fails, sqlite.AsTime(&d.Failing), sqlite.AsTime(&d.Next), &d.Error, sqlite.AsTime(&d.Gone), &d.Waiting, sqlite.AsTime(&d.Oldest), &d.Dead)
		return d, err
	}, `SELECT name, address, fails, failing, next, error, gone,
		(SELECT count(*) FROM event e WHERE e.destination = d.name AND e.state = 'waiting'),
		(SELECT min(since) FROM event e WHERE e.destination = d.name AND e.state = 'waiting'),
		(SELECT count(*) FROM event e WHERE e.destination = d.name AND e.state = 'dead') FROM destination d ORDER BY name`)
}

// Expecting returns the destinations that events wait for, by name.
func (s *Store) Expecting(ctx context.Context) ([]record.Destination, error) {
	return sqlite.List(ctx, s.db, "read destinations", func(rows *sql.Rows) (d record.Destination, err error) {
		err = rows.Scan(&d.Name, &d.Address, &d.Fails, sqlite.AsTime(&d.Failing), sqlite.AsTime(&d.Next), &d.Error)
		return d, err
	}, `SELECT name, address, fails, failing, next, error FROM destination d
		WHERE EXISTS (SELECT 1 FROM event e WHERE e.destination = d.name AND e.state = 'waiting') ORDER BY name`)
}

// longestRefused is longer than an event is ever held back between two tries. A moment that is later than that was
// noted before the clock was set back.
const longestRefused = 30 * time.Hour

// firstOfItsSubject is the condition that no other event about the same subject waits before event e.
const firstOfItsSubject = `NOT EXISTS (SELECT 1 FROM event b
	WHERE b.state = 'waiting' AND b.destination = e.destination AND b.subject = e.subject AND b.num < e.num)`

// NextEvent returns the event that a destination is sent next, false if none is due. That is the first one that
// waits and was not refused, and has no refused event about the same subject before it. If there is none, it is the
// refused event that has been due the longest.
func (s *Store) NextEvent(ctx context.Context, destination string, now time.Time) (e record.Event, ok bool, err error) {
	e, ok, err = sqlite.First(sqlite.Collect(ctx, s.db.Reader, scanEvent, `SELECT `+eventColumns+` FROM event e
		WHERE destination = ?1 AND state = 'waiting' AND next IS NULL AND `+firstOfItsSubject+` ORDER BY num LIMIT 1`, destination))
	if err == nil && !ok {
		e, ok, err = sqlite.First(sqlite.Collect(ctx, s.db.Reader, scanEvent, `SELECT `+eventColumns+` FROM event e
			WHERE destination = ?1 AND state = 'waiting' AND next IS NOT NULL AND (next <= ?2 OR next > ?3) AND `+firstOfItsSubject+`
			ORDER BY next, num LIMIT 1`, destination, now.UnixMilli(), now.Add(longestRefused).UnixMilli()))
	}
	return e, ok, s.db.Explain("read event", err)
}

// refusedNoMore has the events that a destination refused tried again, as if it had not refused them.
const refusedNoMore = `UPDATE event SET next = NULL WHERE destination = ?1 AND state = 'waiting' AND next IS NOT NULL`

// tryNow has a destination tried at once, as if no try had failed.
const tryNow = `UPDATE destination SET fails = 0, failing = NULL, next = NULL, error = '' WHERE name = ?1`

// EventSent notes that a destination took an event.
func (s *Store) EventSent(ctx context.Context, e record.Event, now time.Time) error {
	return s.db.AsHolder(ctx, "note event sent", func(ctx context.Context, tx *sql.Tx) error {
		err := sqlite.Exec(ctx, tx, `UPDATE event SET state = 'sent', tries = tries + 1, error = '', ended = ?2
			WHERE num = ?1 AND state = 'waiting'`, e.Num, now.UnixMilli())
		if err != nil {
			return err
		}
		return sqlite.Exec(ctx, tx, tryNow, e.Destination)
	})
}

// EventHeldBack notes that a destination refused an event, although it takes others. The event is held back up to
// the moment until, and so are those behind it that are about the same subject. If until is zero, the event is
// given up. It returns how many events it gave up.
func (s *Store) EventHeldBack(ctx context.Context, e record.Event, why string, until, now time.Time) (gaveUp int64, err error) {
	err = s.db.AsHolder(ctx, "note event refused", func(ctx context.Context, tx *sql.Tx) error {
		e.Next = until
		if waits, err := triedAgain(ctx, tx, e, why); err != nil || !waits || !until.IsZero() {
			return err
		}
		gaveUp, err = giveUp(ctx, tx, giveUpOne, now, why, e.Num)
		return err
	})
	return gaveUp, err
}

// EventFailed notes that a destination did not take an event, and that it is tried again at next; the event itself
// not before e.Next. Events that have waited for the destination since dead or longer are given up, none if dead is
// zero. It returns how many. If the event does not wait any more, because a person dropped it meanwhile, nothing is
// noted: those behind it are not to wait for that.
func (s *Store) EventFailed(ctx context.Context, e record.Event, why string, next, dead, now time.Time) (gaveUp int64, err error) {
	err = s.db.AsHolder(ctx, "note event failed", func(ctx context.Context, tx *sql.Tx) error {
		if waits, err := noteFailed(ctx, tx, e, why, next, now); err != nil || !waits || dead.IsZero() {
			return err
		}
		gaveUp, err = giveUp(ctx, tx, giveUpLate, now, why, e.Destination, dead.UnixMilli())
		return err
	})
	return gaveUp, err
}

// EventRefused notes that a destination did not take an event once more, and gives up that event alone: the next
// one is sent at once. It returns how many events it gave up: none if the event does not wait any more.
func (s *Store) EventRefused(ctx context.Context, e record.Event, why string, now time.Time) (gaveUp int64, err error) {
	err = s.db.AsHolder(ctx, "note event refused", func(ctx context.Context, tx *sql.Tx) error {
		if waits, err := noteFailed(ctx, tx, e, why, now, now); err != nil || !waits {
			return err
		}
		gaveUp, err = giveUp(ctx, tx, giveUpOne, now, why, e.Num)
		return err
	})
	return gaveUp, err
}

// noteFailed counts a failed try of an event and of its destination. If the event does not wait it returns false,
// and counts nothing.
func noteFailed(ctx context.Context, tx *sql.Tx, e record.Event, why string, next, now time.Time) (waits bool, err error) {
	if waits, err := triedAgain(ctx, tx, e, why); err != nil || !waits {
		return false, err
	}
	return true, sqlite.Exec(ctx, tx, `UPDATE destination SET fails = fails + 1, failing = coalesce(failing, ?2), next = ?3, error = ?4 WHERE name = ?1`,
		e.Destination, now.UnixMilli(), next.UnixMilli(), why)
}

// triedAgain counts a failed try of an event, and keeps when it is tried next. It returns false if the
// event does not wait.
func triedAgain(ctx context.Context, tx *sql.Tx, e record.Event, why string) (waits bool, err error) {
	res, err := tx.ExecContext(ctx, `UPDATE event SET tries = tries + 1, error = ?2, next = ?3 WHERE num = ?1 AND state = 'waiting'`,
		e.Num, why, sqlite.Millis(e.Next))
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// These statements give up events that wait: one, all for a destination, or those that have waited for it since
// a moment or longer.
const (
	giveUpOne  = `UPDATE event SET state = 'dead', ended = ?1, error = ?2 WHERE state = 'waiting' AND num = ?3`
	giveUpAll  = `UPDATE event SET state = 'dead', ended = ?1, error = ?2 WHERE state = 'waiting' AND destination = ?3`
	giveUpLate = giveUpAll + ` AND since <= ?4`
)

// giveUp runs one of these statements, and returns how many events it gave up.
func giveUp(ctx context.Context, tx *sql.Tx, query string, now time.Time, why string, about ...any) (int64, error) {
	res, err := tx.ExecContext(ctx, query, append([]any{now.UnixMilli(), why}, about...)...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// GiveUpEvent gives up an event that can't be sent as it is. When the events behind it are due does not change. It
// returns false if the event does not wait.
func (s *Store) GiveUpEvent(ctx context.Context, num int64, why string, now time.Time) (did bool, err error) {
	err = s.db.AsHolder(ctx, "give event up", func(ctx context.Context, tx *sql.Tx) error {
		n, err := giveUp(ctx, tx, giveUpOne, now, why, num)
		did = n > 0
		return err
	})
	return did, err
}

// DropEvent gives up an event that its destination does not take. If it was the first that waits, those behind it
// waited for it alone: they are sent at once, whatever the destination answered. It returns how many these are. did
// is false if the event does not wait.
func (s *Store) DropEvent(ctx context.Context, e record.Event, why string, now time.Time) (did bool, behind int64, err error) {
	err = s.db.AsHolder(ctx, "drop event", func(ctx context.Context, tx *sql.Tx) error {
		n, err := giveUp(ctx, tx, giveUpOne, now, why, e.Num)
		if err != nil || n == 0 {
			return err
		}
		did = true
		var before int64
		err = tx.QueryRowContext(ctx, `SELECT count(*) FILTER (WHERE num < ?2), count(*) FILTER (WHERE num > ?2) FROM event
			WHERE destination = ?1 AND state = 'waiting'`, e.Destination, e.Num).Scan(&before, &behind)
		if err != nil {
			return err
		}
		if before > 0 {
			behind = 0
			return nil
		}
		return sqlite.Exec(ctx, tx, tryNow, e.Destination)
	})
	return did, behind, err
}

// DestinationGone notes that a destination answered, at this address, that it is no more. What waits for it is
// dead, and so is what comes, until it has another address or a person has events sent again. It returns how many
// events it gave up.
func (s *Store) DestinationGone(ctx context.Context, name, address, why string, now time.Time) (gaveUp int64, err error) {
	err = s.db.AsHolder(ctx, "note destination gone", func(ctx context.Context, tx *sql.Tx) error {
		if err := sqlite.Exec(ctx, tx, `UPDATE destination SET gone = ?2, error = ?3, address = ?4 WHERE name = ?1`, name, now.UnixMilli(), why, address); err != nil {
			return err
		}
		gaveUp, err = giveUp(ctx, tx, giveUpAll, now, why, name)
		return err
	})
	return gaveUp, err
}

// AwayDestinations returns the destinations that answered that they are no more, and those that are left alone
// after a failed try, with the address at which they are known, by name.
func (s *Store) AwayDestinations(ctx context.Context) ([]record.Destination, error) {
	return sqlite.List(ctx, s.db, "read destinations", func(rows *sql.Rows) (d record.Destination, err error) {
		err = rows.Scan(&d.Name, &d.Address, sqlite.AsTime(&d.Gone), sqlite.AsTime(&d.Next))
		return d, err
	}, `SELECT name, address, gone, next FROM destination WHERE gone IS NOT NULL OR next IS NOT NULL ORDER BY name`)
}

// DestinationMoved has a destination take part again at another address, if it was gone. If it was left alone, it
// is tried there at once.
func (s *Store) DestinationMoved(ctx context.Context, name, address string) error {
	return s.db.AsHolder(ctx, "note destination moved", func(ctx context.Context, tx *sql.Tx) error {
		err := sqlite.Exec(ctx, tx, refusedNoMore+` AND EXISTS (SELECT 1 FROM destination
			WHERE name = ?1 AND (gone IS NOT NULL OR next IS NOT NULL) AND address <> ?2)`, name, address)
		if err != nil {
			return err
		}
		return sqlite.Exec(ctx, tx, `UPDATE destination SET address = ?2, fails = 0, failing = NULL, next = NULL, error = '', gone = NULL
			WHERE name = ?1 AND (gone IS NOT NULL OR next IS NOT NULL) AND address <> ?2`, name, address)
	})
}

// EventFilter chooses events. A zero field chooses all.
type EventFilter struct {
	ID          string
	Destination string
	State       record.EventState
	Limit       int // only the oldest ones; 0: all
}

// Events returns events in their order.
func (s *Store) Events(ctx context.Context, f EventFilter) ([]record.Event, error) {
	limit := f.Limit
	if limit <= 0 {
		limit = -1
	}
	return sqlite.List(ctx, s.db, "read events", scanEvent, `SELECT `+eventColumns+` FROM event
		WHERE (?1 = '' OR id = ?1) AND (?2 = '' OR destination = ?2) AND (?3 = '' OR state = ?3) ORDER BY num LIMIT ?4 + 0`,
		f.ID, f.Destination, f.State, limit)
}

// Resend has the sent and the dead events of a filter sent once more, under their own ids, in their old order and
// before what waits. Their destinations are tried at once, whatever they answered. Events for a destination that is
// not there any more stay as they are. It returns how many events wait because of that. It needs no lease: a person
// does so while jobs run.
func (s *Store) Resend(ctx context.Context, f EventFilter, now time.Time) (n int64, err error) {
	err = s.db.Write(ctx, "resend events", func(ctx context.Context, tx *sql.Tx) error {
		again, err := sqlite.Collect(ctx, tx, func(rows *sql.Rows) (name string, err error) {
			err = rows.Scan(&name)
			return name, err
		}, `UPDATE event SET state = 'waiting', since = ?4, tries = 0, next = NULL, error = '', ended = NULL
			WHERE state <> 'waiting' AND (?1 = '' OR id = ?1) AND (?2 = '' OR destination = ?2) AND (?3 = '' OR state = ?3)
			AND destination IN (SELECT name FROM destination) RETURNING destination`, f.ID, f.Destination, f.State, now.UnixMilli())
		n = int64(len(again))
		for _, name := range again {
			if err == nil {
				err = sqlite.Exec(ctx, tx, `UPDATE destination SET fails = 0, failing = NULL, next = NULL, gone = NULL, error = '' WHERE name = ?1`, name)
			}
		}
		return err
	})
	return n, err
}
