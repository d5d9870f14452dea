package config

import (
	"strings"
	"testing"
)

const twoWings = `time_zone: Europe/Rome
systems:
  platform: { preset: platform, base_url: "https://api.example.com", key: env:KEY }
  pms:
    type: sqlite
    address: pms.db
    tables:
      res_a: { table: reservations, key: id, only: "wing='A'" }
      res_b: { table: reservations, key: id, only: "wing='B'" }
jobs:
  stays_a:
    kind: record
    between: { platform: reservations, pms: res_a }
    match: [notes]
    create: { platform: always, pms: always }
    fields: { notes: { platform: details, pms: notes, conflict: pms } }
  stays_b:
    kind: record
    between: { platform: reservations, pms: res_b }
    match: [notes]
    create: { platform: always, pms: always }
    fields: { notes: { platform: details, pms: notes, conflict: pms } }
`

// Two jobs that share a kind and may both make what it holds across are warned of. One that makes nothing there, and
// two kinds of a table with filters, are as they should be.
func TestTwoJobsThatMakeTheSame(t *testing.T) {
	const want = "jobs.stays_b.between: stays_b and the job stays_a both make in pms what only platform.reservations has: of a new record, stays_b alone makes it; " +
		"give each of the two jobs a kind of its own of platform, with a filter, or write create: { pms: never } in one of them"
	never := strings.Replace(twoWings, "pms: always }", "pms: never }", 1)
	for name, c := range map[string]struct {
		text string
		warn string
	}{
		"a shared kind":                  {twoWings, want},
		"one of the two makes nothing":   {never, ""},
		"one table under two names":      {strings.NewReplacer("pms: always", "pms: never", `, only: "wing='A'"`, "", `, only: "wing='B'"`, "").Replace(twoWings), "both make in platform what only pms.res_b has"},
		"a table under two filters":      {strings.ReplaceAll(twoWings, "pms: always", "pms: never"), ""},
		"two tables with nothing shared": {strings.Replace(twoWings, "platform: reservations, pms: res_b", "platform: contacts, pms: res_b", 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, w := range parse(t, c.text, "KEY=k").Warnings {
				if strings.Contains(w.String(), "both make") {
					got = append(got, w.String())
				}
			}
			if (c.warn == "") != (len(got) == 0) || len(got) > 1 || len(got) == 1 && !strings.Contains(got[0], c.warn) {
				t.Errorf("warned %q, want %q", got, c.warn)
			}
		})
	}
}
