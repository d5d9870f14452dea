package app

import (
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/rest"
	"nightporter/internal/config"
	"nightporter/sync/mapping"
)

// What a preset says of how a path is read is part of how the field is read. Another setting that reads the same
// is not.
func TestAPresetThatReadsAFieldInAnotherWay(t *testing.T) {
	of := func(override string) *mapping.Mapping {
		t.Helper()
		cfg, err := config.Parse("config.yaml", []byte(strings.Replace(`time_zone: Europe/Rome
systems:
  platform:
    preset: platform
    base_url: "https://api.example.com"
    override: { kinds: { reservations: { OVERRIDE } } }
  pms:
    type: sqlite
    address: pms.db
    tables: { stays: { table: stays, key: id } }
jobs:
  stays:
    kind: record
    between: { platform: reservations, pms: stays }
    match: [details]
    create: { platform: always, pms: always }
    gone: { platform: ignore, pms: ignore }
    fields:
      details: { platform: details, pms: details }
      arrival: { platform: starting_date, pms: arrival, as: date }
`, "OVERRIDE", override, 1)), nil)
		if err != nil {
			t.Fatal(err)
		}
		sys, _ := cfg.System("platform")
		p, err := rest.Load(sys.REST.Preset, nil, sys.REST.Override)
		if err != nil {
			t.Fatal(err)
		}
		kinds, err := rest.Kinds(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		j, _ := cfg.Job("stays")
		a := &App{Config: cfg, descs: map[string]connectors.Description{"platform": {Kinds: kinds}}}
		m, err := a.mapping(&j)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	fields := func(format string) string {
		return "fields: { details: { type: text }, starting_date: { type: date, " + format + " } }"
	}
	was := of(fields("format: date"))
	for override, want := range map[string]string{
		fields("format: date, zone: Europe/Rome, max: 30"): "",
		fields("format: DD/MM/YYYY"):                       "arrival",
		fields("format: date") + ", omits_empty: true":     "arrival details",
	} {
		m, got := of(override), []string{}
		for _, f := range []string{"arrival", "details"} {
			if m.ReadPrints()[f] != was.ReadPrints()[f] {
				got = append(got, f)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: read in another way: %q, want %q", override, got, want)
		}
	}
}
