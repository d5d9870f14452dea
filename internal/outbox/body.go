package outbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"time"

	"nightporter/sync/record"
)

// maxBody is how large a body may be. One that Standard Webhooks has in mind is of a
// few kilobytes.
const maxBody = 256 << 10

// payload is an event as it is sent.
type payload struct {
	Type      record.EventType `json:"type"`
	Timestamp string           `json:"timestamp"`
	Data      json.RawMessage  `json:"data"`
}

// Template is a body in a shape of the receiver's own. Nil is {type, timestamp, data}.
type Template struct{ t *template.Template }

// ParseTemplate reads a template: text/template with the function json, which quotes a
// value as JSON. It has .id, .type, .timestamp and .data. A key that an event has not
// is an error.
func ParseTemplate(text string) (*Template, error) {
	t, err := template.New("body").Option("missingkey=error").Funcs(template.FuncMap{"json": quoted}).Parse(text)
	if err != nil {
		return nil, plainly(err)
	}
	return &Template{t}, nil
}

// quoted is a value as JSON, without the escapes that only HTML needs.
func quoted(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// Check makes a body of an event of each type that a topic names, with and without what
// may be missing: what fails here would fail at night.
func (t *Template) Check(topic Topic) error {
	for _, e := range samples(topic) {
		if _, err := body(t, e); err != nil {
			return fmt.Errorf("for an event of type %s: %w", e.Type, err)
		}
	}
	return nil
}

// body is what is sent of an event: JSON.
func body(t *Template, e record.Event) ([]byte, error) {
	if t == nil {
		return json.Marshal(payload{Type: e.Type, Timestamp: stamp(e.At), Data: e.Data})
	}
	dec := json.NewDecoder(bytes.NewReader(e.Data))
	dec.UseNumber()
	var data map[string]any
	if err := dec.Decode(&data); err != nil {
		return nil, fmt.Errorf("read the data of event %s: %w", e.ID, err)
	}
	var b bytes.Buffer
	err := t.t.Execute(&limited{&b}, map[string]any{"id": e.ID, "type": string(e.Type), "timestamp": stamp(e.At), "data": data})
	if err != nil {
		return nil, plainly(err)
	}
	if !json.Valid(b.Bytes()) {
		return nil, errors.New("the body is no JSON: write values with {{json .data.text}}, without quotes around it")
	}
	return b.Bytes(), nil
}

// limited is a buffer that a template can't fill the memory with.
type limited struct{ *bytes.Buffer }

// Write refuses what would make the body too large.
func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxBody {
		return 0, fmt.Errorf("the body is larger than %d bytes", maxBody)
	}
	return l.Buffer.Write(p)
}

// plainly is an error of text/template without its first words, which name the library.
func plainly(err error) error {
	text := strings.TrimPrefix(err.Error(), "template: body:")
	text = strings.Replace(text, `executing "body" at `, "at ", 1)
	return errors.New(strings.TrimSpace(strings.ReplaceAll(text, "map has no entry for key", "no event of this type has")))
}

// samples is all that a template may meet: events of the types that a topic names, of
// each one with as much in it as there can be and one with as little, and a ping.
func samples(topic Topic) []record.Event {
	return append(examples(topic), PingOf(topic, time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)))
}

// examples is samples without the ping.
func examples(topic Topic) []record.Event {
	at := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	systems := [2]record.System{"pms", "platform"}
	refs := [2]record.Ref{{Kind: "reservations", ID: "1042"}, {Kind: "reservations", ID: "r_77"}}
	reasons := []record.FieldReason{{Field: "status", After: record.OfText("confirmed")}}
	for _, f := range topic.Fields {
		reasons = append(reasons, record.FieldReason{Field: f, After: record.OfText(`a "value"`)})
	}
	job := record.Binding("reservations")
	if len(topic.Jobs) > 0 {
		job = topic.Jobs[0]
	}
	happened := []record.Happening{}
	for _, more := range []bool{true, false} {
		h := record.Happening{Binding: job, At: at, Systems: systems}
		create := &record.Intent{ID: "01J", Run: 7, Place: record.Place{Binding: job, Side: record.Left}, Change: record.Change{Op: record.Create}}
		asked := &record.Question{Subject: record.Subject{Link: 1, Field: "status"}, ID: 12}
		if more {
			h.Refs, create.Fields = refs, reasons
			asked.Left, asked.Right = record.OfText("a"), record.OfText("b")
		}
		change, conflicted, kept, stood, fails, mends := h, h, h, h, h, h
		change.Change, conflicted.Question = create, asked
		kept.Held = &record.Stage{Size: 11, Question: record.Question{
			Subject: record.Subject{Set: "5b0c2f1e"}, Run: 7, Why: "11 records would be cancelled or rejected in pms", Expires: at.AddDate(0, 0, 7),
		}}
		stood.Question = &record.Question{Cause: "empty", Why: "pms shows no record", Next: "nightporter sync " + string(job)}
		fails.Ended = &record.Run{ID: 7, Outcome: record.Failed, Ended: at}
		mends.Ended = &record.Run{ID: 8, Outcome: record.Done, Ended: at.Add(time.Hour)}
		happened = append(happened, change, conflicted, kept, stood, fails, mends)
	}
	told, err := Tell(Rules{Topics: map[string]Topic{"": topic}, Rooms: map[record.Binding]record.Side{job: record.Left}}, happened, nil)
	if err != nil {
		return nil
	}
	return told.Events
}

// PingOf is an event that tells nothing but that events arrive. Its data has the members
// of the first type that the topic names, so that a template made for that type fits.
// Each has an id of its own.
func PingOf(topic Topic, at time.Time) record.Event {
	e := record.Event{ID: idOf("", record.Happening{What: "ping", At: at}, record.Ping), Type: record.Ping, At: at}
	like := append(slices.Clone(topic.About), record.Pushed)[0]
	data := map[string]any{}
	for _, x := range examples(topic) { // the last one has least in it
		if x.Type == like {
			clear(data)
			_ = json.Unmarshal(x.Data, &data) // it was made just now
		}
	}
	data["text"], data["run"] = "nightporter asks whether its events arrive", 0
	e.Data, _ = json.Marshal(data) //nolint:errchkjson // it was read from JSON
	return e
}
