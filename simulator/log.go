package simulator

import (
	"maps"
	"slices"
	"time"
)

// Request is one request that arrived.
type Request struct {
	At     time.Time `json:"at"`
	Method string    `json:"method"`
	Path   string    `json:"path"`            // as sent, with the prefix
	Query  string    `json:"query,omitempty"` // as sent
	// Status is that of the answer; 0 while it is under way and when the connection
	// was dropped instead.
	Status int    `json:"status"`
	Body   string `json:"body,omitempty"`
}

// Counts says what a Sim was asked, failed requests included.
type Counts struct {
	// Routes counts by method and route below the prefix: "GET /contacts",
	// "PATCH /contacts/{id}", "GET other" for an unknown path.
	Routes   map[string]int `json:"routes"`
	Lists    int            `json:"lists"`    // GET of a collection, finds included
	Mutating int            `json:"mutating"` // all but GET and HEAD
	Total    int            `json:"total"`
}

// Counts returns the counts since the last reset.
func (s *Sim) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counts
	c.Routes = maps.Clone(c.Routes)
	return c
}

// ResetCounts sets all counts to zero; the log stays.
func (s *Sim) ResetCounts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts = Counts{Routes: map[string]int{}}
}

// Requests returns the last requests in order of arrival, with their bodies.
func (s *Sim) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	from := max(0, len(s.log)-s.opt.KeepRequests)
	out := make([]Request, 0, len(s.log)-from)
	for _, r := range s.log[from:] {
		out = append(out, *r)
	}
	return out
}

func (s *Sim) record(c *call) {
	s.counts.Routes[c.method+" "+c.route]++
	s.counts.Total++
	if c.lists() {
		s.counts.Lists++
	}
	if c.writes() {
		s.counts.Mutating++
	}
	if len(s.log) >= 2*s.opt.KeepRequests {
		s.log = slices.Clone(s.log[len(s.log)-s.opt.KeepRequests:])
	}
	c.entry = &Request{At: s.now(), Method: c.method, Path: c.path, Query: c.rawQuery, Body: string(c.body)}
	s.log = append(s.log, c.entry)
}
