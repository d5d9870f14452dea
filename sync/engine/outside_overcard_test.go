package engine_test

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

const paidWith, blankedPaid = "paid with 4111 1111 1111 1111, ref 77", "paid with ****, ref 77"

// noteWorld is a world of one person whose note holds a card on one side. The other side has the note without it.
func noteWorld(t *testing.T, policy merge.Policy, holder record.Side, sealed string) *world {
	t.Helper()
	w := newWorld(t, setting{cards: true, sealed: sealed, policies: map[string]merge.Policy{"note": policy}})
	w.put(holder, 1, map[string]string{"name": "Anna", "note": "n1"})
	w.rest()
	w.edit(holder, 1, "note", paidWith)
	w.rest()
	w.wantNotes("at first", holder, paidWith, blankedPaid)
	return w
}

// wantNotes says what the side with the card and the other side hold.
func (w *world) wantNotes(when string, holder record.Side, held, across string) {
	w.Helper()
	if here, there := w.value(holder, 1, "note"), w.value(holder.Other(), 1, "note"); here != held || there != across {
		w.Errorf("%s: %q and %q, want %q and %q", when, here, there, held, across)
	}
}

// cardAsked is the one question about the note.
func (w *world) cardAsked() record.Question {
	w.Helper()
	q, ok := w.fieldAsked("note")
	if !ok || q.Cause != plan.OverCard {
		w.Fatalf("asked is %+v (%v), want a question about the card", q, ok)
	}
	for _, text := range []string{q.Left.Text(), q.Right.Text(), q.Why} {
		if strings.Contains(text, "1111") || strings.ContainsRune(text, '\u2060') {
			w.Errorf("the question shows %q", text)
		}
	}
	return q
}

// A text with asterisks never replaces the text that holds the card, whichever side has it, by whatever rule, and
// also where digests are kept. A person is asked, the other fields go over, and what they choose is done.
func TestOutsideAsterisksNeverReplaceACard(t *testing.T) {
	for name, policy := range map[string]merge.Policy{"person": merge.Person, "left": merge.LeftWins, "right": merge.RightWins} {
		for _, holder := range record.Sides {
			for _, digests := range []bool{false, true} {
				for _, choice := range []record.Choice{"", "holder", "across", "value", record.ChoiceLeave} {
					t.Run(strings.Join([]string{name, holder.String(), map[bool]string{true: "digests"}[digests], string(choice)}, "/"), func(t *testing.T) {
						key := ""
						if digests {
							key = filepath.Join(t.TempDir(), "key")
						}
						synctest.Test(t, func(t *testing.T) {
							w := noteWorld(t, policy, holder, key)
							defer w.close()
							edited := blankedPaid + "; late arrival"
							w.edit(holder.Other(), 1, "note", edited)
							w.edit(holder.Other(), 1, "name", "Anna Maria")
							w.rest()
							w.wantNotes("edited", holder, paidWith, edited)
							if got := w.value(holder, 1, "name"); got != "Anna Maria" {
								t.Errorf("the name waits with the note: %q", got)
							}
							q := w.cardAsked()
							held, across := paidWith, edited
							take, typed := choice, record.Value{}
							switch string(choice) {
							case "holder":
								take, across = record.Choice(holder.String()), blankedPaid
							case "across":
								take, held = record.Choice(holder.Other().String()), edited
							case "value":
								typed, held, across = record.OfText("paid, ref 77"), "paid, ref 77", "paid, ref 77"
							}
							if choice != "" {
								w.must(w.store.Choose(t.Context(), q.ID, take, typed, q.Opened))
							}
							w.rest()
							w.wantNotes("decided "+string(choice), holder, held, across)
							if _, open := w.fieldAsked("note"); open != (choice == "") {
								t.Errorf("decided %q, and open is %v", choice, open)
							}
						})
					})
				}
			}
		}
	}
}

// Whoever has the card edits the text as before, and so does whoever has nothing but asterisks: neither is asked.
func TestOutsideEditsBesideACardGoOver(t *testing.T) {
	for _, holder := range record.Sides {
		t.Run(holder.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := noteWorld(t, merge.Person, holder, "")
				defer w.close()
				w.edit(holder, 1, "note", paidWith+"; quiet room")
				w.rest()
				w.wantNotes("the holder edits", holder, paidWith+"; quiet room", blankedPaid+"; quiet room")
				w.edit(holder.Other(), 1, "note", "paid in cash")
				w.rest()
				w.wantNotes("the other user took the asterisks out", holder, "paid in cash", "paid in cash")
				w.edit(holder, 1, "note", "upgrade to **** hotel")
				w.rest()
				w.edit(holder.Other(), 1, "note", "upgrade to **** hotel, paid")
				w.rest()
				w.wantNotes("asterisks that a user typed", holder, "upgrade to **** hotel, paid", "upgrade to **** hotel, paid")
			})
		})
	}
}

// A user who edits the text may spoil the asterisks. Part of them is left, and shows that the edit is of the text
// with the card.
func TestOutsideSpoiltAsterisksNeverReplaceACard(t *testing.T) {
	for name, edited := range map[string]string{"one less": "paid with ***, ref 77", "one more": "paid with *****, ref 77", "moved": "ref 77, **** paid"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := noteWorld(t, merge.Person, record.Right, "")
				defer w.close()
				w.edit(record.Left, 1, "note", edited)
				w.rest()
				w.wantNotes("edited", record.Right, paidWith, edited)
				w.cardAsked()
			})
		})
	}
}

// What a person decided once and for all was not decided with the card in view: they are asked about each card.
func TestOutsideACardIsNotDecidedOnceAndForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := noteWorld(t, merge.Person, record.Right, "")
		defer w.close()
		w.must(w.store.DecideAlways(t.Context(), record.Always{Binding: job, Field: "note", Take: record.ChoiceLeft}))
		w.edit(record.Left, 1, "note", blankedPaid+"; late")
		w.edit(record.Right, 1, "note", paidWith+"; quiet")
		w.rest()
		w.wantNotes("edited on both sides", record.Right, paidWith+"; quiet", blankedPaid+"; late")
		w.cardAsked()
	})
}
