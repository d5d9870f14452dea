package decide

import (
	"fmt"
	"slices"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// question is what a person is asked about a record that has no link.
type question struct {
	cause  run.Cause
	said   string          // what a person said before: the id of the record across that is the same, or a word
	it     string          // a digest of who the record is
	why    string          // shown to the person
	about  []string        // what else it rests on: the records that it names
	beside []record.Ref    // records across that go their own way, and may be the partner
	links  []record.LinkID // of the records that it names: what becomes of a link with a missing record is decided first
}

// rests returns digests of what a question rests on: one digest for all of it, but one for each record if the
// question is about keys that others have.
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
	rests := record.Rests{On: slices.Compact(about), Said: q.said, Beside: q.beside}
	if q.it != "" {
		rests.It = digestOf(q.it)
	}
	return rests
}

func digestOf(text string) string { return record.DigestOf("about", []byte(text)).String()[:12] }

// answeredBy reports whether an answer that a person gave earlier counts for this question. had is what the
// question rested on then. It must be the same now. If the question is about keys that others have, some of these
// records may be missing now, but none may be new.
func (q question) answeredBy(had record.Rests) bool {
	now := q.rests().On
	if q.cause != run.SameKey && len(had.On) != len(now) {
		return false
	}
	return !slices.ContainsFunc(now, func(f string) bool { return !slices.Contains(had.On, f) })
}

// hasLost reports whether a question that rested on had named a record, given as about, that this question does
// not name any more.
func (q question) hasLost(had record.Rests, about string) bool {
	return slices.Contains(had.On, digestOf(about)) && !slices.Contains(q.about, about)
}
