package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// anotherPhone is one by which nobody of these worlds is known but whom its right has entered.
const anotherPhone = "+390559999999"

// ruled is a world that knows a person again by the phone or, failing that, by the mail. The first
// one is linked, to try a look-up on, and then no list of the right is whole any more.
func ruled(t *testing.T, k memory.Kind) *world {
	k.Total = true
	w := newWorld(t, setting{kinds: [2]memory.Kind{{}, k}, match: [][]string{{"phone"}, {"mail"}}})
	for _, side := range record.Sides {
		w.put(side, 0, map[string]string{"name": "Ada", "mail": "ada@example.com"})
	}
	w.rest()
	w.broken()
	return w
}

// broken has the right's lists lack a row, and say how many there are.
func (w *world) broken() {
	w.sys[record.Right].Inject(memory.Fault{Call: memory.CallFetch, Drop: 1, Times: -1})
}

// nights lets three whole comparisons pass.
func (w *world) nights() (last engine.Report) {
	w.Helper()
	for range 3 {
		w.tick(time.Hour)
		last = w.run(engine.Options{Yes: true, Full: true})
	}
	return last
}

// entered has somebody enter Bea by hand on the right, and has her come to be known on the left.
func (w *world) entered(phone, mail string) {
	w.put(record.Left, 1, map[string]string{"name": "Bea", "mail": "bea@example.com"})
	w.sys[record.Right].Put(kinds[record.Right], record.Fields{
		"their_phone": record.OfText(phone), "their_name": record.OfText("Bea"), "their_mail": record.OfText(mail),
	})
}

// people is how many records the right has.
func (w *world) people() int { return len(w.sys[record.Right].All(kinds[record.Right])) }

// A record may be there by any match rule. Where no list is whole, a look-up by one of them says
// nothing of whom another one knows: nothing is made, and it is named until a list is whole; then
// a person is asked, as they are where lists were whole all along.
func TestALookUpByOneRuleProvesNothingOfAnother(t *testing.T) {
	for name, tt := range map[string]struct {
		kind        memory.Kind
		phone, mail string // of whom the right has
		by          string // what nothing asks by
	}{
		"by the phone":          {memory.Kind{FindBy: [][]string{{"their_phone"}}}, anotherPhone, "bea@example.com", "mail"},
		"by the mail":           {memory.Kind{FindBy: [][]string{{"their_mail"}}}, phoneOf(1), "b@example.com", "phone"},
		"by both at once":       {memory.Kind{FindBy: [][]string{{"their_phone", "their_mail"}}}, anotherPhone, "bea@example.com", "phone, mail"},
		"by the name":           {memory.Kind{FindBy: [][]string{{"their_name"}, {"their_phone"}}}, anotherPhone, "bea@example.com", "mail"},
		"by the phone and name": {memory.Kind{FindBy: [][]string{{"their_phone", "their_note"}, {"their_phone"}}}, anotherPhone, "bea@example.com", "mail"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := ruled(t, tt.kind)
				defer w.close()
				w.entered(tt.phone, tt.mail)
				rep := w.nights()
				if n := w.people(); n != 2 {
					t.Fatalf("she was made again:\n%s", w.both())
				}
				found, err := w.store.Findings(t.Context(), job)
				if err != nil || len(found) != 1 || found[0].Name != record.FindUnproven || found[0].About != tt.by || !strings.Contains(found[0].Text, "two can't be asked by "+tt.by) {
					t.Errorf("found is %+v, %v", found, err)
				}
				if got := w.noteOf(rep, 1); rep.Counts["unproven"] != 1 || !strings.Contains(got, "can't be asked by "+tt.by) {
					t.Errorf("noted is %q, %v", got, rep.Counts)
				}
				w.sys[record.Right].Heal()
				rep = w.nights()
				if n := w.people(); n != 2 || rep.Counts["unproven"] != 0 || len(w.stuck()) != 0 {
					t.Errorf("once lists are whole there are %d, %v, %v", n, rep.Counts, w.stuck())
				}
			})
		})
	}
}

// What is asked for by every rule that may know it is made, whatever lists lack: also where it has
// no value for a rule. Whom one of the look-ups finds is not made again.
func TestALookUpByEveryRuleIsProof(t *testing.T) {
	each := memory.Kind{FindBy: [][]string{{"their_phone"}, {"their_mail"}}}
	for name, tt := range map[string]struct {
		kind memory.Kind
		do   func(w *world)
		want int
	}{
		"nobody knows her": {each, func(w *world) { w.put(record.Left, 1, map[string]string{"name": "Bea", "mail": "bea@example.com"}) }, 2},
		"she has no mail":  {memory.Kind{FindBy: [][]string{{"their_phone"}}}, func(w *world) { w.put(record.Left, 1, map[string]string{"name": "Bea"}) }, 2},
		"by the mail":      {each, func(w *world) { w.entered(anotherPhone, "bea@example.com") }, 2},
		"by the phone":     {each, func(w *world) { w.entered(phoneOf(1), "b@example.com") }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := ruled(t, tt.kind)
				defer w.close()
				tt.do(w)
				w.nights()
				if n := w.people(); n != tt.want {
					t.Errorf("there are %d on the right:\n%s", n, w.both())
				}
				if got := w.stuck(); len(got) != 0 {
					t.Errorf("found is %v", got)
				}
			})
		})
	}
}

// Of two look-ups one is not seen to work: it says nothing, and the other one does not speak for it.
func TestALookUpThatIsIgnoredProvesNothingOfItsRule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := ruled(t, memory.Kind{FindBy: [][]string{{"their_phone"}, {"their_mail"}}})
		defer w.close()
		w.entered(anotherPhone, "bea@example.com")
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallFind, Skip: 1, Times: -1, FilterIgnored: true})
		w.tick(time.Hour)
		w.run(engine.Options{Yes: true, Full: true})
		if n := w.people(); n != 2 {
			t.Errorf("she was made again:\n%s", w.both())
		}
	})
}

// Few new records are looked up and a long list is not read for them, but only where they are asked
// for by every rule: else the list is read once more, in the same run.
func TestAListIsReadWhereNothingAsksByEveryRule(t *testing.T) {
	for _, by := range [][][]string{{{"their_phone"}}, {{"their_phone"}, {"their_mail"}}} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {FindBy: by, PageSize: 1}}, match: [][]string{{"phone"}, {"mail"}}})
			defer w.close()
			for n := range people {
				w.put(record.Left, n, map[string]string{"mail": strings.Repeat("x", n+1)})
			}
			w.rest()
			w.put(record.Left, 4, map[string]string{"mail": "four"})
			w.sys[record.Right].ResetCounts()
			w.run(engine.Options{Yes: true})
			want := 0
			if len(by) == 2 {
				want = 4 // each way is tried, and asked
			}
			c := w.sys[record.Right].Counts()
			if again := c.Fetches > people+1; w.value(record.Right, 4, "mail") != "four" || c.Finds != want || again != (want == 0) {
				t.Errorf("by %v: the right has %q after %+v", by, w.value(record.Right, 4, "mail"), c)
			}
		})
	}
}

// A system that refuses a second phone says nothing of whom it has with another phone and the same
// mail. It was read whole once: then it is not read so again for each new record. Before that
// nothing is made, also of what gets no answer.
func TestARefusedKeySaysNothingOfAnotherRule(t *testing.T) {
	for name, k := range map[string]memory.Kind{
		"it can't be asked": {Unique: [][]string{{"their_phone"}}},
		"it can be asked":   {Unique: [][]string{{"their_phone"}}, FindBy: [][]string{{"their_phone"}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k.Total = true
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, k}, match: [][]string{{"phone"}, {"mail"}}})
				defer w.close()
				w.broken()
				w.entered(anotherPhone, "bea@example.com") // the one whom no list shows
				w.nights()
				if n := w.people(); n != 1 {
					t.Fatalf("she was made again:\n%s", w.both())
				}
				w.sys[record.Right].Heal()
				w.nights()
				if n := w.people(); n != 1 {
					t.Fatalf("she was made again once a list was whole:\n%s", w.both())
				}
				w.broken()
				w.put(record.Left, 2, map[string]string{"name": "Cleo", "mail": "cleo@example.com"})
				w.sys[record.Right].ResetCounts()
				w.run(engine.Options{Yes: true})
				if n := w.people(); n != 2 {
					t.Errorf("who is new was not made after a list that was whole:\n%s", w.both())
				}
			})
		})
	}
}

// A create gets no answer, and what it made is given another phone before anybody looks: the system,
// which keeps the phone unique and is asked by it, shows none. That says nothing of what was made:
// a list does, and a person is asked. What never arrived is sent again once lists are whole.
func TestALostCreateIsNotMadeAgainForAnEditedKey(t *testing.T) {
	for _, arrived := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			phone := [][]string{{"their_phone"}}
			w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Unique: phone, FindBy: phone}}})
			defer w.close()
			w.put(record.Left, 0, map[string]string{"name": "Ada", "note": "x"})
			w.rest()
			w.put(record.Left, 1, map[string]string{"name": "Bea", "mail": "bea@example.com"})
			w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Ambiguous, Applied: arrived})
			w.run(engine.Options{Yes: true})
			w.edit(record.Right, 1, "phone", anotherPhone)
			w.rest()
			lost, err := w.store.Lost(t.Context(), job)
			if n := w.people(); err != nil || n != 2 || (len(lost) == 1) != arrived {
				t.Errorf("arrived %v: there are %d on the right, and lost is %v, %v:\n%s", arrived, n, lost, err, w.both())
			}
		})
	}
}
