package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/state"
	"nightporter/sync/record"
)

// keptJSON is how many changes to a system are not sent now by one rule.
type keptJSON struct {
	System  record.System `json:"system"`
	Rule    string        `json:"rule"` // send_hours, most_an_hour or never_to
	Changes int64         `json:"changes"`
	Until   instant       `json:"until,omitempty"` // when the first of them may go, where that is a matter of time
	until   time.Time
}

// keptOf is what is kept back of a job, by system and rule.
func keptOf(ctx context.Context, s *state.Store, b record.Binding, systems [2]record.System) ([]keptJSON, error) {
	kept, err := s.KeptBack(ctx, b)
	var out []keptJSON
	for _, k := range kept {
		system := systems[k.Place.Side]
		i := slices.IndexFunc(out, func(o keptJSON) bool { return o.System == system && o.Rule == k.Rule })
		if i < 0 {
			i = len(out)
			out = append(out, keptJSON{System: system, Rule: k.Rule, until: k.Until})
		}
		o := &out[i]
		o.Changes++
		if k.Until.Before(o.until) {
			o.until = k.Until
		}
		o.Until = timeJSON(o.until)
	}
	return out, err
}

// String is the line of status.
func (k keptJSON) String() string {
	are := count(k.Changes, "change to %s is", "changes to %s are")
	text := fmt.Sprintf(are+" kept back by %s", k.System, k.Rule)
	if !k.until.IsZero() {
		text += ", the first until " + moment(k.until)
	}
	return text
}
