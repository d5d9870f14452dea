package config

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The file names the system in which a record is gone; the rule is the other side's.
func TestGone(t *testing.T) {
	const mayDelete = "guests: { table: guests, key: id, may_delete: true,"
	for _, tt := range []struct {
		name                string
		gone                string
		left, right         GonePolicy
		leftPuts, rightPuts []Constant
	}{
		{name: "nothing is said", left: "", right: ""},
		{name: "words", gone: "gone: { platform: unlink, pms: ignore }", left: GoneIgnore, right: GoneUnlink},
		{name: "one side", gone: "gone: { pms: hold }", left: GoneHold, right: ""},
		{name: "delete where it may be", gone: "gone: { platform: delete, pms: hold }", left: GoneHold, right: GoneDelete},
		{
			name: "archive", gone: "gone: { platform: { archive: { active: false, reason: left } } }", right: GoneArchive,
			rightPuts: []Constant{
				{Path: "active", Line: 18, Value: Scalar{Type: ScalarBool, Text: "false"}},
				{Path: "reason", Line: 18, Value: Scalar{Type: ScalarText, Text: "left"}},
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at := "create: { platform: always, pms: when_booked }"
			edit := []string{"guests: { table: guests, key: id,", mayDelete}
			if tt.gone != "" {
				edit = append(edit, at, at+"\n    "+tt.gone)
			}
			j, _ := parse(t, changed(t, edit...)).Job("guests")
			if j.Left.Gone.Policy != tt.left || j.Right.Gone.Policy != tt.right {
				t.Errorf("got %q and %q, want %q and %q", j.Left.Gone.Policy, j.Right.Gone.Policy, tt.left, tt.right)
			}
			for _, puts := range [][2][]Constant{{j.Left.Gone.Archive, tt.leftPuts}, {j.Right.Gone.Archive, tt.rightPuts}} {
				if diff := cmp.Diff(puts[1], puts[0]); diff != "" {
					t.Errorf("values (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// Each mistake is named with its line and with what could be meant.
func TestGoneMistakes(t *testing.T) {
	for gone, want := range map[string][]string{
		"gone: { plaform: hold }":        {`config.yaml:18: jobs.guests.gone.plaform: "plaform" is neither of the two systems of this job, platform and pms; did you mean "platform"?`},
		"gone: { pms: remove }":          {`config.yaml:18: jobs.guests.gone.pms: "remove" is not one of hold, delete, archive, unlink, ignore`},
		"gone: { pms: unlnk }":           {`config.yaml:18: jobs.guests.gone.pms: "unlnk" is not one of hold, delete, archive, unlink, ignore; did you mean "unlink"?`},
		"gone: { pms: archive }":         {`config.yaml:18: jobs.guests.gone.pms: say by what a record of platform is put aside: { archive: { column: value } }`},
		"gone: { pms: { archive: {} } }": {`config.yaml:18: jobs.guests.gone.pms.archive: names no column: { archive: { column: value } }`},
		"gone: { pms: { archiv: { a: b } } }": {
			`config.yaml:18: jobs.guests.gone.pms.archiv: unknown key; did you mean "archive"?`,
		},
		"gone: { platform: { archive: { notes: x } } }": {
			`config.yaml:18: jobs.guests.gone.platform.archive.notes: "notes" is private in pms.guests: it never leaves the house; take it out of one of the two lists`,
		},
		"gone: { platform: delete }": {
			`config.yaml:18: jobs.guests.gone.platform: would delete rows of pms.guests, which does not say may_delete: true: say so there, or choose hold, unlink, ignore or { archive: { column: value } }`,
		},
		"gone: [hold]": {`config.yaml:18: jobs.guests.gone: must be a block of keys with values`},
	} {
		at := "create: { platform: always, pms: when_booked }"
		_, err := Parse("config.yaml", []byte(changed(t, at, at+"\n    "+gone)), nil)
		errs, ok := errors.AsType[*Errors](err)
		if !ok {
			t.Errorf("%s: got %v, want *Errors", gone, err)
			continue
		}
		var got []string
		for _, m := range errs.List {
			got = append(got, m.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", gone, got, want)
		}
	}
	_, err := Parse("config.yaml", []byte(changed(t, "guests: { table: guests, key: id,", `guests: { query: "select 1", key: id, may_delete: true,`,
		"pms: when_booked", "pms: never")), nil)
	if errs, ok := errors.AsType[*Errors](err); !ok || errs.List[0].Text != "means nothing without table" {
		t.Errorf("may_delete of a query: got %v", err)
	}
}
