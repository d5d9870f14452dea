package entries

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"nightporter/state/internal/sqlite"
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
	key := sqlite.Seal{On: true, Key: []byte("0123456789abcdef0123456789abcdef")}
	f.Fuzz(func(t *testing.T, path, one, other string) {
		v, err := sqlite.DecodeValue(one)
		w, err2 := sqlite.DecodeValue(other)
		if !utf8.ValidString(path) { // a path is of a configuration, which is text
			return
		}
		if err != nil || err2 != nil || !v.Observed() || !w.Observed() || v.Sealed() || w.Sealed() {
			return
		}
		for _, s := range []sqlite.Seal{{}, key} {
			r := Row{seal: s}
			r.Base = record.Base{path: s.Keep(path, v)}
			text, err := sqlite.Encode(r.Base)
			if err != nil {
				t.Fatal(err)
			}
			r.Base = nil
			if err := sqlite.Decode(text, &r.Base); err != nil {
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
			if s.On && !strings.HasPrefix(path, "@") && v.Type() == record.Text && len(v.Text()) > 8 && strings.Contains(strings.TrimPrefix(text, `{"`+path+`"`), v.Text()) {
				t.Fatalf("%s is in %s", one, text)
			}
			if again := s.Value(s.Value(v)); !again.Equal(s.Value(v)) {
				t.Fatalf("%s is sealed as %v, and that as %v", one, s.Value(v), again)
			}
		}
	})
}

// An entry whose columns somebody else wrote is read or refused, never taken for one
// without a past.
func FuzzEntry(f *testing.F) {
	ctx := context.Background()
	s, err := sqlite.OpenMemory(ctx)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	if _, err := s.Writer.ExecContext(ctx, `INSERT INTO binding (binding, left_system, right_system, left_kind, right_kind)
		VALUES ('guests', 'a', 'b', 'guests', 'contacts')`); err != nil {
		f.Fatal(err)
	}
	if _, err := s.Writer.ExecContext(ctx, `INSERT INTO entry (num, binding, side, kind, id, state, since) VALUES (1, 'guests', 0, 'guests', '1', '', 0)`); err != nil {
		f.Fatal(err)
	}
	f.Add(`{"a":{"v":"b"}}`, `{"f":{"a":"c"},"a":1}`, `{"a":"b"}`)
	f.Add(`{}`, `{}`, `{}`)
	f.Add(`null`, `null`, `null`)
	f.Add(`x`, `{"f":1}`, `[`)
	f.Fuzz(func(t *testing.T, base, seen, pre string) {
		ctx := t.Context()
		if _, err := s.Writer.ExecContext(ctx, `UPDATE entry SET base = ?1, seen = ?2, pre = ?3 WHERE num = 1`, base, seen, pre); err != nil {
			return // the schema itself refuses what is no JSON
		}
		var r *Row
		err := s.Write(ctx, "read an entry", func(ctx context.Context, tx *sql.Tx) error {
			var err error
			r, err = ByNum(ctx, tx, "guests", 1)
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
