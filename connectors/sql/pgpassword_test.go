package sql

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"nightporter/connectors"
	"nightporter/internal/pgtest"
	"nightporter/sync/record"
)

// A password that is changed while connections are open: these go on, new ones take
// the new one, and one that changes between the look and the try is read once more.
func TestPasswordIsChanged(t *testing.T) {
	h := newHouse(t, "postgres", `create table guests (id {id}, name text)`)
	user := "changed_" + h.one("select current_database()")
	h.exec("create role " + user + " login password 'SECRET-first'")
	t.Cleanup(func() { h.exec("drop owned by " + user); h.exec("drop role " + user) })
	h.exec("grant select on guests to " + user)
	u, err := url.Parse(h.cfg.DSN)
	if err != nil {
		t.Fatal(err)
	}
	kept, looks, broken := "SECRET-first", 0, error(nil)
	between := func() {}
	h.cfg = Config{Driver: "postgres", Address: u.Host + u.Path, User: user, TLS: "disable", Password: "SECRET-unused", Secret: func() (string, error) {
		looks++
		password := kept
		between()
		return password, broken
	}}
	c := h.open(map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"id"}}})
	fetch := func() error {
		_, err := c.Fetch(t.Context(), connectors.Query{Kind: "guests"}, "")
		return err
	}
	cut := func() { c.db.SetMaxIdleConns(0); c.db.SetMaxIdleConns(pgConns) }
	look := func(what string, class connectors.ErrorClass, want int) {
		t.Helper()
		looks = 0
		err := fetch()
		wantClass(t, err, class, "SECRET")
		if looks != want {
			t.Errorf("%s: the password was read %d times, want %d", what, looks, want)
		}
	}
	look("first", "", 1)
	look("an open connection", "", 0)

	h.exec("alter role " + user + " password 'SECRET-second'")
	look("an open connection under the old password", "", 0)
	cut()
	look("a password that nobody told us", connectors.Unauthorized, 2)
	kept = "SECRET-second"
	look("the new password", "", 1)

	h.exec("alter role " + user + " password 'SECRET-third'")
	cut()
	between = func() { kept = "SECRET-third" }
	look("changed between the look and the try", "", 2)

	cut()
	broken = errors.New("read secret file:/etc/np/pms.password: it is empty")
	look("a file that can't be read", connectors.Unauthorized, 1)
	if err := fetch(); err == nil || !strings.Contains(err.Error(), "pms.password: it is empty") {
		t.Errorf("got %v, want the file named", err)
	}
	broken = nil
	look("and is there again", "", 1)
}

// A server that counts failed logins sees one for one password.
func TestSamePasswordIsTriedOnce(t *testing.T) {
	config, err := pgx.ParseConfig(pgtest.Start(t).NewDB(t))
	if err != nil {
		t.Fatal(err)
	}
	dialled, looks := 0, 0
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		dialled++
		return dial(ctx, network, address)
	}
	c := pgConnector{config: config, secret: func() (string, error) { looks++; return "SECRET-wrong", nil }}
	if conn, err := c.Connect(t.Context()); err == nil {
		conn.Close()
		t.Fatal("a wrong password was let in")
	}
	if dialled != 1 || looks != 2 {
		t.Errorf("dialled %d times after %d looks, want 1 and 2", dialled, looks)
	}
}
