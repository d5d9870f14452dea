package state

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// holder is what the lock file says of the one who holds it.
type holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// Lock reserves the state file for the process that runs jobs, until Close or the
// end of the process, however that comes. It fails with ErrInUse, naming the
// holder, when another has it. Commands that only read or decide don't need it.
func (s *Store) Lock(now time.Time) error {
	if s.path == Memory || s.file != nil {
		return nil
	}
	name := s.path + ".lock"
	f := flock.New(name, flock.SetPermissions(0o600))
	got, err := f.TryLock()
	if err != nil {
		return fmt.Errorf("lock %s: %w", name, err)
	}
	if !got {
		return fmt.Errorf("lock %s: %w (%s)", name, ErrInUse, whoHolds(name))
	}
	s.file = f
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	b, err := json.Marshal(holder{PID: os.Getpid(), Host: host, Since: now.UTC().Truncate(time.Second)})
	if err != nil {
		return fmt.Errorf("lock %s: %w", name, err)
	}
	// In place: a file put over it would be another file, and not the locked one.
	if err := os.WriteFile(name, b, 0o600); err != nil {
		return fmt.Errorf("lock %s: %w", name, err)
	}
	return nil
}

func whoHolds(name string) string {
	var h holder
	b, err := os.ReadFile(name) //nolint:gosec // the path is the user's own
	if err != nil || json.Unmarshal(b, &h) != nil {
		return "its holder can't be told"
	}
	return fmt.Sprintf("held by process %d on %s since %s", h.PID, h.Host, h.Since.Format(time.RFC3339))
}
