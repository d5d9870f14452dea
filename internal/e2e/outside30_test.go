package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nightporter/internal/app"
	"nightporter/sync/engine"
)

// latePreset is an API whose list shows no texts; %s is the paths that come later.
const latePreset = `
name: crm
auth: { type: none }
kinds:
  people:
    path: /people
    list: { items: ., paging: none }
    get: { path: "/people/{id}" }
    read_only: [id]
    finished: { fields: [%s], since: { path: ended } }
`

const lateJob = `
jobs:
  people:
    kind: record
    between: { crm: people, pms: guests }
    match: [name]
    create: { crm: never, pms: always }
    gone: { crm: ignore, pms: ignore }
    fields:
      name:       { crm: id,           pms: name,       to: pms }
      transcript: { crm: transcript,   pms: transcript, to: pms }
      summary:    { crm: summary.text, pms: summary,    to: pms }
`

// lateHouse has calls whose texts are read by id alone, and brings them to a table or to a
// file that is only appended to.
type lateHouse struct {
	*house
	api  *plainAPI
	file string
}

func newLateHouse(t *testing.T, appends bool, fields string) *lateHouse {
	api, h := newPlainHouse(t)
	l := &lateHouse{house: h, api: api}
	api.says = func(r *http.Request, _ map[string]any) (int, any) {
		if strings.HasPrefix(r.URL.Path, "/people/") {
			return 0, nil
		}
		list := []any{}
		for _, id := range api.ids {
			list = append(list, map[string]any{"id": id, "ended": api.rows[id]["ended"]})
		}
		return http.StatusOK, list
	}
	l.exec(`ALTER TABLE guests ADD COLUMN transcript TEXT`)
	l.exec(`ALTER TABLE guests ADD COLUMN summary TEXT`)
	l.config = h.config[:strings.Index(h.config, "jobs:")] + strings.TrimPrefix(lateJob, "\n")
	if appends {
		folder := t.TempDir()
		l.file = filepath.Join(folder, "calls.csv")
		l.write(l.file, "name,transcript,summary\n")
		l.edit("type: sqlite", "type: file")
		l.edit("address: pms.db", "folder: "+folder)
		l.edit("tables:\n      guests: { table: guests, key: id }", "files:\n      guests: { file: calls.csv, key: name, write: append }")
	}
	l.names(fields)
	return l
}

// names has the preset say which paths come later.
func (l *lateHouse) names(fields string) { l.preset(fmt.Sprintf(latePreset, fields)) }

// call puts a call that ended so long ago, without texts.
func (l *lateHouse) call(id string, ago time.Duration) {
	l.api.put(fmt.Sprintf(`{"id":%q,"ended":%q,"transcript":null,"summary":null}`, id, time.Now().Add(-ago).UTC().Format(time.RFC3339)))
}

// lines is what the file holds.
func (l *lateHouse) lines() string {
	l.t.Helper()
	text, err := os.ReadFile(l.file)
	if err != nil {
		l.t.Fatal(err)
	}
	return string(text)
}

func (l *lateHouse) syncs(n int) {
	l.t.Helper()
	for range n {
		l.sync()
		(&callsHouse{house: l.house}).later()
	}
}

// What is said of a parent path is said of all that is in it: a call whose transcript is
// there, and whose summary is not, is waited for.
func TestOutside30ParentPath(t *testing.T) {
	for _, fields := range []string{"transcript, summary", "transcript, summary.text", "summary"} {
		t.Run(fields, func(t *testing.T) {
			l := newLateHouse(t, true, fields)
			l.call("c1", time.Minute)
			l.api.set("c1", "transcript", "good evening")
			l.syncs(2)
			if got, want := l.lines(), "name,transcript,summary\n"; got != want {
				t.Errorf("before its summary is there the file holds\n%s\nwant\n%s", got, want)
			}
			l.api.set("c1", "summary", map[string]any{"text": nil, "state": "asked for"})
			l.syncs(1)
			l.api.set("c1", "summary", map[string]any{"text": "a room"})
			l.syncs(1)
			if got, want := l.lines(), "name,transcript,summary\nc1,good evening,a room\n"; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// What counted as finished is read again once the preset names what comes later, if it is
// young enough.
func TestOutside30CorrectedPreset(t *testing.T) {
	l := newLateHouse(t, false, "transcript")
	for id, ago := range map[string]time.Duration{"young": time.Minute, "old": 72 * time.Hour} {
		l.call(id, ago)
		l.api.set(id, "transcript", "good evening")
	}
	l.syncs(2)
	held := func(name string) string {
		return l.one(`SELECT coalesce(transcript, '-') || ' ' || coalesce(summary, '-') FROM guests WHERE name = ?`, name)
	}
	if got := held("young"); got != "good evening -" {
		t.Errorf("at first: got %q", got)
	}
	for _, id := range []string{"young", "old"} {
		l.api.set(id, "summary", map[string]any{"text": "a room"})
	}
	l.syncs(2)
	if got := held("young"); got != "good evening -" {
		t.Errorf("with a preset that does not wait for it: got %q", got)
	}
	l.names("transcript, summary")
	l.syncs(2)
	if got := held("young"); got != "good evening a room" {
		t.Errorf("with the corrected preset: got %q", got)
	}
	if got := held("old"); got != "good evening -" { // to make sure of the system it may be read, no more
		t.Errorf("an old call: got %q", got)
	}
	if n, _ := writes(l.syncWith(engine.Options{Yes: true})); n != 0 {
		t.Errorf("%d writes once all is there", n)
	}
}

// check says of a text that comes later that nothing waits for it: by what a field is
// called, by what its path is called, and by an address of its own.
func TestOutside30CheckNamesWhatIsNotWaitedFor(t *testing.T) {
	for _, tt := range []struct {
		fields, crm string // what is waited for, and where the summary stands
		apart       string // what is read on an address of its own
		want        string
	}{
		{"transcript, summary", "summary.text", "", ""},
		{"transcript, summary.text", "summary.text", "", ""},
		{"transcript", "summary.text", "", "summary.text"},
		{"summary", "summary.text", "", "transcript"},
		{"transcript, summary.text", "summary", "", ""}, // of what is mapped a part is waited for
		{"transcript", "outcome", "", "outcome"},
		{"transcript, outcome", "outcome", "", ""},
		{"transcript, summary", "summary.text", "ended", "ended"},
	} {
		l := newLateHouse(t, false, tt.fields)
		l.edit("crm: summary.text", "crm: "+tt.crm)
		if tt.apart != "" {
			l.preset(fmt.Sprintf(latePreset, tt.fields) + "    sub_reads: { " + tt.apart + ": { path: \"/people/{id}/when\" } }\n")
			l.edit("      transcript: {", "      phone: { crm: "+tt.apart+", pms: phone, to: pms }\n      transcript: {")
		}
		got := l.notWaitedFor()
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) || tt.want != "" && !strings.Contains(got, "finished.fields") {
			t.Errorf("finished.fields [%s], %s: check says %q, want it of %q", tt.fields, tt.crm, got, tt.want)
		}
	}
	l := newLateHouse(t, false, "transcript")
	l.edit("summary:    {", "outcome:    {") // the path alone is called so
	if got := l.notWaitedFor(); !strings.Contains(got, "summary.text") {
		t.Errorf("of a field with another name: check says %q", got)
	}
	l.edit("to: pms }\n      outcome", "to: pms }\n      # outcome")
	if got := l.notWaitedFor(); got != "" {
		t.Errorf("of a text that is not mapped: check says %q", got)
	}
}

// notWaitedFor is what check says of texts that come later.
func (l *lateHouse) notWaitedFor() (said string) {
	l.t.Helper()
	for _, f := range app.CheckFile(l.loaded()) {
		if strings.Contains(f.Text, "waited for") {
			said += f.Text
		}
	}
	return said
}
