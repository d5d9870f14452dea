package sql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// errPassword says that the password can't be read.
var errPassword = errors.New("read the password")

// pgConnector makes connections with the password that is kept at that moment, so
// that one which was replaced needs no restart. Connections that are open stay.
type pgConnector struct {
	config *pgx.ConnConfig
	secret func() (string, error) // nil: the password of config
}

// Connect makes a connection. A password that the server refused is read once more,
// and tried where it is another by now.
func (c pgConnector) Connect(ctx context.Context) (driver.Conn, error) {
	if c.secret == nil {
		return stdlib.GetConnector(*c.config).Connect(ctx)
	}
	password, err := c.password()
	if err != nil {
		return nil, err
	}
	conn, err := c.with(ctx, password)
	if !refused(err) {
		return conn, err
	}
	again, unread := c.password()
	if unread != nil || again == password {
		return nil, err
	}
	return c.with(ctx, again)
}

// Driver is pgx's.
func (c pgConnector) Driver() driver.Driver { return stdlib.GetDefaultDriver() }

func (c pgConnector) password() (string, error) {
	password, err := c.secret()
	if err != nil {
		return "", fmt.Errorf("%w: %w", errPassword, err)
	}
	return password, nil
}

func (c pgConnector) with(ctx context.Context, password string) (driver.Conn, error) {
	config := c.config.Copy()
	config.Password = password
	return stdlib.GetConnector(*config).Connect(ctx)
}

// refused reports whether the server knows neither user nor password like these.
func refused(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && strings.HasPrefix(pg.Code, "28")
}
