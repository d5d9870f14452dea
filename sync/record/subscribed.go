package record

import "time"

// Secret is a text that no log and no error shows, however it is printed.
type Secret string

// String hides it.
func (Secret) String() string { return "(secret)" }

// GoString hides it.
func (Secret) GoString() string { return "(secret)" }

// MarshalText hides it. Code that is to store the secret has to convert it to a string.
func (Secret) MarshalText() ([]byte, error) { return []byte("(secret)"), nil }

// Signed is a secret with which a system signs what it sends.
type Signed struct {
	By     string // the id of the subscription; "" while its create is on its way
	Secret Secret
	Since  time.Time
	Until  time.Time // the secret counts until then; zero: no end is set
}

// Counts reports whether the secret counts at the moment now.
func (s Signed) Counts(now time.Time) bool { return s.Until.IsZero() || now.Before(s.Until) }

// SubscriptionState says how a subscription was last found.
type SubscriptionState string

// The states of a subscription.
const (
	Subscribed SubscriptionState = "subscribed"  // it is there as declared, and on
	Differs    SubscriptionState = "differs"     // it is there, and the system shows it differently from what we asked for
	NotOffered SubscriptionState = "not offered" // the system has no list of subscriptions for us
	Unsure     SubscriptionState = "unsure"      // it could not be looked at, or could not be mended
)

// Subscription is what is kept of our subscription to a system's webhooks.
type Subscription struct {
	System  System
	ID      string    // "" if there is none
	Since   time.Time // when it was made
	Marked  bool      // a list of the system has shown it with our mark
	Secrets []Signed  // newest first

	State   SubscriptionState
	Why     string    // in words, for Differs, NotOffered and Unsure
	Checked time.Time // when it was last looked at

	Created  int64     // how many were made: the first one, and those in place of another
	Repaired int64     // how often it had to be made anew, changed or turned on
	Rotated  int64     // how often its secret was changed
	Mended   time.Time // when it was last repaired
	MendedOf string    // what was wrong with it then

	Address    string    // the address that it had when it was last found as declared
	Moves      int64     // how often it was found at an address that was never ours, and brought back
	MovesSince time.Time // when the first move that counts was found

	Tried   string    // a digest of what was wrong when a repair was last tried
	TriedAt time.Time // when that was

	// Unheard says that the system may not have told us of changes for a while, because there was no
	// subscription that counted or it was off, and that those changes were not read since.
	Unheard bool
}

// SecretOf returns the secret of the subscription with this id, false if it is not known.
func (s Subscription) SecretOf(id string) (Secret, bool) {
	for _, one := range s.Secrets {
		if id != "" && one.By == id {
			return one.Secret, true
		}
	}
	return "", false
}

// PolledFirst says how many changes of a side lists showed before any webhook told of them.
type PolledFirst struct {
	Place Place
	Count int64
	Last  time.Time // the last time
	Since time.Time // since when they are counted
}
