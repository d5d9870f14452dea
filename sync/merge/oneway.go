package merge

// oneWay decides what is written to one side only. The side it comes from is the
// origin; the receiver's edits don't travel.
//
//	origin \ receiver  not shown   unchanged   edited
//	not shown          keep        keep        drift
//	unchanged          keep        keep        drift, or written back with Enforce
//	changed            pending     write       write, the edit loses
func (u *unit) oneWay() verdict {
	rule := u.rule()
	to := rule.To.receiver()
	from := to.Other()
	switch {
	// Without the origin's word nothing can be brought. Without the receiver's nobody
	// knows what would be written over.
	case (u.hidden[from] || u.hidden[to]) && u.moves[from] != still:
		return pending("it changed, and not all of it was shown")

	// An edit of the receiver is shown, but with half of the picture nothing is put back.
	case u.hidden[from] && u.moves[to] != still && !u.first:
		return verdict{act: Drift, reason: "it was edited on " + the(to) + ", which only receives it"}
	case u.hidden[from] || u.hidden[to]:
		return keep("not everything is shown, and nothing is known to have changed")

	case u.moves[from] == still && u.moves[to] == still:
		return u.quiet()
	case u.same():
		return adopt(BothSame)
	case u.first:
		return u.oneWayFirst()

	// Only the receiver was edited. That stays, and stays visible, because its base does
	// not advance: the next change at the origin replaces it knowingly.
	case u.moves[from] == still:
		return u.drift(to, "it was edited on "+the(to)+", which only receives it")

	// The origin moved, and is followed unless the receiver moved as well.
	case u.moves[to] == still:
		return u.follow(from)

	// A revoke and a step that can't be taken back count on either side. They can't
	// travel against the direction, but they are not overwritten either.
	case rule.Policy == Rules && u.moves[from] == u.moves[to], rule.Policy == Consent:
		v := u.conflict(rule.Policy)
		if v.act.Writes(from) {
			return verdict{act: Drift, reason: v.reason + "; it only travels to " + the(to)}
		}
		return v

	// Emptied at the origin, edited at the receiver: a value beats a clear. It can't
	// travel, so it stays where it is.
	case u.moves[from] == cleared && u.moves[to] == set:
		return u.drift(to, "it was emptied on "+the(from)+" and edited on "+the(to))
	}
	v := u.follow(from)
	v.lost = v.act == writeTo(to) && !v.value.Observed() // a union takes the edit in
	if v.lost {
		v.reason = "it comes from " + the(from) + ", which changed it too"
	}
	return v
}

// oneWayFirst is the first contact of a one-way field whose sides differ. Its origin
// is the authority unless the rule says otherwise.
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
