package rest

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed presets/*.yaml
var embedded embed.FS

// Presets is the names of the presets that are built in.
func Presets() []string {
	files, err := embedded.ReadDir("presets")
	if err != nil {
		return nil
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(f.Name(), ".yaml")
	}
	return names
}

// Load reads a preset: the text of a user's file, or, where file is nil, the one
// built in under that name. override replaces parts of it key by key; a null takes
// a key away. Every key that isn't known is an error that names its line and the
// nearest one that is.
func Load(name string, file []byte, override map[string]any) (Preset, error) {
	if file == nil {
		var err error
		if file, err = embedded.ReadFile("presets/" + name + ".yaml"); err != nil {
			return Preset{}, fmt.Errorf("preset %q is not built in; there are: %s", name, strings.Join(Presets(), ", "))
		}
	}
	p, err := decode(file, override)
	if err != nil {
		return Preset{}, fmt.Errorf("read preset %s: %w", name, err)
	}
	if p.Name == "" {
		p.Name = name
	}
	if _, err := compile(p, nil); err != nil {
		return Preset{}, fmt.Errorf("read preset %s: %w", name, err)
	}
	return p, nil
}

func decode(file []byte, override map[string]any) (Preset, error) {
	var doc, over yaml.Node
	if err := yaml.Unmarshal(file, &doc); err != nil {
		return Preset{}, fmt.Errorf("not YAML: %w", err)
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return Preset{}, errors.New("it holds no keys")
	}
	nodes := 0
	root, err := copied(doc.Content[0], &nodes)
	if err != nil {
		return Preset{}, err
	}
	if len(override) > 0 {
		if err := over.Encode(override); err != nil {
			return Preset{}, fmt.Errorf("read what the configuration overrides: %w", err)
		}
		merge(root, &over)
	}
	if err := unknown(root, reflect.TypeFor[Preset](), ""); err != nil {
		return Preset{}, err
	}
	var p Preset
	if err := root.Decode(&p); err != nil {
		return Preset{}, fmt.Errorf("wrong value: %w", err)
	}
	return p, nil
}

// mostNodes is how many values a preset may have, those that aliases repeat among them.
const mostNodes = 100_000

// copied is a node with a copy of its own in the place of each alias, so that what is laid
// over one of them changes no other, and finds what is there.
func copied(n *yaml.Node, nodes *int) (*yaml.Node, error) {
	if *nodes++; *nodes > mostNodes {
		return nil, fmt.Errorf("it has more than %d values: does an alias hold itself?", mostNodes)
	}
	if n.Kind == yaml.AliasNode {
		return copied(n.Alias, nodes)
	}
	out := *n
	out.Anchor, out.Content = "", make([]*yaml.Node, len(n.Content))
	for i, e := range n.Content {
		var err error
		if out.Content[i], err = copied(e, nodes); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// merge puts the mapping over into the mapping under.
func merge(under, over *yaml.Node) {
	for i := 0; i+1 < len(over.Content); i += 2 {
		key, v := over.Content[i], over.Content[i+1]
		at := index(under, key.Value)
		switch {
		case v.Tag == "!!null":
			if at >= 0 {
				under.Content = slices.Delete(under.Content, at-1, at+1)
			}
		case at < 0:
			under.Content = append(under.Content, key, v)
		case under.Content[at].Kind == yaml.MappingNode && v.Kind == yaml.MappingNode:
			merge(under.Content[at], v)
		default:
			under.Content[at] = v
		}
	}
}

// index is where the value of key stands in a mapping's content, -1 for nowhere.
func index(m *yaml.Node, key string) int {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return i + 1
		}
	}
	return -1
}

// unknown reports the keys of n that t has no field for.
func unknown(n *yaml.Node, t reflect.Type, at string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var errs []error
	switch {
	case n.Kind == yaml.SequenceNode && t.Kind() == reflect.Slice:
		for i, e := range n.Content {
			errs = append(errs, unknown(e, t.Elem(), fmt.Sprintf("%s[%d]", at, i)))
		}
	case n.Kind == yaml.MappingNode && t.Kind() == reflect.Map:
		for i := 0; i+1 < len(n.Content); i += 2 {
			errs = append(errs, unknown(n.Content[i+1], t.Elem(), join(at, n.Content[i].Value)))
		}
	case n.Kind == yaml.MappingNode && t.Kind() == reflect.Struct:
		known := map[string]reflect.Type{}
		for f := range t.Fields() {
			known[f.Tag.Get("yaml")] = f.Type
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			ft, ok := known[key.Value]
			if !ok {
				errs = append(errs, fmt.Errorf("%s: unknown key %q%s", where(key), join(at, key.Value), nearest(key.Value, slices.Sorted(maps.Keys(known)))))
				continue
			}
			errs = append(errs, unknown(n.Content[i+1], ft, join(at, key.Value)))
		}
	}
	return errors.Join(errs...)
}

func join(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}

func where(n *yaml.Node) string {
	if n.Line == 0 {
		return "in the configuration's own part"
	}
	return fmt.Sprintf("line %d", n.Line)
}

// nearest proposes the word that key may have been meant to be.
func nearest(key string, words []string) string {
	best, least := "", 1+len(key)/2
	for _, w := range words {
		if d := distance(key, w); d <= least && (best == "" || d < distance(key, best)) {
			best = w
		}
	}
	if best == "" {
		return "; there are: " + strings.Join(words, ", ")
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance is how many letters must be put in, taken out or changed.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := last
			if a[i] != b[j] {
				cost++
			}
			last = row[j+1]
			row[j+1] = min(cost, row[j]+1, last+1)
		}
	}
	return row[len(b)]
}
