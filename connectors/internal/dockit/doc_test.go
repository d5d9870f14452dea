package dockit_test

import (
	"errors"
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/internal/dockit"
	"nightporter/sync/record"
)

// What is not under its path any more is one that holds the same, if any does: always the same
// one, however they are listed, and rather one of its name.
func TestFindNamesOneOfSeveral(t *testing.T) {
	doc := func(path string) dockit.Doc {
		return dockit.Doc{Path: path, Digest: dockit.Digest([]byte("the same"))}
	}
	for name, tt := range map[string]struct {
		paths []string
		flaw  string
		class connectors.ErrorClass
		want  string
	}{
		"nobody":                {nil, "", connectors.NotFound, "en/hours.md"},
		"one":                   {[]string{"times.md"}, "", connectors.Moved, "times.md"},
		"two":                   {[]string{"b.md", "a.md"}, "", connectors.Moved, "a.md"},
		"one of its name":       {[]string{"a.md", "english/hours.md"}, "", connectors.Moved, "english/hours.md"},
		"two of its name":       {[]string{"it/hours.md", "a.md", "fr/hours.md"}, "", connectors.Moved, "fr/hours.md"},
		"two, and perhaps more": {[]string{"b.md", "a.md"}, "the list may not be whole", connectors.Rejected, "en/hours.md"},
	} {
		t.Run(name, func(t *testing.T) {
			l := dockit.Listing{Docs: []dockit.Doc{{Path: "other.md", Digest: dockit.Digest([]byte("other"))}}, Flaw: tt.flaw}
			for _, path := range tt.paths {
				l.Docs = append(l.Docs, doc(path))
			}
			_, err := l.Find("get", record.Ref{Kind: dockit.Kind, ID: doc("en/hours.md").ID()})
			e, ok := errors.AsType[*connectors.Error](err)
			if !ok || e.Class != tt.class || e.Ref.ID != doc(tt.want).ID() || e.Newer {
				t.Errorf("got %v, want %s of %s", err, tt.class, tt.want)
			}
		})
	}
}
