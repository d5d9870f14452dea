package engine

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Somebody removes a record and enters the same anew under another id. To carry the absence over
// would cost the other side its row: its id, and all that no job maps. So a person is asked as long
// as a record without a link agrees, by a match rule, with the one that is left. It is not made
// across meanwhile: matching holds what has the key of a linked record.

// entered is a record that may be one that is gone, entered anew. Its id may go to another record, which is there since
// another time.
type entered struct {
	ref   record.Ref
	since int64 // in milliseconds
}

func enteredOf(ref record.Ref, since time.Time) entered { return entered{ref, since.UnixMilli()} }

func (c brief) entered() entered { return enteredOf(c.ref, c.since) }

func refsOf(of []entered) (refs []record.Ref) {
	for _, e := range of {
		refs = append(refs, e.ref)
	}
	return refs
}

// likeLeft is the records without a link of a side that have a key of a link whose record of the side gone is
// not there. Those of that side may be what is gone, entered anew. Those of the other side are what else that
// may be. A booking that a person was told of stays among them as long as it is there: see tellsByKey.
func (r *run) likeLeft(ctx context.Context, a *absence, gone, side record.Side) ([]entered, error) {
	var like []entered
	add := func(e entered) {
		if !slices.Contains(like, e) {
			like = append(like, e)
		}
	}
	keys, err := r.keysOfLink(ctx, a.pair, gone)
	if err != nil {
		return nil, err
	}
	found, err := r.Store.Matching(ctx, r.place(side), keys)
	if err != nil {
		return nil, fmt.Errorf("look for what was entered anew: %w", err)
	}
	for _, e := range found {
		if e.Link == 0 && e.State != record.Stranger {
			add(enteredOf(e.Ref, e.Since))
		}
	}
	if side == gone {
		told, err := r.toldStill(ctx, a.pair, a.asked, gone)
		if err != nil {
			return nil, err
		}
		for _, e := range told {
			add(e)
		}
	}
	if !slices.ContainsFunc(keys, func(k record.Key) bool { return r.refers(k.Name) }) {
		return like, nil
	}
	by, err := r.unlinkedBy(ctx, side)
	for _, k := range keys {
		for _, e := range by[k] {
			add(e)
		}
	}
	return like, err
}

// toldStill returns the bookings that a person was told of when they were asked about a link with a record that is gone.
// A booking stays among them as long as it is there and may be that record, entered anew. It may have been moved since,
// so that none of its keys agrees any more.
func (r *run) toldStill(ctx context.Context, p record.Pair, asked map[string]record.Conflict, gone record.Side) (still []entered, err error) {
	if r.tellsByKey() {
		return nil, nil
	}
	for _, told := range enteredAnew(asked[RecordField].Facts) {
		e, ok, err := r.Store.Entry(ctx, r.place(gone), told.ref)
		if err != nil {
			return nil, fmt.Errorf("look for what was entered anew: %w", err)
		}
		if ok && e.Link == 0 && !aside(e.State) && told == enteredOf(e.Ref, e.Since) && !r.job.isAnotherThan(gone, p.Sides[gone], e) {
			still = append(still, told)
		}
	}
	return still, nil
}

// keysOfLink is the keys by which a record may be the one of a link that is gone, entered anew: those of the
// record that is left, as it is and as it was in step, and those of the one that is gone. Somebody may have
// moved the booking that is left since the other was entered anew. Of what is kept as digests there are none.
func (r *run) keysOfLink(ctx context.Context, p record.Pair, gone record.Side) ([]record.Key, error) {
	var keys []record.Key
	for _, side := range []record.Side{gone.Other(), gone} {
		e := p.Sides[side]
		if r.hides(side, e) {
			continue
		}
		settled := e
		settled.Seen = nil
		as := []record.Entry{e, settled}
		if r.isAnother(r.job, side, e) { // what it shows is of that one
			as = as[1:]
		}
		for _, as := range as {
			s, err := r.sideOf(ctx, side, as)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.Ref, err)
			}
			for _, k := range r.job.Mapping.Keys(side, s.Native, resolvedOnly(s.Now)) {
				if !slices.Contains(keys, k) {
					keys = append(keys, k)
				}
			}
		}
	}
	return keys, nil
}

// unlinkedBy is the records of a side without a link, by those keys that name other records. They
// are read once a plan.
func (r *run) unlinkedBy(ctx context.Context, side record.Side) (map[record.Key][]entered, error) {
	if r.book.unlinked[side] != nil {
		return r.book.unlinked[side], nil
	}
	all, err := r.candidates(ctx, side)
	if err != nil {
		return nil, err
	}
	by := map[record.Key][]entered{}
	for _, c := range all {
		for _, k := range c.keys {
			if r.refers(k.Name) {
				by[k] = append(by[k], c.entered())
			}
		}
	}
	r.book.unlinked[side] = by
	return by, nil
}

// mayBeAnew notes of a record that is gone, and whose absence would be carried over, or is asked about,
// what may be the same, entered anew. What never changes has rules of its own: see replaced.go.
func (r *run) mayBeAnew(ctx context.Context, a *absence, x *plan.Existing) error {
	for _, side := range record.Sides {
		f := plan.Gone(*x)
		carries, asks := f.Deed == plan.Carry && f.Side == side.Other(), f.Deed == plan.Ask && f.Side == side
		if !carries && !asks || x.Sides[side].State != plan.Absent || r.side(side).Can.Immutable {
			continue
		}
		var err error
		if a.anew, err = r.likeLeft(ctx, a, side, side); err != nil {
			return err
		}
		if len(a.anew) > 0 {
			beside, err := r.likeLeft(ctx, a, side, side.Other())
			if err != nil {
				return err
			}
			a.beside = refsOf(beside)
		}
		if asks {
			continue
		}
		asked := plan.Question(a.asked[RecordField].Policy) == plan.AskAnew // whatever became of the newcomer since: what they say is done
		x.Sides[side].Anew = asked || len(a.anew) > 0
	}
	return nil
}

// anewReason is what a person is asked about a record that may have been entered anew.
func (r *run) anewReason(a *absence) string {
	which := "it"
	if len(a.anew) > 1 {
		which = "one of them"
	}
	return fmt.Sprintf("%s does not have it any more, and has %s: is %s the same, entered anew? %s, --delete lets the old one go%s",
		r.side(a.fate.Side).System, likeIt(a.anew), which, r.joinsWith(a), r.besideLeft(a))
}

// besideAnew is what a person who is asked something else about a record that is gone is told of what may
// be the same: nothing is asked about that one meanwhile.
func (r *run) besideAnew(a *absence) string {
	return fmt.Sprintf("; %s has %s: %s%s", r.side(a.fate.Side).System, likeIt(a.anew), r.joinsWith(a), r.besideLeft(a))
}

// likeIt names the records that may be one that is gone, entered anew.
func likeIt(anew []entered) string {
	if len(anew) == 1 {
		return anew[0].ref.String() + ", which agrees with it by a match rule and has no partner"
	}
	return refList(refsOf(anew)) + ", which agree with it by a match rule and have no partner"
}

// joinsWith says by which answer the record that is left goes on with what was entered anew.
func (r *run) joinsWith(a *absence) string {
	if len(a.anew) == 1 {
		return "--create has the two joined"
	}
	return fmt.Sprintf("--with %s, or another of them, has the two joined, --create says that it is none of them", a.anew[0].ref.ID)
}

// besideLeft tells of others across that may be what was entered anew: once the old one is let go, the new
// one is joined with one of them.
func (r *run) besideLeft(a *absence) string {
	if len(a.beside) == 0 {
		return ""
	}
	return fmt.Sprintf(". %s has %s, which agrees with it, too: after --delete the new one may be joined with that", r.side(a.fate.Side.Other()).System, refList(a.beside))
}

// likes is the records that a person is told of who is asked about a record that is gone: what may be it,
// entered anew, and what else that may be.
func (a *absence) likes() []string {
	var out []string
	for _, e := range a.anew {
		out = append(out, e.fact())
	}
	for _, ref := range a.beside {
		out = append(out, besideFact+ref.String())
	}
	return out
}

// These begin, among what a question rests on, what may have been entered anew, and what else that may be.
const (
	anewFact   = "anew "
	besideFact = "beside "
)

// Newcomers is the records that a question about one that is gone names as what may be the same, entered anew.
func Newcomers(facts string) []record.Ref { return refsOf(enteredAnew(facts)) }

func (e entered) fact() string { return fmt.Sprintf("%s%d %s", anewFact, e.since, e.ref) }

// enteredAnew reads what fact wrote.
func enteredAnew(facts string) (told []entered) {
	for line := range strings.SplitSeq(facts, "\n") {
		text, is := strings.CutPrefix(line, anewFact)
		at, ref, _ := strings.Cut(text, " ")
		since, err := strconv.ParseInt(at, 10, 64)
		if err != nil { // an earlier version wrote the reference alone: the person is asked once more
			ref = text
		}
		if kind, id, whole := strings.Cut(ref, ":"); is && whole {
			told = append(told, entered{record.Ref{Kind: record.Kind(kind), ID: id}, since})
		}
	}
	return told
}

// saidAnew is the record that a person named as the one that is gone, entered anew. An answer of create names the
// only one that the question had. Where the question had several, the answer is the id of one of them.
func saidAnew(c record.Conflict) (entered, bool) {
	told := enteredAnew(c.Facts)
	switch said := c.Value.Text(); {
	case plan.GoneChoice(said) == plan.ChooseAnew && len(told) == 1:
		return told[0], true
	case !plan.GoneChoice(said).Known():
		i := slices.IndexFunc(told, func(e entered) bool { return e.ref.ID == said })
		if i >= 0 {
			return told[i], true
		}
	}
	return entered{}, false
}

// newcomer is the entry of the record that a person named as the one that is gone, entered anew. The link goes on
// with it, even if its keys have changed since. It is 0 if the person named none, and if the record may be what an
// open create of ours made.
func (r *run) newcomer(ctx context.Context, a *absence, gone record.Side) (int64, error) {
	said, is := saidAnew(a.asked[RecordField])
	if !is || !slices.Contains(a.anew, said) {
		return 0, nil
	}
	e, ok, err := r.Store.Entry(ctx, r.place(gone), said.ref)
	if err != nil || !ok || e.Link != 0 || r.open[e.Num] || r.doubtful[e.Num] != "" || r.promisedElse(e.Num, a.pair.Link) {
		return 0, err
	}
	return e.Num, nil
}

// facts is what the question about a record that is gone rests on: whoever goes by it, and what is like it.
func (a *absence) facts() string {
	return strings.TrimPrefix(strings.Join(append([]string{a.named.Facts()}, a.likes()...), "\n"), "\n")
}

// toldOf reports whether a person who answered the question was told of all that goes by the record, and of
// all that is like it. What came after that may be the record itself, entered anew.
func (a *absence) toldOf(facts string) bool {
	return a.named.CountsStill(facts) && toldAll(a.likes(), facts)
}

// toldOfAnew is toldOf for who said that what is gone was entered anew, or is to be made anew: no newcomer may
// have come since. Made anew beside one, it would be there twice. For a
// question that named several, --create says that it is none of them; for one that names a single record, the same
// answer joins that record. So an answer to several does not count once only one is left.
func (a *absence) toldOfAnew(facts string) bool {
	if len(a.anew) == 1 && len(enteredAnew(facts)) > 1 {
		return false
	}
	likes := slices.DeleteFunc(a.likes(), func(like string) bool { return !strings.HasPrefix(like, anewFact) })
	return toldAll(likes, facts)
}

func toldAll(likes []string, facts string) bool {
	told := strings.Split(facts, "\n")
	return !slices.ContainsFunc(likes, func(like string) bool { return !slices.Contains(told, like) })
}

func refList(refs []record.Ref) string { return strings.Join(plan.RefTexts(refs), ", ") }
