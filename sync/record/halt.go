package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// HaltTrial is the halt of one direction: a first write did more than it was asked to. Who lets it go on
// lets updates empty what they are not sent.
const HaltTrial = "trial"

// Witness is what a side was last seen to be, by the name of the trait.
type Witness struct {
	Name  string
	Value string
	At    time.Time
}

// ErrDamaged is that what the store keeps of a side can't be read as what it is.
var ErrDamaged = errors.New("what the state file keeps of it is damaged: put the newest backup that is whole in its place with nightporter restore --force")

// Read reads a value that is kept as JSON. Its error is ErrDamaged.
func (w Witness) Read(into any) error {
	if err := json.Unmarshal([]byte(w.Value), into); err != nil {
		return fmt.Errorf("%w (%w)", ErrDamaged, err)
	}
	return nil
}

// Landed is a change of ours that a system took, and what it answered.
type Landed struct {
	Ref     Ref
	Link    LinkID
	Op      Op
	Before  Fields // what it replaced, as far as it was known
	After   Fields // what was written
	Version Version
	Changed time.Time
	At      time.Time
	Stamp   string
}

// Newest is a record that was changed not long ago, as a list showed it.
type Newest struct {
	Ref     Ref
	Version Version
	Changed time.Time
}

// Lag is how late a side shows what we write there.
type Lag struct {
	Measured int           // creates and updates
	Most     time.Duration // what all but one in a thousand of them took at most
}

// Settle is how long a side is given to show what it was asked for: what is configured,
// or three times the lag that was measured, as long as that may still be one.
func (l Lag) Settle(configured time.Duration) time.Duration {
	const longest = 6 * time.Hour
	return max(configured, min(3*l.Most, longest))
}
