package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nightporter/internal/pgtest"
	"nightporter/simulator"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// callsHouse is a platform with calls and a PostgreSQL that they are brought to, by the
// job and into the table that docs/calls.md has.
type callsHouse struct {
	*house
	pg *sql.DB
}

const callsSystems = `
time_zone: Europe/Rome
settle: 1ms
systems:
  platform:
    preset: platform
    base_url: %s
    key: file:%s
  pms:
    type: postgres
    address: %s
    user: %s
    password: file:%s
    tables:
%sjobs:
%s`

// fenced is the blocks of a language in a text of docs, in their order.
func fenced(t testing.TB, file, language string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", file))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, part := range strings.Split(string(text), "```"+language+"\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		out = append(out, block)
	}
	return out
}

func example(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// newCallsHouse gives the job no right but those to the table that are named.
func newCallsHouse(t *testing.T, rights string) *callsHouse {
	t.Helper()
	blocks, table := fenced(t, "calls.md", "yaml"), example(t, "bi/table.sql")
	if shown := fenced(t, "calls.md", "sql")[0]; shown != table {
		t.Fatalf("docs/calls.md shows another table than examples/bi/table.sql:\n%s", shown)
	}
	u, err := url.Parse(pgtest.Start(t).NewDB(t))
	if err != nil {
		t.Fatal(err)
	}
	h := &callsHouse{house: &house{t: t, dir: t.TempDir(), sim: simulator.New(simulator.Options{IDs: simulator.Sequential})}}
	srv := httptest.NewServer(h.sim)
	t.Cleanup(srv.Close)
	if h.pg, err = sql.Open("pgx", u.String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.pg.Close() })
	h.do(table)
	porter := "porter_" + strings.TrimPrefix(u.Path, "/") // roles are the whole server's
	h.do(`CREATE ROLE ` + porter + ` LOGIN PASSWORD 'porter'`)
	h.do(`GRANT USAGE ON SCHEMA voice TO ` + porter + `; GRANT ` + rights + ` ON voice.calls TO ` + porter)
	key, word := filepath.Join(h.dir, "platform.key"), filepath.Join(h.dir, "pms.password")
	h.write(key, simulator.DefaultKey)
	h.write(word, "porter")
	h.config = fmt.Sprintf(callsSystems, srv.URL, key, u.Host+u.Path, porter, word, blocks[0], blocks[1])
	return h
}

func (h *callsHouse) do(query string, args ...any) {
	h.t.Helper()
	if _, err := h.pg.Exec(query, args...); err != nil {
		h.t.Fatalf("%s: %v", query, err)
	}
}

// calls is what the table holds, a line a call.
func (h *callsHouse) calls() string {
	h.t.Helper()
	rows, err := h.pg.Query(`SELECT concat_ws(' ', call_id, phone, lower(call_status), seconds, to_char(ended_at AT TIME ZONE 'UTC', 'HH24:MI'),
		coalesce(transcript, '-'), coalesce(summary, '-')) FROM voice.calls ORDER BY call_id`)
	if err != nil {
		h.t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			h.t.Fatal(err)
		}
		out = append(out, line)
	}
	if err := rows.Err(); err != nil {
		h.t.Fatal(err)
	}
	return strings.Join(out, "\n")
}

// call puts a call that ended then, with texts that may be late; a nil takes a field away.
func (h *callsHouse) call(n int, ended time.Time, fields map[string]any) string {
	h.t.Helper()
	put := map[string]any{
		"phone_number": fmt.Sprintf("+3905500000%02d", n), "call_type": "Automated", "call_status": "Completed", "outcome": "answered",
		"is_outbound": false, "start_time": ended.Add(-90 * time.Second).Format(time.RFC3339), "end_time": ended.Format(time.RFC3339),
		"duration": 90, "transcript": fmt.Sprintf("text-%d", n), "summary": fmt.Sprintf("sum-%d", n),
	}
	for name, v := range fields {
		if v == nil {
			delete(put, name)
			continue
		}
		put[name] = v
	}
	id := h.sim.Put("calls", put)
	if id == "" {
		h.t.Fatal("the platform takes no calls")
	}
	return id
}

// later lets time pass, as far as the state knows: what is to be read again is due.
func (h *callsHouse) later() { h.inState(`UPDATE entry SET recheck = 1 WHERE recheck IS NOT NULL`) }

// aDay lets a day pass since the calls ended.
func (h *callsHouse) aDay() {
	h.inState(`UPDATE entry SET recheck = 1 WHERE recheck IS NOT NULL`)
	for _, c := range h.sim.All("calls") {
		end, _ := time.Parse(time.RFC3339, c["end_time"].(string))
		h.sim.Edit("calls", c["id"].(string), map[string]any{"end_time": end.Add(-24 * time.Hour).Format(time.RFC3339)})
	}
}

func (h *callsHouse) inState(query string) {
	h.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+h.stateFile())
	if err != nil {
		h.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(context.Background(), query); err != nil {
		h.t.Fatal(err)
	}
}

func (h *callsHouse) holds(what string, want ...string) {
	h.t.Helper()
	if got := h.calls(); got != strings.Join(want, "\n") {
		h.t.Errorf("%s: the table holds\n%s\nwant\n%s", what, got, strings.Join(want, "\n"))
	}
}

// A table that can only be added to has each call once, when it is all there; one that
// can be updated has it at once, and its texts later.
func TestCalls(t *testing.T) {
	for rights, appends := range map[string]bool{"SELECT, INSERT": true, "SELECT, INSERT, UPDATE": false} {
		t.Run(rights, func(t *testing.T) {
			t.Parallel()
			h := newCallsHouse(t, rights)
			ended := time.Now().UTC().Truncate(time.Minute)
			at := ended.Format("15:04")
			h.sim.SetTexts(simulator.Texts{Transcript: time.Hour, Summary: 2 * time.Hour})
			old := ended.Add(-3 * time.Hour)
			h.call(1, old, nil)
			h.call(2, ended, nil)
			h.call(3, ended, map[string]any{"call_status": "Failed", "transcript": nil, "summary": nil})
			h.call(4, ended, map[string]any{"call_status": "In Progress", "transcript": nil, "summary": nil})
			h.call(5, ended, map[string]any{"summary": nil})
			h.sync()
			there := []string{
				"k000001 +390550000001 completed 90 " + old.Format("15:04") + " text-1 sum-1",
				"k000002 +390550000002 completed 90 " + at + " - -",
				"k000003 +390550000003 failed 90 " + at + " - -",
				"k000004 +390550000004 in progress 90 " + at + " - -",
				"k000005 +390550000005 completed 90 " + at + " - -",
			}
			if appends {
				h.holds("at once", there[0], there[2])
			} else {
				h.holds("at once", there...)
			}
			h.quiet()

			h.sim.SetTexts(simulator.Texts{Summary: 2 * time.Hour})
			h.later()
			h.sync()
			there[1] = "k000002 +390550000002 completed 90 " + at + " text-2 -"
			there[4] = "k000005 +390550000005 completed 90 " + at + " text-5 -"
			if appends {
				h.holds("with transcripts", there[0], there[2])
			} else {
				h.holds("with transcripts", there...)
			}

			h.sim.SetTexts(simulator.Texts{})
			h.sim.Edit("calls", "k000004", map[string]any{"call_status": "Completed", "transcript": "text-4", "summary": "sum-4"})
			h.later()
			h.sync()
			there[1] = "k000002 +390550000002 completed 90 " + at + " text-2 sum-2"
			there[3] = "k000004 +390550000004 completed 90 " + at + " text-4 sum-4"
			if appends {
				h.holds("with summaries", there[:4]...)
			} else {
				h.holds("with summaries", there...)
			}

			h.aDay()
			h.sync()
			h.holds("after a day", there...)
			h.later()
			h.quiet()
			if n := h.sim.Counts().Mutating; n != 0 {
				t.Errorf("%d writes to the platform, want none", n)
			}
		})
	}
}

// A platform that forgets a call takes nothing from the house.
func TestCallsStay(t *testing.T) {
	h := newCallsHouse(t, "SELECT, INSERT")
	for n := range 6 {
		h.call(n+1, time.Now().UTC(), nil)
	}
	h.sync()
	byID := 0
	for route, n := range h.sim.Counts().Routes {
		if strings.Contains(route, "/calls/") {
			byID += n
		}
	}
	if byID != 6*3 { // the call, its transcript and its summary
		t.Errorf("%d requests for 6 calls that are finished, beside their list, want 18", byID)
	}
	want := h.calls()
	h.sim.Remove("calls", "k000002")
	for range 3 {
		h.sync()
	}
	if got := h.calls(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

const callsFile = `
time_zone: Europe/Rome
settle: 1s
systems:
  platform:
    preset: platform
    base_url: %s
    key: file:%s
  pms:
    type: file
    folder: %s
    files:
      calls: { file: calls.csv, key: call_id, write: append }
jobs:
%s`

// A file that is only appended to gets a call when it is all there: nothing can be added
// to its line later.
func TestCallsIntoAFile(t *testing.T) {
	t.Parallel()
	h := &callsHouse{house: &house{t: t, dir: t.TempDir(), sim: simulator.New(simulator.Options{IDs: simulator.Sequential})}}
	srv := httptest.NewServer(h.sim)
	t.Cleanup(srv.Close)
	folder, key := t.TempDir(), filepath.Join(h.dir, "platform.key")
	h.write(key, simulator.DefaultKey)
	const header = "call_id,phone,call_type,call_status,outcome,is_outbound,contact_id,reservation_id,started_at,ended_at,seconds,summary,transcript\n"
	file := filepath.Join(folder, "calls.csv")
	h.write(file, header)
	h.config = fmt.Sprintf(callsFile, srv.URL, key, folder, fenced(t, "calls.md", "yaml")[1])
	ended := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	now := time.Now().UTC().Truncate(time.Minute)
	h.sim.SetTexts(simulator.Texts{Transcript: time.Hour, Summary: time.Hour})
	h.call(1, ended, map[string]any{"transcript": "Good evening,\n\"a room\"?"})
	h.call(2, now, nil)
	h.sync()
	old := `k000001,+390550000001,Automated,Completed,answered,false,,,2026-03-02T08:58:30Z,2026-03-02T09:00:00Z,90,sum-1,"Good evening,` + "\n" + `""a room""?"` + "\n"
	if got := string(h.read(file)); got != header+old {
		t.Errorf("got\n%s\nwant\n%s", got, header+old)
	}
	h.sim.SetTexts(simulator.Texts{})
	h.later()
	for range 2 {
		h.sync()
	}
	late := "k000002,+390550000002,Automated,Completed,answered,false,,," + now.Add(-90*time.Second).Format(time.RFC3339) + "," + now.Format(time.RFC3339) + ",90,sum-2,text-2\n"
	if got := string(h.read(file)); got != header+old+late {
		t.Errorf("got\n%s\nwant\n%s", got, header+old+late)
	}
}

// Told by the platform that a text is there, it is fetched at once, however long it was
// to be waited before the next read.
func TestCallsByAHint(t *testing.T) {
	t.Parallel()
	h := newCallsHouse(t, "SELECT, INSERT")
	now := time.Now().UTC().Truncate(time.Minute)
	h.sim.SetTexts(simulator.Texts{Transcript: time.Hour, Summary: time.Hour})
	id := h.call(1, now, nil)
	h.sync()
	h.sim.SetTexts(simulator.Texts{})
	h.sync()
	h.holds("not told")
	a := h.open()
	_, err := a.Engine.Run(t.Context(), "calls", engine.Options{Only: []record.Ref{{Kind: "calls", ID: id}}, Yes: true})
	a.Close()
	if err != nil {
		t.Fatal(err)
	}
	h.holds("told", "k000001 +390550000001 completed 90 "+now.Format("15:04")+" text-1 sum-1")
}
