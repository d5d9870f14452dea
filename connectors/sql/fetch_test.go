package sql

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors"
	"nightporter/sync/record"
)

const numbered = `create table guests (id {id}, name text not null, updated_at {ts}, created_at {ts})`

func TestFullScanAtEachPageSize(t *testing.T) {
	both(t, numbered, func(t *testing.T, h *house) {
		const rows = 10
		var want []string
		for i := 1; i <= rows; i++ {
			h.exec(fmt.Sprintf("insert into guests (id, name) values (%d, 'n%d')", i*7, i))
			want = append(want, fmt.Sprint(i*7))
		}
		for _, size := range []int{1, 3, 4, 9, 10, 11} {
			h.cfg.PageSize = size
			c := h.open(map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"id"}}})
			q := connectors.Query{Kind: "guests", Fields: []string{"name"}}
			ids, _, pages, _ := scan(t, c, q, "")
			if diff := cmp.Diff(want, ids); diff != "" {
				t.Errorf("page size %d (-want +got):\n%s", size, diff)
			}
			if most := (rows + size - 1) / size; pages != most {
				t.Errorf("page size %d took %d pages, want %d", size, pages, most)
			}
		}
	})
}

func TestFullScanWhileRowsComeAndGo(t *testing.T) {
	both(t, numbered, func(t *testing.T, h *house) {
		for i := 1; i <= 9; i++ {
			h.exec(fmt.Sprintf("insert into guests (id, name) values (%d, 'n')", i*10))
		}
		h.cfg.PageSize = 3
		c := h.open(map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"id"}}})
		q := connectors.Query{Kind: "guests", Fields: []string{"name"}}
		var got []string
		var after record.Cursor
		for page := 1; ; page++ {
			p, err := c.Fetch(t.Context(), q, after)
			if err != nil {
				t.Fatal(err)
			}
			for _, item := range p.Items {
				got = append(got, item.ID)
			}
			if p.End {
				break
			}
			// The row at the page's end goes, and one comes in behind it.
			h.exec(fmt.Sprintf("delete from guests where id = %s", got[len(got)-1]))
			h.exec(fmt.Sprintf("insert into guests (id, name) values (%d, 'early')", page))
			after = p.Next
		}
		if want := []string{"10", "20", "30", "40", "50", "60", "70", "80", "90"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestCompositeAndTextKeys(t *testing.T) {
	const schema = `create table stays (house text {icu} not null, nr integer not null, name text, primary key (house, nr));
		insert into stays values ('b', 2, 'x'), ('B', 10, 'x'), ('b', 10, 'x'), ('ä', 1, 'x'), ('a,b%', 1, 'x'), ('B', 9, 'x')`
	both(t, schema, func(t *testing.T, h *house) {
		want := []string{"B,9", "B,10", "a%2Cb%25,1", "b,2", "b,10", "ä,1"} // by bytes
		for size := 1; size <= 7; size++ {
			h.cfg.PageSize = size
			c := h.open(map[record.Kind]Table{"stays": {Table: "stays", Key: []string{"house", "nr"}, Fields: []string{"house"}}})
			ids, _, _, _ := scan(t, c, connectors.Query{Kind: "stays", Fields: []string{"name"}}, "")
			if diff := cmp.Diff(want, ids); diff != "" {
				t.Errorf("page size %d (-want +got):\n%s", size, diff)
			}
		}
		c := h.open(map[record.Kind]Table{"stays": {Table: "stays", Key: []string{"house", "nr"}, Fields: []string{"house"}}})
		r, err := c.Get(t.Context(), record.Ref{Kind: "stays", ID: "a%2Cb%25,1"}, connectors.Scope{})
		if err != nil || r.Fields["house"].Text() != "a,b%" {
			t.Errorf("get = %v, %v", r, err)
		}
		_, err = c.Apply(t.Context(), record.Change{
			Op: record.Update, Ref: record.Ref{Kind: "stays", ID: "B,10"},
			Fields: fields("name", "new"), Before: fields("name", "x"),
		})
		if err != nil || h.one("select count(*) from stays where name = 'new'") != "1" {
			t.Errorf("update by a composite key: %v", err)
		}
		r, err = c.Apply(t.Context(), record.Change{
			Op: record.Create, Ref: record.Ref{Kind: "stays"},
			Fields: record.Fields{"house": record.OfText("c,"), "nr": record.OfInt(3)},
		})
		if err != nil || r.Ref.ID != "c%2C,3" {
			t.Errorf("create = %v, %v", r.Ref, err)
		}
		for _, id := range []string{"B", "B,1,2", "B,x", "B,77"} {
			_, err := c.Get(t.Context(), record.Ref{Kind: "stays", ID: id}, connectors.Scope{})
			wantClass(t, err, connectors.NotFound)
		}
	})
}

func TestKeyThatIsNotOne(t *testing.T) {
	const schema = `create table guests (code text, name text);
		insert into guests values ('a', '1'), ('a', '2'), ('b', '3'), (null, '4'), (null, '5')`
	both(t, schema, func(t *testing.T, h *house) {
		tables := map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"code"}}}
		h.cfg.PageSize = 3 // ends between the two rows of one key
		_, err := h.open(tables).Fetch(t.Context(), connectors.Query{Kind: "guests"}, "")
		wantClass(t, err, connectors.Malformed)
		h.cfg.PageSize = 4
		p, err := h.open(tables).Fetch(t.Context(), connectors.Query{Kind: "guests"}, "")
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, item := range p.Items {
			ids = append(ids, item.ID)
		}
		if want := []string{"", "", "a", "a"}; !slices.Equal(ids, want) || p.End {
			t.Errorf("ids = %q end %t, want %q and more", ids, p.End, want)
		}
		_, err = h.open(tables).Apply(t.Context(), record.Change{
			Op: record.Update, Ref: record.Ref{Kind: "guests", ID: "a"}, Fields: fields("name", "9"),
		})
		wantClass(t, err, connectors.Malformed)
		if got := h.one("select count(*) from guests where name = '9'"); got != "0" {
			t.Errorf("%s rows were changed by one key", got)
		}
	})
}

func TestIncrementalScan(t *testing.T) {
	both(t, numbered, func(t *testing.T, h *house) {
		at := "2026-03-01 10:00:00+00:00"
		for i := 1; i <= 6; i++ { // six in the same instant
			h.exec(fmt.Sprintf("insert into guests (id, name, updated_at) values (%d, 'n', '%s')", i, at))
		}
		h.exec("insert into guests (id, name, created_at) values (7, 'never changed', '2026-03-01 10:00:05+00:00')")
		h.exec("insert into guests (id, name) values (8, 'no times'), (9, 'no times')")
		for _, size := range []int{1, 2, 3, 6, 7, 8, 9, 10} {
			h.cfg.PageSize = size
			c := h.open(map[record.Kind]Table{"guests": {
				Table: "guests", Key: []string{"id"}, Changed: "updated_at", Created: "created_at",
			}})
			q := connectors.Query{Kind: "guests", Fields: []string{"name"}}
			_, _, _, since := scan(t, c, q, "")
			if since == "" {
				t.Fatal("a full scan gave no start for an incremental one")
			}
			q.Mode = connectors.Since
			ids, _, _, next := scan(t, c, q, since)
			// Everything is within the overlap of the greatest time; rows without one come first.
			if want := []string{"8", "9", "1", "2", "3", "4", "5", "6", "7"}; !slices.Equal(ids, want) {
				t.Errorf("page size %d: %v, want %v", size, ids, want)
			}
			if next != since {
				t.Errorf("page size %d: nothing changed and the start went from %s to %s", size, since, next)
			}
			fromNothing, _, _, _ := scan(t, c, q, "")
			if !slices.Equal(fromNothing, ids) {
				t.Errorf("page size %d: from the beginning %v, want %v", size, fromNothing, ids)
			}
		}
	})
}

func TestIncrementalScanMovesOn(t *testing.T) {
	both(t, numbered, func(t *testing.T, h *house) {
		h.exec(`insert into guests (id, name, updated_at) values (1, 'old', '2026-03-01 10:00:00+00:00'), (2, 'last', '2026-03-02 10:00:00+00:00')`)
		c := h.open(map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"id"}, Changed: "updated_at"}})
		q := connectors.Query{Kind: "guests", Fields: []string{"name"}}
		_, _, _, since := scan(t, c, q, "")
		q.Mode = connectors.Since
		// A transaction that was begun a minute before the last row seen ends only now.
		h.exec("insert into guests (id, name, updated_at) values (3, 'late', '2026-03-02 09:59:00+00:00'), (4, 'new', '2026-03-03 10:00:00+00:00')")
		ids, recs, _, since := scan(t, c, q, since)
		if want := []string{"3", "2", "4"}; !slices.Equal(ids, want) {
			t.Errorf("got %v, want %v", ids, want)
		}
		if got := recs[2].Changed.Format("2006-01-02T15:04"); got != "2026-03-03T10:00" {
			t.Errorf("changed = %s", got)
		}
		// A row dated years ahead must not hide what comes after it.
		h.exec("insert into guests (id, name, updated_at) values (5, 'future', '2090-01-01 00:00:00+00:00')")
		ids, _, _, since = scan(t, c, q, since)
		if want := []string{"4", "5"}; !slices.Equal(ids, want) {
			t.Errorf("got %v, want %v", ids, want)
		}
		h.exec("insert into guests (id, name, updated_at) values (6, 'newer', '2026-03-04 10:00:00+00:00')")
		ids, _, _, _ = scan(t, c, q, since)
		if want := []string{"4", "6", "5"}; !slices.Equal(ids, want) {
			t.Errorf("behind a row of the future: %v, want %v", ids, want)
		}
		q.Mode = connectors.Full
		_, _, _, since = scan(t, c, q, "")
		q.Mode = connectors.Since
		ids, _, _, _ = scan(t, c, q, since)
		if !slices.Contains(ids, "6") {
			t.Errorf("a full scan's start %s hides changes behind a row of the future: %v", since, ids)
		}
	})
}

func TestAnEditDuringAFullScanIsTheNextScans(t *testing.T) {
	both(t, numbered, func(t *testing.T, h *house) {
		for i := 1; i <= 4; i++ {
			h.exec(fmt.Sprintf("insert into guests (id, name, updated_at) values (%d, 'n', '2026-03-01 10:00:00+00:00')", i))
		}
		h.cfg.PageSize = 2
		c := h.open(map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"id"}, Changed: "updated_at"}})
		q := connectors.Query{Kind: "guests", Fields: []string{"name"}}
		p, err := c.Fetch(t.Context(), q, "")
		if err != nil {
			t.Fatal(err)
		}
		h.exec("update guests set name = 'edited', updated_at = '2026-03-02 10:00:00+00:00' where id = 1")
		h.exec("update guests set updated_at = '2026-03-03 10:00:00+00:00' where id = 4")
		p, err = c.Fetch(t.Context(), q, p.Next)
		if err != nil || !p.End {
			t.Fatal(err, p.End)
		}
		q.Mode = connectors.Since
		if ids, _, _, _ := scan(t, c, q, p.Since); !slices.Contains(ids, "1") {
			t.Errorf("the edit of a row already read is lost: %v", ids)
		}
	})
}

func TestCounterAsTimeOfChange(t *testing.T) {
	both(t, `create table guests (id {id}, rev bigint not null)`, func(t *testing.T, h *house) {
		h.exec("insert into guests (id, rev) values (1, 9), (2, 10), (3, 11)")
		c := h.open(map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"id"}, Changed: "rev"}})
		q := connectors.Query{Kind: "guests"}
		_, _, _, since := scan(t, c, q, "")
		h.exec("update guests set rev = 100 where id = 1")
		q.Mode = connectors.Since
		if ids, _, _, _ := scan(t, c, q, since); !slices.Equal(ids, []string{"3", "1"}) {
			t.Errorf("got %v, want [3 1]", ids)
		}
	})
}

func TestCursorsAreChecked(t *testing.T) {
	h := newHouse(t, "sqlite", numbered)
	h.exec("insert into guests (id, name) values (1, 'n'), (2, 'n')")
	h.cfg.PageSize = 1
	c := h.open(map[record.Kind]Table{
		"guests": {Table: "guests", Key: []string{"id"}, Changed: "updated_at"},
		"plain":  {Table: "guests", Key: []string{"id"}},
	})
	p, err := c.Fetch(t.Context(), connectors.Query{Kind: "guests"}, "")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		mode   connectors.Mode
		cursor record.Cursor
	}{
		"of another mode": {connectors.Since, p.Next},
		"no JSON":         {connectors.Full, "7"},
		"another key":     {connectors.Full, `{"phase":2,"key":["t1","t2"]}`},
		"no time":         {connectors.Since, `{"since":true,"phase":2,"key":["i1"]}`},
	} {
		_, err := c.Fetch(t.Context(), connectors.Query{Kind: "guests", Mode: tt.mode}, tt.cursor)
		if connectors.ClassOf(err) != connectors.Malformed {
			t.Errorf("%s: %v, want malformed", name, err)
		}
	}
	_, err = c.Fetch(t.Context(), connectors.Query{Kind: "plain", Mode: connectors.Since}, "")
	wantClass(t, err, connectors.Unsupported)
	_, err = c.Fetch(t.Context(), connectors.Query{Kind: "rooms"}, "")
	wantClass(t, err, connectors.Unsupported)
}

func TestWindow(t *testing.T) {
	for _, typ := range []string{"date", "timestamp", "timestamptz", "text"} {
		both(t, `create table stays (id {id}, arrival `+typ+`, departure `+typ+`)`, func(t *testing.T, h *house) {
			if h.driver == "sqlite" && typ != "text" {
				return // SQLite keeps dates as texts
			}
			rome, err := time.LoadLocation("Europe/Rome") // as the server's own zone
			if err != nil {
				t.Fatal(err)
			}
			h.cfg.TimeZone = rome
			h.exec(`insert into stays (id, arrival, departure) values
				(1, '2026-03-01', '2026-03-04'), (2, '2026-03-04', '2026-03-05'), (3, '2026-03-05', '2026-03-09'),
				(4, '2026-03-10', '2026-03-12'), (5, '2026-03-11', '2026-03-12'), (6, '2026-02-01', null), (7, '2026-03-01', '2026-03-20')`)
			table := Table{Table: "stays", Key: []string{"id"}, Window: [2]string{"arrival", "departure"}}
			c := h.open(map[record.Kind]Table{"stays": table})
			scope := connectors.Scope{From: "2026-03-05", To: "2026-03-10"}
			ids, _, _, _ := scan(t, c, connectors.Query{Kind: "stays", Scope: scope}, "")
			if want := []string{"2", "3", "4", "6", "7"}; !slices.Equal(ids, want) {
				t.Errorf("%s: got %v, want %v", typ, ids, want)
			}
			_, err = c.Get(t.Context(), record.Ref{Kind: "stays", ID: "5"}, scope)
			wantClass(t, err, connectors.OutOfScope)
			if _, err = c.Get(t.Context(), record.Ref{Kind: "stays", ID: "5"}, connectors.Scope{}); err != nil {
				t.Errorf("get without a window: %v", err)
			}
			_, err = c.Get(t.Context(), record.Ref{Kind: "stays", ID: "99"}, scope)
			wantClass(t, err, connectors.NotFound)
		})
	}
}

func TestFilterAndPrivateColumns(t *testing.T) {
	const schema = `create table guests (id {id}, title text, name text, notes text);
		insert into guests (id, title, name, notes) values
		(1, 'Ms', 'Ada', 'MARKER'), (2, 'VIP', 'MARKER', 'MARKER'), (3, null, 'MARKER', 'MARKER'), (4, 'Mr', 'Bob', 'MARKER')`
	both(t, schema, func(t *testing.T, h *house) {
		c := h.open(map[record.Kind]Table{"guests": {
			Table: "guests", Key: []string{"id"}, Only: "title <> 'VIP' or title = 'never' -- (", Private: []string{"notes"},
		}})
		ids, recs, _, _ := scan(t, c, connectors.Query{Kind: "guests"}, "")
		if !slices.Equal(ids, []string{"1", "4"}) {
			t.Errorf("got %v, want [1 4]", ids)
		}
		for _, r := range recs {
			if strings.Contains(show(r.Fields), "MARKER") || !r.Fields["notes"].Equal(record.Value{}) {
				t.Errorf("record %s shows a private column: %s", r.Ref.ID, show(r.Fields))
			}
		}
		for _, id := range []string{"2", "3"} {
			_, err := c.Get(t.Context(), record.Ref{Kind: "guests", ID: id}, connectors.Scope{})
			wantClass(t, err, connectors.OutOfScope, "MARKER")
			_, err = c.Apply(t.Context(), record.Change{Op: record.Update, Ref: record.Ref{Kind: "guests", ID: id}, Fields: fields("name", "x")})
			wantClass(t, err, connectors.OutOfScope, "MARKER")
		}
		found, err := c.Find(t.Context(), "guests", fields("name", "MARKER"), connectors.Scope{})
		if err != nil || len(found) != 0 {
			t.Errorf("find shows rows outside of the filter: %v, %v", found, err)
		}
		private := map[string]func() error{
			"fetch": func() error {
				_, err := c.Fetch(t.Context(), connectors.Query{Kind: "guests", Fields: []string{"notes"}}, "")
				return err
			},
			"find": func() error {
				_, err := c.Find(t.Context(), "guests", fields("notes", "MARKER"), connectors.Scope{})
				return err
			},
			"update": func() error {
				_, err := c.Apply(t.Context(), record.Change{Op: record.Update, Ref: record.Ref{Kind: "guests", ID: "1"}, Fields: fields("notes", "x")})
				return err
			},
		}
		for name, do := range private {
			if err := do(); connectors.ClassOf(err) != connectors.Forbidden {
				t.Errorf("%s of a private column: %v", name, err)
			}
		}
		d, err := c.Describe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := d.Kinds["guests"].Fields["notes"]; ok {
			t.Error("Describe lists a private column")
		}
	})
}

func TestValues(t *testing.T) {
	tests := map[string]struct{ typ, literal, want string }{
		"int":          {"bigint", "9007199254740993", "9007199254740993"},
		"numeric":      {"numeric(30,10)", "12345678901234567890.1200000000", "12345678901234567890.12"},
		"float":        {"float8", "0.1", "0.1"},
		"large float":  {"float8", "1e20", "100000000000000000000"},
		"bool":         {"boolean", "true", "true"},
		"null":         {"text", "null", "null"},
		"empty":        {"text", "''", `""`},
		"text":         {"text", "'a  '", `"a  "`},
		"char(n)":      {"char(5)", "'IT'", `"IT"`},
		"varchar":      {"varchar(40)", "'x'", `"x"`},
		"date":         {"date", "'2026-03-01'", `"2026-03-01"`},
		"instant":      {"timestamptz", "'2026-03-01 12:00:00.5+02'", `"2026-03-01T10:00:00.5Z"`},
		"local":        {"timestamp", "'2026-03-01 12:00:00.25'", `"2026-03-01T12:00:00.25"`},
		"infinity":     {"timestamptz", "'infinity'", `"infinity"`},
		"json":         {"json", `'{"b": 1.50, "a": [null]}'`, `{"a":[null],"b":1.5}`},
		"jsonb":        {"jsonb", `'"x"'`, `"x"`},
		"texts":        {"text[]", `array['a,b', null, '"']`, `["a,b",null,"\""]`},
		"integers":     {"int[]", "array[1,2]", "[1,2]"},
		"uuid":         {"uuid", "'6ba7b810-9dad-11d1-80b4-00c04fd430c8'", `"6ba7b810-9dad-11d1-80b4-00c04fd430c8"`},
		"enum":         {"mood", "'ok'", `"ok"`},
		"domain":       {"posint", "7", "7"},
		"money":        {"money", "'1234.50'", "1234.5"},
		"time":         {"time", "'12:30'", `"12:30:00"`},
		"not a number": {"numeric", "'NaN'", "rejected"},
		"bytes":        {"bytea", `'\xff00'`, "rejected"},
	}
	h := newHouse(t, "postgres", `create type mood as enum ('ok'); create domain posint as int check (value > 0)`)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			h.exec("drop table if exists v; create table v (id int primary key, x " + tt.typ + ")")
			h.exec("insert into v values (1, " + tt.literal + "), (2, null)")
			c := h.open(map[record.Kind]Table{"v": {Table: "v", Key: []string{"id"}}})
			p, err := c.Fetch(t.Context(), connectors.Query{Kind: "v", Fields: []string{"x"}}, "")
			if err != nil {
				t.Fatal(err)
			}
			r, err := p.Read(p.Items[0])
			got := r.Fields["x"].Encode()
			if err != nil {
				wantClass(t, err, connectors.Rejected)
				got = "rejected"
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if r2, err := p.Read(p.Items[1]); err != nil || r2.Fields["x"].Type() != record.Null {
				t.Errorf("the row behind it: %v, %v", r2, err)
			}
			if tt.want == "rejected" {
				return
			}
			// What was read can be written, guarded by itself, and reads the same.
			r, err = c.Apply(t.Context(), record.Change{
				Op: record.Update, Ref: record.Ref{Kind: "v", ID: "1"}, Fields: r.Fields, Before: r.Fields,
			})
			if err != nil || r.Fields["x"].Encode() != tt.want {
				t.Errorf("written and read again: %s, %v", r.Fields["x"].Encode(), err)
			}
		})
	}
}

func TestSQLiteValuesAreWhatTheyAreStoredAs(t *testing.T) {
	h := newHouse(t, "sqlite", `create table v (id integer primary key, d date, ts datetime, b boolean, n decimal(10,2), x, k blob)`)
	h.exec(`insert into v values (1, '2026-03-01', '2026-03-01 12:00:00', 1, 12.50, '007', null), (2, 20260301, 1782900000, 'yes', 'abc', 7, x'ff00')`)
	c := h.open(map[record.Kind]Table{"v": {Table: "v", Key: []string{"id"}}})
	p, err := c.Fetch(t.Context(), connectors.Query{Kind: "v", Fields: []string{"d", "ts", "b", "n", "x"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		`{"b":1,"d":"2026-03-01","n":12.5,"ts":"2026-03-01 12:00:00","x":"007"}`,
		`{"b":"yes","d":20260301,"n":"abc","ts":1782900000,"x":7}`,
	} {
		r, err := p.Read(p.Items[i])
		if err != nil || show(r.Fields) != want {
			t.Errorf("row %d: %s, %v, want %s", i+1, show(r.Fields), err, want)
		}
	}
	p, err = c.Fetch(t.Context(), connectors.Query{Kind: "v", Fields: []string{"k"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Read(p.Items[1])
	wantClass(t, err, connectors.Rejected)
}

func TestFieldsThatNobodyExpected(t *testing.T) {
	both(t, `create table v (id {id}, x text, y text)`, func(t *testing.T, h *house) {
		h.cfg.MaxField = 1000
		big := strings.Repeat("é", 5<<20)
		h.exec("insert into v (id, x, y) values (1, 'before', 'a'), (3, 'after', 'c')")
		h.exec("insert into v (id, x, y) values (2, '" + big + "', 'b')")
		h.exec("insert into v (id, x, y) values (4, '" + strings.Repeat("a", 1000) + "', 'just fits')")
		if h.driver == "sqlite" {
			h.exec("insert into v (id, x, y) values (5, cast(x'61ff62' as text), ?)", "nul\x00inside")
		}
		c := h.open(map[record.Kind]Table{"v": {Table: "v", Key: []string{"id"}}})
		p, err := c.Fetch(t.Context(), connectors.Query{Kind: "v"}, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range []int{0, 2, 3} {
			if r, err := p.Read(p.Items[i]); err != nil || r.Fields["x"].Text() == "" {
				t.Errorf("row %s: %v", p.Items[i].ID, err)
			}
		}
		r, err := p.Read(p.Items[1])
		wantClass(t, err, connectors.Rejected, "ééé")
		if err == nil || !strings.Contains(err.Error(), `"x"`) || r.Ref.ID != "2" {
			t.Errorf("the error %v does not name column x of row 2", err)
		}
		if len(p.Items[1].Raw) > 1000 {
			t.Errorf("the large row takes %d bytes", len(p.Items[1].Raw))
		}
		if h.driver == "sqlite" {
			r, err := p.Read(p.Items[4])
			if err != nil || r.Fields["x"].Text() != "a\uFFFDb" || r.Fields["y"].Text() != "nul\x00inside" {
				t.Errorf("row 5: %q, %v", r.Fields, err)
			}
			return
		}
		_, err = c.Apply(t.Context(), record.Change{Op: record.Update, Ref: record.Ref{Kind: "v", ID: "1"}, Fields: fields("x", "nul\x00")})
		wantClass(t, err, connectors.Rejected)
	})
}

func TestRawBytesTellRowsApart(t *testing.T) {
	both(t, `create table v (id {id}, a text, b text)`, func(t *testing.T, h *house) {
		c := h.open(map[record.Kind]Table{"v": {Table: "v", Key: []string{"id"}}})
		seen := map[string]string{}
		for _, row := range []string{"'', null", "null, ''", "'ab', 'c'", "'a', 'bc'", "'x', ''", "'', 'x'", "'null', 'null'", "null, null"} {
			h.exec("delete from v")
			h.exec("insert into v (id, a, b) values (1, " + row + ")")
			var raws []string
			for range 2 {
				p, err := c.Fetch(t.Context(), connectors.Query{Kind: "v"}, "")
				if err != nil {
					t.Fatal(err)
				}
				raws = append(raws, string(p.Items[0].Raw))
			}
			if raws[0] != raws[1] {
				t.Errorf("(%s) read twice gave different bytes", row)
			}
			if other, ok := seen[raws[0]]; ok {
				t.Errorf("(%s) and (%s) have the same bytes", row, other)
			}
			seen[raws[0]] = row
		}
	})
}

func TestATimeAsKeyIsTheSameInEverySession(t *testing.T) {
	h := newHouse(t, "postgres", `create table v (k timestamptz primary key)`) // the server's zone is Rome's
	h.exec("insert into v values ('2026-03-01 12:00:00+02')")
	c := h.open(map[record.Kind]Table{"v": {Table: "v", Key: []string{"k"}}})
	ids, _, _, _ := scan(t, c, connectors.Query{Kind: "v"}, "")
	if want := []string{"2026-03-01 10:00:00+00"}; !slices.Equal(ids, want) {
		t.Errorf("got %q, want %q", ids, want)
	}
	if _, err := c.Get(t.Context(), record.Ref{Kind: "v", ID: ids[0]}, connectors.Scope{}); err != nil {
		t.Error(err)
	}
}

func TestSQLiteKeysOfAnyKind(t *testing.T) {
	h := newHouse(t, "sqlite", `create table v (k primary key, x text)`)
	h.exec("insert into v values (1, 'int'), ('b', 'text'), (x'01ff', 'blob'), (cast(x'ff' as text), 'broken')")
	h.cfg.PageSize = 1
	c := h.open(map[record.Kind]Table{"v": {Table: "v", Key: []string{"k"}, Fields: []string{"x"}}})
	ids, _, _, _ := scan(t, c, connectors.Query{Kind: "v", Fields: []string{"x"}}, "")
	if want := []string{"1", "b", "", "x'01ff'"}; !slices.Equal(ids, want) {
		t.Fatalf("got %q, want %q", ids, want)
	}
	for id, want := range map[string]string{"1": "int", "b": "text", "x'01ff'": "blob"} {
		r, err := c.Get(t.Context(), record.Ref{Kind: "v", ID: id}, connectors.Scope{})
		if err != nil || r.Fields["x"].Text() != want {
			t.Errorf("get %s = %v, %v", id, r, err)
		}
	}
}

// A column that gets another name while jobs run is missed, in whatever part it has;
// its old name is not taken for a value.
func TestRenamedColumnIsMissed(t *testing.T) {
	both(t, numbered, func(t *testing.T, h *house) {
		table := Table{Table: "guests", Key: []string{"id"}, Changed: "updated_at", Created: "created_at"}
		h.exec("insert into guests (id, name) values (1, 'n')")
		for _, name := range []string{"name", "updated_at", "created_at", "id"} {
			c := h.open(map[record.Kind]Table{"guests": table})
			q := connectors.Query{Kind: "guests", Fields: []string{"name"}}
			if ids, _, _, _ := scan(t, c, q, ""); len(ids) != 1 {
				t.Fatalf("got %d rows before, want 1", len(ids))
			}
			h.exec("alter table guests rename column " + name + " to other")
			for range 2 { // the second one looks at the table anew
				p, err := c.Fetch(t.Context(), q, "")
				if err == nil {
					t.Errorf("%s is called otherwise: got %v, want an error", name, p.Items)
				} else if got := connectors.ClassOf(err); got != connectors.Malformed || !strings.Contains(err.Error(), name) {
					t.Errorf("%s is called otherwise: got %s %v, want malformed, and the column named", name, got, err)
				}
			}
			h.exec("alter table guests rename column other to " + name)
			if _, err := c.Fetch(t.Context(), q, ""); err != nil {
				t.Errorf("%s is there again: got %v", name, err)
			}
		}
	})
}
