//go:build unix

package e2e

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The service is operated while it runs, with the program as its users have it.
func TestServe(t *testing.T) {
	t.Parallel()
	program := binary(t)
	for name, test := range map[string]func(*testing.T, *served){
		"commands beside a run":       commandsBesideARun,
		"sync beside":                 syncBeside,
		"a request is taken back":     takenBack,
		"a broken configuration":      brokenConfiguration,
		"two services":                twoServices,
		"a stalled one is taken over": takenOver,
		"told to stop":                toldToStop,
		"started again":               startedAgain,
		"killed":                      killedOutright,
	} {
		t.Run(name, func(t *testing.T) { test(t, newServed(t, program)) })
	}
}

type runRow struct {
	Run     int64  `json:"run"`
	Job     string `json:"job"`
	Outcome string `json:"outcome"`
}

func (s *served) runs() []runRow {
	s.t.Helper()
	var rows []runRow
	s.do(0, "runs", "--json").into(&rows)
	return rows
}

func commandsBesideARun(t *testing.T, s *served) {
	s.guest("Ada", 1)
	s.do(0, "sync", "guests", "--yes").printed("created 1 in platform")
	s.exec(`UPDATE guests SET phone = '+390550000101'`)
	id := s.sim.All("contacts")[0]["id"].(string)
	s.sim.Edit("contacts", id, map[string]any{"phone_number": "+390550000202"})
	s.do(3, "sync", "guests")
	s.guest("Bea", 2)
	daemon := s.serve()
	asked, release := s.midRun()
	asked.says("is under way in the service")

	s.do(3, "status").printed(
		"process "+strconv.Itoa(daemon.cmd.Process.Pid)+" on ", "runs jobs since", "nightporter serve", ", running", "due: both whole at ")
	if rows := s.runs(); rows[0].Outcome != "running" {
		t.Errorf("the newest run is %q, want running", rows[0].Outcome)
	}
	s.do(3, "plan", "guests").printed("given_name: Bea")
	var open []struct {
		ID int64 `json:"id"`
	}
	s.do(3, "conflicts", "--json").into(&open)
	if len(open) != 1 {
		t.Fatalf("%d conflicts are open, want 1", len(open))
	}
	s.do(0, "conflicts", "resolve", strconv.FormatInt(open[0].ID, 10), "pms")
	s.do(0, "backup", filepath.Join(s.dir, "copy.db"))
	s.do(0, "reload").says("the new configuration is in force")
	second := s.begin("sync", "guests").says("as soon as the job is free")
	s.do(0, "pause", "platform", "--why", "night audit").says("writes to platform are paused")
	s.do(3, "status").printed("writes to platform are paused until `nightporter resume`: night audit")
	if rows := s.runs(); rows[0].Outcome != "running" {
		t.Errorf("after all that the newest run is %q, want running: no command may wait for it or end it", rows[0].Outcome)
	}

	before := s.sim.Counts().Mutating
	release()
	asked.ends(3).printed("postponed")
	second.ends(3).printed("postponed")
	if n := s.sim.Counts().Mutating - before; n != 0 {
		t.Errorf("%d writes were sent during the pause, want none", n)
	}
	s.do(0, "resume").says("writes to platform go on")
	s.contacts(2) // the service goes on by itself
	eventually(t, words("the contact has the phone that was decided on"), func() bool {
		for _, c := range s.sim.All("contacts") {
			if c["id"] == id {
				return c["phone_number"] == "+390550000101"
			}
		}
		return false
	})
	daemon.signal(syscall.SIGTERM)
	daemon.ends(0)
	s.do(0, "status").printed("nobody runs jobs")
}

func syncBeside(t *testing.T, s *served) {
	s.guest("Ada", 1)
	s.guest("Bea", 2)
	s.sim.Put("contacts", map[string]any{"first_name": "Cleo", "last_name": "Example", "phone_number": "+390550000003"})
	s.serve()

	first := s.do(1, "sync", "guests").printed("stopped before the first write", "STANDS STILL (first_run)")
	first.says("hint: nothing was written")
	s.do(0, "sync", "guests", "--yes", "--limit", "1").printed("guests: created 1 in")
	var out struct {
		Runs []struct {
			Run    int64            `json:"run"`
			Job    string           `json:"job"`
			Counts map[string]int64 `json:"counts"`
		} `json:"runs"`
	}
	s.do(0, "sync", "--json", "--full").into(&out)
	made := int64(0)
	for _, r := range out.Runs {
		made += r.Counts["left.created"] + r.Counts["right.created"]
	}
	if len(out.Runs) != 2 || out.Runs[0].Job != "guests" || made != 2 {
		t.Errorf("got runs %+v, want one of each job, guests first, and 2 creates", out.Runs)
	}
	s.contacts(3)

	s.exec(`UPDATE guests SET first_name = 'Dora' WHERE first_name = 'Ada'`)
	s.exec(`UPDATE guests SET first_name = 'Emma' WHERE first_name = 'Bea'`)
	s.do(0, "sync", "guests", "--only", "pms:1").printed("guests: updated 1 in platform")
	var plan struct {
		Digest string `json:"digest"`
	}
	s.do(0, "plan", "guests", "--json").into(&plan)
	s.do(0, "sync", "guests").printed("guests: updated 1 in platform")
	s.do(0, "sync", "guests", "--plan", plan.Digest).printed("guests: nothing to do", "not done, because it no longer holds: update")
	s.do(2, "sync", "--plan", "nonsense")
	s.do(2, "sync", "nobody").says("there is no job")
}

func takenBack(t *testing.T, s *served) {
	s.guest("Ada", 1)
	daemon := s.serve()
	daemon.signal(stopped)
	asked := s.begin("sync", "guests", "--yes").says("waiting for the service to take it up")
	asked.signal(syscall.SIGINT)
	asked.ends(1).says("the request was taken back before anything was done")
	daemon.signal(goOn)
	s.do(0, "sync", "reservations")
	if n := s.sim.Len("contacts"); n != 0 {
		t.Errorf("%d contacts are there, want none: the request was taken back", n)
	}
	asked, release := s.midRun("--yes")
	asked.says("is under way")
	asked.signal(syscall.SIGINT)
	asked.ends(1).says("is the service's to end")
	release()
	s.contacts(1)
}

func brokenConfiguration(t *testing.T, s *served) {
	s.guest("Ada", 1)
	s.do(1, "reload").says("no service runs jobs")
	daemon := s.serve()
	good := filepath.Join(s.dir, "good.yaml")
	s.write(good, s.config)

	s.write(s.path, strings.Replace(s.config, "kind: contact", "kind: nonsense", 1))
	daemon.signal(syscall.SIGHUP)
	daemon.says(`"msg":"configuration not reloaded"`).says("nonsense")
	s.do(2, "reload").says("nonsense")

	s.write(s.path, strings.Replace(s.config, filepath.Join(s.dir, "pms.db"), filepath.Join(s.dir, "none.db"), 1))
	s.do(1, "reload").says("the configuration in force stays")
	s.beginWith(good, "sync", "guests", "--yes").ends(0).printed("created 1 in platform")

	s.write(s.path, strings.Replace(s.config, "\n  reservations:\n    kind: stay", "\n  bookings:\n    kind: stay", 1))
	daemon.signal(syscall.SIGHUP)
	daemon.says(`"msg":"configuration reloaded"`)
	s.do(0, "sync", "bookings").printed("bookings: nothing to do")
	s.beginWith(good, "sync", "reservations").ends(1).says("the service has no job reservations")
}

func twoServices(t *testing.T, s *served) {
	first := s.serve()
	second := s.begin("serve").ends(1)
	pid := strconv.Itoa(first.cmd.Process.Pid)
	second.says("held by process " + pid + " on ").says("nightporter serve")
	s.begin("serve", "--take-over", "1h").ends(1).says("held by process " + pid)
	select {
	case <-first.over:
		t.Fatalf("the first ended: %s", first.stderr())
	default:
	}
	s.do(0, "sync", "reservations")
}

func takenOver(t *testing.T, s *served) {
	for i, name := range []string{"Ada", "Bea", "Cleo"} {
		s.guest(name, i)
	}
	first := s.serve()
	asked, release := s.midRun("--yes")
	first.signal(stopped)

	var second *child
	eventually(t, words("a second service takes over"), func() bool {
		c := s.begin("serve", "--take-over", "1s")
		for {
			if strings.Contains(c.stderr(), `"msg":"jobs run"`) {
				second = c
				return true
			}
			select {
			case <-c.over: // the first gave a sign of life within the second
				return false
			case <-time.After(wink):
			}
		}
	})
	// What the first was asked for is the second's to do now, and who asked sees it.
	asked.ends(0).printed("created 3 in platform")
	s.contacts(3)
	sent, known := s.sim.Counts().Mutating, s.rowsOfState()

	first.signal(goOn)
	release()
	first.ends(1).says("another process has taken the state file over")
	if n := s.sim.Counts().Mutating - sent; n != 0 {
		t.Errorf("the first sent %d writes after it was taken over, want none", n)
	}
	if now := s.rowsOfState(); now != known {
		t.Errorf("the state holds %s, want %s: the first committed something", now, known)
	}
	s.do(0, "sync", "guests").printed("nothing to do")
	second.signal(syscall.SIGTERM)
	second.ends(0)
}

// rowsOfState is what the state file holds of records and runs.
func (s *served) rowsOfState() string {
	s.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(s.dir, "state.db")+"?_busy_timeout=5000")
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	var text string
	err = db.QueryRow(`SELECT printf('%d entries, %d links, %d intents, %d runs, %d ended, term %d',
		(SELECT count(*) FROM entry), (SELECT count(*) FROM link), (SELECT count(*) FROM intent), (SELECT count(*) FROM run),
		(SELECT count(*) FROM run WHERE ended IS NOT NULL), (SELECT term FROM holder))`).Scan(&text)
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

func toldToStop(t *testing.T, s *served) {
	s.guest("Ada", 1)
	daemon := s.serve()
	asked, release := s.midRun("--yes")
	daemon.signal(syscall.SIGTERM)
	release() // within the grace
	daemon.ends(0).says(`"msg":"jobs stopped"`)
	asked.ends(0).printed("created 1 in platform")
	if rows := s.runs(); rows[0].Outcome != "done" {
		t.Errorf("the run ended as %q, want done", rows[0].Outcome)
	}

	s.write(s.path, strings.Replace(s.config, "grace: 10s", "grace: 1s", 1))
	s.guest("Bea", 2)
	daemon = s.serve()
	asked, release = s.midRun()
	daemon.signal(syscall.SIGTERM)
	daemon.ends(0) // though the platform never answers
	asked.ends(1).says("the service has stopped").says("is done when it is started again")
	release()
	s.serve()
	s.contacts(2) // what was asked for is done by the next
}

func startedAgain(t *testing.T, s *served) {
	s.config = strings.Replace(s.config, "when: { full:", `when: { pms: every 1m, full:`, 1)
	s.write(s.path, s.config)
	s.guest("Ada", 1)
	daemon := s.serve()
	s.do(0, "sync", "guests", "--yes").printed("created 1 in platform")
	daemon.signal(syscall.SIGTERM)
	daemon.ends(0)
	s.guest("Bea", 2)

	// An hour passes.
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(s.dir, "state.db")+"?_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{`UPDATE line SET since = since - 3600000`, `DELETE FROM slot`} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	ofGuests := func() (rows []runRow) {
		for _, r := range s.runs() {
			if r.Job == "guests" {
				rows = append(rows, r)
			}
		}
		return rows
	}
	before, started := len(ofGuests()), time.Now().Truncate(time.Minute)
	s.serve()
	s.contacts(2)
	eventually(t, words("the run ends"), func() bool { return ofGuests()[0].Outcome == "done" })
	n := len(ofGuests()) - before
	if most := 1 + int(time.Now().Truncate(time.Minute).Sub(started)/time.Minute); n < 1 || n > most {
		t.Errorf("%d runs caught up with sixty that were missed, want 1, and %d that came due meanwhile", n, most-1)
	}
}

func killedOutright(t *testing.T, s *served) {
	s.guest("Ada", 1)
	daemon := s.serve()
	asked, release := s.midRun("--yes")
	asked.says("is under way")
	daemon.signal(os.Kill)
	<-daemon.over
	asked.ends(1).says("the service has stopped")
	release()
	s.do(0, "status").printed("nobody runs jobs", ", killed")
	if rows := s.runs(); rows[0].Outcome != "killed" {
		t.Errorf("the run is shown as %q, want killed", rows[0].Outcome)
	}
	s.serve()
	s.contacts(1)
	if strings.Contains(asked.stdout()+asked.stderr(), "+39") || bytes.Contains([]byte(daemon.stderr()), []byte("+39")) {
		t.Error("a guest's phone number is in what was said or logged")
	}
}
