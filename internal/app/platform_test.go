package app

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"nightporter/connectors/rest"
)

// opened is one line of docs/platform.md: something that the documentation leaves open.
type opened struct {
	line                                  int
	what, byDefault, keys, evidence, find string
}

// openedIn is the lines of its tables that have five columns.
func openedIn(t *testing.T) []opened {
	t.Helper()
	text, err := os.ReadFile("../../docs/platform.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []opened
	for i, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || strings.HasPrefix(line, "|---") || strings.TrimSpace(cells[1]) == "left open" {
			continue
		}
		for j := range cells {
			cells[j] = strings.TrimSpace(cells[j])
		}
		out = append(out, opened{i + 1, cells[1], cells[2], cells[3], cells[4], cells[5]})
	}
	return out
}

var quotedKey = regexp.MustCompile("`([a-z_0-9]+(?:\\.[a-z_0-9*]+)*)`")

// named is the keys of a preset that a line names: those before what stands in brackets.
func (o opened) named() []string {
	var out []string
	for part := range strings.SplitSeq(o.keys, ",") {
		before, _, _ := strings.Cut(part, "(")
		for _, m := range quotedKey.FindAllStringSubmatch(before, -1) {
			out = append(out, m[1])
		}
	}
	return out
}

// inSchema reports whether a preset may have a key; * is any name.
func inSchema(typ reflect.Type, key []string) bool {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	if len(key) == 0 {
		return true
	}
	switch typ.Kind() { //nolint:exhaustive // the others have no keys
	case reflect.Map:
		return inSchema(typ.Elem(), key[1:])
	case reflect.Struct:
		for f := range typ.Fields() {
			if name, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); name == key[0] {
				return inSchema(f.Type, key[1:])
			}
		}
	}
	return false
}

// Each key that the page names is one, each line says what its evidence is, and nothing
// that the documentation leaves open is missing.
func TestPlatformPage(t *testing.T) {
	all := openedIn(t)
	if len(all) < 60 {
		t.Fatalf("%d lines are read, want all of docs/platform.md", len(all))
	}
	for _, o := range all {
		where := fmt.Sprintf("docs/platform.md:%d: %s", o.line, o.what)
		if o.what == "" || o.byDefault == "" || o.keys == "" {
			t.Errorf("%s: a column is empty", where)
		}
		if !slices.ContainsFunc([]string{"documented", "public documentation", "look-alike APIs", "assumed"}, func(s string) bool { return strings.HasPrefix(o.evidence, s) }) {
			t.Errorf("%s: %q is no evidence", where, o.evidence)
		}
		for _, key := range o.named() {
			if !inSchema(reflect.TypeFor[rest.Preset](), strings.Split(key, ".")) {
				t.Errorf("%s: a preset has no key %s", where, key)
			}
		}
		if len(o.named()) == 0 && !strings.HasPrefix(o.keys, "–") {
			t.Errorf("%s: names no key, and no dash", where)
		}
	}
	for _, topic := range []string{
		"base address", "how a key is shown", "how keys are issued", "rotation and expiry", "other versions", "page size", "the largest `limit`", "the default of `limit`",
		"type and begin of `offset`", "body of a list", "how many there are", "where a list ends", "main fields", "fields, their types and formats", "which fields are required",
		"paths of the areas", "how one is created", "how one is modified", "words of a reservation's status", "its transitions", "transcript and summary",
		"signature of a delivery", "kinds of events", "shape of an event", "which operation emits which event", "delivery and retries", "how its addresses are configured",
		"its incoming webhooks", "its outbound webhooks", "body of an error", "codes of errors", "numbers and window of the limits", "the answer to exceeding them",
	} {
		if !slices.ContainsFunc(all, func(o opened) bool { return strings.Contains(o.what, topic) }) {
			t.Errorf("docs/platform.md says nothing of %q", topic)
		}
	}
}

// leavesOf is the keys of a preset with their values, lists as one.
func leavesOf(n *yaml.Node, at []string, into map[string]*yaml.Node) {
	if n.Kind != yaml.MappingNode {
		into[strings.Join(at, ".")] = n
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		leavesOf(n.Content[i+1], append(slices.Clone(at), n.Content[i].Value), into)
	}
}

// covers reports whether a key of the page is a key of the preset, or stands above it.
func covers(named, key string) bool {
	a, b := strings.Split(named, "."), strings.Split(key, ".")
	if len(a) > len(b) {
		return false
	}
	for i := range a {
		if a[i] != "*" && a[i] != b[i] {
			return false
		}
	}
	return true
}

// Each line of the preset platform is on the page, and where it holds one value, that one
// is among its defaults.
func TestPlatformPageHasEachKeyOfThePreset(t *testing.T) {
	text, err := os.ReadFile("../../connectors/rest/presets/platform.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	leaves := map[string]*yaml.Node{}
	leavesOf(doc.Content[0], nil, leaves)
	delete(leaves, "name")
	all := openedIn(t)
	lacking, stale := []string{}, []string{}
	for _, key := range slices.Sorted(maps.Keys(leaves)) {
		var lines []opened
		for _, o := range all {
			if slices.ContainsFunc(o.named(), func(named string) bool { return covers(named, key) }) {
				lines = append(lines, o)
			}
		}
		value := leaves[key]
		switch {
		case len(lines) == 0:
			lacking = append(lacking, key)
		case value.Kind != yaml.ScalarNode || !exactly(lines, key) || strings.Contains(value.Value, "|"): // no cell can hold that
		case !slices.ContainsFunc(lines, func(o opened) bool {
			return strings.Contains(o.byDefault+o.keys, "`"+value.Value+"`")
		}):
			stale = append(stale, key+": "+value.Value)
		}
	}
	if len(lacking) > 0 {
		t.Errorf("docs/platform.md lacks a line for these keys of the preset platform: what is taken for granted, how it is known, how it is found out:\n  %s", strings.Join(lacking, "\n  "))
	}
	if len(stale) > 0 {
		t.Errorf("docs/platform.md has another default, or lacks `the value`, for:\n  %s", strings.Join(stale, "\n  "))
	}
}

// exactly reports whether a line names just this key, not one above it.
func exactly(lines []opened, key string) bool {
	return slices.ContainsFunc(lines, func(o opened) bool {
		return slices.ContainsFunc(o.named(), func(named string) bool {
			return covers(named, key) && strings.Count(named, ".") == strings.Count(key, ".")
		})
	})
}
