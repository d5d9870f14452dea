package main

import (
	"strings"
	"testing"

	"nightporter/internal/config"
	"nightporter/sync/record"
)

// What waits because its system can't be asked by a match rule is told with the rule, and with the
// key that says how to ask.
func TestUnprovenNamesRuleAndKey(t *testing.T) {
	x := findingJSON{System: "crm", Kind: "people", Finding: record.FindUnproven, Op: record.Create.String(), About: "email", Text: "crm can't be asked by email", Count: 2}
	var out strings.Builder
	x.Key, x.Person = x.mends(&config.Config{}), record.Finding{Name: x.Finding}.ForPerson()
	(&cli{out: &out}).printUnwritten([]findingJSON{x})
	for _, want := range []string{"2 records: crm gets no new people: crm can't be asked by email", "to mend it: systems.crm.override.kinds.people.find, by email; a list that is read whole lets it go, too"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got %q, want %q in it", out.String(), want)
		}
	}
}
