package e2e

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/simulator"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// accounts is a house whose platform has several accounts, each behind a key of its own.
type accounts struct{ *house }

// inStep is how many contacts, and how many reservations, are in step at first.
const inStep = 12

// newAccounts is a house in step, with a new guest, a new caller, an edit on each side
// and a new booking waiting to be carried over.
func newAccounts(t *testing.T, ids simulator.IDStyle) accounts {
	t.Helper()
	a := accounts{newHouse(t, simulator.Options{IDs: ids, Keys: map[string]simulator.Key{
		simulator.DefaultKey: {}, "rotated": {}, "empty": {Account: "empty"}, "half": {Account: "half"}, "other": {Account: "other"},
	}})}
	for n := range inStep {
		a.contact("Caller", n)
		a.booking(n)
	}
	a.sync()
	a.sync()
	for i, c := range a.sim.All("contacts") {
		if i%2 == 0 {
			a.in("half", func() { a.sim.Put("contacts", c) })
		}
	}
	for i, b := range a.sim.All("reservations") {
		if i%2 == 0 {
			a.in("half", func() { a.sim.Put("reservations", b) })
		}
	}
	a.in("empty", func() { a.sim.Len("contacts") })
	a.in("other", func() {
		for n := range inStep + 5 {
			a.contact("Stranger", 500+n)
			a.booking(500 + n)
		}
	})
	a.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('New', 'Guest', '+390559999999', 'IT')`)
	a.exec(`UPDATE guests SET first_name = 'Edited' WHERE phone = '+390550000001'`)
	return a
}

// in does something in another account of the platform.
func (a accounts) in(account string, do func()) {
	a.sim.SwapAccount(account)
	do()
	a.sim.SwapAccount("")
}

func (a accounts) contact(name string, n int) {
	a.sim.Put("contacts", map[string]any{
		"first_name": fmt.Sprint(name, n), "last_name": "Rossi", "phone_number": fmt.Sprintf("+39055%07d", n),
		"email": fmt.Sprintf("%s%d@example.com", strings.ToLower(name), n),
	})
}

func (a accounts) booking(n int) {
	a.sim.Put("reservations", map[string]any{
		"client_full_name": fmt.Sprint("Caller Rossi ", n), "client_phone_number": fmt.Sprintf("+39055%07d", n),
		"starting_date": day(3 + n%100), "ending_date": day(30 + n/10), "status": "CONFIRMED",
	})
}

func (a accounts) key(text string) { a.write(filepath.Join(a.dir, "platform.key"), text) }

// picture is all that both systems hold.
func (a accounts) picture() string {
	var b strings.Builder
	fmt.Fprintln(&b, a.sim.Export())
	for _, t := range [][2]string{
		{"guests", "id, external_ref, first_name, last_name, email, phone, notes, version"},
		{"reservations", "id, external_ref, guest_id, arrival, departure, status, notes, version"},
	} {
		b.WriteString(a.one(`SELECT group_concat(line, char(10)) FROM (SELECT json_array(`+t[1]+`) AS line FROM `+t[0]+` ORDER BY id)`) + "\n")
	}
	return b.String()
}

func (a accounts) halts() map[string]record.Question {
	a.t.Helper()
	s, err := state.Open(a.t.Context(), a.stateFile(), state.Options{ReadOnly: true})
	if err != nil {
		a.t.Fatal(err)
	}
	defer s.Close()
	list, err := s.Halts(a.t.Context(), "")
	if err != nil {
		a.t.Fatal(err)
	}
	out := map[string]record.Question{}
	for _, h := range list {
		out[string(h.Binding)] = h
	}
	return out
}

// A key that suddenly sees an account that is empty, or a half of its own.
func TestF17_KeySeesLess(t *testing.T) {
	for _, tt := range []strayKey{
		{"empty", simulator.UUIDs, "empty", "is empty"},
		{"half", simulator.UUIDs, "shrink", "of 12 linked records are not in the list"},
		{"half", simulator.Sequential, "shrink", "of 12 linked records are not in the list"},
	} {
		t.Run(tt.key+" "+string(tt.ids), tt.test)
	}
}

// A key that suddenly sees another account, which is not empty, its ids others than
// ours or the same.
func TestF23_AnotherAccount(t *testing.T) {
	for _, tt := range []strayKey{
		{"other", simulator.UUIDs, "account", "none of the"},
		{"other", simulator.Sequential, "account", "other records than those that were linked"},
	} {
		t.Run(string(tt.ids), tt.test)
	}
}

// strayKey is a key that sees something else than the account of the links.
type strayKey struct {
	key  string
	ids  simulator.IDStyle
	want string // the halt
	text string // and its cause
}

// test makes sure that nothing is written or deleted, whatever waits to be, that each
// job names the cause, and that the right key goes on with one command.
func (tt strayKey) test(t *testing.T) {
	a := newAccounts(t, tt.ids)
	before, mutating := a.picture(), a.sim.Counts().Mutating
	a.key(tt.key)
	for range 3 { // however often
		reports, err := a.trySync(engine.Options{Yes: true})
		if !errors.Is(err, engine.ErrHalted) {
			t.Fatalf("got %v, want it halted", err)
		}
		for _, r := range reports {
			if r.Outcome != record.Halted || len(r.Halts) == 0 || string(r.Halts[0].Cause) != tt.want || !strings.Contains(r.Halts[0].Why, tt.text) {
				t.Errorf("%s: got %s %+v, want %s: %s", r.Binding, r.Outcome, r.Halts, tt.want, tt.text)
			}
		}
	}
	if got := a.picture(); got != before || a.sim.Counts().Mutating != mutating {
		t.Errorf("something was written: %s", cmp.Diff(before, got))
	}
	for job, h := range a.halts() {
		if string(h.Cause) != tt.want || !strings.HasPrefix(h.Next, "nightporter ") {
			t.Errorf("%s: got halt %+v", job, h)
		}
	}
	if n := len(a.halts()); n != 2 {
		t.Errorf("%d jobs stand still, want 2", n)
	}
	a.key(simulator.DefaultKey)
	a.sync()
	if h := a.halts(); len(h) > 0 {
		t.Errorf("with the right key: %+v", h)
	}
	a.inStepAgain()
}

// inStepAgain makes sure that what waited was carried over, and nothing else happened.
func (a accounts) inStepAgain() {
	a.t.Helper()
	a.sync()
	if got := a.sim.Len("contacts"); got != inStep+1 {
		a.t.Errorf("the platform has %d contacts, want %d", got, inStep+1)
	}
	if got := a.one(`SELECT count(*) FROM guests`); got != fmt.Sprint(inStep+1) {
		a.t.Errorf("the PMS has %s guests, want %d", got, inStep+1)
	}
	if got := a.one(`SELECT count(*) FROM reservations`); got != fmt.Sprint(inStep) || a.sim.Len("reservations") != inStep {
		a.t.Errorf("got %s and %d reservations, want %d", got, a.sim.Len("reservations"), inStep)
	}
	names := 0
	for _, c := range a.sim.All("contacts") {
		if c["first_name"] == "Edited" {
			names++
		}
		if strings.HasPrefix(fmt.Sprint(c["first_name"]), "Stranger") {
			a.t.Errorf("a stranger is a contact: %v", c)
		}
	}
	if names != 1 {
		a.t.Errorf("%d contacts have the new name, want 1", names)
	}
	a.quiet()
}

// Another key of the same account changes nothing.
func TestF22_KeyRotated(t *testing.T) {
	a := newAccounts(t, simulator.UUIDs)
	a.key("rotated")
	a.sim.SetKeys(map[string]simulator.Key{"rotated": {}})
	a.sync()
	if h := a.halts(); len(h) > 0 {
		t.Errorf("it stands still: %+v", h)
	}
	a.inStepAgain()
}

// A list that is empty while its records can be read by id is not believed: none of
// them counts as gone or is made anew, and all else goes on.
func TestF16_ListThatLies(t *testing.T) {
	a := newAccounts(t, simulator.UUIDs)
	a.sim.AddFault(simulator.Fault{Kind: simulator.FaultEmptyList, Path: "/contacts", Method: "GET"})
	reports := a.sync()
	for name, want := range map[string]int64{"left.incomplete": 1, "left.updated": 1, "left.gone": 0, "right.created": 0} {
		if got := total(reports, "guests", name); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
	if got := a.sim.Len("contacts"); got != inStep+1 { // the new one: the platform refuses a second of the same phone
		t.Errorf("the platform has %d contacts, want %d", got, inStep+1)
	}
	a.sim.ClearFaults()
	a.inStepAgain()
}
