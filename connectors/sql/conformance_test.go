package sql_test

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/connectortest"
	"nightporter/connectors/sql"
	"nightporter/internal/pgtest"
	"nightporter/sync/record"
)

// The schemas keep a clock of their own, which stands still until it is moved, and
// count each row that is written.
const common = `create table clock (now text not null);
	insert into clock values ('2026-01-05 08:00:00');
	create table written (n integer not null);
	insert into written values (0);`

const sqliteGuests = common + `
	create table guests (
		id text primary key not null default (lower(hex(randomblob(8)))), name text not null, phone text unique, email text,
		arrival date, departure date, notes text, updated_at datetime, created_at datetime,
		version integer not null default 1, external_ref text unique);
	create trigger guests_in after insert on guests begin
		update written set n = n + 1;
		update guests set updated_at = (select now from clock), created_at = (select now from clock) where id = new.id;
	end;
	create trigger guests_up after update of name, phone, email, arrival, departure, notes, version, external_ref on guests begin
		update written set n = n + 1;
		update guests set updated_at = (select now from clock) where id = new.id;
	end;`

const postgresGuests = common + `
	create table guests (
		id text collate "und-x-icu" primary key default gen_random_uuid()::text, name text not null, phone text unique, email text,
		arrival date, departure date, notes text, updated_at timestamptz, created_at timestamptz,
		version integer not null default 1, external_ref text unique);
	create function guests_written() returns trigger language plpgsql as $$ begin
		update written set n = n + 1;
		new.updated_at := (select now from clock)::timestamp at time zone 'UTC';
		if tg_op = 'INSERT' then new.created_at := new.updated_at; end if;
		return new;
	end $$;
	create trigger guests_written before insert or update on guests for each row execute function guests_written();`

// desk is the front desk's own program on a database.
type desk struct {
	driver string
	db     *dbsql.DB
	cfg    sql.Config
	keys   []string // columns of the id
}

// newDesk makes the tables anew: in a file of its own, or in the database dsn.
func newDesk(t testing.TB, driver, dsn string, table sql.Table, schema string) *desk {
	t.Helper()
	d := &desk{driver: driver, cfg: sql.Config{
		Driver: driver, PageSize: 7, Tables: map[record.Kind]sql.Table{"guests": table},
	}, keys: table.Key}
	name := "sqlite3"
	if driver == "postgres" {
		name, d.cfg.DSN = "pgx", dsn
		schema = "drop schema public cascade; create schema public; " + schema
	} else {
		d.cfg.Address = filepath.Join(t.TempDir(), "pms.db")
	}
	db, err := dbsql.Open(name, d.cfg.Address+d.cfg.DSN)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	d.db = db
	d.exec(t, schema)
	return d
}

func (d *desk) exec(t testing.TB, query string, args ...any) {
	t.Helper()
	if _, err := d.db.ExecContext(context.Background(), query, args...); err != nil {
		t.Fatalf("at the desk: %v", err)
	}
}

// put inserts a row and returns its key's columns.
func (d *desk) put(t testing.TB, f record.Fields) []string {
	t.Helper()
	names := f.Names()
	query := "insert into guests (" + strings.Join(names, ", ") + ") values (" + d.places(1, len(names), ", ") + ") returning " + strings.Join(d.keys, ", ")
	key := make([]string, len(d.keys))
	dest := make([]any, len(key))
	for i := range key {
		dest[i] = &key[i]
	}
	if err := d.db.QueryRowContext(context.Background(), query, args(f)...).Scan(dest...); err != nil {
		t.Fatalf("put at the desk: %v", err)
	}
	return key
}

// where is the condition for a record's id, and its arguments, counted from n.
func (d *desk) where(n int, key []string) (string, []any) {
	var conditions []string
	var args []any
	for i, name := range d.keys {
		conditions = append(conditions, name+" = "+d.places(n+i, 1, ""))
		args = append(args, key[i])
	}
	return " where " + strings.Join(conditions, " and "), args
}

// places are the placeholders from n on.
func (d *desk) places(n, count int, between string) string {
	var out []string
	for i := range count {
		if d.driver == "postgres" {
			out = append(out, fmt.Sprintf("$%d", n+i))
		} else {
			out = append(out, "?")
		}
	}
	return strings.Join(out, between)
}

func args(f record.Fields) []any {
	var out []any
	for _, name := range f.Names() {
		if f[name].Type() == record.Null {
			out = append(out, nil)
			continue
		}
		out = append(out, f[name].Text())
	}
	return out
}

func (d *desk) subject(ids map[string][]string) connectortest.Subject {
	return connectortest.Subject{
		Kind: "guests",
		Open: func(t testing.TB) connectors.Connector {
			c, err := sql.Open(t.Context(), d.cfg)
			if err != nil {
				t.Fatal(err)
			}
			return c
		},
		Put: func(t testing.TB, f record.Fields) string {
			key := d.put(t, f)
			id := strings.Join(key, ",")
			ids[id] = key
			return id
		},
		Edit: func(t testing.TB, id string, f record.Fields) {
			var sets []string
			for i, name := range f.Names() {
				sets = append(sets, name+" = "+d.places(1+i, 1, ""))
			}
			where, key := d.where(1+len(sets), d.keyOf(ids, id))
			if d.cfg.Tables["guests"].Version == "version" {
				sets = append(sets, "version = version + 1")
			}
			d.exec(t, "update guests set "+strings.Join(sets, ", ")+where, append(args(f), key...)...)
		},
		Remove: func(t testing.TB, id string) {
			where, key := d.where(1, d.keyOf(ids, id))
			d.exec(t, "delete from guests"+where, key...)
		},
		Sample: sample, Text: "notes",
		Mutations: func() int {
			var n int
			if err := d.db.QueryRowContext(context.Background(), "select n from written").Scan(&n); err != nil {
				return -1
			}
			return n
		},
		Tick:    d.tick,
		Refused: sample(50).With(record.Fields{"arrival": record.OfText("2031-12-24")}),
	}
}

func (d *desk) keyOf(ids map[string][]string, id string) []string {
	if key, ok := ids[id]; ok {
		return key
	}
	return []string{id}
}

// tick moves the desk's clock a minute on.
func (d *desk) tick() {
	ctx := context.Background()
	var now string
	err := d.db.QueryRowContext(ctx, "select now from clock").Scan(&now)
	at, parsed := time.Parse(time.DateTime, now)
	_, written := d.db.ExecContext(ctx, "update clock set now = "+d.places(1, 1, ""), at.Add(time.Minute).Format(time.DateTime))
	if err := errors.Join(err, parsed, written); err != nil {
		panic(err) // the test's own clock
	}
}

func sample(i int) record.Fields {
	return record.Fields{
		"name":    record.OfText(fmt.Sprintf("Guest No. %d", i)),
		"phone":   record.OfText(fmt.Sprintf("+39055500%04d", i)),
		"email":   record.OfText(fmt.Sprintf("guest%d@example.test", i)),
		"arrival": record.OfText("2031-03-15"), "departure": record.OfText("2031-03-16"),
	}
}

func tables() map[string]sql.Table {
	plain := sql.Table{Table: "guests", Key: []string{"id"}}
	full := plain
	full.Changed, full.Created, full.Version, full.OurMark = "updated_at", "created_at", "version", "external_ref"
	full.VersionBump = true
	full.Window = [2]string{"arrival", "departure"}
	full.AcceptIf = "select 1 where :arrival <> '2031-12-24'"
	full.Fields = []string{"name", "phone", "email", "arrival", "departure", "notes"}
	only := plain
	only.Only, only.Changed = "name <> 'a day guest'", "updated_at"
	query := plain
	query.Query, query.OurMark = "select * from guests", "external_ref"
	return map[string]sql.Table{"plain": plain, "full": full, "only": only, "query": query}
}

// database is an empty one for a whole story: making one for each chapter takes long.
func database(t testing.TB, driver string) string {
	t.Helper()
	if driver == "postgres" {
		return pgtest.Start(t).NewDB(t)
	}
	return ""
}

func TestConformance(t *testing.T) {
	for driver, schema := range map[string]string{"sqlite": sqliteGuests, "postgres": postgresGuests} {
		for name, table := range tables() {
			t.Run(driver+" "+name, func(t *testing.T) {
				dsn := database(t, driver)
				connectortest.Run(t, func(t testing.TB) connectortest.Subject {
					d := newDesk(t, driver, dsn, table, schema)
					s := d.subject(map[string][]string{})
					s.PutAs = func(t testing.TB, id string, f record.Fields) bool {
						d.put(t, f.With(record.Fields{"id": record.OfText(id)}))
						return true
					}
					return s
				})
			})
		}
	}
}

// A key of two columns is one id.
func TestConformanceOfACompositeKey(t *testing.T) {
	const guests = common + `
		create table guests (
			house text not null, nr integer not null, name text not null, phone text, email text,
			arrival date, departure date, notes text, primary key (house, nr));`
	for _, driver := range []string{"sqlite", "postgres"} {
		t.Run(driver, func(t *testing.T) {
			dsn := database(t, driver)
			connectortest.Run(t, func(t testing.TB) connectortest.Subject {
				d := newDesk(t, driver, dsn, sql.Table{Table: "guests", Key: []string{"house", "nr"}}, guests)
				s := d.subject(map[string][]string{})
				s.Mutations = nil // there is no trigger that counts
				s.Sample = func(i int) record.Fields {
					return sample(i).With(record.Fields{"house": record.OfText("north"), "nr": record.OfInt(int64(i))})
				}
				return s
			})
		})
	}
}
