package engine

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// examine looks at what the lists showed, before an absence is believed and before
// anything is planned: whether the records are those that were linked, whether they are
// still there, and whether they are not older than we know them.
func (r *run) examine(ctx context.Context) error {
	for _, side := range record.Sides {
		if err := r.noteMarks(ctx, side); err != nil {
			return fmt.Errorf("note whose marks %s shows: %w", r.side(side).System, err)
		}
	}
	links, err := r.Store.LinkCount(ctx, r.job.Binding)
	if err != nil || links == 0 {
		r.examined = err == nil
		return err
	}
	for _, side := range record.Sides {
		if r.opt.Skip[side] {
			continue
		}
		if err := r.examineSide(ctx, side, links); err != nil {
			return fmt.Errorf("look at what %s shows: %w", r.side(side).System, err)
		}
	}
	err = r.stoppedBy()
	r.examined = err == nil
	return err
}

func (r *run) examineSide(ctx context.Context, side record.Side, links int) error {
	before := len(r.rep.Halts)
	back, err := r.rolledBack(ctx, side, links)
	if err != nil || back {
		return err
	}
	if err := r.shrunk(ctx, side, links); err != nil {
		return err
	}
	others, err := r.strangersInPlace(ctx, side, links)
	if err != nil {
		return err
	}
	if err := r.fieldsGone(ctx, side); err != nil {
		return err
	}
	if others == 0 && r.scanned[side] && len(r.drawn[side]) >= agreeing && len(r.rep.Halts) == before {
		r.shownBy[side] = true // the list itself showed them
	}
	return nil
}

// fewMissing is how many linked records may always be missing at once.
const fewMissing = 3

// loss is the linked records that a side's lists don't show, without those that have left
// the window, and those that are over: many systems list no such record.
type loss struct {
	nums []int64
	some []record.Entry // of them, to be read by id
}

func (r *run) missing(ctx context.Context, side record.Side) (l loss, err error) {
	after := int64(0)
	for {
		es, err := r.Store.Missing(ctx, r.place(side), after, batch)
		if err != nil || len(es) == 0 {
			return l, err
		}
		for _, e := range es {
			after = e.Num
			if r.outside(side, e.Last()) || r.hasEnded(side, e) {
				continue
			}
			l.add(e)
		}
	}
}

func (l *loss) add(e record.Entry) {
	l.nums = append(l.nums, e.Num)
	if n := len(l.nums); len(l.some) < canaries {
		l.some = append(l.some, e)
	} else if n%7 == 0 { // some of them all, the same ones each time
		l.some[n/7%canaries] = e
	}
}

// withoutVersions is a loss without what other records have taken the place of, where an
// edit is another record: a newer version, or the same under another name, is no loss. Of
// more than are read by id in a run nobody asks.
func (r *run) withoutVersions(ctx context.Context, side record.Side, lost loss) (loss, error) {
	get, ok := r.side(side).Conn.(connectors.Getter)
	if !ok || !r.side(side).Can.Immutable || len(lost.nums) > readsByID {
		return lost, nil
	}
	es, err := r.Store.Entries(ctx, lost.nums)
	if err != nil {
		return lost, err
	}
	var out loss
	for _, num := range lost.nums {
		_, err := r.get(ctx, side, get, es[num].Ref)
		r.count(side.String()+".canaries", 1)
		class := connectors.ClassOf(err)
		if slices.Contains([]connectors.ErrorClass{connectors.Transient, connectors.Throttled, connectors.Unauthorized}, class) {
			return lost, fmt.Errorf("read %s, which the list does not show: %w", es[num].Ref, err)
		}
		if class != connectors.Moved {
			out.add(es[num])
		}
	}
	return out, nil
}

// lossDetail begins the detail of a halt that is about a loss.
const lossDetail = "records "

// detail names the records of a loss: a bit for each number.
func (l loss) detail() string {
	bits := make([]byte, slices.Max(l.nums)/8+1)
	for _, num := range l.nums {
		bits[num/8] |= 1 << (num % 8)
	}
	return lossDetail + base64.RawStdEncoding.EncodeToString(bits)
}

// beside counts the records of a loss that a detail does not name.
func (l loss) beside(detail string) (n int) {
	text, ok := strings.CutPrefix(detail, lossDetail)
	bits, err := base64.RawStdEncoding.DecodeString(text)
	for _, num := range l.nums {
		if !ok || err != nil || num/8 >= int64(len(bits)) || bits[num/8]&(1<<(num%8)) == 0 {
			n++
		}
	}
	return n
}

// canaries is how many of the records that are missing are read by id.
const canaries = 5

// shrunk stops the job if a side lacks more linked records than are deleted in a day.
// They are asked for by id first: a list that lies is not believed, and nothing else is
// to be said against it.
func (r *run) shrunk(ctx context.Context, side record.Side, links int) error {
	limit := r.job.Shrink
	for _, h := range r.openHalts {
		if limit <= 0 && wholeJob(h.Name) && h.Answer == "" {
			limit = 100 // what the job stood before is not over because all that it knew is gone
		}
	}
	if limit <= 0 {
		return nil
	}
	lost, err := r.missing(ctx, side)
	n := len(lost.nums)
	if err != nil || n == 0 {
		return err
	}
	others, err := r.Store.Sample(ctx, r.place(side), 1)
	if err != nil {
		return err
	}
	all := len(others) == 0 && n > 1
	few := func(n int) bool { return !all && (n <= fewMissing || n*100 <= limit*links) }
	if few(n) {
		return nil
	}
	if lost, err = r.withoutVersions(ctx, side, lost); err != nil {
		return err
	}
	if all = all && len(lost.nums) == n; few(len(lost.nums)) {
		return nil
	}
	n = len(lost.nums)
	c, err := r.askForMissing(ctx, side, lost.some)
	if err != nil {
		return err
	}
	s := r.side(side)
	switch {
	case c.there > 0 && c.against() == 0:
		if lost, err = r.readUnlisted(ctx, side, lost); err != nil || len(lost.nums) == 0 || few(len(lost.nums)) {
			return err
		}
		n = len(lost.nums)
		flaw := fmt.Sprintf("the list does not show %d linked records, and they are there", n)
		r.scanned[side], r.showed[side], r.ended[side] = false, false, nil
		r.count(side.String()+".incomplete", 1)
		r.note(side, record.Ref{Kind: s.Kind}, "list incomplete", flaw+": what it does not show is not taken for absent")
		return r.Store.Discredit(ctx, r.lease, side, flaw)
	case c.against() == 0: // they were merged, or have left what is to be read
		return nil
	}
	name, what := haltShrink, fmt.Sprintf("%d of %d linked records are not in the list of %s of %s", n, links, s.Kind, s.System)
	switch {
	case r.rows[side] == 0 && r.scanned[side]:
		name, what = haltEmpty, fmt.Sprintf("the list of %s of %s is empty, and %d linked records should be in it", s.Kind, s.System, n)
	case all:
		name, what = haltAccount, fmt.Sprintf("none of the %d linked records is in the list of %s of %s, which shows %d others",
			n, s.Kind, s.System, r.rows[side])
	}
	return r.standMissing(side, name, lost, few, fmt.Sprintf("%s, and %s: does the key see another account, or a part of it only? "+
		"Nothing was written or deleted. Put the right key back and look again (%s); if they were really deleted, say so: %s",
		what, c, r.lookAgainCommand(), r.letGoCommand()))
}

// standMissing adds a halt about missing records, unless a person has said of them that
// they are gone, and few others are missing.
func (r *run) standMissing(side record.Side, name string, lost loss, few func(int) bool, text string) error {
	for _, as := range []string{haltShrink, haltEmpty, haltAccount} {
		old, said := r.answeredHalt(as, side)
		if !said {
			continue
		}
		if n := lost.beside(old.Detail); n == 0 || few(n) {
			r.keptHalts = append(r.keptHalts, planHalt(old))
			return nil
		}
	}
	r.stand(guard.Halt{Name: name, Side: side, Text: text, Resume: r.letGoCommand(), Detail: lost.detail()})
	return nil
}

// asked is what came of asking for missing records by id. unasked is set where nothing can be.
type asked struct {
	there, gone, left, closed int
	others                    int // that show another record than the one we know, or one changed past recognition
	unasked                   bool
}

// against counts what speaks for another account. In one, ids name other records; of a single one that is
// recognised the account is ours, and those that are not were changed a lot.
func (a asked) against() int {
	if a.there > 0 {
		return a.gone + a.closed
	}
	return a.gone + a.closed + a.others
}

// String says it.
func (a asked) String() string {
	if a.unasked {
		return "none of them can be read by its id"
	}
	n := a.there + a.gone + a.left + a.closed + a.others
	text := fmt.Sprintf("of %d that were read by id %d are not there", n, a.gone)
	if a.others > 0 {
		text += fmt.Sprintf(" and %d show another record", a.others)
	}
	if a.closed > 0 {
		text += fmt.Sprintf(" and %d may not be read", a.closed)
	}
	return text
}

func (r *run) askForMissing(ctx context.Context, side record.Side, some []record.Entry) (a asked, err error) {
	get, ok := r.side(side).Conn.(connectors.Getter)
	if !ok || !r.side(side).Can.Get {
		return asked{gone: len(some), unasked: true}, nil // only the list can tell
	}
	for _, e := range some {
		rec, err := r.get(ctx, side, get, e.Ref)
		r.count(side.String()+".canaries", 1)
		switch class := connectors.ClassOf(err); {
		case err == nil && r.recognised(side, e, rec):
			a.there++
		case err == nil:
			a.others++
		case class == connectors.NotFound:
			a.gone++
		case class == connectors.OutOfScope, class == connectors.Moved:
			a.left++
		case class == connectors.Forbidden:
			a.closed++
		case class == connectors.Malformed, class == connectors.Rejected:
			a.there++ // something answers for it
		default:
			return a, fmt.Errorf("read %s, which the list does not show: %w", e.Ref, err)
		}
	}
	return a, nil
}

// mostCompared is how many changed records are looked at for being others.
const mostCompared = 200

// manyOthers is how many of them are more than people who got another name, number and all on a day.
const manyOthers = 10

// strangersInPlace stops the job if under the ids of linked records a list shows others
// than those that we know: an account whose ids are counted as ours are.
func (r *run) strangersInPlace(ctx context.Context, side record.Side, links int) (others int, err error) {
	if r.rep.Counts[side.String()+".decoded"] == 0 {
		return 0, nil
	}
	pairs, err := r.Store.Dirty(ctx, r.job.Binding, 0, mostCompared)
	if err != nil {
		return 0, err
	}
	for _, p := range pairs {
		e := p.Sides[side]
		if e.State == record.Stranger {
			others++
			continue
		}
		if e.Seen == nil || e.Base == nil || e.State.Doubted() {
			continue
		}
		shown := record.Record{Ref: e.Ref, Fields: e.Seen.Fields, Stamp: e.Seen.Stamp}
		if !r.known(side, e, shown) {
			others++
		}
	}
	if others < manyOthers || others*5 < min(links, mostCompared) {
		return others, nil
	}
	s := r.side(side)
	r.stand(guard.Halt{Name: haltAccount, Side: side, Resume: r.lookAgainCommand(), Detail: "strangers", Text: fmt.Sprintf(
		"%d linked records of %s are other records than those that were linked, under the same ids: is it another account or another database? "+
			"Nothing was written or deleted. Put the right key or address back and look again", others, s.System)})
	return others, nil
}

// known reports whether a record may still be the one that was settled: it has one of
// its keys, or at least half of what it held, or shows nothing that it is told by.
func (r *run) known(side record.Side, e record.Entry, rec record.Record) bool {
	had, has := r.ownKeys(side, e.Base.Fields()), r.ownKeys(side, rec.Fields)
	if len(has) == 0 && len(had) > 0 {
		return true
	}
	for name, texts := range had {
		for _, t := range texts {
			if slices.Contains(has[name], t) {
				return true
			}
		}
	}
	same, shown := 0, 0
	for p, was := range e.Base {
		now, plain := rec.Fields[p], record.Value{}
		if v, ok := was.Plain(); ok {
			plain = v
		}
		if !was.Known() || !now.Observed() || !was.Digested() && plain.Empty() {
			continue
		}
		shown++
		if was.Same(r.job.Seal, now) {
			same++
		}
	}
	return shown == 0 || same*2 >= shown
}
