package sql

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/internal/pgtest"
	"nightporter/sync/record"
)

const marked = `create table guests (id {id}, name text not null, phone text unique, updated_at {ts},
	version integer not null default 1, external_ref text unique)`

func guests() Table {
	return Table{Table: "guests", Key: []string{"id"}, Version: "version", OurMark: "external_ref", Fields: []string{"name", "phone"}}
}

func ref(id string) record.Ref { return record.Ref{Kind: "guests", ID: id} }

func TestCreate(t *testing.T) {
	both(t, marked, func(t *testing.T, h *house) {
		c := h.open(map[record.Kind]Table{"guests": guests()})
		create := record.Change{Op: record.Create, Ref: ref(""), Fields: fields("name", "Ada", "phone", "+39 055 000"), Stamp: "np:1:a"}
		r, err := c.Apply(t.Context(), create)
		if err != nil {
			t.Fatal(err)
		}
		if r.Ref.ID != "1" || r.Stamp != "np:1:a" || r.Version != "1" || !r.Fields.Equal(fields("name", "Ada", "phone", "+39 055 000")) {
			t.Errorf("answered %+v", r)
		}
		// The same again meets the stamp, another with its phone the phone.
		_, err = c.Apply(t.Context(), create)
		wantClass(t, err, connectors.Exists, "np:1:a", "+39 055")
		other := create
		other.Stamp = "np:1:b"
		_, err = c.Apply(t.Context(), other)
		wantClass(t, err, connectors.Exists, "+39 055")
		_, err = c.Apply(t.Context(), record.Change{Op: record.Create, Ref: ref(""), Fields: fields("phone", "+39 055 111")})
		wantClass(t, err, connectors.Rejected, "+39 055")
		if got := h.one("select count(*) from guests"); got != "1" {
			t.Errorf("%s rows, want 1", got)
		}
		found, err := c.Find(t.Context(), "guests", fields("external_ref", "np:1:a"), connectors.Scope{})
		if err != nil || len(found) != 1 || found[0].Ref.ID != "1" || found[0].Stamp != "np:1:a" {
			t.Errorf("find by stamp = %+v, %v", found, err)
		}
	})
}

func TestFind(t *testing.T) {
	both(t, `create table guests (id {id}, name text, born integer, phone text)`, func(t *testing.T, h *house) {
		h.exec("insert into guests (id, name, born, phone) values (1, 'Ada', 1990, null), (2, 'Ada', 1991, '1'), (3, 'ada', null, '1'), (4, 'x'' or 1=1', 1990, '')")
		c := h.open(map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"id"}, Fields: []string{"name"}}})
		for name, tt := range map[string]struct {
			by   record.Fields
			want string
		}{
			"text":                   {fields("name", "Ada"), "[1 2]"},
			"null":                   {fields("phone", "<null>"), "[1]"},
			"empty text":             {fields("phone", ""), "[4]"},
			"number":                 {record.Fields{"born": record.OfInt(1990)}, "[1 4]"},
			"both":                   {record.Fields{"born": record.OfInt(1990), "name": record.OfText("Ada")}, "[1]"},
			"quoted":                 {fields("name", "x' or 1=1"), "[4]"},
			"no value of the column": {fields("born", "soon"), "[]"},
		} {
			found, err := c.Find(t.Context(), "guests", tt.by, connectors.Scope{})
			ids := []string{}
			for _, r := range found {
				ids = append(ids, r.Ref.ID)
				for n := range tt.by {
					if !r.Fields[n].Observed() {
						t.Errorf("%s: the answer does not show %s, by which it was found", name, n)
					}
				}
			}
			if fmt.Sprint(ids) != tt.want || err != nil {
				t.Errorf("%s: %v, %v, want %s", name, ids, err, tt.want)
			}
		}
		_, err := c.Find(t.Context(), "guests", fields("nam", "Ada"), connectors.Scope{})
		wantClass(t, err, connectors.Malformed)
		if err == nil || !strings.Contains(err.Error(), `did you mean "name"`) {
			t.Errorf("error = %v", err)
		}
	})
}

func TestUpdateByVersion(t *testing.T) {
	both(t, marked, func(t *testing.T, h *house) {
		table := guests()
		table.VersionBump = true
		c := h.open(map[record.Kind]Table{"guests": table})
		h.exec("insert into guests (id, name, phone, version) values (1, 'Ada', '1', 5), (2, 'Bob', '2', 1)")
		update := record.Change{Op: record.Update, Ref: ref("1"), Fields: fields("name", "Ada L."), Version: "5"}
		r, err := c.Apply(t.Context(), update)
		if err != nil || r.Version != "6" || r.Fields["name"].Text() != "Ada L." || r.Fields["phone"].Text() != "1" {
			t.Fatalf("answered %+v, %v", r, err)
		}
		_, err = c.Apply(t.Context(), update)
		wantClass(t, err, connectors.Stale, "Ada")
		if got := h.one("select name || version from guests where id = 1"); got != "Ada L.6" {
			t.Errorf("stored %s", got)
		}
		update.Ref = ref("9")
		_, err = c.Apply(t.Context(), update)
		wantClass(t, err, connectors.NotFound)
		_, err = c.Apply(t.Context(), record.Change{Op: record.Update, Ref: ref("1"), Fields: fields("phone", "2"), Version: "6"})
		wantClass(t, err, connectors.Rejected)
		for op, class := range map[record.Op]connectors.ErrorClass{record.Delete: connectors.Unsupported, record.Action: connectors.Unsupported} {
			_, err = c.Apply(t.Context(), record.Change{Op: op, Ref: ref("1"), Fields: fields("name", "x")})
			wantClass(t, err, class)
		}
		for _, name := range []string{"id", "version", "external_ref", "nam"} {
			if _, err := c.Apply(t.Context(), record.Change{Op: record.Update, Ref: ref("1"), Fields: fields(name, "7")}); err == nil {
				t.Errorf("column %s was written", name)
			}
		}
	})
}

// Another program edits a row and leaves the column as it is that is called the version: an update
// of what stood there before is refused, and one of another field is not.
func TestOutsideUpdateUnderAVersionThatStandsStill(t *testing.T) {
	both(t, marked, func(t *testing.T, h *house) {
		table := guests()
		table.VersionBump = true
		c := h.open(map[record.Kind]Table{"guests": table})
		h.exec("insert into guests (id, name, phone, version) values (1, 'Ada', '1', 5)")
		h.exec("update guests set name = 'Ada by hand' where id = 1")
		update := record.Change{Op: record.Update, Ref: ref("1"), Fields: fields("name", "Ada L."), Before: fields("name", "Ada"), Version: "5"}
		_, err := c.Apply(t.Context(), update)
		wantClass(t, err, connectors.Stale, "Ada")
		update.Fields, update.Before = fields("phone", "2"), fields("phone", "1")
		if _, err := c.Apply(t.Context(), update); err != nil {
			t.Fatal(err)
		}
		if got := h.one("select name || ' ' || phone || ' ' || version from guests where id = 1"); got != "Ada by hand 2 6" {
			t.Errorf("stored %s", got)
		}
	})
}

func TestUpdateByWhatWasThere(t *testing.T) {
	both(t, `create table guests (id {id}, name text, phone text, n numeric)`, func(t *testing.T, h *house) {
		h.exec("insert into guests (id, name, phone, n) values (1, 'Ada', null, 1.50)")
		c := h.open(map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"id"}}})
		n, err := record.OfNumber("1.5")
		if err != nil {
			t.Fatal(err)
		}
		before := fields("phone", "<null>")
		before["n"] = n
		update := record.Change{Op: record.Update, Ref: ref("1"), Fields: fields("phone", "1"), Before: before}
		h.exec("update guests set name = 'another field'") // no reason to refuse
		if _, err := c.Apply(t.Context(), update); err != nil {
			t.Fatal(err)
		}
		_, err = c.Apply(t.Context(), update)
		wantClass(t, err, connectors.Stale)
		update.Before, update.Fields = fields("phone", "1"), fields("phone", "<null>")
		if r, err := c.Apply(t.Context(), update); err != nil || r.Fields["phone"].Type() != record.Null {
			t.Errorf("clear: %+v, %v", r, err)
		}
		update.Before = fields("phone", "")
		_, err = c.Apply(t.Context(), update)
		wantClass(t, err, connectors.Stale)
	})
}

func TestTheAnswerShowsWhatTriggersDid(t *testing.T) {
	schema := marked + `; create trigger touch after update of name on guests begin
		update guests set version = version + 1, phone = upper(phone) where id = new.id; end`
	h := newHouse(t, "sqlite", schema)
	h.exec("insert into guests (id, name, phone) values (1, 'Ada', 'a')")
	c := h.open(map[record.Kind]Table{"guests": guests()})
	r, err := c.Apply(t.Context(), record.Change{Op: record.Update, Ref: ref("1"), Fields: fields("name", "x"), Version: "1"})
	if err != nil || r.Version != "2" || r.Fields["phone"].Text() != "A" {
		t.Errorf("answered %+v, %v", r, err)
	}
}

func TestXminIsAVersion(t *testing.T) {
	h := newHouse(t, "postgres", `create table guests (id {id}, name text, phone text)`)
	h.exec("insert into guests (name) values ('Ada')")
	c := h.open(map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"id"}, Version: "xmin"}})
	r, err := c.Get(t.Context(), ref("1"), connectors.Scope{})
	if err != nil || r.Version == "" {
		t.Fatal(r, err)
	}
	h.exec("update guests set phone = '1'")
	change := record.Change{Op: record.Update, Ref: ref("1"), Fields: fields("name", "x"), Version: r.Version}
	_, err = c.Apply(t.Context(), change)
	wantClass(t, err, connectors.Stale)
	if r, err = c.Get(t.Context(), ref("1"), connectors.Scope{}); err != nil {
		t.Fatal(err)
	}
	change.Version = r.Version
	if _, err = c.Apply(t.Context(), change); err != nil {
		t.Error(err)
	}
}

func TestQueryInPlaceOfATable(t *testing.T) {
	const schema = `create table guests (id {id}, first text, last text not null, hidden integer default 0, external_ref text);
		insert into guests (first, last, hidden) values ('Ada', 'L', 0), ('Bob', 'M', 1)`
	both(t, schema, func(t *testing.T, h *house) {
		table := Table{
			Query: "select g.id, g.last, g.external_ref, g.first || ' ' || g.last as full_name from guests g where hidden = 0 -- visible",
			Key:   []string{"id"}, OurMark: "external_ref", Only: "full_name <> 'Zoe Z'",
		}
		c := h.open(map[record.Kind]Table{"guests": table})
		ids, recs, _, _ := scan(t, c, connectors.Query{Kind: "guests"}, "")
		if fmt.Sprint(ids) != "[1]" || recs[0].Fields["full_name"].Text() != "Ada L" {
			t.Errorf("read %v %v", ids, recs)
		}
		_, err := c.Apply(t.Context(), record.Change{Op: record.Update, Ref: ref("1"), Fields: fields("last", "x")})
		wantClass(t, err, connectors.Forbidden)
		table.Table = "guests"
		c = h.open(map[record.Kind]Table{"guests": table})
		r, err := c.Apply(t.Context(), record.Change{Op: record.Update, Ref: ref("1"), Fields: fields("last", "K"), Before: fields("last", "L")})
		if err != nil || r.Fields["full_name"].Text() != "Ada K" {
			t.Errorf("update: %+v, %v", r, err)
		}
		_, err = c.Apply(t.Context(), record.Change{Op: record.Update, Ref: ref("2"), Fields: fields("last", "K")})
		wantClass(t, err, connectors.NotFound) // the query doesn't show it
		if got := h.one("select last from guests where id = 2"); got != "M" {
			t.Errorf("a row that the query does not show was changed: %s", got)
		}
		_, err = c.Apply(t.Context(), record.Change{Op: record.Update, Ref: ref("1"), Fields: fields("full_name", "K")})
		wantClass(t, err, connectors.Rejected)
		r, err = c.Apply(t.Context(), record.Change{Op: record.Create, Ref: ref(""), Fields: fields("last", "New"), Stamp: "np:1:c"})
		if err != nil || r.Ref.ID != "3" || r.Stamp != "np:1:c" {
			t.Errorf("create: %+v, %v", r, err)
		}
	})
}

// A hotel with rooms of one type, and the condition that one is free on each night.
const hotel = `create table stays (id {id}, arrival date not null, departure date not null, status text not null default 'confirmed', external_ref text);
	create table rooms (nr integer); insert into rooms values (1)`

const oneFree = `select 'free' where (select count(*) from stays r where r.status <> 'cancelled'
	and r.arrival < cast(:departure as date) and r.departure > cast(:arrival as date)
	and r.external_ref is distinct from :our_mark) < (select count(*) from rooms) -- :not a name`

func stays(driver string) Table {
	accept := oneFree
	if driver == "sqlite" {
		accept = strings.NewReplacer("cast(:departure as date)", ":departure", "cast(:arrival as date)", ":arrival").Replace(oneFree)
	}
	return Table{Table: "stays", Key: []string{"id"}, OurMark: "external_ref", AcceptIf: accept}
}

func booking(stamp string) record.Change {
	return record.Change{
		Op: record.Create, Ref: record.Ref{Kind: "stays"}, Stamp: stamp,
		Fields: fields("arrival", "2026-03-01", "departure", "2026-03-04"),
	}
}

func TestAcceptIf(t *testing.T) {
	both(t, hotel, func(t *testing.T, h *house) {
		c := h.open(map[record.Kind]Table{"stays": stays(h.driver)})
		r, err := c.Apply(t.Context(), booking("np:1:a"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Apply(t.Context(), booking("np:1:b"))
		wantClass(t, err, connectors.Refused)
		if got := h.one("select count(*) from stays"); got != "1" {
			t.Errorf("%s stays after a refusal, want 1", got)
		}
		ask := func(f record.Fields) bool {
			t.Helper()
			ok, err := c.Accepts(t.Context(), r.Ref, f, "np:1:a")
			if err != nil {
				t.Fatal(err)
			}
			return ok
		}
		if !ask(r.Fields) || !ask(nil) {
			t.Error("the only booking is refused when it is asked about again")
		}
		h.exec("insert into stays (arrival, departure) values ('2026-03-03', '2026-03-05')") // by the desk, in the same second
		if ask(r.Fields) || ask(fields("status", "confirmed")) {
			t.Error("an oversold booking is accepted when it is asked about again")
		}
		if _, err := c.Accepts(t.Context(), record.Ref{Kind: "stays", ID: "99"}, nil, ""); connectors.ClassOf(err) != connectors.NotFound {
			t.Errorf("asked about no record: %v", err)
		}
	})
}

func TestAcceptIfRace(t *testing.T) {
	both(t, hotel, func(t *testing.T, h *house) {
		c := h.open(map[record.Kind]Table{"stays": stays(h.driver)})
		for round := range 5 {
			h.exec("delete from stays")
			const n = 4
			var errs [n]error
			var wg sync.WaitGroup
			for i := range n {
				wg.Go(func() { _, errs[i] = c.Apply(t.Context(), booking(fmt.Sprintf("np:%d:%d", round, i))) })
			}
			wg.Wait()
			refused := 0
			for _, err := range errs {
				if connectors.ClassOf(err) == connectors.Refused {
					refused++
				} else if err != nil {
					t.Fatal(err)
				}
			}
			if got := h.one("select count(*) from stays"); got != "1" || refused != n-1 {
				t.Fatalf("round %d: %s stays for one room, %d refused", round, got, refused)
			}
		}
	})
}

func TestARefusalOfTheTableItself(t *testing.T) {
	h := newHouse(t, "postgres", "select 1")
	h.cfg.DSN = pgtest.Start(t).NewPMS(t)
	desk, err := dbsql.Open("pgx", h.cfg.DSN)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { desk.Close() })
	h.desk = desk
	h.exec("insert into pms.guests (last_name) values ('MARKER')")
	h.exec("insert into pms.rooms (number) values ('101')")
	c := h.open(map[record.Kind]Table{"stays": {
		Table: "pms.reservations", Key: []string{"id"}, Version: "version", OurMark: "external_ref",
		Changed: "updated_at", Created: "created_at",
	}})
	change := booking("np:1:a")
	change.Fields["guest_id"], change.Fields["room_id"] = record.OfInt(1), record.OfInt(1)
	change.Fields["notes"] = record.OfText("MARKER")
	r, err := c.Apply(t.Context(), change)
	if err != nil || r.Fields["total"].Text() != "0" || r.Changed.IsZero() || r.Created.IsZero() {
		t.Fatalf("answered %+v, %v", r, err)
	}
	change.Stamp = "np:1:b"
	_, err = c.Apply(t.Context(), change)
	wantClass(t, err, connectors.Rejected, "MARKER", "2026-03-01")
	if !strings.Contains(fmt.Sprint(err), "23P01") || !strings.Contains(fmt.Sprint(err), "no_double_booking") {
		t.Errorf("error %v names neither SQLSTATE nor constraint", err)
	}
	r, err = c.Apply(t.Context(), record.Change{
		Op: record.Update, Ref: r.Ref, Version: r.Version, Fields: fields("status", "cancelled"), Before: fields("status", "confirmed"),
	})
	if err != nil || r.Version != "2" || r.Fields["status"].Text() != "cancelled" {
		t.Errorf("cancel: %+v, %v", r, err)
	}
}

func TestADoneContextWritesNothing(t *testing.T) {
	both(t, marked, func(t *testing.T, h *house) {
		c := h.open(map[record.Kind]Table{"guests": guests()})
		if _, err := c.Describe(t.Context()); err != nil {
			t.Fatal(err)
		}
		cause := fmt.Errorf("the house is closing")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		_, err := c.Apply(ctx, record.Change{Op: record.Create, Ref: ref(""), Fields: fields("name", "Ada")})
		wantClass(t, err, connectors.Transient)
		if err == nil || !strings.Contains(err.Error(), cause.Error()) {
			t.Errorf("error %v does not tell the cause", err)
		}
		_, err = c.Fetch(ctx, connectors.Query{Kind: "guests"}, "")
		wantClass(t, err, connectors.Transient)
		if got := h.one("select count(*) from guests"); got != "0" {
			t.Errorf("%s rows", got)
		}
	})
}

// A write whose gate says no at the last moment leaves nothing behind.
func TestAGateThatSaysNo(t *testing.T) {
	both(t, marked, func(t *testing.T, h *house) {
		c := h.open(map[record.Kind]Table{"guests": guests()})
		paused := errors.New("it is paused")
		ctx := connectors.WithGate(t.Context(), func(context.Context) error { return paused })
		_, err := c.Apply(ctx, record.Change{Op: record.Create, Ref: ref(""), Fields: fields("name", "Ada")})
		wantClass(t, err, connectors.Transient)
		if !errors.Is(err, connectors.ErrKeptBack) || !errors.Is(err, paused) {
			t.Errorf("got error %v, want one that is %v and %v", err, connectors.ErrKeptBack, paused)
		}
		if got := h.one("select count(*) from guests"); got != "0" {
			t.Errorf("%s rows", got)
		}
	})
}

func TestSQLiteInUse(t *testing.T) {
	h := newHouse(t, "sqlite", marked)
	h.cfg.DSN = "file:" + h.cfg.Address + "?mode=rw&_txlock=immediate&_busy_timeout=20"
	c := h.open(map[record.Kind]Table{"guests": guests()})
	tx, err := h.desk.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), "insert into guests (name) values ('desk')"); err != nil {
		t.Fatal(err)
	}
	change := record.Change{Op: record.Create, Ref: ref(""), Fields: fields("name", "Ada")}
	_, err = c.Apply(t.Context(), change)
	wantClass(t, err, connectors.Transient)
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Apply(t.Context(), change); err != nil {
		t.Error(err)
	}
	if got := h.one("pragma journal_mode"); got != "delete" {
		t.Errorf("the file's journal is %s: it was changed", got)
	}
}

func TestAnswersWithin(t *testing.T) {
	h := newHouse(t, "postgres", marked)
	c := h.open(map[record.Kind]Table{"guests": guests()})
	if _, err := c.Describe(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.cfg.Timeout = 200 * time.Millisecond // what comes first takes longer on a busy machine
	tx, err := h.desk.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), "lock table guests in exclusive mode"); err != nil {
		t.Fatal(err)
	}
	change := record.Change{Op: record.Create, Ref: ref(""), Fields: fields("name", "Ada")}
	_, err = c.Apply(t.Context(), change)
	wantClass(t, err, connectors.Transient)
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if got := h.one("select count(*) from guests"); got != "0" {
		t.Errorf("%s rows: a write that was given up was applied", got)
	}
}
