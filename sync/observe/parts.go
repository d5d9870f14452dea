package observe

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"nightporter/sync/pull"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

func (r *Room) partsSeen(ctx context.Context, side record.Side) (p run.PartsSeen, err error) {
	known, err := r.store.Witnessed(ctx, r.Place(side))
	if err != nil || known[run.PartsTrait].Value == "" {
		return p, err
	}
	if err := known[run.PartsTrait].Read(&p); err != nil {
		return p, fmt.Errorf("read what was noticed of a list of %s: %w", r.Side(side).System, err)
	}
	return p, nil
}

// noteParts keeps what was noticed of a list whose end was not reached. Once a list is read to its end,
// EarlierParts says what earlier runs noticed of it, and what is kept says whether the next list must be looked at
// whole.
func (r *Room) noteParts(ctx context.Context, side record.Side, before run.PartsSeen, res pull.Result, ended bool) error {
	if res.Started.IsZero() {
		return nil // the list was not even begun
	}
	was := run.PartsSeen{Begun: res.Started.UnixMilli(), Unknown: before.Unknown}
	same := res.Resumed && before.Begun == was.Begun
	if same {
		was = before
	}
	r.trust.EarlierParts[side] = was
	if !ended {
		now, err := r.withPart(ctx, was, res)
		if err != nil {
			return err
		}
		now.Unknown = now.Unknown || !same && before.Rows > 0
		return r.keepParts(ctx, side, before, now)
	}
	dropped := !same && before.Rows > 0 && !before.Unknown // known by their bytes: this list did not decode them
	return r.keepParts(ctx, side, before, run.PartsSeen{Unknown: dropped || was.Rows+res.Looked < res.Rows})
}

// withPart adds to was what this run noticed before it was cut off.
func (r *Room) withPart(ctx context.Context, was run.PartsSeen, res pull.Result) (run.PartsSeen, error) {
	now := was
	now.Rows, now.Decoded = was.Rows+res.Looked, was.Decoded+res.Decoded
	now.Showed, now.Lost = map[string]int{}, map[string]int{}
	maps.Copy(now.Showed, was.Showed)
	maps.Copy(now.Lost, was.Lost)
	for path, n := range res.Showed {
		now.Showed[path] += n
	}
	for path, nums := range res.Without {
		had, err := r.trust.ThatHad(ctx, path, nums)
		if err != nil {
			return now, err
		}
		now.Lost[path] += had
	}
	return now, nil
}

func (r *Room) keepParts(ctx context.Context, side record.Side, was, now run.PartsSeen) error {
	text, err := json.Marshal(now)
	if err != nil {
		return err
	}
	if old, err := json.Marshal(was); err != nil || string(old) == string(text) {
		return err
	}
	return r.store.Witness(ctx, r.Lease, side, run.PartsTrait, string(text), time.Now())
}
