package guards

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// neverToPlan is how old the list of those who are never written to may be when a change is planned. If that list
// lets a change through, it is asked once more as the last thing before the change is sent.
const neverToPlan = time.Minute

// neverAge is how old that list may be where it can't be read while a write has its turn. A write that waited for
// longer is tried again.
const neverAge = 10 * time.Minute

// sendHeld says why a change is not sent now; the zero Hold if it may be sent. A delete reaches nobody, and is not
// held.
func (r *Room) sendHeld(ctx context.Context, side record.Side, ch record.Change) (h record.Hold, err error) {
	return r.heldBy(ctx, side, ch, r.never)
}

// PlanHold is sendHeld for a change that is only planned: one reading of the list of those who are never written
// to serves all that are planned within neverToPlan.
func (r *Room) PlanHold(ctx context.Context, side record.Side, ch record.Change) (record.Hold, error) {
	return r.heldBy(ctx, side, ch, r.neverLately)
}

// neversOf reads who is never written to on a side.
type neversOf func(context.Context, record.Side, *run.Send) (map[string]bool, error)

func (r *Room) heldBy(ctx context.Context, side record.Side, ch record.Change, never neversOf) (h record.Hold, err error) {
	s := r.Side(side).Send
	if s == nil || ch.Op == record.Delete {
		return h, nil
	}
	now := time.Now().In(r.Zone())
	f := plan.Sent{Now: now}
	canonical, err := r.meant(ctx, side, ch)
	if err != nil {
		return h, err
	}
	f.Day = canonical[s.Soon].Text()
	if s.AnHour > 0 {
		// What was sent exactly an hour ago belongs to the hour before: at that moment this change may go.
		if f.Hour, err = r.store.SentSince(ctx, r.Place(side), now.Add(time.Millisecond-time.Hour), ch.ID); err != nil {
			return h, err
		}
	}
	if s.Number != "" {
		f.Number = canonical[s.Number].Text()
		f.Never, f.Unlisted = never(ctx, side, s)
	}
	h, _ = s.Hold(f)
	return h, nil
}

// meant returns the canonical fields that a record holds once a change to it is made.
func (r *Room) meant(ctx context.Context, side record.Side, ch record.Change) (record.Fields, error) {
	native := ch.Fields
	if ch.Op != record.Create {
		e, ok, err := r.store.Entry(ctx, r.Place(side), ch.Ref)
		if err != nil {
			return nil, err
		}
		if ok {
			native = e.Last().With(ch.Fields)
		}
	}
	canonical, _ := r.Job.Mapping.Read(side, native)
	return canonical, nil
}

// neverLately is never, or the last list if that was read less than neverToPlan ago.
func (r *Room) neverLately(ctx context.Context, side record.Side, s *run.Send) (map[string]bool, error) {
	if last := r.nevers[side]; last != nil && time.Since(last.At) < neverToPlan {
		return last.Set, last.Err
	}
	return r.never(ctx, side, s)
}

// never reads the numbers that are never written to, spelled as the job's own field spells them. If one number
// can't be read, the whole list counts as unreadable. Where the list can't be asked while a write has its turn,
// the list that was read before counts, up to neverAge.
func (r *Room) never(ctx context.Context, side record.Side, s *run.Send) (map[string]bool, error) {
	last := r.nevers[side]
	if s.Beside && connectors.AtGate(ctx) {
		if last == nil || last.Err != nil || time.Since(last.At) > neverAge {
			return nil, fmt.Errorf("it was read before a wait for %s that took longer than %s", r.Side(side).System, neverAge)
		}
		return last.Set, nil
	}
	at := time.Now()
	texts, err := s.Never(ctx)
	if err != nil {
		r.nevers[side] = &run.NeverList{Err: err, At: at}
		return nil, err
	}
	if last != nil && last.Err == nil && slices.Equal(last.Texts, texts) {
		last.At = at
		return last.Set, nil
	}
	set, err := neverOf(r.Job.Mapping, side, s.Number, texts)
	r.nevers[side] = &run.NeverList{Texts: slices.Clone(texts), Set: set, Err: err, At: at}
	return set, err
}

// neverOf reads a list of numbers as the side's own numbers are read. A list shows no country beside a number. If
// records of the side do, a number of the list must have its country in it (+39 …), or it is not known.
func neverOf(m *mapping.Mapping, side record.Side, number string, texts []string) (map[string]bool, error) {
	path, alone := m.ValuePath(side, number)
	if path == "" {
		return nil, fmt.Errorf("%s is not read from one place, so no list can be read like it", number)
	}
	set := make(map[string]bool, len(texts))
	for i, text := range texts {
		if !alone && !strings.HasPrefix(strings.TrimSpace(text), "+") {
			return nil, fmt.Errorf("entry %d of it is no %s with its country (+39 …), which the list does not show otherwise: correct it, or take it out", i+1, number)
		}
		read, problems := m.Read(side, record.Fields{path: record.OfText(text)})
		v := read[number]
		if len(problems) > 0 || !v.Observed() || v.Empty() {
			return nil, fmt.Errorf("entry %d of it is no %s that can be read: correct it, or take it out", i+1, number)
		}
		set[v.Text()] = true
	}
	return set, nil
}

// Passes is asked as the last thing before a write goes out. It says why the write must not go out now; "" if it
// may.
func (r *Room) Passes(ctx context.Context, in record.Intent) (string, error) {
	why, err := r.trust.WhyHeld(ctx, in.Place.Side)
	if why != "" || err != nil {
		return why, err
	}
	h, err := r.sendHeld(ctx, in.Place.Side, in.Change)
	return h.Why, err
}
