package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxSize is far above any configuration; a larger file is the wrong file.
const maxSize = 1 << 20

// maxWidth is far above what one block or list of a configuration holds. What looks at
// it takes longer than its length, and a wrong file is to be told quickly.
const maxWidth = 1000

// tree is one layer of the configuration, the file or the environment, with its
// lines and order.
type tree struct {
	file string
	root *yaml.Node
	// env are the variables by the path they set; nil for the file.
	env map[string]string
}

// join makes one text of a path, for keys of maps.
func join(path []string) string { return strings.Join(path, delim) }

// parseTree reads the bytes of a file.
func parseTree(file string, data []byte) (*tree, *Mistake) {
	mistake := func(line int, text string) (*tree, *Mistake) {
		return nil, &Mistake{File: file, Line: line, Text: text}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(data) > maxSize {
		return mistake(0, "larger than 1 MB: this is not a configuration of nightporter")
	}
	if line := lineOf(data, func(b []byte) bool { return bytes.IndexByte(b, 0) >= 0 }); line > 0 {
		return mistake(line, "a zero byte: save the file as UTF-8 text (some editors write UTF-16)")
	}
	if line := lineOf(data, func(b []byte) bool { return !utf8.Valid(b) }); line > 0 {
		return mistake(line, "a letter that is not UTF-8: save the file as UTF-8 in your editor")
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return mistake(0, "the file is empty: begin with time_zone, systems and jobs")
	case err != nil:
		return mistake(explain(data, err))
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		return mistake(second.Line, "a second document begins here: take out the line with ---")
	} else if !errors.Is(err, io.EOF) {
		return mistake(explain(data, err))
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return mistake(doc.Line, "must be keys with values, such as time_zone: Europe/Rome")
	}
	if wide := tooWide(doc.Content[0]); wide != nil {
		return mistake(wide.Line, fmt.Sprintf("more than %d keys or values in one place: this is not a configuration of nightporter", maxWidth))
	}
	return &tree{file: file, root: doc.Content[0]}, nil
}

// tooWide is the first block or list that holds more than maxWidth, nil if there is none.
func tooWide(n *yaml.Node) *yaml.Node {
	most := maxWidth
	if n.Kind == yaml.MappingNode {
		most *= 2 // keys and values
	}
	if len(n.Content) > most {
		return n
	}
	for _, c := range n.Content {
		if wide := tooWide(c); wide != nil {
			return wide
		}
	}
	return nil
}

// lineOf is the first line that is bad, counted from 1, or 0.
func lineOf(data []byte, bad func([]byte) bool) int {
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if bad(line) {
			return n
		}
	}
	return 0
}

var (
	noFit      = regexp.MustCompile(`did not find expected (key|'-')`)
	yamlStar   = regexp.MustCompile(`[\[,:-] *\*[^ *]`)
	yamlLine   = regexp.MustCompile(`line ([0-9]+): (.*)`)
	indentTab  = regexp.MustCompile(`^ *\t\s*[^\s#]`)
	unreadable = "not readable as YAML near here: look for a missing colon, quote or blank"
)

// explain says what the YAML reader meant, with the line. What it quotes from the
// file is left out: it may be a password.
func explain(data []byte, err error) (int, string) {
	if line := lineOf(data, indentTab.Match); line > 0 {
		return line, "a tab at the beginning of the line: indent with spaces only"
	}
	text, line := err.Error(), 0
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		text = m[2]
		line, _ = strconv.Atoi(m[1])
	}
	switch {
	case strings.Contains(text, "unknown anchor"):
		return lineOf(data, yamlStar.Match), "a value that begins with * must stand in \"quotes\""
	case strings.Contains(text, "mapping values are not allowed"):
		return line, "a colon where none can be: put the value in \"quotes\", or look at the indentation"
	case noFit.MatchString(text):
		return misplaced(data), "the indentation fits nothing above it: lines of one block begin at the same column"
	case strings.Contains(text, "did not find expected ',' or"):
		// The line is the one before that with the bracket.
		return line + 1, "a bracket that opens and does not close, or a comma that is missing"
	case strings.Contains(text, "could not find expected ':'"):
		return line, "a key without a colon after it"
	case strings.Contains(text, "cannot start any token"):
		return line, "a value that begins with @, ` or % must stand in \"quotes\""
	case strings.Contains(text, "unexpected end of stream"):
		return line, "a quote that opens and does not close"
	case strings.Contains(text, "control characters"):
		return line, "a control character: take it out"
	}
	return line, unreadable
}

// misplaced is the line whose indentation fits nothing. The YAML reader names the
// line where the block began, but it can't read on after the bad one: so that is
// the last line of the shortest beginning of the file with the same error.
func misplaced(data []byte) int {
	lines := bytes.SplitAfter(data, []byte("\n"))
	n := sort.Search(len(lines), func(n int) bool {
		var doc yaml.Node
		err := yaml.Unmarshal(bytes.Join(lines[:n], nil), &doc)
		return err != nil && noFit.MatchString(err.Error())
	})
	return n
}

// at finds the key and the value of a path; nil if the layer has none. The root
// has no key.
func (t *tree) at(path []string) (key, value *yaml.Node) {
	value = t.root
	for _, name := range path {
		if value == nil || value.Kind != yaml.MappingNode {
			return nil, nil
		}
		i := find(value, name)
		if i < 0 {
			return nil, nil
		}
		key, value = value.Content[i], value.Content[i+1]
	}
	return key, value
}

// find is the place of a key in a block, or -1.
func find(block *yaml.Node, name string) int {
	for i := 0; i+1 < len(block.Content); i += 2 {
		if block.Content[i].Value == name {
			return i
		}
	}
	return -1
}

// where fills in the place of a mistake: the key itself, or what it is missing in.
func (t *tree) where(m Mistake, path []string) Mistake {
	m.File, m.Key = t.file, strings.Join(path, ".")
	for n := len(path); n > 0; n-- {
		if key, _ := t.at(path[:n]); key != nil {
			m.Line, m.Env = key.Line, t.variable(path[:n])
			return m
		}
	}
	return m
}

// variable is the environment variable that set a path, as a part of what it set or
// alone, or something below it.
func (t *tree) variable(path []string) string {
	for n := len(path); n > 0; n-- {
		if name, ok := t.env[join(path[:n])]; ok {
			return name
		}
	}
	var below []string
	for p, name := range t.env {
		if strings.HasPrefix(p, join(path)+delim) {
			below = append(below, name)
		}
	}
	if len(below) == 0 {
		return ""
	}
	return slices.Min(below)
}

// layers are the file and, over it, the environment.
type layers struct{ file, env *tree }

// keys are the names in a block, in the order of the file, then the environment's.
func (l layers) keys(path ...string) []string {
	var names []string
	for _, t := range []*tree{l.file, l.env} {
		_, block := t.at(path)
		if block == nil || block.Kind != yaml.MappingNode {
			continue
		}
		for i := 0; i+1 < len(block.Content); i += 2 {
			if name := block.Content[i].Value; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// value is what a path holds in the layer that counts.
func (l layers) value(path ...string) *yaml.Node {
	if _, v := l.env.at(path); v != nil {
		return v
	}
	_, v := l.file.at(path)
	return v
}

// line is where the file has a path, or 0.
func (l layers) line(path ...string) int {
	if key, _ := l.file.at(path); key != nil {
		return key.Line
	}
	return 0
}

// where places a mistake in the layer that holds more of the path.
func (l layers) where(text string, path []string) Mistake {
	for n := len(path); n > 0; n-- {
		if key, _ := l.env.at(path[:n]); key != nil && l.env.env[join(path[:n])] != "" {
			return l.env.where(Mistake{Text: text}, path)
		}
		if key, _ := l.file.at(path[:n]); key != nil {
			break
		}
	}
	return l.file.where(Mistake{Text: text}, path)
}

// shown quotes what somebody wrote, cut where it is too long for a message.
func shown(s string) string {
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "…"
	}
	return fmt.Sprintf("%q", s)
}
