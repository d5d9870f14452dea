package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"nightporter/internal/app"
	"nightporter/state"
	"nightporter/sync/record"
)

// doubtJSON is a quota of which a system's answers tell what is not believed.
type doubtJSON struct {
	System string  `json:"system"`
	Quota  string  `json:"quota"`
	Until  instant `json:"told_until,omitempty"`
	Next   instant `json:"tried_at,omitempty"` // one request is sent then all the same
	Wrong  bool    `json:"shown_wrong"`        // one was, and was taken
	is     record.QuotaDoubt
}

func doubtsOf(ctx context.Context, s *state.Store) ([]doubtJSON, error) {
	all, err := s.Doubts(ctx)
	var out []doubtJSON
	for _, d := range all {
		out = append(out, doubtJSON{
			System: string(d.System), Quota: d.Quota, Until: timeJSON(d.Until), Next: timeJSON(d.Next), Wrong: d.Belied, is: d,
		})
	}
	return out, err
}

// String says what is told, and what is done about it.
func (d doubtJSON) String() string {
	told := "its answers tell"
	if d.Quota != "" {
		told += " (" + d.Quota + ")"
	}
	if d.Wrong {
		return fmt.Sprintf("%s: %s that nothing may be sent; it took a request all the same, so this quota is not counted until a refusal says the same", d.System, told)
	}
	until := "for longer than 15 minutes"
	if d.Until != "" {
		until = "before " + moment(d.is.Until)
	}
	return fmt.Sprintf("%s: %s that nothing may be sent %s; no refusal says so, and one request is sent at %s to find out", d.System, told, until, moment(d.is.Next))
}

// A sync that waits for a system says so: once it has waited for longer than longWait,
// and when what it waits for changes.
const (
	lookEvery = time.Second
	longWait  = 10 * time.Second
)

// watch says for whom a run waits, until the function that it gives is called. A run that
// writes also notes which quotas are not believed.
func (p *progress) watch(ctx context.Context, a *app.App, writes bool) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	var over sync.WaitGroup
	over.Go(func() {
		every := time.NewTicker(lookEvery)
		defer every.Stop()
		said := map[string]time.Time{}
		for {
			select {
			case <-ctx.Done():
				return
			case <-every.C:
			}
			p.sayQueued(a, said)
			if writes {
				_ = a.NoteDoubts(ctx) // tried again at the end, where it counts
			}
		}
	})
	return func() error {
		cancel()
		over.Wait()
		if !writes {
			return nil
		}
		return a.NoteDoubts(context.WithoutCancel(ctx))
	}
}

// sayQueued says of each system that requests wait for when the next is sent; said is
// what was said already.
func (p *progress) sayQueued(a *app.App, said map[string]time.Time) {
	for system, s := range a.Queued() {
		if time.Until(s.Next) < longWait || s.Next.Sub(said[system]).Abs() < longWait {
			continue
		}
		said[system] = s.Next
		p.say("%s: its limits let the next request go at %s; waiting for that", system, moment(s.Next))
		for _, d := range a.Doubts() {
			if string(d.System) == system && !d.Belied {
				p.say("%s", doubtJSON{System: system, Quota: d.Quota, Until: timeJSON(d.Until), is: d})
			}
		}
	}
}
