package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/record"
)

// What was seen of a record is read back as it was kept, whatever it was; and what
// can't be read is an error, not a record with nothing in it.
func FuzzSeen(f *testing.F) {
	for _, s := range []string{
		`{"f":{"a":"b"},"a":1}`, `{"f":null,"a":0}`, `{"f":{},"v":"7","c":-1,"n":9223372036854775807,"s":"x","a":5,"w":"list"}`, `{}`, `null`, `{"f":{"a":{"$content":{}}},"a":1}`,
		`{"f":{"a":1.50},"a":1.5}`, `{"a":"1"}`, `[]`, ``, `{"f":{"a":"b"},"f":{"c":"d"},"a":1}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := decodeSeen(text)
		if err != nil {
			return
		}
		if !json.Valid([]byte(text)) {
			t.Fatalf("%q is read as %+v", text, o)
		}
		kept, err := encodeSeen(o)
		if err != nil {
			t.Fatal(err)
		}
		again, err := decodeSeen(kept.(string))
		if err != nil || !again.Fields.Equal(o.Fields) || again.Version != o.Version || again.Stamp != o.Stamp || again.View != o.View ||
			!again.At.Equal(o.At) || !again.Changed.Equal(o.Changed) || !again.Created.Equal(o.Created) {
			t.Fatalf("%q is kept as %v and read back as %+v (%v)", text, kept, again, err)
		}
	})
}

// A value that is kept as a digest is told from every other, is no part of what is
// kept, and sealed once more it stays.
func FuzzSeal(f *testing.F) {
	f.Add("phone", `"+39 055 123456"`, `"+39 055 123457"`)
	f.Add("@guest", `{"entity":"e1","name":"Anna Rossi"}`, `{"entity":"e1"}`)
	f.Add("@", `[]`, `{}`)
	f.Add("notes", `null`, `""`)
	f.Add("n", `1.50`, `"1.5"`)
	key := seal{on: true, key: []byte("0123456789abcdef0123456789abcdef")}
	f.Fuzz(func(t *testing.T, path, one, other string) {
		v, err := decodeValue(one)
		w, err2 := decodeValue(other)
		if !utf8.ValidString(path) { // a path is of a configuration, which is text
			return
		}
		if err != nil || err2 != nil || !v.Observed() || !w.Observed() || v.Sealed() || w.Sealed() {
			return
		}
		for _, s := range []seal{{}, key} {
			r := row{seal: s}
			r.Base = record.Base{path: s.keep(path, v)}
			text, err := encode(r.Base)
			if err != nil {
				t.Fatal(err)
			}
			r.Base = nil
			if err := decode(text, &r.Base); err != nil {
				t.Fatal(err)
			}
			if !r.holds(path, v) {
				t.Fatalf("%s is kept as %s, which is something else", one, text)
			}
			if same := v.Equal(w); !strings.HasPrefix(path, "@") && r.holds(path, w) != same {
				t.Fatalf("%s and %s are the same: %v, but not by %s", one, other, same, text)
			}
			if r.agrees(record.Fields{path: w}) && r.news(record.Fields{path: w}) {
				t.Fatalf("%s agrees with %s and is news", other, text)
			}
			if s.on && !strings.HasPrefix(path, "@") && v.Type() == record.Text && len(v.Text()) > 8 && strings.Contains(strings.TrimPrefix(text, `{"`+path+`"`), v.Text()) {
				t.Fatalf("%s is in %s", one, text)
			}
			if again := s.value(s.value(v)); !again.Equal(s.value(v)) {
				t.Fatalf("%s is sealed as %v, and that as %v", one, s.value(v), again)
			}
		}
	})
}

// A change, and the answer to it, is read back from its columns as it was written.
func FuzzIntent(f *testing.F) {
	for _, s := range []string{
		`{"op":"create","ref":{"Kind":"guests"},"fields":{"a":"b"},"stamp":"np:1"}`, `{"op":"none","fields":null}`, `{"op":"update","before":{"a":null},"version":"7"}`, `{}`, `null`, `[]`,
	} {
		f.Add(s, `[{"field":"a","policy":"newest","before":"x","after":1}]`, `[{"a":"b"},null]`, `{"ref":{"Kind":"guests","ID":"1"},"fields":{},"at":1}`)
		f.Add(s, `null`, `[null,null]`, ``)
	}
	f.Fuzz(func(t *testing.T, what, fields, based, answer string) {
		var ch, again change
		roundTrip(t, what, &ch, &again)
		var rs, rs2 []record.FieldReason
		roundTrip(t, fields, &rs, &rs2)
		var b, b2 bases
		roundTrip(t, based, &b, &b2)
		var a, a2 receipt
		roundTrip(t, answer, &a, &a2)
	})
}

// roundTrip reads v from a column, writes it, and reads it again.
func roundTrip(t *testing.T, text string, v, again any) {
	t.Helper()
	if decode(text, v) != nil {
		return
	}
	kept, err := encode(v)
	if err == nil {
		err = decode(kept, again)
	}
	if diff := cmp.Diff(v, again); err != nil || diff != "" {
		t.Fatalf("%q is kept as %q (%v), and differs: %s", text, kept, err, diff)
	}
}

// An entry whose columns somebody else wrote is read or refused, never taken for one
// without a past.
func FuzzEntry(f *testing.F) {
	ctx := context.Background()
	s, err := OpenMemory(ctx)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	if err := s.Register(ctx, "guests", [2]record.System{"a", "b"}, [2]record.Kind{"guests", "contacts"}, nil); err != nil {
		f.Fatal(err)
	}
	if _, err := s.writer.ExecContext(ctx, `INSERT INTO entry (num, binding, side, kind, id, state, since) VALUES (1, 'guests', 0, 'guests', '1', '', 0)`); err != nil {
		f.Fatal(err)
	}
	f.Add(`{"a":{"v":"b"}}`, `{"f":{"a":"c"},"a":1}`, `{"a":"b"}`)
	f.Add(`{}`, `{}`, `{}`)
	f.Add(`null`, `null`, `null`)
	f.Add(`x`, `{"f":1}`, `[`)
	f.Fuzz(func(t *testing.T, base, seen, pre string) {
		ctx := t.Context()
		if _, err := s.writer.ExecContext(ctx, `UPDATE entry SET base = ?1, seen = ?2, pre = ?3 WHERE num = 1`, base, seen, pre); err != nil {
			return // the schema itself refuses what is no JSON
		}
		var r *row
		err := s.write(ctx, "read an entry", func(ctx context.Context, tx *sql.Tx) error {
			var err error
			r, err = rowNum(ctx, tx, "guests", 1)
			return err
		})
		if err != nil {
			return
		}
		if r.Damaged != "" { // nothing of it decides
			if r.Base != nil || r.Seen != nil || r.Pre != nil || r.State != record.Quarantined {
				t.Fatalf("of a damaged entry %+v is read", r.Entry)
			}
			return
		}
		for what, text := range map[string]string{"base": base, "seen": seen, "pre": pre} {
			if !json.Valid([]byte(text)) {
				t.Fatalf("%s %q is read", what, text)
			}
		}
		if (strings.TrimSpace(base) != "null") != (r.Base != nil) || r.Seen == nil {
			t.Fatalf("base %q is read as %v, seen %q as %v", base, r.Base, seen, r.Seen)
		}
	})
}
