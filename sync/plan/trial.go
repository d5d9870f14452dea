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
	case last.Described == described && last.Stopped():
		return TrialForbids
	case last.State == record.TrialBack: // its record was not read since it was put back
		return TrialAwaited
	case last.Described != described:
		return TrialDue
	}
	return TrialNone
}

// Effects is what an update did to a record beside what it was sent, by native paths.
type Effects struct {
	Emptied []string // whatever the job knows of them
	Changed []string // of the job's own: set to something else, by the system or by a user meanwhile
	Shown   bool     // something stood in the record that it could have emptied
	Kept    bool     // some of that stands as before, which is no replacement
}

// Unasked compares a record whole before and after an update. What the system keeps for
// itself, such as the time of the change, is no effect. Of a record before that is known by
// digests, seal is their key. As long as the job has paths of its own that were not sent, only such a path
// shows anything: what else a system keeps through all updates proves nothing of them.
func Unasked(before, after record.Fields, sent []string, own []string, seal []byte, fixed func(path string) bool) Effects {
	var out Effects
	within := func(p string) bool {
		return fixed(p) || slices.ContainsFunc(sent, func(s string) bool { return overlap(s, p) })
	}
	spare := slices.DeleteFunc(slices.Clone(own), within)
	for _, p := range before.Names() {
		was, is := before[p], after[p]
		if !was.Observed() || was.Empty() || within(p) {
			continue
		}
		tells := len(spare) == 0 || slices.ContainsFunc(spare, func(s string) bool { return overlap(s, p) })
		out.Shown = out.Shown || tells
		switch {
		case !is.Observed() && slices.ContainsFunc(after.Names(), func(s string) bool { return strings.HasPrefix(s, p+".") && !after[s].Empty() }):
		case !is.Observed(), is.Empty():
			out.Emptied = append(out.Emptied, p)
		case !stood(was, is, seal) && slices.Contains(own, p):
			out.Changed = append(out.Changed, p)
		default:
			out.Kept = out.Kept || tells
		}
	}
	return out
}

// Shown reports whether a record shows that something was written to the paths that were
// sent: a read that lags shows it as it was before.
func Shown(before, after record.Fields, sent []string, seal []byte) bool {
	return slices.ContainsFunc(sent, func(p string) bool { return !stood(before[p], after[p], seal) })
}

// stood reports whether a value is as it was, of which a digest may be all that is known.
func stood(was, is record.Value, seal []byte) bool {
	if was.Sealed() {
		return record.Seal(seal, is).Equal(was)
	}
	return is.Equal(was) || is.Empty() && was.Empty()
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
