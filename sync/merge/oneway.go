package merge

import "nightporter/sync/record"

// oneWay decides a field that is written to one side only, the receiver. The other side is
// the origin. The receiver's edits don't travel.
//
//	origin \ receiver  not shown   unchanged   edited
//	not shown          keep        keep        drift
//	unchanged          keep        keep        drift, or written back with Enforce
//	changed            pending     write       write, the edit loses
func (u *unit) oneWay() verdict {
	to := u.rule().To.receiver()
	from := to.Other()
	switch {
	case u.hides():
		return u.oneWayHidden(from)
	case u.moves[from] == still && u.moves[to] == still:
		return u.quiet()
	case u.same():
		return verdict{act: Adopt, reason: BothSame()}
	case u.first:
		return u.oneWayFirst()

	// Only the receiver was edited. Its value stays and its base does not advance. So the
	// edit stays visible, and the next change at the origin replaces it knowingly.
	case u.moves[from] == still:
		return u.drift(to, "it was edited on "+the(to)+", which only receives it")
	case u.moves[to] == still:
		return u.follow(from)
	}
	return u.oneWayBoth(from)
}

// oneWayHidden is oneWay where a field is not shown on one of the sides. Without the
// origin's value there is nothing to bring. Without the receiver's value nobody knows
// what a write would replace.
func (u *unit) oneWayHidden(from record.Side) verdict {
	to := from.Other()
	switch {
	case u.moves[from] != still:
		return pending("it changed, and not all of it was shown")

	// The receiver's edit is told. It is not put back, because the origin is not shown.
	case u.hidden[from] && u.moves[to] != still && !u.first:
		return verdict{act: Drift, reason: Because("it was edited on " + the(to) + ", which only receives it")}
	}
	return keep(notAllShown)
}

// oneWayBoth is oneWay where both sides moved to different values.
func (u *unit) oneWayBoth(from record.Side) verdict {
	to, policy := from.Other(), u.rule().Policy
	switch {
	// A revoke and a final step count on either side. The receiver's do not travel
	// against the direction, but nothing overwrites them.
	case policy == Rules && u.moves[from] == u.moves[to], policy == Consent:
		v := u.conflict(policy)
		if v.act.Writes(from) {
			return verdict{act: Drift, reason: Because(v.reason.Text + "; it only travels to " + the(to))}
		}
		return v

	// Emptied at the origin, edited at the receiver: a value beats a clear. The value
	// can't travel, so it stays at the receiver.
	case u.moves[from] == cleared && u.moves[to] == set:
		return u.drift(to, "it was emptied on "+the(from)+" and edited on "+the(to))
	}
	v := u.follow(from)
	v.lost = v.act == writeTo(to) && !v.value.Observed() // a union contains the edit
	if v.lost {
		v.reason = Because("it comes from " + the(from) + ", which changed it too")
	}
	return v
}

// oneWayFirst decides a one-way field on first contact if its sides differ. The origin wins
// unless the rule says otherwise.
func (u *unit) oneWayFirst() verdict {
	to := u.rule().To.receiver()
	from := to.Other()
	switch {
	// Nothing at the origin yet: no reason to empty the receiver.
	case u.moves[from] == still:
		return adopt("there is nothing on " + the(from) + " to bring")
	case u.moves[to] == still:
		return u.follow(from)
	}
	v := u.conflict(u.policy())
	switch {
	case v.act == WriteBoth:
		v.act = writeTo(to)
	case v.act == writeTo(from):
		return adopt("the value on " + the(to) + " stays, and it only travels there")
	}
	return v
}
