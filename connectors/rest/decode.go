package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/jsonx"
	"nightporter/sync/record"
)

// reader decodes rows. names are the paths that are wanted; where there are none
// the connection's own count.
func (k *kind) reader(names []string) func(connectors.Item) (record.Record, error) {
	want := k.want
	if len(names) > 0 {
		want = make([]path, 0, len(names))
		for _, n := range names {
			p, err := jsonx.ParsePath(n)
			if err != nil {
				bad := connectors.Wrong(connectors.Unsupported, "read "+string(k.name), "%w", err)
				return func(connectors.Item) (record.Record, error) { return record.Record{}, bad }
			}
			want = append(want, path{n, p})
		}
	}
	return func(item connectors.Item) (record.Record, error) {
		a, err := jsonx.Decode(item.Raw)
		if err == nil {
			if err := k.away(a, "read "+string(k.name)); err != nil {
				return record.Record{}, err
			}
			var rec record.Record
			if rec, err = k.record(a, want, k.OmitsEmpty); err == nil && k.byID() && !addressable(rec.Ref.ID) {
				err = fmt.Errorf("%w: give it another one there, for nothing can be asked or changed of it", errID)
			}
			if err == nil {
				return rec, nil
			}
		}
		return record.Record{}, &connectors.Error{
			Class: connectors.Malformed, Op: "read " + string(k.name), Ref: record.Ref{Kind: k.name, ID: item.ID}, Err: err,
		}
	}
}

// byID reports whether records of the kind are asked for or changed by their ids.
func (k *kind) byID() bool {
	return k.Get != nil || k.Update != nil || k.Delete.Path != "" || len(k.Status.Requests)+len(k.subs) > 0
}

// record reads a decoded record. Where omits is set, a path that it doesn't show
// is empty.
func (k *kind) record(a any, want []path, omits bool) (record.Record, error) {
	m, ok := a.(map[string]any)
	if !ok {
		return record.Record{}, errors.New("a record is not an object")
	}
	r := record.Record{Ref: record.Ref{Kind: k.name}}
	id, _ := jsonx.At(a, k.id)
	r.Ref.ID = idOf(id)
	if v, ok := jsonx.At(a, k.version); ok && k.version != nil {
		r.Version = record.Version(idOf(v))
	}
	if v, ok := jsonx.At(a, k.stamp); ok && k.stamp != nil {
		r.Stamp, _ = v.(string)
	}
	r.Changed = moment(a, k.changed, k.changedAt)
	r.Created = moment(a, k.created, k.createdAt)
	if v, ok := jsonx.At(a, k.changedBy); ok && k.changedBy != nil {
		r.ChangedBy = connectors.Name(idOf(v))
	}
	var err error
	if want == nil {
		r.Fields, err = k.all(m, omits)
	} else {
		r.Fields, err = k.some(m, want, omits)
	}
	if err == nil {
		k.hideContent(r.Fields)
		r.Unfinished = k.unfinished(a, want, r.Fields)
	}
	return r, err
}

func (k *kind) all(m map[string]any, omits bool) (record.Fields, error) {
	f, err := jsonx.Flatten(m)
	if err != nil {
		return nil, err
	}
	for name, typ := range k.fields {
		if v, ok := f[name]; ok {
			f[name] = typ.read(v)
		} else if _, sub := k.subs[name]; omits && !sub {
			f[name] = record.Nothing()
		}
	}
	return f, nil
}

func (k *kind) some(m map[string]any, want []path, omits bool) (record.Fields, error) {
	f := make(record.Fields, len(want))
	for _, p := range want {
		a, shown := jsonx.At(m, p.walk)
		if !shown {
			if _, sub := k.subs[p.name]; omits && !sub {
				f[p.name] = record.Nothing()
			}
			continue
		}
		v, err := record.FromJSON(a)
		if err != nil {
			return nil, fmt.Errorf("read field %s: %w", p.name, err)
		}
		f[p.name] = k.fields[p.name].read(v)
	}
	return f, nil
}

// idOf is a decoded text or number as the text of an id.
func idOf(a any) string {
	switch a := a.(type) {
	case string:
		return a
	case json.Number:
		if v, err := record.OfNumber(a.String()); err == nil {
			return v.Text()
		}
	}
	return ""
}

// moment is a time that a record shows, zero where it shows none.
func moment(a any, p jsonx.Path, c clock) time.Time {
	if p == nil {
		return time.Time{}
	}
	v, _ := jsonx.At(a, p)
	t, err := c.parse(idOf(v))
	if err != nil {
		return time.Time{}
	}
	return t
}

// day is the civil day that a record's raw JSON shows as its first (0) or last (1).
func (k *kind) day(raw []byte, i int) (string, bool) {
	v := record.OfText(jsonx.Text(jsonx.Find(raw, k.window[i])))
	return civil(k.fields[k.WindowFields[i]].read(v).Text())
}

// localTime is how a day with an hour is shown, without a zone.
const localTime = "2006-01-02T15:04:05"

// read is a shown value in the form of the field's type. What doesn't fit is left
// as it is: the mapping says what is wrong with it.
func (f field) read(v record.Value) record.Value {
	if v.Type() != record.Text && v.Type() != record.Number || v.Text() == "" {
		return v
	}
	switch f.Type {
	case "text":
		return record.OfText(v.Text())
	case "number":
		if n, err := record.OfNumber(v.Text()); err == nil {
			return n
		}
	case "bool":
		switch v.Text() {
		case "1", "true":
			return record.OfBool(true)
		case "0", "false":
			return record.OfBool(false)
		}
	case "date", "local", "instant":
		t, err := f.clock.parse(v.Text())
		if err != nil {
			return v
		}
		return record.OfText(f.shown(t))
	}
	return v
}

func (f field) shown(t time.Time) string {
	switch f.Type {
	case "date":
		return t.In(f.clock.zone).Format(time.DateOnly)
	case "local":
		return t.In(f.clock.zone).Format(localTime)
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// write is a value as the API wants it.
func (f field) write(v record.Value) (any, error) {
	if v.Type() == record.Text && v.Text() != "" {
		switch f.Type {
		case "number":
			if n, err := record.OfNumber(v.Text()); err == nil {
				v = n
			}
		case "date", "local", "instant":
			return f.writeTime(v.Text())
		}
	}
	if f.Type == "text" && v.Type() == record.Number {
		v = record.OfText(v.Text())
	}
	return jsonx.Plain(v)
}

// isOther reports whether a time is read back as another one. A form with fewer digits says the same time less
// exactly. s is the time as it was given: a clock that is put forward skips some.
func (f field) isOther(t time.Time, s string, back time.Time) bool {
	if f.Type == "date" {
		return f.shown(back) != s
	}
	if given, err := time.Parse(localTime, s); err == nil && !f.clock.wall(t).Equal(given) {
		return true
	}
	cut := f.clock.wall(t).Sub(f.clock.wall(back))
	return cut >= 0 && cut < time.Hour && t.Sub(back) != cut
}

func (f field) writeTime(s string) (any, error) {
	layout := map[string]string{"date": time.DateOnly, "local": localTime, "instant": time.RFC3339Nano}[f.Type]
	t, err := time.ParseInLocation(layout, s, f.clock.zone)
	if err != nil {
		return nil, fmt.Errorf("the value is no %s", f.Type)
	}
	text, number := f.clock.text(t)
	if back, err := f.clock.parse(text); err != nil || f.isOther(t, s, back) {
		return nil, errors.New("the value is a time that the clock shows twice or skips: in the format of this API it would be read as another one")
	}
	if number {
		return json.Number(text), nil
	}
	return text, nil
}
