package discover

import (
	"slices"
	"strings"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// MostAsked is how many records of a kind are asked for at most.
const MostAsked = 20

// Question asks a system for the records of a kind that hold these values.
type Question struct {
	Kind string
	By   record.Fields
}

// Askable reports whether records of a kind may be asked for by what the other side has: by a
// phone or a mail address, and perhaps the first day.
func Askable(s Sample) bool {
	d := newDictionary()
	return slices.ContainsFunc(s.Finds, func(by []string) bool { return d.askable(by, s.Kind) })
}

// Finds is by which columns the rows of a table may be asked for by what the other side has: a
// phone or a mail address alone, as any column of a table can be asked for.
func Finds(s Sample) [][]string {
	d := newDictionary()
	var out [][]string
	for _, c := range s.Columns {
		if by := []string{c.Path}; d.askable(by, s.Kind) {
			out = append(out, by)
		}
	}
	return out
}

func (d *dictionary) askable(by []string, kind string) bool {
	reached := 0
	for _, path := range by {
		switch d.concept(path, kind) {
		case phoneName, mobileName, emailName:
			reached++
		case arrival, departure:
		default:
			return false
		}
	}
	return reached > 0
}

// Questions is what to ask one of two systems, 0 or 1: where few of the first records of a kind
// stand on the other side, whether it has those of the other side. A kind that was read whole
// is not asked, nor one by several kinds that may be the same.
func Questions(in Input, of int) []Question {
	p := newProposer(in)
	var out []Question
	for _, r := range []role{contacts, stays} {
		asked, from := p.sides[of].sole(r), p.sides[1-of].sole(r)
		if asked == nil || from == nil || asked.Whole {
			continue
		}
		for _, by := range asked.Finds {
			if !p.d.askable(by, asked.Kind) {
				continue
			}
			if qs := p.questions(asked, from, p.sides[1-of], by); len(qs) > 0 {
				out = append(out, qs...)
				break
			}
		}
	}
	return out
}

// sole is the only kind of a role: of several that may be, the one that is called so.
func (s *side) sole(r role) *kind {
	var may, named []*kind
	for _, k := range s.kinds {
		if !k.mayBe(r) || len(k.Rows) == 0 {
			continue
		}
		may = append(may, k)
		if k.named == r {
			named = append(named, k)
		}
	}
	switch {
	case len(named) == 1:
		return named[0]
	case len(named) == 0 && len(may) == 1:
		return may[0]
	}
	return nil
}

// questions asks a kind by some of its fields for the records of another one, those spread over
// all that it does not show. It asks nothing where enough of them are among what was read.
func (p *proposer) questions(asked, from *kind, across *side, by []string) []Question {
	here, there := make([][]string, len(asked.Rows)), make([][]string, len(from.Rows))
	write := make([]func(string) (record.Value, bool), len(by))
	for i, path := range by {
		at := slices.IndexFunc(asked.columns, func(c *column) bool { return c.Path == path })
		if at < 0 {
			return nil
		}
		c := asked.columns[at]
		as := usual(p.d.concept(path, asked.Kind)) // what its values say against it comes to nothing below
		way, ok := c.likely(as)
		theirs := p.across(c.concept, as, from, across)
		if write[i] = p.rs.spelt(c, way); !ok || theirs == nil || write[i] == nil {
			return nil
		}
		for n, t := range c.texts(p.rs, way) {
			here[n] = append(here[n], t)
		}
		for n, t := range theirs {
			there[n] = append(there[n], t)
		}
	}
	known, open := map[string]bool{}, [][]string{}
	for _, t := range here {
		known[strings.Join(t, "\n")] = true
	}
	common, seen := 0, map[string]bool{}
	for _, t := range there {
		all := strings.Join(t, "\n")
		switch {
		case slices.Contains(t, "") || seen[all]:
		case known[all]:
			common++
		default:
			open = append(open, t)
		}
		seen[all] = true
	}
	if common >= enough {
		return nil
	}
	var out []Question
	n := min(len(open), MostAsked)
	for i := range n {
		q := Question{Kind: asked.Kind, By: record.Fields{}}
		for f, text := range open[i*len(open)/n] {
			v, ok := write[f](text)
			if !ok {
				break
			}
			q.By[by[f]] = v
		}
		if len(q.By) == len(by) {
			out = append(out, q)
		}
	}
	return out
}

// likely is the way in which a field is read to be asked for: of several the likelier one, for
// what comes back is compared anew. A day that may be another one is not asked for.
func (c *column) likely(as string) (reading, bool) {
	if ways := c.ways.as(as); as == mapping.Phone && len(ways) > 0 {
		return ways[0], true
	}
	return c.only(as)
}

// across is what the records of the other side hold of what is asked for, nil where it can't be
// told which field that is: their own phone, or that of the contact they name.
func (p *proposer) across(concept, as string, from *kind, s *side) []string {
	if as == mapping.Date {
		c := from.only(concept)
		if c == nil {
			return nil
		}
		if way, ok := c.only(as); ok {
			return c.texts(p.rs, way)
		}
		return nil
	}
	if texts := p.reach(from, as); texts != nil {
		return texts
	}
	people := s.sole(contacts)
	if people == nil || people == from {
		return nil
	}
	who, theirs := from.guestOf(people), p.reach(people, as)
	if who == nil || theirs == nil {
		return nil
	}
	out := make([]string, len(from.Rows))
	for i, v := range who.values {
		if at, ok := people.ids[v.Text()]; ok && holds(v) {
			out[i] = theirs[at]
		}
	}
	return out
}

// reach is the phones or the addresses of a kind: of several fields those of the one that has
// the most different ones, as an agency's stands with many.
func (p *proposer) reach(k *kind, as string) []string {
	var best []string
	most := 0
	for _, c := range k.columns {
		ways := c.ways.as(as)
		if len(ways) == 0 || !c.is(as) && usual(c.concept) != as {
			continue
		}
		if texts := c.texts(p.rs, ways[0]); len(set(texts)) > most && unique(texts) > 0 {
			best, most = texts, len(set(texts))
		}
	}
	return best
}

// spelt is how a text is written as most of the values of a field are; nil where that can't be
// told, and a question would find nothing.
func (rs *readers) spelt(c *column, way reading) func(string) (record.Value, bool) {
	if way.as == mapping.Email {
		return func(text string) (record.Value, bool) { return record.OfText(text), true }
	}
	formats := []string{way.format}
	if way.as == mapping.Phone {
		formats = []string{"", mapping.FormatDigits, mapping.FormatZeros, mapping.FormatInternational, mapping.FormatNational, bareNational}
	}
	for _, format := range formats {
		write := rs.writer(reading{as: way.as, format: format, region: way.region})
		same := share(different(c.values), func(v record.Value) bool {
			text, ok := rs.read(way, v)
			out, written := write(text)
			return ok && written && out.Text() == v.Text()
		})
		if same > 0.5 || c.filled == 0 {
			return write
		}
	}
	return nil
}

// bareNational is a phone as it is dialled at home, without blanks.
const bareNational = "bare"

// writer writes texts as a reading reads them.
func (rs *readers) writer(r reading) func(string) (record.Value, bool) {
	bare := r.format == bareNational
	if bare {
		r.format = mapping.FormatNational
	}
	m := rs.mapping(r)
	return func(text string) (record.Value, bool) {
		if m == nil || text == "" {
			return record.Value{}, false
		}
		fields, problems := m.Write(record.Left, record.Fields{probe: record.OfText(text)}, record.Fields{})
		v := fields[probe]
		if len(problems) > 0 || !holds(v) {
			return record.Value{}, false
		}
		if bare {
			v = record.OfText(strings.NewReplacer(" ", "", "-", "", "/", "").Replace(v.Text()))
		}
		return v, true
	}
}
