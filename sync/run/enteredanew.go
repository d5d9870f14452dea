package run

import (
	"slices"
	"strings"
)

// Likes is the records that a person is told of who is asked about a record that is gone: what may be it,
// entered anew, and what else that may be.
func (a *Absence) Likes() []string {
	var out []string
	for _, ref := range a.Anew {
		out = append(out, AnewFact+ref.String())
	}
	for _, ref := range a.Beside {
		out = append(out, BesideFact+ref.String())
	}
	return out
}

// These begin, among what a question rests on, what may have been entered anew, and what else that may be.
const (
	AnewFact   = "anew "
	BesideFact = "beside "
)

// Facts is what the question about a record that is gone rests on: whoever goes by it, and what is like it.
func (a *Absence) Facts() string {
	return strings.TrimPrefix(strings.Join(append([]string{a.Named.Facts()}, a.Likes()...), "\n"), "\n")
}

// ToldOf reports whether a person who answered the question was told of all that goes by the record, and of
// all that is like it. What came after that may be the record itself, entered anew.
func (a *Absence) ToldOf(facts string) bool {
	return a.Named.CountsStill(facts) && ToldAll(a.Likes(), facts)
}

// ToldOfAnew is toldOf for who said that what is gone was entered anew, or is to be made anew: no newcomer may
// have come since. Made anew beside one, it would be there twice.
func (a *Absence) ToldOfAnew(facts string) bool {
	likes := slices.DeleteFunc(a.Likes(), func(like string) bool { return !strings.HasPrefix(like, AnewFact) })
	return ToldAll(likes, facts)
}

func ToldAll(likes []string, facts string) bool {
	told := strings.Split(facts, "\n")
	return !slices.ContainsFunc(likes, func(like string) bool { return !slices.Contains(told, like) })
}
