package engine_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// A value that a system refuses keeps no other from being written, is not asked for
// again at once, and is asked for again when it changes.
func TestOneBadValueHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Fields: map[string]connectors.Field{"their_name": {MaxRunes: 10}}}}})
		defer w.close()
		for _, side := range record.Sides {
			w.put(side, 1, map[string]string{"name": "Ada", "mail": "ada@example.com"})
		}
		w.rest()
		w.edit(record.Left, 1, "name", "Ada who has far too long a name")
		w.edit(record.Left, 1, "mail", "ada.new@example.com")
		w.rest()
		if got, want := w.value(record.Right, 1, "mail"), "ada.new@example.com"; got != want {
			t.Errorf("mail is %q, want %q: the name's refusal held it up", got, want)
		}
		if got, want := w.value(record.Right, 1, "name"), "Ada"; got != want {
			t.Errorf("name is %q, want %q", got, want)
		}
		before := w.sys[record.Right].Counts().Mutations
		w.run(engine.Options{Yes: true})
		if n := w.sys[record.Right].Counts().Mutations - before; n > 0 {
			t.Errorf("what was refused is sent %d times more", n)
		}
		w.edit(record.Left, 1, "mail", "ada.third@example.com")
		w.run(engine.Options{Yes: true})
		if got, want := w.value(record.Right, 1, "mail"), "ada.third@example.com"; got != want {
			t.Errorf("mail is %q, want %q: it went together with a name that is known to be refused", got, want)
		}
		if n := w.sys[record.Right].Counts().Mutations - before; n != 1 {
			t.Errorf("a change beside a refused one took %d writes, want 1", n)
		}
		w.edit(record.Left, 1, "name", "Ada L.")
		rep := w.run(engine.Options{Yes: true})
		if got, want := w.value(record.Right, 1, "name"), "Ada L."; got != want {
			t.Errorf("name is %q, want %q: counts %v", got, want, rep.Counts)
		}
	})
}

// Nor does it where runs are so rare that what was refused may be asked for again in each:
// what goes by itself once goes by itself until it is taken.
func TestOneBadValueHoldsUpNoOtherInRareRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Fields: map[string]connectors.Field{"their_name": {MaxRunes: 10}}}}})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Ada", "mail": "ada@example.com", "note": "note"})
		w.rest()
		daily := func() (requests int) {
			w.tick(25 * time.Hour)
			before := w.sys[record.Right].Counts().Mutations
			w.run(engine.Options{Yes: true})
			return w.sys[record.Right].Counts().Mutations - before
		}
		w.edit(record.Left, 1, "name", "Ada who has far too long a name")
		w.edit(record.Left, 1, "mail", "ada.new@example.com")
		daily()
		daily()
		if got, want := w.value(record.Right, 1, "mail"), "ada.new@example.com"; got != want {
			t.Errorf("mail is %q, want %q: the name's refusal held it up", got, want)
		}
		w.edit(record.Left, 1, "mail", "ada.third@example.com")
		w.edit(record.Left, 1, "note", "another")
		if got := daily(); got != 2 {
			t.Errorf("two changes beside a refused one took %d writes, want one, and one for the name", got)
		}
		if mail, note := w.value(record.Right, 1, "mail"), w.value(record.Right, 1, "note"); mail != "ada.third@example.com" || note != "another" {
			t.Errorf("mail is %q, note is %q: they went together with a name that is known to be refused", mail, note)
		}
	})
}

// What was refused together and each by itself is asked for together: it may be good only
// so.
func TestRefusedApartIsAskedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Ada", "mail": "ada@example.com"})
		w.rest()
		w.edit(record.Left, 1, "name", "Ada L.")
		w.edit(record.Left, 1, "mail", "ada.new@example.com")
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Times: 3, Class: connectors.Rejected})
		var sent []int
		for range 3 {
			w.tick(25 * time.Hour)
			before := w.sys[record.Right].Counts().Mutations
			w.run(engine.Options{Yes: true})
			sent = append(sent, w.sys[record.Right].Counts().Mutations-before)
		}
		if want := []int{1, 2, 1}; !slices.Equal(sent, want) {
			t.Errorf("sent in each run: got %v, want %v", sent, want)
		}
		if l, r := w.picture(record.Left), w.picture(record.Right); !slices.Equal(l, r) {
			t.Errorf("the left has %q and the right %q", l, r)
		}
	})
}

// A record that a system never takes is asked for ever more seldom, and then left to a
// person; it holds nobody else up. A new value, another mapping or a person's word has
// it asked for again.
func TestF44_PoisonRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Fields: map[string]connectors.Field{"their_name": {MaxRunes: 10}}}}})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Ada"})
		w.rest()
		const long = "a name that is far too long"
		w.put(record.Left, 2, map[string]string{"name": long}) // never created
		w.edit(record.Left, 1, "name", long)                   // never written
		asked := func(days int) int {
			before := w.sys[record.Right].Counts().Mutations
			for range days * 24 * 6 {
				w.tick(10 * time.Minute)
				w.run(engine.Options{Yes: true})
			}
			return w.sys[record.Right].Counts().Mutations - before
		}
		if got, want := asked(5), 16; got != want {
			t.Errorf("in five days both are asked for %d times, want %d", got, want)
		}
		if got := asked(3); got != 0 {
			t.Errorf("in quarantine they are asked for %d times more", got)
		}
		w.edit(record.Left, 1, "note", "well")
		w.rest()
		if got, want := w.value(record.Right, 1, "note"), "well"; got != want {
			t.Errorf("note is %q, want %q: the name held it up", got, want)
		}
		for _, f := range w.refused() {
			if at, again := f.Next(); again || f.Fails != 8 {
				t.Errorf("refused %d times, and asked for again at %s, %t", f.Fails, at, again)
			}
			if err := w.store.Forgive(t.Context(), job, record.Forgiven{Side: f.Side, Link: f.Link, From: f.From, At: time.Now()}); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := asked(5), 16; got != want {
			t.Errorf("after a person's word both are asked for %d times, want %d", got, want)
		}
		w.policies = map[string]merge.Policy{"note": merge.LeftWins}
		w.restart()
		w.eng.Jobs[job].Represent = true // anything that changes how records are decided
		if got, want := asked(1), 14; got != want {
			t.Errorf("after another configuration both are asked for %d times in a day, want %d", got, want)
		}
		w.edit(record.Left, 1, "name", "Ada L.")
		w.edit(record.Left, 2, "name", "Bea")
		w.rest()
		if got := []string{w.value(record.Right, 1, "name"), w.value(record.Right, 2, "name")}; got[0] != "Ada L." || got[1] != "Bea" {
			t.Errorf("mended names are %q", got)
		}
		if got := w.refused(); len(got) != 0 {
			t.Errorf("mended, and %d refusals stand", len(got))
		}
	})
}

// A record that is marked because another became known, and shows nothing new itself, is
// asked for again like any other that was refused.
func TestRefusedReferenceIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.payers()
		const payer = "99"
		w.put(record.Left, 1, map[string]string{"mail": payer}) // of whom no list knows
		w.rest()
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Update, Times: -1, Class: connectors.Rejected})
		w.sys[record.Left].PutAs(kinds[record.Left], payer, record.Fields{"phone": record.OfText(phoneOf(2))})
		w.rest()
		w.run(engine.Options{Yes: true}) // before it is asked again
		if got := w.refused(); len(got) != 1 {
			t.Fatalf("refused: got %d, want the payer alone", len(got))
		}
		if got := w.value(record.Right, 1, "mail"); got != "" {
			t.Fatalf("payer: got %q, want none", got)
		}
		w.sys[record.Right].Heal()
		w.tick(24 * time.Hour)
		w.rest()
		known, _ := w.find(record.Right, 2)
		if got, want := w.value(record.Right, 1, "mail"), known.Ref.ID; got != want {
			t.Errorf("payer: got %q, want %q", got, want)
		}
		if due := w.due(); len(due) != 0 {
			t.Errorf("at rest, and to do: %q", due)
		}
	})
}

// payers has the job read a mail as the id of the guest who pays, somebody where nobody
// knows who.
func (w *world) payers() {
	w.Helper()
	m, err := mapping.Compile(mapping.Spec{Systems: [2]string{"one", "two"}, Match: [][]string{{"phone"}}, Fields: []mapping.FieldSpec{
		{Name: "phone", As: mapping.Phone, Region: []string{"IT"}, Sides: [2]mapping.SideSpec{{Path: "phone"}, {Path: "their_phone"}}},
		{Name: "payer", As: mapping.Reference, Refer: string(job), Sides: [2]mapping.SideSpec{
			{Parts: map[string]string{mapping.PartID: "mail"}}, {Parts: map[string]string{mapping.PartID: "their_mail", mapping.PartName: "their_note"}},
		}},
	}})
	if err != nil {
		w.Fatal(err)
	}
	j := w.eng.Jobs[job]
	j.Mapping, j.Rules.Mapping = m, m
	j.Rules.Merge = []merge.Rule{{Field: "phone", Policy: merge.LeftWins}, {Field: "payer", Policy: merge.LeftWins}}
	j.References = []engine.Reference{{Field: "payer", Binding: job, Sides: record.Sides, IfLeftOut: "somebody"}}
}

// refused is what stands of the right system's refusals.
func (w *world) refused() []*engine.Refusal {
	w.Helper()
	journal, err := w.store.Refusals(context.Background(), job)
	if err != nil {
		w.Fatal(err)
	}
	forgiven, err := w.store.Forgiven(context.Background(), job)
	if err != nil {
		w.Fatal(err)
	}
	return engine.Refused(journal, forgiven, record.Fields.Digest)
}

// What a person rejected is a change as it was shown to them: without the field that the
// system had refused before.
func TestF41_ANoToWhatIsLeftOfARefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 5, setting{
			guards: guard.Guards{Updates: guard.AtMost(2)},
			kinds:  [2]memory.Kind{{}, {Fields: map[string]connectors.Field{"their_mail": {MaxRunes: 14}}}},
		})
		defer w.close()
		w.set(record.Left, 0, 1, "mail", "far.too.long@example.com")
		w.rest()
		w.set(record.Left, 0, 3, "name", "renamed")
		w.run(engine.Options{})
		if st := w.staged(); len(st) != 1 || st[0].Size != 3 {
			t.Fatalf("staged: %+v", st)
		}
		w.say(w.staged()[0].Set, record.Refusal)
		for range 2 {
			rep := w.run(engine.Options{})
			wantCount(t, "held after a no", len(rep.Staged), 0)
		}
		wantCount(t, "renamed on the right after a no", w.have(record.Right, "name", "renamed"), 0)
		wantCount(t, "renamed on the left after a no", w.have(record.Left, "name", "renamed"), 0)
	})
}
