package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// HaltTrial is the halt of one direction after a trial: the first write changed more than it was asked to.
// A person who lets it go on lets updates empty fields that they do not send.
const HaltTrial = "trial"

// These halts stop the whole job: what a system shows can't be believed.
const (
	HaltIdentity   = "identity"    // linked records are not there, or their ids name other records
	HaltAccount    = "account"     // another account or database answers
	HaltEmpty      = "empty"       // the list is empty
	HaltShrink     = "shrink"      // too many linked records are missing
	HaltRolledBack = "rolled_back" // the system was put back to an older copy
	HaltSchema     = "schema"      // a field that was shown is not shown any more
	HaltForeign    = "foreign"     // another installation makes records there
	HaltRenamed    = "renamed"     // a job that is not configured any more has links of the same records
	HaltIDs        = "ids"         // the ids of a kind are made of something else
)

// These halts stop a whole plan before its first write, until a person has looked at the plan.
const (
	HaltFirstRun   = "first_run"   // nothing was ever linked
	HaltAllChanged = "all_changed" // too many linked records changed at once
)

// Witness is one trait of a side as it was last seen, such as its account or the fields that its list shows.
type Witness struct {
	Name  string
	Value string
	At    time.Time
}

// ErrDamaged says that what the store keeps of a side can't be read.
var ErrDamaged = errors.New("what the state file keeps of it is damaged: put the newest backup that is whole in its place with nightporter restore --force")

// Read decodes a value that is kept as JSON. Its error is ErrDamaged.
func (w Witness) Read(into any) error {
	if err := json.Unmarshal([]byte(w.Value), into); err != nil {
		return fmt.Errorf("%w (%w)", ErrDamaged, err)
	}
	return nil
}

// Landed is a settled change of ours, with what the system answered.
type Landed struct {
	Ref     Ref
	Link    LinkID
	Op      Op
	Before  Fields // what the change replaced, as far as that was known
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

// Lag says how late a side shows what we write there.
type Lag struct {
	Measured int           // how many creates and updates were measured
	Most     time.Duration // the longest lag, without the slowest one in a thousand
}

// Settle returns how long a side gets to show what it was asked for. That is the configured time, or
// three times the measured lag if that is longer. Of the measured lag at most longest counts: more than
// that is no lag.
func (l Lag) Settle(configured time.Duration) time.Duration {
	const longest = 6 * time.Hour
	return max(configured, min(3*l.Most, longest))
}
