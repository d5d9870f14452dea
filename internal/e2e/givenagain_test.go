package e2e

import (
	"fmt"
	"testing"
	"time"

	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// A database gives the id of the row that was removed last to the next one. A booking is told by
// its guest and days: one that has neither is another one, though it has the same status, as nearly
// all have. The booking across is not written over: a person is asked.
func TestOutsideABookingUnderAnIDThatIsGivenAgain(t *testing.T) {
	for _, seen := range []bool{false, true} {
		for choice, want := range map[away.GoneChoice]int{"": 12, away.ChooseAnew: 13, away.ChooseSame: 12} {
			t.Run(fmt.Sprintf("seen to be gone before %t, then %q", seen, choice), func(t *testing.T) {
				h := staysHouse(t)
				last := h.one(`SELECT max(id) FROM reservations`)
				phone := h.one(`SELECT replace(phone, '055 ', '+39055') FROM guests WHERE id = (SELECT guest_id FROM reservations WHERE id = ?)`, last)
				old := fmt.Sprint(h.bookingsOf(phone))
				h.exec(`DELETE FROM reservations WHERE id = ?`, last)
				if seen {
					h.sync()
				}
				h.exec(`INSERT INTO reservations (id, guest_id, arrival, departure) VALUES (?, 1, date('now', '+9 day'), date('now', '+11 day'))`, last)
				h.sync()
				h.sync()
				if got := fmt.Sprint(h.bookingsOf(phone)); got != old {
					t.Errorf("the bookings of %s are %s, want %s", phone, got, old)
				}
				asked := h.openQuestions("reservations")
				if len(asked) != 1 || asked[0].Cause != record.Cause(away.AskForeign) {
					t.Fatalf("the questions are %+v, want one about another record under the id", asked)
				}
				if choice != "" {
					a := h.open()
					err := a.Store.Choose(t.Context(), asked[0].ID, "value", record.OfText(string(choice)), time.Now())
					a.Close()
					if err != nil {
						t.Fatal(err)
					}
					h.sync()
					h.sync()
				}
				if got := h.sim.Len("reservations"); got != want {
					t.Errorf("the platform has %d bookings, want %d", got, want)
				}
				if moved := fmt.Sprint(h.bookingsOf(phone)) != old; moved != (choice == away.ChooseSame) {
					t.Errorf("the booking of %s was changed: %t", phone, moved)
				}
			})
		}
	}
}

// bookingsOf is the platform's bookings of a phone.
func (h *house) bookingsOf(phone string) (out []map[string]any) {
	for _, b := range h.sim.All("reservations") {
		if b["client_phone_number"] == phone {
			out = append(out, b)
		}
	}
	return out
}

// openQuestions is what persons are asked about records of a job.
func (h *house) openQuestions(job record.Binding) []record.Question {
	h.t.Helper()
	a := h.open()
	defer a.Close()
	open, err := a.Store.Questions(h.t.Context(), job, true)
	if err != nil {
		h.t.Fatal(err)
	}
	return open
}
