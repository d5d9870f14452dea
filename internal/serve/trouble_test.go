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
)

func TestTroubleToldOnce(t *testing.T) {
	const told, over = "runs fail until this is mended", "runs go on again"
	down := func(op string) error {
		return &connectors.Error{Class: connectors.Transient, Op: op, Err: errors.New("unreachable"), Hint: "look at the line to api.example.com"}
	}
	key := func(op string) error {
		return &connectors.Error{Class: connectors.Unauthorized, Op: op, Status: 401, Hint: "the system does not know the key"}
	}
	column := func(text string) error {
		return &connectors.Error{Class: connectors.Malformed, Op: "fetch guests", Err: errors.New(text)}
	}
	type step struct {
		at   time.Duration
		job  string
		what string
		err  error
		want string // what is said at this step, "" for nothing
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
