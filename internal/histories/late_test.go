package histories

import (
	"slices"
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/record"
)

// endedUnseen reports whether nothing that can be asked of a record's side could show yet that
// it is over: what shows it lags behind.
func (o *oracle) endedUnseen(r *rec) bool {
	c, from := o.w.c.sides[r.side], o.clock(r.side)
	if from = from.Add(-c.getLag); !o.w.gets(r.side) {
		from = o.begun.Add(o.w.late[r.side] - c.lag)
	}
	return slices.ContainsFunc(r.since("status", from), func(s string) bool { return !slices.Contains(deadWords, s) })
}

// A change of ours lands late, while nobody looks. A write is judged by what its record
// holds then: whoever read it since is right, and whoever read it before is not.
func TestLandedUnseen(t *testing.T) {
	for _, c := range []struct {
		name  string
		reads bool // since it landed
		wrong string
	}{
		{"read since", true, ""},
		{"read before", false, "contacts:000001 holds landed#0 in full_name, and was written over as if it held p#0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := newWorld(history{seed: 1, files: true}, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			w.c = climate{sides: [2]weather{{class: "D"}, {class: "D"}}}
			w.begin()
			w.put(record.Left, step{})
			kind := kinds[guests][record.Left]
			r := w.alive(record.Left, guests, 0)
			known, _ := w.sys[record.Left].Get(kind, r.id)
			w.read(record.Left, known.Ref, known, nil)
			w.sys[record.Left].Edit(kind, r.id, record.Fields{"full_name": record.OfText("landed#0")})
			if c.reads {
				known, _ = w.sys[record.Left].Get(kind, r.id)
				w.read(record.Left, known.Ref, known, nil)
			}
			w.sent(record.Left, record.Change{Op: record.Update, Ref: known.Ref, Before: known.Fields})
			if w.fault != c.wrong {
				t.Errorf("the oracle says %q", w.fault)
			}
		})
	}
}

// A create of ours without an answer lands late, while nobody looks: the first that is
// seen of its record is a read by id, which counts as a look at it like any other.
func TestMadeUnseen(t *testing.T) {
	was := record.Fields{"full_name": record.OfText("p#0"), "phone": record.OfText(phoneOf(0))}
	for _, c := range []struct {
		name        string
		reads, edit bool // it is read by id, and a user edits it then
		before      record.Fields
		wrong       string
	}{
		{"read", true, false, was, ""},
		{"read, and edited since", true, true, was, ""},
		{"read, and not believed", true, false, was.With(record.Fields{"full_name": record.OfText("n1#0")}), "contacts:000001 holds p#0 in full_name, and was written over as if it held n1#0"},
		{"not read", false, false, was, "contacts:000001 was written over without a look at it"},
		{"not read, and edited", false, true, was, "contacts:000001 was written over without a look at it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := newWorld(history{seed: 1, files: true}, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			w.c = climate{sides: [2]weather{{class: "D"}, {class: "D"}}}
			w.begin()
			ref := record.Ref{Kind: kinds[guests][record.Left]}
			ref.ID = w.sys[record.Left].Put(ref.Kind, was)
			get, ok := w.conn(record.Left).(connectors.Getter)
			if !ok {
				t.Fatal("it can't be read by id")
			}
			if c.reads {
				if _, err := get.Get(t.Context(), ref, connectors.Scope{}); err != nil {
					t.Fatal(err)
				}
			}
			if c.edit {
				w.userStep(step{what: doEdit, side: record.Left, field: "full_name", value: "edited"})
			}
			w.sent(record.Left, record.Change{Op: record.Update, Ref: ref, Before: c.before})
			if w.fault != c.wrong {
				t.Errorf("the oracle says %q, want %q", w.fault, c.wrong)
			}
		})
	}
}

// A user edits a record while it is read by id. Before the read is answered that is seen;
// after that nobody can know of it, and what was read is written over.
func TestEditedWhileItIsRead(t *testing.T) {
	const held = "contacts:000001 holds edited#0 in full_name, and was written over as if it held p#0"
	for _, c := range []struct {
		name, when string
		wrong      string
	}{
		{"before it is answered", "before get contacts", held},
		{"once it is answered", "after get contacts", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := newWorld(history{seed: 1, files: true}, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			w.c = climate{sides: [2]weather{{class: "D"}, {class: "D"}}}
			w.begin()
			w.put(record.Left, step{})
			r := w.alive(record.Left, guests, 0)
			known, _ := w.sys[record.Left].Get(kinds[guests][record.Left], r.id)
			w.sys[record.Left].Hook(memory.Hooks{Step: func(name string) {
				if name == c.when {
					w.edit(step{side: record.Left, field: "full_name", value: "edited"})
				}
			}})
			get, ok := w.conn(record.Left).(connectors.Getter)
			if !ok {
				t.Fatal("it can't be read by id")
			}
			if _, err := get.Get(t.Context(), known.Ref, connectors.Scope{}); err != nil {
				t.Fatal(err)
			}
			w.sent(record.Left, record.Change{Op: record.Update, Ref: known.Ref, Before: known.Fields})
			if w.fault != c.wrong {
				t.Errorf("the oracle says %q, want %q", w.fault, c.wrong)
			}
		})
	}
}
