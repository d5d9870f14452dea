package sql

import (
	"context"
	dbsql "database/sql"

	"nightporter/connectors"
	"nightporter/connectors/internal/dbkit"
	"nightporter/sync/record"
)

// dialect is what differs between databases.
type dialect interface {
	// open makes a pool; it reaches no server yet.
	open(cfg Config) (*dbsql.DB, error)

	// account identifies the database behind the address.
	account(ctx context.Context, db *dbsql.DB) (string, error)

	// columns reads what the catalogue says of a table. NotFound and Forbidden
	// are told apart.
	columns(ctx context.Context, db *dbsql.DB, schema, name string) (source, error)

	// tables lists the tables and views that may be read.
	tables(ctx context.Context, db *dbsql.DB) ([]tableName, error)

	// keys is a table's primary key, and which of its columns hold the key of another
	// table.
	keys(ctx context.Context, db *dbsql.DB, n tableName) (primary []string, refers map[string]string, err error)

	// column describes one column of a query's answer.
	column(t *dbsql.ColumnType) column

	// place is the placeholder of the nth argument, from 1.
	place(n int) string

	// cast is the placeholder with the type that c compares as.
	cast(place string, c column) string

	// read is the expression that reads c so that cell understands it, never with
	// more than most bytes where the database can tell.
	read(c column, most int) string

	// order is the expression that c is sorted and compared by, as bytes where it
	// is a text.
	order(c column) string

	// cell is one column of a row that read was scanned into.
	cell(c column, v any, most int) dbkit.Cell

	// value decodes a cell.
	value(c column, cell dbkit.Cell) (record.Value, error)

	// arg is v as an argument for column c.
	arg(c column, v record.Value) (any, error)

	// back is a cell as an argument: what was read compares equal.
	back(c column, cell dbkit.Cell) any

	// keyed is the condition that column c holds the text of an id's value.
	keyed(b *builder, c column, text string) string

	// same is the NULL-safe equality of column c and an argument that arg made.
	same(b *builder, c column, arg any) string

	// version is the condition that column c holds the text of a version.
	version(b *builder, c column, text string) string

	// clock is the expression of the database's own clock, in UTC as RFC 3339.
	clock() string

	// hold makes the transaction the only one of ours that creates records in the
	// table, until it ends; "" when it is already.
	hold() string

	// classify says what an error means. Its text holds no value of a row.
	classify(err error) fault

	// grants is the statements that give user rights on a table.
	grants(g rights) []string
	// sequences are those that new rows of a table draw numbers from with the user's own
	// rights, quoted.
	sequences(ctx context.Context, db *dbsql.DB, schema, table string) ([]string, error)
}

// fault is a driver's error, understood.
type fault struct {
	class  connectors.ErrorClass
	text   string // without a row's values
	hint   string
	unique bool     // a unique key would have been doubled
	lost   bool     // the connection broke: what it was answering may have happened
	value  bool     // an argument can't be a value of its column
	named  []string // columns that the error names
	schema bool     // tables are not as they were when they were described
}

// rights is what a job needs of a table.
type rights struct {
	schema, table, user string
	query               bool // a query is read: its own tables can't be named
	reads               []string
	creates, updates    []string
	accepts, deletes    bool
	sequences           []string // that a create draws from, quoted
	file                string
}

// builder writes one statement and its arguments.
type builder struct {
	d    dialect
	args []any
}

// arg adds an argument and is its placeholder.
func (b *builder) arg(v any) string {
	b.args = append(b.args, v)
	return b.d.place(len(b.args))
}
