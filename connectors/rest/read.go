package rest

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/connectors/internal/restkit"
	"nightporter/connectors/jsonx"
	"nightporter/sync/record"
)

// Get reads one record and what belongs to it on addresses of its own.
func (c *Conn) Get(ctx context.Context, ref record.Ref, scope connectors.Scope) (record.Record, error) {
	op := "get " + string(ref.Kind)
	k, err := c.kind(ref.Kind, op)
	if err != nil {
		return record.Record{}, err
	}
	_, item, rec, err := c.get(ctx, k, op, ref)
	if err != nil {
		return record.Record{}, err
	}
	if rec.Ref != ref {
		return record.Record{}, &connectors.Error{Class: connectors.Moved, Op: op, Ref: rec.Ref}
	}
	if err := k.away(item, op); err != nil {
		return record.Record{}, err
	}
	if !k.within(item, scope) {
		return record.Record{}, &connectors.Error{Class: connectors.OutOfScope, Op: op, Ref: ref}
	}
	failed, err := c.subReads(ctx, k, op, item, &rec)
	if err != nil {
		return rec, err
	}
	if rec.Unfinished = k.unfinished(item, k.want, rec.Fields); rec.Unfinished != nil && len(failed) > 0 {
		slices.Sort(failed)
		rec.Unfinished.Failed = strings.Join(failed, "; ")
	}
	return rec, nil
}

// get asks for a record and gives its answer, the decoded item and the record.
func (c *Conn) get(ctx context.Context, k *kind, op string, ref record.Ref) (*restkit.Answer, map[string]any, record.Record, error) {
	none := record.Record{}
	if k.Get == nil {
		return nil, nil, none, connectors.Wrong(connectors.Unsupported, op, "the preset names no way to read one record")
	}
	r, err := c.single(k, op, ref, k.Get.Path, restkit.ReadOne)
	if err != nil {
		return nil, nil, none, err
	}
	r.Method, r.URL = http.MethodGet, c.client.URL(r.URL, values(k.Get.Params))
	a, body, err := c.object(ctx, r)
	if err != nil {
		return nil, nil, none, err
	}
	v, _ := jsonx.At(body, k.getItem)
	item, ok := v.(map[string]any)
	if !ok {
		return nil, nil, none, c.client.Malformed(r, a, "look at get.item in the preset", "there is no record at %q", k.getItem)
	}
	rec, err := k.record(item, k.want, k.OmitsEmpty)
	if err != nil {
		return nil, nil, none, c.client.Malformed(r, a, "", "%w", err)
	}
	if rec.Ref.ID == "" {
		return nil, nil, none, c.client.Malformed(r, a, "look at get.item and id in the preset", "the record shows no id at %q", k.id)
	}
	if k.Version.ETag {
		rec.Version = record.Version(a.Header.Get("ETag"))
	}
	return a, item, rec, nil
}

// single is a request on one record; its URL is still a path.
func (c *Conn) single(k *kind, op string, ref record.Ref, template string, goal restkit.Goal) (restkit.Request, error) {
	r := restkit.Request{Op: op, Ref: ref, Goal: goal, Exists: k.exists, NoRoom: k.noRoom}
	var err error
	if r.URL, err = fill(template, "id", ref.ID); err != nil {
		e := connectors.Wrong(connectors.Rejected, op, "%w", err)
		e.Ref = ref
		return r, e
	}
	return r, nil
}

func values(params map[string]string) url.Values {
	q := url.Values{}
	for name, v := range params {
		q.Set(name, v)
	}
	return q
}

// within reports whether a record touches the days of scope. One whose days can't
// be read is taken to.
func (k *kind) within(item map[string]any, scope connectors.Scope) bool {
	if len(k.window) != 2 || scope == (connectors.Scope{}) {
		return true
	}
	day := func(i int) (string, bool) {
		a, _ := jsonx.At(item, k.window[i])
		v, err := record.FromJSON(a)
		if err != nil {
			return "", false
		}
		return civil(k.fields[k.WindowFields[i]].read(v).Text())
	}
	from, okFrom := day(0)
	to, okTo := day(1)
	before := okTo && scope.From != "" && to < scope.From
	behind := okFrom && scope.To != "" && from > scope.To
	return !before && !behind
}

// subReads adds what is read on addresses of its own. A field that comes later than its
// record is asked for only where the record has it.
//
// failed is why fields could not be read that come later: that one of them can't be read
// keeps nothing else of the record from being known.
func (c *Conn) subReads(ctx context.Context, k *kind, op string, item any, rec *record.Record) (failed []string, err error) {
	for name, p := range k.subs {
		if !k.mayShow(item, name) {
			continue
		}
		if k.want != nil && !slices.ContainsFunc(k.want, func(w path) bool { return w.name == name }) {
			continue
		}
		r, err := c.single(k, op, rec.Ref, k.SubReads[name].Path, restkit.ReadOne)
		if err != nil {
			return nil, err
		}
		r.Op, r.Method, r.URL = op+" "+name, http.MethodGet, c.client.URL(r.URL, nil)
		r.Empty = append([]int{http.StatusNotFound, http.StatusNoContent, http.StatusAccepted}, k.SubReads[name].NotYet...) // not there yet: not shown
		a, body, err := c.object(ctx, r)
		if connectors.ClassOf(err) == connectors.NotFound { // of the field, not of the record
			continue
		}
		if err != nil && ctx.Err() == nil && k.comesLater(name) && ofPart(err) {
			failed = append(failed, err.Error())
			continue
		}
		if err != nil {
			return nil, err
		}
		v, shown := jsonx.At(body, p.walk)
		if a.Empty || !shown {
			continue
		}
		val, err := record.FromJSON(v)
		if err != nil {
			return nil, c.client.Malformed(r, a, "", "%w", err)
		}
		rec.Fields[name] = k.fields[name].read(val)
	}
	return failed, nil
}

// Find asks for the records whose fields hold just these values.
func (c *Conn) Find(ctx context.Context, name record.Kind, by record.Fields, scope connectors.Scope) ([]record.Record, error) {
	op := "find " + string(name)
	k, err := c.kind(name, op)
	if err != nil {
		return nil, err
	}
	names := by.Names()
	i := slices.IndexFunc(k.finds, func(f finder) bool {
		return slices.Equal(slices.Sorted(slices.Values(f.By)), names)
	})
	if i < 0 {
		return nil, connectors.Wrong(connectors.Unsupported, op, "the preset names no way to look up by %s", strings.Join(names, " and "))
	}
	f := k.finds[i]
	r, err := c.question(k, f, op, by)
	if err != nil {
		return nil, err
	}
	var items []any
	if f.item != nil {
		items, err = c.findOne(ctx, f, r)
	} else {
		items, err = c.findMany(ctx, k, f, r)
	}
	if err != nil {
		return nil, err
	}
	var found []record.Record
	for _, item := range items {
		rec, err := k.record(item, k.want, k.OmitsEmpty)
		if err != nil {
			return nil, connectors.Wrong(connectors.Malformed, op, "%w", err)
		}
		if m, ok := item.(map[string]any); ok && k.within(m, scope) && k.away(m, op) == nil {
			found = append(found, rec)
		}
	}
	return found, nil
}

func (c *Conn) question(k *kind, f finder, op string, by record.Fields) (restkit.Request, error) {
	r := restkit.Request{Op: op, Goal: restkit.ReadFind, Method: http.MethodGet}
	q, address := values(f.Fixed), f.Path
	texts := map[string]string{}
	for name, v := range by {
		a, err := k.fields[name].write(v)
		if err != nil {
			return r, connectors.Wrong(connectors.Rejected, op, "%s: %w", name, err)
		}
		pv, err := record.FromJSON(a)
		if err != nil || pv.Text() == "" {
			return r, connectors.Wrong(connectors.Unsupported, op, "%s holds nothing that can be asked for", name)
		}
		texts[name] = pv.Text()
		r.Known = append(r.Known, v.Text(), pv.Text())
		if strings.Contains(address, "{"+name+"}") {
			if address, err = fill(address, name, pv.Text()); err != nil {
				return r, connectors.Wrong(connectors.Rejected, op, "%s: %w", name, err)
			}
		}
	}
	for param, name := range f.Params {
		q.Set(param, texts[name])
	}
	if k.List.LimitParam != "" && f.item == nil {
		q.Set(k.List.LimitParam, itoa(c.limit(k)))
	}
	r.URL = c.client.URL(address, q)
	return r, nil
}

func (c *Conn) findOne(ctx context.Context, f finder, r restkit.Request) ([]any, error) {
	r.Goal, r.Empty = restkit.ReadOne, []int{http.StatusNotFound, http.StatusGone, http.StatusNoContent}
	a, body, err := c.object(ctx, r)
	if connectors.ClassOf(err) == connectors.NotFound {
		return nil, nil
	}
	if err != nil || a.Empty {
		return nil, err
	}
	item, shown := jsonx.At(body, f.item)
	if !shown {
		return nil, c.client.Malformed(r, a, "look at the find's item in the preset", "there is no record at %q", f.item)
	}
	if item == nil {
		return nil, nil
	}
	return []any{item}, nil
}

func (c *Conn) findMany(ctx context.Context, k *kind, f finder, r restkit.Request) ([]any, error) {
	r.Empty = k.List.EmptyStatus
	k.asksLines(&r)
	a, err := c.client.Do(ctx, r)
	if err != nil || a.Empty {
		return nil, err
	}
	list, err := k.splitBody(f.split, a.Body)
	if err := c.splitError(r, a, list, err, k.List.NullIsEmpty); err != nil {
		return nil, err
	}
	items := make([]any, len(list.Items))
	for i, row := range list.Items {
		if items[i], err = jsonx.Decode(row.Raw); err != nil {
			return nil, c.client.Malformed(r, a, "", "%w", err)
		}
	}
	return items, nil
}
