package main

import (
	"strconv"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

// told wants the changes of a story in their order, each with a text and a time.
func told(ts *testscript.TestScript, _ bool, args []string) {
	type event struct {
		At, Kind, Text, System, Answer, By string
		Run                                int64
		Fields                             []struct{ Field string }
	}
	var out struct {
		Story struct{ Events []event }
	}
	printed(ts, &out)
	var got []string
	last := ""
	for _, e := range out.Story.Events {
		if e.At < last {
			ts.Fatalf("%s is told after %s", e.At, last)
		}
		last = e.At
		if e.Kind != "change" {
			continue
		}
		if e.Text == "" || e.Answer == "" || e.By == "" || e.Run == 0 || len(e.Fields) != 1 {
			ts.Fatalf("not all is told of a change: %+v", e)
		}
		got = append(got, e.Fields[0].Field+">"+e.System)
	}
	if n, err := strconv.Atoi(args[0]); err != nil || n != len(got) {
		ts.Fatalf("got %d changes, want %s: %v", len(got), args[0], got)
	}
	if diff := cmp.Diff(args[1:], got); diff != "" {
		ts.Fatalf("changes (-want +got):\n%s", diff)
	}
}
