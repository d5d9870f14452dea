package main

import (
	"context"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"
	"github.com/rogpeppe/go-internal/testscript"

	"nightporter/simulator"
	"nightporter/state"
	"nightporter/sync/record"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"nightporter": main})
}

// TestScripts runs the commands as their users do. A script has, beside them:
//
//	house                       a platform ($SIM_URL), an empty PMS (pms.db), a key and nightporter.yaml
//	sim put RESOURCE JSON       puts a record and prints its id; $ID is the id
//	sim edit RESOURCE ID JSON   edits one; sim all RESOURCE prints all
//	sim import FILE             takes contacts from a CSV file, as its own pages do
//	sim writes                  prints how many requests wrote
//	sim mute RESOURCE           applies the next write and answers it with an error; sim deaf RESOURCE
//	                            answers so and applies nothing
//	sim replaces RESOURCE       has an update empty what it is not sent
//	sim refuse METHOD RESOURCE STATUS  refuses such requests until sim mend
//	sim twin RESOURCE           puts the like of the last record beside it
//	sim account [NAME]          puts another account behind every key, or the first one again
//	sim half NAME RESOURCE      puts every second record into that account
//	sim snapshot, sim restore   keeps a backup of the platform, and puts it back
//	sql FILE QUERY              runs a statement and prints its rows
//	exits CODE COMMAND…         runs nightporter and wants this exit code, or any
//	json CODE COMMAND…          the same with --json, and fails unless that is what it prints
//	held                        finds the digest of the only set that a guard holds ($SET) in what was
//	                            printed last
//	digest, wrote, conflict     find the plan's digest ($DIGEST), the last run that wrote ($RUN), the
//	                            conflict of a side's record ($CONFLICT, a lost change by its short id) in
//	                            what was printed last
//	told N WHAT>SYSTEM…         wants these changes, in this order, of the story printed last as JSON
//	replace FILE OLD NEW        \n is a new line
//	garble FILE                 damages a file in its middle
//	hook …                      a receiver of events, see hookCommand
//	plain COMMAND…              runs nightporter and fails where that prints more than text
//	lock FILE                   holds the state file FILE, as another process that runs jobs would
func TestScripts(t *testing.T) { runScripts(t, "testdata/script") }

// TestOutside06AReplacingUpdate has a first update that does more than it is asked to said
// until the configuration says how updates are sent.
func TestOutside06AReplacingUpdate(t *testing.T) { runScripts(t, "testdata/outside06") }

// TestOutside08RefusedUpdates has what a system refuses said until it is solved.
func TestOutside08RefusedUpdates(t *testing.T) { runScripts(t, "testdata/outside08") }

// TestOutside09LeftOutByReason has what is left out for a field that it lacks counted by reason.
func TestOutside09LeftOutByReason(t *testing.T) { runScripts(t, "testdata/outside09") }

// TestOutside10ListsThatShowNothing has lists that are empty or cut short said while that
// lasts.
func TestOutside10ListsThatShowNothing(t *testing.T) { runScripts(t, "testdata/outside10") }

// TestOutside12EndedCauses has alerts go with their cause.
func TestOutside12EndedCauses(t *testing.T) { runScripts(t, "testdata/outside12") }

// TestOutside17BesideAMistake has writes stopped, let go on and looked at while the
// configuration has a mistake.
func TestOutside17BesideAMistake(t *testing.T) { runScripts(t, "testdata/outside17/mistake") }

// TestOutside17RejectAsks has nothing put back before a person was told what.
func TestOutside17RejectAsks(t *testing.T) { runScripts(t, "testdata/outside17/reject") }

// TestOutside17ExplainAfterARestore has explain promise nothing that the next run does not do.
func TestOutside17ExplainAfterARestore(t *testing.T) { runScripts(t, "testdata/outside17/restore") }

// TestOutside17ResolveWakesTheService has a decision ask the service for a look.
func TestOutside17ResolveWakesTheService(t *testing.T) { runScripts(t, "testdata/outside17/resolve") }

// TestWeakCommands has what was weak, and is so no more, as users see it: systems that can't be opened
// leave a failed run with each job that needs them, and what says that it was deleted is gone.
func TestWeakCommands(t *testing.T) { runScripts(t, "testdata/weak") }

// TestOutsideLaterTry has what a later try of the commands did not find as the pages say.
func TestOutsideLaterTry(t *testing.T) { runScripts(t, "testdata/later") }

func runScripts(t *testing.T, dir string) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Values[simKey{}], e.Values[hookKey{}] = &platform{}, &receiver{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"house": house, "sim": simCommand, "sql": sqlCommand, "exits": exits, "json": jsonCommand, "lock": lockCommand,
			"replace": replace, "garble": garble, "digest": digestOf, "wrote": wrote, "held": heldSet, "conflict": conflictOn,
			"told": told, "hook": hookCommand, "plain": plain,
		},
	})
}

// simKey finds the script's platform.
type simKey struct{}

type platform struct{ sim *simulator.Sim }

const pmsSchema = `
CREATE TABLE guests (
	id INTEGER PRIMARY KEY AUTOINCREMENT, external_ref TEXT UNIQUE, title TEXT NOT NULL DEFAULT '',
	first_name TEXT NOT NULL DEFAULT '', last_name TEXT NOT NULL DEFAULT '', email TEXT, phone TEXT, country TEXT,
	language TEXT NOT NULL DEFAULT 'en', notes TEXT NOT NULL DEFAULT '', version INTEGER NOT NULL DEFAULT 1);
CREATE TABLE reservations (
	id INTEGER PRIMARY KEY AUTOINCREMENT, external_ref TEXT UNIQUE, guest_id INTEGER NOT NULL REFERENCES guests(id),
	arrival TEXT NOT NULL, departure TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'confirmed',
	channel TEXT NOT NULL DEFAULT 'direct', version INTEGER NOT NULL DEFAULT 1);
`

const houseConfig = `time_zone: Europe/Rome
settle: 1ms
systems:
  platform:
    preset: platform
    base_url: %s
    key: file:platform.key
  pms:
    type: sqlite
    address: pms.db
    tables:
      guests:
        table: guests
        key: id
        version: version
        our_mark: external_ref
        only: "title not in ('Company', 'Agency')"
        private: [notes]
      reservations:
        table: reservations
        key: id
        version: version
        our_mark: external_ref
jobs:
  guests:
    kind: contact
    between: { platform: contacts, pms: guests }
    match: [phone, email]
    create: { platform: always, pms: always }
    fields:
      given_name:  { platform: first_name,   pms: first_name, conflict: pms }
      family_name: { platform: last_name,    pms: last_name,  conflict: pms }
      phone:       { platform: phone_number, pms: phone,      conflict: hold, region: [pms.country, IT] }
      email:       { platform: email,        pms: email,      conflict: platform }
      language:    { platform: language,     pms: language,   to: platform }
  reservations:
    kind: stay
    between: { platform: reservations, pms: reservations }
    window: { from: -1d, to: +400d }
    match: [[guest, arrival, departure]]
    create: { platform: always, pms: always }
    on_create: { pms: { channel: voice } }
    fields:
      guest:
        job: guests
        pms: guest_id
        platform: { phone: client_phone_number, name: client_full_name }
        if_left_out: Occupied
      arrival:   { platform: starting_date, pms: arrival,   as: date, together: stay, conflict: pms }
      departure: { platform: ending_date,   pms: departure, as: date, together: stay, conflict: pms }
      status:    { platform: status,        pms: status,    conflict: rules }
    status:
      pending:   { platform: PENDING,                       pms: option }
      confirmed: { platform: [CONFIRMED, APPROVED],         pms: confirmed }
      cancelled: { platform: [CANCELLED, PENDING_DELETION], pms: cancelled }
      rejected:  { platform: REJECTED,                      pms: cancelled }
    platform_may: [pending, confirmed, cancelled]
`

// house sets up a platform, a PMS and a configuration between them.
func house(ts *testscript.TestScript, _ bool, _ []string) {
	sim := simulator.New(simulator.Options{IDs: simulator.Sequential})
	srv := httptest.NewServer(sim)
	ts.Defer(srv.Close)
	ts.Value(simKey{}).(*platform).sim = sim
	ts.Setenv("SIM_URL", srv.URL)
	for name, text := range map[string]string{
		"platform.key": simulator.DefaultKey, "nightporter.yaml": fmt.Sprintf(houseConfig, srv.URL),
	} {
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
	query(ts, "pms.db", pmsSchema)
}

func simCommand(ts *testscript.TestScript, _ bool, args []string) {
	sim := ts.Value(simKey{}).(*platform).sim
	object := func(text string) map[string]any {
		var m map[string]any
		ts.Check(json.Unmarshal([]byte(text), &m))
		return m
	}
	switch args[0] {
	case "put":
		id := sim.Put(args[1], object(args[2]))
		ts.Setenv("ID", id)
	case "edit":
		if !sim.Edit(args[1], args[2], object(args[3])) {
			ts.Fatalf("there is no %s %s", args[1], args[2])
		}
	case "remove":
		if !sim.Remove(args[1], args[2]) {
			ts.Fatalf("there is no %s %s", args[1], args[2])
		}
	case "all":
		b, err := json.MarshalIndent(sim.All(args[1]), "", " ")
		ts.Check(err)
		fmt.Fprintf(ts.Stdout(), "%s\n", b)
	case "mute", "deaf":
		sim.AddFault(simulator.Fault{
			Kind: simulator.FaultStatus, Status: 500, Times: 1, Method: "write", Path: "/" + args[1], Applied: args[0] == "mute",
		})
	case "refuse": // sim refuse METHOD RESOURCE STATUS
		status, err := strconv.Atoi(args[3])
		ts.Check(err)
		sim.AddFault(simulator.Fault{Kind: simulator.FaultStatus, Status: status, Method: args[1], Path: "/" + args[2]})
	case "replaces": // sim replaces RESOURCE
		sim.AddFault(simulator.Fault{Kind: simulator.FaultReplace, Path: "/" + args[1]})
	case "lists": // sim lists FAULT RESOURCE
		sim.AddFault(simulator.Fault{Kind: simulator.FaultKind(args[1]), Method: "GET", Path: "/" + args[2]})
	case "mend":
		sim.ClearFaults()
	case "twin":
		all := sim.All(args[1])
		twin := maps.Clone(all[len(all)-1])
		delete(twin, "id")
		sim.Put(args[1], twin)
	case "account":
		sim.SwapAccount(strings.Join(args[1:], ""))
	case "half":
		all := sim.All(args[2])
		sim.SwapAccount(args[1])
		for i := 0; i < len(all); i += 2 {
			sim.Put(args[2], all[i])
		}
		sim.SwapAccount("")
	case "snapshot":
		sim.Snapshot()
	case "restore":
		if !sim.Restore() {
			ts.Fatalf("there is no snapshot")
		}
	case "import":
		importCSV(ts, sim, args[1])
	case "writes":
		fmt.Fprintf(ts.Stdout(), "%d writes\n", sim.Counts().Mutating)
	default:
		ts.Fatalf("sim has no %s", args[0])
	}
}

// importCSV is the platform's own import of contacts: who is there already, by phone, is
// skipped.
func importCSV(ts *testscript.TestScript, sim *simulator.Sim, file string) {
	rows, err := csv.NewReader(strings.NewReader(ts.ReadFile(file))).ReadAll()
	ts.Check(err)
	names := map[string]string{"first_name": "first_name", "last_name": "last_name", "phone": "phone_number", "email": "email", "language": "language", "notes": "notes"}
	there := map[any]bool{}
	for _, c := range sim.All("contacts") {
		there[c["phone_number"]] = true
	}
	for _, row := range rows[1:] {
		contact := map[string]any{}
		for i, header := range rows[0] {
			if names[header] == "" {
				ts.Fatalf("the platform's import knows no %s", header)
			}
			contact[names[header]] = row[i]
		}
		if !there[contact["phone_number"]] {
			there[contact["phone_number"]] = true
			sim.Put("contacts", contact)
		}
	}
}

func sqlCommand(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: sql FILE QUERY")
	}
	fmt.Fprint(ts.Stdout(), query(ts, args[0], args[1]))
}

// query runs a statement on a SQLite file and gives its rows, a line each.
func query(ts *testscript.TestScript, file, text string) string {
	db, err := sql.Open("sqlite3", "file:"+ts.MkAbs(file)+"?_busy_timeout=5000")
	ts.Check(err)
	defer db.Close()
	if !strings.HasPrefix(strings.ToUpper(strings.TrimSpace(text)), "SELECT") {
		_, err := db.ExecContext(context.Background(), text)
		ts.Check(err)
		return ""
	}
	rows, err := db.QueryContext(context.Background(), text)
	ts.Check(err)
	defer rows.Close()
	cols, err := rows.Columns()
	ts.Check(err)
	var b strings.Builder
	for rows.Next() {
		values, into := make([]sql.NullString, len(cols)), make([]any, len(cols))
		for i := range values {
			into[i] = &values[i]
		}
		ts.Check(rows.Scan(into...))
		for i, v := range values {
			if i > 0 {
				b.WriteString(" | ")
			}
			b.WriteString(v.String)
		}
		b.WriteString("\n")
	}
	ts.Check(rows.Err())
	return b.String()
}

// exits runs nightporter and wants one exit code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits CODE ARG…")
	}
	err := ts.Exec("nightporter", args[1:]...)
	code := "0"
	if err != nil {
		code = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if code != args[0] && args[0] != "any" {
		ts.Fatalf("nightporter %s: got exit code %s, want %s\n%s%s", strings.Join(args[1:], " "), code, args[0],
			ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// jsonCommand is exits for what reports as JSON.
func jsonCommand(ts *testscript.TestScript, neg bool, args []string) {
	exits(ts, neg, append(args, "--json"))
	printed(ts, &struct{}{})
}

// printed decodes what the last command printed: one JSON value, and nothing else.
func printed(ts *testscript.TestScript, into any) {
	text := []byte(ts.ReadFile("stdout"))
	if !json.Valid(text) {
		ts.Fatalf("that is not JSON:\n%s", text)
	}
	if text[0] == '[' {
		if _, ok := into.(*struct{}); ok {
			return
		}
	}
	ts.Check(json.Unmarshal(text, into))
}

func digestOf(ts *testscript.TestScript, _ bool, _ []string) {
	var p planJSON
	printed(ts, &p)
	ts.Setenv("DIGEST", p.Digest)
}

// heldSet finds the one set that a guard holds.
func heldSet(ts *testscript.TestScript, _ bool, _ []string) {
	var sets []setJSON
	printed(ts, &sets)
	open := slices.DeleteFunc(sets, func(x setJSON) bool { return x.Decision != record.Undecided })
	if len(open) != 1 {
		ts.Fatalf("%d sets wait, want one", len(open))
	}
	ts.Setenv("SET", open[0].Digest)
}

// wrote finds the last run that wrote.
func wrote(ts *testscript.TestScript, _ bool, _ []string) {
	var runs []runLine
	printed(ts, &runs)
	for _, r := range runs {
		if r.Counts["left.updated"]+r.Counts["right.updated"]+r.Counts["left.created"]+r.Counts["right.created"] > 0 {
			ts.Setenv("RUN", strconv.FormatInt(r.Run, 10))
			return
		}
	}
	ts.Fatalf("no run wrote")
}

// conflictOn finds the conflict about a record: conflict SIDE ID.
func conflictOn(ts *testscript.TestScript, _ bool, args []string) {
	var cs []conflictJSON
	printed(ts, &cs)
	for _, x := range cs {
		if x.Records[record.System(args[0])].ID == args[1] {
			ts.Setenv("CONFLICT", x.name())
			return
		}
	}
	ts.Fatalf("no conflict about %s of %s", args[1], args[0])
}

func replace(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	was := strings.ReplaceAll(args[1], `\n`, "\n")
	if !strings.Contains(text, was) {
		ts.Fatalf("%s has no %q", args[0], args[1])
	}
	text = strings.Replace(text, was, strings.ReplaceAll(args[2], `\n`, "\n"), 1)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// garble overwrites the pages after the first of a file.
func garble(ts *testscript.TestScript, _ bool, args []string) {
	b := []byte(ts.ReadFile(args[0]))
	for i := 4096; i < len(b); i++ {
		b[i] = byte(i*7 + 13)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o600))
}

// lockCommand holds a state file as a sync does, or as the command that it is told.
func lockCommand(ts *testscript.TestScript, _ bool, args []string) {
	s, err := state.Open(context.Background(), ts.MkAbs(args[0]), state.Options{})
	ts.Check(err)
	ts.Defer(func() { s.Close() })
	ts.Check(s.Lock(context.Background(), append(args, "nightporter sync")[1], time.Now()))
}
