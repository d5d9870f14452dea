package engine_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// A create of which no answer came is not sent again once somebody has entered the
// record by hand, though the system itself would apply it only once.
func TestUnansweredCreateEnteredByHand(t *testing.T) {
	for _, class := range []connectors.Class{connectors.ClassA, connectors.ClassB} {
		t.Run(string(class), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, memory.ClassKind(memory.Kind{}, class)}})
				defer w.close()
				w.put(record.Left, 1, map[string]string{"name": "Anna"})
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous})
				w.run(engine.Options{Yes: true})
				w.put(record.Right, 1, map[string]string{"name": "Anna", "note": "by hand"})
				w.rest()
				if got := w.picture(record.Right); len(got) != 1 {
					t.Errorf("the right has %q, want one record", got)
				}
				if got := w.value(record.Left, 1, "note"); got != "by hand" {
					t.Errorf("the left has note %q, want that of the record entered by hand", got)
				}
			})
		})
	}
}

// Nobody entered it by hand: it is sent again, and made once, whether or not the first
// request had come through.
func TestUnansweredCreateSentAgain(t *testing.T) {
	for _, class := range []connectors.Class{connectors.ClassA, connectors.ClassB} {
		for _, applied := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, memory.ClassKind(memory.Kind{}, class)}})
				defer w.close()
				w.put(record.Left, 1, map[string]string{"name": "Anna"})
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: applied})
				w.run(engine.Options{Yes: true})
				w.run(engine.Options{Yes: true})
				if got := w.picture(record.Right); len(got) != 1 {
					t.Errorf("class %s, applied %t: the right has %q, want one record", class, applied, got)
				}
				w.rest()
				if due := w.due(); len(due) > 0 {
					t.Errorf("class %s, applied %t: a plan still has %v", class, applied, due)
				}
			})
		}
	}
}

// What is sent again is answered as it was the first time. What somebody edited since, and
// a list has shown, is no less an edit.
func TestUnansweredCreateEditedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := memory.Kind{Since: true, Times: true}
		w := newWorld(t, setting{kinds: [2]memory.Kind{k, memory.ClassKind(k, connectors.ClassA)}})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Anna"})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
		w.run(engine.Options{Yes: true})
		w.edit(record.Right, 1, "name", "Anne")
		w.edit(record.Right, 1, "phone", phoneOf(7))
		w.tick(settle + time.Second)
		w.rest()
		if l, r := w.picture(record.Left), w.picture(record.Right); len(l) != 1 || len(r) != 1 || w.value(record.Left, 7, "name") != "Anne" {
			t.Errorf("want one record on each side, as it was edited:\n%s", w.both())
		}
	})
}

// Somebody changed what a create had made before it was found. If the record has our mark and its own times tell of
// the change, that is an edit on one side. If they are missing, the value may be what the system made of what was sent,
// and a person is asked. A record that is found by its key may also have been entered by hand. Then the rule of the
// field decides, but a value that differs from what was sent is not written over without asking.
func TestUnansweredCreateChangedBeforeItWasFound(t *testing.T) {
	for _, c := range []struct {
		times  bool
		after  time.Duration
		policy merge.Policy
		now    string // of the new record
		source string // of its source, if that is edited too
		marked string
		byKey  string
	}{
		{true, time.Minute, merge.Person, "Anne", "", "Anne | Anne", "Anna | Anne asked"},
		{true, time.Minute, merge.LeftWins, "Anne", "", "Anne | Anne", "Anna | Anne asked"},
		{true, time.Minute, merge.RightWins, "Anne", "", "Anne | Anne", "Anne | Anne"},
		{true, time.Second, merge.RightWins, "Anne", "", "Anna | Anne", "Anne | Anne"}, // the system's own work on what it was sent
		{true, time.Second, merge.LeftWins, "Anne", "", "Anna | Anne", "Anna | Anna"},
		{false, time.Minute, merge.LeftWins, "Anne", "", "Anna | Anne asked", "Anna | Anne asked"},
		{false, time.Minute, merge.RightWins, "Anne", "", "Anna | Anne asked", "Anne | Anne"},

		{true, time.Minute, merge.Person, "", "", "Anna |  asked", "Anna |  asked"},
		{false, time.Minute, merge.LeftWins, "", "", "Anna |  asked", "Anna |  asked"},

		{true, time.Minute, merge.Person, "Anne", "Hanna", "Hanna | Anne asked", "Hanna | Anne asked"},
		{true, time.Minute, merge.LeftWins, "Anne", "Hanna", "Hanna | Hanna", "Hanna | Anne asked"},
		{false, time.Minute, merge.Person, "Anne", "Hanna", "Hanna | Anne asked", "Hanna | Anne asked"},
		{false, time.Minute, merge.RightWins, "Anne", "Hanna", "Hanna | Anne asked", "Anne | Anne"},
		{false, time.Minute, merge.LeftWins, "Anne", "Hanna", "Hanna | Hanna", "Hanna | Anne asked"},
	} {
		for class, want := range map[connectors.Class]string{connectors.ClassC: c.marked, connectors.ClassD: c.byKey} {
			t.Run(fmt.Sprintf("class %s, %s later, times %t, %s, %q and %q", class, c.after, c.times, c.policy, c.now, c.source), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					k := memory.ClassKind(memory.Kind{Times: c.times, Unique: [][]string{{"their_phone"}}}, class)
					w := newWorld(t, setting{
						kinds:    [2]memory.Kind{{}, k},
						policies: map[string]merge.Policy{"name": c.policy},
					})
					defer w.close()
					w.put(record.Left, 1, map[string]string{"name": "Anna"})
					w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
					w.run(engine.Options{Yes: true})
					made, _ := w.find(record.Right, 1)
					if c.times {
						w.tick(c.after - time.Since(made.Created.Truncate(time.Millisecond)))
					}
					w.edit(record.Right, 1, "name", c.now)
					if c.source != "" {
						w.edit(record.Left, 1, "name", c.source)
					}
					w.tick(settle + time.Second)
					w.rest()
					got := w.value(record.Left, 1, "name") + " | " + w.value(record.Right, 1, "name")
					if cs, err := w.store.Questions(t.Context(), job, true); err != nil {
						t.Fatal(err)
					} else if len(cs) > 0 {
						got += " asked"
					}
					if got != want {
						t.Errorf("got %s, want %s", got, want)
					}
				})
			})
		}
	}
}

// A list that is empty, and says so, looks like any other where no record of its side is
// known yet. What can be asked is asked before a create is given up because of it.
func TestUnansweredCreateAndAnEmptyList(t *testing.T) {
	find := func(f memory.Fault) memory.Fault { f.Call = memory.CallFind; return f }
	for _, c := range []struct {
		name  string
		fault memory.Fault // of the look-up
	}{
		{"it is found", memory.Fault{}},
		{"it can't be asked for now", find(memory.Fault{Class: connectors.Transient})},
		{"all is found", find(memory.Fault{FilterIgnored: true})},
	} {
		for _, late := range []time.Duration{0, settle / 2} {
			t.Run(fmt.Sprintf("%s, %s late", c.name, late), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					kind := memory.Kind{Paging: memory.Keyset, Total: true}
					w := newWorld(t, setting{kinds: [2]memory.Kind{{}, memory.ClassKind(kind, connectors.ClassD, []string{"their_phone"})}})
					defer w.close()
					right := w.sys[record.Right]
					w.put(record.Left, 1, map[string]string{"name": "Anna"})
					right.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: late == 0, Late: late})
					w.run(engine.Options{Yes: true})
					w.tick(settle + time.Second)
					right.Inject(memory.Fault{Call: memory.CallFetch, Empty: true})
					if c.fault.Call != "" {
						right.Inject(c.fault)
					}
					w.run(engine.Options{Yes: true, Full: true})
					w.rest()
					if l, r, due := w.picture(record.Left), w.picture(record.Right), w.due(); len(l) != 1 || len(r) != 1 || len(due) > 0 {
						t.Errorf("want one record on each side, and nothing due, not %v:\n%s", due, w.both())
					}
				})
			})
		}
	}
}

// What a create of unknown fate may have made is not taken for somebody else's when a
// hint names it before any list has shown it, though the record that it was made from
// has another key by then.
func TestUnansweredCreateIsHintedAt(t *testing.T) {
	phone := [][]string{{"phone"}}
	for _, kicked := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			once := memory.ClassKind(memory.Kind{ListLag: time.Second}, connectors.ClassA)
			w := newWorld(t, setting{kinds: [2]memory.Kind{{Unique: phone, FindBy: phone}, once}})
			defer w.close()
			w.put(record.Left, 1, map[string]string{"name": "Anna"})
			for _, applied := range []bool{false, true} {
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: applied})
				w.tick(3 * time.Second)
				w.run(engine.Options{Yes: true})
				w.edit(record.Left, 1, "phone", phoneOf(7))
			}
			made, there := w.find(record.Right, 1)
			if !there {
				t.Fatal("the create was not applied: nothing is tested")
			}
			o := engine.Options{Yes: true, Only: []record.Ref{made.Ref}, OnlySide: record.Right}
			if kicked {
				kicks := []engine.Kick{{Side: record.Right, Ref: made.Ref}}
				o = engine.Options{Yes: true, Kicked: func() (now []engine.Kick) { now, kicks = kicks, nil; return now }}
			}
			w.run(o)
			w.rest()
			if l, r := w.picture(record.Left), w.picture(record.Right); len(l) != 1 || len(r) != 1 {
				t.Errorf("kicked %t: want one record on each side:\n%s", kicked, w.both())
			}
		})
	}
}

// That the system would not have it a second time says nothing of the first request: it
// may come late, and lists say whether it did.
func TestUnansweredCreateRefusedWhenSentAgain(t *testing.T) {
	for _, class := range []connectors.Class{connectors.ClassA, connectors.ClassB} {
		for _, late := range []time.Duration{0, 3 * time.Second} {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, memory.ClassKind(memory.Kind{}, class)}})
				defer w.close()
				w.put(record.Left, 1, map[string]string{"name": "Anna"})
				right := w.sys[record.Right]
				right.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: late > 0, Late: late})
				w.run(engine.Options{Yes: true})
				right.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Rejected})
				w.edit(record.Left, 1, "note", "new") // what the system refused is not what is to be made now
				w.run(engine.Options{Yes: true})
				w.tick(time.Minute)
				w.rest()
				if got := w.picture(record.Right); len(got) != 1 {
					t.Errorf("class %s, %s late: the right has %q, want one record", class, late, got)
				}
			})
		}
	}
}

// Nor is it sent again for a record that is gone by now, though a list of what changed
// does not show that: what of it came through is found, and nothing else is made.
func TestUnansweredCreateOfWhatIsGone(t *testing.T) {
	for _, from := range []memory.Kind{{}, {Since: true, Times: true}} {
		for _, class := range []connectors.Class{connectors.ClassA, connectors.ClassB} {
			for _, applied := range []bool{false, true} {
				t.Run(fmt.Sprintf("list of what changed %t, class %s, applied %t", from.Since, class, applied), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						w := newWorld(t, setting{kinds: [2]memory.Kind{from, memory.ClassKind(memory.Kind{}, class)}})
						defer w.close()
						w.put(record.Left, 0, map[string]string{"name": "Eve"})
						w.put(record.Left, 2, map[string]string{"name": "Mia"})
						w.rest()
						w.put(record.Left, 1, map[string]string{"name": "Anna"})
						w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: applied})
						w.run(engine.Options{Yes: true})
						w.remove(record.Left, 1)
						sent := w.sys[record.Right].Counts().Mutations
						w.rest()
						if now := w.sys[record.Right].Counts().Mutations; now > sent && !applied {
							t.Errorf("%d changes were sent for a record that is gone", now-sent)
						}
						if rep := w.run(engine.Options{Dry: true, Full: true}); rep.Counts["unsettled"] > 0 {
							t.Error("the create stays open")
						}
					})
				})
			}
		}
	}
}

// Whether what it was made from is there can't be looked up now: the create stays open,
// the run goes on, and the next one makes it.
func TestUnansweredCreateOfWhatCantBeRead(t *testing.T) {
	for _, class := range []connectors.ErrorClass{connectors.Transient, connectors.Malformed} {
		synctest.Test(t, func(t *testing.T) {
			once := memory.ClassKind(memory.Kind{}, connectors.ClassA)
			w := newWorld(t, setting{kinds: [2]memory.Kind{{Since: true, Times: true}, once}})
			defer w.close()
			w.put(record.Left, 1, map[string]string{"name": "Anna"})
			w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous})
			w.run(engine.Options{Yes: true})
			w.tick(time.Minute)
			w.sys[record.Left].Inject(memory.Fault{Call: memory.CallGet, Class: class})
			rep := w.run(engine.Options{Yes: true})
			if got := w.picture(record.Right); len(got) != 0 || rep.Counts["unsettled"] != 1 {
				t.Errorf("%s: the right has %q, and %d changes are open", class, got, rep.Counts["unsettled"])
			}
			w.rest()
			if l, r := w.picture(record.Left), w.picture(record.Right); len(r) != 1 || !slices.Equal(l, r) {
				t.Errorf("%s: in the end the left has %q and the right %q", class, l, r)
			}
		})
	}
}

// What a user fills into a new record before anybody knows that it was made is an edit
// like any other, and not what its system made of the create.
func TestUnansweredCreateEdited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, memory.ClassKind(memory.Kind{}, connectors.ClassC)}})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Anna"})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
		w.run(engine.Options{Yes: true})
		w.edit(record.Right, 1, "mail", "anna@example.com")
		w.rest()
		if got := w.value(record.Left, 1, "mail"); got != "anna@example.com" {
			t.Errorf("the left has mail %q, want what was entered on the right", got)
		}
	})
}

// A system that spells values its own way and answers nothing: what it made of a change of
// which no answer came is not taken for an edit once it makes the same of the next.
func TestUnansweredUpdateSpeltAnew(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lost  int    // answers
		then  string // what the left holds by the last write
		right string // what the right puts back before it is read again
		want  [2]string
		asked int
	}{
		{name: "sent again", lost: 1, then: "LONGER", want: [2]string{"LONGER", "long"}},
		{name: "lost twice", lost: 2, then: "LONGER", want: [2]string{"LONGER", "long"}},
		{name: "changed meanwhile", lost: 1, then: "LONGEST", want: [2]string{"LONGEST", "long"}},
		{name: "put back", lost: 1, then: "LONGER", right: "x", want: [2]string{"LONGER", "x"}, asked: 1}, // or never done
	} {
		t.Run(tt.name, func(t *testing.T) {
			key := filepath.Join(t.TempDir(), "key")
			synctest.Test(t, func(t *testing.T) {
				s := setting{policies: map[string]merge.Policy{"note": merge.LeftWins}}
				s.kinds[record.Right] = memory.Kind{Silent: true, Normalise: lossy(record.Right)}
				for i, w := range alike(t, key, s) {
					defer w.close()
					w.put(record.Left, 1, map[string]string{"note": "x"})
					w.rest()
					w.edit(record.Left, 1, "note", "LONGER")
					for range tt.lost {
						w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
						w.run(engine.Options{Yes: true})
						w.tick(settle)
					}
					w.edit(record.Left, 1, "note", tt.then)
					if rep := w.run(engine.Options{Yes: true}); rep.Counts["right.updated"] != 1 {
						t.Fatalf("world %d: it was not written again: %v", i, rep.Counts)
					}
					if tt.right != "" {
						w.edit(record.Right, 1, "note", tt.right)
					}
					w.rest()
					if got := [2]string{w.value(record.Left, 1, "note"), w.value(record.Right, 1, "note")}; got != tt.want {
						t.Errorf("world %d: the notes are %q, want %q", i, got, tt.want)
					}
					wantCount(t, "asked", len(w.untaken()), tt.asked)
				}
			})
		})
	}
}

// A user takes an edit back while nobody knows what became of its write across. That it
// is taken back is seen before the write is found to have landed, and travels after it.
func TestTakenBackWhileUnanswered(t *testing.T) {
	since := memory.Kind{Since: true, Times: true}
	for _, o := range []engine.Options{{Dry: true}, {Yes: true}} { // the run that sees it
		t.Run(fmt.Sprintf("dry %t", o.Dry), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, since}})
				defer w.close()
				left := w.sys[record.Left]
				w.put(record.Right, 1, map[string]string{"name": "Anna", "mail": "old@example.com"})
				w.rest()
				w.edit(record.Right, 1, "mail", "new@example.com")
				left.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
				if rep := w.run(engine.Options{Yes: true}); rep.Counts["unsettled"] != 1 {
					t.Fatalf("the write was not lost: %v", rep.Counts)
				}
				w.edit(record.Right, 1, "mail", "old@example.com")
				w.tick(time.Second)
				left.Inject(memory.Fault{Call: memory.CallGet, Class: connectors.Malformed})
				w.run(o)
				left.Heal()
				w.tick(time.Second)
				w.run(engine.Options{Yes: true})
				w.tick(settle)
				w.run(engine.Options{Yes: true})
				if got := w.value(record.Left, 1, "mail"); got != "old@example.com" {
					t.Errorf("the left has mail %q", got)
				}
				w.rest()
				if due := w.due(); len(due) > 0 {
					t.Errorf("a plan still has %v", due)
				}
			})
		})
	}
}

// A record that was merged into another is gone: it stops neither the proof that its
// system is the one we know nor the writes to others.
func TestMergedRecordStopsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		since := memory.Kind{Since: true, Times: true}
		w := newWorld(t, setting{kinds: [2]memory.Kind{since, {}}})
		defer w.close()
		for n := range people {
			w.put(record.Left, n, map[string]string{"name": "x"})
		}
		w.rest()
		w.tick(time.Minute)
		loser, _ := w.find(record.Left, 0)
		winner, _ := w.find(record.Left, 1)
		w.sys[record.Left].Merge(kinds[record.Left], loser.Ref.ID, winner.Ref.ID)
		w.edit(record.Right, 0, "note", "to the loser")
		w.edit(record.Right, 2, "note", "to another")
		w.run(engine.Options{Yes: true})
		if got := w.value(record.Left, 2, "note"); got != "to another" {
			t.Errorf("the note of another record is %q", got)
		}
	})
}

// The clock was set back while nobody knew what became of a create: what it made is
// found all the same.
func TestUnansweredCreateClockSetBack(t *testing.T) {
	var w *world
	synctest.Test(t, func(t *testing.T) {
		w = newWorld(t, setting{})
		w.tick(time.Hour)
		w.put(record.Left, 1, map[string]string{"name": "Anna"})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
		w.run(engine.Options{Yes: true})
		image, err := w.store.Image(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w.close()
		w.image = image
	})
	synctest.Test(t, func(t *testing.T) { // its clock begins anew
		var err error
		if w.store, err = state.Open(t.Context(), state.Memory, state.Options{SkipCheck: true, Image: w.image}); err != nil {
			t.Fatal(err)
		}
		defer w.close()
		w.fails = t
		w.restart()
		w.edit(record.Right, 1, "phone", phoneOf(2))
		w.run(engine.Options{Yes: true})
		for _, side := range record.Sides {
			if got := w.picture(side); len(got) != 1 {
				t.Errorf("the %s has %q, want one record", side, got)
			}
		}
	})
}

// A delete of which no answer came is looked up: what is gone was deleted by us, what is
// still there may yet go for as long as the system may take, and is asked for once more
// only after that.
func TestUnansweredDelete(t *testing.T) {
	for _, tt := range []struct {
		name     string
		fault    memory.Fault
		open     int64 // changes of unknown fate after the next run
		requests int
	}{
		{"applied", memory.Fault{Applied: true}, 0, 1},
		{"applied late", memory.Fault{Late: settle / 2}, 1, 1},
		{"never applied", memory.Fault{}, 1, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := bereft(t, setting{kinds: deletes, gone: both(away.GoneDelete)})
				defer w.close()
				id, before := w.idOf(0), w.mutations()
				tt.fault.Call, tt.fault.Op, tt.fault.Class = memory.CallApply, record.Delete, connectors.Ambiguous
				w.sys[record.Right].Inject(tt.fault)
				w.run(engine.Options{Yes: true, Full: true})
				rep := w.run(engine.Options{Yes: true, Full: true})
				if got := w.mutations() - before; got != 1 || rep.Counts["unsettled"] != tt.open {
					t.Errorf("while it may yet be applied: %d requests, %d open, want 1, %d", got, rep.Counts["unsettled"], tt.open)
				}
				w.rest()
				if got := w.mutations() - before; got != tt.requests || w.has(0) != "" {
					t.Errorf("%d requests, want %d:\n%s", got, tt.requests, w.both())
				}
				if got := w.tomb(record.Right, id).Evidence; got != record.EvidenceOurs {
					t.Errorf("proven by %q, want by our own delete", got)
				}
				if got := w.tomb(record.Left, w.gone0()).Done; got != record.AfterDeleted {
					t.Errorf("what came of the record across is %q, want %q", got, record.AfterDeleted)
				}
				w.idle(2)
			})
		})
	}
}

// A linked record is edited until it looks like what a create has sent, and is removed before
// anybody is asked which of the two it is. What is gone keeps neither its pair nor the create open.
func TestUnansweredCreateBesideOneThatIsGone(t *testing.T) {
	for _, gone := range []away.GonePolicy{away.GoneIgnore, away.GoneDelete} {
		for _, arrived := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, arrived %t", gone, arrived), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{
						kinds: [2]memory.Kind{{Delete: true}, {Delete: true}},
						gone:  [2]engine.GoneRule{{Policy: gone}, {Policy: gone}},
					})
					defer w.close()
					for n := range 6 {
						w.put(record.Left, n, map[string]string{"name": "x"})
					}
					w.rest()
					twin, _ := w.find(record.Left, 0)
					w.put(record.Right, 7, map[string]string{"name": "new"})
					w.sys[record.Left].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: arrived})
					w.run(engine.Options{Yes: true})
					w.edit(record.Left, 0, "phone", phoneOf(7))
					w.sys[record.Left].Edit(kinds[record.Left], twin.Ref.ID, record.Fields{"name": record.OfText("new")})
					w.run(engine.Options{Yes: true, Only: []record.Ref{twin.Ref}, OnlySide: record.Left})
					w.sys[record.Left].Remove(kinds[record.Left], twin.Ref.ID)
					w.tick(settle)
					for range 5 {
						w.tick(time.Hour)
						w.run(engine.Options{Yes: true, Full: true})
					}
					open, err := w.store.Unsettled(t.Context(), job)
					if err != nil {
						t.Fatal(err)
					}
					if got := len(w.picture(record.Left)); len(open) > 0 || got != 6 {
						t.Errorf("%d creates are open, and the left has %d records, want none and 6:\n%s", len(open), got, w.both())
					}
				})
			})
		}
	}
}
