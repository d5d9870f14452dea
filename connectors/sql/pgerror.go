package sql

import (
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"nightporter/connectors"
)

// classify goes by the SQLSTATE. Of the server's words only those are kept that
// can't quote a row: about names, rights and the server itself. A refusal of
// values is told by its code and its constraint.
func (postgres) classify(err error) fault {
	if errors.Is(err, errPassword) {
		return fault{class: connectors.Unauthorized, text: err.Error(), hint: "look at the system's password in the configuration"}
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return pgLost(err)
	}
	f := pgClass(pg)
	f.text = fmt.Sprintf("%s, SQLSTATE %s", pgSays(pg), pg.Code)
	f.text = named(f.text, "constraint", pg.ConstraintName, "table", pg.TableName, "column", pg.ColumnName)
	f.named = pgNamed(pg)
	if strings.EqualFold(pg.Severity, "FATAL") || strings.EqualFold(pg.Severity, "PANIC") {
		f.lost = true
	}
	return f
}

func pgClass(pg *pgconn.PgError) fault {
	class := pg.Code
	if len(class) > 2 {
		class = class[:2]
	}
	switch pg.Code {
	case "23505":
		return fault{class: connectors.Rejected, unique: true}
	case "42501":
		return fault{class: connectors.Forbidden, hint: "`check --online` prints the rights that are needed"}
	case "25006":
		return fault{class: connectors.Forbidden, hint: "this server is read-only"}
	case "0A000": // "cached plan must not change result type", after a migration
		return fault{class: connectors.Transient, schema: true}
	case "42P01", "42703":
		return fault{class: connectors.Malformed, schema: true, hint: "`check --online` compares the tables with the configuration"}
	case "57014", "55P03":
		return fault{class: connectors.Transient}
	}
	switch class {
	case "08", "40", "53", "57", "58", "XX", "25":
		return fault{class: connectors.Transient, lost: class == "08"}
	case "22":
		return fault{class: connectors.Rejected, value: true}
	case "23", "44", "P0", "09", "27", "38", "39":
		return fault{class: connectors.Rejected}
	case "28":
		return fault{class: connectors.Unauthorized, hint: "look at user and password, and at the server's pg_hba.conf"}
	case "3D", "3F", "42", "26", "34":
		return fault{class: connectors.Malformed}
	}
	// A function of the house's own may raise any code it likes: it said no.
	return fault{class: connectors.Rejected}
}

// pgKey finds the columns of a doubled key in the server's words, which are in any language:
// "Key (phone, haus)=(…)".
var pgKey = regexp.MustCompile(`^[^(]*\(([^()=]+)\)=\(`)

// pgNamed is the columns that an error names. A key over an expression names none.
func pgNamed(pg *pgconn.PgError) []string {
	if pg.ColumnName != "" {
		return []string{pg.ColumnName}
	}
	key := pgKey.FindStringSubmatch(pg.Detail)
	if pg.Code != "23505" || key == nil {
		return nil
	}
	var names []string
	for name := range strings.SplitSeq(key[1], ", ") {
		names = append(names, strings.Trim(name, `"`))
	}
	return names
}

// pgSays is what can be said of an error without a row's values.
func pgSays(pg *pgconn.PgError) string {
	switch pg.Code {
	case "23505":
		return "a value that must be unique is there already"
	case "23503":
		return "a record that it refers to is missing, or still refers to it"
	case "23502":
		return "a value is missing"
	case "23514":
		return "a check of the table says no"
	case "23P01":
		return "it overlaps with what is there"
	case "P0001":
		return "the database's own rules say no"
	case "22001":
		return "a text is too long"
	}
	switch pg.Code[:min(2, len(pg.Code))] {
	case "22":
		return "a value does not fit its column"
	case "08", "25", "26", "28", "3D", "3F", "40", "42", "53", "55", "57", "58", "0A":
		return pg.Message
	}
	return "the database says no"
}

// pgLost is an error that the server did not send.
func pgLost(err error) fault {
	f := fault{class: connectors.Transient, lost: true}
	connect, failed := errors.AsType[*pgconn.ConnectError](err)
	switch {
	case errors.Is(err, pgx.ErrTxCommitRollback):
		return fault{class: connectors.Transient, text: "the server rolled the transaction back"}
	case failed:
		f.lost = false
		f.text = "connect to the database: " + cause(connect)
		f.hint = "is the server on, and does its address hold?"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		f.text = "the connection to the database broke"
	default:
		f.text = cause(err)
	}
	if strings.Contains(err.Error(), "tls") || strings.Contains(err.Error(), "x509") {
		f.hint = "the encrypted connection could not be made: look at the certificate and at `tls`"
	}
	return f
}

// cause is the innermost network error: what stands around it names the user.
func cause(err error) string {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return dns.Error()
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Error()
	}
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err.Error()
		}
		err = next
	}
}
