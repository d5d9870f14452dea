package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/gofrs/flock"

	"nightporter/sync/record"
)

// Lock reserves the state file for the process that runs jobs, until Close or the
// end of the process, however that comes. It fails with a HeldError (ErrInUse) that
// names the holder when another has it. Commands that only read or decide don't need
// it. command is what a person sees of this process.
//
// A state file that was put back to an older copy by hand is known by its lock file,
// which remembers a higher term, or by the file that says how far it had come: it is then
// adopt-only from now on, as after Restore. So is a new file in the place of a lost one.
func (s *Store) Lock(ctx context.Context, command string, now time.Time) error {
	if s.path == Memory || s.file != nil {
		return nil
	}
	err := s.lockOnce(ctx, command, now)
	if isFull(err) && s.giveRoom(ctx) { // what fills the disk may be our own
		err = s.lockOnce(ctx, command, now)
	}
	return err
}

func (s *Store) lockOnce(ctx context.Context, command string, now time.Time) error {
	f, err := acquire(ctx, s.path, lockPatience)
	if err != nil {
		return err
	}
	err = s.hold(ctx, self(command, now), func() (*flock.Flock, error) {
		if !stands(f, lockName(s.path)) { // taken over before we were done
			return nil, fmt.Errorf("lock state: %w", &HeldError{Holder: readHolder(lockName(s.path))})
		}
		return f, nil
	})
	if err != nil {
		_ = f.Close()
	}
	return err
}

// TakeOver is Lock though another process holds the file, for one that is stopped or
// hangs: that one can begin no run and commit nothing any more, whatever it was about
// to do. A holder that gave a sign of life within silent is left alone (HeldError); 0
// takes over from any.
func (s *Store) TakeOver(ctx context.Context, command string, silent time.Duration, now time.Time) error {
	if s.path == Memory || s.file != nil {
		return nil
	}
	if h, ok, err := s.Holder(ctx); err != nil {
		return err
	} else if ok && silent > 0 && now.Sub(h.Beat) < silent {
		if held, err := s.Held(ctx); err != nil || held {
			return fmt.Errorf("take over state: %w", orHeld(err, h))
		}
	}
	return s.hold(ctx, self(command, now), func() (*flock.Flock, error) { return seize(s.path) })
}

func orHeld(err error, h Holder) error {
	if err != nil {
		return err
	}
	return &HeldError{Holder: h}
}

// hold makes this process the holder: in one transaction, so that of several that
// take over the last one alone holds the file and the highest term. Leases that were
// given out end.
func (s *Store) hold(ctx context.Context, h Holder, lock func() (*flock.Flock, error)) error {
	name := lockName(s.path)
	var f *flock.Flock
	var reached int64
	err := s.write(ctx, "take the state file", func(ctx context.Context, tx *sql.Tx) (err error) {
		before := readHolder(name).Term
		if !s.inPlace() {
			return ErrReplaced
		}
		if f, err = lock(); err != nil {
			return err
		}
		var term int64
		err = tx.QueryRowContext(ctx, `SELECT coalesce(max(term), 0) FROM holder`).Scan(&term)
		if err != nil {
			return err
		}
		back, err := s.putBack(ctx, tx, before, term)
		if err != nil {
			return err
		}
		if back {
			if err := adoptOnly(ctx, tx, h.Since); err != nil {
				return err
			}
		}
		if reached, err = generation(ctx, tx); err != nil {
			return err
		}
		h.Term = max(term, before) + 1
		err = exec(ctx, tx, `INSERT INTO holder (one, term, pid, host, command, since, beat)
			VALUES (1, ?1, ?2, ?3, ?4, ?5, ?5) ON CONFLICT (one) DO UPDATE SET term = excluded.term, pid = excluded.pid,
			host = excluded.host, command = excluded.command, since = excluded.since, beat = excluded.beat`,
			h.Term, h.PID, h.Host, h.Command, h.Since.UnixMilli())
		if err != nil {
			return err
		}
		return exec(ctx, tx, `UPDATE binding SET epoch = epoch + 1`)
	})
	if err == nil {
		err = writeHolder(name, h)
	}
	if err != nil {
		if f != nil {
			_ = f.Close()
		}
		return err
	}
	s.file = f
	s.term.Store(h.Term)
	return errors.Join(s.writeGeneration(reached), s.hoard(ctx))
}

// Beat is this process's sign of life. ErrFenced says that another has taken the
// state file over: this one must stop. A
// process that did not lock it gives none.
func (s *Store) Beat(ctx context.Context, now time.Time) error {
	if s.term.Load() == 0 {
		return nil
	}
	return s.held(ctx, "beat", func(ctx context.Context, tx *sql.Tx) error {
		return exec(ctx, tx, `UPDATE holder SET beat = ?1`, now.UnixMilli())
	})
}

// Holder is who took the state file last; false if nobody ever did. Held says whether
// it still has it.
func (s *Store) Holder(ctx context.Context) (Holder, bool, error) {
	h, ok, err := first(collect(ctx, s.reader, func(rows *sql.Rows) (h Holder, err error) {
		var since, beat sql.NullInt64
		err = rows.Scan(&h.Term, &h.PID, &h.Host, &h.Command, &since, &beat)
		h.Since, h.Beat = instant(since), instant(beat)
		return h, err
	}, `SELECT term, pid, host, command, since, beat FROM holder`))
	return h, ok, s.explain("read holder", err)
}

// Held reports whether any process, this one included, has the state file for
// running jobs.
func (s *Store) Held(ctx context.Context) (bool, error) {
	if s.path == Memory || s.file != nil {
		return s.file != nil, nil
	}
	return heldByOther(ctx, s.path)
}

// Holds reports, with ErrFenced, that the lease's binding was taken over. It is one
// read: asked as the last thing before a request that writes, it keeps a process
// that stood still from sending what it had decided long ago.
func (s *Store) Holds(ctx context.Context, l record.Lease) error {
	return s.explain("hold lease", s.checkLease(ctx, s.reader, l))
}

// checkLease fails with ErrFenced unless l, and the process, still hold.
func (s *Store) checkLease(ctx context.Context, q querier, l record.Lease) error {
	var epoch int64
	err := q.QueryRowContext(ctx, `SELECT epoch FROM binding WHERE binding = ?1`, l.Binding).Scan(&epoch)
	if err != nil && !isNone(err) {
		return err
	}
	if err != nil || epoch != l.Epoch || l.Epoch == 0 {
		return fmt.Errorf("job %s: %w", l.Binding, ErrFenced)
	}
	return nil
}

// held runs do in one transaction after checking that this process, if it took the
// state file, still has it.
func (s *Store) held(ctx context.Context, name string, do func(context.Context, *sql.Tx) error) error {
	return s.write(ctx, name, func(ctx context.Context, tx *sql.Tx) error {
		if err := s.checkTerm(ctx, tx); err != nil {
			return err
		}
		return do(ctx, tx)
	})
}

func (s *Store) checkTerm(ctx context.Context, tx *sql.Tx) error {
	mine := s.term.Load()
	if mine == 0 {
		return nil
	}
	var term int64
	if err := tx.QueryRowContext(ctx, `SELECT term FROM holder`).Scan(&term); err != nil {
		return err
	}
	if term != mine {
		return ErrFenced
	}
	return nil
}
