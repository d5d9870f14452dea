package engine_test

import (
	"context"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// reading is how a connector makes values of what its system shows; the zero one shows it as it stands.
type reading struct {
	prints map[string]string                 // as connectors.Kind.Reads
	shown  func(record.Fields) record.Fields // of what stands in a record
	sent   func(record.Fields) record.Fields // of what is written; nil: as it is
}

// of is a connector that reads so.
func (r reading) of(conn connectors.Connector) connectors.Connector {
	if r.shown == nil {
		return conn
	}
	return &reader{conn, r}
}

// reader is a connector in front of another one.
type reader struct {
	connectors.Connector
	how reading
}

func (r *reader) record(rec record.Record, err error) (record.Record, error) {
	rec.Fields = r.how.shown(rec.Fields.Clone())
	return rec, err
}

func (r *reader) Fetch(ctx context.Context, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	page, err := r.Connector.Fetch(ctx, q, after)
	if read := page.Read; read != nil {
		page.Read = func(it connectors.Item) (record.Record, error) { return r.record(read(it)) }
	}
	return page, err
}

func (r *reader) Get(ctx context.Context, ref record.Ref, scope connectors.Scope) (record.Record, error) {
	return r.record(r.Connector.(connectors.Getter).Get(ctx, ref, scope))
}

func (r *reader) Find(ctx context.Context, kind record.Kind, by record.Fields, scope connectors.Scope) ([]record.Record, error) {
	found, err := r.Connector.(connectors.Finder).Find(ctx, kind, by, scope)
	for i := range found {
		found[i].Fields = r.how.shown(found[i].Fields.Clone())
	}
	return found, err
}

func (r *reader) Apply(ctx context.Context, c record.Change) (record.Record, error) {
	if r.how.sent != nil {
		c.Fields, c.Before = r.how.sent(c.Fields.Clone()), r.how.sent(c.Before.Clone())
	}
	return r.record(r.Connector.(connectors.Writer).Apply(ctx, c))
}
