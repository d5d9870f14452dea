package subscribe

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Want is a subscription as it is declared.
type Want struct {
	URL    string // with our mark in it, where it stands there
	Events []string
	Mark   string
	Rotate time.Duration // a secret that is older is changed; 0: never
	// Overlap is how long an old secret counts beside the new one.
	Overlap time.Duration
}

// asked is the subscription that a create asks for.
func (w Want) asked() connectors.Subscription {
	return connectors.Subscription{URL: w.URL, Events: w.Events, Note: note(w.Mark)}
}

// deed is one request that a step makes.
type deed uint8

const (
	create  deed = iota // one is made; nothing of ours is there, or will be
	replace             // one is made beside an older one, which is taken away then
	change
	remove
)

// step is one thing to do, and why.
type step struct {
	do  deed
	id  string // of the one that is changed or removed, or replaced
	why string
}

// verdict is what is to be done so that our subscription is as declared.
type verdict struct {
	steps []step
	wrong string // what is wrong with the one that is there; "" for nothing
	tried string // a digest of that, to know it again
	// marked says that the one that counts is shown with our mark, and unmarked that it is
	// shown without, and never was with it.
	marked, unmarked bool
	// moved says that one of ours is shown with an address that was never ours.
	moved bool
}

// again is how long the repair of the very same thing waits for its next try: a system
// that shows an address or events in its own way would be told them for ever.
const again = 6 * time.Hour

// decide compares what is declared with what the system shows and what is kept of it.
// Without a want nothing of ours is to stay.
func decide(want *Want, means connectors.SubscriptionMeans, shown []connectors.Subscription, kept record.Subscription, mark string, now time.Time) verdict {
	var mine []connectors.Subscription
	for _, s := range shown {
		if ours(s, mark) {
			mine = append(mine, s)
		}
	}
	counts := func(s connectors.Subscription) bool { return kept.ID != "" && s.ID == kept.ID }
	v := verdict{marked: slices.ContainsFunc(mine, counts)}
	v.moved = moved(want, mine, kept)
	if v.moved && contested(kept, now) {
		v.wrong, v.tried = rivalry, kept.Tried
		return v
	}
	v.unmarked = !v.marked && !kept.Marked && slices.ContainsFunc(shown, counts)
	at := slices.IndexFunc(mine, func(s connectors.Subscription) bool {
		_, known := kept.SecretOf(s.ID)
		return s.ID == kept.ID && (known || !secretly(means))
	})
	for i, s := range mine {
		switch {
		case want == nil:
			v.steps = append(v.steps, step{remove, s.ID, "none is declared any more"})
		case i != at:
			v.steps = append(v.steps, step{remove, s.ID, surplus(s, kept)})
		}
	}
	switch {
	case want == nil:
	case at < 0:
		v.wrong = missing(shown, mine, kept)
		v.steps = append(v.steps, step{create, "", v.wrong})
	default:
		v.keep(*want, means, mine[at], kept, now)
	}
	return v
}

// keep adds what the one that stays needs.
func (v *verdict) keep(want Want, means connectors.SubscriptionMeans, s connectors.Subscription, kept record.Subscription, now time.Time) {
	v.wrong = differs(want, s)
	if v.wrong != "" {
		v.tried = digest(want, s)
		if v.tried == kept.Tried && now.Sub(kept.TriedAt) < again && !now.Before(kept.TriedAt) {
			return
		}
		do := replace
		if means.Change {
			do = change
		}
		v.steps = append(v.steps, step{do, s.ID, v.wrong})
		return
	}
	if want.Rotate > 0 && secretly(means) && !now.Before(kept.Since.Add(want.Rotate)) {
		v.steps = append(v.steps, step{replace, s.ID, rotation})
	}
}

// rotation is why a subscription is replaced of which nothing is wrong.
const rotation = "its secret is due to be changed"

// secretly reports whether a subscription has a secret of its own.
func secretly(m connectors.SubscriptionMeans) bool { return m.Shows || m.Takes }

// surplus is why one of ours is not the one that counts.
func surplus(s connectors.Subscription, kept record.Subscription) string {
	if _, known := kept.SecretOf(s.ID); known && s.ID != kept.ID {
		return "another one took its place"
	}
	return "nobody kept its secret"
}

// missing is why there is none that counts.
func missing(shown, mine []connectors.Subscription, kept record.Subscription) string {
	there := func(all []connectors.Subscription) bool {
		return slices.ContainsFunc(all, func(s connectors.Subscription) bool { return s.ID == kept.ID })
	}
	switch {
	case kept.ID == "" && len(mine) == 0:
		return firstOne
	case kept.ID == "":
		return "the one that is there was made by a process that ended before it kept its secret"
	case there(mine):
		return "its secret is not known any more"
	case there(shown):
		return "somebody took our mark off it: it is left to them"
	}
	return "somebody deleted it"
}

// firstOne is why one is made that was never there.
const firstOne = "there was none"

// differs says in what a subscription is not as declared, "" for in nothing.
func differs(want Want, s connectors.Subscription) string {
	var parts []string
	if s.Off {
		parts = append(parts, "it was disabled")
	}
	if s.URL != want.URL {
		parts = append(parts, "its address is another one")
	}
	if got := sorted(s.Events); s.Events != nil && !slices.Equal(got, sorted(want.Events)) {
		parts = append(parts, fmt.Sprintf("its events are %s", orNone(got)))
	}
	return strings.Join(parts, ", ")
}

func orNone(events []string) string {
	const most = 20
	if len(events) == 0 {
		return "none"
	}
	if len(events) > most {
		return fmt.Sprintf("%d others", len(events))
	}
	return strings.Join(events, ", ")
}

func sorted(events []string) []string { return slices.Compact(slices.Sorted(slices.Values(events))) }

// digest is what is wanted and what is shown, whatever its id.
func digest(want Want, s connectors.Subscription) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %t", want.URL, sorted(want.Events), s.URL, sorted(s.Events), s.Off))
	return hex.EncodeToString(sum[:8])
}
