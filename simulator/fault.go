package simulator

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// FaultKind says how a request goes wrong.
type FaultKind string

// The fault kinds. Of the first group a request suffers one, the first that was
// armed; the others add up. A kind that shapes lists touches, and counts, nothing
// but lists; FaultGetLag nothing but reads by id; the late kinds and FaultIgnored
// nothing but writes; FaultReplace nothing but updates. A fault without Times is a
// trait of the server.
const (
	FaultStatus     FaultKind = "status"      // answer Status (503 when 0), apply nothing
	FaultThrottle   FaultKind = "throttle"    // answer 429, apply nothing
	FaultDropBefore FaultKind = "drop_before" // close the connection, apply nothing
	FaultDropAfter  FaultKind = "drop_after"  // apply, then close the connection
	FaultLateDrop   FaultKind = "late_drop"   // close the connection, apply Delay later
	FaultLate504    FaultKind = "late_504"    // answer 504, apply Delay later
	FaultHTML       FaultKind = "html"        // answer Status (200 when 0) with a page of HTML, apply nothing
	FaultRefused    FaultKind = "refused"     // answer that the API does not take this (405, or Status), apply nothing
	FaultTruncated  FaultKind = "truncated"   // apply, then send half of the answer's JSON

	FaultLatency FaultKind = "latency" // wait Delay before anything else
	FaultHeaders FaultKind = "headers" // answers bear Headers, in place of their own of these names

	FaultClamp         FaultKind = "clamp"           // lists show at most Limit rows and claim the limit asked for
	FaultOffsetIgnored FaultKind = "offset_ignored"  // lists start at the first row, whatever offset or cursor
	FaultFilterIgnored FaultKind = "filter_ignored"  // lists ignore filters and windows
	FaultFieldsLeftOut FaultKind = "fields_left_out" // list items lack Fields; "name.family" is one part of a group
	FaultListLag       FaultKind = "list_lag"        // lists show the state of Delay ago, but none older than the fault
	FaultIDMissing     FaultKind = "id_missing"      // one item of a page has no id
	FaultItemTwice     FaultKind = "item_twice"      // the last item of a page is a copy of the first
	FaultNoList        FaultKind = "no_list"         // the envelope comes without its list
	FaultEmptyList     FaultKind = "empty_list"      // lists are empty, at their end, with 200
	FaultTotalWrong    FaultKind = "total_wrong"     // meta.total is -1
	FaultTotalMissing  FaultKind = "total_missing"   // meta has no total
	FaultMaxOffset     FaultKind = "max_offset"      // lists show no more than the first Limit rows, whatever they say
	FaultRenamed       FaultKind = "renamed"         // the envelope's keys Fields end in _v2
	FaultShuffled      FaultKind = "shuffled"        // each page is cut from the rows in another order
	FaultEndless       FaultKind = "endless"         // behind the last row follow made-up ones, of new ids, without an end

	FaultIgnored FaultKind = "ignored" // Fields that are sent are not stored, without a word; as of FaultFieldsLeftOut
	FaultReplace FaultKind = "replace" // what an update is not sent is emptied, required or not: of Fields, or of all when none is named

	FaultGetLag FaultKind = "get_lag" // reads by id show the state of Delay ago, as FaultListLag
)

// FaultKinds is every kind of fault.
func FaultKinds() []FaultKind {
	return []FaultKind{
		FaultStatus, FaultThrottle, FaultDropBefore, FaultDropAfter, FaultLateDrop, FaultLate504, FaultHTML, FaultRefused, FaultTruncated,
		FaultLatency, FaultHeaders, FaultClamp, FaultOffsetIgnored, FaultFilterIgnored, FaultFieldsLeftOut, FaultListLag, FaultIDMissing,
		FaultItemTwice, FaultNoList, FaultEmptyList, FaultTotalWrong, FaultTotalMissing, FaultMaxOffset, FaultRenamed, FaultShuffled,
		FaultEndless, FaultIgnored, FaultReplace, FaultGetLag,
	}
}

// RetryForm is the form of a Retry-After header.
type RetryForm string

// The forms of Retry-After; the zero value sends none.
const (
	RetryNone    RetryForm = ""
	RetrySeconds RetryForm = "seconds"
	RetryDate    RetryForm = "date"
)

// Fault is a way to misbehave and the requests that it befalls.
type Fault struct {
	Kind FaultKind
	// Method is an HTTP method, or "write" for all that write; empty matches all.
	Method string
	// Path is the beginning of the path below the prefix; empty matches all.
	Path string
	// Skip lets the first matching requests pass.
	Skip int
	// Times is how many matching requests it befalls, 0 for all.
	Times int
	// Probability that a matching request is befallen, 0 for always.
	Probability float64

	Status     int           // of FaultStatus, FaultHTML and FaultRefused
	RetryForm  RetryForm     // of FaultStatus and FaultThrottle
	RetryAfter time.Duration // what Retry-After asks for, rounded up to seconds
	Delay      time.Duration
	Limit      int
	Fields     []string
	Headers    map[string]string
	// Applied makes FaultStatus, FaultThrottle, FaultHTML and FaultRefused apply a write all the same.
	Applied bool
}

// armed is a fault in force.
type armed struct {
	Fault
	id     int
	passed int
	hits   int
	since  int64 // number of the last change before it was armed
}

// shape is what the faults do to one request.
type shape struct {
	end           *armed // of the group that excludes each other
	latency       time.Duration
	limit         int
	offsetIgnored bool
	filterIgnored bool
	hidden        []string
	idMissing     bool
	twice         bool
	noList        bool
	empty         bool
	totalWrong    bool
	totalMissing  bool
	most          int // rows that can be reached, 0 for all
	renamed       []string
	lag           *armed
	shuffled      bool
	endless       bool
	headers       map[string]string
	ignored       []string
	replace       *armed
}

// AddFault arms a fault and returns its number.
func (s *Sim) AddFault(f Fault) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faultIDs++
	s.faults = append(s.faults, &armed{Fault: f, id: s.faultIDs, since: s.clock})
	return s.faultIDs
}

// RemoveFault disarms one fault and tells whether it was armed.
func (s *Sim) RemoveFault(id int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.faults)
	s.faults = slices.DeleteFunc(s.faults, func(f *armed) bool { return f.id == id })
	return len(s.faults) < before
}

// ClearFaults disarms all faults. Writes that are to be applied late still are.
func (s *Sim) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// FaultHits is how many requests a fault befell.
func (s *Sim) FaultHits(id int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		if f.id == id {
			return f.hits
		}
	}
	return 0
}

// Pending is the number of writes that are still to be applied late.
func (s *Sim) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending
}

// lagging tells whether tables must keep their history.
func (s *Sim) lagging() bool {
	for _, f := range s.faults {
		if f.Kind == FaultListLag || f.Kind == FaultGetLag {
			return true
		}
	}
	return false
}

// reach is which requests a fault kind can befall at all.
type reach int

const (
	reachUnknown reach = iota // of a kind that does not exist
	reachAny
	reachWrites
	reachLists
	reachUpdates
	reachGets
)

// class tells the reach of a kind and whether it is one of those that exclude each other.
func (k FaultKind) class() (r reach, ends bool) {
	switch k {
	case FaultStatus, FaultThrottle, FaultDropBefore, FaultDropAfter, FaultHTML, FaultRefused, FaultTruncated:
		return reachAny, true
	case FaultLateDrop, FaultLate504:
		return reachWrites, true
	case FaultLatency, FaultHeaders:
		return reachAny, false
	case FaultIgnored:
		return reachWrites, false
	case FaultReplace:
		return reachUpdates, false
	case FaultGetLag:
		return reachGets, false
	case FaultClamp, FaultOffsetIgnored, FaultFilterIgnored, FaultFieldsLeftOut, FaultListLag, FaultIDMissing,
		FaultItemTwice, FaultNoList, FaultEmptyList, FaultTotalWrong, FaultTotalMissing, FaultMaxOffset, FaultRenamed,
		FaultShuffled, FaultEndless:
		return reachLists, false
	}
	return reachUnknown, false
}

func (r reach) includes(c *call) bool {
	switch r {
	case reachAny:
		return true
	case reachWrites:
		return c.writes()
	case reachLists:
		return c.lists()
	case reachUpdates:
		return c.updates()
	case reachGets:
		return c.method == http.MethodGet && c.id != ""
	case reachUnknown:
	}
	return false
}

func (f *armed) matches(c *call) bool {
	if r, _ := f.Kind.class(); f.Times > 0 && f.hits >= f.Times || !r.includes(c) {
		return false
	}
	if f.Method == "write" && !c.writes() || f.Method != "" && f.Method != "write" && !strings.EqualFold(f.Method, c.method) {
		return false
	}
	return strings.HasPrefix(c.below, f.Path)
}

// befall is what the armed faults do to a request; each that does is counted.
func (s *Sim) befall(c *call) *shape {
	sh := &shape{}
	for _, f := range s.faults {
		if _, ends := f.Kind.class(); ends && sh.end != nil || !f.matches(c) {
			continue
		}
		if f.Probability > 0 && s.rng.Float64() >= f.Probability {
			continue
		}
		if f.passed < f.Skip {
			f.passed++
			continue
		}
		f.hits++
		sh.take(f)
	}
	return sh
}

func (sh *shape) take(f *armed) {
	switch f.Kind {
	case FaultStatus, FaultThrottle, FaultDropBefore, FaultDropAfter, FaultLateDrop, FaultLate504, FaultHTML, FaultRefused, FaultTruncated:
		sh.end = f
	case FaultLatency:
		sh.latency += f.Delay
	case FaultClamp:
		sh.limit = f.Limit
	case FaultOffsetIgnored:
		sh.offsetIgnored = true
	case FaultFilterIgnored:
		sh.filterIgnored = true
	case FaultFieldsLeftOut:
		sh.hidden = append(sh.hidden, f.Fields...)
	case FaultIDMissing:
		sh.idMissing = true
	case FaultItemTwice:
		sh.twice = true
	case FaultNoList:
		sh.noList = true
	case FaultEmptyList:
		sh.empty = true
	case FaultTotalWrong:
		sh.totalWrong = true
	case FaultTotalMissing:
		sh.totalMissing = true
	case FaultMaxOffset:
		sh.most = f.Limit
	case FaultRenamed:
		sh.renamed = append(sh.renamed, f.Fields...)
	case FaultListLag, FaultGetLag:
		sh.lag = f
	case FaultShuffled:
		sh.shuffled = true
	case FaultEndless:
		sh.endless = true
	case FaultHeaders:
		sh.headers = f.Headers
	case FaultIgnored:
		sh.ignored = append(sh.ignored, f.Fields...)
	case FaultReplace:
		sh.replace = f
	}
}
