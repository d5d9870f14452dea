package discover

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// YAML is the jobs as a part of a configuration, each line with how sure it is and why. A
// job that can't run as it is stands in remarks.
func (p Proposal) YAML() string {
	var out strings.Builder
	out.WriteString("jobs:\n")
	for _, j := range p.Jobs {
		out.WriteString("\n" + p.job(j))
	}
	for _, u := range p.Unknown {
		out.WriteString("\n" + remark("not known: "+u))
	}
	return out.String()
}

// Runs reports whether a job can run as it is.
func (j Job) Runs() bool { return len(j.Match) > 0 }

func (p Proposal) job(j Job) string {
	var b strings.Builder
	line := func(depth int, text, why string) {
		b.WriteString(strings.Repeat("  ", depth) + text)
		if why != "" {
			b.WriteString("  " + remark(why))
			return
		}
		b.WriteString("\n")
	}
	line(1, j.Name+":", string(j.Confidence)+": "+j.Evidence)
	line(2, "kind: "+j.Kind, "")
	line(2, "between: "+p.each(j.Between[0], j.Between[1]), "")
	if j.Runs() {
		line(2, "match: "+flow(j.matched()), j.MatchWhy)
	} else {
		line(2, "# match:", "not known: "+j.MatchWhy+"; the job stands in remarks until somebody knows")
	}
	line(2, "create: "+p.each("never", "never"), "not known: whether what only the other side has is made here; always, or when_referenced")
	if j.Kind != "contact" {
		line(2, "# window: { from: -1d, to: +400d }", "not known: which days matter; as it stands all are read")
	}
	line(2, "fields:", "not known: which side is right where both were edited; hold asks a person, a system's name lets it win")
	for _, f := range j.Fields {
		line(3, flow(f.Name)+": "+p.field(f), why(f))
	}
	if len(j.Words) > 0 {
		line(2, "status:", "not known: who decides over a booking; as it stands "+p.Systems[1]+" does, as the right side")
		for _, w := range j.Words {
			line(3, w.Word+": "+p.words(w), w.Why)
		}
	}
	for _, u := range j.Unknown {
		line(2, strings.TrimSuffix(remark("not known: "+u), "\n"), "")
	}
	if j.Runs() {
		return b.String()
	}
	var off strings.Builder
	for l := range strings.Lines(b.String()) {
		off.WriteString("  # " + strings.TrimPrefix(l, "  "))
	}
	return off.String()
}

// matched is the keys as they are written: a key of one field needs no brackets.
func (j Job) matched() []any {
	var out []any
	for _, key := range j.Match {
		if len(key) == 1 {
			out = append(out, key[0])
			continue
		}
		out = append(out, key)
	}
	return out
}

func why(f Field) string {
	text := string(f.Confidence) + ": " + f.Evidence
	if f.Like != "" {
		text += "; like " + f.Like
	}
	return text
}

// each is a value for each of both systems.
func (p Proposal) each(left, right string) string {
	return fmt.Sprintf("{ %s: %s, %s: %s }", flow(p.Systems[0]), flow(left), flow(p.Systems[1]), flow(right))
}

func (p Proposal) field(f Field) string {
	var parts []string
	add := func(key, value string) { parts = append(parts, key+": "+value) }
	if f.Job != "" {
		add("job", f.Job)
	}
	for i, s := range f.Sides {
		add(flow(p.Systems[i]), s.text())
	}
	if f.As != "" {
		add("as", f.As)
	}
	if f.Together != "" {
		add("together", f.Together)
	}
	switch len(f.Region) {
	case 0:
	case 1:
		add("region", flow(f.Region[0]))
	default:
		add("region", flow(f.Region))
	}
	if f.To != "" {
		add("to", flow(f.To))
	}
	add("conflict", f.Conflict)
	return "{ " + strings.Join(parts, ", ") + " }"
}

// text is a side as it is written: a name alone, or a block.
func (s Side) text() string {
	switch {
	case len(s.Parts) > 0:
		var parts []string
		for _, part := range slices.Sorted(maps.Keys(s.Parts)) {
			parts = append(parts, part+": "+flow(s.Parts[part]))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case len(s.Paths) > 0:
		return "{ paths: " + flow(s.Paths) + " }"
	}
	var more []string
	for _, m := range [][2]string{{"unit", s.Unit}, {"currency", s.Currency}, {"split", s.Split}, {"format", s.Format}} {
		if m[1] != "" {
			more = append(more, m[0]+": "+flow(m[1]))
		}
	}
	if len(more) == 0 {
		return flow(s.Path)
	}
	return "{ path: " + flow(s.Path) + ", " + strings.Join(more, ", ") + " }"
}

func (p Proposal) words(w Words) string {
	var parts []string
	for i, ws := range w.Sides {
		switch len(ws) {
		case 0:
		case 1:
			parts = append(parts, flow(p.Systems[i])+": "+flow(ws[0]))
		default:
			parts = append(parts, flow(p.Systems[i])+": "+flow(ws))
		}
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// Remark is a text behind a #, on one line.
func Remark(text string) string { return strings.TrimSuffix(remark(text), "\n") }

// Flow is a value as YAML on one line.
func Flow(v any) string { return flow(v) }

// remark is a text behind a #, on one line.
func remark(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\u0085' {
			return ' '
		}
		return r
	}, text)
	return "# " + strings.TrimSpace(text) + "\n"
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

// oneLine has a value written in brackets, and a text that a comma, a brace or a line end
// would cut short in quotes.
func oneLine(n *yaml.Node) {
	n.Style |= yaml.FlowStyle
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" && strings.ContainsAny(n.Value, ",[]{}:#&*!|>%@`\"'\n\r\t ") {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, c := range n.Content {
		oneLine(c)
	}
}
