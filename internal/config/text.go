package config

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// textOf is the configuration as it was meant: the file without its remarks, which may
// hold anything, and what the environment laid over it. A secret stands in it as the
// name of its place; what may be one all the same, in a part that belongs to a preset,
// is left out.
func textOf(file, over *tree) string {
	text := plainText(file.root)
	var names []string
	for _, name := range over.env {
		names = append(names, name)
	}
	if len(names) == 0 {
		return text
	}
	slices.Sort(names)
	return text + "# from the environment: " + strings.Join(names, ", ") + "\n" + plainText(over.root)
}

func plainText(root *yaml.Node) string {
	b, err := yaml.Marshal(plainNode(root, ""))
	if err != nil { // it was read from text
		return ""
	}
	return string(b)
}

// mayBeSecret is the keys of a preset's own part under which people put a secret.
var mayBeSecret = regexp.MustCompile(`(?i)secret|passw|token|authori[sz]ation|api[-_]?key|credential`)

// plainNode is a copy of a node without remarks, and without what may be a secret.
func plainNode(n *yaml.Node, key string) *yaml.Node {
	c := &yaml.Node{Kind: n.Kind, Style: n.Style, Tag: n.Tag, Value: n.Value}
	place := strings.HasPrefix(n.Value, "file:") || strings.HasPrefix(n.Value, "env:")
	if n.Kind == yaml.ScalarNode && mayBeSecret.MatchString(key) && !place {
		c.Value, c.Tag, c.Style = "(not kept)", "!!str", 0
	}
	for i, child := range n.Content {
		k := key
		if n.Kind == yaml.MappingNode {
			k = ""
			if i%2 == 1 {
				k = n.Content[i-1].Value
			}
		}
		c.Content = append(c.Content, plainNode(child, k))
	}
	return c
}
