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

// beganAnewTrait is the name of the trait that keeps that a job began anew although jobs before it have
// links. Its value names those jobs.
const beganAnewTrait = "began anew"

// NotRenamed makes sure, before anything is read, that a job without links is not an old job under a
// new name. Such a job would match all records anew by their keys. A record that has another key since
// would be made twice, and a record that was removed would be made again.
func (r *Room) NotRenamed(ctx context.Context) error {
	former, err := r.store.Former(ctx, r.Job.Binding, slices.Collect(maps.Keys(r.Jobs)))
	if err != nil || len(former) == 0 {
		return err
	}
	names := make([]string, len(former))
	for i, b := range former {
		names[i] = string(b)
	}
	all := strings.Join(names, ", ")
	known, err := r.store.Witnessed(ctx, r.Place(record.Left))
	if err != nil || known[beganAnewTrait].Value == all {
		return err
	}
	if h, said := r.AnsweredHalt(record.HaltRenamed, record.Left); said && h.Rests.IsOn(names...) {
		if r.Options.Dry {
			return nil
		}
		return r.store.Witness(ctx, r.Lease, record.Left, beganAnewTrait, all, time.Now())
	}
	l, o := r.Side(record.Left), r.Side(record.Right)
	r.Stand(record.Question{Cause: record.HaltRenamed, Subject: record.Subject{Side: record.Left}, Next: r.LetGoCommand(), Rests: record.RestsOn(names...), Why: fmt.Sprintf(
		"%s has no link yet, and %s and %s were linked by %s, which the configuration no longer has: "+
			"under a new name of the job, or of a system, all of them are matched anew, and what was removed, or has another key since, is made again; "+
			"give the old names back, or say that it begins anew: %s",
		r.Job.Binding, l.Kind, o.Kind, all, r.LetGoCommand())})
	return r.StoppedBy()
}
