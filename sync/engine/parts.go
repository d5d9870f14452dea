package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"nightporter/sync/pull"
	"nightporter/sync/record"
)

// A whole list may be read in parts, by runs that are cut off and by the one that comes to its
// end. What each of them noticed of its fields is kept until then. A run that was killed kept
// nothing: the next whole list has all of its rows looked at then, and tells by itself.

// partsTrait is the name under which it is kept.
const partsTrait = "fields_part"

// partsSeen is what runs that were cut off noticed of a list.
type partsSeen struct {
	Begun   int64          `json:"begun,omitempty"` // when the list was, in milliseconds
	Rows    int            `json:"rows,omitempty"`
	Decoded int            `json:"decoded,omitempty"`
	Showed  map[string]int `json:"showed,omitempty"`
	Lost    map[string]int `json:"lost,omitempty"` // by path, how many linked records had it and don't show it
	Unknown bool           `json:"unknown,omitempty"`
}

func (r *run) partsSeen(ctx context.Context, side record.Side) (p partsSeen, err error) {
	known, err := r.Store.Witnessed(ctx, r.place(side))
	if err != nil || known[partsTrait].Value == "" {
		return p, err
	}
	if err := known[partsTrait].Read(&p); err != nil {
		return p, fmt.Errorf("read what was noticed of a list of %s: %w", r.side(side).System, err)
	}
	return p, nil
}

// noteParts keeps what a list showed of which the end was not reached. Once one was read to its
// end it is known what earlier runs noticed of it, and whether the next has to be looked at whole.
func (r *run) noteParts(ctx context.Context, side record.Side, before partsSeen, res pull.Result, ended bool) error {
	if res.Started.IsZero() {
		return nil // it was not even begun
	}
	was := partsSeen{Begun: res.Started.UnixMilli(), Unknown: before.Unknown}
	same := res.Resumed && before.Begun == was.Begun
	if same {
		was = before
	}
	r.earlierParts[side] = was
	if !ended {
		now, err := r.withPart(ctx, was, res)
		if err != nil {
			return err
		}
		now.Unknown = now.Unknown || !same && before.Rows > 0
		return r.keepParts(ctx, side, before, now)
	}
	dropped := !same && before.Rows > 0 && !before.Unknown // their bytes are known, so that nobody looked at them in this list
	return r.keepParts(ctx, side, before, partsSeen{Unknown: dropped || was.Rows+res.Looked < res.Rows})
}

// withPart adds what a run noticed that was cut off.
func (r *run) withPart(ctx context.Context, was partsSeen, res pull.Result) (partsSeen, error) {
	now := was
	now.Rows, now.Decoded = was.Rows+res.Looked, was.Decoded+res.Decoded
	now.Showed, now.Lost = map[string]int{}, map[string]int{}
	maps.Copy(now.Showed, was.Showed)
	maps.Copy(now.Lost, was.Lost)
	for path, n := range res.Showed {
		now.Showed[path] += n
	}
	for path, nums := range res.Without {
		had, err := r.thatHad(ctx, path, nums)
		if err != nil {
			return now, err
		}
		now.Lost[path] += had
	}
	return now, nil
}

func (r *run) keepParts(ctx context.Context, side record.Side, was, now partsSeen) error {
	text, err := json.Marshal(now)
	if err != nil {
		return err
	}
	if old, err := json.Marshal(was); err != nil || string(old) == string(text) {
		return err
	}
	return r.Store.Witness(ctx, r.lease, side, partsTrait, string(text), time.Now())
}
