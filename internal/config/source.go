package config

import (
	"bytes"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Source is a part of the file as it was written, with its remarks, its key at the
// beginning of the line and what is in it one a line; "" where the file has none.
func (c *Config) Source(path ...string) string {
	key, value := c.places.file.at(path)
	if value == nil || key == nil {
		return ""
	}
	block := *value
	block.Style &^= yaml.FlowStyle // so that more can be put under it
	return encoded(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, &block}})
}

// Has reports whether the file has something at a path.
func (c *Config) Has(path ...string) bool {
	_, value := c.places.file.at(path)
	return value != nil
}

// SourceWithout is the file as it was written, without some of its keys.
func (c *Config) SourceWithout(keys ...string) string {
	root := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i+1 < len(c.places.file.root.Content); i += 2 {
		if key := c.places.file.root.Content[i]; !slices.Contains(keys, key.Value) {
			root.Content = append(root.Content, key, c.places.file.root.Content[i+1])
		}
	}
	if len(root.Content) == 0 {
		return ""
	}
	return encoded(root)
}

func encoded(n *yaml.Node) string {
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(n); err != nil {
		return ""
	}
	if err := enc.Close(); err != nil {
		return ""
	}
	return out.String()
}
