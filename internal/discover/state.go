package discover

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"nightporter/sync/mapping"
)

// machine is our words for the state of a booking, in the order in which they are told.
var machine = []string{"pending", "waitlisted", "confirmed", "cancelled", "rejected", "checked_in", "completed", "no_show"}

// mostWords is how many different words the state of a booking has at most.
const mostWords = 15

// state proposes the field of a booking's state with its words: the ones that are
// understood, and with which of the other side's they go together.
func (p *proposer) state(j *Job, l, r *kind, used map[*column]bool) {
	lc, rc := p.stateOf(l, used), p.stateOf(r, used)
	if lc == nil || rc == nil {
		j.Unknown = append(j.Unknown, "which fields hold the state of a booking, or what their words mean")
		return
	}
	rows := p.rows(lc, rc)
	unread := slices.Concat(p.strange(j, 0, lc), p.strange(j, 1, rc))
	same, both := p.together(j.links, lc, rc)
	sure, why := Known, fmt.Sprintf("in %d of %d bookings that are the same the words mean the same", same, both)
	switch {
	case both > 0 && same*2 < both:
		j.Unknown = append(j.Unknown, fmt.Sprintf("whether %s and %s are the same: in %d of %d bookings that are the same the words mean the same",
			lc.Path, rc.Path, same, both))
		return
	case len(rows) == 0:
		j.Unknown = append(j.Unknown, "what the states of a booking are called: no booking was read that shows one")
		return
	case both < enough:
		sure, why = Likely, "by what its words mean"
	}
	used[lc], used[rc] = true, true
	j.Fields = append(j.Fields, Field{
		Name: status, As: mapping.Enum, Conflict: "rules", Confidence: sure, Evidence: why,
		Sides: [2]Side{{Path: lc.Path}, {Path: rc.Path}}, To: p.toward(lc, rc),
	})
	j.Words, j.Unknown = rows, append(j.Unknown, unread...)
}

// stateOf is the field whose words are states of a booking: most of them are understood.
// Where there are several the one that is called so counts, or none.
func (p *proposer) stateOf(k *kind, used map[*column]bool) *column {
	var all []*column
	for _, c := range k.columns {
		if used[c] || c.own() || c.various > mostWords || len(c.ways.as(mapping.Text)) == 0 {
			continue
		}
		known, n := 0, 0
		for _, v := range different(c.values) {
			n++
			known += sign(p.d.word(v.Text()) != "")
		}
		if n > 0 && (known*3 >= n*2 || c.concept == status && known > 0) {
			all = append(all, c)
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	named := slices.DeleteFunc(all, func(c *column) bool { return c.concept != status })
	if len(named) == 1 {
		return named[0]
	}
	return nil
}

// rows is the table of words: for each state that one side has a word for, the words of
// both.
func (p *proposer) rows(lc, rc *column) []Words {
	found := map[string]*[2][]string{}
	for i, c := range []*column{lc, rc} {
		count := map[string]int{}
		for _, v := range c.values {
			if holds(v) {
				count[v.Text()]++
			}
		}
		for _, native := range slices.SortedFunc(maps.Keys(count), func(a, b string) int {
			if count[a] != count[b] {
				return count[b] - count[a]
			}
			return strings.Compare(a, b)
		}) {
			w := p.d.word(native)
			if w == "" {
				continue
			}
			if found[w] == nil {
				found[w] = &[2][]string{}
			}
			found[w][i] = append(found[w][i], native)
		}
	}
	var out []Words
	for _, w := range machine {
		sides := found[w]
		if sides == nil {
			continue
		}
		why := "both sides use such a word"
		for i := range sides {
			if len(sides[i]) == 0 {
				why = fmt.Sprintf("not known: what %s calls it, if it does; no record that was read shows it", p.sides[i].name)
			}
		}
		out = append(out, Words{Word: w, Sides: *sides, Why: why})
	}
	return out
}

// strange says which words are not understood. A word is shown if several records have it
// and it looks like one.
func (p *proposer) strange(_ *Job, i int, c *column) []string {
	count := map[string]int{}
	for _, v := range c.values {
		if holds(v) && p.d.word(v.Text()) == "" {
			count[v.Text()]++
		}
	}
	var out []string
	for _, w := range slices.Sorted(maps.Keys(count)) {
		shown := "a word of the shape " + shape(w)
		if count[w] >= few && isWord(w) {
			shown = "the word " + w
		}
		out = append(out, fmt.Sprintf("what %s of %s means, in %d records; until it stands in the table they are held", shown, p.sides[i].name, count[w]))
	}
	return out
}

// isWord reports whether a text is a word that a program uses.
func isWord(text string) bool {
	if len(text) > mostShape {
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '_' && r != '-'
	})
}

// together counts the linked records whose words mean the same, of those in which both are
// understood.
func (p *proposer) together(links []link, lc, rc *column) (same, both int) {
	for _, k := range links {
		a, b := p.d.word(lc.values[k.l].Text()), p.d.word(rc.values[k.r].Text())
		if a != "" && b != "" {
			both++
			same += sign(a == b)
		}
	}
	return same, both
}
