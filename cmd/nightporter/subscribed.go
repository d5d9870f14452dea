package main

import (
	"fmt"

	"nightporter/internal/config"
	"nightporter/sync/record"
)

// subscriptionJSON is how our subscription to the webhooks of a system stands.
type subscriptionJSON struct {
	ID       string                   `json:"id,omitempty"`
	State    record.SubscriptionState `json:"state"` // empty: it was not looked at yet
	Why      string                   `json:"why,omitempty"`
	Checked  instant                  `json:"checked,omitempty"`
	Since    instant                  `json:"since,omitempty"` // it was made, and its secret with it
	Next     instant                  `json:"next_secret,omitempty"`
	Repaired int64                    `json:"repaired"`
	Mended   instant                  `json:"repaired_last,omitempty"`
	MendedOf string                   `json:"repaired_of,omitempty"`
	Rotated  int64                    `json:"secrets_changed"`
	kept     record.Subscription
}

// subscriptionOf is that of a system, nil where none is declared.
func subscriptionOf(sys config.System, kept record.Subscription) *subscriptionJSON {
	w := sys.Webhooks.Subscribe
	if w == nil {
		return nil
	}
	s := &subscriptionJSON{
		ID: kept.ID, State: kept.State, Why: kept.Why, Checked: timeJSON(kept.Checked), Since: timeJSON(kept.Since),
		Repaired: kept.Repaired, Mended: timeJSON(kept.Mended), MendedOf: kept.MendedOf, Rotated: kept.Rotated, kept: kept,
	}
	if w.Rotate > 0 && len(kept.Secrets) > 0 {
		s.Next = timeJSON(kept.Since.Add(w.Rotate))
	}
	return s
}

// String says how it stands, and what was done to it.
func (s subscriptionJSON) String() string {
	text := map[record.SubscriptionState]string{
		"":                "subscribed to by us: not yet, serve does it",
		record.Subscribed: "subscribed to by us as " + s.ID,
		record.Differs:    "subscribed to by us as " + s.ID + ", and shown otherwise than it is declared",
		record.NotOffered: "no subscription of ours: the system offers no list of them to this key",
		record.Unsure:     "our subscription can't be looked after",
	}[s.State]
	if s.Why != "" {
		text += " (" + s.Why + ")"
	}
	if !s.kept.Checked.IsZero() {
		text += ", looked at " + moment(s.kept.Checked)
	}
	if s.Repaired > 0 {
		text += fmt.Sprintf("; mended %s, the last time at %s because %s", count(int(s.Repaired), "time", "times"), moment(s.kept.Mended), s.MendedOf)
	}
	return text
}

// polledJSON is how many changes lists found before any webhook told of them.
type polledJSON struct {
	Job   record.Binding `json:"job"`
	Count int64          `json:"count"`
	Since instant        `json:"since"`
	Last  instant        `json:"last,omitempty"`
	found record.PolledFirst
}

func polledOf(cfg *config.Config, system string, all map[record.Place]record.PolledFirst) []polledJSON {
	var out []polledJSON
	for _, j := range cfg.Jobs {
		for i, js := range [2]config.JobSide{j.Left, j.Right} {
			f, ok := all[record.Place{Binding: record.Binding(j.Name), Side: record.Side(i)}]
			if ok && js.System == system {
				out = append(out, polledJSON{Job: f.Place.Binding, Count: f.Count, Since: timeJSON(f.Since), Last: timeJSON(f.Last), found: f})
			}
		}
	}
	return out
}

// String says so in one line.
func (p polledJSON) String() string {
	text := fmt.Sprintf("%s: polled first, before any webhook told of it: %s since %s", p.Job, count(int(p.Count), "change", "changes"), date(p.found.Since))
	if p.Count > 0 {
		text += ", the last at " + moment(p.found.Last)
	}
	return text
}
