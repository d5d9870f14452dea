package outbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"nightporter/sync/record"
)

// Topic is what a destination is told of. The zero Topic is all of it, without a value.
type Topic struct {
	About  []record.EventType // empty: all
	Jobs   []record.Binding   // empty: all
	Fields []string           // canonical fields of which the values go along
}

// wants reports whether a destination is told of an event.
func (t Topic) wants(typ record.EventType, b record.Binding) bool {
	return (len(t.About) == 0 || slices.Contains(t.About, typ)) && (len(t.Jobs) == 0 || slices.Contains(t.Jobs, b))
}

// Rules is all that decides which events are made of what happened.
type Rules struct {
	Install string // two installations never give one id to two things
	Topics  map[string]Topic
	// Rooms is the side that has the rooms, of jobs of reservations.
	Rooms map[record.Binding]record.Side
	// Plain is the jobs of which values go along where they were asked for. Of others none
	// does: what was written is made digests of only when its run has ended, events may be
	// made before, and of a job that is not there any more nobody knows what it kept.
	Plain map[record.Binding]bool
}

// Record names a record in the data of an event. The id is missing where it is not known.
type Record struct {
	System record.System `json:"system"`
	Kind   record.Kind   `json:"kind"`
	ID     string        `json:"id"`
}

// The data of events, by type. Each has a sentence for people, without a value.
type (
	pushed struct {
		Text    string                  `json:"text"`
		Job     record.Binding          `json:"job"`
		Run     int64                   `json:"run"`
		Change  string                  `json:"change"` // its id, as nightporter explain shows it
		Op      string                  `json:"op"`     // "create", "update", "delete" or the name of an action
		To      Record                  `json:"to"`     // that was written
		From    Record                  `json:"from"`   // that it was made from
		Changed []string                `json:"changed"`
		Fields  map[string]record.Value `json:"fields"`
	}
	conflict struct {
		Text     string          `json:"text"`
		Job      record.Binding  `json:"job"`
		Run      int64           `json:"run"`
		Conflict int64           `json:"conflict"`
		Field    string          `json:"field"`
		Left     Record          `json:"left"`
		Right    Record          `json:"right"`
		Command  string          `json:"command"`
		Fields   map[string]both `json:"fields"`
	}
	both struct {
		Left  record.Value `json:"left,omitzero"`
		Right record.Value `json:"right,omitzero"`
	}
	held struct {
		Text    string         `json:"text"`
		Job     record.Binding `json:"job"`
		Run     int64          `json:"run"`
		Held    string         `json:"held"` // the set, as nightporter staged shows it
		System  record.System  `json:"system"`
		Changes int            `json:"changes"`
		Why     string         `json:"why"`
		Expires string         `json:"expires"` // then it is asked anew
		Command string         `json:"command"`
	}
	halt struct {
		Text    string         `json:"text"`
		Job     record.Binding `json:"job"`
		Run     int64          `json:"run"`
		Halt    string         `json:"halt"`
		System  record.System  `json:"system"`
		Why     string         `json:"why"`
		Command string         `json:"command"`
	}
	failed struct {
		Text    string         `json:"text"`
		Job     record.Binding `json:"job"`
		Run     int64          `json:"run"`
		Command string         `json:"command"`
	}
	recovered struct {
		Text       string         `json:"text"`
		Job        record.Binding `json:"job"`
		Run        int64          `json:"run"`
		Since      string         `json:"since"` // it failed
		FailedRuns int            `json:"failed_runs"`
	}
)

// draft is an event before it is known who is told; data is what a destination that
// asked for the values of these fields gets.
type draft struct {
	typ  record.EventType
	data func(fields []string) any
}

// Tell makes events of what happened, in that order, and says which rows of failed
// runs changed by it. It is a function of its arguments: told twice of the same it
// makes the same events with the same ids.
func Tell(rules Rules, happened []record.Happening, failing map[record.Binding]*record.Failing) (record.Told, error) {
	told := record.Told{Failing: map[record.Binding]*record.Failing{}}
	now := func(b record.Binding) *record.Failing {
		if f, changed := told.Failing[b]; changed {
			return f
		}
		return failing[b]
	}
	for _, h := range happened {
		told.Through = h.Seq
		var drafts []draft
		switch {
		case h.Change != nil:
			drafts = ofChange(rules, h)
		case h.Question != nil && !h.Question.IsSide():
			drafts = []draft{ofConflict(h)}
		case h.Held != nil:
			drafts = []draft{ofHeld(h)}
		case h.Question != nil:
			drafts = []draft{ofHalt(h)}
		case h.Ended != nil:
			before := now(h.Binding)
			after := follow(before, *h.Ended)
			drafts = ofRun(h, before, after)
			if before != after {
				told.Failing[h.Binding] = after
			}
		}
		for _, d := range drafts {
			events, err := address(rules, h, d)
			if err != nil {
				return told, err
			}
			told.Events = append(told.Events, events...)
		}
	}
	return told, nil
}

// address makes an event for each destination that wants it.
func address(rules Rules, h record.Happening, d draft) ([]record.Event, error) {
	var out []record.Event
	names := make([]string, 0, len(rules.Topics))
	for name := range rules.Topics {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		topic := rules.Topics[name]
		if !topic.wants(d.typ, h.Binding) {
			continue
		}
		fields := topic.Fields
		if !rules.Plain[h.Binding] {
			fields = nil
		}
		data, err := json.Marshal(d.data(fields))
		if err != nil {
			return nil, fmt.Errorf("make event %s of %s %s: %w", d.typ, h.What, h.Key, err)
		}
		out = append(out, record.Event{
			ID: idOf(rules.Install, h, d.typ), Destination: name, Type: d.typ, Binding: h.Binding, Subject: subjectOf(h), At: h.At, Data: data,
		})
	}
	return out, nil
}

// subjectOf is what an event is about: the record on the left, that on the right where there
// is none, or the job. Events of one subject keep their order at a destination that refuses one.
func subjectOf(h record.Happening) string {
	for side, ref := range h.Refs {
		if ref.ID != "" {
			return fmt.Sprintf("record %s %s %s", h.Systems[side], ref.Kind, ref.ID)
		}
	}
	return "job " + string(h.Binding)
}

// idOf is the id of an event: of what happened and nothing else, so that whoever makes
// it again makes the same. The moment is a part of it because numbers of rows are given
// again after a state was put back to an older copy.
func idOf(install string, h record.Happening, typ record.EventType) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{
		install, string(h.Binding), h.What, h.Key, strconv.FormatInt(h.At.UnixMilli(), 10), string(typ),
	}, "\x00")))
	return "evt_" + hex.EncodeToString(sum[:12])
}

func ofChange(rules Rules, h record.Happening) []draft {
	in := h.Change
	to := in.Place.Side
	x := pushed{
		Job: h.Binding, Run: in.Run, Change: in.ID, Op: in.Change.Op.String(),
		To: recordOf(h, to), From: recordOf(h, to.Other()), Changed: []string{},
	}
	for _, f := range in.Fields {
		if !slices.Contains(x.Changed, f.Field) {
			x.Changed = append(x.Changed, f.Field)
		}
	}
	slices.Sort(x.Changed)
	draftOf := func(typ record.EventType, text string) draft {
		return draft{typ, func(fields []string) any {
			x := x
			x.Text, x.Fields = text, map[string]record.Value{}
			for _, f := range in.Fields {
				if slices.Contains(fields, f.Field) && shown(f.After) {
					x.Fields[f.Field] = f.After
				}
			}
			return x
		}}
	}
	out := []draft{draftOf(record.Pushed, fmt.Sprintf("%s: %s of %s in %s%s", h.Binding, x.Op, x.To, x.To.System, list(x.Changed)))}
	if rooms, is := rules.Rooms[h.Binding]; is && rooms == to && in.Change.Op == record.Create {
		text := fmt.Sprintf("%s: a reservation of %s was entered in %s as %s", h.Binding, x.From.System, x.To.System, x.To)
		out = append(out, draftOf(record.ReservationTaken, text))
	}
	return out
}

func ofConflict(h record.Happening) draft {
	c := h.Question
	return draft{record.Conflicted, func(fields []string) any {
		x := conflict{
			Text: fmt.Sprintf("%s: a person is asked about %s (conflict %d)", h.Binding, c.Field, c.ID),
			Job:  h.Binding, Run: c.Run, Conflict: c.ID, Field: c.Field, Left: recordOf(h, record.Left), Right: recordOf(h, record.Right),
			Command: fmt.Sprintf("nightporter conflicts show %d", c.ID), Fields: map[string]both{},
		}
		if slices.Contains(fields, c.Field) {
			v := both{}
			if shown(c.Left) {
				v.Left = c.Left
			}
			if shown(c.Right) {
				v.Right = c.Right
			}
			x.Fields[c.Field] = v
		}
		return x
	}}
}

func ofHeld(h record.Happening) draft {
	st := h.Held
	return draft{record.HeldEvent, func([]string) any {
		return held{
			Text: fmt.Sprintf("%s: a guard holds changes to %s until a person decides: %s", h.Binding, h.Systems[st.Side], st.Why),
			Job:  h.Binding, Run: st.Run, Held: st.Set, System: h.Systems[st.Side], Changes: st.Size, Why: st.Why,
			Expires: stamp(st.Expires), Command: "nightporter staged " + st.Set,
		}
	}}
}

func ofHalt(h record.Happening) draft {
	stood := h.Question
	return draft{record.HaltedEvent, func([]string) any {
		return halt{
			Text: fmt.Sprintf("%s: halted: %s", h.Binding, stood.Why), Job: h.Binding, Run: stood.Run, Halt: string(stood.Cause),
			System: h.Systems[stood.Side], Why: stood.Why, Command: stood.Next,
		}
	}}
}

// ofRun tells when runs begin to fail, and when they go on again. Why stays here: it may
// hold what a system answered.
func ofRun(h record.Happening, before, after *record.Failing) []draft {
	r := h.Ended
	switch {
	case before == nil && after != nil:
		return []draft{{record.FailedEvent, func([]string) any {
			return failed{
				Text: fmt.Sprintf("%s: run %d failed", h.Binding, r.ID), Job: h.Binding, Run: r.ID,
				Command: fmt.Sprintf("nightporter runs %d", r.ID),
			}
		}}}
	case before != nil && after == nil:
		return []draft{{record.Recovered, func([]string) any {
			return recovered{
				Text: fmt.Sprintf("%s: runs go on again after %d that failed", h.Binding, before.Runs), Job: h.Binding, Run: r.ID,
				Since: stamp(before.Since), FailedRuns: before.Runs,
			}
		}}}
	}
	return nil
}

// shown reports whether there is a value that can go along: digests can't.
func shown(v record.Value) bool { return v.Observed() && !v.Sealed() }

func recordOf(h record.Happening, side record.Side) Record {
	return Record{System: h.Systems[side], Kind: h.Refs[side].Kind, ID: h.Refs[side].ID}
}

// String is the record without its system.
func (r Record) String() string {
	if r.ID == "" {
		return "a record"
	}
	return fmt.Sprintf("%s:%s", r.Kind, r.ID)
}

func list(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// stamp is a moment as events show it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }
