package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/record"
)

// planStrangers pairs what has no link, and decides what is created.
func (r *run) planStrangers(ctx context.Context, d *draft) error {
	return r.planStrangersOnly(ctx, d, nil)
}

// planStrangersOnly does so for one record, or for all where none is named.
func (r *run) planStrangersOnly(ctx context.Context, d *draft, wanted *toRead) error {
	if err := r.loadRevenants(ctx); err != nil {
		return err
	}
	if err := r.loadLeft(ctx); err != nil {
		return err
	}
	if err := r.loadSaidSame(ctx); err != nil {
		return err
	}
	// Asked before a record is looked at: a job that runs beside this one may link the
	// guest of a booking while this plan still takes it for a stranger's.
	var err error
	if r.whole, err = r.compared(ctx); err != nil {
		return err
	}
	if err := r.loadRevenants(ctx); err != nil {
		return err
	}
	var strangers [2][]candidate
	for _, side := range record.Sides {
		var err error
		if strangers[side], err = r.candidates(ctx, side); err != nil {
			return err
		}
	}
	for _, side := range record.Sides {
		if len(strangers[side.Other()]) == 0 {
			continue
		}
		if err := r.readIllegible(ctx, side); err != nil {
			return err
		}
		var err error
		if r.unknownNow[side], err = r.Store.Unknown(ctx, r.place(side)); err != nil {
			return err
		}
	}
	for _, side := range record.Sides {
		if err := r.recall(ctx, side, &strangers); err != nil {
			return err
		}
	}
	var represent func([]candidate) int
	if r.job.Represent {
		represent = standFor(r.job.By)
	}
	return r.planMatched(ctx, d, strangers, represent, wanted)
}

// planMatched decides strangers; with a wanted reference, only those it concerns.
func (r *run) planMatched(ctx context.Context, d *draft, strangers [2][]candidate, represent func([]candidate) int, wanted *toRead) error {
	concerns := func(side record.Side, s candidate) bool {
		return wanted == nil || side == wanted.side && s.ref == wanted.ref
	}
	if err := r.anotherAtWork(ctx, strangers); err != nil {
		return err
	}
	strangers, err := r.planByMark(ctx, d, strangers, wanted)
	if err != nil {
		return err
	}
	if strangers, err = r.planLate(ctx, d, strangers, wanted); err != nil {
		return err
	}
	fates, err := match(r.ruleNames(), strangers, represent, r.uniqueRules(), r.linked(ctx), r.twins(ctx))
	if err != nil {
		return err
	}
	r.heedLeft(strangers, &fates)
	r.heedSaid(strangers, &fates)
	if err := r.heedGone(ctx, d, strangers, &fates); err != nil {
		return err
	}
	r.facing = &facing{strangers: strangers}
	defer func() { r.facing = nil }() // a first load has hundreds of thousands
	r.keepUnjoined(strangers, fates)
	var same [][2]int
	for i, f := range fates[record.Left] {
		if f.with < 0 {
			continue
		}
		l, rt := strangers[record.Left][i], strangers[record.Right][f.with]
		if r.inDoubt(d, record.Left, l) || r.inDoubt(d, record.Right, rt) {
			continue
		}
		if concerns(record.Left, l) || concerns(record.Right, rt) {
			same = append(same, [2]int{i, f.with})
		}
	}
	if err := r.planJoins(ctx, d, strangers, same); err != nil {
		return err
	}
	for _, side := range record.Sides {
		for i, f := range fates[side] {
			s := strangers[side][i]
			if f.with >= 0 || !concerns(side, s) || r.inDoubt(d, side, s) {
				continue
			}
			if err := r.planAlone(ctx, d, side, s, f); err != nil {
				return err
			}
		}
	}
	d.untangle()
	return nil
}

// keepUnjoined notes which strangers no rule joins with another one, but for those that were left out.
func (r *run) keepUnjoined(strangers [2][]candidate, fates [2][]fate) {
	r.unjoined, r.underNames = [2][]candidate{}, [2]map[string][]candidate{}
	if r.job.Booking == nil || len(strangers[record.Left]) == 0 || len(strangers[record.Right]) == 0 {
		return
	}
	for _, side := range record.Sides {
		for i, f := range fates[side] {
			if s := strangers[side][i]; f.with < 0 && f.attached == "" && !s.isLeftOut() {
				r.unjoined[side] = append(r.unjoined[side], s)
			}
		}
	}
}

// inDoubt keeps everything off a record with a create that is not settled, and off
// one that may be what such a create made.
func (r *run) inDoubt(d *draft, side record.Side, s candidate) bool {
	if why := r.doubtful[s.num]; why != "" {
		d.parks = append(d.parks, park{side, s.brief, record.Held, why})
		return true
	}
	return r.open[s.num] || r.promised[s.num] != 0
}

// candidates reads all entries of a side that have no link and are to be looked at.
func (r *run) candidates(ctx context.Context, side record.Side) ([]candidate, error) {
	var out []candidate
	after := int64(0)
	for {
		es, err := r.Store.Unlinked(ctx, r.place(side), after, batch)
		if err != nil || len(es) == 0 {
			return out, err
		}
		for _, e := range es {
			after = e.Num
			if e.State == record.OutOfScope {
				continue
			}
			c, ok, err := r.candidate(ctx, side, e)
			if err != nil {
				return nil, err
			}
			if ok {
				out = append(out, c)
			}
		}
	}
}

// candidate is an entry without a link as matching sees it. It reports false where the state can't tell.
func (r *run) candidate(ctx context.Context, side record.Side, e record.Entry) (candidate, bool, error) {
	if damaged, err := r.cantTell(ctx, side, e); err != nil || damaged {
		return candidate{}, false, err
	}
	s, err := r.sideOf(ctx, side, e)
	if err != nil {
		return candidate{}, false, fmt.Errorf("%s: %w", e.Ref, err)
	}
	keys := r.job.Mapping.Keys(side, s.Native, resolvedOnly(s.Now))
	return candidate{brief: briefOf(e), keys: keys, blanked: r.blankedRules(s.blanked), mark: markOf(e)}, true, nil
}

// recall adds to a side what was put aside there and has the key of a record of the
// other side: a caller whom nobody had asked for, and the desk has entered since; a
// record that was refused, and somebody has entered it by hand. Passed over it would be
// made once more.
func (r *run) recall(ctx context.Context, side record.Side, strangers *[2][]candidate) error {
	if some, err := r.Store.Parked(ctx, r.place(side)); err != nil || !some {
		return err
	}
	have := map[int64]bool{}
	for _, c := range strangers[side] {
		have[c.num] = true
	}
	for group := range slices.Chunk(strangers[side.Other()], batch) {
		var keys []record.Key
		for _, c := range group {
			keys = append(keys, c.keys...)
		}
		es, err := r.Store.Matching(ctx, r.place(side), keys)
		if err != nil {
			return err
		}
		for _, e := range es {
			aside := e.State == record.LeftOut || e.State == record.Quarantined
			if e.Link != 0 || !aside || have[e.Num] {
				continue
			}
			c, ok, err := r.candidate(ctx, side, e)
			if err != nil {
				return err
			}
			if ok {
				have[e.Num] = true
				strangers[side] = append(strangers[side], c)
			}
		}
	}
	return r.recallLeft(ctx, side, have, strangers)
}

// recallLeft does so with what persons left out, by keys that name another record: the state does not hold those.
func (r *run) recallLeft(ctx context.Context, side record.Side, have map[int64]bool, strangers *[2][]candidate) error {
	if len(strangers[side.Other()]) == 0 || !slices.ContainsFunc(r.ruleNames(), r.refers) {
		return nil
	}
	left, err := r.leftThere(ctx, side)
	if err != nil || len(left) == 0 {
		return err
	}
	there := map[record.Key]bool{}
	for _, c := range strangers[side.Other()] {
		for _, k := range c.keys {
			there[k] = true
		}
	}
	for _, c := range left {
		if !have[c.num] && slices.ContainsFunc(c.keys, func(k record.Key) bool { return there[k] }) {
			strangers[side] = append(strangers[side], c)
		}
	}
	return nil
}

// unlinked reads a candidate as what it means. It reports false if it is not to be
// paired any more.
func (r *run) unlinked(ctx context.Context, side record.Side, ref record.Ref) (seenSide, bool, error) {
	e, ok, err := r.Store.Entry(ctx, r.place(side), ref)
	if err != nil || !ok || e.Link != 0 {
		return seenSide{}, false, err
	}
	s, err := r.sideOf(ctx, side, e)
	return s, err == nil, err
}

// unlinkedPair is unlinked for two candidates among entries that were read.
func (r *run) unlinkedPair(ctx context.Context, known map[int64]record.Entry, nums [2]int64, refs [2]record.Ref) (sides [2]seenSide, ok bool, err error) {
	for _, side := range record.Sides {
		e, ok := known[nums[side]]
		if !ok || e.Ref != refs[side] || e.Link != 0 {
			return sides, false, nil
		}
		if sides[side], err = r.sideOf(ctx, side, e); err != nil {
			return sides, false, err
		}
	}
	return sides, true, nil
}

// resolvedOnly leaves out references that name no entity: they tell nobody apart.
func resolvedOnly(now record.Fields) record.Fields {
	out := make(record.Fields, len(now))
	for f, v := range now {
		if !isMarker(v) {
			out[f] = v
		}
	}
	return out
}

func (r *run) ruleNames() []string {
	names := make([]string, len(r.job.Match))
	for i, fields := range r.job.Match {
		names[i] = joinFields(fields)
	}
	return names
}

// uniqueRules is the match rules whose key a side keeps unique by itself.
func (r *run) uniqueRules() [2]map[string]bool {
	out := [2]map[string]bool{{}, {}}
	for _, side := range record.Sides {
		for _, fields := range r.job.Match {
			if r.keptUnique(side, fields) {
				out[side][joinFields(fields)] = true
			}
		}
	}
	return out
}

// keptUnique reports whether a side refuses two records that are alike in fields.
func (r *run) keptUnique(side record.Side, fields []string) bool {
	have := map[string]bool{}
	for _, f := range fields {
		for _, p := range r.job.Mapping.Inputs(side, f) {
			have[p] = true
		}
	}
	for _, set := range r.side(side).Can.Unique {
		all := len(set) > 0
		for _, p := range set {
			all = all && have[p]
		}
		if all {
			return true
		}
	}
	return false
}

// linked finds linked records by stored keys. Keys with a reference in them are
// not stored: such records are told apart among strangers only.
func (r *run) linked(ctx context.Context) linkedBy {
	return func(side record.Side, keys []record.Key) (map[record.Key][]record.Ref, error) {
		return r.Store.Linked(ctx, r.place(side), keys)
	}
}

// twins tells records of their own from others that hold the same, where a side has such:
// its records never change, and are two where this run's list shows both. The linked ones
// must have across all that is linked there under that key, but for what was put aside with
// one that is gone, so that what is not linked is nobody else's.
func (r *run) twins(ctx context.Context) twins {
	return func(side record.Side, taken [2][]record.Ref) (bool, error) {
		if !r.side(side).Can.Immutable || !r.showed[side] {
			return false, nil
		}
		links := map[record.LinkID]bool{}
		for _, ref := range taken[side] {
			e, ok, err := r.Store.Entry(ctx, r.place(side), ref)
			if err != nil || !ok || e.State != record.InStep {
				return false, err
			}
			links[e.Link] = true
		}
		for _, ref := range taken[side.Other()] {
			e, ok, err := r.Store.Entry(ctx, r.place(side.Other()), ref)
			if err != nil || !ok {
				return false, err
			}
			if links[e.Link] {
				continue
			}
			if aside, err := r.putAside(ctx, side.Other(), e); err != nil || !aside {
				return false, err
			}
		}
		return true, nil
	}
}

// putAside reports whether a linked record of a side was put aside by us with the one across,
// which is gone, and is so still. One that a person left to itself, or took up again, is not.
func (r *run) putAside(ctx context.Context, side record.Side, e record.Entry) (bool, error) {
	archive := r.side(side).Gone.Archive
	if e.State != record.InStep || len(archive) == 0 || !e.Last().Agrees(archive) {
		return false, nil
	}
	pair, ok, err := r.Store.Pair(ctx, e.Link)
	if err != nil || !ok || pair.State != record.LinkParted {
		return false, err
	}
	gone := pair.Sides[side.Other()]
	if gone.State != record.Gone {
		return false, nil
	}
	t, ok, err := r.Store.Tombstone(ctx, gone.Num)
	return err == nil && (!ok || t.Done == record.AfterArchived), err // none: it was long ago
}

// joinFields is the name of a rule of several fields.
func joinFields(fields []string) string { return strings.Join(fields, "+") }
