package decide

import (
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/links"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// question is what a person is asked about a record that has no link.
type question struct {
	cause run.Cause
	said  string          // what a person said before: the id of the record across that it is, or a word
	it    string          // a digest of who the record is
	why   string          // for a person
	about []string        // what else it rests on: the records it names
	links []record.LinkID // of records that it names: what becomes of one that is gone comes first
}

// facts is what a question rests on, as digests: one of all, or where others have its key one of each. It
// holds nothing of a guest.
func (q question) facts() string {
	about := slices.Clone(q.about)
	slices.Sort(about)
	if q.cause != run.SameKey {
		about = []string{record.DigestOf("question", fmt.Appendf(nil, "%s %q", q.cause, about)).String()}
	} else {
		for i, text := range about {
			about[i] = factOf(text)
		}
	}
	if q.said != "" {
		about = append(about, run.SaidFact(q.said))
	}
	if q.it != "" {
		about = append(about, itFact(q.it))
	}
	return strings.Join(slices.Compact(about), " ")
}

func factOf(text string) string { return record.DigestOf("about", []byte(text)).String()[:12] }

// answeredBy reports whether what a person said when the question rested on some facts is an answer to it
// now: it rests on the same, or where others have its key on some of them and on nobody else.
func (q question) answeredBy(facts string) bool {
	had, now := restsOn(facts), restsOn(q.facts())
	if q.cause != run.SameKey && len(had) != len(now) {
		return false
	}
	return !slices.ContainsFunc(now, func(f string) bool { return !slices.Contains(had, f) })
}

// restsOn is the facts of a question but for what a person said before, and who the record was.
func restsOn(facts string) []string {
	return slices.DeleteFunc(strings.Fields(facts), func(f string) bool {
		return strings.HasPrefix(f, run.SaidMark) || strings.HasPrefix(f, links.ItMark)
	})
}

func itFact(who string) string { return links.ItMark + factOf(who) }

// hasLost reports whether a question that rested on some facts does not name one of them any more.
func (q question) hasLost(facts, about string) bool {
	return slices.Contains(strings.Fields(facts), factOf(about)) && !slices.Contains(q.about, about)
}
