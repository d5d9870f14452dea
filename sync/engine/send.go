package engine

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
)

// Send is what holds back writes to a side that may reach a person.
type Send struct {
	plan.Sending
	// Never gives the numbers of those who are never to be written to, as they are spelt
	// where they are kept. It is asked before each write: who is added meanwhile is heeded.
	Never func(ctx context.Context) ([]string, error)
	// Beside says that Never asks the system that is written to: it can't be asked while a
	// write has its turn there, so that what was read right before counts.
	Beside bool
}

// sending is what a run knows of writes that may reach a person.
type sending struct {
	nevers [2]*neverList    // who is never written to, as last read
	kept   map[keptKey]bool // changes that this run came to and did not send
}

// neverList is the last list of those who are never written to, as it was spelt and as it
// was read.
type neverList struct {
	texts []string
	set   map[string]bool
	err   error // why it could not be read
	at    time.Time
}

// neverToPlan is how old a list may be by which a change is kept back. What it lets through is
// asked for once more as the last thing before it is sent.
const neverToPlan = time.Minute

// neverAge is how old a list may be that can't be read while a write has its turn. A write
// that waited for longer is tried again.
const neverAge = 10 * time.Minute

// sendHeld says why a change is not sent now; the zero Hold if it may be. What is taken away
// reaches nobody.
func (r *run) sendHeld(ctx context.Context, side record.Side, ch record.Change) (h record.Hold, err error) {
	return r.heldBy(ctx, side, ch, r.never)
}

// planHold is sendHeld where nothing is sent yet: one list tells of all that is planned.
func (r *run) planHold(ctx context.Context, side record.Side, ch record.Change) (record.Hold, error) {
	return r.heldBy(ctx, side, ch, r.neverLately)
}

// neversOf reads who is never written to on a side.
type neversOf func(context.Context, record.Side, *Send) (map[string]bool, error)

func (r *run) heldBy(ctx context.Context, side record.Side, ch record.Change, never neversOf) (h record.Hold, err error) {
	s := r.side(side).Send
	if s == nil || ch.Op == record.Delete {
		return h, nil
	}
	now := time.Now().In(r.zone())
	f := plan.Sent{Now: now}
	canonical, err := r.meant(ctx, side, ch)
	if err != nil {
		return h, err
	}
	f.Day = canonical[s.Soon].Text()
	if s.AnHour > 0 {
		// What was sent exactly an hour ago is of the hour before: it is then that this one may go.
		if f.Hour, err = r.Store.SentSince(ctx, r.place(side), now.Add(time.Millisecond-time.Hour), ch.ID); err != nil {
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

// meant is what a record holds once a change to it is made.
func (r *run) meant(ctx context.Context, side record.Side, ch record.Change) (record.Fields, error) {
	native := ch.Fields
	if ch.Op != record.Create {
		e, ok, err := r.Store.Entry(ctx, r.place(side), ch.Ref)
		if err != nil {
			return nil, err
		}
		if ok {
			native = e.Last().With(ch.Fields)
		}
	}
	canonical, _ := r.job.Mapping.Read(side, native)
	return canonical, nil
}

// neverLately is never, or what that was a moment ago.
func (r *run) neverLately(ctx context.Context, side record.Side, s *Send) (map[string]bool, error) {
	if last := r.nevers[side]; last != nil && time.Since(last.at) < neverToPlan {
		return last.set, last.err
	}
	return r.never(ctx, side, s)
}

// never reads who is never written to, in the spelling of the job's own field. One number
// that can't be read makes the list one that can't be.
func (r *run) never(ctx context.Context, side record.Side, s *Send) (map[string]bool, error) {
	last := r.nevers[side]
	if s.Beside && connectors.AtGate(ctx) {
		if last == nil || last.err != nil || time.Since(last.at) > neverAge {
			return nil, fmt.Errorf("it was read before a wait for %s that took longer than %s", r.side(side).System, neverAge)
		}
		return last.set, nil
	}
	at := time.Now()
	texts, err := s.Never(ctx)
	if err != nil {
		r.nevers[side] = &neverList{err: err, at: at}
		return nil, err
	}
	if last != nil && last.err == nil && slices.Equal(last.texts, texts) {
		last.at = at
		return last.set, nil
	}
	set, err := neverOf(r.job.Mapping, side, s.Number, texts)
	r.nevers[side] = &neverList{slices.Clone(texts), set, err, at}
	return set, err
}

// neverOf reads a list of numbers as a side's own are read. A list shows no country beside
// them: where records do, it is part of the number or not known.
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

// passes is what a write passes as the last thing before it goes out.
func (r *run) passes(ctx context.Context, in record.Intent) (string, error) {
	why, err := r.whyHeld(ctx, in.Place.Side)
	if why != "" || err != nil {
		return why, err
	}
	h, err := r.sendHeld(ctx, in.Place.Side, in.Change)
	return h.Why, err
}
