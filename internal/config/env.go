package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	// envPrefix begins the name of each variable that is ours; what follows are
	// the keys, with two underscores between them.
	envPrefix = "NIGHTPORTER__"
	// delim separates keys inside koanf. The usual dot would cut a user's own
	// name that has one.
	delim = "\x1f"
)

// envTree makes a layer of the variables that are ours. Their names are matched
// to the keys of the file whatever the case, since Windows has only capitals.
func envTree(file *tree, environ []string) (*tree, []Mistake) {
	t := &tree{file: file.file, root: &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}, env: map[string]string{}}
	var mistakes []Mistake
	for _, entry := range slices.Sorted(slices.Values(environ)) {
		name, text, ok := strings.Cut(entry, "=")
		rest, ours := strings.CutPrefix(name, envPrefix)
		if !ok || !ours {
			continue
		}
		path := spelled(file, strings.Split(rest, "__"))
		if err := t.set(path, name, text); err != nil {
			mistakes = append(mistakes, Mistake{File: t.file, Env: name, Key: strings.Join(path, "."), Text: err.Error()})
		}
	}
	return t, mistakes
}

// spelled takes the keys of a variable's name as the file has them, and in small
// letters where it has none.
func spelled(file *tree, names []string) []string {
	path := make([]string, 0, len(names))
	for _, name := range names {
		same := strings.ToLower(name)
		if _, block := file.at(path); block != nil && block.Kind == yaml.MappingNode && find(block, name) < 0 {
			for i := 0; i+1 < len(block.Content); i += 2 {
				if strings.EqualFold(block.Content[i].Value, name) {
					same = block.Content[i].Value
					break
				}
			}
		} else if block != nil && block.Kind == yaml.MappingNode {
			same = name
		}
		path = append(path, same)
	}
	return path
}

// set puts a variable into the layer.
func (t *tree) set(path []string, name, text string) error {
	if slices.Contains(path, "") {
		return fmt.Errorf("two underscores too many: write %sa__b for the key b in a", envPrefix)
	}
	// Set to nothing is how people switch a variable off; taken as a value it
	// would wipe out what the file says.
	if text == "" {
		return fmt.Errorf("set, but to nothing: give it a value or unset it")
	}
	value, err := envNode(typeAt(path), text)
	if err != nil {
		return err
	}
	block := t.root
	for i, key := range path {
		last := i == len(path)-1
		at := find(block, key)
		switch {
		case at < 0 && last:
			block.Content = append(block.Content, textNode(key), value)
		case at < 0:
			inner := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
			block.Content = append(block.Content, textNode(key), inner)
			block = inner
		case last || block.Content[at+1].Kind != yaml.MappingNode || t.env[join(path[:i+1])] != "":
			return fmt.Errorf("two variables set the same key: unset one")
		default:
			block = block.Content[at+1]
		}
	}
	t.env[join(path)] = name
	return nil
}

func textNode(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
}

// envNode reads the text of a variable: as it stands where a text belongs, as
// YAML where a number or a truth value does, or where it begins with a bracket.
func envNode(typ reflect.Type, text string) (*yaml.Node, error) {
	plain := true
	if typ != nil {
		for typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		plain = typ.Kind() != reflect.Int && typ.Kind() != reflect.Bool || typ == typeDays || typ == typeDuration
		if k := typ.Kind(); k == reflect.String || k == reflect.Int64 || k == reflect.Float64 {
			return textNode(text), nil
		}
	}
	if plain && !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{") {
		return textNode(text), nil
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) != 1 {
		return nil, fmt.Errorf("not readable as YAML: look at the brackets and quotes")
	}
	if tooWide(doc.Content[0]) != nil {
		return nil, fmt.Errorf("more than %d keys or values in one place", maxWidth)
	}
	clearLines(doc.Content[0])
	return doc.Content[0], nil
}

// clearLines takes away lines that count from the variable's own beginning.
func clearLines(n *yaml.Node) {
	n.Line, n.Column = 0, 0
	for _, c := range n.Content {
		clearLines(c)
	}
}

// typeAt is the type that belongs at a path, or nil where none does.
func typeAt(path []string) reflect.Type {
	typ := typeConfig
	for _, key := range path {
		for typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		switch typ.Kind() { //nolint:exhaustive // only blocks have keys
		case reflect.Map:
			typ = typ.Elem()
		case reflect.Struct:
			_, types := tags(typ)
			next, ok := types[key]
			if !ok && typ == typeField {
				next = typeSide
			} else if !ok {
				return nil
			}
			typ = next
		default:
			return nil
		}
	}
	return typ
}
