package merge

import (
	"slices"

	"nightporter/sync/record"
)

// Edge is one step that a status may take.
type Edge struct {
	From, To      string
	OnlyAuthority bool // the other side may not take it
}

// Machine says which steps a status may take and who may take them.
//
// One side is the authority: its word is the true status of the record. The other side
// proposes. Its step counts from the word that the authority was settled on, not from its
// own, which may be coarser.
//
// A side is read only now and then, and may have taken several steps since. What counts is
// whether it can have come from the old word to the new one by steps that it may take.
type Machine struct {
	Edges     []Edge
	Absorbing []string // words that end the story: only the authority may leave them, by an edge
	// MayLeft and MayRight are the words that a side may propose; nil is all.
	MayLeft, MayRight []string
	Authority         record.Side
}

// Stay is the machine of a reservation, with the management system as authority. The other side
// may ask for a booking, confirm it and cancel it. Only the authority may revive a booking that
// was ended, or have a guest arrive.
func Stay(authority record.Side) *Machine {
	m := &Machine{
		Edges: []Edge{
			{From: "pending", To: "confirmed"},
			{From: "pending", To: "waitlisted"},
			{From: "pending", To: "cancelled"},
			{From: "pending", To: "rejected"},
			{From: "waitlisted", To: "confirmed"},
			{From: "waitlisted", To: "cancelled"},
			{From: "confirmed", To: "checked_in"},
			{From: "confirmed", To: "cancelled"},
			{From: "confirmed", To: "no_show"},
			{From: "confirmed", To: "pending", OnlyAuthority: true},
			{From: "checked_in", To: "completed"},
			{From: "checked_in", To: "confirmed", OnlyAuthority: true},
			{From: "cancelled", To: "confirmed", OnlyAuthority: true},
			{From: "no_show", To: "checked_in", OnlyAuthority: true},
			{From: "no_show", To: "confirmed", OnlyAuthority: true},
		},
		Absorbing: []string{"cancelled", "no_show", "completed", "rejected"},
		Authority: authority,
	}
	proposals := []string{"pending", "confirmed", "cancelled"}
	if authority == record.Left {
		m.MayRight = proposals
	} else {
		m.MayLeft = proposals
	}
	return m
}

// may reports whether side s may propose a word at all.
func (m *Machine) may(s record.Side, word string) bool {
	words := m.MayLeft
	if s == record.Right {
		words = m.MayRight
	}
	return words == nil || slices.Contains(words, word)
}

func (m *Machine) absorbs(word string) bool { return slices.Contains(m.Absorbing, word) }

// open reports whether side s may take an edge.
func (m *Machine) open(s record.Side, e Edge) bool {
	return m.may(s, e.To) && (s == m.Authority || !e.OnlyAuthority && !m.absorbs(e.From))
}

// reaches reports whether side s can bring the status from one word to another by
// steps that it may take.
func (m *Machine) reaches(s record.Side, from, to string) bool {
	if from == to {
		return m.may(s, to)
	}
	reached := []string{from}
	for i := 0; i < len(reached); i++ {
		for _, e := range m.Edges {
			if e.From != reached[i] || !m.open(s, e) || slices.Contains(reached, e.To) {
				continue
			}
			if e.To == to {
				return true
			}
			reached = append(reached, e.To)
		}
	}
	return false
}

// word returns the word that a base holds. A digest can't be read, so the machine's words are
// tried, as there are few of them; "" if none fits.
func (m *Machine) word(s *Seen) string {
	if v, plain := s.Base.Plain(); plain {
		return v.Text()
	}
	for _, e := range m.Edges {
		for _, w := range []string{e.From, e.To} {
			if s.Base.Same(s.Key, record.OfText(w)) {
				return w
			}
		}
	}
	return ""
}

// step decides a status that one side moved alone.
func (u *unit) step(from record.Side) verdict {
	m, f := u.rule().Machine, &u.fields[0]
	if m == nil || !u.single() {
		return hold("it goes by rules, and there are none for it")
	}
	to := f.now(from).Text()
	switch {
	case u.moves[from] == cleared:
		return u.unlawful(from, "a status was emptied on "+the(from))
	case (u.first || u.begins(from)) && m.may(from, to):
		return u.write(from, "only "+the(from)+" has it")
	case !u.first && m.reaches(from, m.word(&f.seen[m.Authority]), to):
		return u.write(from, "only "+the(from)+" changed it, by a step it may take")
	}
	return u.unlawful(from, "the step taken on "+the(from)+" is not one it may take")
}

// begins reports whether side from is the authority and had no word before: its first word is no step.
func (u *unit) begins(from record.Side) bool {
	base := u.fields[0].seen[from].Base
	return from == u.rule().Machine.Authority && base.Known() && base.Same(u.fields[0].seen[from].Key, record.Nothing())
}

// unlawful is the verdict on a step that may not travel. The authority's step is never written over.
func (u *unit) unlawful(from record.Side, reason string) verdict {
	if from == u.rule().Machine.Authority {
		return verdict{act: Drift, reason: Because(reason)}
	}
	return u.drift(from, reason)
}

// race decides a status that both sides moved, to different words.
func (u *unit) race() verdict {
	m, f := u.rule().Machine, &u.fields[0]
	if m == nil {
		return hold("both sides changed it, and there are no rules for it")
	}
	a, p := m.Authority, m.Authority.Other()
	said, asked := f.now(a).Text(), f.now(p).Text()
	if u.first {
		// Nobody knows where each side came from. The authority's word stands. But if only the
		// other side has seen an end, nobody knows which word is newer: a person decides.
		if m.absorbs(asked) && !m.absorbs(said) {
			return hold("it is over on " + the(p) + " and not on " + the(a))
		}
		return u.win(a, the(a)+" has the say")
	}
	before := m.word(&f.seen[a])
	lawful, proposed := m.reaches(a, before, said), m.reaches(p, before, asked)
	switch {
	// If the authority ended it, that stands against everything.
	case lawful && m.absorbs(said):
		return u.win(a, "both sides changed it, and "+the(a)+" ended it")

	// A cancel is not lost to a change that the authority made meanwhile, unless nothing
	// can be cancelled after that change: a guest who has arrived is a matter for the desk.
	case proposed && m.absorbs(asked) && m.reaches(p, said, asked):
		return u.win(p, "both sides changed it, and "+the(p)+" ended it")
	case proposed && m.absorbs(asked):
		return hold("it was ended on " + the(p) + " while " + the(a) + " went where it can't be ended from")

	case lawful:
		return u.win(a, "both sides changed it, and "+the(a)+" has the say")
	}
	return hold("both sides changed it, and not by steps they may take")
}
