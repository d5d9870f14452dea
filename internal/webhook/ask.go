package webhook

import (
	"errors"
	"net/http"
	"time"

	"nightporter/sync/record"
)

// MalformedError says what is wrong with a delivery, without anything of it.
type MalformedError string

// Error is what is wrong.
func (m MalformedError) Error() string { return string(m) }

// ask keeps what a delivery asks for, and hints at it. What is kept and could not be hinted
// at is answered by 503 and comes again: that it was asked for before is known by then.
func (r *Receiver) ask(s *source, req *http.Request, body []byte, now time.Time) (status int, text string) {
	id, err := s.Ask(req.Context(), req.Header, body, now)
	if m := MalformedError(""); errors.As(err, &m) {
		s.Malformed.Add(1)
		return http.StatusBadRequest, m.Error()
	}
	if err != nil {
		s.Busy.Add(1)
		r.fails(req.Context(), s, "what a delivery asks for can't be kept", err)
		return http.StatusServiceUnavailable, "the delivery could not be kept"
	}
	var hints []record.Hint
	for _, p := range s.Places[s.Asked] {
		hints = append(hints, record.Hint{Place: p, Ref: record.Ref{Kind: s.Asked, ID: id}, At: now})
	}
	return r.store(req.Context(), s, hints, 1)
}
