package config

import (
	"path/filepath"
	"testing"
	"time"
)

// sending is base with lines in its job of guests.
func sending(lines string) []string {
	return []string{"    match: [phone]", "    match: [phone]\n" + lines}
}

func badSend() []edit {
	const line = "config.yaml:17: jobs.guests."
	return []edit{
		{name: "hours of a stranger", edit: sending(`    send_hours: { crm: "09:00-20:00" }`), want: []string{line + "send_hours.crm: \"crm\" is neither of the two systems of this job, platform and pms"}},
		{name: "hours that are none", edit: sending(`    send_hours: { platform: "9 to 5" }`), want: []string{line + `send_hours.platform: hours "9 to 5": not understood; write from-to, such as "02:00-03:15" or "mon-fri 02:00-03:15", several with commas between`}},
		{name: "a cap of nothing", edit: sending(`    most_an_hour: { platform: 0 }`), want: []string{line + "most_an_hour.platform: must be 1 or more"}},
		{name: "a misspelt key", edit: sending(`    most_per_hour: { platform: 5 }`), want: []string{line + `most_per_hour: unknown key; did you mean "most_an_hour"?`}},
		{name: "at once without hours", edit: sending(`    send_at_once: { field: given_name }`), want: []string{
			line + "send_at_once: means nothing without send_hours",
			line + "send_at_once.field: given_name is no day: its field must be as: date or as: instant",
		}},
		{name: "at once for an unknown field", edit: sending("    send_hours: { platform: \"09:00-20:00\" }\n    send_at_once: { field: arrived, days: -1 }"), want: []string{
			"config.yaml:18: jobs.guests.send_at_once.days: must be 0, which is today alone, or more",
			`config.yaml:18: jobs.guests.send_at_once.field: "arrived" is not under fields`,
		}},
		{name: "a list that is nowhere", edit: sending(`    never_to: { platform: { field: phone } }`), want: []string{line + "never_to.platform: missing: where the list is: { file: never.txt }, or { system: crm, kind: do_not_call, path: phone }"}},
		{name: "two lists", edit: sending(`    never_to: { platform: { file: a.txt, system: pms } }`), want: []string{line + "never_to.platform: file and system are two lists: name one"}},
		{name: "a list in an unknown table", edit: sending(`    never_to: { platform: { system: pms, kind: guest, path: phone } }`), want: []string{line + `never_to.platform.kind: pms has no table "guest"; did you mean "guests"?`}},
		{name: "a list without its column", edit: sending(`    never_to: { platform: { system: pms, kind: guests } }`), want: []string{line + "never_to.platform.path: missing: the path of pms that holds the numbers"}},
		{name: "requests with tables", edit: []string{"systems:", "systems:\n  desk: { type: requests, tables: {} }"}, want: []string{"config.yaml:3: systems.desk.tables: means nothing with type: requests: delete it"}},
	}
}

func TestSend(t *testing.T) {
	cfg, err := Parse("dir/config.yaml", []byte(changed(t, append(sending(
		"    send_hours: { platform: [\"09:00-12:00\", \"15:00-20:00\"] }\n    most_an_hour: { platform: 5, pms: 7 }\n    never_to: { platform: { file: never.txt } }"),
		"    match: [[guest, arrival]]", "    match: [[guest, arrival]]\n    send_hours: { platform: \"09:00-20:00\" }")...)), nil)
	if err != nil {
		t.Fatal(err)
	}
	guests, _ := cfg.Job("guests")
	to, from := guests.Left.Send, guests.Right.Send
	if to == nil || to.AnHour != 5 || to.Never == nil || to.Never.Field != "phone" || to.Never.File != filepath.Join("dir", "never.txt") || to.Soon != "" {
		t.Errorf("got %+v to the platform", to)
	}
	if from == nil || from.AnHour != 7 || from.Shut != nil || from.Never != nil {
		t.Errorf("got %+v to the PMS", from)
	}
	noon := time.Date(2026, 5, 4, 13, 0, 0, 0, cfg.TimeZone)
	if end, shut := to.Shut.Until(noon); !shut || !end.Equal(noon.Add(2*time.Hour)) {
		t.Errorf("at noon: got %t until %s", shut, end)
	}
	stays, _ := cfg.Job("stays")
	if s := stays.Left.Send; s == nil || s.Soon != "arrival" || s.Days != 1 || stays.Right.Send != nil {
		t.Errorf("got %+v: what is for today and tomorrow is to go at once", s)
	}
}

func TestRequests(t *testing.T) {
	cfg, err := Parse("dir/config.yaml", []byte(changed(t, "systems:", "systems:\n  desk: { type: requests }")), nil)
	if err != nil {
		t.Fatal(err)
	}
	desk, _ := cfg.System("desk")
	if desk.SQL == nil || desk.SQL.Address != filepath.Join("dir", "requests-desk.db") {
		t.Errorf("got %+v", desk.SQL)
	}
	if _, ok := desk.SQL.Table(RequestKind); !ok {
		t.Errorf("got %+v, want the table of calls", desk.SQL.Tables)
	}
}
