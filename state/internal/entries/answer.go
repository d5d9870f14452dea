package entries

import (
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// sortedAnswer is what the answer to a change shows of the record that was written, sorted by what
// becomes of it.
type sortedAnswer struct {
	base    record.Fields // becomes part of the base
	rest    record.Fields // is an observation
	untaken record.Fields // stood there before, and is there still: the system did not take what was sent
	unshown []string      // paths that no read has shown since they were written: see answeredPath
}

// Settle changes the entry of the record that was written. first is what stood there
// before changes of which no answer came.
func (r *Row) Settle(i record.Intent, a record.Receipt, first record.Fields) {
	written, held, was := i.Change.Fields, r.stood(i.Change.Before, first), *r
	seen := record.Fields(nil)
	sorted := sortedAnswer{base: record.Fields{}, rest: record.Fields{}, untaken: without(r.stillUntaken(a.Fields), written)}
	if r.Seen != nil {
		seen = r.Seen.Fields.Clone()
	}
	r.Take(i.Bases[i.Place.Side])
	r.sortWritten(&sorted, i, a, seen)
	r.sortEarlier(&sorted, written, a)
	for path, shown := range a.Fields {
		if _, known := sorted.base[path]; !known && shown.Observed() {
			sorted.rest[path] = shown
		}
	}
	if i.Change.Op == record.Create {
		sorted.sortCreated(written, a)
	}
	r.Take(sorted.base)
	r.observeAnswer(seen.With(sorted.rest), a, sorted.untaken)
	r.paths = sorted.unshown
	r.replaced(a.At, held...)
	r.Acked, r.SettleUntil, r.BaseVersion = sqlite.Ceil(a.At), sqlite.Ceil(a.SettleUntil), a.Version
	if a.ReadAgain && len(sorted.unshown) > 0 {
		r.ask(r.SettleUntil.Add(time.Millisecond))
	}
	r.vouchAnswer(a, was.Entry)
	r.reviseAnswered(i, a, was)
	r.Sent = sentOnly(sorted.unshown)
	r.Unlist()
}

// sortWritten sorts the paths that the change wrote, and takes them out of seen, the observation
// from before it.
func (r *Row) sortWritten(sorted *sortedAnswer, i record.Intent, a record.Receipt, seen record.Fields) {
	written := i.Change.Fields
	for _, path := range written.Names() {
		sorted.base[path] = written[path]
		switch shown := a.Fields[path]; {
		case leftAsItWas(i, a, path), foundOtherwise(i, a, path):
			sorted.rest[path], sorted.untaken[path] = shown, shown
		case !shown.Observed():
			sorted.unshown = append(sorted.unshown, path)
		default:
			sorted.base[path] = shown
			sorted.unshown = append(sorted.unshown, toBeShown(i, a, path)...)
		}
		if i.Change.Op == record.Create && seen[path].Observed() && !Alike(seen[path], sorted.base[path]) {
			r.ask(a.At) // sent again, it may be answered as it was the first time: before somebody edited it
		}
		delete(seen, path)
	}
}

// sortEarlier sorts the paths that an earlier change wrote and that no read has shown since.
func (r *Row) sortEarlier(sorted *sortedAnswer, written record.Fields, a record.Receipt) {
	for _, kept := range r.paths {
		path, answered := pathOf(kept)
		if _, again := written[path]; again {
			continue
		}
		switch shown := a.Fields[path]; {
		case !shown.Observed():
			sorted.unshown = append(sorted.unshown, kept)
		case answered && r.holds(path, shown):
		case r.replacedAt(path, shown) && !r.holds(path, shown):
			sorted.rest[path], sorted.untaken[path] = shown, shown
		case answered:
			sorted.rest[path] = shown
		default:
			sorted.base[path] = shown
		}
	}
}

// sortCreated sorts what the answer to a create shows once more. What somebody may have entered
// since the record was made is an observation: it meets the other side for the first time.
// Everything else that its system gave the record of its own accord belongs to the base.
func (s *sortedAnswer) sortCreated(written record.Fields, a record.Receipt) {
	if editedSince(a) {
		for path, sent := range written {
			if !Alike(sent, s.base[path]) {
				s.rest[path] = s.base[path]
				delete(s.base, path)
			}
		}
	}
	for _, path := range a.Apart {
		if shown := a.Fields[path]; shown.Observed() {
			s.rest[path] = shown
			delete(s.base, path)
		}
	}
	// In the answer to our request there is nothing else. In a record that was found later
	// somebody may have filled in what we had left empty.
	for path, shown := range s.rest {
		if !a.Adopted || shown.Empty() {
			s.base[path] = shown
			delete(s.rest, path)
		}
	}
}

// editedSince reports whether a record that was found later tells by its own times that
// somebody changed it since it was made. What it holds otherwise than it was sent may be
// theirs, and meets the other side for the first time. Where the times don't tell, it is
// what its system made of what was sent.
func editedSince(a record.Receipt) bool {
	return a.Adopted && !a.Created.IsZero() && a.Changed.Sub(a.Created) > record.OneWrite
}

// observeAnswer keeps what is known of fields that were not written, if it differs
// from the base.
func (r *Row) observeAnswer(seen record.Fields, a record.Receipt, untaken record.Fields) {
	if len(seen) == 0 || r.agrees(seen) {
		r.Seen = nil
		return
	}
	o := record.Observation{}
	if r.Seen != nil {
		o = *r.Seen
	}
	o.Fields, o.Version, o.At, o.View, o.Untaken = seen, a.Version, a.At, "receipt", untaken
	if !a.Changed.IsZero() {
		o.Changed = a.Changed
	}
	r.Seen = &o
}
