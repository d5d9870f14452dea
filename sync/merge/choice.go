package merge

import (
	"slices"

	"nightporter/sync/record"
)

// Choice is what a person was asked about a held field, and decided.
type Choice struct {
	Take  string // "left", "right", "value", or record.ChoiceLeave; "" is not decided yet
	Value record.Value
	// Left and Right are the values that the person was asked about. If either changed since, the
	// choice no longer holds.
	Left, Right record.Value
	// Always says that the choice was made once and for all, whatever the values are.
	Always bool
	// Force applies the choice also to what the rules would decide by themselves.
	Force bool
}

// holds reports whether the choice was made on what is seen now.
func (c *Choice) holds(f *field) bool {
	return c.Always || (c.Left.Equal(f.now(record.Left)) || c.reached(f, record.Left)) &&
		(c.Right.Equal(f.now(record.Right)) || c.reached(f, record.Right))
}

// reached reports whether a side holds already what a person typed.
func (c *Choice) reached(f *field, s record.Side) bool {
	if c.Take != "value" || !f.now(s).Observed() {
		return false
	}
	if s == record.Left {
		return f.rule.same(f.now(s), c.Value)
	}
	return f.rule.same(c.Value, f.now(s))
}

// begun reports whether what a person typed stands on one side and is still to be
// brought to the other: that is no change of the other's, to be followed. Nothing is
// brought past what is not shown.
func (u *unit) begun(choices map[string]Choice) bool {
	for i := range u.fields {
		f := &u.fields[i]
		c, ok := choices[f.rule.Field]
		if !ok || u.hides() {
			continue
		}
		left, right := c.reached(f, record.Left), c.reached(f, record.Right)
		if left && !right && f.move(record.Right) > still || right && !left && f.move(record.Left) > still {
			return true
		}
	}
	return false
}

// asked reports whether a field that differs, though nobody moved, is a person's to
// decide all the same: what they decided reached one side alone, or they were asked about
// just what stands there. A question that is forgotten leaves a difference for good that
// nobody knows of.
func (u *unit) asked(choices map[string]Choice) bool {
	return !u.hides() && slices.ContainsFunc(u.fields, func(f field) bool {
		c, ok := choices[f.rule.Field]
		now := ok && c.Left.Equal(f.now(record.Left)) && c.Right.Equal(f.now(record.Right))
		return ok && !c.Always && !f.same() && (c.Take != "" || now)
	})
}

// hides reports whether a field of the unit is not shown on a side.
func (u *unit) hides() bool { return u.hidden[record.Left] || u.hidden[record.Right] }

// pick is the value that was chosen; not observed if none was.
func (c *Choice) pick(f *field) record.Value {
	switch c.Take {
	case "left":
		return f.now(record.Left)
	case "right":
		return f.now(record.Right)
	case "value":
		return c.Value
	}
	return record.Value{}
}

// forced reports whether a person's choice stands above the rules.
func (u *unit) forced(choices map[string]Choice) bool {
	return slices.ContainsFunc(u.fields, func(f field) bool {
		c, ok := choices[f.rule.Field]
		return ok && c.Force && f.shown() && !f.same()
	})
}

// Chosen and ChosenAlways are the reasons of a value that a person chose, for once or
// for good; ChosenLeave is that of two values that both stay.
const (
	Chosen       = "a person chose it"
	ChosenAlways = "a person chose so once and for all"
	ChosenLeave  = "a person chose to leave it so"
)

const (
	noChoice    = "no choice"
	staleChoice = "a choice was made, and the values have changed since"
	partChoice  = "its group needs a choice for each field that differs"
	emptyChoice = "the choice would empty it, and it is required"
)

// chosen turns what people chose into decisions, or says why it can't. A group is
// decided as one here as well: each of its fields that differs needs its choice.
func (u *unit) chosen(choices map[string]Choice) (ds []Decision, why string) {
	var made, missing, stale, empties bool
	for i := range u.fields {
		f := &u.fields[i]
		c := choices[f.rule.Field]
		ok := c.Take != ""
		if !ok && f.same() && !u.single() {
			d := f.blank()
			d.Act, d.Reason = Adopt, BothSame
			ds = append(ds, d)
			continue
		}
		value := c.pick(f)
		made, missing = made || ok, missing || !ok
		stale = stale || ok && (!c.holds(f) || !value.Observed() && c.Take != record.ChoiceLeave)
		if c.Take == record.ChoiceLeave {
			ds = append(ds, f.leave())
			continue
		}
		empties = empties || ok && value.Empty() && f.rule.Required
		d := u.carryOut(f, value)
		if c.Always && d.Act != Adopt {
			d.Reason = ChosenAlways
		}
		ds = append(ds, d)
	}
	switch {
	case !made:
		return nil, noChoice
	case stale:
		return nil, staleChoice
	case empties:
		return nil, emptyChoice
	case missing:
		return nil, partChoice
	}
	return ds, ""
}

// leave has both sides keep what they have.
func (f *field) leave() Decision {
	d := f.blank()
	d.Act, d.Reason, d.Policy = Adopt, ChosenLeave, Person
	return d
}

// carryOut writes the chosen value to those sides that hold something else and may
// be written to.
func (u *unit) carryOut(f *field, value record.Value) Decision {
	d := f.leave()
	for _, s := range record.Sides {
		if f.now(s).Equal(value) || !u.rule().To.allows(s) {
			continue
		}
		if d.Act == Adopt {
			d.Act, d.Loser = writeTo(s), f.now(s)
		} else {
			d.Act, d.Loser = WriteBoth, record.Value{}
		}
		d.Value, d.Reason = value, Chosen
	}
	return d
}
