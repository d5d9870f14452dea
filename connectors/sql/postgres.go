package sql

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"nightporter/connectors/internal/dbkit"
	"nightporter/sync/record"
)

// postgres is PostgreSQL, spoken to by pgx. Every column is read as its text,
// which needs no table of types here: dates come in ISO, instants in UTC.
type postgres struct{}

const (
	pgConns = 4               // connections at most: two jobs and what they apply
	pgIdle  = 5 * time.Minute // after which an unused one is closed
)

func (postgres) open(cfg Config) (*dbsql.DB, error) {
	dsn := cfg.DSN
	if dsn == "" {
		server, database, ok := strings.Cut(cfg.Address, "/")
		if !ok || database == "" {
			return nil, fmt.Errorf("read address %q: write it as host:port/database", cfg.Address)
		}
		if _, _, err := net.SplitHostPort(server); err != nil {
			server = net.JoinHostPort(strings.Trim(server, "[]"), "5432")
		}
		u := url.URL{Scheme: "postgres", Host: server, Path: "/" + database, User: url.User(cfg.User)}
		u.RawQuery = url.Values{"sslmode": {or(cfg.TLS, "prefer")}}.Encode()
		dsn = u.String()
	}
	pc, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("read the connection text: %w", err)
	}
	if cfg.DSN == "" {
		// pgx fills what it is not told from the environment: that is not ours to use.
		pc.User, pc.Password = cfg.User, cfg.Password
		clear(pc.RuntimeParams)
	}
	pc.ConnectTimeout = cfg.Connect
	pc.RuntimeParams["timezone"] = "UTC"
	pc.RuntimeParams["datestyle"] = "ISO, YMD"
	if pc.RuntimeParams["application_name"] == "" {
		pc.RuntimeParams["application_name"] = "nightporter"
	}
	if cfg.Secret != nil {
		pc.Password = ""
	}
	db := dbsql.OpenDB(pgConnector{config: pc, secret: cfg.Secret})
	db.SetMaxOpenConns(pgConns)
	db.SetMaxIdleConns(pgConns)
	db.SetConnMaxIdleTime(pgIdle)
	return db, nil
}

func (postgres) account(ctx context.Context, db *dbsql.DB) (string, error) {
	var name, host, port string
	err := db.QueryRowContext(ctx, `select current_database(), coalesce(host(inet_server_addr()), 'local'),
		coalesce(inet_server_port(), 0)::text`).Scan(&name, &host, &port)
	if err != nil {
		return "", err
	}
	var id string
	if err := db.QueryRowContext(ctx, "select system_identifier::text from pg_control_system()").Scan(&id); err == nil {
		return "postgres:" + id + "/" + name, nil
	}
	// Only a superuser may read the cluster's own number, on some servers.
	return "postgres:" + net.JoinHostPort(host, port) + "/" + name, nil
}

func (postgres) place(n int) string { return "$" + strconv.Itoa(n) }

func (postgres) cast(place string, c column) string {
	if c.typ == "" {
		return place
	}
	return place + "::" + c.typ
}

// guarded are the columns whose text may be larger than what is read. They come
// with a letter in front: v and the value, or x and the size.
func (postgres) guarded(c column, most int) bool {
	switch c.form {
	case asText, asJSON, asList, asBytes:
		return c.maxBytes == 0 || c.maxBytes > most
	case asNumber, asBool, asDate, asInstant, asLocal:
	}
	return false
}

func (p postgres) read(c column, most int) string {
	x := p.text(c)
	if c.form == asBytes {
		return "case when " + dbkit.Quote(c.name) + " is not null then 'b' end"
	}
	if !p.guarded(c, most) {
		return x
	}
	return fmt.Sprintf("case when octet_length(%[1]s) > %[2]d then 'x' || octet_length(%[1]s) else 'v' || %[1]s end", x, most)
}

// text is a column as text.
func (postgres) text(c column) string {
	name := dbkit.Quote(c.name)
	switch {
	case c.form == asList:
		return "array_to_json(" + name + ")::text"
	case c.base == "money":
		return name + "::numeric::text"
	}
	return name + "::text"
}

func (postgres) order(c column) string {
	switch c.base {
	case "text", "varchar", "bpchar", "name", "citext":
		return dbkit.Quote(c.name) + ` collate "C"`
	}
	return dbkit.Quote(c.name)
}

func (p postgres) cell(c column, v any, most int) dbkit.Cell {
	text, ok := v.(string)
	if !ok {
		return dbkit.Cell{Tag: dbkit.Null}
	}
	if c.form == asBytes {
		return dbkit.Cell{Tag: dbkit.Blob}
	}
	if p.guarded(c, most) && text != "" {
		if text[0] == 'x' {
			return dbkit.Cell{Tag: dbkit.Big, Text: text[1:]}
		}
		text = text[1:]
	}
	return dbkit.Cell{Tag: dbkit.Text, Text: text}
}

func (postgres) value(c column, cell dbkit.Cell) (record.Value, error) {
	text := cell.Text
	switch c.form {
	case asNumber:
		return number(text)
	case asBool:
		return record.OfBool(text == "true"), nil
	case asInstant:
		// Infinity and years before our era are no RFC 3339 and stay as they are.
		if t, err := time.Parse("2006-01-02 15:04:05Z07", text); err == nil {
			text = t.UTC().Format(time.RFC3339Nano)
		}
	case asLocal:
		text = strings.Replace(text, " ", "T", 1)
	case asJSON, asList:
		return decodeJSON(text)
	case asText, asDate, asBytes:
	}
	return record.OfText(text), nil
}

func (postgres) arg(c column, v record.Value) (any, error) {
	switch v.Type() {
	case record.Absent, record.Null:
		return nil, nil //nolint:nilnil // SQL's NULL
	case record.Text, record.Number, record.Bool:
		if c.form == asJSON {
			return v.Encode(), nil
		}
		if strings.ContainsRune(v.Text(), 0) {
			return nil, fmt.Errorf("column %q: PostgreSQL keeps no text with a NUL byte", c.name)
		}
		return v.Text(), nil
	case record.List:
		if c.form == asList {
			return arrayText(c.name, v)
		}
		if c.form == asJSON {
			return v.Encode(), nil
		}
	case record.Map:
		if c.form == asJSON {
			return v.Encode(), nil
		}
	case record.Content:
	}
	return nil, fmt.Errorf("column %q: it can't hold a %s", c.name, v.Type())
}

// arrayText is a list as PostgreSQL writes an array.
func arrayText(name string, v record.Value) (any, error) {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	parts := make([]string, len(v.List()))
	for i, e := range v.List() {
		switch e.Type() {
		case record.Null:
			parts[i] = "NULL"
		case record.Text, record.Number, record.Bool:
			parts[i] = `"` + escape.Replace(e.Text()) + `"`
		case record.Absent, record.List, record.Map, record.Content:
			return nil, fmt.Errorf("column %q: it holds a list of single values only", name)
		}
	}
	text := "{" + strings.Join(parts, ",") + "}"
	if strings.ContainsRune(text, 0) {
		return nil, fmt.Errorf("column %q: PostgreSQL keeps no text with a NUL byte", name)
	}
	return text, nil
}

func (postgres) back(_ column, cell dbkit.Cell) any {
	if cell.Tag == dbkit.Null {
		return nil
	}
	return cell.Text
}

func (p postgres) keyed(b *builder, c column, text string) string {
	return dbkit.Quote(c.name) + " = " + p.cast(b.arg(text), c)
}

func (p postgres) same(b *builder, c column, arg any) string {
	name := dbkit.Quote(c.name)
	if c.base == "json" || c.base == "jsonb" {
		return name + "::jsonb is not distinct from " + b.arg(arg) + "::jsonb"
	}
	if c.typ == "" {
		return name + "::text is not distinct from " + b.arg(arg) + "::text"
	}
	return name + " is not distinct from " + p.cast(b.arg(arg), c)
}

func (postgres) version(b *builder, c column, text string) string {
	return dbkit.Quote(c.name) + "::text = " + b.arg(text)
}

func (postgres) clock() string {
	return `to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

// hold takes a lock that readers and the desk's own program don't notice.
func (postgres) hold() string { return "select pg_advisory_xact_lock(hashtextextended($1, 0))" }
