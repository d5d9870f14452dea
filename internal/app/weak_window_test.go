package app

import (
	"strings"
	"testing"

	"nightporter/internal/config"
)

// A window of calls that limits no list, and one that would have old ones made anew, are
// refused before anything runs.
func TestWeakWindowOfWhatHasNoDays(t *testing.T) {
	const (
		filter = "override: { kinds: { calls: { list: { window: { from: started_after } }, window_fields: [start_time, start_time] } } }"
		days   = "window: { from: started_at, to: started_at }"
		never  = "platform: never, pms: always"
		always = "platform: always, pms: always"
	)
	for name, tt := range map[string]struct{ platform, table, create, field, want string }{
		"the platform alone": {filter, "", never, "start_time", ""},
		"both":               {filter, days, never, "start_time", ""},
		"none":               {"", "", never, "start_time", "window limits nothing: neither calls of platform nor calls of pms can be listed by days"},
		"the table alone, and old calls would be entered": {"", days, never, "start_time", "platform lists all calls, and the window shows the latest of pms alone"},
		"the table shows all, and calls are made":         {filter, "", always, "start_time", "of pms nobody knows the day of a record"},
		"no field says the day":                           {filter, "", never, "end_time", "no field is mapped from start_time of platform: nobody knows which calls have left the window"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := config.Parse("config.yaml", []byte(`time_zone: Europe/Rome
systems:
  platform:
    preset: platform
    base_url: "https://api.example.com"
    `+tt.platform+`
  pms:
    type: sqlite
    address: pms.db
    tables:
      calls:
        table: calls
        key: call_id
        `+tt.table+`
jobs:
  calls:
    kind: record
    between: { platform: calls, pms: calls }
    match: [call_id]
    window: { from: -7d, to: 0d }
    create: { `+tt.create+` }
    gone: { platform: ignore, pms: ignore }
    fields:
      call_id: { platform: id, pms: call_id, to: pms }
      started_at: { platform: `+tt.field+`, pms: started_at, to: pms, as: instant }
`), nil)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				for _, f := range CheckFile(cfg) {
					if strings.Contains(f.Text, "window") || f.Wrong && !strings.Contains(f.Text, "delete") {
						got += f.Text
					}
				}
			}
			if (got != "") != (tt.want != "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
