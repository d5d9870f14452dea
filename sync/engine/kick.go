package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// Kick asks for one record to be taken first.
type Kick struct {
	Side record.Side
	Ref  record.Ref
	Key  record.Key // where Ref names none: the records that the system finds by it
}

// Taken is what came of records that were taken first, or asked for by name.
type Taken struct {
	Linked  bool     // records got a link
	Failed  []Kick   // can't be read now, though others can
	Unfound []Kick   // the system can't be asked by their key: its list has to be read
	Sought  []Sought // records that wait, and nobody has seen for whom
}

// Sought is a record that waits for one that is known by a key alone.
type Sought struct {
	Waiting record.Place // of the record that waits
	Ref     record.Ref   // that record
	Place   record.Place // of the record it names
	Key     record.Key
}

// between is called between any two requests: what can't wait is done there.
func (r *run) between(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if r.opt.Kicked == nil || r.kicking || r.opt.Dry || r.limited() {
		return nil
	}
	if !r.examined && r.stands() {
		return nil // nobody knows yet whether what is shown is to be believed
	}
	if first, err := r.unagreed(ctx); err != nil || first {
		return err // nobody has seen the first plan: they are in it
	}
	kicks := r.opt.Kicked()
	later := r.ready()
	if len(kicks)+len(later) == 0 {
		return nil
	}
	r.kicking, r.kicked = true, true
	defer func() { r.kicking = false }()
	before, had := r.linksMade(), r.rep.Taken
	r.rep.Taken = Taken{}
	err := r.take(ctx, kicks, later)
	r.rep.Linked = r.linksMade() > before
	if r.opt.Took != nil && err == nil {
		r.opt.Took(ctx, r.rep.Taken)
		r.rep.Taken = had
	}
	return err
}

// linksMade is how many records got a link in this run.
func (r *run) linksMade() int64 {
	c := r.rep.Counts
	return c["linked"] + c["left.created"] + c["right.created"]
}

// Unagreed reports whether the first plan of a job waits for somebody's yes: nothing
// is to be written before, whatever is asked for by a machine.
func (e *Engine) Unagreed(ctx context.Context, b record.Binding) (bool, error) {
	job, ok := e.Jobs[b]
	if !ok {
		return false, fmt.Errorf("look for a first run of %s: there is no job of that name", b)
	}
	return newRun(e, job, record.Lease{Binding: b}, Options{}).unagreed(ctx)
}

// unagreed reports whether this is the first run and nobody said yes to its plan.
func (r *run) unagreed(ctx context.Context) (bool, error) {
	if r.opt.Yes || !r.job.AskFirst {
		return false, nil
	}
	links, err := r.Store.LinkCount(ctx, r.job.Binding)
	if err != nil {
		return false, err
	}
	return r.isFirst(ctx, &draft{facts: guard.Facts{Links: links}})
}

// ready is the records that were put off until a list is read, and that may be
// decided now.
func (r *run) ready() []toRead {
	var now []toRead
	r.later = slices.DeleteFunc(r.later, func(t toRead) bool {
		free := !r.listing[t.side.Other()]
		if free {
			now = append(now, t)
		}
		return free
	})
	return now
}

// take reads records, and then decides and carries over each of them. All are read
// first: where the other side's list has to be read to know that it lacks one of
// them, it is read once. A record that can't be read keeps the others from nothing,
// as long as the system answers.
func (r *run) take(ctx context.Context, kicks []Kick, later []toRead) error {
	if err := r.noteBack(ctx); err != nil {
		return err
	}
	failed := 0
	type read struct {
		toRead
		hurry bool
	}
	var all []read
	for _, t := range later {
		all = append(all, read{t, r.hurries(ctx, t.side, t.ref)})
	}
	for _, k := range kicks {
		hurry := r.hurries(ctx, k.Side, k.Ref)
		found, err := r.fetch(r.urgent(ctx, hurry), k)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if connectors.ClassOf(err) == connectors.Forbidden {
			err = r.ifBarred(k.Side, k.Ref, err)
		} else if err != nil {
			if fatal := r.passOver(k.Side, err, &failed); fatal != nil {
				return fmt.Errorf("take %s first: %w", k.Ref, fatal)
			}
			r.noteUnread(k.Side, k.Ref, err)
			r.rep.Failed = append(r.rep.Failed, k)
			r.failures = append(r.failures, fmt.Errorf("%s: %w", k.Ref, err))
			continue
		}
		if err != nil {
			return fmt.Errorf("take %s first: %w", k.Ref, err)
		}
		for _, ref := range found {
			all = append(all, read{toRead{side: k.Side, ref: ref}, hurry})
		}
	}
	if err := r.doubtOpen(ctx); err != nil {
		return err
	}
	for _, x := range all {
		if err := r.one(r.urgent(ctx, x.hurry), x.side, x.ref); err != nil {
			return fmt.Errorf("take %s first: %w", x.ref, err)
		}
	}
	return nil
}

// hurries reports whether another record waits for this one: then it goes as fast as
// that. Who is looked for by a key always does.
func (r *run) hurries(ctx context.Context, side record.Side, ref record.Ref) bool {
	if ref.ID == "" {
		return true
	}
	yes, err := r.Store.WaitedFor(ctx, r.place(side), ref)
	return err == nil && yes // an error shows up again where it matters
}

// urgent is the context of what hurries.
func (r *run) urgent(ctx context.Context, hurry bool) context.Context {
	if !hurry || r.opt.Urgent == nil {
		return ctx
	}
	return r.opt.Urgent(ctx)
}

// fetch reads what is asked for and gives what is to be decided.
func (r *run) fetch(ctx context.Context, k Kick) ([]record.Ref, error) {
	if k.Ref.ID == "" {
		return r.byKey(ctx, k)
	}
	found, err := r.readRef(ctx, k.Side, k.Ref)
	if aside := []connectors.ErrorClass{
		connectors.NotFound, connectors.OutOfScope, connectors.Rejected, connectors.Malformed, connectors.Moved,
	}; slices.Contains(aside, connectors.ClassOf(err)) { // it is put aside for what it is
		return nil, r.refresh(ctx, k.Side, k.Ref)
	}
	if errors.Is(err, errBehind) {
		r.noteUnread(k.Side, k.Ref, err)
		return nil, nil
	}
	if err != nil || !found {
		return nil, err
	}
	return []record.Ref{k.Ref}, nil
}

// byKey finds records by a key and stores what they show. An empty answer counts
// only where asking was seen to work.
func (r *run) byKey(ctx context.Context, k Kick) ([]record.Ref, error) {
	unfound := func() { r.rep.Unfound = append(r.rep.Unfound, k) }
	s := r.side(k.Side)
	native, problems := r.job.Mapping.Write(k.Side, record.Fields{k.Key.Name: record.OfText(k.Key.Text)}, nil)
	ask := pick(native, native.Names())
	way := wayOf(ask.Names())
	f, is := s.Conn.(connectors.Finder)
	// Where any column can be asked for, the value may be spelt otherwise there.
	can := is && !s.Can.FindAny && len(problems) == 0 &&
		slices.ContainsFunc(s.Can.FindBy, func(by []string) bool { return wayOf(by) == way })
	if !can {
		unfound()
		return nil, nil
	}
	at := time.Now()
	found, fault, err := r.find(ctx, k.Side, f, ask)
	if err != nil {
		return nil, err
	}
	var refs []record.Ref
	for _, rec := range found {
		if !r.answers(k.Side, rec, ask) { // the filter is ignored
			r.remember(k.Side, ask.Names(), finding{})
			unfound()
			return nil, nil
		}
		rec.Ref.Kind = s.Kind
		if err := r.seeFound(ctx, k.Side, rec, at); err != nil {
			return nil, err
		}
		refs = append(refs, rec.Ref)
	}
	if len(refs) > 0 {
		return refs, nil
	}
	works := false
	if fault == nil {
		works, err = r.findWorks(ctx, k.Side, f, ask.Names())
	}
	if err == nil && !works {
		unfound()
	}
	return nil, err
}

// seek notes a record that waits for one of which only a key is known.
func (r *run) seek(side record.Side, ref record.Ref, res resolution) {
	if res.wait.Ref.ID != "" || res.key.Text == "" {
		return
	}
	s := Sought{Waiting: r.place(side), Ref: ref, Place: res.place, Key: res.key}
	if !r.sought[s] || r.kicking {
		r.sought[s] = true
		r.rep.Sought = append(r.rep.Sought, s)
	}
}
