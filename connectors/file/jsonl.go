package file

import (
	"strings"

	"nightporter/connectors/jsonx"
)

// parseJSONL reads one object a line. Blank lines are passed over.
func (p *part) parseJSONL(f File) error {
	at, line := 0, 0
	for at < len(p.text) {
		line++
		end := len(p.text)
		if i := strings.IndexByte(p.text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		w := row{part: p, line: line, start: at, end: end}
		at = end
		text := strings.TrimSpace(p.text[w.start:w.end])
		if text == "" {
			continue
		}
		v, err := jsonx.Decode([]byte(text))
		object, ok := v.(map[string]any)
		switch {
		case err != nil:
			w.problem, w.unread = "it is no JSON", true
		case !ok:
			w.problem, w.unread = "it is no object", true
		default:
			w.object = object
		}
		if p.rows = append(p.rows, w); len(p.rows) > f.MaxRows {
			return tooMany(f.MaxRows)
		}
	}
	p.crlf = strings.HasSuffix(p.text, "\r\n")
	return nil
}

// lineJSONL is an object as it is written, with its line end.
func (p *part) lineJSONL(object map[string]any) (string, error) {
	b, err := jsonx.Encode(object)
	if err != nil {
		return "", err
	}
	return string(b) + lineEnd(p), nil
}

// clone copies an object, so that what is changed in it is not changed in what others
// read.
func clone(a any) any {
	switch t := a.(type) {
	case map[string]any:
		out := make(map[string]any, len(t))
		for k, v := range t {
			out[k] = clone(v)
		}
		return out
	case []any:
		out := make([]any, len(t))
		for i, v := range t {
			out[i] = clone(v)
		}
		return out
	}
	return a
}
