package merge

import (
	"strings"

	"nightporter/sync/record"
)

// conflict decides between two values that somebody meant on each side: the last cell of
// either table. What can't be decided for certain is held.
func (u *unit) conflict(p Policy) verdict {
	v := u.weigh(p)
	v.policy = p
	return v
}

func (u *unit) weigh(p Policy) verdict {
	switch p {
	case LeftWins:
		return u.win(record.Left, "both sides changed it, and the left side wins")
	case RightWins:
		return u.win(record.Right, "both sides changed it, and the right side wins")
	case Newest:
		return u.newest()
	case FillEmpty:
		return adopt("both sides hold a value, and only an empty field is filled")
	case Person:
		return hold("both sides changed it, and a person decides")
	case Union, Max, Min, Rules, Consent:
		if !u.single() {
			return hold("both sides changed it, and this policy can't weigh a group of fields")
		}
		return u.weighOne(p)
	}
	return hold("both sides changed it, and no policy says which value stays")
}

// weighOne is weigh for the policies that look at the values themselves.
func (u *unit) weighOne(p Policy) verdict {
	switch p {
	case Union:
		return u.union()
	case Rules:
		return u.race()
	case Consent:
		return u.consent()
	case LeftWins, RightWins, Newest, Max, Min, FillEmpty, Person:
	}
	return u.extreme(p == Max)
}

// newest lets the side win that changed last, by its own clock. A record's time of change
// only tells when something in the record changed, so this is a guess, for lack of anything
// better. If the two times are no further apart than the clocks may be, the field is held.
func (u *unit) newest() verdict {
	seen := &u.fields[0].seen
	l, r := seen[record.Left].Changed, seen[record.Right].Changed
	if l.IsZero() || r.IsZero() {
		return hold("both sides changed it, and one shows no time of change")
	}
	if u.skew < 0 {
		return hold("both sides changed it, and their clocks can't be compared")
	}
	switch d := l.Sub(r); {
	case d > u.skew:
		return u.win(record.Left, "both sides changed it, the left side last")
	case -d > u.skew:
		return u.win(record.Right, "both sides changed it, the right side last")
	}
	return hold("both sides changed it too close in time to say which was last")
}

// extreme lets the larger or the smaller value win.
func (u *unit) extreme(larger bool) verdict {
	l, r := u.fields[0].now(record.Left), u.fields[0].now(record.Right)
	order := record.Compare(l, r)
	if l.Type() != r.Type() || order == 0 {
		return hold("both sides changed it, and the values can't be compared")
	}
	word := "smaller"
	if larger {
		word = "larger"
	}
	from := record.Right
	if (order > 0) == larger {
		from = record.Left
	}
	return u.win(from, "both sides changed it, and the "+word+" value stays")
}

// consent lets a revoke win. A grant never overwrites a revoke, however new the grant is.
func (u *unit) consent() verdict {
	l, r := revoked(u.fields[0].now(record.Left)), revoked(u.fields[0].now(record.Right))
	switch {
	case l && r:
		return adopt("both sides say no, each in its own way")
	case l:
		return u.win(record.Left, "a revoke on the left side beats a grant")
	case r:
		return u.win(record.Right, "a revoke on the right side beats a grant")
	}
	return hold("both sides changed a consent, and neither is a revoke")
}

// revoked reports whether a value says no: false, nothing, or "revoked".
func revoked(v record.Value) bool {
	return v.Empty() || v.Type() == record.Bool && !v.Bool() ||
		v.Type() == record.Text && strings.EqualFold(v.Text(), "revoked")
}

// drift is the verdict on an edit that may not travel to the other side. The edit stays where
// it is, and is shown. With Enforce the other side's value is written back over the edit, if
// the direction allows it. If that value is empty, the rules of clearing must allow it as well.
func (u *unit) drift(edited record.Side, reason string) verdict {
	from := edited.Other()
	if u.rule().Enforce && u.rule().To.allows(edited) && (!u.empty(from) || !u.ignoresClear(from)) {
		return u.win(from, reason+", and is put back")
	}
	return verdict{act: Drift, reason: Because(reason)}
}
