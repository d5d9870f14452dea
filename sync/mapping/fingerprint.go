package mapping

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"nightporter/sync/record"
)

// readerVersion is raised whenever a change of this package changes what Read returns for the same
// Spec, or what Blank leaves of a record. Then everything that was kept is read and kept again, and linked
// records meet anew in every field.
const readerVersion = 5

// The libraries whose data decides what Read returns, with the versions in go.mod.
const (
	phoneVersion = "github.com/nyaruka/phonenumbers v1.8.1"
	textVersion  = "golang.org/x/text v0.43.0"
	exprVersion  = "github.com/expr-lang/expr v1.17.8"
)

// Fingerprint returns a digest of everything that decides what Read returns for a side: the side's part
// of the Spec, how its connector makes values, the zone, the patterns of texts that are not real values,
// whether cards are blanked, and the versions of the libraries. How the other side is mapped, and how this side is written, do not
// change it.
func (m *Mapping) Fingerprint(side record.Side) string { return m.prints[side] }

func (m *Mapping) fingerprint(side record.Side) string {
	prints := make([]fieldPrint, 0, len(m.fields))
	for _, f := range m.fields {
		prints = append(prints, f.print(side))
	}
	slices.SortFunc(prints, func(a, b fieldPrint) int { return strings.Compare(a.Name, b.Name) })
	b, err := json.Marshal(struct {
		Libraries []string
		Zone      string
		Cards     bool
		Fields    []fieldPrint
	}{
		[]string{phoneVersion, textVersion, exprVersion, norm.Version, idna.UnicodeVersion, unicode.Version},
		m.spec.Zone.String(), m.spec.BlankCards, prints,
	})
	if err != nil { // texts, numbers and lists of them always encode
		return ""
	}
	return record.DigestOf("mapping", b).String()
}
