package rest

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"nightporter/connectors"
	"nightporter/connectors/jsonx"
	"nightporter/sync/record"
)

// inPlace is the path that a text stands for, false if it is sent as it stands.
func inPlace(text string) (path string, ok bool) {
	m := places.FindStringSubmatch(text)
	if m == nil || m[0] != text || m[1] == "" {
		return "", false
	}
	return m[1], true
}

// texts walks all texts of a body.
func texts(at any, see func(text string)) {
	switch v := at.(type) {
	case string:
		see(v)
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			texts(v[name], see)
		}
	case []any:
		for _, e := range v {
			texts(e, see)
		}
	}
}

// carries is the paths whose values a request takes along.
func (a Action) carries() []string {
	var out []string
	note := func(text string) {
		if p, ok := inPlace(text); ok && p != "id" {
			out = append(out, p)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Query)) {
		note(a.Query[name])
	}
	texts(a.Body, note)
	slices.Sort(out)
	return slices.Compact(out)
}

// carries is what each request for a status takes along.
func (k *kind) carries() map[string][]string {
	out := map[string][]string{}
	for word, a := range k.Status.Requests {
		if paths := a.carries(); len(paths) > 0 {
			out[word] = paths
		}
	}
	return out
}

// notNew is the paths that no create takes. A status that is read only and has requests of
// its own is one of them.
func (k *kind) notNew(d connectors.Kind) []string {
	if k.Create == nil {
		return nil
	}
	out := slices.Clone(k.Create.Without)
	if k.Status.Field != "" && d.Unwritable(k.Status.Field) != "" && !slices.Contains(out, k.Status.Field) {
		out = append(out, k.Status.Field)
	}
	return out
}

func (w *writing) action(ctx context.Context) (record.Record, error) {
	none, k := record.Record{}, w.k
	if k.status == nil {
		return none, w.wrong(connectors.Unsupported, "the preset names no request that changes a status")
	}
	v := w.ch.Fields[k.Status.Field]
	req, ok := k.Status.Requests[v.Text()]
	for _, name := range w.ch.Fields.Names() {
		if name != k.Status.Field && !slices.Contains(k.can.Carries[v.Text()], name) || !v.Observed() {
			return none, w.wrong(connectors.Unsupported, "an action changes %s and nothing else", k.Status.Field)
		}
	}
	if !ok {
		return none, w.wrong(connectors.Unsupported, "the preset names no request that sets %s to %s", k.Status.Field, v)
	}
	query, body, err := w.told(req)
	if err != nil {
		return none, err
	}
	item, err := jsonx.ParsePath(first(req.Item, "."))
	if req.Item == "" {
		item, err = k.getItem, nil
	}
	if err != nil {
		return none, w.wrong(connectors.Unsupported, "%w", err)
	}
	return w.send(ctx, first(req.Method, http.MethodPost), req.Path, query, w.header(), body, false, item)
}

// told is the query and the body of a request, with what the record is to hold in its place.
func (w *writing) told(req Action) (url.Values, []byte, error) {
	query := url.Values{}
	for name, text := range req.Query {
		v, err := w.inText(text)
		if err != nil {
			return nil, nil, err
		}
		if v != nil {
			query.Set(name, fmt.Sprint(v))
		}
	}
	if req.Body == nil {
		return query, nil, nil
	}
	filled, err := w.filled(req.Body)
	if err != nil {
		return nil, nil, err
	}
	body, err := jsonx.Encode(filled)
	if err != nil {
		return nil, nil, w.wrong(connectors.Unsupported, "the body that the preset names: %w", err)
	}
	return query, body, nil
}

// filled is a part of a body with each place filled in. What has no value is left out.
func (w *writing) filled(at any) (any, error) {
	switch v := at.(type) {
	case string:
		return w.inText(v)
	case map[string]any:
		out := map[string]any{}
		for name, e := range v {
			inner, err := w.filled(e)
			if err != nil {
				return nil, err
			}
			if _, text := e.(string); inner != nil || !text {
				out[name] = inner
			}
		}
		return out, nil
	case []any:
		out := []any{}
		for _, e := range v {
			inner, err := w.filled(e)
			if err != nil {
				return nil, err
			}
			if _, text := e.(string); inner != nil || !text {
				out = append(out, inner)
			}
		}
		return out, nil
	}
	return at, nil
}

// inText is what a text stands for; nil where that is nothing.
func (w *writing) inText(text string) (any, error) {
	p, ok := inPlace(text)
	if !ok {
		return text, nil
	}
	if p == "id" {
		return w.ch.Ref.ID, nil
	}
	v := w.ch.Fields[p]
	if !v.Observed() || v.Empty() {
		return nil, nil //nolint:nilnil // nothing is what stands there
	}
	a, err := w.k.fields[p].write(v)
	if err != nil {
		return nil, w.wrong(connectors.Rejected, "%s: %w", p, err)
	}
	return a, nil
}
