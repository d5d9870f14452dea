package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/record"
	"nightporter/sync/story"
)

// FactsOf gathers all that is known of a record and of its partner. Values that the
// configuration does not read any more, because their column became private or their
// field was taken out, are left out of it.
func FactsOf(ctx context.Context, cfg *config.Config, s *state.Store, e record.Entry, now time.Time) (story.Facts, error) {
	b := e.Place.Binding
	j, ok := cfg.Job(string(b))
	if !ok {
		return story.Facts{}, fmt.Errorf("there is no job %s in %s", b, cfg.Path)
	}
	m, err := MappingOf(cfg, j.Name)
	if err != nil {
		return story.Facts{}, err
	}
	g := gathering{cfg: cfg, store: s, m: m}
	g.Facts = story.Facts{
		Job: b, Systems: [2]record.System{record.System(j.Left.System), record.System(j.Right.System)}, Asked: e.Place.Side,
		Runs: map[int64]record.Run{}, Digests: j.KeepValues == config.KeepDigest, Keeps: cfg.Keep, Now: now,
	}
	if _, g.PutBack, err = s.AdoptOnly(ctx, b); err != nil {
		return g.Facts, err
	}
	es := []record.Entry{e}
	if e.Link != 0 {
		pair, ok, err := s.Pair(ctx, e.Link)
		if err != nil {
			return g.Facts, err
		}
		if ok {
			es = pair.Sides[:]
		}
		g.Link.ID = e.Link
		if g.Link.Made, g.Link.State, _, err = s.LinkAt(ctx, e.Link); err != nil {
			return g.Facts, err
		}
	}
	for _, e := range es {
		sent, err := s.SentOnly(ctx, e.Num)
		if err != nil {
			return g.Facts, err
		}
		g.Sides[e.Place.Side] = g.known(e, sent)
	}
	if err := g.changedBy(ctx, j); err != nil {
		return g.Facts, err
	}
	if err := g.trials(ctx); err != nil {
		return g.Facts, err
	}
	g.Apart = g.wordsApart()
	return g.Facts, g.journal(ctx, es)
}

// changedBy adds who changed the records last, where their systems show it and the
// configuration has it read.
func (g *gathering) changedBy(ctx context.Context, j config.Job) error {
	var nums []int64
	for side, js := range [2]config.JobSide{j.Left, j.Right} {
		if k := g.Sides[side]; k != nil && !g.Digests && readsChangedBy(g.cfg, js) {
			nums = append(nums, k.Entry.Num)
		}
	}
	names, err := g.store.ChangedBy(ctx, nums)
	for _, k := range g.Sides {
		if k != nil && names[k.Entry.Num] != "" {
			k.ChangedBy = g.discreetly(record.OfText(names[k.Entry.Num])).Text()
		}
	}
	return err
}

// readsChangedBy reports whether the configuration has it read who changed a record.
func readsChangedBy(cfg *config.Config, js config.JobSide) bool {
	sys, ok := cfg.System(js.System)
	switch {
	case !ok:
		return false
	case sys.REST != nil:
		p, err := presetOf(sys.REST)
		return err == nil && p.Kinds[js.Kind].By != ""
	case sys.SQL != nil:
		return slices.ContainsFunc(sys.SQL.Tables, func(t config.Table) bool { return t.Kind == js.Kind && t.ChangedBy != "" })
	}
	return false
}

// wordsApart is the fields of words in which two linked records say something else, beyond
// what the words of either side can tell apart.
func (g *gathering) wordsApart() (fields []string) {
	left, right := g.Sides[record.Left], g.Sides[record.Right]
	if left == nil || right == nil {
		return nil
	}
	for _, f := range g.m.Fields() {
		l, r := left.Fields[f.Name], right.Fields[f.Name]
		if f.Type == mapping.Enum && l.Observed() && r.Observed() && !l.Sealed() && !r.Sealed() && !g.m.Same(f.Name, l, r) {
			fields = append(fields, f.Name)
		}
	}
	return fields
}

// gathering is Facts on their way.
type gathering struct {
	story.Facts
	cfg   *config.Config
	store *state.Store
	m     *mapping.Mapping
}

// known is what is known of one record, in the names that lines have. sent is the paths
// that were only sent: what the record holds there is not known.
func (g *gathering) known(e record.Entry, sent []string) *story.Known {
	side := e.Place.Side
	now, problems := g.m.Read(side, e.Last())
	base, _ := g.m.Read(side, e.Base.Fields())
	k := &story.Known{Entry: e, Fields: record.Fields{}}
	for _, p := range problems {
		if !now[p.Field].Observed() {
			k.Unreadable = append(k.Unreadable, fmt.Sprintf("its %s can't be read: %s", p.Field, p.Text))
		}
	}
	for _, f := range g.m.Fields() {
		hidden := false
		for _, p := range g.m.Inputs(side, f.Name) {
			hidden = hidden || e.Base[p].Digested() && (e.Seen == nil || !e.Seen.Fields[p].Observed())
		}
		onlySent := slices.ContainsFunc(g.m.Inputs(side, f.Name), func(p string) bool { return slices.Contains(sent, p) })
		switch {
		case onlySent:
			k.Sent = append(k.Sent, f.Name)
		case hidden:
			k.Fields[f.Name] = record.Seal(nil, record.OfText(f.Name))
			continue
		case f.Refer != "":
			for _, p := range g.m.Outputs(side, f.Name) {
				if v := e.Last()[p]; v.Observed() {
					k.Fields[referred(f.Name, p)] = g.discreetly(v)
				}
			}
		case now[f.Name].Observed():
			k.Fields[f.Name] = g.discreetly(now[f.Name])
		}
		if e.Seen != nil && e.Base != nil && now[f.Name].Observed() && !now[f.Name].Equal(base[f.Name]) && !g.sameByDigest(e, f.Name) {
			k.Edited = append(k.Edited, f.Name)
		}
	}
	return k
}

// sameByDigest reports whether what is shown of a field can only be told from what was
// settled by a key that is not at hand.
func (g *gathering) sameByDigest(e record.Entry, field string) bool {
	key := g.store.SealKey(e.Place.Binding)
	for _, p := range g.m.Inputs(e.Place.Side, field) {
		if kept := e.Base[p]; kept.Digested() && kept.Same(key, e.Last()[p]) {
			return true
		}
	}
	return false
}

// referred is the name of a line that shows a reference as a system writes it.
func referred(field, path string) string { return field + " (" + path + ")" }

func (g *gathering) discreetly(v record.Value) record.Value { return Discreetly(g.cfg, g.m, v) }

// Discreetly is a value as it may be shown: without what passes as a payment card,
// where the configuration says so.
func Discreetly(cfg *config.Config, m *mapping.Mapping, v record.Value) record.Value {
	if !cfg.Privacy.BlankCards {
		return v
	}
	switch v.Type() {
	case record.Text:
		return record.OfText(m.BlankText(v.Text()))
	case record.List:
		var out []record.Value
		for _, e := range v.List() {
			out = append(out, Discreetly(cfg, m, e))
		}
		return record.OfList(out...)
	case record.Map:
		out := map[string]record.Value{}
		for k, e := range v.Map() {
			out[k] = Discreetly(cfg, m, e)
		}
		return record.OfMap(out)
	case record.Absent, record.Null, record.Number, record.Bool, record.Content:
	}
	return v
}

// journal adds what happened.
func (g *gathering) journal(ctx context.Context, es []record.Entry) error {
	nums := make([]int64, len(es))
	for i, e := range es {
		nums[i] = e.Num
	}
	changes, err := g.store.ChangesOf(ctx, g.Link.ID, es)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.Place.Binding != g.Job {
			continue
		}
		if _, known := g.Runs[c.Run]; !known {
			if g.Runs[c.Run], _, err = g.store.Run(ctx, c.Run); err != nil {
				return err
			}
		}
		g.Changes = append(g.Changes, g.change(c))
	}
	if g.Conflicts, err = g.store.QuestionsOf(ctx, g.Link.ID, nums); err != nil {
		return err
	}
	for i := range g.Conflicts {
		c := &g.Conflicts[i]
		c.Left, c.Right, c.Base = g.field(c.Field, c.Left), g.field(c.Field, c.Right), g.field(c.Field, c.Base)
		if !c.IsOfRecord() { // what is said of a whole record is a word or an id, and no guest's data
			c.Value = g.field(c.Field, c.Value)
		}
	}
	if g.Alerts, err = g.store.AlertsOf(ctx, nums); err != nil {
		return err
	}
	if err := g.kept(ctx, nums); err != nil {
		return err
	}
	traces, err := g.store.TracesOf(ctx, g.Job, g.Link.ID, nums)
	if err != nil {
		return err
	}
	for _, t := range traces {
		g.Traces = append(g.Traces, story.Trace{
			Kind: t.Kind, Side: t.Side, At: t.At, Run: t.Run, Name: t.Name, Why: t.Why, Till: t.Till, Over: t.Over, Decision: t.Decision, By: t.By,
		})
	}
	return g.waits(ctx, es, nums)
}

// kept adds which changes of the records are not sent now.
func (g *gathering) kept(ctx context.Context, nums []int64) error {
	all, err := g.store.KeptBack(ctx, g.Job)
	for _, k := range all {
		if k.Link != 0 && k.Link == g.Link.ID || slices.Contains(nums, k.Entry) {
			g.Kept = append(g.Kept, k)
		}
	}
	return err
}

func (g *gathering) waits(ctx context.Context, es []record.Entry, nums []int64) error {
	waits, err := g.store.WaitsOf(ctx, nums)
	if err != nil {
		return err
	}
	for _, w := range waits {
		out := story.Wait{For: w.Ref, In: record.System(w.Side.String())}
		for _, e := range es {
			if e.Num == w.Entry {
				out.Side = e.Place.Side
			}
		}
		if j, ok := g.cfg.Job(string(w.Binding)); ok {
			out.In = record.System([2]config.JobSide{j.Left, j.Right}[w.Side].System)
		}
		g.Waits = append(g.Waits, out)
	}
	return nil
}

// field is a value of a canonical field as it may be shown: nothing of a field that
// the configuration does not have any more, or that names one of our own entities.
func (g *gathering) field(name string, v record.Value) record.Value {
	for _, f := range g.m.Fields() {
		if f.Name == name && f.Refer == "" {
			return g.discreetly(v)
		}
	}
	return record.Value{}
}

// change is one change of the journal in the story's words. A reference is told as
// the system writes it.
func (g *gathering) change(c state.Change) story.Change {
	out := story.Change{
		ID: c.ID, Run: c.Run, Side: c.Place.Side, Op: c.Change.Op, Ref: c.Change.Ref, State: c.State, Reason: c.Reason,
		Made: c.Made, SentAt: c.SentAt, EndedAt: c.EndedAt, Tries: c.Tries, Error: c.Error, Class: c.Class,
	}
	if c.Receipt != nil {
		out.Ref, out.Adopted = c.Receipt.Ref, c.Receipt.Adopted
	}
	create := c.Change.Op == record.Create
	for _, f := range c.Fields {
		if create && f.After.Empty() {
			continue // it was not sent
		}
		rule := f.Policy
		for _, side := range record.Sides {
			if rule == side.String() {
				rule = string(g.Systems[side])
			}
		}
		chosen := f.Ground == merge.GroundChosen || f.Ground == merge.GroundAlways
		paths := Written(g.m, c.Place.Side, f.Field)
		for _, p := range paths {
			if v := c.Change.Fields[p]; v.Observed() {
				out.Lines = append(out.Lines, story.Line{
					Field: referred(f.Field, p), Before: g.discreetly(c.Change.Before[p]), After: g.discreetly(v), Rule: rule, Why: f.Reason, Chosen: chosen,
				})
			}
		}
		if len(paths) > 0 {
			continue
		}
		l := story.Line{
			Field: f.Field, Before: g.field(f.Field, f.Before), After: g.field(f.Field, f.After), Loser: g.field(f.Field, f.Loser), Rule: rule, Why: f.Reason, Chosen: chosen,
		}
		if !l.After.Observed() && f.After.Observed() {
			l.Why = strings.TrimPrefix(l.Why+"; its values are not shown: the configuration has no such field any more", "; ")
		}
		out.Lines = append(out.Lines, l)
	}
	return out
}
