package engine_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// booked has the job know a record by its name, or by who pays for it and its phone.
func (w *world) booked() {
	w.Helper()
	m, err := mapping.Compile(mapping.Spec{Systems: [2]string{"one", "two"}, Match: [][]string{{"name"}, {"payer", "phone"}}, Fields: []mapping.FieldSpec{
		{Name: "phone", As: mapping.Phone, Region: []string{"IT"}, Sides: [2]mapping.SideSpec{{Path: "phone"}, {Path: "their_phone"}}},
		{Name: "name", As: mapping.Text, Sides: [2]mapping.SideSpec{{Path: "name"}, {Path: "their_name"}}},
		{Name: "payer", As: mapping.Reference, Refer: string(job), Sides: [2]mapping.SideSpec{
			{Parts: map[string]string{mapping.PartID: "mail"}}, {Parts: map[string]string{mapping.PartID: "their_mail"}},
		}},
	}})
	if err != nil {
		w.Fatal(err)
	}
	j := w.eng.Jobs[job]
	j.Mapping, j.Rules.Mapping = m, m
	j.Match = [][]string{{"name"}, {"payer", "phone"}}
	j.Rules.Merge = []merge.Rule{{Field: "phone", Policy: merge.LeftWins}, {Field: "name", Policy: merge.LeftWins}, {Field: "payer", Policy: merge.LeftWins}}
	j.References = []engine.Reference{{Field: "payer", Binding: job, Sides: record.Sides}}
}

// unread lets one record alone be read by its id; all where but is "".
type unread struct {
	connectors.Connector
	connectors.Writer
	connectors.Getter
	but string
}

func (u *unread) Get(ctx context.Context, ref record.Ref, scope connectors.Scope) (record.Record, error) {
	if u.but != "" && ref.ID != u.but {
		return record.Record{}, connectors.Wrong(connectors.Malformed, "get", "it can't be read")
	}
	return u.Getter.Get(ctx, ref, scope)
}

// A booking is removed and entered anew under another id. The one across stands until
// something is done about it: until then it is not made there a second time, whether lists
// or a hint showed the new one, and whether its absence is proven or only suspected.
func TestRemovedAndEnteredAnew(t *testing.T) {
	for _, c := range []struct {
		policy  away.GonePolicy
		hint    bool
		unread  bool // whether the old one is there can't be read
		sealed  bool // only digests are kept
		blind   bool // and what is across can't be read
		choice  away.GoneChoice
		at, end int // how many the right has before a person says something, and after
	}{
		{policy: away.GoneHold, at: 2, choice: away.ChooseCarry, end: 2},
		{policy: away.GoneHold, hint: true, at: 2, choice: away.ChooseCarry, end: 2},
		{policy: away.GoneHold, unread: true, at: 2, end: 2},
		{policy: away.GoneDelete, at: 2, choice: away.ChooseCarry, end: 2}, // the old one goes first
		{policy: away.GoneDelete, at: 2, choice: away.ChooseAnew, end: 2},
		{policy: away.GoneUnlink, at: 2, end: 2},                            // a person may say that it is made
		{policy: away.GoneArchive, at: 2, choice: away.ChooseCarry, end: 3}, // the old one is put aside first
		{policy: away.GoneArchive, at: 2, choice: away.ChooseAnew, end: 2},
		{policy: away.GoneIgnore, at: 3, end: 3},
		{policy: away.GoneHold, sealed: true, at: 2, choice: away.ChooseCarry, end: 2},
		{policy: away.GoneHold, sealed: true, hint: true, at: 2, choice: away.ChooseCarry, end: 2},
		{policy: away.GoneHold, sealed: true, blind: true, at: 2, choice: away.ChooseCarry, end: 2},
		{policy: away.GoneUnlink, sealed: true, at: 2, end: 2},
	} {
		t.Run(fmt.Sprintf("%s, hint %t, unread %t, sealed %t, blind %t", c.policy, c.hint, c.unread, c.sealed, c.blind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := setting{kinds: [2]memory.Kind{{}, {Delete: true}}, gone: [2]engine.GoneRule{record.Right: {Policy: c.policy, Archive: record.Fields{"their_note": record.OfText("gone")}}}}
				if c.sealed {
					s.sealed = filepath.Join(t.TempDir(), "key")
				}
				w := newWorld(t, s)
				defer w.close()
				w.booked()
				w.put(record.Left, 1, map[string]string{"name": "Anna"})
				w.rest()
				guest, _ := w.find(record.Left, 1)
				w.put(record.Left, 2, map[string]string{"mail": guest.Ref.ID})
				w.rest()
				old, _ := w.find(record.Left, 2)
				if n := len(w.picture(record.Right)); n != 2 {
					t.Fatalf("the right has %d records, want the guest and the booking", n)
				}
				w.sys[record.Left].Remove(kinds[record.Left], old.Ref.ID)
				if c.hint {
					w.run(engine.Options{Yes: true, Full: true})
					w.tick(settle)
					w.run(engine.Options{Yes: true, Full: true})
				}
				if c.unread {
					w.sys[record.Left].Inject(memory.Fault{Call: memory.CallGet, Class: connectors.Transient, Times: 100})
				}
				blind := &unread{but: guest.Ref.ID}
				if c.blind {
					side := &w.eng.Jobs[job].Sides[record.Right]
					blind.Connector, blind.Writer, blind.Getter = side.Conn, side.Conn.(connectors.Writer), side.Conn.(connectors.Getter)
					across, _ := w.find(record.Right, 1)
					side.Conn, blind.but = blind, across.Ref.ID
				}
				w.put(record.Left, 2, map[string]string{"mail": guest.Ref.ID})
				again, _ := w.find(record.Left, 2)
				if c.hint {
					w.run(engine.Options{Yes: true, Only: []record.Ref{again.Ref}, OnlySide: record.Left})
				} else {
					for range 5 {
						_, _ = w.try(engine.Options{Yes: true, Full: true}) // without a read it may stop
						w.tick(settle)
					}
				}
				if n := len(w.picture(record.Right)); n != c.at {
					t.Errorf("the right has %d records before a person says something, want %d:\n%s", n, c.at, w.both())
				}
				w.sys[record.Left].Heal()
				blind.but = ""
				if c.blind {
					w.rest()
					if n := len(w.picture(record.Right)); n != c.at {
						t.Errorf("the right has %d records once it can be read, want %d:\n%s", n, c.at, w.both())
					}
				}
				if c.choice != "" {
					asked := away.AskGone
					if c.policy != away.GoneHold {
						asked = away.AskAnew
					}
					w.answer(asked, c.choice)
				}
				w.rest()
				if n := len(w.picture(record.Right)); n != c.end {
					t.Errorf("the right has %d records in the end, want %d:\n%s", n, c.end, w.both())
				}
			})
		})
	}
}
