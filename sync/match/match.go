package match

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// LinkedBy finds the linked records of a side that have one of the keys, and returns them by key.
type LinkedBy func(side record.Side, keys []record.Key) (map[record.Key][]record.Ref, error)

// Twins reports whether a new record of a side is a record of its own beside the linked records that have its key.
type Twins func(side record.Side, taken [2][]record.Ref) (bool, error)

// Fate is what matching says of one record without a link.
type Fate struct {
	With  int    // index of the record on the other side that it is joined with, -1 for none
	Aside *Aside // nil for nearly all: a first load has hundreds of thousands of fates
}

// Aside says why a record is neither joined nor simply made on the other side.
type Aside struct {
	Held     string       // why a person must decide, "" if nobody need
	About    []record.Ref // the records that are the reason
	Attached string       // the record that stands for it, "" if none does
	Unread   string       // why nobody can decide now, "" if all that matters could be read
}

// Why returns why the record is put aside. All of it is empty if it is not.
func (f Fate) Why() Aside {
	if f.Aside == nil {
		return Aside{}
	}
	return *f.Aside
}

// Match pairs the records of both sides that have no link, by the rules in their order. A record with one candidate
// is joined with it, a record with none is left to be created, and between several nobody guesses. Match is pure
// but for what it asks about linked records.
//
// A later rule pairs two records only if no earlier rule speaks against it: the same mail under two different
// phones is a case for a person. So is a pair of an earlier rule if a later rule knows another partner for one of
// the two: see doubted. A record that waits for a person is joined by no later rule, and a record across that has
// its key is not created: the person may say that the two are the same.
func Match(rules []string, strangers [2][]run.Candidate, represent func([]run.Candidate) int, unique [2]map[string]bool, linked LinkedBy, apart Twins) ([2][]Fate, error) {
	m := matcher{strangers: strangers, represent: represent, unique: unique, linked: linked, apart: apart}
	for _, side := range record.Sides {
		m.fates[side] = make([]Fate, len(strangers[side]))
		m.decided[side] = make([]bool, len(strangers[side]))
		for i := range m.fates[side] {
			m.fates[side][i].With = -1
		}
	}
	for i, rule := range rules {
		if err := m.rule(rule, rules[:i]); err != nil {
			return m.fates, err
		}
		m.join(rule, rules[i+1:])
	}
	return m.fates, nil
}

type matcher struct {
	strangers [2][]run.Candidate
	fates     [2][]Fate
	decided   [2][]bool
	represent func([]run.Candidate) int // nil: a person is asked
	unique    [2]map[string]bool        // rules with a key that this side keeps unique
	linked    LinkedBy
	apart     Twins
	pairs     [][2]int // that the current rule has found
}

// rule decides, for every value of one rule's key, the records that have it.
func (m *matcher) rule(rule string, earlier []string) error {
	groups, waiting := [2]map[string][]int{{}, {}}, [2]map[string][]int{{}, {}}
	var texts []string
	for _, side := range record.Sides {
		for i, s := range m.strangers[side] {
			text, ok := s.Key(rule)
			if ok && m.fates[side][i].Why().Held != "" {
				waiting[side][text] = append(waiting[side][text], i)
			}
			if !ok || m.decided[side][i] {
				continue
			}
			if len(groups[record.Left][text])+len(groups[record.Right][text]) == 0 {
				texts = append(texts, text)
			}
			groups[side][text] = append(groups[side][text], i)
		}
	}
	for some := range slices.Chunk(texts, run.Batch) {
		taken, err := m.taken(rule, some)
		if err != nil {
			return err
		}
		for _, text := range some {
			key := record.Key{Name: rule, Text: text}
			members := [2][]int{groups[record.Left][text], groups[record.Right][text]}
			holders := [2][]record.Ref{taken[record.Left][key], taken[record.Right][key]}
			if len(holders[record.Left])+len(holders[record.Right]) > 0 {
				if apart, err := m.allApart(rule, members, holders); err != nil {
					return err
				} else if !apart {
					m.besideLinked(rule, members, holders)
					continue
				}
			}
			if held := [2][]int{waiting[record.Left][text], waiting[record.Right][text]}; m.facesHeld(members, held) {
				m.besideHeld(rule, members, held)
				continue
			}
			m.group(rule, earlier, members)
		}
	}
	return nil
}

// facesHeld reports whether one of the records that share a key faces a record across that has the key, too, and
// waits for a person.
func (m *matcher) facesHeld(members, held [2][]int) bool {
	return slices.ContainsFunc(record.Sides[:], func(side record.Side) bool {
		return len(members[side]) > 0 && len(held[side.Other()]) > 0
	})
}

// besideHeld holds all records that share a key with a record across that waits for a person. Example: on one side
// a son waits because he has the phone of his mother. On the other side he has a phone of his own, and the same
// mail.
func (m *matcher) besideHeld(rule string, members, held [2][]int) {
	var about [2][]record.Ref
	for _, side := range record.Sides {
		for _, i := range slices.Concat(held[side], members[side]) {
			about[side] = append(about[side], m.strangers[side][i].Ref)
		}
		slices.SortFunc(about[side], func(a, b record.Ref) int { return compareIDs(a.ID, b.ID) })
	}
	for _, side := range record.Sides {
		if m.represent != nil && len(members[side]) > 1 {
			members[side] = m.standIn(side, members[side])
		}
		for _, i := range members[side] {
			across := about[side.Other()]
			m.say(side, i, "it has the same "+rule+" as "+across[0].String()+" across, which waits for a person, too", across...)
		}
	}
}

// taken returns the linked records that have keys of a rule.
func (m *matcher) taken(rule string, texts []string) (found [2]map[record.Key][]record.Ref, err error) {
	keys := make([]record.Key, len(texts))
	for i, text := range texts {
		keys[i] = record.Key{Name: rule, Text: text}
	}
	for _, side := range record.Sides {
		if found[side], err = m.linked(side, keys); err != nil {
			return found, err
		}
	}
	return found, nil
}

// allApart reports whether the records that share a key are decided as if no linked record had that key.
func (m *matcher) allApart(rule string, members [2][]int, taken [2][]record.Ref) (bool, error) {
	for _, side := range record.Sides {
		if len(members[side]) == 0 || m.represent != nil || m.unique[side.Other()][rule] {
			continue
		}
		if apart, err := m.apart(side, taken); err != nil || apart {
			return apart, err
		}
	}
	return false, nil
}

// group decides all records that share one key.
func (m *matcher) group(rule string, earlier []string, members [2][]int) {
	for _, side := range record.Sides {
		if len(members[side]) < 2 {
			continue
		}
		if len(members[side.Other()]) == 0 && !m.unique[side.Other()][rule] {
			return // each may become a record of its own
		}
		if m.represent == nil {
			m.hold(rule, members)
			return
		}
		members[side] = m.standIn(side, members[side])
	}
	if len(members[record.Left]) == 0 || len(members[record.Right]) == 0 {
		return
	}
	l, r := members[record.Left][0], members[record.Right][0]
	if e := m.contradicted(earlier, l, r); e != "" {
		m.say(record.Left, l, "another record has the same "+rule+" and "+e, m.strangers[record.Right][r].Ref)
		m.say(record.Right, r, "another record has the same "+rule+" and "+e, m.strangers[record.Left][l].Ref)
		return
	}
	m.pairs = append(m.pairs, [2]int{l, r})
	m.decided[record.Left][l], m.decided[record.Right][r] = true, true
}

// join joins the pairs that a rule has found. Pairs that a later rule speaks against are held.
func (m *matcher) join(rule string, later []string) {
	doubted := m.doubted(later)
	for n, p := range m.pairs {
		l, r := p[record.Left], p[record.Right]
		x, is := doubted[n]
		if !is {
			m.fates[record.Left][l].With, m.fates[record.Right][r].With = r, l
			continue
		}
		refs := [2]record.Ref{m.strangers[record.Left][l].Ref, m.strangers[record.Right][r].Ref}
		third := m.strangers[x.side][x.i].Ref
		for _, side := range record.Sides {
			m.say(side, p[side], fmt.Sprintf("%s has the same %s, and %s the same %s as %s", refs[side.Other()], rule, third, x.rule, refs[x.side.Other()]), refs[side.Other()], third)
		}
		if m.decided[x.side][x.i] { // it waits for another reason already
			continue
		}
		m.say(x.side, x.i, fmt.Sprintf("it has the same %s as %s, and %s the same %s", x.rule, refs[x.side.Other()], refs[x.side], rule), refs[0], refs[1])
	}
	m.pairs = nil
}

// third is a record that a later rule knows as the partner of one record of a pair.
type third struct {
	side record.Side
	i    int
	rule string
}

// doubted returns those pairs of the current rule that a later rule speaks against. One record of the pair has a
// key that its partner lacks, and a third record, which nobody is paired with, has that key: by one rule the record
// belongs to its partner, by the other to the third. A record that has a partner by an earlier rule is no third: a
// family may share a mail.
func (m *matcher) doubted(later []string) map[int]third {
	wanted := m.lacked(later)
	out := map[int]third{}
	for _, side := range record.Sides {
		if len(wanted[side]) == 0 {
			continue
		}
		for i, s := range m.strangers[side] {
			if m.decided[side][i] && m.fates[side][i].Why().Held == "" {
				continue
			}
			for _, k := range s.Keys {
				for _, n := range wanted[side][k] {
					if x, is := out[n]; !is || x.side == side && compareIDs(s.Ref.ID, m.strangers[side][x.i].Ref.ID) < 0 {
						out[n] = third{side, i, k.Name}
					}
				}
			}
		}
	}
	return out
}

// lacked returns the keys of later rules that one record of a pair has and its partner lacks, by the side of the
// partner.
func (m *matcher) lacked(later []string) [2]map[record.Key][]int {
	wanted := [2]map[record.Key][]int{{}, {}}
	for n, p := range m.pairs {
		for _, rule := range later {
			for _, side := range record.Sides {
				text, ok := m.strangers[side][p[side]].Key(rule)
				if across, has := m.strangers[side.Other()][p[side.Other()]].Key(rule); ok && (!has || across != text) {
					k := record.Key{Name: rule, Text: text}
					wanted[side.Other()][k] = append(wanted[side.Other()][k], n)
				}
			}
		}
	}
	return wanted
}

// besideLinked decides the records that have the same key as a linked one.
func (m *matcher) besideLinked(rule string, members [2][]int, taken [2][]record.Ref) {
	for _, side := range record.Sides {
		for _, i := range members[side] {
			switch {
			case len(taken[side]) > 0 && m.represent != nil:
				m.attach(side, i, taken[side][0])
			case len(taken[side]) > 0:
				m.say(side, i, "it has the same "+rule+" as "+taken[side][0].String()+", which is linked", taken[side]...)
			default:
				m.say(side, i, "its "+rule+" is that of "+taken[side.Other()][0].String()+", which is linked to another record", taken[side.Other()]...)
			}
		}
	}
}

// standIn keeps the record that stands for all records of a side, and attaches the others to it.
func (m *matcher) standIn(side record.Side, members []int) []int {
	group := make([]run.Candidate, len(members))
	for i, n := range members {
		group[i] = m.strangers[side][n]
	}
	first := m.represent(group)
	for i, n := range members {
		if i != first {
			m.attach(side, n, group[first].Ref)
		}
	}
	return members[first : first+1]
}

func (m *matcher) attach(side record.Side, i int, to record.Ref) {
	why := m.fates[side][i].Why()
	why.Attached = to.String()
	m.putAside(side, i, why)
}

func (m *matcher) hold(rule string, members [2][]int) {
	var all []record.Ref
	for _, side := range record.Sides {
		for _, i := range members[side] {
			all = append(all, m.strangers[side][i].Ref)
		}
	}
	for _, side := range record.Sides {
		for _, i := range members[side] {
			m.say(side, i, "several records have the same "+rule, all...)
		}
	}
}

func (m *matcher) say(side record.Side, i int, why string, about ...record.Ref) {
	aside := m.fates[side][i].Why()
	aside.Held, aside.About = why, about
	m.putAside(side, i, aside)
}

func (m *matcher) putAside(side record.Side, i int, why Aside) {
	m.fates[side][i].Aside, m.decided[side][i] = &why, true
}

// contradicted names an earlier rule by which two records differ, "" for none. A key that was blanked may differ:
// nobody knows whether it is the same as the other one's.
func (m *matcher) contradicted(earlier []string, l, r int) string {
	for _, rule := range earlier {
		a, okA := m.strangers[record.Left][l].Key(rule)
		b, okB := m.strangers[record.Right][r].Key(rule)
		if okA && okB && a != b {
			return "another " + rule
		}
		hidA, hidB := slices.Contains(m.strangers[record.Left][l].Blanked, rule), slices.Contains(m.strangers[record.Right][r].Blanked, rule)
		if hidA && (okB || hidB) || hidB && okA {
			return "a " + rule + " that is blanked as what may be a payment card: nobody can tell whether it is the same"
		}
	}
	return ""
}

// StandFor returns a function that picks the one of several records that stands for all of them.
func StandFor(by string) func([]run.Candidate) int {
	return func(group []run.Candidate) int {
		best := 0
		for i := range group {
			if less(by, group[i].Brief, group[best].Brief) {
				best = i
			}
		}
		return best
	}
}

func less(by string, a, b run.Brief) bool {
	byID := compareIDs(a.Ref.ID, b.Ref.ID) < 0
	if by == "lowest_id" {
		return byID
	}
	ta, tb := a.Born, b.Born
	if ta == tb {
		return byID
	}
	if by == "newest" {
		return ta > tb
	}
	return ta < tb
}

// compareIDs orders ids as numbers where both are digits, and as texts otherwise.
func compareIDs(a, b string) int {
	if isDigits(a) && isDigits(b) {
		a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	}
	return strings.Compare(a, b)
}

func isDigits(s string) bool {
	return s != "" && !slices.ContainsFunc([]byte(s), func(c byte) bool { return c < '0' || c > '9' })
}
