package rest

import (
	"strings"

	"nightporter/connectors"
	"nightporter/connectors/jsonx"
	"nightporter/sync/record"
)

// placed is what of a new record is sent in the body, and the path that it is sent to:
// what stands in the path is not sent beside. A path with a name that has no value leads
// nowhere: nothing is sent.
func (w *writing) placed(f record.Fields) (record.Fields, string, error) {
	path := w.k.Create.Path
	if !strings.Contains(path, "{") {
		return f, path, nil
	}
	f = f.Clone()
	for _, name := range f.Names() {
		if !strings.Contains(path, "{"+name+"}") {
			continue
		}
		var err error
		if path, err = fill(path, name, f[name].Text()); err != nil {
			return nil, "", w.wrong(connectors.Rejected, "%s belongs into the address: %w", name, err)
		}
		delete(f, name)
	}
	if from, to := strings.Index(path, "{"), strings.Index(path, "}"); from >= 0 && to > from {
		return nil, "", w.wrong(connectors.Rejected, "%s belongs into the address and has no value: write it under on_create, or into create.path of the preset", path[from+1:to])
	}
	return f, path, nil
}

// rename moves what is sent under another path than the one that it is read at. All is
// taken out before any of it is put back: a name may be given to one and taken from another.
func (w *writing) rename(m map[string]any) error {
	moved := map[int]any{}
	for i, n := range w.k.createNames {
		if v, ok := jsonx.At(m, n.from); ok {
			moved[i] = v
		}
	}
	for i := range moved {
		take(m, w.k.createNames[i].from)
	}
	for i, n := range w.k.createNames {
		if v, ok := moved[i]; ok {
			if err := jsonx.Put(m, n.to, v); err != nil {
				return w.wrong(connectors.Rejected, "create.names.%s: %w", n.from, err)
			}
		}
	}
	return nil
}

// take takes what stands at p out of m, with the objects on the way that are empty then.
func take(m map[string]any, p jsonx.Path) {
	jsonx.Delete(m, p)
	for n := len(p) - 1; n > 0; n-- {
		if on, _ := jsonx.At(m, p[:n]); len(asObject(on)) > 0 {
			return
		}
		jsonx.Delete(m, p[:n])
	}
}

func asObject(a any) map[string]any {
	m, _ := a.(map[string]any)
	return m
}
