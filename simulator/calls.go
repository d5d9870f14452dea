package simulator

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// Texts says how late after the end of a call its texts can be read, and what is
// answered until then: 404, or 202 where Accepted is set. A call that was put without
// a text never gets one, and one without an end_time is not over.
type Texts struct {
	Transcript time.Duration
	Summary    time.Duration
	Accepted   bool
}

// SetTexts replaces the lateness of all texts, of past calls too. At first they are
// there as soon as the call is.
func (s *Sim) SetTexts(t Texts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts = t
}

// callResource is the calls that were made. They can only be read; a test adds them
// with Put, their texts among their fields.
func callResource(segment string) *resource {
	return &resource{
		name: "calls", segment: segment, one: "call", letter: "k", readOnly: true, parts: []string{"transcript", "summary"},
		fields: []field{
			{name: "phone_number", kind: phoneField, filter: true},
			{name: "call_type", filter: true},
			{name: "call_status", filter: true},
			{name: "outcome"},
			{name: "is_outbound"},
			{name: "contact_id", filter: true},
			{name: "reservation_id"},
			{name: "start_time"},
			{name: "end_time"},
			{name: "duration"},
		},
		after:  "started_after",
		began:  "start_time",
		sortBy: func(f map[string]any) string { return textOf(f, "start_time") },
	}
}

// part answers the text of a call that is read on its own.
func (s *Sim) part(c *call, t *table) answer {
	r := t.rows[c.id]
	if r == nil {
		return s.notFound(c)
	}
	text := textOf(r.fields, c.part)
	if text == "" || !s.ready(r, c.part) {
		if s.texts.Accepted {
			return answer{status: http.StatusAccepted, header: jsonHeader(), body: []byte(`{"status":"processing"}`)}
		}
		return s.refuse(problem{http.StatusNotFound, "not_found", c.part + " not found"})
	}
	return answer{status: http.StatusOK, header: jsonHeader(), body: s.api.traits.single(c.part, concat(`{"text":`, encode(text), `}`))}
}

// ready reports whether a text of a call can be read.
func (s *Sim) ready(r *row, part string) bool {
	end, err := time.Parse(time.RFC3339, textOf(r.fields, "end_time"))
	late := map[string]time.Duration{"transcript": s.texts.Transcript, "summary": s.texts.Summary}[part]
	return err == nil && !s.now().Before(end.Add(late))
}

// isPart reports whether a path below a record is one of the texts that are read there.
func (r *resource) isPart(rest []string) bool {
	return len(rest) == 2 && slices.Contains(r.parts, rest[1])
}

// overrideCalls is what a client has to be told of calls; nil where there are none.
func (t Traits) overrideCalls() any {
	if t.Calls == "" {
		return nil
	}
	o := t.overrideKind("call", "/"+t.Calls, t.Calls, t.Body, nil)
	for _, written := range []string{"create", "update", "delete", "created"} {
		delete(o, written)
	}
	reads := map[string]any{}
	for _, part := range callResource(t.Calls).parts {
		item := map[SingleForm]string{SingleData: "data.text", SingleBare: "text", SingleNamed: part + ".text"}[t.Single]
		reads[part] = map[string]any{"path": "/" + t.Calls + "/{id}/" + part, "item": item}
	}
	o["sub_reads"] = reads
	return o
}

func (s *Sim) controlTexts(r *http.Request) (any, error) {
	var in struct {
		Transcript span `json:"transcript"`
		Summary    span `json:"summary"`
		Accepted   bool `json:"accepted"`
	}
	if err := readStrict(r, &in); err != nil {
		return nil, err
	}
	if in.Transcript < 0 || in.Summary < 0 {
		return nil, fmt.Errorf("transcript and summary are how late a text is: not before the end of the call")
	}
	s.SetTexts(Texts{time.Duration(in.Transcript), time.Duration(in.Summary), in.Accepted})
	return done{}, nil
}
