package jsonx

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"nightporter/sync/record"
)

// Decode reads one JSON value, numbers as json.Number. Anything after it is an
// error.
func Decode(b []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var a any
	if err := dec.Decode(&a); err != nil {
		return nil, fmt.Errorf("decode JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("decode JSON: something follows the value")
	}
	return a, nil
}

// Flatten is every field of an object by its path: objects as a whole and their
// members too, so that either can be mapped.
func Flatten(m map[string]any) (record.Fields, error) {
	f := record.Fields{}
	return f, flatten(f, nil, m)
}

func flatten(f record.Fields, at Path, m map[string]any) error {
	for name, a := range m {
		p := append(slices.Clip(at), name)
		v, err := record.FromJSON(a)
		if err != nil {
			return fmt.Errorf("read field %s: %w", p, err)
		}
		f[p.String()] = v
		if inner, ok := a.(map[string]any); ok {
			if err := flatten(f, p, inner); err != nil {
				return err
			}
		}
	}
	return nil
}

// Plain is v as encoding/json writes it. Absent values and contents have no such
// form.
func Plain(v record.Value) (any, error) {
	switch v.Type() {
	case record.Null:
		return nil, nil //nolint:nilnil // null is the value
	case record.Text:
		return v.Text(), nil
	case record.Number:
		return json.Number(v.Text()), nil
	case record.Bool:
		return v.Bool(), nil
	case record.List:
		list := make([]any, len(v.List()))
		for i, e := range v.List() {
			var err error
			if list[i], err = Plain(e); err != nil {
				return nil, err
			}
		}
		return list, nil
	case record.Map:
		dict := make(map[string]any, len(v.Map()))
		for k, e := range v.Map() {
			if !e.Observed() {
				continue
			}
			var err error
			if dict[k], err = Plain(e); err != nil {
				return nil, err
			}
		}
		return dict, nil
	case record.Absent, record.Content:
	}
	return nil, fmt.Errorf("a value of type %s can't be written as JSON", v.Type())
}

// Encode writes decoded JSON, or what Plain gave, with sorted keys and without
// escaping what only web pages need escaped.
func Encode(a any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(a); err != nil {
		return nil, fmt.Errorf("encode JSON: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
