package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// distrust takes what differs from its base out of the bases of a link whose state was put
// back to an older copy. Who changed it since nobody knows: what a side seems to hold still
// may have been entered there again. Once both sides were read since then all that is
// left of the bases holds. Its error is errUnread where only the copy tells of a record, and
// the record can't be read now.
func (r *run) distrust(ctx context.Context, p record.Pair) (record.Pair, error) {
	if !p.Doubted {
		return p, nil
	}
	compared, err := r.bothRead(ctx)
	if err != nil {
		return p, err
	}
	paths := r.unlikeBases(p)
	if !compared && len(paths[record.Left])+len(paths[record.Right]) > 0 {
		if p, err = r.readStale(ctx, p); err != nil {
			return p, err
		}
		paths = r.unlikeBases(p)
	}
	for _, side := range record.Sides {
		base := maps.Clone(p.Sides[side].Base)
		for _, path := range paths[side] {
			delete(base, path)
		}
		p.Sides[side].Base = base
	}
	over := compared && p.Sides[record.Left].State == record.InStep && p.Sides[record.Right].State == record.InStep
	if r.opt.Dry || !over && len(paths[record.Left])+len(paths[record.Right]) == 0 {
		return p, nil
	}
	p.Doubted = !over
	if err := r.Store.Distrust(ctx, r.lease, p.Link, paths, over); err != nil {
		return p, fmt.Errorf("decide link %d anew, since the state was put back: %w", p.Link, err)
	}
	return p, nil
}

// readStale reads the records of a link of which nobody has seen anything since the state was
// put back. What the copy says of them may have been changed since on both sides, and would
// be written over that.
func (r *run) readStale(ctx context.Context, p record.Pair) (record.Pair, error) {
	var stale []record.Side
	for _, side := range record.Sides {
		seen := p.Sides[side].Seen
		if r.scanned[side] || seen != nil && !seen.At.Before(r.restored) {
			continue
		}
		switch whole, err := r.wholeSince(ctx, side); {
		case err != nil:
			return p, err
		case whole:
		case !r.canRead(side):
			r.note(side, p.Sides[side].Ref, record.Waiting,
				"the state was put back to an older copy: what it holds now is not known until its list has been read")
			return p, errUnread
		default:
			stale = append(stale, side)
		}
	}
	if len(stale) == 0 {
		return p, nil
	}
	if _, err := r.readPair(ctx, p, stale); err != nil {
		return p, err
	}
	p, ok, err := r.Store.Pair(ctx, p.Link)
	if err == nil && (!ok || slices.ContainsFunc(stale, func(side record.Side) bool { return p.Sides[side].State != record.InStep })) {
		err = errUnread // what became of it is found out like of any other
	}
	return p, err
}

// unlikeBases is unlikeBase of both sides.
func (r *run) unlikeBases(p record.Pair) (paths [2][]string) {
	edited := r.editedOf(p)
	for _, side := range record.Sides {
		paths[side] = r.unlikeBase(side, p.Sides[side], edited)
	}
	return paths
}

// editedOf is the fields of which a side does not show what it was settled on.
func (r *run) editedOf(p record.Pair) (edited [2]map[string]bool) {
	for _, side := range record.Sides {
		edited[side] = map[string]bool{}
		e := p.Sides[side]
		now := e.Last()
		for _, f := range r.job.Mapping.Fields() {
			edited[side][f.Name] = slices.ContainsFunc(r.job.Mapping.Inputs(side, f.Name), func(p string) bool {
				return now[p].Observed() && !r.asSettled(e.Base[p], now[p])
			})
		}
	}
	return edited
}

// unlikeBase is the paths of a side's base that belong to a field which is not as it was
// settled. What was only sent, and was never shown, does not meet an edit across either: as at
// a first meeting it has to be read first.
func (r *run) unlikeBase(side record.Side, e record.Entry, edited [2]map[string]bool) []string {
	var out []string
	for _, f := range r.job.Mapping.Fields() {
		paths := r.job.Mapping.Inputs(side, f.Name)
		sent := slices.ContainsFunc(paths, func(p string) bool { return slices.Contains(e.Sent, p) })
		if !edited[side][f.Name] && (!sent || !edited[side.Other()][f.Name]) {
			continue
		}
		if r.refs[f.Name] {
			paths = append(slices.Clone(paths), plan.RefPath(f.Name))
		}
		for _, p := range paths {
			if e.Base[p].Known() && !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// asSettled reports whether a value is the one that a base has; empty is empty.
func (r *run) asSettled(base record.Stored, v record.Value) bool {
	if base.Same(r.job.Seal, v) {
		return true
	}
	return v.Empty() && slices.ContainsFunc([]record.Value{record.Nothing(), record.OfText(""), record.OfList(), record.OfMap(nil)},
		func(none record.Value) bool { return base.Same(r.job.Seal, none) })
}

// question is what a person is asked about a record that has no link.
type question struct {
	cause cause
	said  string          // what a person said before: the id of the record across that it is, or a word
	it    string          // a digest of who the record is
	why   string          // for a person
	about []string        // what else it rests on: the records it names
	links []record.LinkID // of records that it names: what becomes of one that is gone comes first
}

// cause is why a person is asked.
type cause string

const (
	sameKey   cause = "same key"       // others have its key, or one of its keys speaks for another
	wasGone   cause = "was gone"       // it was gone, and is there again
	ourMarked cause = "mark"           // it carries a mark of ours, and what it was made for is not clear
	booked    cause = "booking"        // a booking that a person says yes or no to
	missing   cause = "missing"        // what it refers to is not there
	mayBeSent cause = "perhaps sent"   // it may have been made, where that can't be taken back
	orphans   cause = "orphans"        // there are records with our mark that nobody knows
	byRule    cause = "rule"           // a rule would leave it out
	keyTaken  cause = "key taken"      // what the other side keeps unique is another's there
	inPlace   cause = "in place of it" // a record across with its key is gone

	sameName    cause = "same name"     // a booking across that is of another guest, as far as is known, has all else in common
	saidBefore  cause = "said before"   // a person said that it is one across, and one of the two was changed since
	leftBefore  cause = "left before"   // a person left it out, and its keys or its name changed since
	outOfWindow cause = "out of window" // a record across with its key is outside of the window or the filter
	blankedKey  cause = "blanked"       // all by which it could be recognised was blanked
	leftAlone   cause = "left alone"    // a record across with its key has the id of another one, and a person left it alone
	forgottenIt cause = "forgotten"     // it may have been made before the state was put back
)

// namesOf is the names of what a record waits for.
func namesOf(on []record.Wait) (names []string) {
	for _, w := range on {
		names = append(names, w.Ref.String())
	}
	return names
}

// facts is what a question rests on, as digests: one of all, or where others have its key one of each. It
// holds nothing of a guest.
func (q question) facts() string {
	about := slices.Clone(q.about)
	slices.Sort(about)
	if q.cause != sameKey {
		about = []string{record.DigestOf("question", fmt.Appendf(nil, "%s %q", q.cause, about)).String()}
	} else {
		for i, text := range about {
			about[i] = factOf(text)
		}
	}
	if q.said != "" {
		about = append(about, saidFact(q.said))
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
	if q.cause != sameKey && len(had) != len(now) {
		return false
	}
	return !slices.ContainsFunc(now, func(f string) bool { return !slices.Contains(had, f) })
}

// restsOn is the facts of a question but for what a person said before, and who the record was.
func restsOn(facts string) []string {
	return slices.DeleteFunc(strings.Fields(facts), func(f string) bool {
		return strings.HasPrefix(f, saidMark) || strings.HasPrefix(f, itMark)
	})
}

// itMark begins, among what a question rests on, who the record was that it was about.
const itMark = "it:"

func itFact(who string) string { return itMark + factOf(who) }

// hasLost reports whether a question that rested on some facts does not name one of them any more.
func (q question) hasLost(facts, about string) bool {
	return slices.Contains(strings.Fields(facts), factOf(about)) && !slices.Contains(q.about, about)
}
