package serve

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/sync/engine"
	"nightporter/sync/schedule"
)

// step is a run that ended, and what is said of it: "" for nothing.
type step struct {
	at   time.Duration
	job  string
	what string
	err  error
	want string
}

func TestTroubleToldOnce(t *testing.T) {
	const told, over = "runs fail until this is mended", "runs go on again"
	down := func(op string) error {
		return &connectors.Error{Class: connectors.Transient, Op: op, Err: errors.New("unreachable"), Hint: "look at the line to api.example.com"}
	}
	at := func(class connectors.ErrorClass, status int, host, text string) error {
		return &connectors.Error{Class: class, Op: "fetch contacts", Host: host, Status: status, Hint: "look at it", Err: errors.New(text)}
	}
	const pms, crm = "pms.example.com", "crm.example.com"
	key := func(op string) error {
		return &connectors.Error{Class: connectors.Unauthorized, Op: op, Host: pms, Status: 401, Hint: "the system does not know the key"}
	}
	various := func(n int) []step {
		var steps []step
		for i := range n {
			s := step{time.Duration(i) * time.Minute, "guests", "left", fmt.Errorf("table %c of the state is odd", 'a'+i), ""}
			if i <= mostCauses {
				s.want = told
			}
			steps = append(steps, s)
		}
		return append(steps, step{time.Hour, "guests", "left", nil, over})
	}
	column := func(text string) error {
		return &connectors.Error{Class: connectors.Malformed, Op: "fetch guests", Err: errors.New(text)}
	}
	for name, steps := range map[string][]step{
		"a key that is not known stops two jobs": {
			{0, "guests", "left", key("fetch contacts"), told},
			{time.Minute, "reservations", "left", key("fetch reservations"), ""},
			{2 * time.Minute, "reservations", "left", key("get reservations"), ""},
			{3 * time.Minute, "reservations", "left", nil, ""},
			{4 * time.Minute, "guests", "left", nil, over},
			{5 * time.Minute, "guests", "left", nil, ""},
			{6 * time.Minute, "guests", "left", key("fetch contacts"), told},
		},
		"a column of one side is missed, the other side goes on": {
			{0, "guests", "right", column("no such column: language"), told},
			{time.Minute, "guests", "left", nil, ""},
			{2 * time.Minute, "guests", "right", column("table guests has no column"), ""},
			{3 * time.Minute, "guests", "kick", column("table guests has no column"), ""},
			{4 * time.Minute, "reservations", "full", nil, ""},
			{5 * time.Minute, "guests", "full", nil, over},
		},
		"a line that is down for a moment is nobody's concern": {
			{0, "guests", "left", down("fetch contacts"), ""},
			{time.Minute, "guests", "left", down("fetch contacts"), ""},
			{2 * time.Minute, "guests", "left", nil, ""},
			{3 * time.Minute, "guests", "left", down("fetch contacts"), ""},
		},
		"a line that stays down": {
			{0, "guests", "left", down("fetch contacts"), ""},
			{9 * time.Minute, "reservations", "left", down("fetch reservations"), ""},
			{10 * time.Minute, "reservations", "left", down("fetch reservations"), told},
			{time.Hour, "guests", "left", down("get contacts"), ""},
			{2 * time.Hour, "guests", "left", nil, ""},
			{3 * time.Hour, "reservations", "left", nil, over},
		},
		"a person is asked, and the numbers change meanwhile": {
			{0, "guests", "left", fmt.Errorf("%w: 47 of 47 changed at once", engine.ErrHalted), told},
			{time.Minute, "guests", "kick", fmt.Errorf("%w: 47 of 49 changed at once", engine.ErrHalted), ""},
			{2 * time.Minute, "guests", "full", nil, over},
		},
		"another cause takes its place": {
			{0, "guests", "left", key("fetch contacts"), told},
			{time.Minute, "guests", "left", column("no such column: language"), told},
			{2 * time.Minute, "guests", "left", nil, over},
		},
		"keys of two systems are not known": {
			{0, "guests", "left", at(connectors.Unauthorized, 401, pms, "no such key"), told},
			{time.Minute, "calls", "left", at(connectors.Unauthorized, 401, crm, "no such key"), told},
			{2 * time.Minute, "guests", "left", nil, over},
			{3 * time.Minute, "calls", "left", at(connectors.Unauthorized, 401, crm, "no such key"), ""},
			{4 * time.Minute, "calls", "left", nil, over},
		},
		"a system that is away in turns": {
			{0, "guests", "left", at(connectors.Transient, 0, pms, "connection refused"), ""},
			{4 * time.Minute, "guests", "left", at(connectors.Throttled, 503, pms, "HTTP 503"), ""},
			{8 * time.Minute, "guests", "left", at(connectors.Malformed, 200, pms, "a web page"), ""},
			{12 * time.Minute, "guests", "left", at(connectors.Transient, 0, pms, "no answer in time"), told},
			{16 * time.Minute, "guests", "left", at(connectors.Transient, 502, pms, "HTTP 502"), ""},
			{20 * time.Minute, "guests", "left", nil, over},
		},
		"two systems that are away in turns": {
			{0, "guests", "full", at(connectors.Transient, 0, pms, "connection refused"), ""},
			{6 * time.Minute, "guests", "full", at(connectors.Transient, 0, crm, "connection refused"), ""},
			{12 * time.Minute, "guests", "full", at(connectors.Transient, 0, pms, "connection refused"), told},
			{18 * time.Minute, "guests", "full", at(connectors.Transient, 0, crm, "connection refused"), told},
			{24 * time.Minute, "guests", "full", at(connectors.Transient, 0, pms, "connection refused"), ""},
			{30 * time.Minute, "guests", "full", at(connectors.Transient, 0, crm, "connection refused"), ""},
			{36 * time.Minute, "guests", "full", nil, over},
		},
		"a sentence that is another each time": {
			{0, "@backup", "full", errors.New("back up to np-20260301T000000.db: no room"), told},
			{time.Hour, "@backup", "full", errors.New("back up to np-20260301T010000.db: no room"), ""},
			{2 * time.Hour, "@backup", "full", nil, over},
		},
		"a sentence that is wholly another each time": various(mostCauses + 5),
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			tr := newTroubles(slog.New(slog.NewTextHandler(&out, nil)))
			begin := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
			for i, s := range steps {
				out.Reset()
				if s.err != nil {
					tr.failed(t.Context(), s.job, s.what, s.err, begin.Add(s.at))
				} else {
					tr.ended(t.Context(), s.job, s.what, begin.Add(s.at))
				}
				if got := out.String(); s.want == "" && got != "" || !strings.Contains(got, s.want) {
					t.Errorf("step %d: said %q, want %q", i, got, s.want)
				}
			}
		})
	}
}

// What a job tried that is not tried any more keeps no trouble open: who fails of the
// same again is told of.
func TestTroubleOfWhatIsGone(t *testing.T) {
	every, err := schedule.Parse("every 1m", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	for name, kept := range map[string][]schedule.Job{
		"a job that is gone":     {{Binding: "guests", Left: every}},
		"a cadence that is gone": {{Binding: "guests", Left: every}, {Binding: "calls", Full: every}},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			tr := newTroubles(slog.New(slog.NewTextHandler(&out, nil)))
			now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
			key := &connectors.Error{Class: connectors.Unauthorized, Op: "fetch contacts", Host: "api.example.com", Status: 401}
			tr.failed(t.Context(), "guests", "left", key, now)
			tr.failed(t.Context(), "calls", "left", key, now)
			tr.keep(t.Context(), triedBy(kept), now)
			tr.ended(t.Context(), "guests", "left", now)
			out.Reset()
			tr.failed(t.Context(), "guests", "left", key, now.AddDate(1, 0, 0))
			if got := out.String(); !strings.Contains(got, "runs fail until this is mended") {
				t.Errorf("a year later: said %q, want it told", got)
			}
		})
	}
}
