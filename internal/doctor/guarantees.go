package doctor

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"nightporter/connectors"
	"nightporter/connectors/rest"
)

// Proposed is the preset with what was found laid over it.
func (r Report) Proposed(p rest.Preset) (rest.Preset, error) {
	b := &book{all: r.Findings}
	return proposed(p, b)
}

func proposed(p rest.Preset, b *book) (rest.Preset, error) {
	file, err := yaml.Marshal(p)
	if err != nil {
		return p, fmt.Errorf("write preset %s: %w", p.Name, err)
	}
	over, err := Overlay(override(p, b))
	if err != nil {
		return p, err
	}
	return rest.Load(p.Name, file, over)
}

// Overlay reads the YAML of a report, as the configuration would.
func Overlay(text string) (map[string]any, error) {
	var doc struct {
		Override map[string]any `yaml:"override"`
	}
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, fmt.Errorf("read the override: %w", err)
	}
	return doc.Override, nil
}

// guarantees is what the findings mean, kind by kind.
func guarantees(p rest.Preset, b *book) []string {
	var out []string
	now, err := proposed(p, b)
	if err != nil {
		return []string{"what was found makes no whole preset: " + err.Error()}
	}
	for _, name := range sortedKinds(now) {
		f, ok := b.has(name, "path")
		if !ok || !f.sure() {
			out = append(out, name+": not read, so nothing is known")
			continue
		}
		k := now.Kinds[name]
		out = append(out, name+": "+classOf(k), name+": "+stableOf(k), name+": "+wholeOf(k, b, name))
	}
	return out
}

// classOf is the class of a create by what the preset says, and what stands on its word.
func classOf(k rest.Kind) string {
	can := connectors.Kind{
		Idempotent: k.Idempotency.Header != "", Unique: k.Unique,
		Stamp: connectors.Stamp{Path: k.Stamp.Field, Find: k.Stamp.Find, Unique: k.Stamp.Unique},
	}
	keyed := can.Class(len(k.Unique) > 0, true)
	words := map[connectors.Class]string{
		connectors.ClassA: "class A: a create is never made twice, on the preset's word that an idempotency key is honoured",
		connectors.ClassB: "class B: a create is never made twice, on the preset's word that the system refuses a second record of one mark or key",
		connectors.ClassC: "class C: a create is made once if the system applies it within the settle time: our mark tells",
		connectors.ClassD: "class D: a create is made once if the system applies it within the settle time and nobody enters the like: only its own values tell",
	}
	text := words[keyed]
	if keyed == connectors.ClassB && (k.Stamp.Field == "" || !k.Stamp.Unique) {
		var keys []string
		for _, set := range k.Unique {
			keys = append(keys, strings.Join(set, " with "))
		}
		text += " (" + strings.Join(keys, ", ") + ", if a job matches by it; otherwise class D)"
	}
	return text
}

func stableOf(k rest.Kind) string {
	if k.List.Order == "immutable" {
		return "lists are stable, on the preset's word: none misses a record that is there all the while"
	}
	return "lists are not stable: one may miss a record while others write, so that every absence is confirmed by id"
}

// wholeOf says whether a list can be told to be whole.
func wholeOf(k rest.Kind, b *book, name string) string {
	f, ok := b.has(name, "list.paging")
	l := k.List
	switch {
	case !ok || !f.sure():
		return "whether lists are read whole is not known: how they go on could not be told"
	case l.Total != "" || l.TotalHeader != "":
		return "lists are read whole: their total is compared"
	case l.HasMore != "":
		return "lists are read whole: they say themselves whether more follows"
	case l.Paging == byOffset || l.Paging == byPage:
		return "lists are read whole: an empty page is their end"
	case l.Paging == byNone:
		return "lists are taken to be whole: nothing was found that they leave out"
	}
	return "lists are read whole: the last page names no next one"
}
