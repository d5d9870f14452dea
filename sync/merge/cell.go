package merge

import (
	"slices"

	"nightporter/sync/record"
)

// decide carries out the two tables in the comment of this package.
func (u *unit) decide() verdict {
	if u.rule().To != Both {
		return u.oneWay()
	}
	l, r := u.moves[record.Left], u.moves[record.Right]
	switch {
	// Nobody moved, as far as is shown. What is hidden, or differs, stays as it is.
	case l == still && r == still:
		return u.quiet()

	// Somebody moved, and part of the picture is missing. The other side may have moved
	// as well, so nothing is written and no base advances before it has been read.
	case u.hides():
		return pending("one side changed it and the other did not show it")

	// From here on everything is shown and at least one side moved.

	// Both sides came to hold the same, by the same edit twice or because one side had
	// already what the other was changed to. There is nothing to tell anybody.
	case u.same():
		return verdict{act: Adopt, reason: BothSame()}

	// Only one side moved, so nothing that anybody meant can be overwritten.
	case r == still:
		return u.follow(record.Left)
	case l == still:
		return u.follow(record.Right)

	// Both moved and they differ. Some policies know what an emptied value means: a
	// revoked consent, elements taken out of a set.
	case l == r, u.readsEmpty():
		return u.conflict(u.policy())

	// One was cleared, the other set. Text can be cleared again in a second, but not be
	// typed again, so the value stays and the clear is the one that is journalled.
	case l == cleared:
		return u.setBeatsClear(record.Right)
	default:
		return u.setBeatsClear(record.Left)
	}
}

const notAllShown = "not everything is shown, and nothing is known to have changed"

// quiet is the verdict where nobody moved. It never writes.
func (u *unit) quiet() verdict {
	switch {
	case u.hides():
		return keep(notAllShown)
	case u.first && u.same():
		return verdict{act: Adopt, reason: BothSame()}
	case !u.lossy():
		return verdict{act: Keep, reason: Standing()}
	}
	return keep("nothing changed")
}

// follow brings the value of side from to the other side. Side to did not move, or
// its move does not count.
func (u *unit) follow(from record.Side) verdict {
	to, rule := from.Other(), u.rule()
	switch {
	// A status goes by steps. A step needs a rule even if only one side moved.
	case rule.Policy == Rules:
		return u.step(from)
	case rule.Policy == FillEmpty && !u.empty(to):
		return u.leaveFilled(from)

	// An empty consent may never have been asked for, or may have been revoked. So a
	// grant does not travel on first contact, and the grant itself stays.
	case rule.Policy == Consent && u.first && u.single() && !revoked(u.fields[0].now(from)):
		return adopt("a consent is not spread to where none was ever recorded")
	case u.moves[from] == cleared:
		return u.followClear(from)

	// Side to may hold elements that side from never had. They stay.
	case rule.Policy == Union && u.single() && u.moves[to] != cleared:
		return u.bring(from)
	case u.first:
		return u.write(from, "only "+the(from)+" has it")
	}
	return u.write(from, "only "+the(from)+" changed it")
}

// leaveFilled is follow for FillEmpty if side to holds a value. That value is neither replaced
// nor emptied. Only if side from emptied a field and Clear is HoldClear, a person decides.
func (u *unit) leaveFilled(from record.Side) verdict {
	switch {
	case u.holdsClear(from):
		return hold(isHeld)
	case u.moves[from] == cleared:
		return adopt("it was emptied on " + the(from) + ", and only an empty field is filled: what stands on " + the(from.Other()) + " stays")
	}
	return adopt("a value stands there, and only an empty field is filled")
}

// followClear is follow where side from was emptied.
func (u *unit) followClear(from record.Side) verdict {
	switch {
	// Side to is emptied, except for the elements it added: side from still lacks them.
	case u.readsEmpty() && u.halved(from):
		return u.bring(from)
	case u.ignoresClear(from):
		return adopt("it was emptied on " + the(from) + ", which is not passed on")
	}
	return u.write(from, "it was emptied on "+the(from)+" alone")
}

// setBeatsClear brings a value to the side that was cleared meanwhile.
func (u *unit) setBeatsClear(from record.Side) verdict {
	v := u.follow(from)
	if v.act == writeTo(from.Other()) {
		v.lost, v.reason = true, Because("a value set on "+the(from)+" beats emptying it on "+the(from.Other()))
	}
	return v
}

// write is the verdict that the other side takes all values of side from, so that a group never
// mixes the values of two sides. It is held if one of the values may not be written.
func (u *unit) write(from record.Side, reason string) verdict {
	refused := ""
	for i := range u.fields {
		f := &u.fields[i]
		if f.same() {
			continue
		}
		if why := f.rule.refuses(f.now(from)); why != "" && refused != isRequired {
			refused = why
		}
		if refused == "" && !u.first && !f.settled() && f.now(from).Empty() {
			refused = isUnknown
		}
	}
	if refused != "" {
		return hold(refused)
	}
	return verdict{act: writeTo(from.Other()), reason: Because(reason)}
}

// Why a value is not written. If several of these hold for a group, the first of them is told.
const (
	isRequired = "it would be emptied, and it is required"
	isHeld     = "it would be emptied, which a person decides"
	isUnknown  = "it would be emptied with its group, and nobody knows whether anybody emptied it"
)

// refuses says why a value may not be written, "" if it may. Every write that would empty
// something passes this gate.
func (r *Rule) refuses(v record.Value) string {
	switch {
	case !v.Empty():
		return ""
	case r.Required:
		return isRequired
	case r.Clear == HoldClear:
		return isHeld
	}
	return ""
}

// win is write, if what stands on the other side was meant by somebody: it is noted as a loser.
func (u *unit) win(from record.Side, reason string) verdict {
	v := u.write(from, reason)
	v.lost = v.act == writeTo(from.Other())
	return v
}

// ignoresClear reports whether Clear is IgnoreClear for every field that side from would empty.
// An emptied consent is a revoke, and is never ignored.
func (u *unit) ignoresClear(from record.Side) bool {
	return u.rule().Policy != Consent && u.all(func(f *field) bool {
		return f.same() || !f.now(from).Empty() || f.rule.Clear == IgnoreClear
	})
}

// holdsClear reports whether side from emptied a field for which Clear is HoldClear.
func (u *unit) holdsClear(from record.Side) bool {
	return u.any(func(f *field) bool {
		return !f.same() && f.move(from) == cleared && f.rule.Clear == HoldClear
	})
}

// readsEmpty reports whether the policy itself weighs an emptied value. Union does so only if
// clears travel: otherwise an emptied set does not count as the removal of its elements.
func (u *unit) readsEmpty() bool {
	rule := u.rule()
	travels := rule.Clear == "" || rule.Clear == Propagate
	return u.single() && (rule.Policy == Consent || rule.Policy == Union && travels)
}

// policy returns the policy that decides between two values. That is Policy, and on first contact
// Initial. Without Initial the origin of a one-way field wins on first contact, unless Policy says
// something about values that nobody changed: Newest, Max, Min and an empty Policy do not.
func (u *unit) policy() Policy {
	rule := u.rule()
	switch {
	case !u.first:
		return rule.Policy
	case rule.Initial != "":
		return rule.Initial
	case rule.To != Both && slices.Contains([]Policy{Newest, Max, Min, ""}, rule.Policy):
		return wins(rule.To.receiver().Other())
	}
	return rule.Policy
}
