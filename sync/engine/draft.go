package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// draft is everything a plan decided, before anything of it is done.
type draft struct {
	pairs   []decided
	joins   []join
	news    []plan.Action
	parks   []park
	waits   []waits
	reads   []toRead
	told    []toRead // bookings that were refused: the desk must know
	missing [2]int   // creates that need to know more of what that side has
	facts   plan.Facts
}

// decided is a link and what is to be done about it.
type decided struct {
	link    record.LinkID
	pair    plan.Case
	verdict plan.Verdict
	waits   []waits
	dirty   bool              // it was marked to be looked at, whatever is seen of it
	refused bool              // some of its writes were refused as they are
	kept    []record.Conflict // decided by a person; they stay open until each side has the value
}

// join is a pair of strangers that are the same.
type join struct {
	left, right int64
	entity      string
	pair        plan.Case
	verdict     plan.Verdict
	waits       []waits
}

type park struct {
	side  record.Side
	entry record.Entry
	state record.EntryState
	why   string
}

type waits struct {
	side  record.Side
	entry record.Entry
	on    []record.Wait
	why   string
	held  bool // it waited for too long: a person is asked
}

type toRead struct {
	side record.Side
	ref  record.Ref
}

// actions is all writes of the draft, in order.
func (d *draft) actions() []plan.Action {
	var all []plan.Action
	for _, p := range d.pairs {
		all = append(all, p.verdict.Actions...)
	}
	for _, j := range d.joins {
		all = append(all, j.verdict.Actions...)
	}
	all = append(all, d.news...)
	plan.Order(all)
	return all
}

// plan decides everything that is to be looked at.
func (r *run) plan(ctx context.Context) (*draft, error) {
	d := &draft{facts: plan.Facts{Systems: [2]record.System{r.side(record.Left).System, r.side(record.Right).System}}}
	var err error
	if d.facts.Links, err = r.Store.LinkCount(ctx, r.job.Binding); err != nil {
		return nil, err
	}
	if err := r.loadRejected(ctx); err != nil {
		return nil, err
	}
	if err := r.planLinks(ctx, d); err != nil {
		return nil, fmt.Errorf("plan linked %s: %w", r.job.Binding, err)
	}
	if err := r.planStrangers(ctx, d); err != nil {
		return nil, fmt.Errorf("plan unlinked %s: %w", r.job.Binding, err)
	}
	return d, nil
}

// planLinks decides every link of which a side differs from its base.
func (r *run) planLinks(ctx context.Context, d *draft) error {
	after := record.LinkID(0)
	for {
		pairs, err := r.Store.Dirty(ctx, r.job.Binding, after, batch)
		if err != nil || len(pairs) == 0 {
			return err
		}
		for _, p := range pairs {
			after = p.Link
			if err := r.planPair(ctx, d, p); err != nil {
				return err
			}
		}
	}
}

// planPair decides one link. A side that could not show a field the other changed
// is read by id first.
func (r *run) planPair(ctx context.Context, d *draft, p record.Pair) error {
	c, w, err := r.caseOf(ctx, p)
	if err != nil {
		return fmt.Errorf("link %d: %w", p.Link, err)
	}
	for _, side := range record.Sides {
		if c.Sides[side].Seen {
			d.facts.Changed[side]++
		}
	}
	v := plan.Pair(r.job.Rules, c)
	if err := r.tellDead(p, c, &v); err != nil {
		return err
	}
	kept, err := r.keptChoices(ctx, c, v)
	if err != nil {
		return err
	}
	wanted := len(v.Actions)
	v.Actions = r.unrefused(v.Actions)
	d.pairs = append(d.pairs, decided{
		link: p.Link, pair: c, verdict: v, waits: w, kept: kept,
		dirty: p.Sides[0].Dirty || p.Sides[1].Dirty, refused: len(v.Actions) < wanted,
	})
	for _, side := range v.Read {
		d.reads = append(d.reads, toRead{side: side, ref: c.Sides[side].Ref})
	}
	return nil
}

// keptChoices is the conflicts in which a person typed a value that is still to be
// written: with one side written and the other not, it would look like an old value
// against a new one.
func (r *run) keptChoices(ctx context.Context, c plan.Case, v plan.Verdict) ([]record.Conflict, error) {
	if len(c.Choices) == 0 {
		return nil, nil
	}
	open, err := r.Store.Choices(ctx, c.Link)
	if err != nil {
		return nil, err
	}
	var kept []record.Conflict
	for _, a := range v.Actions {
		for _, f := range a.Fields {
			if x, ok := open[f.Field]; ok && x.Choice == "value" && f.Policy == string(merge.Person) {
				kept = append(kept, x)
				delete(open, f.Field)
			}
		}
	}
	return kept, nil
}

// caseOf is a link as the plan looks at it.
func (r *run) caseOf(ctx context.Context, p record.Pair) (plan.Case, []waits, error) {
	var sides [2]seenSide
	for _, side := range record.Sides {
		var err error
		if sides[side], err = r.sideOf(ctx, side, p.Sides[side]); err != nil {
			return plan.Case{}, nil, err
		}
	}
	c, w, err := r.newCase(ctx, p.Link, p.Entity, sides)
	if err != nil {
		return c, w, err
	}
	choices, err := r.Store.Choices(ctx, p.Link)
	if err != nil {
		return c, w, err
	}
	c.Choices = choicesOf(choices)
	return c, w, nil
}

func (r *run) newCase(ctx context.Context, link record.LinkID, entity string, sides [2]seenSide) (plan.Case, []waits, error) {
	c := plan.Case{Link: link, Entity: entity, Blocked: map[string]bool{}}
	var w []waits
	for _, side := range record.Sides {
		for _, ref := range r.job.References {
			res, ok := sides[side].open[ref.Field]
			if !ok {
				continue
			}
			if res.standing == waiting {
				delete(sides[side].Now, ref.Field)
				c.Blocked[ref.Field] = true
				if link == 0 && ref.Snapshot { // only a create comes this far, and only when the wait is over
					sides[side].Now[ref.Field] = markLeftOut(res.wait.Ref.ID)
					c.Blocked[ref.Field] = false
				}
			}
			if res.wait.Ref.ID != "" {
				w = append(w, waits{side: side, entry: sides[side].since, on: []record.Wait{res.wait}})
			}
		}
		c.Sides[side] = sides[side].Side
	}
	parts, err := r.allParts(ctx, sides)
	c.Parts = parts
	return c, w, err
}

func choicesOf(cs map[string]record.Conflict) map[string]merge.Choice {
	out := make(map[string]merge.Choice, len(cs))
	for f, c := range cs {
		if c.Choice != "" {
			out[f] = merge.Choice{Take: c.Choice, Value: c.Value, Left: c.Left, Right: c.Right}
		}
	}
	return out
}

// loadRejected remembers what systems said no to, so that the same is not asked
// again until the values change.
func (r *run) loadRejected(ctx context.Context) error {
	ins, err := r.Store.RejectedLast(ctx, r.job.Binding)
	if err != nil {
		return err
	}
	r.rejected = make(map[string]refusal, len(ins))
	for _, in := range ins {
		if class := connectors.ErrorClass(in.Class); class == connectors.Forbidden || class == connectors.Malformed {
			continue // it was not about these values: once it is mended they are asked again
		}
		r.rejected[refusedKey(in.Place.Side, in.Link, in.From)] = refusal{in.Change.Fields.Digest(), connectors.ErrorClass(in.Class)}
	}
	return nil
}

// refusedKey is what a refusal is remembered under: each side has its own.
func refusedKey(side record.Side, link record.LinkID, from int64) string {
	return side.String() + " " + keyOf(link, from)
}

// refusal is what a system said no to.
type refusal struct {
	what  record.Digest
	class connectors.ErrorClass
}

// unrefused drops actions that the system said no to, as they are.
func (r *run) unrefused(actions []plan.Action) []plan.Action {
	kept := actions[:0]
	for _, a := range actions {
		if was, ok := r.rejected[refusedKey(a.Side, a.Link, a.From)]; ok && was.what == a.Change.Fields.Digest() {
			r.count("quarantined", 1)
			r.note(a.Side, a.Change.Ref, record.Quarantined, "the system refused these values; it is asked again when they change")
			continue
		}
		kept = append(kept, a)
	}
	return kept
}

// planStrangers pairs what has no link, and decides what is created.
func (r *run) planStrangers(ctx context.Context, d *draft) error {
	return r.planStrangersOnly(ctx, d, nil)
}

// planStrangersOnly does so for one record, or for all where none is named.
func (r *run) planStrangersOnly(ctx context.Context, d *draft, wanted *toRead) error {
	var strangers [2][]stranger
	for _, side := range record.Sides {
		var err error
		if strangers[side], err = r.strangers(ctx, side); err != nil {
			return err
		}
	}
	var represent func([]stranger) int
	if r.job.Represent {
		represent = standFor(r.job.By)
	}
	return r.planMatched(ctx, d, strangers, represent, wanted)
}

// planMatched decides strangers; with a wanted reference, only those it concerns.
func (r *run) planMatched(ctx context.Context, d *draft, strangers [2][]stranger, represent func([]stranger) int, wanted *toRead) error {
	concerns := func(side record.Side, s stranger) bool {
		return wanted == nil || side == wanted.side && s.Ref == wanted.ref
	}
	fates, err := match(r.ruleNames(), strangers, represent, r.uniqueRules(), r.linked(ctx))
	if err != nil {
		return err
	}
	for i, f := range fates[record.Left] {
		if f.with < 0 {
			continue
		}
		l, rt := strangers[record.Left][i], strangers[record.Right][f.with]
		if r.inDoubt(d, record.Left, l) || r.inDoubt(d, record.Right, rt) {
			continue
		}
		if concerns(record.Left, l) || concerns(record.Right, rt) {
			if err := r.planJoin(ctx, d, l, rt); err != nil {
				return err
			}
		}
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

// untangle leaves one fate for each record. Somebody who is asked about two records
// may give both the same partner, and the partner itself was planned on its own: the
// first link counts, and whatever else was planned for its two records is dropped.
func (d *draft) untangle() {
	taken := map[int64]bool{}
	joins := d.joins[:0]
	for _, j := range d.joins {
		if !taken[j.left] && !taken[j.right] {
			taken[j.left], taken[j.right] = true, true
			joins = append(joins, j)
		}
	}
	d.joins = joins
	d.parks = slices.DeleteFunc(d.parks, func(p park) bool { return taken[p.entry.Num] })
	d.waits = slices.DeleteFunc(d.waits, func(w waits) bool { return taken[w.entry.Num] && w.why != "" })
	d.news = slices.DeleteFunc(d.news, func(a plan.Action) bool { return taken[a.From] })
}

// inDoubt keeps everything off a record with a create that is not settled, and off
// one that may be what such a create made.
func (r *run) inDoubt(d *draft, side record.Side, s stranger) bool {
	if why := r.doubtful[s.Entry]; why != "" {
		d.parks = append(d.parks, park{side, s.since, record.Held, why})
		return true
	}
	return r.open[s.Entry]
}

// strangers reads all entries of a side that have no link and are to be looked at.
func (r *run) strangers(ctx context.Context, side record.Side) ([]stranger, error) {
	var out []stranger
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
			s, err := r.sideOf(ctx, side, e)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.Ref, err)
			}
			out = append(out, stranger{seenSide: s, keys: r.keysOf(side, s)})
		}
	}
}

func (r *run) keysOf(side record.Side, s seenSide) map[string]string {
	keys := map[string]string{}
	for _, k := range r.job.Mapping.Keys(side, s.Native, resolvedOnly(s.Now)) {
		keys[k.Name] = k.Text
	}
	return keys
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

// linked finds linked records by a stored key. Keys with a reference in them are
// not stored: such records are told apart among strangers only.
func (r *run) linked(ctx context.Context) linkedBy {
	return func(side record.Side, key record.Key) ([]record.Entry, error) {
		es, err := r.Store.Matching(ctx, r.place(side), []record.Key{key})
		if err != nil {
			return nil, err
		}
		var linked []record.Entry
		for _, e := range es {
			if e.Link != 0 {
				linked = append(linked, e)
			}
		}
		return linked, nil
	}
}

// planJoin decides two strangers that are the same: a first contact.
func (r *run) planJoin(ctx context.Context, d *draft, l, rt stranger) error {
	entity, err := r.entityFor(ctx, l.Ref, rt.Ref)
	if err != nil {
		return err
	}
	c, w, err := r.newCase(ctx, 0, entity, [2]seenSide{l.seenSide, rt.seenSide})
	if err != nil {
		return err
	}
	v := plan.Pair(r.job.Rules, c)
	d.joins = append(d.joins, join{left: l.Entry, right: rt.Entry, entity: entity, pair: c, verdict: v, waits: w})
	return nil
}

// entityFor is the entity of a new link: the one that either record has in another
// job, or a new one.
func (r *run) entityFor(ctx context.Context, left, right record.Ref) (string, error) {
	for side, ref := range [2]record.Ref{left, right} {
		if ref.ID == "" {
			continue
		}
		entity, ok, err := r.Store.EntityOf(ctx, r.job.Sides[side].System, ref)
		if err != nil || ok {
			return entity, err
		}
	}
	return r.NewID(), nil
}

// planAlone decides a record that the other side lacks.
func (r *run) planAlone(ctx context.Context, d *draft, side record.Side, s stranger, f fate) error {
	switch {
	case f.attached != "":
		d.parks = append(d.parks, park{side, s.since, record.Attached, f.attached + " stands for it"})
		return nil
	case f.held != "":
		return r.planHeld(ctx, d, side, s, f.held)
	}
	return r.planNew(ctx, d, side, s, false)
}

// planHeld holds a record for a person, or does what the person said.
func (r *run) planHeld(ctx context.Context, d *draft, side record.Side, s stranger, why string) error {
	choice, ok, err := r.Store.EntryChoice(ctx, s.Entry)
	if err != nil {
		return err
	}
	if !ok || choice.Choice == "" {
		d.parks = append(d.parks, park{side, s.since, record.Held, why})
		return nil
	}
	switch want := choice.Value.Text(); want {
	case "leave":
		d.parks = append(d.parks, park{side, s.since, record.LeftOut, "a person left it out"})
		return nil
	case "create":
		return r.planNew(ctx, d, side, s, true)
	default:
		other, ok, err := r.Store.Entry(ctx, r.place(side.Other()), record.Ref{Kind: r.side(side.Other()).Kind, ID: want})
		if err != nil {
			return err
		}
		if !ok || other.Link != 0 {
			d.parks = append(d.parks, park{side, s.since, record.Held, why + "; the record chosen for it can't be linked"})
			return nil
		}
		o, err := r.sideOf(ctx, side.Other(), other)
		if err != nil {
			return err
		}
		both := [2]stranger{s, {seenSide: o}}
		if side == record.Right {
			both[0], both[1] = both[1], both[0]
		}
		return r.planJoin(ctx, d, both[0], both[1])
	}
}

// planNew decides whether the other side gets a record, and which. asked says that
// a person wants it made.
func (r *run) planNew(ctx context.Context, d *draft, side record.Side, s stranger, asked bool) error {
	to := r.side(side.Other())
	if why, err := r.notWanted(ctx, side, s); err != nil || why != "" {
		d.parks = append(d.parks, park{side, s.since, record.LeftOut, why})
		return err
	}
	if len(s.keys) == 0 && r.job.Booking == nil {
		// Whoever can't be recognised may be there already, under another spelling.
		d.parks = append(d.parks, park{side, s.since, record.LeftOut, "it shows nothing that it could be recognised by: " + strings.Join(r.ruleNames(), ", ")})
		return nil
	}
	if p, ok := r.bookingParked(side, s); ok && p.state == record.Held && !asked {
		return r.planHeld(ctx, d, side, s, p.why)
	} else if ok && p.state != record.Held {
		d.parks = append(d.parks, p)
		return nil
	}
	if w, ok := r.mustWait(side, s); ok {
		if w.held && !asked {
			return r.planHeld(ctx, d, side, s, w.why)
		}
		if w.held { // nobody can have it made without
			d.parks = append(d.parks, park{side, s.since, record.Held, w.why})
			return nil
		}
		d.waits = append(d.waits, w)
		return nil
	}
	entity, err := r.entityFor(ctx, refOn(side, record.Left, s.Ref), refOn(side, record.Right, s.Ref))
	if err != nil {
		return err
	}
	var sides [2]seenSide
	sides[side] = s.seenSide
	sides[side.Other()] = seenSide{Side: plan.Side{Now: record.Fields{}, Native: record.Fields{}}}
	c, w, err := r.newCase(ctx, 0, entity, sides)
	if err != nil {
		return err
	}
	a, leftOut := plan.New(r.job.Rules, r.arriving(c, side), side)
	if b := r.job.Booking; leftOut != "" && b != nil && side != b.Authority {
		if !asked { // its guest counts on it: that is not to be left out by a rule
			return r.planHeld(ctx, d, side, s, leftOut)
		}
		d.parks = append(d.parks, park{side, s.since, record.Held, leftOut})
		return nil
	}
	if leftOut != "" {
		d.parks = append(d.parks, park{side, s.since, record.LeftOut, leftOut})
		return nil
	}
	if why, err := r.taken(ctx, side.Other(), a); err != nil {
		return err
	} else if why != "" && !asked {
		return r.planHeld(ctx, d, side, s, why)
	} else if why != "" { // nobody can have it made as it is
		d.parks = append(d.parks, park{side, s.since, record.Held, why})
		return nil
	}
	if was, ok := r.rejected[refusedKey(side.Other(), 0, s.Entry)]; ok && was.what == a.Change.Fields.Digest() {
		if r.toBeTold(side, was.class) {
			return r.planTold(ctx, d, side, s)
		}
		d.parks = append(d.parks, park{side, s.since, record.Quarantined, string(to.System) + " refused these values; it is asked again when they change"})
		return nil
	}
	r.firstSeen[s.Entry] = s.since.Since
	if ok, err := r.permitted(ctx, side.Other(), a); err != nil {
		return err
	} else if !ok {
		d.missing[side.Other()]++
	}
	d.waits = append(d.waits, w...) // to be looked at again once its references are linked
	d.news = append(d.news, a)
	return nil
}

// taken says that a key which the side keeps unique belongs to a record of it already.
// Had the new record been known for the same it would have been matched: its own key
// is not certain enough for that. Sent all the same, it would be refused at every run.
func (r *run) taken(ctx context.Context, side record.Side, a plan.Action) (string, error) {
	m := r.job.Mapping
	canonical, _ := m.Read(side, a.Change.Fields)
	for _, k := range m.Keys(side, a.Change.Fields, resolvedOnly(canonical)) {
		if !r.keptUnique(side, strings.Split(k.Name, "+")) {
			continue
		}
		es, err := r.Store.Matching(ctx, r.place(side), []record.Key{k})
		if err != nil {
			return "", err
		}
		if len(es) > 0 {
			return fmt.Sprintf("its %s is that of %s of %s, and nothing proves that they are the same",
				k.Name, es[0].Ref, r.side(side).System), nil
		}
	}
	return "", nil
}

func refOn(side, want record.Side, ref record.Ref) record.Ref {
	if side == want {
		return ref
	}
	return record.Ref{}
}

// notWanted says by which rule the other side gets no such record, "" if it does.
func (r *run) notWanted(ctx context.Context, side record.Side, s stranger) (string, error) {
	to := r.side(side.Other())
	switch to.Create {
	case Never:
		return fmt.Sprintf("%s gets no new %s", to.System, to.Kind), nil
	case WhenReferenced:
		ok, err := r.Store.WaitedFor(ctx, r.place(side), s.Ref)
		if err != nil || ok {
			return "", err
		}
		return fmt.Sprintf("%s gets it only when a booking names it", to.System), nil
	case Always:
	}
	if !to.Can.Create {
		return fmt.Sprintf("%s can't take new %s", to.System, to.Kind), nil
	}
	return "", nil
}

// mustWait reports whether a record can't be created before another is linked.
func (r *run) mustWait(side record.Side, s stranger) (waits, bool) {
	for _, ref := range r.job.References {
		res, open := s.open[ref.Field]
		if !open {
			continue
		}
		if res.standing != waiting && ref.IfLeftOut != "" && r.writesName(side.Other(), ref) {
			continue // a stay that takes a room is always published
		}
		if r.now.Sub(s.since.Since) > ref.Wait && ref.Wait > 0 {
			if ref.Snapshot && r.writesName(side.Other(), ref) {
				continue // written with the texts that are known now
			}
			return waits{side: side, entry: s.since, held: true, why: fmt.Sprintf(
				"its %s has been missing for longer than %s: %s", ref.Field, ref.Wait, res.why)}, true
		}
		w := waits{side: side, entry: s.since, why: fmt.Sprintf("its %s: %s", ref.Field, res.why)}
		if res.wait.Ref.ID != "" {
			w.on = []record.Wait{res.wait}
		}
		return w, true
	}
	return waits{}, false
}

// writesName reports whether a side writes a reference as a text of its own, and
// not as the id of a record that must be there.
func (r *run) writesName(side record.Side, ref Reference) bool {
	n, problems := r.job.Mapping.Write(side, record.Fields{ref.Field: record.OfMap(map[string]record.Value{
		"name": record.OfText("Occupied"), // any name will do: only the form is asked
	})}, nil)
	return len(problems) == 0 && len(n) > 0
}

// canFind reports whether the side can be asked for a record by one of the sets.
func canFind(s *Side) bool {
	_, ok := s.Conn.(connectors.Finder)
	return ok && len(s.Can.FindBy) > 0
}

// joinFields is the name of a rule of several fields.
func joinFields(fields []string) string { return strings.Join(fields, "+") }
