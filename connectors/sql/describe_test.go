package sql

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors"
	"nightporter/sync/record"
)

const catalogued = `create table guests (
	id {id}, house text not null, nr integer not null, name varchar(40) not null, title text not null default '',
	phone text, email text, notes text, external_ref text, updated_at {ts}, version integer not null default 1,
	twice integer generated always as (nr * 2) stored, unique (house, nr));
	create unique index one_phone on guests (phone);
	create unique index some_emails on guests (email) where title = '';
	create unique index lowered on guests (lower(name));
	create unique index marks on guests (external_ref) where external_ref is not null`

func TestDescribe(t *testing.T) {
	both(t, catalogued, func(t *testing.T, h *house) {
		c := h.open(map[record.Kind]Table{"guests": {
			Table: "guests", Key: []string{"id"}, Changed: "updated_at", Version: "version", OurMark: "external_ref", Private: []string{"notes"},
		}})
		d, err := c.Describe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		k := d.Kinds["guests"]
		if !strings.HasPrefix(d.Account, h.driver+":") || len(d.Account) < 12 {
			t.Errorf("account = %q", d.Account)
		}
		slices.SortFunc(k.Unique, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
		if diff := cmp.Diff([][]string{{"house", "nr"}, {"id"}, {"phone"}}, k.Unique); diff != "" {
			t.Errorf("unique (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"house", "nr", "name"}, k.Required); diff != "" {
			t.Errorf("required (-want +got):\n%s", diff)
		}
		if want := (connectors.Stamp{Path: "external_ref", Find: true, Unique: true}); k.Stamp != want {
			t.Errorf("stamp = %+v, want %+v", k.Stamp, want)
		}
		runes := 40
		if h.driver == "sqlite" {
			runes = 0 // the file does not enforce it
		}
		if k.Fields["name"].MaxRunes != runes || k.Fields["name"].ReadOnly {
			t.Errorf("name = %+v", k.Fields["name"])
		}
		for _, name := range []string{"twice", "version", "external_ref"} {
			if f, ok := k.Fields[name]; !ok || !f.ReadOnly {
				t.Errorf("%s = %+v, %t, want a field that is not written", name, f, ok)
			}
		}
		if !k.Create || !k.Update || k.Delete || !k.Get || !k.Since || !k.Stable || !k.Conditional || !k.Answers || k.Asks || k.Windowed || k.Total {
			t.Errorf("kind = %+v", k)
		}
		if k.Class(false, false) != connectors.ClassB {
			t.Errorf("class = %s, want B", k.Class(false, false))
		}
	})
}

func TestDescribeSaysWhatIsWrong(t *testing.T) {
	base := Table{Table: "guests", Key: []string{"id"}}
	with := func(change func(*Table)) Table {
		t := base
		change(&t)
		return t
	}
	both(t, catalogued, func(t *testing.T, h *house) {
		for name, tt := range map[string]struct {
			table Table
			want  string
		}{
			"table":        {with(func(t *Table) { t.Table = "guest" }), "did you mean guests"},
			"key":          {with(func(t *Table) { t.Key = []string{"ID_"} }), `did you mean "id"`},
			"changed":      {with(func(t *Table) { t.Changed = "update_at" }), `did you mean "updated_at"`},
			"private":      {with(func(t *Table) { t.Private = []string{"note"} }), `did you mean "notes"`},
			"only":         {with(func(t *Table) { t.Only = "no_such_column = 1" }), "only"},
			"query":        {with(func(t *Table) { t.Table, t.Query = "", "select nope from guests" }), "nope"},
			"accept_if":    {with(func(t *Table) { t.AcceptIf = "select 1 where :arrivals is null" }), "there are :id"},
			"accept table": {with(func(t *Table) { t.AcceptIf = "select 1 from romos" }), "romos"},
		} {
			_, err := h.open(map[record.Kind]Table{"guests": tt.table}).Describe(t.Context())
			if connectors.ClassOf(err) != connectors.Malformed || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "guests") {
				t.Errorf("%s: %v, want malformed with %q", name, err, tt.want)
			}
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	good := func() Config {
		return Config{Driver: "sqlite", Address: "pms.db", Tables: map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"id"}}}}
	}
	table := func(change func(*Table)) func(*Config) {
		return func(c *Config) {
			t := c.Tables["guests"]
			change(&t)
			c.Tables["guests"] = t
		}
	}
	for name, tt := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"nothing wrong":     {func(*Config) {}, ""},
		"driver":            {func(c *Config) { c.Driver = "oracle" }, "there are postgres and sqlite"},
		"no address":        {func(c *Config) { c.Address = "" }, "no address"},
		"no tables":         {func(c *Config) { c.Tables = nil }, "no tables"},
		"address":           {func(c *Config) { c.Driver, c.Address = "postgres", "localhost:5432" }, "host:port/database"},
		"no table":          {table(func(t *Table) { t.Table = "" }), "neither a table nor a query"},
		"no key":            {table(func(t *Table) { t.Key = nil }), "no key"},
		"private key":       {table(func(t *Table) { t.Private = []string{"id"} }), "private"},
		"private field":     {table(func(t *Table) { t.Private, t.Fields = []string{"code"}, []string{"code"} }), "private"},
		"private condition": {table(func(t *Table) { t.Private, t.AcceptIf = []string{"code"}, "select :code" }), "private"},
		"open bracket":      {table(func(t *Table) { t.Only = "a = (1" }), "bracket"},
		"closed too early":  {table(func(t *Table) { t.Only = "1=1) or (1=1" }), "bracket"},
		"query that writes": {table(func(t *Table) { t.Query = "delete from guests returning *" }), "must start with"},
		"accept_if writes":  {table(func(t *Table) { t.AcceptIf = "update guests set x = 1" }), "must start with"},
		"half a window":     {table(func(t *Table) { t.Window[0] = "arrival" }), "window"},
		"bump of nothing":   {table(func(t *Table) { t.VersionBump = true }), "version"},
	} {
		cfg := good()
		tt.change(&cfg)
		c, err := Open(t.Context(), cfg)
		if err == nil {
			c.Close()
		}
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// The statements that Grants prints are run, and are then just enough.
func TestGrantsAreJustEnough(t *testing.T) {
	h := newHouse(t, "postgres", `create schema pms; create table pms.guests (id {id}, name text, title text default '', notes text, version int default 1, external_ref text);
		insert into pms.guests (name, notes) values ('Ada', 'x')`)
	user := "porter_" + strings.ReplaceAll(h.one("select current_database()"), "-", "_")
	h.exec("create role " + user + " login password 'not-a-secret'")
	t.Cleanup(func() { h.exec("drop owned by " + user); h.exec("drop role " + user) })
	h.cfg.User = user
	tables := map[record.Kind]Table{"guests": {
		Table: "pms.guests", Key: []string{"id"}, Version: "version", VersionBump: true, OurMark: "external_ref",
		Only: "title <> 'VIP'", Private: []string{"notes"}, Fields: []string{"name"},
	}}
	grants, err := h.open(tables).Grants(t.Context(), "guests", []string{"name"}, []string{"name"}, []string{"name"})
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(h.cfg.DSN, "://")
	host := h.cfg.DSN[strings.LastIndex(h.cfg.DSN, "@")+1:]
	h.cfg.DSN = h.cfg.DSN[:at] + "://" + user + ":not-a-secret@" + host
	c := h.open(tables)
	_, err = c.Describe(t.Context())
	wantClass(t, err, connectors.Forbidden)
	for _, g := range grants {
		h.exec(g)
	}
	d, err := c.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if k := d.Kinds["guests"]; !k.Create || !k.Update {
		t.Errorf("described as %+v", k)
	}
	if ids, _, _, _ := scan(t, c, connectors.Query{Kind: "guests", Fields: []string{"name"}}, ""); len(ids) != 1 {
		t.Errorf("read %v", ids)
	}
	r, err := c.Apply(t.Context(), record.Change{Op: record.Create, Ref: ref(""), Fields: fields("name", "Bob"), Stamp: "np:1:a"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = c.Apply(t.Context(), record.Change{Op: record.Update, Ref: r.Ref, Fields: fields("name", "B"), Version: r.Version}); err != nil {
		t.Error(err)
	}
	tables["guests"] = Table{Table: "pms.guests", Key: []string{"id"}, Fields: []string{"notes"}}
	_, err = h.open(tables).Describe(t.Context())
	wantClass(t, err, connectors.Forbidden)
}

// A description says what the ids of a kind are made of, and where: a job that has links goes by no other ids.
func TestWhatIDsAreMadeOf(t *testing.T) {
	both(t, catalogued, func(t *testing.T, h *house) {
		d, err := h.open(map[record.Kind]Table{
			"guests": {Table: "guests", Key: []string{"house", "nr"}, Only: "nr > 5"},
			"vips":   {Table: "guests", Key: []string{"house", "nr"}},
			"names":  {Query: "select id, name from guests", Key: []string{"id"}},
			"titles": {Query: "select id, name, title from guests", Key: []string{"id"}},
		}).Describe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := connectors.IDs{Of: "house, nr", In: "table guests"}
		if d.Kinds["guests"].IDs != want || d.Kinds["vips"].IDs != want {
			t.Errorf("got %+v and %+v, want %+v", d.Kinds["guests"].IDs, d.Kinds["vips"].IDs, want)
		}
		names, titles := d.Kinds["names"].IDs, d.Kinds["titles"].IDs
		if names.Of != "id" || !strings.HasPrefix(names.In, "the query ") || names == titles {
			t.Errorf("of queries: %+v, %+v", names, titles)
		}
	})
}
