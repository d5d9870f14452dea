// Package lives runs the daemon in this process, for tests that kill it at one of its
// steps and go on with what the disk had then.
package lives

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"nightporter/internal/serve"
)

// Life is the daemon from a start to its end.
type Life struct {
	// State is the state file it was begun with.
	State string
	// Daemon is what runs.
	Daemon *serve.Daemon

	cancel context.CancelFunc
	ended  chan struct{} // closed when it has
	err    error         // with which

	mu     sync.Mutex
	runs   bool   // its jobs do
	dead   bool   // killed: what it still does is of no account
	killAt int    // steps until it is killed; 0 for never
	left   string // where the state file of then goes
	reach  chan struct{}
	step   string // at which it died
	lost   error
}

// ErrDead is what a killed daemon meets.
var ErrDead = errors.New("the process was killed")

// Begin starts a daemon and waits until its jobs run. Of its options the life makes
// Ready, and its Step is to be told of steps. It may be dead by then; with an error comes
// the life where it was killed before its jobs ran.
func Begin(state string, options func(*Life) serve.Options) (*Life, error) {
	ctx, cancel := context.WithCancel(context.Background())
	l := &Life{State: state, cancel: cancel, ended: make(chan struct{}), err: ErrDead, reach: make(chan struct{})}
	ready := make(chan struct{})
	go func() {
		defer close(l.ended)
		o := options(l)
		o.Ready = func(d *serve.Daemon) { l.ready(d); close(ready) }
		l.err = serve.Run(ctx, o)
	}()
	select {
	case <-ready:
		return l, nil
	case <-l.ended:
		cancel()
		err := fmt.Errorf("serve did not start: %w", l.err)
		if l.Dead() {
			return l, err
		}
		return nil, err
	}
}

func (l *Life) ready(d *serve.Daemon) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Daemon, l.runs = d, true
	if l.dead {
		l.cancel()
	}
}

// Stop ends it as a service manager does.
func (l *Life) Stop() error {
	l.cancel()
	<-l.ended
	return l.err
}

// Alive ends who asks, if the daemon is dead.
func (l *Life) Alive() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end()
}

// end ends a step of what is dead. Who is killed while it opens goes on until it has
// opened, and closes what it opened then: it writes to nobody but the state file that it
// leaves behind.
func (l *Life) end() {
	if l.dead && l.runs {
		runtime.Goexit()
	}
}

// Step is told at each durable step and each request of the daemon. It parks nobody: who
// steps may hold a lock, and who waits for that lock is at work for a bubble.
func (l *Life) Step(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end()
	if l.dead || l.killAt == 0 {
		return
	}
	if l.killAt--; l.killAt == 0 {
		l.step = name
		l.die()
		l.end()
	}
}

// Arm has it killed at the step that many steps from now. What the disk holds of its
// state then is left in a file.
func (l *Life) Arm(steps int, left string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.killAt, l.left = steps, left
}

// Killed is closed when it has been killed.
func (l *Life) Killed() <-chan struct{} { return l.reach }

// Dead reports whether it was killed.
func (l *Life) Dead() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dead
}

// Kill kills it where it stands, if it is not dead, and waits until nothing of it is left.
// It gives the step at which it died, if there was one.
func (l *Life) Kill() (step string, err error) {
	l.mu.Lock()
	if !l.dead {
		l.die()
	}
	l.mu.Unlock()
	l.cancel()
	<-l.ended // whatever it says, it is dead
	return l.step, l.lost
}

// die leaves on the disk what was committed until now, for the next daemon. What is dead
// begins no run any more: its schedule would try the same one again and again, at a time that
// does not go on meanwhile.
func (l *Life) die() {
	l.dead = true
	if l.runs {
		l.cancel()
	}
	if err := copyState(l.State, l.left); err != nil {
		l.lost = fmt.Errorf("keep %s as it is: %w", l.State, err)
	}
	close(l.reach)
}

// copyState copies what is committed in a state file that may be in use.
func copyState(from, to string) error {
	db, err := sql.Open("sqlite3", "file:"+from+"?mode=ro&_busy_timeout=10000")
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(context.Background(), `VACUUM INTO ?`, to)
	return err
}
