package merge

import "nightporter/sync/record"

// Choice is what a person was asked about a held field, and decided.
type Choice struct {
	Take  record.Choice // "left", "right", "value", or record.ChoiceLeave; "" is not decided yet
	Value record.Value
	// Left and Right are the values that the person was asked about. If either changed since, the
	// choice no longer holds.
	Left, Right record.Value
	// Always says that the choice was made once and for all, whatever the values are.
	Always bool
	// Force applies the choice also to what the rules would decide by themselves.
	Force bool
	// Again says that the person is asked because an earlier choice was overtaken: see unit.overtaken.
	Again bool
}

// holds reports whether the choice was made on what is seen now. A side that already holds what
// the person typed counts as unchanged. A side that held it, and shows again what the person was asked
// about, does not: somebody has taken back there what the person chose.
func (c *Choice) holds(f *field) bool {
	return c.Always || c.unchanged(f, record.Left, c.Left) && c.unchanged(f, record.Right, c.Right)
}

func (c *Choice) unchanged(f *field, s record.Side, asked record.Value) bool {
	return c.reached(f, s, f.now(s)) || asked.Equal(f.now(s)) && !c.settledOn(f, s)
}

// settledOn reports whether a side was last settled on what a person typed.
func (c *Choice) settledOn(f *field, s record.Side) bool {
	seen := &f.seen[s]
	if c.Take != record.ChoiceValue {
		return false
	}
	base, plain := seen.Base.Plain()
	return seen.Base.Same(seen.Key, c.Value) || plain && c.reached(f, s, base)
}

// reached reports whether v, a value of a side, is what a person typed.
func (c *Choice) reached(f *field, s record.Side, v record.Value) bool {
	if c.Take != record.ChoiceValue || !v.Observed() {
		return false
	}
	if s == record.Left {
		return f.rule.same(v, c.Value)
	}
	return f.rule.same(c.Value, v)
}

// begun reports whether a value that a person typed reached one side, and the other side moved to
// something else. Then the other side's value is no edit to follow. False if a field is not shown.
func (u *unit) begun(choices map[string]Choice) bool {
	return !u.hides() && u.any(func(f *field) bool {
		c := choices[f.rule.Field]
		left, right := c.reached(f, record.Left, f.now(record.Left)), c.reached(f, record.Right, f.now(record.Right))
		return left && !right && f.move(record.Right) > still || right && !left && f.move(record.Left) > still
	})
}

// asked reports whether a person decides about a field that differs although nobody
// moved: the person's choice reached one side alone, or the person was asked about
// exactly these values. Without this the question would be forgotten, and the
// difference would stay without anybody knowing.
func (u *unit) asked(choices map[string]Choice) bool {
	return !u.hides() && u.any(func(f *field) bool {
		c, ok := choices[f.rule.Field]
		now := ok && c.Left.Equal(f.now(record.Left)) && c.Right.Equal(f.now(record.Right))
		return ok && !c.Always && !f.same() && (c.Take != "" || now)
	})
}

// pick returns the value that was chosen, an Absent value if none was.
func (c *Choice) pick(f *field) record.Value {
	switch c.Take { //nolint:exhaustive // the others belong to other questions
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
	return u.any(func(f *field) bool {
		c, ok := choices[f.rule.Field]
		return ok && c.Force && f.shown() && !f.same()
	})
}

// overtaken reports whether what a person chose was overtaken by an edit before it was carried out, so
// that a person is asked again, and no rule decides: see Overtaken. A rule may still bring to the other
// side just what the person chose. A question that stands above the rules has a rule of its own, which asks
// again.
func (u *unit) overtaken(choices map[string]Choice, v verdict) bool {
	return v.act != Pending && !u.hides() && u.any(func(f *field) bool {
		c := choices[f.rule.Field]
		made := c.Take != "" && !c.Always && c.stale(f) && !c.brings(f, v)
		return (c.Again && c.Take == "" || made && (c.Again || !c.Force)) && !f.same()
	})
}

// brings reports whether a verdict writes the chosen value.
func (c *Choice) brings(f *field, v verdict) bool {
	switch {
	case v.value.Observed() || v.act != WriteLeft && v.act != WriteRight:
		return false
	case v.act == WriteRight && c.Take == record.ChoiceLeft:
		return f.now(record.Left).Equal(c.Left)
	case v.act == WriteLeft && c.Take == record.ChoiceRight:
		return f.now(record.Right).Equal(c.Right)
	case v.act == WriteRight:
		return c.reached(f, record.Left, f.now(record.Left))
	}
	return c.reached(f, record.Right, f.now(record.Right))
}

const (
	noChoice    = "no choice"
	staleChoice = "a choice was made, and the values have changed since"
	partChoice  = "its group needs a choice for each field that differs"
	emptyChoice = "the choice would empty it, and it is required"
)

// chosen turns what people chose into decisions, or says why it can't.
func (u *unit) chosen(choices map[string]Choice) (ds []Decision, why string) {
	if why := u.unchosen(choices); why != "" {
		return nil, why
	}
	ds = make([]Decision, len(u.fields))
	for i := range u.fields {
		f := &u.fields[i]
		ds[i] = u.choose(f, choices[f.rule.Field])
	}
	return ds, ""
}

// unchosen says why the choices can't be carried out, "" if they can. A group is
// decided as one value: each of its fields that differs needs a choice.
func (u *unit) unchosen(choices map[string]Choice) string {
	var made, stale, empties, missing bool
	for i := range u.fields {
		f := &u.fields[i]
		c := choices[f.rule.Field]
		if c.Take != "" {
			made, stale, empties = true, stale || c.stale(f), empties || c.empties(f)
		} else if u.single() || !f.same() {
			missing = true
		}
	}
	switch {
	case !made:
		return noChoice
	case stale:
		return staleChoice
	case empties:
		return emptyChoice
	case missing:
		return partChoice
	}
	return ""
}

// stale reports whether the choice was made on other values, or on one that is not
// shown now.
func (c *Choice) stale(f *field) bool {
	return !c.holds(f) || c.Take != record.ChoiceLeave && !c.pick(f).Observed()
}

// empties reports whether the choice would empty a field that is never emptied.
func (c *Choice) empties(f *field) bool {
	return c.Take != record.ChoiceLeave && f.rule.Required && c.pick(f).Empty()
}

// choose returns the decision on one field by a person's choice. A field without a choice is the
// same on both sides: see unchosen.
func (u *unit) choose(f *field, c Choice) Decision {
	var d Decision
	switch c.Take { //nolint:exhaustive // the others belong to other questions
	case "":
		d = f.blank()
		d.Act, d.Reason = Adopt, BothSame()
		return d
	case record.ChoiceLeave:
		return f.leave()
	}
	d = u.carryOut(f, c.pick(f))
	if c.Always && d.Act != Adopt {
		d.Reason = ChosenAlways()
	}
	return d
}

// leave has both sides keep what they have.
func (f *field) leave() Decision {
	d := f.blank()
	d.Act, d.Reason, d.Policy = Adopt, ChosenLeave(), Person
	return d
}

// carryOut writes the chosen value to each side that holds another value and may be written to.
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
		d.Value, d.Reason = value, Chosen()
	}
	return d
}
