package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// dayFirst has the right's note read as day/month and not as month/day.
func dayFirst() reading {
	swap := func(f record.Fields) record.Fields {
		if month, day, ok := strings.Cut(f["their_note"].Text(), "/"); ok {
			f["their_note"] = record.OfText(day + "/" + month)
		}
		return f
	}
	return reading{prints: map[string]string{"their_note": "day first"}, shown: swap, sent: swap}
}

// heldByMapping is how many changes wait because only the configuration asks for them. Anything else that
// waits is an error.
func (w *world) heldByMapping() (n int) {
	w.Helper()
	for _, st := range w.staged() {
		if st.Risk != string(plan.RiskMapping) {
			w.Errorf("held by %q", st.Risk)
		}
		if st.Choice == record.Undecided {
			n += st.Left
		}
	}
	return n
}

// A connector reads a field in another way, because a format in its preset was corrected: nothing was edited
// on either side. What the new reading asks for waits for a person, whatever else is edited in the same record,
// and also if a hint comes before any list. Other fields are not asked about.
func TestOutsideAConnectorReadsAFieldInAnotherWay(t *testing.T) {
	for _, hint := range []bool{false, true} {
		for _, say := range []record.Choice{record.Approved, record.Refusal} {
			t.Run(fmt.Sprintf("hint %t, %s", hint, say), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := house(t, 8, setting{guards: tenCancels, policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.RightWins, "mail": merge.Person}})
					defer w.close()
					w.set(record.Right, 0, 8, "note", "03/04")
					w.rest()
					wantCount(t, "in step", w.have(record.Left, "note", "03/04"), 8)

					w.reads[record.Right] = dayFirst()
					w.restart()
					w.set(record.Left, 3, 4, "name", "Edited") // which says nothing of the note
					before := w.mutations()
					if hint {
						w.run(engine.Options{Only: []record.Ref{w.ref(record.Left, 3)}, OnlySide: record.Left})
						wantCount(t, "written by the hint", w.mutations()-before, 1)
						w.tick(settle)
					}
					dry := w.run(engine.Options{Dry: true})
					if len(dry.Staged) != 1 || len(dry.Staged[0].Actions) != 8 {
						t.Errorf("a dry run shows %+v", dry.Staged)
					}
					for range 3 {
						w.run(engine.Options{})
						w.tick(settle)
					}
					wantCount(t, "written", w.mutations()-before, 1)
					wantCount(t, "held", w.heldByMapping(), 8)
					wantCount(t, "asked", len(w.open()), 0)

					w.say(w.staged()[0].Set, say)
					for range 2 {
						w.run(engine.Options{})
						w.tick(settle)
					}
					want := map[record.Choice]string{record.Approved: "04/03", record.Refusal: "03/04"}[say]
					wantCount(t, string(say), w.have(record.Left, "note", want), 8)
					wantCount(t, "on the right", w.have(record.Right, "note", "03/04"), 8)
					w.set(record.Right, 5, 6, "note", "12/11")
					w.run(engine.Options{})
					wantCount(t, "a later edit", w.have(record.Left, "note", "11/12"), 1)
				})
			})
		}
	}
}

// A system leaves out what is empty, and its connector is told so only later: what was emptied before, unseen,
// is carried nowhere before a person has agreed, not even with an edit of the same record.
func TestOutsideWhatIsOmittedIsEmptyFromNowOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hidden := reading{shown: func(f record.Fields) record.Fields {
			if f["note"].Empty() {
				delete(f, "note")
			}
			return f
		}}
		s := setting{guards: tenCancels, policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.LeftWins, "mail": merge.Person}}
		s.reads[record.Left] = hidden
		w := house(t, 8, s)
		defer w.close()
		w.set(record.Left, 3, 5, "note", "")
		w.rest()
		wantCount(t, "not shown", w.have(record.Right, "note", "confirmed"), 8)
		w.reads[record.Left] = reading{prints: map[string]string{"": "omitted is empty"}}
		w.restart()
		before := w.mutations()
		w.run(engine.Options{})
		w.tick(settle)
		w.set(record.Left, 3, 4, "name", "Edited")
		for range 2 {
			w.run(engine.Options{})
			w.tick(settle)
		}
		wantCount(t, "written", w.mutations()-before, 1)
		wantCount(t, "on the right", w.have(record.Right, "note", "confirmed"), 8)
		wantCount(t, "on the left", w.have(record.Left, "note", "confirmed"), 6)
		wantCount(t, "held", w.heldByMapping(), 2)
	})
}

// Cards are no longer blanked: the digits of those that were blanked are sent to nobody before a person has
// agreed.
func TestOutsideCardsAreNoLongerBlanked(t *testing.T) {
	for _, hint := range []bool{false, true} {
		for _, say := range []record.Choice{record.Approved, record.Refusal} {
			t.Run(fmt.Sprintf("hint %t, %s", hint, say), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					const typed, blanked = "paid with 4111 1111 1111 1111, ref 77", "paid with ****, ref 77"
					w := house(t, 4, setting{guards: tenCancels, cards: true, policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.LeftWins, "mail": merge.Person}})
					defer w.close()
					w.set(record.Left, 1, 2, "note", typed)
					w.rest()
					wantCount(t, "blanked", w.have(record.Right, "note", blanked), 1)
					w.cards = false
					w.restart()
					before := w.mutations()
					if hint {
						w.run(engine.Options{Only: []record.Ref{w.ref(record.Right, 1)}, OnlySide: record.Right})
						w.tick(settle)
					}
					for range 2 {
						w.run(engine.Options{})
						w.tick(settle)
					}
					wantCount(t, "written", w.mutations()-before, 0)
					wantCount(t, "held", w.heldByMapping(), 1)
					w.say(w.staged()[0].Set, say)
					for range 2 {
						w.run(engine.Options{})
						w.tick(settle)
					}
					want := map[record.Choice]string{record.Approved: typed, record.Refusal: blanked}[say]
					wantCount(t, string(say), w.have(record.Right, "note", want), 1)
					wantCount(t, "on the left", w.have(record.Left, "note", typed), 1)
				})
			})
		}
	}
}

// The time zone of the house is corrected. A time that is kept by the house's clock is another point in time
// now, though nobody has edited it: what that asks for waits for a person, also when the end alone is edited.
// A field that no zone changes goes over as ever.
func TestOutsideTheZoneIsCorrected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zone := func(name string) func(*mapping.Spec) {
			return func(s *mapping.Spec) {
				s.Zone, _ = time.LoadLocation(name)
				for i, f := range s.Fields {
					if f.Name == "note" {
						s.Fields[i].As, s.Fields[i].Sides[record.Right].Format = mapping.Instant, mapping.FormatLocal
					}
				}
			}
		}
		const rome, london = "2027-02-01T09:00:00Z", "2027-02-01T10:00:00Z"
		w := newWorld(t, setting{
			guards: tenCancels, status: "note", mapped: zone("Europe/Rome"),
			policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.RightWins, "mail": merge.Person},
		})
		defer w.close()
		for n := range 6 {
			w.put(record.Right, n, map[string]string{"name": fmt.Sprint("guest ", n), "note": "2027-02-01 10:00:00"})
		}
		w.rest()
		wantCount(t, "in step", w.have(record.Left, "note", rome), 6)
		w.mapped = zone("Europe/London")
		w.restart()
		w.edit(record.Left, 1, "name", "Edited")
		w.edit(record.Right, 2, "mail", "new@example.com")
		for range 2 {
			w.run(engine.Options{})
			w.tick(settle)
		}
		if w.value(record.Right, 1, "name") != "Edited" || w.value(record.Left, 2, "mail") != "new@example.com" {
			t.Errorf("other fields wait, too:\n%s", w.both())
		}
		wantCount(t, "held", w.heldByMapping(), 6)
		wantCount(t, "as it was", w.have(record.Left, "note", rome), 6)
		w.edit(record.Left, 4, "note", "2027-02-01T11:30:00Z") // an edit since then is one like any other
		for range 2 {
			w.run(engine.Options{})
			w.tick(settle)
		}
		if got := w.value(record.Right, 4, "note"); got != "2027-02-01 11:30:00" {
			t.Errorf("the edit arrived as %q", got)
		}
		w.say(w.staged()[0].Set, record.Approved)
		w.run(engine.Options{})
		wantCount(t, "approved", w.have(record.Left, "note", london), 5)
	})
}

// The zone of the house is corrected, and both days of a stay are read in another way. They are written together. An
// edit of one of them does not carry the other one along, which nobody has edited: both wait for a person.
func TestOutsideAnEditCarriesNoHeldFieldAlong(t *testing.T) {
	for _, side := range record.Sides {
		for _, say := range []record.Choice{record.Approved, record.Refusal} {
			t.Run(fmt.Sprintf("edited on the %s, %s", side, say), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					zone := func(name string) func(*mapping.Spec) {
						return func(s *mapping.Spec) {
							s.Zone, _ = time.LoadLocation(name)
							for i, f := range s.Fields {
								if f.Name == "note" || f.Name == "mail" {
									s.Fields[i].As, s.Fields[i].Sides[record.Right].Format = mapping.Instant, mapping.FormatLocal
								}
							}
						}
					}
					w := newWorld(t, setting{
						guards: tenCancels, status: "note", mapped: zone("Europe/Rome"),
						policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.RightWins, "mail": merge.RightWins},
					})
					defer w.close()
					together := func() {
						for i, rule := range w.eng.Jobs[job].Rules.Merge {
							if rule.Field == "note" || rule.Field == "mail" {
								w.eng.Jobs[job].Rules.Merge[i].Group = "stay"
							}
						}
					}
					together()
					for n := range 6 {
						w.put(record.Right, n, map[string]string{"name": fmt.Sprint("guest ", n), "note": "2027-02-01 10:00:00", "mail": "2027-02-01 11:00:00"})
					}
					w.rest()
					wantCount(t, "in step", w.have(record.Left, "note", "2027-02-01T09:00:00Z"), 6)
					w.mapped = zone("Europe/London")
					w.restart()
					together()
					w.run(engine.Options{})
					w.tick(settle)
					wantCount(t, "held", w.heldByMapping(), 6)
					longer := map[record.Side]string{record.Left: "2027-02-01T10:30:00Z", record.Right: "2027-02-01 11:30:00"}[side]
					w.edit(side, 2, "mail", longer)
					before := w.mutations()
					for range 3 {
						w.run(engine.Options{})
						w.tick(settle)
					}
					wantCount(t, "written without a person", w.mutations()-before, 0)
					if got := w.heldByMapping(); got < 6 {
						t.Errorf("%d wait for a person, want all six", got)
					}
					for _, st := range w.staged() {
						if st.Choice == record.Undecided && st.Side == side.Other() { // that is where the edit would go
							w.say(st.Set, say)
						}
					}
					for range 2 {
						w.run(engine.Options{})
						w.tick(settle)
					}
					if got := w.value(side, 2, "mail"); got != longer {
						t.Errorf("the edit is gone: %q\n%s", got, w.both())
					}
				})
			})
		}
	}
}

// Cards are no longer blanked, and a hint of an edit comes before any list. The record across was last read with
// its card blanked: it is not decided by that, and when it is read again, its digits are no edit.
func TestOutsideARecordIsNotDecidedByItsOldReading(t *testing.T) {
	for _, policy := range []merge.Policy{merge.LeftWins, merge.RightWins, merge.Person} {
		t.Run(string(policy), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const typed, blanked = "paid with 4111 1111 1111 1111, ref 77", "paid with ****, ref 77"
				w := house(t, 4, setting{guards: tenCancels, cards: true, policies: map[string]merge.Policy{"name": merge.LeftWins, "note": policy, "mail": merge.Person}})
				defer w.close()
				w.set(record.Left, 1, 2, "note", typed)
				w.rest()
				wantCount(t, "blanked", w.have(record.Right, "note", blanked), 1)
				w.cards = false
				w.restart()
				w.set(record.Right, 1, 2, "note", blanked+"; late")
				before := w.mutations()
				w.run(engine.Options{Only: []record.Ref{w.ref(record.Right, 1)}, OnlySide: record.Right})
				wantCount(t, "held by what was read before", w.heldByMapping(), 0)
				wantCount(t, "asked by what was read before", len(w.open()), 0)
				w.tick(settle)
				for range 2 {
					w.run(engine.Options{})
					w.tick(settle)
				}
				wantCount(t, "written", w.mutations()-before, 0)
				wantCount(t, "on the left", w.have(record.Left, "note", typed), 1)
				wantCount(t, "waits for a person", w.heldByMapping()+len(w.open()), 1)
			})
		})
	}
}
