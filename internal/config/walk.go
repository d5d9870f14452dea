package config

import (
	"encoding"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// walker holds a layer against the raw types. What is wrong is reported and taken
// out of the layer, so that the rest can be decoded and looked at further.
type walker struct {
	tree     *tree
	all      layers
	mistakes []Mistake
	// gone are the paths that were taken out: nobody needs to hear that a key is
	// missing whose value was just called wrong.
	gone map[string]bool
}

func (w *walker) report(path []string, line int, format string, args ...any) {
	m := w.tree.where(Mistake{Text: fmt.Sprintf(format, args...)}, path)
	if line > 0 {
		m.Line = line
	}
	w.mistakes = append(w.mistakes, m)
	w.gone[join(path)] = true
}

// check reports whether a value can stay.
func (w *walker) check(n *yaml.Node, typ reflect.Type, path []string) bool {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	text := scalarTag(n)
	if len(path) > 0 && path[len(path)-1] == "empty" && text == "!!null" {
		// Here null is a word like any other.
		n.Tag, n.Value, text = "!!str", string(EmptyNull), "!!str"
	}
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		w.report(path, n.Line, "anchors (& and *) are not used here: write the value out, or put it in \"quotes\"")
	case n.Style&yaml.TaggedStyle != 0:
		w.report(path, n.Line, "tags (!) are not used here: put the value in \"quotes\"")
	case text == "!!null" && typ.Kind() != reflect.Interface:
		w.report(path, n.Line, "empty: give it a value or delete the line")
	case typ == typeAmount, typ == typeLimit && n.Kind == yaml.ScalarNode:
		return w.amount(n, text, path)
	case typ == typeScalar:
		return w.scalar(n, path)
	case typ.Kind() == reflect.Interface:
		return w.free(n, path)
	case typ == typeWords && n.Kind == yaml.ScalarNode, typ == typePerSystem && n.Kind == yaml.ScalarNode,
		typ == typeSide && n.Kind == yaml.ScalarNode, typ == typeGone && n.Kind == yaml.ScalarNode, typ == typeSignature && n.Kind == yaml.ScalarNode,
		typ == typeSubscribe && n.Kind == yaml.ScalarNode,
		typ.Kind() == reflect.String:
		return w.text(n, text, path)
	case reflect.PointerTo(typ).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return w.unmarshals(n, text, typ, path)
	case typ.Kind() == reflect.Int:
		if text != "!!int" || !plainNumber.MatchString(n.Value) {
			w.report(path, n.Line, "must be a whole number")
			return false
		}
		return true
	case typ.Kind() == reflect.Bool:
		if text != "!!bool" {
			w.report(path, n.Line, "must be true or false")
			return false
		}
		return true
	case typ.Kind() == reflect.Slice:
		return w.list(n, typ, path)
	default:
		return w.block(n, typ, path)
	}
	return false
}

// scalarTag is what YAML takes a value for, or "" for a list or block.
func scalarTag(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.ShortTag()
}

func (w *walker) text(n *yaml.Node, tag string, path []string) bool {
	switch tag {
	case "!!str":
		if n.Value != "" || slices.Contains([]string{"prefix", "join"}, path[len(path)-1]) {
			return true
		}
		w.report(path, n.Line, "empty: give it a value or delete the line")
	case "":
		w.report(path, n.Line, "must be a text, not a list or a block")
	case "!!int", "!!float", "!!bool":
		if secretKey(path) {
			w.report(path, n.Line, "%s", literalSecret)
			return false
		}
		fallthrough
	default:
		w.report(path, n.Line, "must be a text: put it in \"quotes\"")
	}
	return false
}

// secretKey reports whether a path is that of a secret.
func secretKey(path []string) bool {
	at := join(path[min(len(path), 2):])
	if len(path) > 2 && path[0] == "events" {
		return at == "secret"
	}
	return len(path) > 2 && path[0] == "systems" && (at == "key" || at == "password" || at == join([]string{"webhooks", "secret"}))
}

// unmarshals checks a value that reads itself from its text.
func (w *walker) unmarshals(n *yaml.Node, tag string, typ reflect.Type, path []string) bool {
	v, ok := reflect.TypeAssert[encoding.TextUnmarshaler](reflect.New(typ))
	if !ok {
		return false
	}
	err := v.UnmarshalText([]byte(n.Value))
	if err == nil && tag == "!!str" {
		return true
	}
	if err == nil {
		err = fmt.Errorf("must be a text: put it in \"quotes\"")
	}
	w.report(path, n.Line, "%s", err)
	return false
}

// plainNumber is what reads the same to everybody: 010 is 8 to YAML, and +39 a
// number that lost its plus.
var plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,17})(\.[0-9]+)?$`)

func (w *walker) scalar(n *yaml.Node, path []string) bool {
	switch tag := scalarTag(n); {
	case tag == "!!str", tag == "!!bool":
		return true
	case (tag == "!!int" || tag == "!!float") && plainNumber.MatchString(n.Value):
		return true
	case tag == "":
		w.report(path, n.Line, "must be one value, not a list or a block")
	default:
		w.report(path, n.Line, "not clear what is meant: put it in \"quotes\" if it is a text")
	}
	return false
}

// free checks what belongs to somebody else, such as the keys of a preset.
func (w *walker) free(n *yaml.Node, path []string) bool {
	switch n.Kind { //nolint:exhaustive // what else there is was refused before
	case yaml.MappingNode:
		w.keys(n, path, func(_ string, v *yaml.Node, at []string) bool {
			return w.check(v, reflect.TypeFor[any](), at)
		})
	case yaml.SequenceNode:
		for _, v := range n.Content {
			if !w.check(v, reflect.TypeFor[any](), path) {
				return false
			}
		}
	default:
		if tag := scalarTag(n); tag == "!!timestamp" || tag == "!!binary" {
			w.report(path, n.Line, "a date must stand in \"quotes\"")
			return false
		}
	}
	return true
}

func (w *walker) list(n *yaml.Node, typ reflect.Type, path []string) bool {
	if n.Kind != yaml.SequenceNode {
		w.report(path, n.Line, "must be a list: [one, two]")
		return false
	}
	for _, v := range n.Content {
		if !w.check(v, typ.Elem(), path) {
			return false
		}
	}
	return true
}

func (w *walker) block(n *yaml.Node, typ reflect.Type, path []string) bool {
	if n.Kind != yaml.MappingNode {
		w.report(path, n.Line, "must be a block of keys with values")
		return false
	}
	if typ.Kind() == reflect.Map {
		w.keys(n, path, func(_ string, v *yaml.Node, at []string) bool { return w.check(v, typ.Elem(), at) })
		return true
	}
	names, types := tags(typ)
	w.keys(n, path, func(key string, v *yaml.Node, at []string) bool {
		next, ok := types[key]
		known := names
		if !ok {
			var more []string
			next, more = w.more(typ, key, path, v)
			known = slices.Concat(names, more)
		}
		if next == nil {
			w.unknown(key, known, at)
			return false
		}
		return w.check(v, next, at)
	})
	return true
}

// more is the type of a key that the user's own names allow, and which those are.
func (w *walker) more(typ reflect.Type, key string, path []string, v *yaml.Node) (reflect.Type, []string) {
	if (typ != typeJob && typ != typeField) || len(path) < 2 {
		return nil, nil
	}
	systems := w.systems(path)
	if typ == typeField {
		if slices.Contains(systems, key) {
			return typeSide, systems
		}
		return nil, systems
	}
	fields := w.all.keys(path[0], path[1], "fields")
	names := slices.Clone(fields)
	for _, s := range systems {
		names = append(names, s+"_may")
	}
	switch {
	case slices.Contains(names, key) && !slices.Contains(fields, key):
		return typeWords, names
	case slices.Contains(fields, key):
		return typeRawWords, names
	case len(fields) == 0 && v.Kind == yaml.MappingNode:
		// Without its fields nobody knows what a table of words is called.
		if all, _ := tags(typeJob); nearest(key, all) == "" {
			return typeRawWords, names
		}
	}
	return nil, names
}

// systems are the two of the job that a path leads to, or, where "between" is not
// to be relied on, all there are.
func (w *walker) systems(path []string) []string {
	all := w.all.keys("systems")
	two := w.all.keys(path[0], path[1], "between")
	if len(two) != 2 || !slices.Contains(all, two[0]) || !slices.Contains(all, two[1]) {
		return all
	}
	return two
}

func (w *walker) unknown(key string, known, path []string) {
	if slices.Contains(notYet, key) {
		w.report(path, 0, "unknown key: not in this version; delete it")
		return
	}
	if key == "webhooks" && len(path) == 1 {
		w.report(path, 0, "unknown key here: webhooks stand under the system that sends them, systems.<name>.webhooks")
		return
	}
	w.report(path, 0, "unknown key%s", didYouMean(key, known))
	// The key that was meant isn't missing, it is misspelled.
	if meant := nearest(key, known); meant != "" {
		w.gone[join(append(slices.Clone(path[:len(path)-1]), meant))] = true
	}
}

// keys goes through a block and keeps what keep says.
func (w *walker) keys(n *yaml.Node, path []string, keep func(key string, v *yaml.Node, at []string) bool) {
	var kept []*yaml.Node
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := append(slices.Clone(path), key.Value)
		switch first, twice := lines[key.Value]; {
		case key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" || key.Anchor != "" || key.Style&yaml.TaggedStyle != 0:
			w.report(path, key.Line, "a key that is not a plain word: put it in \"quotes\"")
			continue
		case key.Value == "" || strings.ContainsFunc(key.Value, func(r rune) bool { return r < ' ' || r == 0x7f }):
			w.report(path, key.Line, "a key that is empty or has control characters in it")
			continue
		case twice:
			w.report(at, key.Line, "twice in the same block, first in line %d: delete one", first)
			continue
		}
		lines[key.Value] = key.Line
		if keep(key.Value, value, at) {
			kept = append(kept, key, value)
		}
	}
	n.Content = kept
}
