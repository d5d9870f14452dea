package plan

import (
	"slices"
	"strings"

	"nightporter/sync/record"
)

// TrialWord says what a write is as far as trials go.
type TrialWord uint8

// What a write is.
const (
	TrialNone    TrialWord = iota // the side needs no trial, or it is passed
	TrialDue                      // this write is the trial
	TrialAwaited                  // a trial is under way: the write waits
	TrialForbids                  // the trial was not passed: the write is not made
)

// TrialOf is the one place that says whether a write is a trial. described is the digest of
// its kind's description, "" where no trial is needed; last is the trial before, if any.
func TrialOf(described string, op record.Op, last *record.Trial) TrialWord {
	switch {
	case described == "" || op == record.Delete:
		return TrialNone
	case last == nil:
		return TrialDue
	case !last.Over():
		return TrialAwaited
	case last.Described != described:
		return TrialDue
	case last.Stopped():
		return TrialForbids
	}
	return TrialNone
}

// Unasked is the paths that an update changed besides those it was sent: emptied, or, of
// the paths of the job's own, set to something else. What the system keeps for itself, such
// as the time of the change, is none. A digest tells only of what was emptied.
func Unasked(before, after record.Fields, sent []string, own []string, fixed func(path string) bool) []string {
	var out []string
	for _, p := range before.Names() {
		was, is := before[p], after[p]
		switch {
		case !was.Observed() || was.Empty() || fixed(p) || slices.ContainsFunc(sent, func(s string) bool { return overlap(s, p) }):
		case !is.Observed() && slices.ContainsFunc(after.Names(), func(s string) bool { return strings.HasPrefix(s, p+".") && !after[s].Empty() }):
		case !is.Observed(), is.Empty():
			out = append(out, p)
		case !was.Sealed() && !is.Equal(was) && slices.Contains(own, p):
			out = append(out, p)
		}
	}
	return out
}

// overlap reports whether one path is the other, or within it.
func overlap(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}

// PutBack is what is written back of an original. left is what can't be, because only
// digests of it are known.
func PutBack(original record.Fields, unasked []string) (values record.Fields, left []string) {
	values = record.Fields{}
	for _, p := range unasked {
		if original[p].Sealed() {
			left = append(left, p)
			continue
		}
		values[p] = original[p]
	}
	return values, left
}
