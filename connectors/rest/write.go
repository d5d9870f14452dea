package rest

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"nightporter/connectors"
	"nightporter/connectors/internal/restkit"
	"nightporter/connectors/jsonx"
	"nightporter/sync/record"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Apply makes one change with one mutating request.
func (c *Conn) Apply(ctx context.Context, ch record.Change) (record.Record, error) {
	op := ch.Op.String() + " " + string(ch.Ref.Kind)
	k, err := c.kind(ch.Ref.Kind, op)
	if err != nil {
		return record.Record{}, err
	}
	w := &writing{c: c, k: k, op: op, ch: ch}
	switch ch.Op {
	case record.Create:
		return w.create(ctx)
	case record.Update:
		return w.update(ctx)
	case record.Action:
		return w.action(ctx)
	case record.Delete:
		return w.remove(ctx)
	}
	return record.Record{}, w.wrong(connectors.Unsupported, "unknown operation")
}

// writing is one change on its way.
type writing struct {
	c  *Conn
	k  *kind
	op string
	ch record.Change
}

func (w *writing) wrong(class connectors.ErrorClass, format string, args ...any) error {
	e := connectors.Wrong(class, w.op, format, args...)
	e.Ref = w.ch.Ref
	return e
}

// known is what no error may show.
func (w *writing) known() []string {
	var texts []string
	for _, f := range []record.Fields{w.ch.Fields, w.ch.Before} {
		for _, v := range f {
			if v.Type() == record.Text || v.Type() == record.Number {
				texts = append(texts, v.Text())
			}
		}
	}
	return texts
}

// put sets fields in a record's JSON.
func (w *writing) put(m map[string]any, fields record.Fields, mayOmit bool) error {
	for _, name := range fields.Names() {
		if ok, err := w.isContent(name, fields[name]); err != nil {
			return err
		} else if ok {
			continue
		}
		if why := w.k.can.Unwritable(name); why != "" {
			return w.wrong(connectors.Rejected, "%s is never written: %s", name, why)
		}
		if !w.k.can.Has(name) {
			return w.wrong(connectors.Rejected, "%s is not a field of the preset", name)
		}
		p, err := jsonx.ParsePath(name)
		if err != nil || len(p) == 0 {
			return w.wrong(connectors.Rejected, "%q is not a path that can be written", name)
		}
		if v := fields[name]; v.Empty() && v.Type() <= record.Text {
			if err := w.clear(m, p, mayOmit); err != nil {
				return err
			}
			continue
		}
		a, err := w.k.fields[name].write(fields[name])
		if err == nil {
			err = jsonx.Put(m, p, a)
		}
		if err != nil {
			return w.wrong(connectors.Rejected, "%s: %w", name, err)
		}
	}
	return nil
}

// clear empties a field in the way of the API.
func (w *writing) clear(m map[string]any, p jsonx.Path, mayOmit bool) error {
	var nothing any
	switch w.k.Clear {
	case "empty":
		nothing = ""
	case "omit":
		if !mayOmit {
			return w.wrong(connectors.Unsupported, "%s can't be emptied: the preset knows no value that does", p)
		}
		jsonx.Delete(m, p)
		return nil
	}
	if err := jsonx.Put(m, p, nothing); err != nil {
		return w.wrong(connectors.Rejected, "%s: %w", p, err)
	}
	return nil
}

// encode is a record's JSON under the path that the preset names for it.
func (w *writing) encode(m map[string]any, under jsonx.Path) ([]byte, error) {
	var body any = m
	if len(under) > 0 {
		outer := map[string]any{}
		jsonx.Set(outer, under, m)
		body = outer
	}
	b, err := jsonx.Encode(body)
	if err != nil {
		return nil, w.wrong(connectors.Rejected, "%w", err)
	}
	return b, nil
}

func (w *writing) header() http.Header {
	h := http.Header{}
	if name := w.k.Idempotency.Header; name != "" && w.ch.ID != "" {
		h.Set(name, w.ch.ID)
	}
	return h
}

func (w *writing) create(ctx context.Context) (record.Record, error) {
	none, k := record.Record{}, w.k
	if k.Create == nil {
		return none, w.wrong(connectors.Unsupported, "the preset names no way to create")
	}
	for _, name := range k.can.NotNew {
		if w.ch.Fields[name].Observed() {
			return none, w.wrong(connectors.Rejected, "a create does not take %s", name)
		}
	}
	sent, path, err := w.placed(w.ch.Fields)
	if err != nil {
		return none, err
	}
	m := map[string]any{}
	if err := w.put(m, sent, true); err != nil {
		return none, err
	}
	if k.stamp != nil && w.ch.Stamp != "" {
		if err := jsonx.Put(m, k.stamp, w.ch.Stamp); err != nil {
			return none, w.wrong(connectors.Rejected, "our mark at %s: %w", k.stamp, err)
		}
	}
	if err := w.rename(m); err != nil {
		return none, err
	}
	body, header, err := w.newBody(ctx, m)
	if err != nil {
		return none, err
	}
	r := restkit.Request{
		Op: w.op, Goal: restkit.WriteNew, Method: k.Create.Method, URL: w.c.client.URL(path, nil),
		Header: header, Body: body, Known: w.known(), Exists: k.exists, NoRoom: k.noRoom, Once: len(k.Once) > 0,
	}
	a, answer, err := w.c.object(ctx, r)
	if err != nil {
		return none, err
	}
	rec := w.shown(a, answer, k.createItem)
	if rec.Ref.ID == "" {
		rec.Ref = record.Ref{Kind: k.name, ID: located(a)}
	}
	if rec.Ref.ID == "" {
		err := w.c.client.Malformed(r, a, "look at create.item and id in the preset", "the answer to a create shows no id")
		err.Done = true
		return none, err
	}
	return rec, nil
}

// located is the id that a Location header ends in.
func located(a *restkit.Answer) string {
	u, err := url.Parse(a.Header.Get("Location"))
	if err != nil {
		return ""
	}
	way := strings.TrimRight(u.EscapedPath(), "/")
	id, err := url.PathUnescape(way[strings.LastIndex(way, "/")+1:])
	if err != nil {
		return ""
	}
	return id
}

// shown is the record as an answer shows it; what it doesn't show is missing.
func (w *writing) shown(a *restkit.Answer, answer any, at jsonx.Path) record.Record {
	item, _ := jsonx.At(answer, at)
	rec, err := w.k.record(item, w.k.want, false)
	if err != nil || rec.Ref.ID == "" {
		// Not the record: a message, say. Its fields would be read as the record's.
		rec = record.Record{Ref: record.Ref{Kind: w.k.name}, Fields: record.Fields{}}
	}
	if w.k.Version.ETag {
		rec.Version = record.Version(a.Header.Get("ETag"))
	}
	return rec
}

func (w *writing) update(ctx context.Context) (record.Record, error) {
	none, k := record.Record{}, w.k
	if k.Update == nil {
		return none, w.wrong(connectors.Unsupported, "the preset names no way to update")
	}
	if _, ok := w.ch.Fields[k.Status.Field]; ok && k.status != nil {
		return none, w.wrong(connectors.Unsupported, "%s is changed by an action of its own", k.Status.Field)
	}
	m := map[string]any{}
	version := w.ch.Version
	if k.Update.Mode == rewrite {
		var err error
		if m, version, err = w.current(ctx); err != nil {
			return none, err
		}
	}
	if err := w.put(m, w.ch.Fields, k.Update.Mode != partial); err != nil {
		return none, err
	}
	if len(m) == 0 {
		return none, w.wrong(connectors.Rejected, "there is nothing to write")
	}
	body, err := w.encode(m, k.updateBody)
	if err != nil {
		return none, err
	}
	h := w.header()
	conditional := k.Update.IfMatch && version != ""
	if conditional {
		h.Set("If-Match", match(version, k.Version.ETag))
	}
	return w.send(ctx, k.Update.Method, k.Update.Path, nil, h, body, conditional, k.updateItem)
}

// match is a version as If-Match wants it.
func match(v record.Version, etag bool) string {
	if etag || strings.HasPrefix(string(v), `"`) {
		return string(v)
	}
	return `"` + string(v) + `"`
}

// current reads the whole record for an API that empties what it isn't sent. A
// record that is no longer what the change was decided upon is Stale.
func (w *writing) current(ctx context.Context) (map[string]any, record.Version, error) {
	a, item, _, err := w.c.get(ctx, w.k, w.op, w.ch.Ref)
	if err != nil {
		return nil, "", err
	}
	now, err := w.k.record(item, nil, w.k.OmitsEmpty)
	if err != nil {
		return nil, "", w.wrong(connectors.Malformed, "%w", err)
	}
	version := now.Version
	if w.k.Version.ETag {
		version = record.Version(a.Header.Get("ETag"))
	}
	if now.Ref != w.ch.Ref {
		return nil, "", &connectors.Error{Class: connectors.Moved, Op: w.op, Ref: now.Ref}
	}
	if w.ch.Version != "" && version != w.ch.Version || !now.Fields.Agrees(w.ch.Before) {
		return nil, "", w.wrong(connectors.Stale, "the record changed since it was read")
	}
	if err := w.keepHidden(item, version); err != nil {
		return nil, "", err
	}
	for _, name := range w.k.ReadOnly {
		if p, err := jsonx.ParsePath(name); err == nil {
			jsonx.Delete(item, p)
		}
	}
	return item, version, nil
}

// keepHidden puts into a record that is sent whole what its read by id hides, as other reads showed
// it, and refuses to send it without.
func (w *writing) keepHidden(item map[string]any, version record.Version) error {
	hidden, err := w.hidden(item, version)
	if err != nil {
		return err
	}
	for _, name := range hidden.Names() {
		p, err := jsonx.ParsePath(name)
		if err != nil {
			return w.wrong(connectors.Rejected, "%q is not a path that can be written", name)
		}
		a, err := w.k.fields[name].write(hidden[name])
		if err == nil {
			err = jsonx.Put(item, p, a)
		}
		if err != nil {
			return w.wrong(connectors.Rejected, "%s: %w", name, err)
		}
	}
	return nil
}

// hidden is what a read by id hides of a record.
func (w *writing) hidden(item map[string]any, version record.Version) (record.Fields, error) {
	hidden, err := connectors.Hidden(w.ch, version, func(name string) bool {
		if _, sub := w.k.subs[name]; sub || w.k.OmitsEmpty || w.k.status != nil && name == w.k.Status.Field {
			return true
		}
		p, err := jsonx.ParsePath(name)
		if err != nil {
			return true
		}
		for n := range p { // what stands above it may be no object: then there is nothing below
			a, shown := jsonx.At(item, p[:n])
			if _, object := a.(map[string]any); shown && !object && n > 0 {
				return true
			}
		}
		_, shown := jsonx.At(item, p)
		return shown
	})
	if err != nil {
		return nil, w.wrong(connectors.Unsupported, "%w", err)
	}
	return hidden, nil
}

// send makes a change to the record and reads what the answer shows of it.
func (w *writing) send(
	ctx context.Context, method, template string, q url.Values, h http.Header, body []byte, conditional bool, at jsonx.Path,
) (record.Record, error) {
	r, err := w.c.single(w.k, w.op, w.ch.Ref, template, restkit.WriteOld)
	if err != nil {
		return record.Record{}, err
	}
	r.Method, r.URL, r.Header, r.Body = method, w.c.client.URL(r.URL, q), h, body
	r.Known, r.Conditional = w.known(), conditional
	a, answer, err := w.c.object(ctx, r)
	if err != nil {
		return record.Record{}, err
	}
	rec := w.shown(a, answer, at)
	if rec.Ref.ID == "" {
		rec.Ref = w.ch.Ref
	}
	if rec.Ref != w.ch.Ref {
		return record.Record{}, w.c.client.Malformed(r, a, "", "the answer shows another record")
	}
	return rec, nil
}

func (w *writing) remove(ctx context.Context) (record.Record, error) {
	if w.k.Delete.Path == "" {
		return record.Record{}, w.wrong(connectors.Unsupported, "the preset names no way to remove a record")
	}
	r, err := w.c.single(w.k, w.op, w.ch.Ref, w.k.Delete.Path, restkit.WriteOld)
	if err != nil {
		return record.Record{}, err
	}
	r.Method, r.URL, r.Header, r.Known = w.k.Delete.Method, w.c.client.URL(r.URL, nil), w.header(), w.known()
	if _, _, err := w.c.object(ctx, r); err != nil {
		return record.Record{}, err
	}
	return record.Record{Ref: w.ch.Ref, Fields: record.Fields{}}, nil
}
