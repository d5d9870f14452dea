package story

import (
	"encoding/json"
	"time"

	"nightporter/sync/record"
)

// Story is the story of a record as it is printed.
type Story struct {
	Sentence string         `json:"sentence"`
	Job      record.Binding `json:"job"`
	Records  []Teller       `json:"records"`
	InStep   bool           `json:"in_step"`
	Why      []string       `json:"why"`            // why the record is not in step, reason by reason
	Next     []string       `json:"next,omitempty"` // commands by which a person answers what waits for a person
	Notes    []string       `json:"notes,omitempty"`
	Events   []Event        `json:"events"` // newest last
}

// Teller is one record of the story as it stands now.
type Teller struct {
	System record.System     `json:"system"`
	Record record.Ref        `json:"record"`
	State  record.EntryState `json:"state,omitempty"` // "" means in step
	Since  Moment            `json:"since"`           // when the record was first seen
	Fields map[string]Shown  `json:"fields"`
}

// Event is one thing that happened.
type Event struct {
	At     Moment        `json:"at"`
	Kind   string        `json:"kind"` // EventSeen and the other Event names, or the kind of a Trace
	Run    int64         `json:"run,omitempty"`
	Change string        `json:"change,omitempty"` // id of the change
	Op     string        `json:"op,omitempty"`
	State  string        `json:"state,omitempty"`
	System record.System `json:"system,omitempty"` // the system in which it happened
	Record *record.Ref   `json:"record,omitempty"`
	From   record.System `json:"from,omitempty"` // the system from which the values come
	Text   string        `json:"text"`
	Fields []Told        `json:"fields,omitempty"`
	Answer string        `json:"answer,omitempty"` // what the system answered
	By     string        `json:"by,omitempty"`     // who caused it, as far as that is known
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

// Shown is a value as it is printed. If only a digest of the value is kept, it is {"kept": "digest"}.
type Shown struct{ record.Value }

// IsZero reports whether there is no value.
func (s Shown) IsZero() bool { return !s.Observed() }

// MarshalJSON returns the value, or {"kept": "digest"} if only a digest of it is kept.
func (s Shown) MarshalJSON() ([]byte, error) {
	if s.Sealed() {
		return []byte(`{"kept":"digest"}`), nil
	}
	return s.Value.MarshalJSON()
}

// Moment is a time. In JSON, the zero time is an empty text.
type Moment struct{ time.Time }

// IsZero reports whether there is no time.
func (m Moment) IsZero() bool { return m.Time.IsZero() }

// MarshalJSON returns the time in UTC to the second, or "" for no time.
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
