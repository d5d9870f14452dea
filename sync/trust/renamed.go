package trust

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"nightporter/sync/record"
)

// A job without links may be an old job under a new name. Such a job would match all records anew by their keys. A
// record that has another key since would be made twice, and a record that was removed would be made again.

// beganAnewTrait is the name of the trait that keeps that a job began anew although jobs before it have
// links. Its value names those jobs.
const beganAnewTrait = "began anew"

// NotRenamed makes sure, before anything is read, that a job without links does not have the kinds, and one of the
// systems, of a job that the configuration no longer has.
func (r *Room) NotRenamed(ctx context.Context) error {
	former, err := r.store.Former(ctx, r.Job.Binding, r.configured())
	if err != nil || len(former) == 0 {
		return err
	}
	l, o := r.Side(record.Left), r.Side(record.Right)
	return r.begunAnew(ctx, former, fmt.Sprintf("%s and %s were", l.Kind, o.Kind))
}

// mostFormer is how many links of former jobs are looked at.
const mostFormer = 100

// NotTakenOver makes sure, before anything is decided, that a job without links does not show the records that a job
// linked which the configuration no longer has. Its kinds and its systems may have other names by now, and its
// records may be shared out among several jobs. The records tell: both have the ids of linked ones, and hold the same.
func (r *Room) NotTakenOver(ctx context.Context) error {
	if links, err := r.store.LinkCount(ctx, r.Job.Binding); err != nil || links > 0 {
		return err
	}
	pairs, err := r.store.FormerPairs(ctx, r.Job.Binding, r.configured(), mostFormer)
	if err != nil || len(pairs) == 0 {
		return err
	}
	var nums []int64
	for _, p := range pairs {
		nums = append(nums, p.Was[0], p.Was[1], p.Is[0], p.Is[1])
	}
	es, err := r.store.Entries(ctx, nums)
	if err != nil {
		return err
	}
	all, same := map[record.Binding]int{}, map[record.Binding]int{}
	for _, p := range pairs {
		all[p.Binding]++
		if heldTheSame(p, es) {
			same[p.Binding]++
		}
	}
	former := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(b record.Binding) bool { return same[b]*2 <= all[b] })
	if len(former) == 0 {
		return nil
	}
	return r.begunAnew(ctx, former, "records of both its sides were")
}

// heldTheSame reports whether both records of a pair hold most of what they held when they were linked. Values that
// are kept as digests can't be compared: then the ids have to do.
func heldTheSame(p record.FormerPair, es map[int64]record.Entry) bool {
	told := false
	for _, side := range record.Sides {
		was, is := es[p.Was[side]], es[p.Is[side]]
		same, shown := 0, 0
		held, holds := was.Last(), is.Last()
		for path, v := range held {
			if now := holds[path]; v.Observed() && !v.Empty() && now.Observed() {
				shown++
				if now.Equal(v) {
					same++
				}
			}
		}
		if shown > 0 && same*2 <= shown {
			return false
		}
		told = told || shown > 0 || slices.ContainsFunc(slices.Collect(maps.Values(was.Base)), record.Stored.Digested)
	}
	return told
}

func (r *Room) configured() []record.Binding { return slices.Collect(maps.Keys(r.Jobs)) }

// begunAnew lets a job go on that may be one of these jobs under a new name, if a person said that it begins anew
// beside them. Otherwise the job halts. what says which records they had linked.
func (r *Room) begunAnew(ctx context.Context, former []record.Binding, what string) error {
	names := make([]string, len(former))
	for i, b := range former {
		names[i] = string(b)
	}
	known, err := r.store.Witnessed(ctx, r.Place(record.Left))
	if err != nil {
		return err
	}
	told := strings.Split(known[beganAnewTrait].Value, ", ")
	if within(names, told) {
		return nil
	}
	if h, said := r.AnsweredHalt(record.HaltRenamed, record.Left); said && within(names, append(h.Rests.On, told...)) {
		if r.Options.Dry {
			return nil
		}
		told = slices.DeleteFunc(append(told, h.Rests.On...), func(name string) bool { return name == "" })
		slices.Sort(told)
		return r.store.Witness(ctx, r.Lease, record.Left, beganAnewTrait, strings.Join(slices.Compact(told), ", "), time.Now())
	}
	r.Stand(record.Question{Cause: record.HaltRenamed, Subject: record.Subject{Side: record.Left}, Next: r.LetGoCommand(), Rests: record.RestsOn(names...), Why: fmt.Sprintf(
		"%s has no link yet, and %s linked by %s, which the configuration no longer has: "+
			"under a new name of the job, of a kind or of a system, all of them are matched anew, and what was removed, or has another key since, is made again; "+
			"give the old names back, or say that it begins anew: %s",
		r.Job.Binding, what, strings.Join(names, ", "), r.LetGoCommand())})
	return r.StoppedBy()
}
