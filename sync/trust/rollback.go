package trust

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// A system that was put back to an older copy shows old values as if somebody had just written them.
// Three things tell that from edits: versions and times of change that went back, our own last writes
// all undone, the newest records all gone.

const (
	newestTrait  = "newest"            // the records that were changed last, as the side showed them
	mostNewest   = 8                   // how many of them are remembered
	recentWrites = 20                  // how many of our last writes are looked at
	recentFor    = 14 * 24 * time.Hour // and how old they may be
)

// This is how many signs it takes for a system to count as put back: records with a version or time
// that went back, last writes of ours that are all undone, and newest records that are all gone. See
// enough for signs of several sorts.
const (
	enoughOlder  = 2
	enoughUndone = 4
	enoughLost   = 5
)

// signs counts what speaks for a system having been put back.
type signs struct {
	older  int             // records whose version or time went back
	undone int             // last writes of ours in a row that are undone: what we had replaced is shown again
	never  int             // of the undone ones, those that no read ever showed: they may never have been done
	lost   int             // last writes of ours in a row whose records are gone or may be
	absent []record.Entry  // these records, the newest first
	aged   map[string]bool // records that count as older

	beside  record.Binding // another job that stands still because of the same system; "": none, or not needed
	missing int            // linked records that are missing
}

func (s *signs) age(id string) {
	if !s.aged[id] {
		s.aged[id] = true
		s.older++
	}
}

func (s *signs) enough() bool {
	return s.older >= enoughOlder || s.older > 0 && s.undone+s.lost > 0 ||
		s.undone > s.never && s.undone+s.lost >= enoughUndone || s.lost >= enoughLost
}

// RolledBack halts the job if a side seems to have been put back to an older copy, unless a person has
// said what to do about that. It reports whether the job stands still because of it.
func (r *Room) RolledBack(ctx context.Context, side record.Side, links int) (bool, error) {
	h, answered := r.AnsweredBack(side)
	if r.Rows[side] == 0 && h.Choice != record.Again {
		return false, nil
	}
	if waits, err := r.heedBack(ctx, side, h, answered); err != nil || waits {
		return waits, err
	}
	s, same, err := r.signsOf(ctx, side, links)
	if err != nil {
		return false, err
	}
	again := !r.Rewrite[side].IsZero()
	back, err := r.isBack(ctx, side, &s, again, answered || same)
	switch {
	case err != nil:
		return false, err
	case answered && again && !back, // the side is still to be written once more, and shows no new sign
		answered && r.Options.Dry:
		r.KeptHalts = append(r.KeptHalts, h)
		return false, nil
	case !back && !same && r.standsBefore(record.HaltRolledBack, side):
		return true, r.NoteHalted(ctx, side)
	case !back:
		return false, r.rememberNewest(ctx, side)
	}
	r.Stand(record.Question{Cause: record.HaltRolledBack, Subject: record.Subject{Side: side}, Next: r.LetGoCommand(), Rests: r.copyBack(side), Why: fmt.Sprintf(
		"%s seems to have been put back to an older copy: %s. "+
			"Nothing was written or deleted. Either take over what it holds now (%s), or write to it once more what the other side holds (%s)",
		r.Side(side).System, s.text(), r.LetGoCommand(), r.AgainCommand())})
	return true, r.NoteHalted(ctx, side)
}

// heedBack does what a person has said about a side that was put back. It reports whether the job has
// to wait all the same.
func (r *Room) heedBack(ctx context.Context, side record.Side, h record.Question, answered bool) (waits bool, err error) {
	switch {
	case h.Choice == record.Accepted:
		return false, r.takeOver(ctx, side, h)
	case answered:
		return r.takeUpAgain(ctx, side, h)
	}
	return false, nil
}

// isBack reports whether there are enough signs that a side was put back. told says that halts of other
// jobs need not be looked at: a person has answered, or everything is as it was settled.
func (r *Room) isBack(ctx context.Context, side record.Side, s *signs, again, told bool) (bool, error) {
	back := s.enough() || again && s.older > 0 // it was put back before: one record older than that copy is enough
	if back || told {
		return back, nil
	}
	var err error
	s.beside, err = r.backBeside(ctx, side, s)
	return s.beside != "", err
}

func (s *signs) text() string {
	text := fmt.Sprintf("%d records are older than they were, %d do not hold what was written to them last, and %d of the newest are gone", s.older, s.undone, s.lost)
	if s.beside != "" {
		text = fmt.Sprintf("the job %s stands still because of that, and here %d records are older than they were, %d do not hold what was written to them last, and %d are gone or may be",
			s.beside, s.older, s.undone, s.missing)
	}
	return text
}

// backBeside returns another job that stands still because the same system was put back, and that no
// person has answered yet. Beside such a job one sign is enough: a record that is older, or undone, or
// missing. It returns "" if there is no sign, or no such job.
func (r *Room) backBeside(ctx context.Context, side record.Side, s *signs) (record.Binding, error) {
	missing, err := r.store.Missing(ctx, r.Place(side), 0, run.Batch)
	if err != nil {
		return "", err
	}
	if s.missing = len(missing); s.older+s.undone+s.missing == 0 {
		return "", nil
	}
	beside, err := r.store.HaltsBeside(ctx, r.Place(side), r.Side(side).System, record.HaltRolledBack)
	if err != nil || len(beside) == 0 {
		return "", err
	}
	return beside[0].Binding, nil
}

// copyBack names the copy that an answer to the halt is for, by the time when it was found. The name
// stays the same while nobody has answered. If a person has answered and the side is put back once
// more, the new copy gets another name.
func (r *Room) copyBack(side record.Side) record.Rests {
	return record.Rests{At: r.foundSince(side, func(h record.Question) bool { return h.Cause == record.HaltRolledBack })}
}

// standsBefore keeps up a halt that nobody has answered, and reports whether there is one. Users who go
// on working in a system that was put back leave fewer signs of it with each edit, and all other
// records are still as old as before.
func (r *Room) standsBefore(name record.Cause, side record.Side) bool {
	i := slices.IndexFunc(r.OpenHalts, func(h record.Question) bool { return h.Cause == name && h.Side == side && h.Choice == "" })
	if i >= 0 {
		r.Stand(r.OpenHalts[i])
	}
	return i >= 0
}

// signsOf looks for signs that a side was put back. same says that everything on the side is as it was
// settled: then there are no signs, and our own writes need not be read.
func (r *Room) signsOf(ctx context.Context, side record.Side, links int) (s signs, same bool, err error) {
	s = signs{aged: map[string]bool{}}
	if same, err = r.store.AsSettled(ctx, r.Place(side)); same || err != nil {
		return s, same, err
	}
	for _, look := range []func(context.Context, record.Side, *signs) error{r.olderWrites, r.olderNewest, r.olderVersions} {
		if err := look(ctx, side, &s); err != nil {
			return s, false, err
		}
	}
	if s.lost == 0 {
		return s, false, nil
	}
	if err := r.mindNewest(ctx, side, links, &s); err != nil || s.lost == 0 || !s.enough() {
		return s, false, err
	}
	return s, false, r.mindLag(ctx, side, &s)
}

// takeOver takes a side as it is now, because a person wants that. From now on nothing from before counts as a sign:
// not our earlier writes, not what the last changed records showed, and no earlier version. Otherwise one new sign
// together with these would halt the job once more. The system will give the same versions again, for other values.
func (r *Room) takeOver(ctx context.Context, side record.Side, h record.Question) error {
	known, err := r.store.Witnessed(ctx, r.Place(side))
	if err != nil || r.Options.Dry || known[takenOverTrait].Value == copyOf(h) {
		return err
	}
	list, err := r.newestKnown(ctx, side)
	if err != nil {
		return err
	}
	asShown := list[:0]
	for _, n := range list {
		e, older, err := r.olderNow(ctx, side, n)
		if err != nil {
			return err
		}
		if older {
			n.Version, n.Changed = e.Seen.Version, e.Seen.Changed
		}
		asShown = append(asShown, n)
	}
	if err := r.keepNewest(ctx, side, asShown); err != nil {
		return err
	}
	if err := r.store.ForgetVersions(ctx, r.Lease, side); err != nil {
		return err
	}
	return r.store.Witness(ctx, r.Lease, side, takenOverTrait, copyOf(h), r.Now)
}

// olderWrites counts the signs in our last writes, the newest first. Writes that are too young, or from
// before a person took over the side, are passed over.
func (r *Room) olderWrites(ctx context.Context, side record.Side, s *signs) error {
	known, err := r.store.Witnessed(ctx, r.Place(side))
	if err != nil {
		return err
	}
	takenOver := known[takenOverTrait].At
	landed, err := r.store.Landed(ctx, r.Place(side), r.Now.Add(-recentFor), recentWrites)
	if err != nil {
		return err
	}
	seen, stands := map[string]bool{}, false
	for _, l := range landed {
		if seen[l.Ref.ID] || l.At.Before(takenOver) || r.Now.Sub(l.At) < r.Side(side).Settle {
			continue
		}
		seen[l.Ref.ID] = true
		e, ok, err := r.store.Entry(ctx, r.Place(side), l.Ref)
		if err != nil {
			return err
		}
		if !ok || e.Link == 0 || e.State == record.Gone || e.State == record.OutOfScope {
			continue
		}
		if noted, err := r.isNoted(ctx, side, e); err != nil {
			return err
		} else if noted { // it is written once more
			continue
		}
		stands = s.count(l, e, stands)
	}
	return nil
}

// count adds the signs of one write of ours. stands says that a later write of ours still stands: then
// this one is no sign for being undone or lost. It returns stands for the writes before this one.
func (s *signs) count(l record.Landed, e record.Entry, stands bool) bool {
	switch {
	case e.State.Doubted() && !stands:
		s.lost++
		s.absent = append(s.absent, e)
	case e.Seen == nil:
		return true
	case tellsNoAge(e):
	case regressed(l.Version, e.Seen.Version) || before(e.Seen.Changed, l.Changed):
		s.age(e.Ref.ID)
	case regressed(e.Seen.Version, l.Version) || before(l.Changed, e.Seen.Changed):
		return true // it was changed since: an edit, even one that takes ours back
	case l.Op != record.Create && undone(l, e.Seen.Fields):
		if !stands {
			s.undo(run.AllUntaken(l, e))
		}
	case l.Op == record.Create:
		return true
	}
	return stands
}

// undo counts a write of ours that is undone: the record shows what the write had replaced. never says
// that no read has ever shown what was written.
func (s *signs) undo(never bool) {
	s.undone++
	if never {
		s.never++
	}
}

// undone reports whether a record shows what a write of ours had replaced, in all changed paths that it
// shows. It is false if it shows none of them.
func undone(l record.Landed, now record.Fields) bool {
	told := 0
	for p, was := range l.Before {
		v := now[p]
		if _, written := l.After[p]; !written || !v.Observed() || was.Equal(l.After[p]) {
			continue
		}
		if !v.Equal(was) {
			return false
		}
		told++
	}
	return told > 0
}

// newest is one of the records that were changed last, as it is remembered.
type newest struct {
	ID      string         `json:"id"`
	Version record.Version `json:"version,omitempty"`
	Changed time.Time      `json:"changed"`
}

// olderNewest counts the remembered records that are older now than they were shown then.
func (r *Room) olderNewest(ctx context.Context, side record.Side, s *signs) error {
	list, err := r.newestKnown(ctx, side)
	if err != nil {
		return err
	}
	for _, n := range list {
		e, older, err := r.olderNow(ctx, side, n)
		if err != nil {
			return err
		}
		if !older || tellsNoAge(e) {
			continue
		}
		if noted, err := r.isNoted(ctx, side, e); err != nil {
			return err
		} else if !noted {
			s.age(n.ID)
		}
	}
	return nil
}

// olderNow returns what is known now of a remembered record, and whether that is older than what was remembered.
func (r *Room) olderNow(ctx context.Context, side record.Side, n newest) (record.Entry, bool, error) {
	e, ok, err := r.store.Entry(ctx, r.Place(side), record.Ref{Kind: r.Side(side).Kind, ID: n.ID})
	return e, ok && e.Seen != nil && (before(e.Seen.Changed, n.Changed) || regressed(n.Version, e.Seen.Version)), err
}

// olderVersions counts linked records with a lower version than the one that they were settled with.
func (r *Room) olderVersions(ctx context.Context, side record.Side, s *signs) error {
	if r.Report.Counts[side.String()+".decoded"] == 0 {
		return nil
	}
	pairs, err := r.store.Dirty(ctx, r.Job.Binding, 0, MostCompared)
	if err != nil {
		return err
	}
	for _, p := range pairs {
		e := p.Sides[side]
		if e.Seen == nil || tellsNoAge(e) || !regressed(e.BaseVersion, e.Seen.Version) {
			continue
		}
		if noted, err := r.isNoted(ctx, side, e); err != nil {
			return err
		} else if !noted {
			s.age(e.Ref.ID)
		}
	}
	return nil
}

// mindNewest sets s.lost to 0 unless the missing records are the newest ones and at most half of all. If the key sees
// another account, all records are missing. If it sees a part of the account only, older records are missing as well.
func (r *Room) mindNewest(ctx context.Context, side record.Side, links int, s *signs) error {
	missing, err := r.store.Missing(ctx, r.Place(side), 0, run.Batch)
	if err != nil || len(missing) == 0 {
		return err
	}
	if len(missing)*2 > links {
		s.lost = 0
		return nil
	}
	shown, err := r.store.Sample(ctx, r.Place(side), approvers)
	if err != nil {
		return err
	}
	later := 0
	for _, e := range shown {
		if e.Num > missing[0].Num {
			later++
		}
	}
	if len(shown) == 0 || later*5 > len(shown) {
		s.lost = 0
	}
	return nil
}

// mindLag counts only those of the missing records as lost that reads by id do not show either: a list may lag behind.
func (r *Room) mindLag(ctx context.Context, side record.Side, s *signs) error {
	a, err := r.AskFor(ctx, side, s.absent)
	s.lost -= a.There + a.Left
	return err
}

// rememberNewest keeps which records of a side were changed last. It leaves out a record if what the
// list showed of it was not believed, as where our clock was set back. What is known of such a record
// stays older than the list, and would pass for a sign in the next run.
func (r *Room) rememberNewest(ctx context.Context, side record.Side) error {
	if r.Options.Dry || len(r.Newest[side]) == 0 {
		return nil
	}
	list, err := r.newestKnown(ctx, side)
	if err != nil {
		return err
	}
	for _, shown := range r.Newest[side] {
		n := newest{ID: shown.Ref.ID, Version: shown.Version, Changed: shown.Changed}
		_, disbelieved, err := r.olderNow(ctx, side, n)
		if err != nil {
			return err
		}
		if disbelieved {
			continue
		}
		list = slices.DeleteFunc(list, func(o newest) bool { return o.ID == n.ID })
		list = append(list, n)
	}
	return r.keepNewest(ctx, side, list)
}

func (r *Room) keepNewest(ctx context.Context, side record.Side, list []newest) error {
	slices.SortFunc(list, func(a, b newest) int { return cmp.Or(b.Changed.Compare(a.Changed), cmp.Compare(a.ID, b.ID)) })
	text, err := json.Marshal(list[:min(len(list), mostNewest)])
	if err != nil {
		return err
	}
	r.lately[side] = nil
	return r.store.Witness(ctx, r.Lease, side, newestTrait, string(text), time.Now())
}

func (r *Room) newestKnown(ctx context.Context, side record.Side) (list []newest, err error) {
	known, err := r.store.Witnessed(ctx, r.Place(side))
	if err != nil || known[newestTrait].Value == "" {
		return nil, err
	}
	if err := known[newestTrait].Read(&list); err != nil {
		return nil, fmt.Errorf("read which records of %s were changed last: %w", r.Side(side).System, err)
	}
	return list, nil
}

// regressed reports whether a version that counts upwards is lower now than it was. It is false for
// versions that are no numbers.
func regressed(was, now record.Version) bool {
	a, err1 := strconv.ParseInt(string(was), 10, 64)
	b, err2 := strconv.ParseInt(string(now), 10, 64)
	return err1 == nil && err2 == nil && b < a
}

// before reports whether a is earlier than b, and both are known. It compares whole milliseconds,
// because a state keeps nothing finer.
func before(a, b time.Time) bool { return !a.IsZero() && !b.IsZero() && a.UnixMilli() < b.UnixMilli() }
