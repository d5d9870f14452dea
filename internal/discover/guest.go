package discover

import (
	"fmt"

	"nightporter/sync/mapping"
)

// guest proposes the field that says of whom a booking is, and returns its name, "" where
// nothing tells.
func (p *proposer) guest(j *Job, c couple, b booking, people *contactJob, used map[*column]bool) string {
	why, sure := fmt.Sprintf("%d of %d bookings are of people who have one on the other side", b.rows, len(c.l.Rows)), c.confidence
	if b.rows == 0 {
		b.by, why, sure = p.partiesByName(c, people), "by its name alone: no booking stands on both sides", Likely
	}
	l, r := b.by[0], b.by[1]
	switch {
	case l.column == nil || r.column == nil:
		j.Unknown = append(j.Unknown, "which fields say whose booking it is")
		return ""
	case l.of == nil && r.of == nil: // texts on both sides
		used[l.column], used[r.column] = true, true
		name := guest + "_" + l.as
		q := pairing{l: l.column, r: r.column, lr: l.key.lr, rr: r.key.rr}
		j.Fields = append(j.Fields, p.field(j, name, agreement{pairing: q, as: l.as}, sure, why))
		return name
	case people == nil:
		j.Unknown = append(j.Unknown, "whose booking it is: no contacts are paired")
		return ""
	}
	f := Field{Name: guest, Job: "contacts", Conflict: "hold", Confidence: sure, Evidence: why}
	for i, w := range b.by {
		used[w.column] = true
		if w.of != nil {
			f.Sides[i] = Side{Path: w.column.Path}
			continue
		}
		parts := map[string]string{w.as: w.column.Path}
		p.inline(j, i, [2]*kind{c.l, c.r}[i], b, used, parts)
		f.Sides[i], f.Like = Side{Parts: parts}, like(w.column)
	}
	f.To = p.toward(l.column, r.column)
	j.Fields = append(j.Fields, f)
	return guest
}

// inline finds the other texts by which a booking names its guest: those that hold what
// the contact of the other side's booking has.
func (p *proposer) inline(j *Job, i int, k *kind, b booking, used map[*column]bool, parts map[string]string) {
	across, links := b.by[1-i], j.links[:min(len(j.links), looked)]
	if across.of == nil || len(links) == 0 {
		return
	}
	at := func(n link) (here, there int, ok bool) { // the booking here, and the contact across
		here, there = n.l, n.r
		if i == 1 {
			here, there = n.r, n.l
		}
		there, ok = across.of.ids[across.column.values[there].Text()]
		return here, there, ok
	}
	for _, want := range []string{mapping.Phone, mapping.Email, mapping.Name} {
		if parts[want] != "" {
			continue
		}
		best, n := (*column)(nil), 0
		for _, c := range k.columns {
			if used[c] {
				continue
			}
			if hits := p.names(links, at, c, across.of, want); hits > n {
				best, n = c, hits
			}
		}
		if best == nil || n < few && best.concept != want && best.concept != fullName {
			continue
		}
		used[best] = true
		parts[want] = best.Path
	}
}

// names counts the bookings in which a field holds the phone, the address or the name of
// their contact; 0 where that is less than in three of four.
func (p *proposer) names(links []link, at func(link) (int, int, bool), c *column, of *kind, want string) int {
	read := want
	if want == mapping.Name {
		read = mapping.Text
	}
	both, hits := 0, 0
	for _, way := range c.ways.as(read) {
		texts := c.texts(p.rs, way)
		both, hits = 0, 0
		for _, n := range links {
			here, there, ok := at(n)
			if !ok || texts[here] == "" {
				continue
			}
			both++
			hits += sign(of.says(p.rs, there, read, texts[here], want == mapping.Name))
		}
		if hits*4 >= both*3 {
			return hits
		}
	}
	return 0
}

// says reports whether a contact holds a text: in one of its fields, or a name in two that
// are joined by a blank.
func (k *kind) says(rs *readers, row int, as, text string, joined bool) bool {
	var parts []string
	for _, c := range k.columns {
		for _, way := range c.ways.as(as) {
			t := c.texts(rs, way)[row]
			if t == "" {
				continue
			}
			if t == text {
				return true
			}
			parts = append(parts, t)
		}
	}
	if !joined {
		return false
	}
	for _, a := range parts {
		for _, b := range parts {
			if a+" "+b == text {
				return true
			}
		}
	}
	return false
}

// guestOf is the column that holds the id of a booking's guest: the only one with ids of the
// contacts, or of several the only one that is called so; nil where nothing tells.
func (k *kind) guestOf(people *kind) *column {
	var refer, named []*column
	for _, col := range k.columns {
		if col.Refers == "" || col.Refers != people.Kind {
			continue
		}
		refer = append(refer, col)
		if col.concept == guest {
			named = append(named, col)
		}
	}
	switch {
	case len(refer) == 1:
		return refer[0]
	case len(named) == 1:
		return named[0]
	}
	return nil
}

// partiesByName is how bookings say of whom they are, as fields are called.
func (p *proposer) partiesByName(c couple, people *contactJob) [2]party {
	var out [2]party
	for i, k := range []*kind{c.l, c.r} {
		if people != nil {
			of := [2]*kind{people.l, people.r}[i]
			if col := k.guestOf(of); col != nil {
				out[i] = party{column: col, of: of}
			}
		}
		if col := k.only(phoneName); out[i].column == nil && col != nil {
			if way, ok := col.only(mapping.Phone); ok {
				out[i] = party{column: col, as: mapping.Phone, key: pairing{lr: way, rr: way}}
			}
		}
	}
	return out
}
