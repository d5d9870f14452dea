package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"nightporter/simulator"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// goneHotel is a PMS in PostgreSQL with four guests who are in step with the platform,
// and rules for those who go.
func goneHotel(t *testing.T, guests string) *roomHotel {
	t.Helper()
	h := newRoomHotelOn(t, simulator.Options{Deletes: true})
	h.edit("    key: file:", `    override: { kinds: { contacts: { delete: { path: "/contacts/{id}" } } } }
    key: file:`)
	h.edit("        private: [notes, code]\n", "        private: [notes, code]\n        may_delete: true\n")
	h.edit("    not_a_value", "    gone: "+guests+"\n    not_a_value")
	for i := range 4 {
		h.id(`INSERT INTO pms.guests (first_name, last_name, phone, email, country) VALUES ($1, 'Verdi', $2, $3, 'IT') RETURNING id`,
			fmt.Sprint("Carla", i), fmt.Sprintf("055 000010%d", i), fmt.Sprintf("carla%d@example.com", i))
	}
	h.atRest()
	return h
}

// atRest runs until nothing is left to do, each time comparing both sides whole.
func (h *roomHotel) atRest() {
	h.t.Helper()
	for range 8 {
		time.Sleep(2 * time.Millisecond) //nolint:forbidigo // the settle time of this house, which is real
		if l, r := writes(h.syncWith(engine.Options{Yes: true, Full: true})); l+r == 0 {
			return
		}
	}
	h.t.Fatal("eight runs were not enough to come to rest")
}

// contact is what the platform has of a guest, "" for nothing.
func (h *roomHotel) contact(name string) string {
	for _, r := range h.sim.All("contacts") {
		if r["first_name"] == name {
			return fmt.Sprint(r["email"])
		}
	}
	return ""
}

// row is what the PMS has of a guest, "" for nothing.
func (h *roomHotel) row(name string) string {
	return h.text(`SELECT coalesce(max(email), '') FROM pms.guests WHERE first_name = $1`, name)
}

// asked is the questions about whole records.
func (h *roomHotel) asked() (qs []record.Question) {
	h.t.Helper()
	a := h.open()
	defer a.Close()
	cs, err := a.Store.Questions(h.t.Context(), "", true)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, c := range cs {
		if c.Field == engine.RecordField {
			qs = append(qs, c)
		}
	}
	return qs
}

func (h *roomHotel) say(c away.GoneChoice) {
	h.t.Helper()
	qs := h.asked()
	if len(qs) != 1 {
		h.t.Fatalf("%d questions, want one", len(qs))
	}
	a := h.open()
	defer a.Close()
	if err := a.Store.Choose(h.t.Context(), qs[0].ID, "value", record.OfText(string(c)), time.Now()); err != nil {
		h.t.Fatal(err)
	}
}

// A row that the desk deletes, with each rule: what becomes of the contact on the
// platform, now and after three more nights, and what a person is asked.
func TestRowDeletedInThePMS(t *testing.T) {
	for _, tt := range []struct {
		rule, contact string
		asked         bool
	}{
		{"hold", "carla0@example.com", true},
		{"delete", "", false},
		{"{ archive: { email: gone@example.com } }", "gone@example.com", false},
		{"unlink", "carla0@example.com", false},
		{"ignore", "carla0@example.com", false},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			h := goneHotel(t, "{ pms: "+tt.rule+" }")
			h.run(`DELETE FROM pms.guests WHERE first_name = 'Carla0'`)
			h.run(`DELETE FROM pms.guests WHERE first_name = 'Carla1'`)
			h.sim.Edit("contacts", idOf(h.house, "contacts", "first_name", "Carla1"), map[string]any{"email": "edited@example.com"})
			for night := range 4 {
				h.atRest()
				want := tt.contact
				if night == 0 { // first the bookings are read: they may name the contact by its phone
					want = "carla0@example.com"
				}
				if got := h.contact("Carla0"); got != want {
					t.Fatalf("night %d: the platform has %q, want %q", night, got, want)
				}
				if got := h.contact("Carla1"); got != "edited@example.com" {
					t.Fatalf("night %d: the contact that was edited is %q", night, got)
				}
				if h.row("Carla0")+h.row("Carla1") != "" {
					t.Fatalf("night %d: a row came back", night)
				}
				for _, other := range []string{"Carla2", "Carla3"} {
					if h.contact(other) == "" || h.row(other) == "" {
						t.Fatalf("night %d: %s went, too", night, other)
					}
				}
			}
			questions := 0
			for _, q := range h.asked() {
				if q.Cause == record.Cause(away.AskGone) {
					questions++
				}
			}
			if (questions == 1) != tt.asked {
				t.Errorf("%d questions about the one that nobody edited", questions)
			}
		})
	}
}

// A contact that goes from the platform, and its row in the PMS: deleted by a DELETE of
// ours, put aside by a column, or kept by the database because a stay refers to it.
func TestContactDeletedOnThePlatform(t *testing.T) {
	for rule, want := range map[string]string{
		"delete": "",
		"{ archive: { email: gone@example.com, private: true } }": "gone@example.com",
		"unlink": "carla0@example.com",
	} {
		t.Run(rule, func(t *testing.T) {
			h := goneHotel(t, "{ platform: "+rule+" }")
			h.sim.Remove("contacts", idOf(h.house, "contacts", "first_name", "Carla0"))
			h.atRest()
			if got := h.row("Carla0"); got != want {
				t.Errorf("the PMS has %q, want %q", got, want)
			}
			if h.contact("Carla0") != "" {
				t.Error("the contact came back")
			}
			if strings.Contains(rule, "private") && h.text(`SELECT private::text FROM pms.guests WHERE first_name = 'Carla0'`) != "true" {
				t.Error("the row is not put aside")
			}
			if qs := h.asked(); len(qs) != 0 {
				t.Errorf("asked %q", qs[0].Why)
			}
		})
	}
}

// A guest whom a stay names is to go: a person is asked and told of the stay. They say that he is
// to go all the same, and the database refuses: a person is asked once more, the stay is as it
// was, and nobody tries for ever.
func TestDatabaseRefusesADelete(t *testing.T) {
	h := goneHotel(t, "{ platform: delete }")
	h.sim.Remove("contacts", idOf(h.house, "contacts", "first_name", "Bruno"))
	for range 3 {
		h.atRest()
	}
	qs := h.asked()
	if len(qs) != 1 || qs[0].Cause != record.Cause(away.AskNamed) {
		t.Fatalf("got questions %+v, want one that names the stay", qs)
	}
	h.say(away.ChooseCarry)
	for range 3 {
		h.atRest()
	}
	if qs = h.asked(); len(qs) != 1 || qs[0].Cause != record.Cause(away.AskRefused) || !strings.Contains(qs[0].Why, "is named by reservations:") {
		t.Fatalf("got questions %+v, want one about the refusal that names the stay", qs)
	}
	h.say(away.ChooseCarry) // once more: it is tried once, and refused again
	for range 3 {
		h.atRest()
	}
	if qs = h.asked(); len(qs) != 1 || qs[0].Cause != record.Cause(away.AskRefused) || qs[0].Choice != "" {
		t.Fatalf("got questions %+v, want the one about the refusal again, without an answer", qs)
	}
	if got := h.text(`SELECT count(*) FROM pms.reservations r JOIN pms.guests g ON g.id = r.guest_id`); got != "1" {
		t.Errorf("%s stays, want one", got)
	}
	h.say(away.ChooseLeave)
	h.atRest()
	if qs := h.asked(); len(qs) != 0 || h.row("Bruno") != "" || h.contact("Bruno") != "" {
		t.Errorf("asked %v still; Bruno: %q", qs, h.contact("Bruno"))
	}
}

// What a person answers about a row that is gone is done, and only that.
func TestRowDeletedAndAnswered(t *testing.T) {
	for choice, want := range map[away.GoneChoice][2]string{
		away.ChooseCarry: {"", ""},
		away.ChooseLeave: {"carla0@example.com", ""},
		away.ChooseAnew:  {"carla0@example.com", "carla0@example.com"},
	} {
		t.Run(string(choice), func(t *testing.T) {
			h := goneHotel(t, "{ pms: hold }")
			h.run(`DELETE FROM pms.guests WHERE first_name = 'Carla0'`)
			h.atRest()
			h.say(choice)
			h.atRest()
			h.atRest()
			if got := [2]string{h.contact("Carla0"), h.row("Carla0")}; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if qs := h.asked(); len(qs) != 0 {
				t.Errorf("asked %q still", qs[0].Why)
			}
		})
	}
}
