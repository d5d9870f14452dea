package sql

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"nightporter/connectors"
	"nightporter/sync/record"
)

func TestSQLSTATE(t *testing.T) {
	for code, want := range map[string]connectors.ErrorClass{
		"08006": connectors.Transient, "57P01": connectors.Transient, "57P03": connectors.Transient, "53300": connectors.Transient,
		"40001": connectors.Transient, "40P01": connectors.Transient, "55P03": connectors.Transient, "57014": connectors.Transient,
		"23505": connectors.Rejected, "23503": connectors.Rejected, "23502": connectors.Rejected, "23514": connectors.Rejected,
		"23P01": connectors.Rejected, "22P02": connectors.Rejected, "22001": connectors.Rejected, "P0001": connectors.Rejected,
		"HT001": connectors.Rejected, "42501": connectors.Forbidden, "25006": connectors.Forbidden,
		"28P01": connectors.Unauthorized, "28000": connectors.Unauthorized,
		"42P01": connectors.Malformed, "42703": connectors.Malformed, "3D000": connectors.Malformed, "0A000": connectors.Transient,
		"": connectors.Rejected,
	} {
		f := postgres{}.classify(fmt.Errorf("wrapped: %w", &pgconn.PgError{
			Code: code, Severity: "ERROR", Message: "value MARKER", Detail: "Key (phone)=(MARKER)", Hint: "MARKER", Where: "MARKER", ConstraintName: "no_double",
		}))
		if f.class != want {
			t.Errorf("%s is %s, want %s", code, f.class, want)
		}
		values := strings.HasPrefix(code, "2") && code[1] != '5' && code[1] != '8' || strings.HasPrefix(code, "P") || code == "HT001"
		if values && strings.Contains(f.text+f.hint, "MARKER") {
			t.Errorf("%s shows a row's value: %s", code, f.text)
		}
		if !strings.Contains(f.text, code) || !strings.Contains(f.text, "no_double") {
			t.Errorf("%s: %q names neither code nor constraint", code, f.text)
		}
	}
}

// The server's real words, with a row's values in every one of them.
func TestErrorsHoldNoValues(t *testing.T) {
	h := newHouse(t, "postgres", `create table guests (id {id}, name varchar(20) not null check (name <> 'MARKER-check'), born int, phone text unique);
		create function say() returns trigger language plpgsql as $$ begin
		if new.name = 'MARKER-raise' then raise exception 'no room for %', new.name; end if; return new; end $$;
		create trigger say before insert or update on guests for each row execute function say();
		insert into guests (name, phone) values ('a', 'MARKER')`)
	c := h.open(map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"id"}}})
	for _, f := range map[string]record.Fields{
		"check":  fields("name", "MARKER-check"),
		"raise":  fields("name", "MARKER-raise"),
		"length": fields("name", "MARKER-123456789012345"),
		"type":   fields("name", "x", "born", "MARKER"),
	} {
		_, err := c.Apply(t.Context(), record.Change{Op: record.Create, Ref: ref(""), Fields: f})
		wantClass(t, err, connectors.Rejected, "MARKER")
	}
	_, err := c.Apply(t.Context(), record.Change{Op: record.Create, Ref: ref(""), Fields: fields("name", "x", "phone", "MARKER")})
	wantClass(t, err, connectors.Exists, "MARKER")
}

func TestSQLiteErrors(t *testing.T) {
	h := newHouse(t, "sqlite", `create table guests (id integer primary key, name text not null check (length(name) < 9), parent integer references guests);
		create trigger say before insert on guests when new.name = 'MARKER' begin select raise(abort, 'no room for MARKER'); end`)
	tables := map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"id"}}}
	c := h.open(tables)
	for _, f := range map[string]record.Fields{
		"not null": fields("parent", "<null>"),
		"check":    fields("name", "MARKER MARKER"),
		"trigger":  fields("name", "MARKER"),
		"parent":   {"name": record.OfText("x"), "parent": record.OfInt(77)},
	} {
		_, err := c.Apply(t.Context(), record.Change{Op: record.Create, Ref: ref(""), Fields: f})
		wantClass(t, err, connectors.Rejected, "MARKER")
	}
	h.cfg.DSN = "file:" + h.cfg.Address + "?mode=ro&_txlock=immediate"
	_, err := h.open(tables).Apply(t.Context(), record.Change{Op: record.Create, Ref: ref(""), Fields: fields("name", "x")})
	wantClass(t, err, connectors.Forbidden)

	h.cfg.DSN, h.cfg.Address = "", filepath.Join(t.TempDir(), "no#such?file.db")
	_, err = h.open(tables).Fetch(t.Context(), connectors.Query{Kind: "guests"}, "")
	wantClass(t, err, connectors.Transient)
	if _, err := os.Stat(h.cfg.Address); !errors.Is(err, os.ErrNotExist) {
		t.Error("a mistyped name made a new file")
	}
	if err := os.WriteFile(h.cfg.Address, bytes.Repeat([]byte("no database "), 100), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = h.open(tables).Fetch(t.Context(), connectors.Query{Kind: "guests"}, "")
	wantClass(t, err, connectors.Malformed)
	if want := "look whether the address names the right file; if it does, put back a copy of the database"; !strings.Contains(err.Error(), want) {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestServerThatIsNotThere(t *testing.T) {
	h := newHouse(t, "postgres", `create table guests (id {id}, name text)`)
	tables := map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"id"}}}
	u, err := url.Parse(h.cfg.DSN)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	parts := Config{Driver: "postgres", Address: u.Host + u.Path, User: u.User.Username(), Password: password, TLS: "disable"}
	for name, tt := range map[string]struct {
		change func(*Config)
		want   connectors.ErrorClass
	}{
		"right":          {func(*Config) {}, ""},
		"wrong password": {func(c *Config) { c.Password = "SECRET-wrong" }, connectors.Unauthorized},
		"no such user":   {func(c *Config) { c.User = "nobody" }, connectors.Unauthorized},
		"no database":    {func(c *Config) { c.Address = u.Host + "/nowhere" }, connectors.Malformed},
		"refused":        {func(c *Config) { c.Address = "127.0.0.1:1/pms" }, connectors.Transient},
		"no such host":   {func(c *Config) { c.Address = "pms.invalid:5432/pms" }, connectors.Transient},
		"TLS":            {func(c *Config) { c.TLS = "require" }, connectors.Transient},
	} {
		h.cfg = parts
		tt.change(&h.cfg)
		_, err := h.open(tables).Fetch(t.Context(), connectors.Query{Kind: "guests"}, "")
		if connectors.ClassOf(err) != tt.want {
			t.Errorf("%s: %v, class %q, want %q", name, err, connectors.ClassOf(err), tt.want)
		}
		wantClass(t, err, tt.want, password, "SECRET")
	}
}

// wire stands between the connector and the server and can cut the line at a
// commit: before the server hears of it, or before its answer comes back.
type wire struct {
	net.Listener
	cut atomic.Value // "", "before" or "after"
}

func newWire(t *testing.T, server string) *wire {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Listener: l}
	w.cut.Store("")
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			down, err := l.Accept()
			if err != nil {
				return
			}
			up, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", server)
			if err != nil {
				down.Close()
				return
			}
			var silent atomic.Bool
			go w.copy(up, down, up, down, &silent, true)
			go w.copy(down, up, up, down, &silent, false)
		}
	}()
	return w
}

func (w *wire) copy(dst, src, up, down net.Conn, silent *atomic.Bool, towards bool) {
	defer up.Close()
	defer down.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := src.Read(buf)
		if err != nil {
			return
		}
		commit := towards && bytes.Contains(buf[:n], []byte("commit"))
		switch cut := w.cut.Load(); {
		case commit && cut == "before":
			return
		case commit && cut == "after":
			silent.Store(true)
		case !towards && silent.Load():
			return // the server has answered: it is done, and nobody hears
		}
		if _, err := dst.Write(buf[:n]); err != nil {
			return
		}
	}
}

func TestConnectionLostAtTheCommit(t *testing.T) {
	h := newHouse(t, "postgres", marked)
	u, err := url.Parse(h.cfg.DSN)
	if err != nil {
		t.Fatal(err)
	}
	w := newWire(t, u.Host)
	u.Host = w.Addr().String()
	h.cfg.DSN = u.String()
	c := h.open(map[record.Kind]Table{"guests": guests()})
	create := func(stamp string) error {
		_, err := c.Apply(t.Context(), record.Change{Op: record.Create, Ref: ref(""), Fields: fields("name", "Ada"), Stamp: stamp})
		return err
	}
	if err := create("np:1:a"); err != nil {
		t.Fatal(err)
	}
	for cut, stored := range map[string]string{"before": "0", "after": "1"} {
		w.cut.Store(cut)
		err := create("np:1:" + cut)
		wantClass(t, err, connectors.Ambiguous)
		w.cut.Store("")
		if got := h.one("select count(*) from guests where external_ref = 'np:1:" + cut + "'"); got != stored {
			t.Errorf("cut %s the commit: %s rows, want %s", cut, got, stored)
		}
	}
	// The next call finds another connection.
	if err := create("np:1:b"); err != nil {
		t.Error(err)
	}
	// Ended by the server between two calls, and at a deferred constraint.
	h.exec("delete from guests where external_ref <> 'np:1:a'")
	h.exec("alter table guests add constraint later unique (name) deferrable initially deferred")
	h.exec("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'nightporter'")
	if err := create("np:1:c"); connectors.ClassOf(err) == connectors.Transient {
		err = create("np:1:c") // the pool noticed it only now
		wantClass(t, err, connectors.Exists)
	} else {
		wantClass(t, err, connectors.Exists)
	}
}

func TestTheTableChangesWhileItIsUsed(t *testing.T) {
	both(t, `create table guests (id {id}, name text)`, func(t *testing.T, h *house) {
		h.exec("insert into guests (name) values ('Ada')")
		c := h.open(map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"id"}}})
		if _, err := c.Get(t.Context(), ref("1"), connectors.Scope{}); err != nil {
			t.Fatal(err)
		}
		h.exec("alter table guests rename name to full_name")
		_, err := c.Get(t.Context(), ref("1"), connectors.Scope{})
		if h.driver == "postgres" {
			wantClass(t, err, connectors.Malformed)
		}
		if _, err = c.Describe(t.Context()); err != nil {
			t.Fatal(err)
		}
		r, err := c.Get(t.Context(), ref("1"), connectors.Scope{})
		if err != nil || r.Fields["full_name"].Text() != "Ada" {
			t.Errorf("after the change: %v, %v", r, err)
		}
	})
}
