package sql

import (
	"context"
	dbsql "database/sql"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"

	"nightporter/connectors/internal/dbkit"
	"nightporter/sync/record"
)

// sqlite is a SQLite file that another program may be using too. A value is what
// it is stored as: the driver's reading of declared types is kept out of the way.
type sqlite struct{}

// sqliteConns is connections at most; writers queue at the file's own lock.
const sqliteConns = 4

// sqlitePath makes a path safe inside a URI.
var sqlitePath = strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23")

func (sqlite) open(cfg Config) (*dbsql.DB, error) {
	dsn := cfg.DSN
	if dsn == "" {
		path, err := filepath.Abs(cfg.Address)
		if err != nil {
			return nil, fmt.Errorf("find file %s: %w", cfg.Address, err)
		}
		// mode=rw never makes a new file of a mistyped name. The journal's mode is
		// the other program's to choose; the driver would lower synchronous by itself.
		dsn = "file:" + sqlitePath.Replace(path) +
			"?mode=rw&_txlock=immediate&_busy_timeout=5000&_synchronous=FULL&_foreign_keys=1"
	}
	db, err := dbsql.Open("sqlite3", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(sqliteConns)
	db.SetMaxIdleConns(sqliteConns)
	return db, nil
}

func (sqlite) account(ctx context.Context, db *dbsql.DB) (string, error) {
	var file string
	err := db.QueryRowContext(ctx, "select file from pragma_database_list where name = 'main'").Scan(&file)
	return "sqlite:" + file, err
}

func (sqlite) place(n int) string { return "?" + strconv.Itoa(n) }

func (sqlite) cast(place string, _ column) string { return place }

// read takes the declared type away, by which the driver would parse times and
// truths.
// sqliteColumn is a column's name, in the quotes that SQLite takes for nothing else.
// In "double quotes" the name of a column that is gone would be a text: each guest
// would be called first_name.
func sqliteColumn(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func (sqlite) read(c column, _ int) string { return "+" + sqliteColumn(c.name) }

func (sqlite) order(c column) string { return sqliteColumn(c.name) + " collate binary" }

func (sqlite) cell(_ column, v any, most int) dbkit.Cell {
	switch v := v.(type) {
	case int64:
		return dbkit.Cell{Tag: dbkit.Int, Text: strconv.FormatInt(v, 10)}
	case float64:
		return dbkit.Cell{Tag: dbkit.Real, Text: strconv.FormatFloat(v, 'g', -1, 64)}
	case string:
		if len(v) > most {
			return dbkit.Cell{Tag: dbkit.Big, Text: strconv.Itoa(len(v))}
		}
		return dbkit.Cell{Tag: dbkit.Text, Text: v}
	case []byte:
		if len(v) > most {
			return dbkit.Cell{Tag: dbkit.Big, Text: strconv.Itoa(len(v))}
		}
		return dbkit.Cell{Tag: dbkit.Blob, Text: string(v)}
	}
	return dbkit.Cell{Tag: dbkit.Null}
}

func (sqlite) value(_ column, cell dbkit.Cell) (record.Value, error) {
	if cell.Tag == dbkit.Int || cell.Tag == dbkit.Real {
		return number(cell.Text)
	}
	return record.OfText(cell.Text), nil
}

func (sqlite) arg(c column, v record.Value) (any, error) {
	switch v.Type() {
	case record.Absent, record.Null:
		return nil, nil //nolint:nilnil // SQL's NULL
	case record.Text:
		return v.Text(), nil
	case record.Bool:
		return v.Bool(), nil
	case record.Number:
		if n, ok := v.Int(); ok {
			return n, nil
		}
		f, err := strconv.ParseFloat(v.Text(), 64)
		if err != nil {
			return nil, fmt.Errorf("column %q: the number is too large", c.name)
		}
		return f, nil
	case record.List, record.Map:
		return v.Encode(), nil
	case record.Content:
	}
	return nil, fmt.Errorf("column %q: it can't hold a %s", c.name, v.Type())
}

func (sqlite) back(_ column, cell dbkit.Cell) any {
	switch cell.Tag {
	case dbkit.Int:
		if n, err := strconv.ParseInt(cell.Text, 10, 64); err == nil {
			return n
		}
	case dbkit.Real:
		if f, err := strconv.ParseFloat(cell.Text, 64); err == nil {
			return f
		}
	case dbkit.Blob:
		return []byte(cell.Text)
	case dbkit.Null:
		return nil
	}
	return cell.Text
}

// keyed asks for a text, and in a column without a type for the number and the
// bytes that it may stand for too.
func (sqlite) keyed(b *builder, c column, text string) string {
	places := b.arg(text)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && strconv.FormatInt(n, 10) == text {
		places += ", " + b.arg(n)
	}
	if digits, ok := strings.CutPrefix(text, "x'"); ok {
		if raw, err := hex.DecodeString(strings.TrimSuffix(digits, "'")); err == nil {
			places += ", " + b.arg(raw)
		}
	}
	return sqliteColumn(c.name) + " in (" + places + ")"
}

func (sqlite) same(b *builder, c column, arg any) string {
	return sqliteColumn(c.name) + " is " + b.arg(arg)
}

// version compares as text, which is what a number was read as.
func (sqlite) version(b *builder, c column, text string) string {
	return "cast(" + sqliteColumn(c.name) + " as text) = " + b.arg(text)
}

func (sqlite) clock() string { return "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')" }

// hold needs nothing: an immediate transaction is alone already.
func (sqlite) hold() string { return "" }
