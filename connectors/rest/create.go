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

// rename moves what is sent under another path than the one that it is read at.
func (w *writing) rename(m map[string]any) {
	for _, n := range w.k.createNames {
		if v, ok := jsonx.At(m, n.from); ok {
			jsonx.Delete(m, n.from)
			jsonx.Set(m, n.to, v)
		}
	}
}
