package app

import (
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/internal/config"
	"nightporter/sync/engine"
)

// What can't be done about a record whose partner is gone is refused before anything
// runs, with the line and what could be chosen.
func TestGoneIsRefusedWhereItCannotBe(t *testing.T) {
	all := connectors.Kind{Get: true, Delete: true, Update: true, Fields: map[string]connectors.Field{"active": {}, "id": {ReadOnly: true}}}
	with := func(change func(*connectors.Kind)) connectors.Kind {
		k := all
		change(&k)
		return k
	}
	noDelete := with(func(k *connectors.Kind) { k.Delete = false })
	noGet := with(func(k *connectors.Kind) { k.Get = false })
	archive := func(field string) config.Gone {
		return config.Gone{Line: 7, Policy: config.GoneArchive, Archive: []config.Constant{{Path: field, Line: 8}}}
	}
	word := func(p config.GonePolicy) config.Gone { return config.Gone{Line: 7, Policy: p} }
	for name, tt := range map[string]struct {
		rule        config.Gone // for the pms
		pms, remote connectors.Kind
		want        string
	}{
		"nothing said":              {config.Gone{}, noGet, noGet, ""},
		"hold":                      {word(config.GoneHold), noDelete, noGet, ""},
		"ignore":                    {word(config.GoneIgnore), noDelete, noGet, ""},
		"unlink":                    {word(config.GoneUnlink), noDelete, noGet, ""},
		"delete":                    {word(config.GoneDelete), all, noDelete, ""},
		"no delete":                 {word(config.GoneDelete), noDelete, all, "line 7: gone.platform: guests of pms can't be deleted: choose hold, unlink"},
		"not to be read":            {word(config.GoneDelete), noGet, all, "guests of pms can't be read by id"},
		"the other not to be read":  {word(config.GoneDelete), all, noGet, "contacts of platform can't be read by id, so it can't be proven"},
		"archive":                   {archive("active"), noDelete, all, ""},
		"archive in no field":       {archive("activ"), all, all, "line 8: gone.platform.archive: guests of pms has no activ that can be written"},
		"archive in what is read":   {archive("id"), all, all, "has no id that can be written"},
		"archive, never to be told": {archive("active"), all, noGet, "can't be proven that one is gone"},
	} {
		j := &config.Job{Right: config.JobSide{Gone: tt.rule}}
		job := &engine.Job{Sides: [2]engine.Side{
			{System: "platform", Kind: "contacts", Can: tt.remote}, {System: "pms", Kind: "guests", Can: tt.pms},
		}}
		err := gone(j, job)
		if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}

// A check without the systems knows already what a preset can't do.
func TestCheckFileRefusesDeletesThePresetLacks(t *testing.T) {
	for rule, want := range map[string]string{
		"pms: delete":      "line 19: gone.pms: delete can't be done, for the preset of platform names no way to delete contacts",
		"pms: unlink":      "",
		"platform: delete": "",
	} {
		cfg, err := config.Parse("config.yaml", []byte(`time_zone: Europe/Rome
systems:
  platform: { preset: platform, base_url: "https://api.example.com" }
  pms:
    type: sqlite
    address: pms.db
    tables:
      guests: { table: guests, key: id, may_delete: true }
jobs:
  guests:
    kind: contact
    between: { platform: contacts, pms: guests }
    match: [phone]
    create: { platform: always, pms: always }
    fields:
      given_name: { platform: first_name, pms: first_name, conflict: pms }
      family_name: { platform: last_name, pms: last_name, conflict: pms }
      phone: { platform: phone_number, pms: phone, region: [IT] }
    gone: { `+rule+` }
`), nil)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		for _, f := range CheckFile(cfg) {
			if f.Wrong {
				got += f.Text
			}
		}
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", rule, got, want)
		}
	}
}
