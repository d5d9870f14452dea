package record

import "time"

// Secret is a text that no log and no error shows, however it is printed.
type Secret string

// String hides it.
func (Secret) String() string { return "(secret)" }

// GoString hides it.
func (Secret) GoString() string { return "(secret)" }

// MarshalText hides it: who keeps it says so, by converting it.
func (Secret) MarshalText() ([]byte, error) { return []byte("(secret)"), nil }

// Signed is a secret by which a system signs what it sends.
type Signed struct {
	By     string // the id of the subscription; "" while its create is on its way
	Secret Secret
	Since  time.Time
	Until  time.Time // it counts no longer; zero: there is no end to it
}

// Counts reports whether the secret counts at a moment.
func (s Signed) Counts(now time.Time) bool { return s.Until.IsZero() || now.Before(s.Until) }

// SubscriptionState is how a subscription was found last.
type SubscriptionState string

// The states of a subscription.
const (
	Subscribed SubscriptionState = "subscribed"  // it is there as declared, and on
	Differs    SubscriptionState = "differs"     // it is there, and the system shows it otherwise than it was made
	NotOffered SubscriptionState = "not offered" // the system has no list of subscriptions for us
	Unsure     SubscriptionState = "unsure"      // it could not be looked at, or not be mended
)

// Subscription is what is kept of our subscription to a system's webhooks.
type Subscription struct {
	System  System
	ID      string    // "" where there is none
	Since   time.Time // when it was made
	Marked  bool      // a list has shown it with our mark
	Secrets []Signed  // newest first

	State   SubscriptionState
	Why     string    // in words, for Differs, NotOffered and Unsure
	Checked time.Time // when it was looked at last

	Created  int64     // how many were made, the first one and those in place of another
	Repaired int64     // how often it had to be made anew, changed or turned on
	Rotated  int64     // how often its secret was changed
	Mended   time.Time // the last time that it was repaired
	MendedOf string    // what was wrong with it then

	Address    string    // that it had when it was last found as declared
	Moves      int64     // how often it was found at an address that was never ours, and brought back
	MovesSince time.Time // the first of these that counts

	Tried   string    // a digest of what was wrong when it was last repaired
	TriedAt time.Time // and when that was

	// Unheard says that the system may have told us nothing for a while, and that it was
	// not yet asked for what that was: there was none that counted, or it was off.
	Unheard bool
}

// SecretOf is the secret of the subscription, false where it isn't known.
func (s Subscription) SecretOf(id string) (Secret, bool) {
	for _, one := range s.Secrets {
		if id != "" && one.By == id {
			return one.Secret, true
		}
	}
	return "", false
}

// PolledFirst is how many changes of a side were found by reading lists before any
// webhook told of them.
type PolledFirst struct {
	Place Place
	Count int64
	Last  time.Time // the last time
	Since time.Time // they are counted
}
