package dbkit

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawCells draws a row or a key with the texts that break encodings.
func drawCells(t *rapid.T, tags string, least int) []Cell {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Cell {
		tag := tags[rapid.IntRange(0, len(tags)-1).Draw(t, "tag")]
		if tag == Null {
			return Cell{Tag: Null}
		}
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"", ",", "%", "%2C", "%252C", "a,b", "\x00", "\xff\xfe", "1", "x''", strings.Repeat("n", 300),
		})).Draw(t, "text")
		return Cell{Tag: tag, Text: text}
	}), least, 5).Draw(t, "cells")
}

func TestRowsAreTheirBytes(t *testing.T) {
	raw := func(cells []Cell) (b []byte) {
		for _, c := range cells {
			b = c.Append(b)
		}
		return b
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawCells(t, "ntirbx", 1), drawCells(t, "ntirbx", 1)
		got, err := Cells(raw(a), len(a))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a, got); diff != "" {
			t.Fatalf("read back (-want +got):\n%s", diff)
		}
		if (string(raw(a)) == string(raw(b))) != cmp.Equal(a, b) {
			t.Fatalf("%v and %v: rows differ and bytes don't, or the other way", a, b)
		}
		if _, err := Cells(raw(a)[:len(raw(a))-1], len(a)); err == nil {
			t.Fatal("a row cut off was read")
		}
	})
}

func TestKeysAreReversible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := drawCells(t, "t", 2)
		id := JoinKey(key)
		if id == "" {
			return // not UTF-8
		}
		got, ok := SplitKey(id, len(key))
		if !ok {
			t.Fatalf("id %q of %v was not read back", id, key)
		}
		for i := range key {
			if got[i] != key[i].Text {
				t.Fatalf("id %q reads back as %q, want %v", id, got, key)
			}
		}
	})
	for name, tt := range map[string]struct {
		key  []Cell
		want string
	}{
		"single stands for itself": {[]Cell{{Text, "a,b%"}}, "a,b%"},
		"composite":                {[]Cell{{Text, "HTL,1"}, {Int, "12"}}, "HTL%2C1,12"},
		"missing part":             {[]Cell{{Text, "HTL1"}, {Null, ""}}, ""},
		"bytes":                    {[]Cell{{Blob, "\x01\xff"}}, "x'01ff'"},
		"not UTF-8":                {[]Cell{{Text, "\xff"}}, ""},
	} {
		if got := JoinKey(tt.key); got != tt.want {
			t.Errorf("%s: JoinKey = %q, want %q", name, got, tt.want)
		}
	}
	if _, ok := SplitKey("1,2", 3); ok {
		t.Error("an id of two values was read as three")
	}
}

func TestCursorValuesSurviveJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawCells(t, "ntirb", 0)
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got := []Cell{}
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if diff := cmp.Diff(want, got); diff != "" && len(want) > 0 {
			t.Fatalf("%s (-want +got):\n%s", b, diff)
		}
	})
	for _, bad := range []string{`""`, `"x5"`, `"Tzz"`, `7`} {
		if err := json.Unmarshal([]byte(bad), new(Cell)); err == nil {
			t.Errorf("%s was read as a cursor's value", bad)
		}
	}
}

func TestParseNamed(t *testing.T) {
	for name, tt := range map[string]struct {
		query string
		want  string // with names between < and >
		err   string
	}{
		"names":            {"select 1 where :a > :b_2 and :a", "select 1 where <a> > <b_2> and <a>", ""},
		"casts":            {"select :a::date, '1'::int", "select <a>::date, '1'::int", ""},
		"text":             {"select ':a' || 'it''s :b'", "select ':a' || 'it''s :b'", ""},
		"escapes":          {`select e'\':a', 'x\', :b`, `select e'\':a', 'x\', <b>`, ""},
		"quoted name":      {`select ":a" from t`, `select ":a" from t`, ""},
		"comments":         {"select 1 -- :a\n/* :b */ + :c", "select 1 -- :a\n/* :b */ + <c>", ""},
		"dollar quotes":    {"select $$:a$$, $q$ :b $q$, :c", "select $$:a$$, $q$ :b $q$, <c>", ""},
		"array slice":      {"select a[1:2]", "select a[1:2]", ""},
		"with":             {"WITH x as (select 1) select :a", "WITH x as (select 1) select <a>", ""},
		"writes":           {"delete from t", "", "must start with select"},
		"two statements":   {"select 1; delete from t", "", "semicolon"},
		"semicolon inside": {"select ';'", "select ';'", ""},
		"open quote":       {"select 'a", "", "not closed"},
		"open comment":     {"select 1 /* a", "", "not closed"},
		"open dollar":      {"select $q$ a", "", "not closed"},
	} {
		t.Run(name, func(t *testing.T) {
			n, err := ParseNamed(tt.query)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error = %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := n.SQL(func(name string) string { return "<" + name + ">" }); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestCheckPredicate(t *testing.T) {
	for text, ok := range map[string]bool{
		"": true, "a in ('x', ')')": true, "(a) or (b)": true, "a -- ) out": true,
		"a) or (b": false, "(a": false, "a; drop table t": false, "a = 'x": false, "a /*": false,
	} {
		if err := CheckPredicate(text); (err == nil) != ok {
			t.Errorf("CheckPredicate(%q) = %v, want ok %t", text, err, ok)
		}
	}
}

func TestSplitName(t *testing.T) {
	for name, want := range map[string][2]string{
		"guests": {"", "guests"}, "pms.guests": {"pms", "guests"}, `"my.pms"."Guests x"`: {"my.pms", "Guests x"},
	} {
		schema, table, err := SplitName(name)
		if got := [2]string{schema, table}; err != nil || got != want {
			t.Errorf("SplitName(%s) = %q, %v, want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"", "a.b.c", "a.", ".a", `"a`, `"a"b`} {
		if schema, table, err := SplitName(name); err == nil {
			t.Errorf("SplitName(%s) = %q, %q, want an error", name, schema, table)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"first_name", "last_name", "updated_at"}
	for name, want := range map[string]string{
		"firstname": "first_name", "Last_Name": "last_name", "update_at": "updated_at", "phone": "",
	} {
		if got := Nearest(name, names); got != want {
			t.Errorf("Nearest(%s) = %q, want %q", name, got, want)
		}
	}
}

func TestMoments(t *testing.T) {
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		cell  Cell
		want  string // UTC
		later string // an hour later, in the same form
		zoned bool
	}{
		"postgres instant": {Cell{Text, "2026-07-01 10:00:00.25+00"}, "2026-07-01T10:00:00.25Z", "2026-07-01 11:00:00Z", true},
		"rfc 3339":         {Cell{Text, "2026-07-01T10:00:00+02:00"}, "2026-07-01T08:00:00Z", "2026-07-01T11:00:00+02:00", true},
		"local":            {Cell{Text, "2026-07-01 10:00:00"}, "2026-07-01T08:00:00Z", "2026-07-01 11:00:00", false},
		"local, T":         {Cell{Text, "2026-07-01T10:00:00.5"}, "2026-07-01T08:00:00.5Z", "2026-07-01T11:00:00", false},
		"minutes":          {Cell{Text, "2026-07-01 10:00"}, "2026-07-01T08:00:00Z", "2026-07-01 11:00", false},
		"seconds":          {Cell{Int, "1782900000"}, "2026-07-01T10:00:00Z", "1782903600", true},
		"milliseconds":     {Cell{Int, "1782900000250"}, "2026-07-01T10:00:00.25Z", "1782903600000", true},
		"microseconds":     {Cell{Int, "1782900000250000"}, "2026-07-01T10:00:00.25Z", "1782903600000000", true},
		"counter":          {Cell{Int, "48213"}, "", "", false},
		"word":             {Cell{Text, "yesterday"}, "", "", false},
		"null":             {Cell{Null, ""}, "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			m, ok := ParseMoment(tt.cell, rome)
			if !ok {
				if tt.want != "" {
					t.Fatal("not read")
				}
				return
			}
			if got := m.At.UTC().Format(time.RFC3339Nano); got != tt.want || m.Zoned != tt.zoned {
				t.Errorf("read %s zoned %t, want %s %t", got, m.Zoned, tt.want, tt.zoned)
			}
			if got := m.Cell(m.At.Add(time.Hour)).Text; got != tt.later {
				t.Errorf("an hour later = %s, want %s", got, tt.later)
			}
		})
	}
}
