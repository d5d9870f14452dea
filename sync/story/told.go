package story

import (
	"encoding/json"
	"time"

	"nightporter/sync/record"
)

// Story is a record's story as it is told.
type Story struct {
	Sentence string         `json:"sentence"`
	Job      record.Binding `json:"job"`
	Records  []Teller       `json:"records"`
	InStep   bool           `json:"in_step"`
	Why      []string       `json:"why"`            // it is not in step
	Next     []string       `json:"next,omitempty"` // commands that answer what waits for a person
	Notes    []string       `json:"notes,omitempty"`
	Events   []Event        `json:"events"` // newest last
}

// Teller is one record of the story as it stands now.
type Teller struct {
	System record.System     `json:"system"`
	Record record.Ref        `json:"record"`
	State  record.EntryState `json:"state,omitempty"` // "" is in step
	Since  Moment            `json:"since"`           // when it was first seen
	Fields map[string]Shown  `json:"fields"`
}

// Event is one thing that happened.
type Event struct {
	At     Moment        `json:"at"`
	Kind   string        `json:"kind"` // one of the Event names
	Run    int64         `json:"run,omitempty"`
	Change string        `json:"change,omitempty"` // its id
	Op     string        `json:"op,omitempty"`
	State  string        `json:"state,omitempty"`
	System record.System `json:"system,omitempty"` // in which it happened
	Record *record.Ref   `json:"record,omitempty"`
	From   record.System `json:"from,omitempty"` // where the values come from
	Text   string        `json:"text"`
	Fields []Told        `json:"fields,omitempty"`
	Answer string        `json:"answer,omitempty"` // of the system
	By     string        `json:"by,omitempty"`     // who made the change there, as far as a system tells
}

// The kinds of events.
const (
	EventSeen     = "first seen"
	EventLinked   = "linked"
	EventChange   = "change"
	EventUndo     = "undo"
	EventConflict = "conflict"
	EventDecided  = "decided"
	EventClosed   = "conflict closed"
	EventAlert    = "alert"
)

// Told is one field of an event.
type Told struct {
	Field  string `json:"field"`
	Before Shown  `json:"before,omitzero"`
	After  Shown  `json:"after,omitzero"`
	Loser  Shown  `json:"loser,omitzero"`
	Rule   string `json:"rule,omitempty"`
	Why    string `json:"why,omitempty"`
}

// Shown is a value as it is shown: one of which only a digest is kept is
// {"kept": "digest"}.
type Shown struct{ record.Value }

// IsZero reports whether there is no value.
func (s Shown) IsZero() bool { return !s.Observed() }

// MarshalJSON is the value, or that only a digest of it is kept.
func (s Shown) MarshalJSON() ([]byte, error) {
	if s.Sealed() {
		return []byte(`{"kept":"digest"}`), nil
	}
	return s.Value.MarshalJSON()
}

// Moment is a time that is empty in JSON where there is none.
type Moment struct{ time.Time }

// IsZero reports whether there is none.
func (m Moment) IsZero() bool { return m.Time.IsZero() }

// MarshalJSON is the time in UTC to the second, "" for none.
func (m Moment) MarshalJSON() ([]byte, error) {
	if m.IsZero() {
		return []byte(`""`), nil
	}
	return json.Marshal(m.UTC().Format(time.RFC3339))
}

func shownFields(f record.Fields) map[string]Shown {
	out := make(map[string]Shown, len(f))
	for name, v := range f {
		if v.Observed() {
			out[name] = Shown{v}
		}
	}
	return out
}
