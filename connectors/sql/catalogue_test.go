package sql

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const listedSchema = `create table guests (id {id}, code text not null unique, name text);
	create table stays (nr integer not null, house text not null, guest_id integer references guests (id), primary key (house, nr));
	create table nameless (name text, born {ts});
	create table coded (name text, code text not null unique);
	create view arrivals as select nr, house from stays`

// The catalogue lists what may be read, what tells rows apart, and what refers to what.
func TestCatalogue(t *testing.T) {
	both(t, listedSchema, func(t *testing.T, h *house) {
		blob, schema := "blob", ""
		if h.driver == "postgres" {
			blob, schema = "bytea", "public."
		}
		h.exec("alter table guests add column photo " + blob)
		got, more, err := Catalogue(t.Context(), h.cfg, 10)
		if err != nil || more {
			t.Fatalf("more %t, %v", more, err)
		}
		want := []Listed{
			{Name: schema + "arrivals", Columns: []string{"nr", "house"}, Refers: map[string]string{}},
			{Name: schema + "coded", Columns: []string{"name", "code"}, Key: []string{"code"}, Refers: map[string]string{}, Writes: true},
			{Name: schema + "guests", Columns: []string{"id", "code", "name"}, Key: []string{"id"}, Primary: true, Refers: map[string]string{}, Writes: true},
			{Name: schema + "nameless", Columns: []string{"name", "born"}, Refers: map[string]string{}, Writes: true},
			{
				Name: schema + "stays", Columns: []string{"nr", "house", "guest_id"}, Key: []string{"house", "nr"}, Primary: true,
				Refers: map[string]string{"guest_id": schema + "guests"}, Writes: true,
			},
		}
		if h.driver == "postgres" {
			want[0].Writes = true // it is as simple as a view can be
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got, more, err = Catalogue(t.Context(), h.cfg, 2); len(got) != 2 || !more || err != nil {
			t.Errorf("two at most: %d, more %t, %v", len(got), more, err)
		}
	})
}

// Tables that are asked for by name are shown however many sort before them.
func TestCatalogueOf(t *testing.T) {
	both(t, listedSchema, func(t *testing.T, h *house) {
		schema, other := "", "main"
		if h.driver == "postgres" {
			// The stays of another schema come first in the catalogue, and are not those that are meant.
			h.exec("create schema before; create view before.stays as select 1 as nr limit 1")
			schema, other = "public.", "public"
		}
		for i := range 41 {
			h.exec(fmt.Sprintf("create table a%02d (id integer)", i))
		}
		got, err := CatalogueOf(t.Context(), h.cfg, []string{"stays", other + ".guests", "nowhere", "nowhere.guests"})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]Listed{
			"stays": {
				Name: schema + "stays", Columns: []string{"nr", "house", "guest_id"}, Key: []string{"house", "nr"}, Primary: true,
				Refers: map[string]string{"guest_id": schema + "guests"}, Writes: true,
			},
			other + ".guests": {
				Name: other + ".guests", Columns: []string{"id", "code", "name"}, Key: []string{"id"}, Primary: true,
				Refers: map[string]string{}, Writes: true,
			},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		h.cfg.DSN, h.cfg.Address = "", "127.0.0.1:1/gone"
		if h.driver == "sqlite" {
			h.cfg.Address = filepath.Join(t.TempDir(), "gone.db")
		}
		if got, err := CatalogueOf(t.Context(), h.cfg, []string{"stays"}); err == nil {
			t.Errorf("a database that is not there shows %v", got)
		}
	})
}

// What may not be read is not listed.
func TestCatalogueOfALesserUser(t *testing.T) {
	h := newHouse(t, "postgres", listedSchema)
	h.exec(`create role lesser login password 'lesser'`)
	t.Cleanup(func() { h.exec(`drop owned by lesser; drop role lesser`) })
	h.exec(`grant select (name) on guests to lesser`)
	c := h.cfg
	c.DSN += "&options=-crole%3Dlesser"
	got, _, err := Catalogue(t.Context(), c, 10)
	if err != nil || len(got) != 1 || got[0].Name != "public.guests" || len(got[0].Columns) != 1 || len(got[0].Key) != 1 {
		t.Errorf("listed %+v, %v", got, err)
	}
}
