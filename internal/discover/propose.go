package discover

import (
	"fmt"
	"slices"
	"strings"
)

// proposer holds what is known while a proposal is made.
type proposer struct {
	rs    *readers
	d     *dictionary
	sides [2]*side
	out   Proposal
}

// Propose says how two systems are best kept in step, as far as samples of their records
// tell.
func Propose(in Input) Proposal {
	p := newProposer(in)
	people := p.people()
	p.bookings(people)
	p.left()
	return p.out
}

// newProposer looks at two systems, and infers how their fields can be read.
func newProposer(in Input) *proposer {
	p := &proposer{rs: newReaders(in.Zone), d: newDictionary()}
	for i, s := range in.Systems {
		p.sides[i] = p.d.look(s)
		p.out.Systems[i] = s.Name
	}
	regions := homes(p.rs, p.sides)
	for _, s := range p.sides {
		s.infer(p.rs, regions)
		s.misnamed()
	}
	return p
}

// misnamed takes from fields the names that their values contradict.
func (s *side) misnamed() {
	for _, k := range s.kinds {
		for _, c := range k.columns {
			if c.contrary() {
				c.says, c.concept = c.concept, ""
			}
		}
	}
}

// couple is a kind of the left and one of the right that may be the same.
type couple struct {
	l, r       *kind
	keys       []pairing
	common     int
	confidence Confidence
	evidence   string
}

// people finds the contacts of both sides: the kinds that reach the most of the same
// people, or where nobody is on both sides, the only ones that are called so.
func (p *proposer) people() *contactJob {
	var all []couple
	for _, l := range p.sides[0].kinds {
		for _, r := range p.sides[1].kinds {
			if !l.mayBe(contacts) || !r.mayBe(contacts) || l.ReadOnly && r.ReadOnly {
				continue
			}
			c := couple{l: l, r: r, keys: p.rs.reached(l, r)}
			for _, k := range c.keys {
				if k.key() {
					c.common = max(c.common, k.common)
				}
			}
			all = append(all, c)
		}
	}
	best := p.best(all, contacts, "people")
	if best == nil {
		return nil
	}
	return p.contact(*best)
}

// best is the couple with the most in common, if no other has nearly as much.
func (p *proposer) best(all []couple, r role, what string) *couple {
	slices.SortStableFunc(all, func(a, b couple) int { return b.common - a.common })
	if len(all) > 0 && all[0].common > 0 {
		c := all[0]
		c.confidence, c.evidence = Known, fmt.Sprintf("%d of the same %s stand in both%s", c.common, what, c.asked())
		switch {
		case len(all) > 1 && all[1].common*5 >= c.common*4 && (!c.both(r) || all[1].both(r)):
			p.unknown("which kinds hold the %s: %s of %s and %s of %s have %d in common, %s and %s %d", what, c.l.Kind, p.sides[0].name,
				c.r.Kind, p.sides[1].name, c.common, all[1].l.Kind, all[1].r.Kind, all[1].common)
			return nil
		case c.common < few && !c.both(r):
			p.unknown("whether %s of %s and %s of %s are the same: only %d of the %s stand in both", c.l.Kind, p.sides[0].name, c.r.Kind,
				p.sides[1].name, c.common, what)
			return nil
		case c.common < enough:
			c.confidence = Likely
		}
		return &c
	}
	named := slices.DeleteFunc(all, func(c couple) bool { return !c.both(r) })
	if len(named) != 1 {
		if len(all) > 0 {
			p.unknown("which kinds hold the %s: no values stand on both sides%s, and names don't tell", what, p.inPart())
		}
		return nil
	}
	c := named[0]
	c.confidence, c.evidence = Likely, "by their names alone: no values stand on both sides"+p.inPart()
	return &c
}

// asked says how many of the records were asked for, as they were not among the first.
func (c couple) asked() string {
	if n := c.l.Asked + c.r.Asked; n > 0 {
		return fmt.Sprintf(", of whom %d were asked for", n)
	}
	return ""
}

// both reports whether both kinds are called what they are to be.
func (c couple) both(r role) bool { return c.l.named == r && c.r.named == r }

// inPart says of which contacts only some were read: others may stand on both sides.
func (p *proposer) inPart() string {
	var out strings.Builder
	for _, s := range p.sides {
		for _, k := range s.kinds {
			if k.mayBe(contacts) && !k.Whole && len(k.Rows) > 0 {
				fmt.Fprintf(&out, "; of %s of %s only the first %d were read", k.Kind, s.name, len(k.Rows))
			}
		}
	}
	return out.String()
}

func (p *proposer) unknown(format string, args ...any) {
	p.out.Unknown = append(p.out.Unknown, fmt.Sprintf(format, args...))
}

// left says what kinds nothing is proposed for.
func (p *proposer) left() {
	for i, s := range p.sides {
		for _, k := range s.kinds {
			if slices.ContainsFunc(p.out.Jobs, func(j Job) bool { return j.Between[i] == k.Kind }) {
				continue
			}
			more := ""
			switch {
			case k.named == calls:
				more = "; calls come home by a job of kind record, one way: docs/calls.md"
			case len(k.Rows) == 0:
				more = "; no record of it was read"
			case k.spans():
				more = p.inPart()
			}
			p.unknown("what %s of %s is on the other side%s", k.Kind, s.name, more)
		}
	}
}

// rest says which fields of a job's kinds stand in no field.
func (p *proposer) rest(j *Job, ks [2]*kind) {
	for i, k := range ks {
		used := map[string]bool{}
		for _, f := range j.Fields {
			for _, path := range f.Sides[i].paths() {
				used[path] = true
			}
		}
		var own []string
		for _, c := range k.columns {
			switch {
			case used[c.Path]:
			case c.own():
				own = append(own, c.Path)
			default:
				j.Unknown = append(j.Unknown, fmt.Sprintf("what %s of %s is on the other side (%s)", c.Path, p.sides[i].name, c.holds()))
			}
		}
		if len(own) > 0 {
			j.Unknown = append(j.Unknown, fmt.Sprintf("whether anybody needs %s of %s: each system has its own", strings.Join(own, ", "), p.sides[i].name))
		}
	}
}

// paths is the fields of a system that a side touches.
func (s Side) paths() []string {
	var out []string
	if s.Path != "" {
		out = append(out, s.Path)
	}
	out = append(out, s.Paths...)
	if s.Currency != "" {
		out = append(out, s.Currency) // a code is no path, and no field is called so
	}
	for _, path := range s.Parts {
		out = append(out, path)
	}
	return out
}

// holds is what stands in a field, in words and without a value.
func (c *column) holds() string {
	if len(c.values) == 0 {
		return "no record was read"
	}
	what := "texts"
	if ways := c.ways.all(); len(ways) > 0 && (ways[0].as != "text" && ways[0].as != "language" && ways[0].as != "country") {
		what = ways[0].as + "s"
	}
	switch {
	case c.listed():
		return fmt.Sprintf("lists of texts, in %d of %d records", c.lengths(), len(c.values))
	case c.filled == 0:
		return fmt.Sprintf("empty in all %d records", len(c.values))
	case c.says != "":
		what += ", against its name"
	}
	if c.various == 1 && c.filled > 1 {
		what += ", always the same"
	}
	if len(c.ways.sure) == 0 {
		what = "perhaps " + what
	}
	if what == "perhaps texts" || c.ways.all() == nil {
		what = "texts"
	}
	return fmt.Sprintf("%s, in %d of %d records", what, c.filled, len(c.values))
}
