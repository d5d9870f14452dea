package main

import (
	"strings"
	"testing"

	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// Of several records that may be the one that is gone, entered anew, a person names one, by its id or its whole name.
func TestNamesOneOfTheNewcomers(t *testing.T) {
	x := record.Question{Cause: record.Cause(away.AskEdited), Left: record.OfText("edited"), Right: record.OfText("gone"), Rests: record.Rests{Anew: []record.Entered{{Ref: record.Ref{Kind: "stays", ID: "7"}}, {Ref: record.Ref{Kind: "stays", ID: "8"}}}, Beside: []record.Ref{{Kind: "bookings", ID: "3"}}}}
	systems := [2]record.System{"platform", "pms"}
	for with, want := range map[string]string{"7": "7", "stays:8": "8", "3": "", "9": ""} {
		d, err := decideNewcomer(x, systems, with, nil)
		if got := d.value.Text(); got != want || (err == nil) != (want != "") {
			t.Errorf("--with %s: got %q (%v), want %q", with, got, err, want)
		}
		if err != nil && !strings.Contains(err.Error(), "say --with 7 or --with 8") {
			t.Errorf("--with %s: %v does not say what can be said", with, err)
		}
	}
	if got, want := goneAnswers(x), "--delete | --leave | --create | --with RECORD-ID"; got != want {
		t.Errorf("answers are %q, want %q", got, want)
	}
	x.Rests.Anew = x.Rests.Anew[:1]
	if got := goneAnswers(x); strings.Contains(got, "--with") {
		t.Errorf("of one alone the answers are %q", got)
	}
}
