package blank

import (
	"context"
	"errors"
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

const card, held = "card 4111 1111 1111 1111", "card " + mapping.HeldMark

// desk is a system of one record that compares what a change was decided upon.
type desk struct {
	connectors.Connector
	holds  record.Fields
	before record.Fields // of the last change
	noGet  bool
	err    error
}

func (d *desk) rec() record.Record {
	return record.Record{Ref: record.Ref{Kind: "guests", ID: "1"}, Fields: d.holds.Clone(), Stamp: card}
}

func (d *desk) Fetch(context.Context, connectors.Query, record.Cursor) (connectors.Page, error) {
	return connectors.Page{
		Items: []connectors.Item{{ID: "1", Raw: []byte(card)}}, End: true,
		Read: func(connectors.Item) (record.Record, error) { return d.rec(), d.err },
	}, nil
}

func (d *desk) Get(context.Context, record.Ref, connectors.Scope) (record.Record, error) {
	if d.noGet {
		return record.Record{}, connectors.Wrong(connectors.Unsupported, "get", "not here")
	}
	return d.rec(), nil
}

func (d *desk) Find(context.Context, record.Kind, record.Fields, connectors.Scope) ([]record.Record, error) {
	return []record.Record{d.rec()}, nil
}

func (d *desk) Apply(_ context.Context, ch record.Change) (record.Record, error) {
	d.before = ch.Before
	if !d.holds.Agrees(ch.Before) {
		return record.Record{}, connectors.Wrong(connectors.Stale, "update", "it holds %s", d.holds["notes"].Text())
	}
	d.holds = d.holds.With(ch.Fields)
	return d.rec(), nil
}

func cards(t *testing.T, d *desk) connectors.Connector {
	t.Helper()
	both := [2]mapping.SideSpec{{Path: "notes"}, {Path: "notes"}}
	name := [2]mapping.SideSpec{{Path: "name"}, {Path: "name"}}
	m, err := mapping.Compile(mapping.Spec{
		Systems: [2]string{"a", "b"}, BlankCards: true,
		Fields: []mapping.FieldSpec{{Name: "notes", Sides: both}, {Name: "name", Sides: name}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return Cards(d, m, record.Left)
}

func fields(name, notes string) record.Fields {
	return record.Fields{"name": record.OfText(name), "notes": record.OfText(notes)}
}

// However a record is shown, there is no card in it.
func TestEveryReading(t *testing.T) {
	d := &desk{holds: fields("Anna", card)}
	c := cards(t, d)
	ctx := t.Context()
	shown := map[string]func() (record.Record, error){
		"list": func() (record.Record, error) {
			page, err := c.Fetch(ctx, connectors.Query{}, "")
			if err != nil {
				return record.Record{}, err
			}
			return page.Read(page.Items[0])
		},
		"get": func() (record.Record, error) {
			return c.(connectors.Getter).Get(ctx, record.Ref{}, connectors.Scope{})
		},
		"find": func() (record.Record, error) {
			found, err := c.(connectors.Finder).Find(ctx, "guests", nil, connectors.Scope{})
			return found[0], err
		},
		"receipt": func() (record.Record, error) {
			return c.(connectors.Writer).Apply(ctx, record.Change{Op: record.Update, Fields: record.Fields{"name": record.OfText("Anna")}})
		},
	}
	for how, show := range shown {
		rec, err := show()
		if err != nil {
			t.Fatalf("%s: %v", how, err)
		}
		if want := fields("Anna", held); !rec.Fields.Equal(want) || rec.Stamp != "card ****" {
			t.Errorf("%s: got %v and %q, want %v", how, rec.Fields, rec.Stamp, want)
		}
	}
	d.err = connectors.Wrong(connectors.Malformed, "read", "not understood: %s", card)
	_, err := shown["list"]()
	if connectors.ClassOf(err) != connectors.Malformed || strings.Contains(err.Error(), "4111") || !strings.Contains(err.Error(), "****") {
		t.Errorf("an error: %v", err)
	}
	if _, asks := c.(connectors.Asker); asks {
		t.Error("it can be asked, and the connector below can't")
	}
}

// A value that is sent along unchanged, because the system takes another one only together with it, keeps its digits.
// It is left out where nobody can tell them. The mark of what a system holds goes to none.
func TestSentAlong(t *testing.T) {
	for name, tt := range map[string]struct {
		noGet        bool
		notes, after string // what is sent as the notes, and what stands there then
	}{
		"unchanged":            {notes: held, after: card},
		"unchanged and unread": {noGet: true, notes: held, after: card},
		"another":              {notes: held + ", paid", after: "card ****, paid"},
	} {
		t.Run(name, func(t *testing.T) {
			d := &desk{holds: fields("Anna", card), noGet: tt.noGet}
			ch := record.Change{Op: record.Update, Ref: record.Ref{Kind: "guests", ID: "1"}, Fields: fields("Bea", tt.notes), Before: fields("Anna", held)}
			if _, err := cards(t, d).(connectors.Writer).Apply(t.Context(), ch); err != nil {
				t.Fatal(err)
			}
			if want := fields("Bea", tt.after); !d.holds.Equal(want) || !ch.Fields.Equal(fields("Bea", tt.notes)) {
				t.Errorf("it holds %v, want %v; and the caller's own fields are %v", d.holds, want, ch.Fields)
			}
		})
	}
}

// A change is compared with what really stands there, and never writes what was
// blanked.
func TestApply(t *testing.T) {
	paid := record.Fields{"notes": record.OfText("paid")}
	tests := []struct {
		name   string
		desk   desk
		before record.Fields
		now    record.Fields
		passed record.Fields // what the connector is told
		class  connectors.ErrorClass
	}{
		{"as it was", desk{holds: fields("Anna", card)}, fields("Anna", held), fields("Anna", "paid"), fields("Anna", card), ""},
		{"it was edited", desk{holds: fields("Anna", "none")}, fields("Anna", held), fields("Anna", "none"), nil, connectors.Stale},
		{"the other was edited", desk{holds: fields("Bea", card)}, fields("Anna", held), fields("Bea", card), fields("Anna", card), connectors.Stale},
		{"asterisks of its own", desk{holds: fields("Anna", "****")}, fields("Anna", "****"), fields("Anna", "paid"), fields("Anna", "****"), ""},
		{"no card", desk{holds: fields("Anna", "none")}, fields("Anna", "none"), fields("Anna", "paid"), fields("Anna", "none"), ""},
		{"not to be read by id", desk{holds: fields("Anna", card), noGet: true}, fields("Anna", held), fields("Anna", "paid"), record.Fields{"name": record.OfText("Anna")}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ch := record.Change{Op: record.Update, Ref: record.Ref{Kind: "guests", ID: "1"}, Fields: paid, Before: tt.before.Clone()}
			_, err := cards(t, &tt.desk).(connectors.Writer).Apply(t.Context(), ch)
			if connectors.ClassOf(err) != tt.class || err != nil && strings.Contains(err.Error(), "4111") {
				t.Errorf("got %v, want class %q", err, tt.class)
			}
			if !tt.desk.holds.Equal(tt.now) || !tt.desk.before.Equal(tt.passed) {
				t.Errorf("it holds %v (want %v) and was told %v (want %v)", tt.desk.holds, tt.now, tt.desk.before, tt.passed)
			}
			if !ch.Before.Equal(tt.before) {
				t.Errorf("the caller's own fields were changed: %v", ch.Before)
			}
		})
	}
}

func TestUnder(t *testing.T) {
	d := &desk{}
	if got := Under(cards(t, d)); got != connectors.Connector(d) {
		t.Errorf("got %v", got)
	}
	if got := Under(d); got != connectors.Connector(d) {
		t.Errorf("got %v", got)
	}
	if _, err := (&Conn{under: struct{ connectors.Connector }{}}).Apply(t.Context(), record.Change{Op: record.Update}); connectors.ClassOf(err) != connectors.Unsupported || errors.Unwrap(err) != nil {
		t.Errorf("got %v", err)
	}
}
