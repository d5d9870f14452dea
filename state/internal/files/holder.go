package files

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/gofrs/flock"

	"nightporter/state/internal/disk"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// giveRoom frees what this program itself takes up on a full disk: the reserve, and the log of the file, if it can
// be moved into the file. It reports whether it freed anything.
func (s *Store) giveRoom(ctx context.Context) bool {
	had := s.db.GiveReserve()
	emptied, err := s.db.Checkpoint(ctx)
	return had || emptied && err == nil
}

// Lock reserves the state file for this process, which then runs jobs, until Close or the end of the process,
// however that comes. If another process has it, the error is a HeldError (ErrInUse) that names the holder.
// Commands that only read or decide don't need the lock. command is what a person is shown of this process.
//
// Lock also notices that somebody put the state file back to an older copy by hand, or began a new file in the place of
// a lost one. Two files beside the state tell: the lock file remembers a higher term (each holder has a higher one than
// the holder before), or the other one says that the state had come further. As after Restore, nothing is created from
// then on until both sides were read whole: the state is adopt-only.
func (s *Store) Lock(ctx context.Context, command string, now time.Time) error {
	if s.db.Path == sqlite.Memory || s.db.File != nil {
		return nil
	}
	err := s.lockOnce(ctx, command, now)
	if sqlite.IsFull(err) && s.giveRoom(ctx) { // our own files may be what fills the disk
		err = s.lockOnce(ctx, command, now)
	}
	return err
}

func (s *Store) lockOnce(ctx context.Context, command string, now time.Time) error {
	f, err := disk.Acquire(ctx, s.db.Path, disk.LockPatience)
	if err != nil {
		return err
	}
	err = s.hold(ctx, disk.Self(command, now), func() (*flock.Flock, error) {
		if !disk.Stands(f, disk.LockName(s.db.Path)) { // another process took over before we were done
			return nil, fmt.Errorf("lock state: %w", &disk.HeldError{Holder: disk.ReadHolder(disk.LockName(s.db.Path))})
		}
		return f, nil
	})
	if err != nil {
		_ = f.Close()
	}
	return err
}

// TakeOver is Lock although another process holds the file. It is for a holder that is stopped or hangs: that
// process can begin no run and commit nothing any more, whatever it was about to do. A holder that gave a sign of
// life within silent is left alone (HeldError). With 0 any holder is replaced.
func (s *Store) TakeOver(ctx context.Context, command string, silent time.Duration, now time.Time) error {
	if s.db.Path == sqlite.Memory || s.db.File != nil {
		return nil
	}
	if h, ok, err := s.Holder(ctx); err != nil {
		return err
	} else if ok && silent > 0 && now.Sub(h.Beat) < silent {
		if held, err := s.Held(ctx); err != nil || held {
			return fmt.Errorf("take over state: %w", orHeld(err, h))
		}
	}
	return s.hold(ctx, disk.Self(command, now), func() (*flock.Flock, error) { return disk.Seize(s.db.Path) })
}

func orHeld(err error, h disk.Holder) error {
	if err != nil {
		return err
	}
	return &disk.HeldError{Holder: h}
}

// hold makes this process the holder, in one transaction: if several processes take over, only the last one holds
// the file and has the highest term. All leases that were given out end.
func (s *Store) hold(ctx context.Context, h disk.Holder, lock func() (*flock.Flock, error)) error {
	name := disk.LockName(s.db.Path)
	var f *flock.Flock
	var reached int64
	err := s.db.Write(ctx, "take the state file", func(ctx context.Context, tx *sql.Tx) (err error) {
		before := disk.ReadHolder(name).Term
		if !s.db.InPlace() {
			return sqlite.ErrReplaced
		}
		if f, err = lock(); err != nil {
			return err
		}
		var term int64
		err = tx.QueryRowContext(ctx, `SELECT coalesce(max(term), 0) FROM holder`).Scan(&term)
		if err != nil {
			return err
		}
		back, err := s.db.PutBack(ctx, tx, before, term)
		if err != nil {
			return err
		}
		if back {
			if err := adoptOnly(ctx, tx, h.Since); err != nil {
				return err
			}
		}
		if reached, err = sqlite.Generation(ctx, tx); err != nil {
			return err
		}
		h.Term = max(term, before) + 1
		err = sqlite.Exec(ctx, tx, `INSERT INTO holder (one, term, pid, host, command, since, beat)
			VALUES (1, ?1, ?2, ?3, ?4, ?5, ?5) ON CONFLICT (one) DO UPDATE SET term = excluded.term, pid = excluded.pid,
			host = excluded.host, command = excluded.command, since = excluded.since, beat = excluded.beat`,
			h.Term, h.PID, h.Host, h.Command, h.Since.UnixMilli())
		if err != nil {
			return err
		}
		return sqlite.Exec(ctx, tx, `UPDATE binding SET epoch = epoch + 1`)
	})
	if err == nil {
		err = disk.WriteHolder(name, h)
	}
	if err != nil {
		if f != nil {
			_ = f.Close()
		}
		return err
	}
	s.db.File = f
	s.db.Term.Store(h.Term)
	return errors.Join(s.db.WriteGeneration(reached), s.db.FillReserve(ctx))
}

// Beat stores a sign of life of this process. ErrFenced says that another process has taken the state file over:
// this one must stop. A process that did not lock the file stores none.
func (s *Store) Beat(ctx context.Context, now time.Time) error {
	if s.db.Term.Load() == 0 {
		return nil
	}
	return s.db.AsHolder(ctx, "beat", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.Exec(ctx, tx, `UPDATE holder SET beat = ?1`, now.UnixMilli())
	})
}

// Holder returns the process that took the state file last, false if none ever did. Held says whether a
// process still has it.
func (s *Store) Holder(ctx context.Context) (disk.Holder, bool, error) {
	return sqlite.Find(ctx, s.db, "read holder", func(rows *sql.Rows) (h disk.Holder, err error) {
		err = rows.Scan(&h.Term, &h.PID, &h.Host, &h.Command, sqlite.AsTime(&h.Since), sqlite.AsTime(&h.Beat))
		return h, err
	}, `SELECT term, pid, host, command, since, beat FROM holder`)
}

// Held reports whether any process, this one included, has the state file for
// running jobs.
func (s *Store) Held(ctx context.Context) (bool, error) {
	if s.db.Path == sqlite.Memory || s.db.File != nil {
		return s.db.File != nil, nil
	}
	return disk.HeldByOther(ctx, s.db.Path)
}

// Holds returns ErrFenced if the lease's binding was taken over. It is one read, and comes last before a request
// that writes: so a process that stood still does not send what it decided long ago.
func (s *Store) Holds(ctx context.Context, l record.Lease) error {
	return s.db.Explain("hold lease", s.db.CheckLease(ctx, s.db.Reader, l))
}
