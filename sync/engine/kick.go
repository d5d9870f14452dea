package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/match"
	"nightporter/sync/observe"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// between is called between any two requests, and takes the records that can't wait.
func (r *Room) between(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if r.Options.Kicked == nil || r.Kicking || r.Options.Dry || r.Limited() {
		return nil
	}
	if !r.trust.Examined && r.trust.Stands() {
		return nil // nobody knows yet whether the lists can be believed
	}
	if first, err := r.unagreed(ctx); err != nil || first {
		return err // nobody has agreed to the first plan yet, and these records are part of it
	}
	kicks := r.Options.Kicked()
	later := r.ready()
	if len(kicks)+len(later) == 0 {
		return nil
	}
	r.Kicking, r.kicked = true, true
	defer func() { r.Kicking = false }()
	before, had := r.linksMade(), r.Report.Taken
	r.Report.Taken = run.Taken{}
	err := r.take(ctx, kicks, later)
	r.Report.Linked = r.linksMade() > before
	if r.Options.Took != nil && err == nil {
		r.Options.Took(ctx, r.Report.Taken)
		r.Report.Taken = had
	}
	return err
}

// linksMade is how many links this run has made.
func (r *Room) linksMade() int64 {
	c := r.Report.Counts
	return c["linked"] + c["left.created"] + c["right.created"]
}

// Unagreed reports whether the first plan of a job still waits for somebody's yes. Until then nothing is written,
// whatever a machine asks for.
func (e *Engine) Unagreed(ctx context.Context, b record.Binding) (bool, error) {
	job, ok := e.Jobs[b]
	if !ok {
		return false, fmt.Errorf("look for a first run of %s: there is no job of that name", b)
	}
	return newRun(e, job, record.Lease{Binding: b}, run.Options{}).unagreed(ctx)
}

// unagreed reports whether this is the first run and nobody said yes to its plan.
func (r *Room) unagreed(ctx context.Context) (bool, error) {
	if r.Options.Yes || !r.Job.AskFirst {
		return false, nil
	}
	links, err := r.store.LinkCount(ctx, r.Job.Binding)
	if err != nil {
		return false, err
	}
	return r.isFirst(ctx, &run.Draft{Facts: guard.Facts{Links: links}})
}

// ready returns the records that were put off until a list is read, and that can be decided now.
func (r *Room) ready() []run.ToRead {
	var now []run.ToRead
	r.later = slices.DeleteFunc(r.later, func(t run.ToRead) bool {
		free := !r.Listing[t.Side.Other()]
		if free {
			now = append(now, t)
		}
		return free
	})
	return now
}

// take reads records, and then decides about each of them and carries it over. All are read first: if the other
// side's list must be read to know that it lacks one of them, it is read once. A record that can't be read does not
// hold up the others, as long as the system answers.
func (r *Room) take(ctx context.Context, kicks []run.Kick, later []run.ToRead) error {
	if err := r.links.NoteBack(ctx); err != nil {
		return err
	}
	failed := 0
	type read struct {
		run.ToRead
		hurry bool
	}
	var all []read
	for _, t := range later {
		all = append(all, read{t, r.hurries(ctx, t.Side, t.Ref)})
	}
	for _, k := range kicks {
		hurry := r.hurries(ctx, k.Side, k.Ref)
		found, err := r.fetch(r.urgent(ctx, hurry), k)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if connectors.ClassOf(err) == connectors.Forbidden {
			err = r.observe.IfBarred(k.Side, k.Ref, err)
		} else if err != nil {
			if fatal := r.observe.PassOver(k.Side, err, &failed); fatal != nil {
				return fmt.Errorf("take %s first: %w", k.Ref, fatal)
			}
			r.NoteUnread(k.Side, k.Ref, err)
			r.Report.Failed = append(r.Report.Failed, k)
			r.failures = append(r.failures, fmt.Errorf("%s: %w", k.Ref, err))
			continue
		}
		if err != nil {
			return fmt.Errorf("take %s first: %w", k.Ref, err)
		}
		for _, ref := range found {
			all = append(all, read{run.ToRead{Side: k.Side, Ref: ref}, hurry})
		}
	}
	if err := r.match.DoubtOpen(ctx); err != nil {
		return err
	}
	for _, x := range all {
		if err := r.one(r.urgent(ctx, x.hurry), x.Side, x.Ref); err != nil {
			return fmt.Errorf("take %s first: %w", x.Ref, err)
		}
	}
	return r.takeStrays(ctx)
}

// hurries reports whether another record waits for this one, which is then read as fast as that one would be. A
// record that is looked for by a key always hurries.
func (r *Room) hurries(ctx context.Context, side record.Side, ref record.Ref) bool {
	if ref.ID == "" {
		return true
	}
	yes, err := r.store.WaitedFor(ctx, r.Place(side), ref)
	return err == nil && yes // an error shows up again where it matters
}

// urgent returns the context for a record, a faster one if the record hurries.
func (r *Room) urgent(ctx context.Context, hurry bool) context.Context {
	if !hurry || r.Options.Urgent == nil {
		return ctx
	}
	return r.Options.Urgent(ctx)
}

// fetch reads the records that are asked for, and returns those that are to be decided.
func (r *Room) fetch(ctx context.Context, k run.Kick) ([]record.Ref, error) {
	if k.Ref.ID == "" {
		return r.byKey(ctx, k)
	}
	found, err := r.observe.ReadRef(ctx, k.Side, k.Ref)
	if aside := []connectors.ErrorClass{
		connectors.NotFound, connectors.OutOfScope, connectors.Rejected, connectors.Malformed, connectors.Moved,
	}; slices.Contains(aside, connectors.ClassOf(err)) { // the answer says how the record stands, and it is put aside
		return nil, r.observe.Refresh(ctx, k.Side, k.Ref)
	}
	if errors.Is(err, run.ErrBehind) {
		r.NoteUnread(k.Side, k.Ref, err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !found {
		return r.asListed(ctx, k)
	}
	return []record.Ref{k.Ref}, nil
}

// asListed returns a record that can't be read by its id, if another record waits for it: what its list shows has to
// do. Example: a guest who is made only once a booking names him. Before he is made across, the door looks whether a
// list still shows him as he was. Without this rule the booking and the guest would wait for each other for ever.
func (r *Room) asListed(ctx context.Context, k run.Kick) ([]record.Ref, error) {
	if waited, err := r.store.WaitedFor(ctx, r.Place(k.Side), k.Ref); err != nil || !waited {
		return nil, err
	}
	e, known, err := r.store.Entry(ctx, r.Place(k.Side), k.Ref)
	if err != nil || !known || e.Link != 0 || match.Departed(e) {
		return nil, err
	}
	return []record.Ref{k.Ref}, nil
}

// byKey finds records by a key, and stores what they show. An empty answer counts only if asking in this
// way was seen to work.
func (r *Room) byKey(ctx context.Context, k run.Kick) ([]record.Ref, error) {
	unfound := func() { r.Report.Unfound = append(r.Report.Unfound, k) }
	s := r.Side(k.Side)
	native, problems := r.Job.Mapping.Write(k.Side, record.Fields{k.Key.Name: record.OfText(k.Key.Text)}, nil)
	ask := run.Pick(native, native.Names())
	way := observe.WayOf(ask.Names())
	f, is := s.Conn.(connectors.Finder)
	// If any column can be asked for, the value may be spelt in another way there.
	can := is && !s.Can.FindAny && len(problems) == 0 &&
		slices.ContainsFunc(s.Can.FindBy, func(by []string) bool { return observe.WayOf(by) == way })
	if !can {
		unfound()
		return nil, nil
	}
	at := time.Now()
	found, fault, err := r.observe.Find(ctx, k.Side, f, ask)
	if err != nil {
		return nil, err
	}
	var refs []record.Ref
	for _, rec := range found {
		if !r.observe.Answers(k.Side, rec, ask) { // the system ignores the filter
			r.observe.Remember(k.Side, ask.Names(), run.Finding{})
			unfound()
			return nil, nil
		}
		rec.Ref.Kind = s.Kind
		if err := r.observe.SeeFound(ctx, k.Side, rec, at); err != nil {
			return nil, err
		}
		refs = append(refs, rec.Ref)
	}
	if len(refs) > 0 {
		return refs, nil
	}
	works := false
	if fault == nil {
		works, err = r.observe.FindWorks(ctx, k.Side, f, ask.Names())
	}
	if err == nil && !works {
		unfound()
	}
	return nil, err
}
