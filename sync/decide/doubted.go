package decide

import (
	"fmt"
	"slices"

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

// rests is what a question rests on, as digests: one of all, or where others have its key one of each.
func (q question) rests() record.Rests {
	about := slices.Clone(q.about)
	slices.Sort(about)
	if q.cause != run.SameKey {
		about = []string{record.DigestOf("question", fmt.Appendf(nil, "%s %q", q.cause, about)).String()}
	} else {
		for i, text := range about {
			about[i] = digestOf(text)
		}
	}
	rests := record.Rests{On: slices.Compact(about), Said: q.said}
	if q.it != "" {
		rests.It = digestOf(q.it)
	}
	return rests
}

func digestOf(text string) string { return record.DigestOf("about", []byte(text)).String()[:12] }

// answeredBy reports whether what a person said when the question rested on had is an answer to it now: it rests
// on the same, or where others have its key on some of them and on nobody else.
func (q question) answeredBy(had record.Rests) bool {
	now := q.rests().On
	if q.cause != run.SameKey && len(had.On) != len(now) {
		return false
	}
	return !slices.ContainsFunc(now, func(f string) bool { return !slices.Contains(had.On, f) })
}

// hasLost reports whether a question that rested on had does not name one of them any more.
func (q question) hasLost(had record.Rests, about string) bool {
	return slices.Contains(had.On, digestOf(about)) && !slices.Contains(q.about, about)
}
