package entries

import (
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// sortedAnswer holds the values that the answer to a change shows of the written record, sorted by what becomes of
// them.
type sortedAnswer struct {
	base    record.Fields // these become part of the base
	rest    record.Fields // these are kept as an observation
	untaken record.Fields // these are noted as not taken: the record shows another value than was sent
	unshown []string      // written paths that no read has shown since, kept as answeredPath says
}

// Settle takes the answer to one of our changes into the entry of the written record: into its base and its
// observation. first holds what stood in the record before earlier changes that were never answered.
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
		sorted.sortCreated(a)
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

// sortWritten sorts the values at the paths that the change wrote. It also removes these paths from seen, the
// observation from before the change.
func (r *Row) sortWritten(sorted *sortedAnswer, i record.Intent, a record.Receipt, seen record.Fields) {
	written := i.Change.Fields
	for _, path := range written.Names() {
		sorted.base[path] = written[path]
		switch shown := a.Fields[path]; {
		case leftAsItWas(i, a, path), foundOtherwise(i, a, path) && !isEdit(a, path):
			sorted.rest[path], sorted.untaken[path] = shown, shown
		case foundOtherwise(i, a, path): // its times tell of an edit: this side alone has changed the value
			sorted.rest[path] = shown
		case !shown.Observed():
			sorted.unshown = append(sorted.unshown, path)
		default:
			sorted.base[path] = shown
			sorted.unshown = append(sorted.unshown, toBeShown(i, a, path)...)
		}
		if i.Change.Op == record.Create && seen[path].Observed() && !Alike(seen[path], sorted.base[path]) {
			r.ask(a.At) // a create that is sent again may get its first answer once more, from before an edit
		}
		delete(seen, path)
	}
}

// sortEarlier sorts the values at the paths that an earlier change wrote, that no read has shown since, and that
// this change did not write again.
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

// sortCreated sorts the answer to a create a second time. A word that the create was not to set becomes an
// observation: it meets the other side for the first time. Every other value that the system added on its own becomes
// part of the base.
func (s *sortedAnswer) sortCreated(a record.Receipt) {
	for _, path := range a.Apart {
		if shown := a.Fields[path]; shown.Observed() {
			s.rest[path] = shown
			delete(s.base, path)
		}
	}
	// The answer to our own request shows nothing that a user entered. But in a record that was found later, somebody
	// may have filled in a field that we had left empty, or emptied one that we had set.
	for path, shown := range s.rest {
		if asked := s.untaken[path].Observed(); !a.Adopted || shown.Empty() && !asked {
			s.base[path] = shown
			delete(s.rest, path)
		}
	}
}

// observeAnswer makes seen the observation of the record. If the base holds all of seen, there is no observation
// any more.
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
