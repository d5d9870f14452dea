package sql

import (
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// TestOutside15GrantsOfVersionAndSequence gives a role just what Grants prints, where the
// version is xmin and the key is drawn from a sequence, and has it read, create and change.
func TestOutside15GrantsOfVersionAndSequence(t *testing.T) {
	h := newHouse(t, "postgres", `create schema pms; create table pms.guests (id serial primary key, name text);
		insert into pms.guests (name) values ('Ada')`)
	user := "porter_" + strings.ReplaceAll(h.one("select current_database()"), "-", "_")
	h.exec("create role " + user + " login password 'not-a-secret'")
	t.Cleanup(func() { h.exec("drop owned by " + user); h.exec("drop role " + user) })
	h.cfg.User = user
	tables := map[record.Kind]Table{"guests": {Table: "pms.guests", Key: []string{"id"}, Version: "xmin", Fields: []string{"name"}}}
	grants, err := h.open(tables).Grants(t.Context(), "guests", []string{"name"}, []string{"name"}, []string{"name"})
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(h.cfg.DSN, "://")
	host := h.cfg.DSN[strings.LastIndex(h.cfg.DSN, "@")+1:]
	h.cfg.DSN = h.cfg.DSN[:at] + "://" + user + ":not-a-secret@" + host
	for _, g := range grants {
		h.exec(g)
	}
	c := h.open(tables)
	if _, err := c.Describe(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ids, _, _, _ := scan(t, c, connectors.Query{Kind: "guests", Fields: []string{"name"}}, ""); len(ids) != 1 {
		t.Errorf("read %v", ids)
	}
	r, err := c.Apply(t.Context(), record.Change{Op: record.Create, Ref: ref(""), Fields: fields("name", "Bob")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = c.Apply(t.Context(), record.Change{Op: record.Update, Ref: r.Ref, Fields: fields("name", "B"), Version: r.Version}); err != nil {
		t.Error(err)
	}
}
