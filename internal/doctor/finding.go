package doctor

import (
	"fmt"
	"slices"
)

// Confidence is how sure a finding is.
type Confidence string

// The confidences. Known was seen, and its contrary would have been seen as well; likely
// was seen, and something else could look the same; not known changes nothing.
const (
	Known    Confidence = "known"
	Likely   Confidence = "likely"
	NotKnown Confidence = "not known"
)

// Finding is what the answers say about one key of the preset.
type Finding struct {
	Kind string `json:"kind,omitempty"` // empty: of the API as a whole
	Key  string `json:"key,omitempty"`  // below the kind, dotted; empty where no key stands for it
	// Value is what the key is to be; nil takes it away. Meaningless where not known.
	Value      any        `json:"value"`
	Confidence Confidence `json:"confidence"`
	Evidence   string     `json:"evidence"` // one sentence, without any value of a record
}

// sure reports whether the finding says anything.
func (f Finding) sure() bool { return f.Confidence != NotKnown }

// Subject is what the finding is about, as one text.
func (f Finding) Subject() string {
	switch {
	case f.Kind == "":
		return f.Key
	case f.Key == "":
		return "kinds." + f.Kind
	}
	return "kinds." + f.Kind + "." + f.Key
}

// book gathers findings. Of two about one key the later counts.
type book struct {
	all  []Finding
	none []stranger // how each kind answers a read by an id that nobody has
}

func (b *book) say(kind, key string, v any, c Confidence, format string, args ...any) {
	f := Finding{Kind: kind, Key: key, Value: v, Confidence: c, Evidence: fmt.Sprintf(format, args...)}
	if c == NotKnown {
		f.Value = nil
	}
	if key != "" {
		b.all = slices.DeleteFunc(b.all, func(g Finding) bool { return g.Kind == kind && g.Key == key })
	}
	b.all = append(b.all, f)
}

// has is the finding about a key, and whether there is one.
func (b *book) has(kind, key string) (Finding, bool) {
	i := slices.IndexFunc(b.all, func(f Finding) bool { return f.Kind == kind && f.Key == key })
	if i < 0 {
		return Finding{}, false
	}
	return b.all[i], true
}

// Shown is the value as YAML on one line; "none" where the key is taken away.
func (f Finding) Shown() string {
	if f.Value == nil {
		return "none"
	}
	return flow(f.Value)
}
