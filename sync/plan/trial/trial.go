// Package trial says what the first writes to a system prove, and what an update did beside what it was sent.
//
// A write is a trial when its operation, or an object within the record that it goes through, was not proved
// since the description of the kind changed. A record is compared whole before and after its trial. The
// package is pure.
package trial

import (
	"slices"
	"strings"

	"nightporter/sync/record"
)

// Word says what trials mean for a write.
type Word uint8

// What trials say of a write.
const (
	None    Word = iota // the side needs no trial, or it is passed
	Due                 // this write is the trial
	Awaited             // a trial is under way: the write waits
	Forbids             // the trial was not passed: the write is not made
)

// Of is the one place that says whether a write is a trial. described is the digest of
// its kind's description, "" where no trial is needed; last is the trial before, if any; paths
// are those that the write sends.
func Of(described string, op record.Op, last *record.Trial, paths []string) Word {
	switch {
	case described == "" || op == record.Delete:
		return None
	case last == nil:
		return Due
	case !last.Over():
		return Awaited
	case last.Described == described && last.Stopped():
		return Forbids
	case last.State == record.TrialBack: // its record was not read since it was put back
		return Awaited
	case last.Described != described, op == record.Update && len(Unproved(last.Proved, paths)) > 0:
		return Due
	}
	return None
}

const (
	looksAtMost = 3 // runs in which all other writes wait for a record that can't be read
	asideAtMost = 3 // records put aside that may have been harmed and that nobody can read
)

// PutsAside reports whether another record takes the place of a record that can't be read after its trial. looks
// is how many runs could not read it, beside how many other records were put aside already.
func PutsAside(looks, beside int) bool { return looks >= looksAtMost && beside < asideAtMost }

// Unproved returns the objects that paths go through and for which no trial has shown that an update keeps what
// it is not sent. The record itself is "".
func Unproved(proved, paths []string) []string {
	if slices.Contains(proved, record.AllPaths) {
		return nil
	}
	return slices.DeleteFunc(objects(paths), func(o string) bool { return slices.Contains(proved, o) })
}

// objects returns the record itself, "", and each object within it that paths go through.
func objects(paths []string) []string {
	var out []string
	for _, p := range paths {
		out = append(out, "")
		for i := 0; i < len(p); i++ {
			switch p[i] {
			case '\\': // what follows belongs to a name
				i++
			case '.':
				out = append(out, p[:i])
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// inside reports whether a path leads to something in an object.
func inside(p, object string) bool { return object == "" || strings.HasPrefix(p, object+".") }

// Loses reports whether a record holds anything in these objects that an update could empty. If not, there is
// nothing to try.
func Loses(before record.Fields, objects, sent []string, fixed func(path string) bool) bool {
	return slices.ContainsFunc(before.Names(), func(p string) bool {
		return before[p].Filled() && !asked(p, sent, fixed) &&
			slices.ContainsFunc(objects, func(o string) bool { return inside(p, o) })
	})
}

// Unread returns the known values of a record that are not sent and that no read by its id shows. Only a list can
// tell what an update did to them.
func Unread(known record.Fields, reads []record.Fields, sent []string, fixed func(path string) bool) record.Fields {
	out := record.Fields{}
	for p, v := range known {
		if !v.Empty() && !asked(p, sent, fixed) && !slices.ContainsFunc(reads, func(f record.Fields) bool { return showsOf(f, p) }) {
			out[p] = v
		}
	}
	return out
}

// showsOf reports whether a read shows a path or something within it. A read also shows that nothing can be
// there, where the path leads into something that is no object.
func showsOf(f record.Fields, p string) bool {
	for q, v := range f {
		switch {
		case !v.Observed():
		case q == p, strings.HasPrefix(q, p+"."), strings.HasPrefix(p, q+".") && v.Type() != record.Map:
			return true
		}
	}
	return false
}

// asked reports whether a path was sent, overlaps with one that was, or is one that no update changes.
func asked(p string, sent []string, fixed func(path string) bool) bool {
	return fixed(p) || slices.ContainsFunc(sent, func(s string) bool { return overlap(s, p) })
}

// Effects is what an update did to a record beside what it was sent, by native paths. Each object that the update
// went through is looked at separately: a system may keep the other fields of a record, and replace an object
// within it.
type Effects struct {
	Emptied []string // paths that are empty since, whether or not the job maps them
	Changed []string // paths of the job with another value since, by the system or by a user meanwhile
	Shown   []string // objects in which something stood that the update could have emptied
	Kept    []string // those of Shown in which some of that stands as before: they were not replaced
}

// Clean reports whether nothing was emptied, and whether each object of Shown holds something that stands as
// before.
func (e Effects) Clean() bool {
	return len(e.Emptied) == 0 && !slices.ContainsFunc(e.Shown, func(o string) bool { return !slices.Contains(e.Kept, o) })
}

// Replaced splits what was emptied. ours was in objects in which nothing stands as before, so that the update
// replaced them. others was in the other objects: a user may have emptied it.
func (e Effects) Replaced(sent []string) (ours, others []string) {
	for _, p := range e.Emptied {
		in := ""
		for _, o := range objects(sent) { // sorted: the innermost is the last
			if inside(p, o) {
				in = o
			}
		}
		if slices.Contains(e.Kept, in) {
			others = append(others, p)
		} else {
			ours = append(ours, p)
		}
	}
	return ours, others
}

// Unasked compares a record whole before and after an update. What the system keeps for itself, such as the time
// of the change, is no effect. seal is the key of digests in before. Where the job has paths of its own in an
// object that were not sent, only such paths tell anything of the object: what else a system keeps there through
// all updates proves nothing.
func Unasked(before, after record.Fields, sent []string, own []string, seal []byte, fixed func(path string) bool) Effects {
	var out Effects
	for _, o := range objects(sent) {
		shown, kept := tells(o, before, after, sent, own, seal, fixed)
		if shown {
			out.Shown = append(out.Shown, o)
		}
		if kept {
			out.Kept = append(out.Kept, o)
		}
	}
	for _, p := range before.Names() {
		was, is := before[p], after[p]
		if !was.Filled() || asked(p, sent, fixed) || hidesCard(is) {
			continue
		}
		switch {
		case splitUp(p, after):
		case !is.Observed(), is.Empty():
			out.Emptied = append(out.Emptied, p)
		case !stood(was, is, seal) && slices.Contains(own, p):
			out.Changed = append(out.Changed, p)
		}
	}
	return out
}

// tells reports what a record shows of an object that an update went through. shown: something stood in the
// object beside what was sent. kept: some of that stands as before.
func tells(object string, before, after record.Fields, sent, own []string, seal []byte, fixed func(path string) bool) (shown, kept bool) {
	spare := slices.DeleteFunc(slices.Clone(own), func(p string) bool { return asked(p, sent, fixed) || !inside(p, object) })
	for _, p := range before.Names() {
		was, is := before[p], after[p]
		if !was.Filled() || asked(p, sent, fixed) || !inside(p, object) || hidesCard(is) ||
			len(spare) > 0 && !slices.ContainsFunc(spare, func(s string) bool { return overlap(s, p) }) {
			continue
		}
		shown = true
		changed := !stood(was, is, seal) && slices.Contains(own, p)
		kept = kept || is.Filled() && !changed
	}
	return shown, kept
}

// splitUp reports whether a path is not shown any more, but something within it is. Example: address was a text,
// and is shown as address.city now.
func splitUp(p string, after record.Fields) bool {
	return !after[p].Observed() && slices.ContainsFunc(after.Names(), func(s string) bool { return strings.HasPrefix(s, p+".") && !after[s].Empty() })
}

// Shown reports whether a record shows that something was written to the paths that were
// sent: a read that lags shows it as it was before.
func Shown(before, after record.Fields, sent []string, seal []byte) bool {
	return slices.ContainsFunc(sent, func(p string) bool { return !hidesCard(after[p]) && !stood(before[p], after[p], seal) })
}

// Taken reports whether a record shows what the write of a trial sent. original is what the record held
// before. The base of entry is what was sent, or what the system made of it. Any other value may be a user's,
// and the write may never have been done. Taken does not settle a write without an answer: a user may have
// entered the same value.
func Taken(t record.Trial, original record.Fields, entry record.Entry, now record.Fields, seal []byte) bool {
	return t.Op != record.Update || slices.ContainsFunc(t.Sent, func(p string) bool {
		was, plain := entry.Base[p].Plain()
		as := entry.Base[p].Same(seal, now[p]) || plain && (now[p].Respells(was) || now[p].Empty() && was.Empty())
		return as && !stood(original[p], now[p], seal)
	})
}

// stood reports whether a value is as it was. was may be a digest.
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

// PutBack returns what is written back of the original of a record. left names the paths that can't be written
// back, because only digests of them are known.
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
