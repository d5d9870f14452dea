package e2e

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"nightporter/simulator"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// staysHouse is a house with stays in step, whose state file lies on the disk as a whole.
func staysHouse(t *testing.T) *house {
	t.Helper()
	h := newHouse(t, simulator.Options{})
	for i := range 12 {
		guest := h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES (?, 'Bianchi', ?, 'IT')`,
			fmt.Sprint("Bruno", i), fmt.Sprintf("055 00000%02d", i))
		h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (?, date('now', '+3 day'), date('now', '+5 day'))`, guest)
	}
	h.sync()
	h.quiet()
	badState(h, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return h
}

// stateSQL runs SQL on the state file, and gives what it answers.
func (h *house) stateSQL(query string, args ...any) string {
	h.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+h.stateFile())
	if err != nil {
		h.t.Fatal(err)
	}
	defer db.Close()
	var v sql.NullString
	if err := db.QueryRowContext(h.t.Context(), query, args...).Scan(&v); err != nil && !errors.Is(err, sql.ErrNoRows) {
		h.t.Fatalf("%s: %v", query, err)
	}
	return v.String
}

// leafKeys is where the ids of a kind stand in the first page of an index of the state.
func (h *house) leafKeys(file []byte, index, binding string) []int {
	h.t.Helper()
	var root, size int
	if _, err := fmt.Sscan(h.stateSQL(`SELECT rootpage FROM sqlite_schema WHERE name = ?`, index), &root); err != nil {
		h.t.Fatal(err)
	}
	if _, err := fmt.Sscan(h.stateSQL(`SELECT page_size FROM pragma_page_size`), &size); err != nil {
		h.t.Fatal(err)
	}
	page, first := file[(root-1)*size:root*size], (root-1)*size
	var at []int
	for from := 0; ; {
		i := bytes.Index(page[from:], []byte(binding))
		if i < 0 {
			return at
		}
		from += i + len(binding)
		at = append(at, first+from) // the id follows
	}
}

// flip turns one bit of the state file.
func (h *house) flip(file []byte, at int, bit byte) {
	h.t.Helper()
	bad := bytes.Clone(file)
	bad[at] ^= 1 << bit
	h.lay(bad)
}

// lay makes file the whole state on the disk.
func (h *house) lay(file []byte) {
	h.t.Helper()
	for _, log := range []string{"-wal", "-shm"} {
		if err := os.Remove(h.stateFile() + log); err != nil && !errors.Is(err, os.ErrNotExist) {
			h.t.Fatal(err)
		}
	}
	h.write(h.stateFile(), string(file))
}

// A bit that turned on the disk is noticed before it doubles a stay: at start, and of a
// file that was found whole within the hour, or a large one within the day, before the first
// change.
func TestOutside04FlippedBitDoublesNoStay(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]string{
		"at start":                              `DELETE FROM setting WHERE name = 'checked'`,
		"before the first change":               `UPDATE setting SET value = unixepoch() || '000' WHERE name = 'checked'`,
		"before the first change, a large file": `INSERT OR REPLACE INTO setting (name, value) VALUES ('large', printf('%.*c', 67108864, 'x')), ('checked', unixepoch() || '000')`,
	} {
		lately := name != "at start"
		t.Run(name, func(t *testing.T) {
			h := staysHouse(t)
			badState(h, known)
			whole, err := os.ReadFile(h.stateFile())
			if err != nil {
				t.Fatal(err)
			}
			keys := h.leafKeys(whole, "entry_ref", "reservations")
			if len(keys) < 12 {
				t.Fatalf("got %d keys in the index, want one for each stay at least", len(keys))
			}
			noticed := 0
			for i, at := range keys {
				if i%3 != 0 || lately && i%6 != 0 { // each writes a large file
					continue
				}
				for _, bit := range []byte{0, 1} {
					h.flip(whole, at, bit)
					if lately { // something is to be written: where nothing is, nothing is looked at
						h.exec(`UPDATE guests SET last_name = ? WHERE first_name = 'Bruno0'`, fmt.Sprintf("Neri%d%c", i, 'a'+bit))
					}
					_, err := h.trySync(engine.Options{Yes: true})
					if errors.Is(err, state.ErrCorrupt) {
						noticed++
						if !strings.Contains(err.Error(), "nightporter restore") || !strings.Contains(err.Error(), h.stateFile()) {
							t.Errorf("nothing says what to do: %v", err)
						}
					}
					if n, m := h.sim.Len("reservations"), h.one(`SELECT count(*) FROM reservations`); n != 12 || m != "12" {
						t.Fatalf("bit %d of byte %d: there are %d and %s stays, want 12 (%v)", bit, at, n, m, err)
					}
				}
			}
			if noticed == 0 {
				t.Error("no damage was noticed")
			}
			h.lay(whole)
			h.sync()
			h.quiet()
		})
	}
}

// brokenValues is what is broken in a row of the state, and which.
var brokenValues = []struct {
	name, column, row string
}{
	{"base of a guest", "base", `binding = 'guests' AND side = 1 AND num = (SELECT min(num) FROM entry WHERE binding = 'guests' AND side = 1)`},
	{"keys of a guest", "keys", `binding = 'guests' AND side = 1 AND num = (SELECT min(num) FROM entry WHERE binding = 'guests' AND side = 1)`},
	{"base of a contact", "base", `binding = 'guests' AND side = 0 AND num = (SELECT min(num) FROM entry WHERE binding = 'guests' AND side = 0)`},
	{"base of a stay", "base", `binding = 'reservations' AND side = 1 AND num = (SELECT min(num) FROM entry WHERE binding = 'reservations' AND side = 1)`},
}

// A value of the state file that can't be read is said with the record that it belongs to,
// and what to do; that record is left as it is, and all others go on.
func TestOutside04BrokenValueStopsOneRecord(t *testing.T) {
	for _, tt := range brokenValues {
		t.Run(tt.name, func(t *testing.T) {
			h := staysHouse(t)
			h.edit("create: { platform: always, pms: always }\n    not_a_value", "create: { platform: always, pms: never }\n    not_a_value")
			h.sim.Put("contacts", map[string]any{"first_name": "Carla", "last_name": "Verdi", "phone_number": "+390550000077"})
			h.sync()
			badState(h, `UPDATE entry SET dirty = 1, `+tt.column+` = substr(coalesce(`+tt.column+`, seen), 1, 20) WHERE `+tt.row)
			first := h.stateSQL(`SELECT id FROM entry WHERE ` + tt.row)
			h.exec(`UPDATE guests SET last_name = 'Neri'`)
			h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('Nina', 'Nuova', '055 0000099', 'IT')`)
			reports := h.sync()
			said := ""
			for _, r := range reports {
				for _, n := range r.Notes {
					if n.Ref.ID == first {
						said += n.Why
					}
				}
			}
			if !strings.Contains(said, "damaged") || !strings.Contains(said, "nightporter restore") {
				t.Errorf("nothing says that the record is damaged, and what to do: %q", said)
			}
			if got := h.stateSQL(`SELECT id FROM finding WHERE name = ? AND id = ?`, record.FindDamaged, first); got != first {
				t.Errorf("the finding is about %q, want %s", got, first)
			}
			if got := h.sim.Len("reservations"); got != 12 {
				t.Errorf("there are %d stays, want 12", got)
			}
			neri, nina := 0, 0
			for _, c := range h.sim.All("contacts") {
				if c["last_name"] == "Neri" {
					neri++
				}
				if c["first_name"] == "Nina" {
					nina++
				}
			}
			want := 12
			if strings.Contains(tt.row, "'guests'") {
				want = 11 // the damaged one is left as it is
			}
			if neri != want || nina > 1 {
				t.Errorf("%d edits arrived, want %d; Nina is there %d times", neri, want, nina)
			}
			h.sync()
			if got, guests := h.sim.Len("contacts"), h.one(`SELECT count(*) FROM guests`); got != 14 || guests != "13" {
				t.Errorf("there are %d contacts and %s guests, want 14 and 13", got, guests)
			}
		})
	}
}

// A record without a link of which the state file can't say what it holds may be any: while
// it is not read again nothing is made in its system.
func TestOutside04BrokenStrangerIsMadeOnce(t *testing.T) {
	h := staysHouse(t)
	create := "create: { platform: always, pms: %s }\n    not_a_value"
	h.edit(fmt.Sprintf(create, "always"), fmt.Sprintf(create, "never"))
	h.sim.Put("contacts", map[string]any{"first_name": "Carla", "last_name": "Verdi", "phone_number": "+390550000077"})
	h.sync()
	badState(h, `UPDATE entry SET dirty = 0, state = 'held', why = 'asked', seen = substr(seen, 1, 20) WHERE binding = 'guests' AND side = 0 AND link IS NULL`)
	badState(h, `DELETE FROM entry_key WHERE text LIKE '%77'`) // as a key with a reference in it is not kept
	h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('Carla', 'Verdi', '055 0000077', 'IT')`)
	before, said := h.sim.Counts().Mutating, ""
	a := h.open()
	rep, err := a.Engine.Run(t.Context(), "guests", engine.Options{Only: []record.Ref{{Kind: "guests", ID: "13"}}, OnlySide: record.Right, Yes: true})
	if err = errors.Join(err, a.Close()); err != nil {
		t.Fatal(err)
	}
	for _, n := range rep.Notes {
		said += n.Why + "\n"
	}
	if n := h.sim.Counts().Mutating; n != before {
		t.Errorf("%d requests were sent to make it again", n-before)
	}
	if !strings.Contains(said, "damaged") || !strings.Contains(said, "nightporter restore") {
		t.Errorf("nothing says that the record is damaged, and what to do: %q", said)
	}
	h.sync()
	if got := h.sim.Len("contacts"); got != 13 {
		t.Errorf("there are %d contacts, want 13", got)
	}
	if got := h.stateSQL(`SELECT count(*) FROM link WHERE binding = 'guests'`); got != "13" {
		t.Errorf("%s guests are linked, want 13", got)
	}
	h.quiet()
}

// A change of the journal that can't be read is named as damage, with what to do.
func TestOutside04BrokenChangeIsNamed(t *testing.T) {
	for _, column := range []string{"change", "fields", "bases"} {
		t.Run(column, func(t *testing.T) {
			h := staysHouse(t)
			badState(h, `UPDATE intent SET state = 'sent', ended_at = NULL, `+column+` = substr(`+column+`, 1, length(`+column+`) - 1)
				WHERE id = (SELECT min(id) FROM intent WHERE binding = 'guests')`)
			id := h.stateSQL(`SELECT min(id) FROM intent WHERE binding = 'guests'`)
			_, err := h.trySync(engine.Options{Yes: true})
			if !errors.Is(err, state.ErrCorrupt) || !strings.Contains(fmt.Sprint(err), id) || !strings.Contains(fmt.Sprint(err), "nightporter restore") {
				t.Errorf("got error %v, want one that names change %s as damaged", err, id)
			}
			if got := h.sim.Len("contacts"); got != 12 {
				t.Errorf("there are %d contacts, want 12", got)
			}
		})
	}
}

// A booking of a guest of whom the state file keeps damaged values is not given to nobody: it
// waits, and both are named, until a backup is put back.
func TestOutside04ABookingWaitsForADamagedGuest(t *testing.T) {
	for _, column := range []string{"base", "keys"} {
		t.Run(column, func(t *testing.T) {
			h := staysHouse(t)
			link := h.stateSQL(`SELECT link FROM entry WHERE binding = 'guests' AND side = 1 AND id = '5'`)
			damaged := h.stateSQL(`SELECT id FROM entry WHERE binding = 'guests' AND side = 0 AND link = ` + link)
			before := h.stateSQL(`SELECT ` + column + ` FROM entry WHERE binding = 'guests' AND side = 0 AND link = ` + link)
			badState(h, `UPDATE entry SET `+column+` = substr(`+column+`, 1, length(`+column+`) / 2) WHERE binding = 'guests' AND side = 0 AND link = `+link)
			h.exec(`UPDATE reservations SET guest_id = 5 WHERE guest_id = 3`)
			h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (5, date('now', '+9 day'), date('now', '+11 day'))`)
			reports := h.sync()
			for _, b := range h.sim.All("reservations") {
				if name, _ := b["client_full_name"].(string); name == "" {
					t.Errorf("a booking has no guest any more: %v", b)
				}
			}
			if got := h.sim.Len("reservations"); got != 12 {
				t.Errorf("there are %d bookings, want 12: the new one waits", got)
			}
			waits := 0
			for _, r := range reports {
				for _, n := range r.Notes {
					if n.State == record.Waiting && strings.Contains(n.Why, damaged) && strings.Contains(n.Why, "damaged") {
						waits++
					}
				}
			}
			if waits != 2 {
				t.Errorf("%d bookings wait for %s, want two", waits, damaged)
			}
			if got := h.stateSQL(`SELECT count(*) FROM finding WHERE binding = 'reservations' AND name = ?`, record.FindDamaged); got != "2" {
				t.Errorf("%s bookings are found to be kept back, want two", got)
			}
			if v := h.verified("guests"); v.Same != 11 || v.Causes[plan.NotWritten] != 1 {
				t.Errorf("a comparison finds %v, want the guest to be not written", v.Causes)
			}
			badState(h, `UPDATE entry SET `+column+` = '`+before+`' WHERE binding = 'guests' AND side = 0 AND link = `+link)
			h.sync()
			h.sync()
			if got := h.sim.Len("reservations"); got != 13 {
				t.Errorf("there are %d bookings once the guest is known, want 13", got)
			}
			if got := h.stateSQL(`SELECT count(*) FROM finding`); got != "0" {
				t.Errorf("%s findings stand, want none", got)
			}
			h.quiet()
		})
	}
}

// A row of the state file that no record belongs to, and that can't be read, is named as
// damage, with what to do.
func TestOutside04BrokenRowIsNamed(t *testing.T) {
	for name, query := range map[string]string{
		"what a list lacked":        `UPDATE scan SET flaws = substr(flaws, 1, length(flaws) - 1) WHERE id = (SELECT min(id) FROM scan WHERE binding = 'guests')`,
		"a first write":             `UPDATE trial SET proved = substr(proved, 1, length(proved) - 1)`,
		"how fields were read":      `UPDATE setting SET value = substr(value, 1, length(value) - 1) WHERE name = 'read_as'`,
		"what a list shows":         `UPDATE witnessed SET value = substr(value, 1, length(value) - 1) WHERE substr(value, 1, 1) = '{'`,
		"what was changed last":     `UPDATE witnessed SET value = substr(value, 1, length(value) - 1) WHERE substr(value, 1, 2) = '[{'`,
		"what a system answered":    `UPDATE intent SET receipt = substr(receipt, 1, length(receipt) - 1) WHERE state = 'settled'`,
		"a change that was settled": `UPDATE intent SET change = '{' WHERE state = 'settled'`,
	} {
		t.Run(name, func(t *testing.T) {
			h := staysHouse(t)
			h.exec(`UPDATE guests SET last_name = 'Neri' WHERE id = 4`)
			h.sync()
			badState(h, query)
			h.exec(`UPDATE guests SET last_name = 'Verdi' WHERE id = 4`)
			_, err := h.trySync(engine.Options{Yes: true})
			if err != nil && (!strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), "nightporter restore")) {
				t.Errorf("the job failed, and nothing says of what: %v", err)
			}
			if got, guests := h.sim.Len("contacts"), h.one(`SELECT count(*) FROM guests`); got != 12 || guests != "12" {
				t.Errorf("there are %d contacts and %s guests, want 12 of each", got, guests)
			}
		})
	}
}

// An update that was settled long before, and can't be read any more, stops no list.
func TestOutside04BrokenOldUpdateStopsNoList(t *testing.T) {
	h := staysHouse(t)
	h.exec(`UPDATE guests SET last_name = 'Neri' WHERE id = 3`)
	h.sync()
	id := h.stateSQL(`SELECT id FROM intent WHERE binding = 'guests' AND state = 'settled' AND change ->> '$.op' = 'update'`)
	if id == "" {
		t.Fatal("no update was settled")
	}
	badState(h, `UPDATE intent SET change = substr(change, 1, length(change) - 1) WHERE id = '`+id+`'`)
	h.exec(`UPDATE guests SET last_name = 'Verdi' WHERE id = 4`)
	h.sync()
	verdi := 0
	for _, c := range h.sim.All("contacts") {
		if c["last_name"] == "Verdi" {
			verdi++
		}
	}
	if verdi != 1 {
		t.Errorf("the next edit arrived %d times, want once", verdi)
	}
	h.quiet()
}

// A new record with the key of one that is linked is not made: it may be the same one under
// a new id. The platform would refuse a second phone, and takes a second e-mail address. Two
// stays of one guest on the same days are usual.
func TestOutside04KeyOfALinkedRecordIsHeld(t *testing.T) {
	h := staysHouse(t)
	h.exec(`UPDATE guests SET email = 'bruno@example.com' WHERE id = 4`)
	h.sync()
	before := h.sim.Len("contacts")
	h.exec(`INSERT INTO guests (first_name, last_name, phone, country) SELECT 'Again', last_name, phone, country FROM guests WHERE id = 3`)
	h.exec(`INSERT INTO guests (first_name, last_name, phone, country, email) SELECT 'Bruno', last_name, '055 0000099', country, email FROM guests WHERE id = 4`)
	h.exec(`INSERT INTO reservations (guest_id, arrival, departure) SELECT guest_id, arrival, departure FROM reservations WHERE id = 5`)
	h.sync()
	h.sync()
	if got := h.sim.Len("contacts"); got != before {
		t.Errorf("there are %d contacts, want %d", got, before)
	}
	for id, want := range map[string]string{"13": "it has the same phone as guests:3, which is linked", "14": "it has the same email as guests:4, which is linked"} {
		if got := h.stateSQL(`SELECT state || ': ' || why FROM entry WHERE binding = 'guests' AND side = 1 AND id = ?`, id); got != "held: "+want {
			t.Errorf("guest %s is %q, want it held: %s", id, got, want)
		}
	}
	if got := h.sim.Len("reservations"); got != 13 {
		t.Errorf("there are %d stays, want 13", got)
	}
}
