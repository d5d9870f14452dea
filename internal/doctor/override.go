package doctor

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"nightporter/connectors/rest"
)

// changes are the findings that say something else than the preset, as keys to be laid
// over it.
func changes(p rest.Preset, b *book) []Finding {
	now := generic(p)
	var out []Finding
	for _, f := range b.all {
		if f.Key == "" || !f.sure() || same(lookup(now, f), normal(f.Value)) {
			continue
		}
		out = append(out, f)
	}
	return out
}

// path is the way to a finding's key in a preset.
func (f Finding) path() []string {
	keys := strings.Split(f.Key, ".")
	if f.Kind == "" {
		return keys
	}
	return append([]string{"kinds", f.Kind}, keys...)
}

// generic is a preset as maps and lists, as its YAML would be.
func generic(p rest.Preset) any { return normal(p) }

// normal is a value as YAML has it, without what is empty.
func normal(v any) any {
	text, err := yaml.Marshal(v)
	if err != nil {
		return nil
	}
	var out any
	if err := yaml.Unmarshal(text, &out); err != nil {
		return nil
	}
	return pruned(out)
}

// pruned takes out what means the same as no key: nothing, false, 0 and what is empty.
func pruned(v any) any {
	switch t := v.(type) {
	case map[string]any:
		for key, e := range t {
			if t[key] = pruned(e); t[key] == nil {
				delete(t, key)
			}
		}
		if len(t) == 0 {
			return nil
		}
		return t
	case []any:
		if len(t) == 0 {
			return nil
		}
		for i := range t {
			t[i] = pruned(t[i])
		}
		return t
	}
	if v == nil || v == "0s" || reflect.ValueOf(v).IsZero() {
		return nil
	}
	return v
}

func lookup(v any, f Finding) any {
	for _, key := range f.path() {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

// same compares two values; times are RFC 3339 where nothing else is said.
func same(a, b any) bool {
	for _, v := range []any{a, b} {
		if m, ok := v.(map[string]any); ok && m["format"] == "rfc3339" {
			delete(m, "format")
		}
	}
	return reflect.DeepEqual(a, b)
}

// tree is keys with what is below them, or a finding.
type tree struct {
	leaf *Finding
	kids map[string]*tree
}

// override is the changes as YAML, each line with its evidence behind it.
func override(p rest.Preset, b *book) string {
	root := &tree{kids: map[string]*tree{}}
	for _, f := range changes(p, b) {
		at := root
		for _, key := range f.path() {
			if at.kids[key] == nil {
				at.kids[key] = &tree{kids: map[string]*tree{}}
			}
			at = at.kids[key]
		}
		at.leaf = &f
	}
	if len(root.kids) == 0 {
		return ""
	}
	var out strings.Builder
	out.WriteString("override:\n")
	root.write(&out, 1)
	return out.String()
}

func (t *tree) write(out *strings.Builder, depth int) {
	for _, key := range slices.Sorted(maps.Keys(t.kids)) {
		kid := t.kids[key]
		fmt.Fprintf(out, "%s%s:", strings.Repeat("  ", depth), flow(key))
		if kid.leaf == nil {
			out.WriteString("\n")
			kid.write(out, depth+1)
			continue
		}
		word := ""
		if kid.leaf.Confidence != Known {
			word = string(kid.leaf.Confidence) + ": "
		}
		fmt.Fprintf(out, " %s  # %s%s\n", flow(kid.leaf.Value), word, kid.leaf.Evidence)
	}
}

// flow is a value as YAML on one line.
func flow(v any) string {
	var n yaml.Node
	if err := n.Encode(v); err != nil {
		return "null"
	}
	oneLine(&n)
	text, err := yaml.Marshal(&n)
	if err != nil {
		return "null"
	}
	return strings.TrimSpace(string(text))
}

func oneLine(n *yaml.Node) {
	n.Style |= yaml.FlowStyle
	for _, c := range n.Content {
		oneLine(c)
	}
}
