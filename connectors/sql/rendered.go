package sql

import (
	"bytes"
	"context"
	dbsql "database/sql"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/internal/dockit"
	"nightporter/sync/record"
)

var _ connectors.Opener = (*Conn)(nil)

// rendered reports whether a kind is the documents that are made of rows.
func (c *Conn) rendered(kind record.Kind) bool {
	return kind == dockit.Kind && len(c.cfg.Documents) > 0
}

// listing makes every document anew.
func (c *Conn) listing(ctx context.Context, op string) (dockit.Listing, map[string][]byte, error) {
	ctx, cancel := c.within(ctx)
	defer cancel()
	l, texts := dockit.Listing{Bad: map[string]error{}}, map[string][]byte{}
	for i := range c.cfg.Documents {
		d := &c.cfg.Documents[i]
		columns, rows, err := c.rowsOf(ctx, d.Query)
		if err != nil {
			if err = c.fail(ctx, op, record.Ref{}, err); !ofQuery(err) {
				return l, nil, err
			}
			l.Bad[d.Name] = err
			continue
		}
		text, err := d.render(columns, rows)
		if err != nil {
			l.Bad[d.Name] = err
			continue
		}
		texts[d.Name] = text
		l.Docs = append(l.Docs, dockit.Doc{
			Path: d.Name, Title: d.Title, Language: d.Language, Tags: d.Tags, Digest: dockit.Digest(text), Size: int64(len(text)),
		})
	}
	return l, texts, nil
}

// ofQuery reports whether an error is of one query, and not of the database.
func ofQuery(err error) bool {
	return slices.Contains([]connectors.ErrorClass{connectors.Rejected, connectors.Malformed, connectors.Forbidden, connectors.Unsupported},
		connectors.ClassOf(err))
}

// rowsOf is what a query gives, every value as a text.
func (c *Conn) rowsOf(ctx context.Context, query string) ([]string, []map[string]string, error) {
	rows, err := c.db.QueryContext(ctx, query)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, nil, err
	}
	columns := make([]string, len(types))
	for i, t := range types {
		columns[i] = t.Name()
	}
	var out []map[string]string
	for rows.Next() {
		if len(out) == mostRows {
			return nil, nil, connectors.Wrong(connectors.Rejected, "", "the query gives more than %d rows", mostRows)
		}
		values := make([]any, len(columns))
		dest := make([]any, len(columns))
		for i := range values {
			dest[i] = &values[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return nil, nil, err
		}
		row := make(map[string]string, len(columns))
		for i, v := range values {
			row[columns[i]] = plainText(types[i], v, c.cfg.TimeZone)
		}
		out = append(out, row)
	}
	return columns, out, rows.Err()
}

// plainText is a value as a document shows it: numbers in full, days and times without
// what nobody reads. An instant is shown on the clock of a zone: the driver's is that of the
// machine, and a document must be the same on every one.
func plainText(t *dbsql.ColumnType, v any, zone *time.Location) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []byte:
		return string(v)
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, bitsOf(t, v))
	case time.Time:
		switch strings.ToLower(t.DatabaseTypeName()) {
		case "date":
			return v.Format(time.DateOnly)
		case "timestamptz":
			v = v.In(zone)
		}
		return v.Format("2006-01-02 15:04")
	}
	return fmt.Sprint(v)
}

// bitsOf is the size of the number that a column holds, as which its digits are told: a real
// of PostgreSQL, which comes widened, has four bytes. SQLite's have eight, also in a column
// that is called so.
func bitsOf(t *dbsql.ColumnType, v float64) int {
	if strings.EqualFold(t.DatabaseTypeName(), "float4") && float64(float32(v)) == v {
		return 32
	}
	return 64
}

func (c *Conn) fetchRendered(ctx context.Context, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	op := "fetch " + string(q.Kind)
	if err := dockit.Check(op, q, after); err != nil {
		return connectors.Page{}, err
	}
	l, _, err := c.listing(ctx, op)
	if err != nil {
		return connectors.Page{}, err
	}
	return l.Page(op)
}

func (c *Conn) getRendered(ctx context.Context, ref record.Ref) (record.Record, error) {
	op := "get " + string(ref.Kind)
	l, _, err := c.listing(ctx, op)
	if err != nil {
		return record.Record{}, err
	}
	return l.Get(op, ref)
}

// Open makes a document anew, as it is now.
func (c *Conn) Open(ctx context.Context, ref record.Ref, at string) (io.ReadCloser, error) {
	op := "open " + string(ref.Kind)
	name, _, ok := dockit.SplitID(ref.ID)
	if !c.rendered(ref.Kind) || at != dockit.ContentPath || !ok {
		return nil, connectors.Wrong(connectors.NotFound, op, "no document has such an id")
	}
	l, texts, err := c.listing(ctx, op)
	if err != nil {
		return nil, err
	}
	if err, bad := l.Bad[name]; bad {
		return nil, connectors.Wrong(connectors.Rejected, op, "%w", err)
	}
	text, ok := texts[name]
	if !ok {
		return nil, connectors.Wrong(connectors.NotFound, op, "there is no such document")
	}
	return io.NopCloser(bytes.NewReader(text)), nil
}
