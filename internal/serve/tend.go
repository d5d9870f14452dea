package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/record"
	"nightporter/sync/schedule"
)

// tendEvery is how soon what a command asks for is taken up; beatEvery how often this
// process gives a sign of life in the state file.
const (
	tendEvery = 500 * time.Millisecond
	beatEvery = 15 * time.Second
)

// tend does what must not wait for a run: it takes up what commands ask for, gives
// signs of life, says when a pause is over, and wakes what waited for its hours.
func (d *Daemon) tend(ctx context.Context) {
	every := time.NewTicker(cmp.Or(d.opts.Look, tendEvery))
	defer every.Stop()
	var beat, fed time.Time
	var paused []record.Pause
	troubled := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		err := d.takeRequests(ctx)
		held, unread := d.resumed(ctx, paused)
		paused, err = held, errors.Join(err, unread, d.look(ctx, time.Now()), d.openHours(ctx, time.Now()), d.noteHooks(ctx, time.Now()), d.noteDoubts(ctx))
		if now := time.Now(); now.Sub(beat) >= beatEvery {
			beat = now
			if lost := d.store.Beat(ctx, now); errors.Is(lost, state.ErrFenced) {
				d.fail(fmt.Errorf("another process has taken the state file over, and this one stops: %w", lost))
				return
			} else if lost != nil {
				err = errors.Join(err, lost)
			}
		}
		if err != nil && ctx.Err() == nil && !troubled { // once, not twice a second
			d.log.ErrorContext(ctx, "the state file can't be read or written", "error", err)
		}
		troubled = err != nil
		fed = d.feed(fed, troubled)
	}
}

// noteDoubts writes down which quotas are not believed, for who looks on from another
// process.
func (d *Daemon) noteDoubts(ctx context.Context) error {
	h, leave := d.enter()
	defer leave()
	return h.NoteDoubts(ctx)
}

// beatUntil goes on giving signs of life while what is under way may end: who looks for
// a process that hangs is not to take the state file over meanwhile.
func (d *Daemon) beatUntil(ctx context.Context, over <-chan struct{}) {
	ctx = context.WithoutCancel(ctx)
	every := time.NewTicker(beatEvery)
	defer every.Stop()
	for {
		select {
		case <-over:
			return
		case <-every.C:
		}
		if err := d.store.Beat(ctx, time.Now()); err != nil {
			d.log.ErrorContext(ctx, "no sign of life can be given", "error", err)
			return
		}
	}
}

// feed tells the service manager that all is well, as long as it is: the schedule
// looks at the clock and the state file can be used.
func (d *Daemon) feed(last time.Time, troubled bool) time.Time {
	now := time.Now()
	if d.opts.Watchdog <= 0 || now.Sub(last) < d.opts.Watchdog/3 || troubled || !d.alive() {
		return last
	}
	d.opts.Notify("WATCHDOG=1")
	return now
}

// stale is how long the schedule may go without a look at the clock.
const stale = 2 * time.Minute

func (d *Daemon) alive() bool { return d.runner.Still() < stale }

// resumed says which of the pauses that held before are over, by themselves or by a
// person's word, and gives those that hold now.
func (d *Daemon) resumed(ctx context.Context, before []record.Pause) ([]record.Pause, error) {
	over, err := d.store.Resumed(ctx, time.Now())
	if err != nil {
		return before, err
	}
	now, err := d.store.Paused(ctx, time.Now())
	if err != nil {
		return before, err
	}
	named := func(ps []record.Pause, p record.Pause) bool {
		return slices.ContainsFunc(ps, func(o record.Pause) bool { return o.Scope == p.Scope && o.Name == p.Name })
	}
	for _, p := range before {
		if !named(now, p) && !named(over, p) {
			over = append(over, p)
		}
	}
	for _, p := range over {
		d.log.InfoContext(ctx, "a pause is over, writes go on", "scope", string(p.Scope), "name", p.Name)
		d.wake(ctx, p)
	}
	for _, p := range now {
		if !named(before, p) {
			d.log.InfoContext(ctx, "writes are paused", "scope", string(p.Scope), "name", p.Name, "by", p.By, "why", p.Why)
		}
	}
	return now, nil
}

// wake has decided what waited for a pause to end.
func (d *Daemon) wake(ctx context.Context, p record.Pause) {
	h, leave := d.enter()
	defer leave()
	for _, b := range h.Order {
		for _, s := range h.Engine.Jobs[b].Sides {
			if !p.Stops(b, s.System) {
				continue
			}
			if _, err := d.runner.Request(ctx, string(b), schedule.Kick); err != nil {
				d.log.ErrorContext(ctx, "a run after a pause can't be asked for", "job", string(b), "error", err)
			}
			break
		}
	}
}

// seeBackups notes the last copy that an earlier process made.
func (d *Daemon) seeBackups(ctx context.Context, cfg *config.Config) {
	if cfg.Backup == nil {
		return
	}
	at, err := state.LastBackup(cfg.Backup.To)
	if err != nil {
		d.log.WarnContext(ctx, "the copies of the state file can't be looked at", "error", err)
		return
	}
	d.seen.backup(at)
}

// backup copies the state file and deletes the oldest copies.
func (d *Daemon) backup(ctx context.Context, h *house) error {
	b := h.Config.Backup
	if b == nil {
		return nil
	}
	if err := os.MkdirAll(b.To, 0o700); err != nil {
		return fmt.Errorf("back up the state file: %w", err)
	}
	c, err := d.store.Backup(ctx, filepath.Join(b.To, state.BackupName(time.Now())))
	if err != nil {
		_, old := state.Rotate(b.To, b.Keep) // what a crash left there may be what takes the room
		return errors.Join(fmt.Errorf("back up the state file to %s: %w", b.To, err), old)
	}
	d.seen.backup(time.Now())
	gone, err := state.Rotate(b.To, b.Keep)
	d.log.InfoContext(ctx, "state file copied", "bytes", c.Bytes, "deleted", len(gone))
	return err
}

// tidy deletes what is older than it is kept, and empties the log of the state file.
func (d *Daemon) tidy(ctx context.Context, h *house) error {
	if err := h.Tidy(ctx, time.Now()); err != nil {
		return err
	}
	_, err := d.store.Checkpoint(ctx)
	return err
}

// checkState looks whether the indexes of the state file find all of its rows, a slice at
// a time, so that nobody waits for it.
func (d *Daemon) checkState(ctx context.Context) error {
	var at state.Slice
	for done := false; !done; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if at, done, err = d.store.CheckSlice(ctx, at); err != nil {
			return err
		}
	}
	return nil
}
