package rest

import (
	"context"
	"encoding/json"
	"net/http"

	"nightporter/connectors"
	"nightporter/connectors/jsonx"
	"nightporter/sync/record"
)

// written is a digest of all that the preset says of how a kind is written.
func (k *kind) written() string {
	if k.Get == nil || k.Create == nil && k.Update == nil && k.status == nil {
		return ""
	}
	said, err := json.Marshal([]any{k.Create, k.Update, k.Status, k.Clear, k.ReadOnly, k.Fields})
	if err != nil {
		return ""
	}
	return record.DigestOf("written", said).String()
}

// Whole reads one record with all that the API shows of it.
func (c *Conn) Whole(ctx context.Context, ref record.Ref) (record.Fields, error) {
	op := "read whole " + string(ref.Kind)
	k, err := c.kind(ref.Kind, op)
	if err != nil {
		return nil, err
	}
	_, item, rec, err := c.get(ctx, k, op, ref)
	if err != nil {
		return nil, err
	}
	if rec.Ref != ref {
		return nil, &connectors.Error{Class: connectors.Moved, Op: op, Ref: rec.Ref}
	}
	whole, err := jsonx.Flatten(item)
	if err != nil {
		return nil, connectors.Wrong(connectors.Malformed, op, "%w", err)
	}
	return whole, nil
}

// PutBack reads a record, puts values into it where nothing stands, and sends it whole, whatever the preset says
// of how updates are sent.
func (c *Conn) PutBack(ctx context.Context, ref record.Ref, values record.Fields) error {
	op := "put back " + string(ref.Kind)
	k, err := c.kind(ref.Kind, op)
	if err != nil {
		return err
	}
	w := &writing{c: c, k: k, op: op, ch: record.Change{Op: record.Update, Ref: ref, Fields: values}}
	if k.Update == nil {
		return w.wrong(connectors.Unsupported, "the preset names no way to update")
	}
	item, version, err := w.current(ctx)
	if err != nil {
		return err
	}
	for _, name := range values.Names() {
		p, err := jsonx.ParsePath(name)
		if err != nil {
			return w.wrong(connectors.Rejected, "%q is not a path that can be written", name)
		}
		now, shown := jsonx.At(item, p)
		if stands, err := record.FromJSON(now); shown && err == nil && !stands.Empty() { // somebody entered it meanwhile
			continue
		}
		v, err := jsonx.Plain(values[name])
		if !shown { // as a list showed it
			v, err = k.fields[name].write(k.fields[name].read(values[name]))
		}
		if err == nil {
			err = jsonx.Put(item, p, v)
		}
		if err != nil {
			return w.wrong(connectors.Rejected, "%s: %w", name, err)
		}
	}
	body, err := w.encode(item, k.updateBody)
	if err != nil {
		return err
	}
	h := http.Header{}
	conditional := k.Update.IfMatch && version != ""
	if conditional {
		h.Set("If-Match", match(version, k.Version.ETag))
	}
	_, err = w.send(ctx, k.Update.Method, k.Update.Path, nil, h, body, conditional, k.updateItem)
	return err
}
