package merge

import "nightporter/sync/record"

// Act is what is to be done with a field.
type Act uint8

// The acts.
const (
	Keep       Act = iota // nothing to do; the bases stay
	Adopt                 // both bases take what is now seen; nothing is written
	WriteLeft             // Value is written to the left side
	WriteRight            // Value is written to the right side
	WriteBoth             // Value is written to both: a union, or what a person typed
	Pending               // one side changed it, the other did not show it: read the other, then decide
	Hold                  // a person decides; the bases stay
	Drift                 // an edit that may not travel: shown, left where it is; the bases stay
)

var actNames = [...]string{"keep", "adopt", "write left", "write right", "write both", "pending", "hold", "drift"}

// String is the act's name.
func (a Act) String() string {
	if int(a) < len(actNames) {
		return actNames[a]
	}
	return "unknown"
}

// Writes reports whether the act writes to side s.
func (a Act) Writes(s record.Side) bool {
	return a == WriteBoth || a == writeTo(s)
}

func writeTo(s record.Side) Act {
	if s == record.Left {
		return WriteLeft
	}
	return WriteRight
}

// The grounds of decisions.
const (
	GroundSame     record.Ground = "same"     // both sides hold the same
	GroundStanding record.Ground = "standing" // it differs since it was settled
	GroundChosen   record.Ground = "chosen"   // a person chose it
	GroundAlways   record.Ground = "always"   // a person chose so once and for all
	GroundLeft     record.Ground = "left"     // a person chose to leave it so
	GroundRejected record.Ground = "rejected" // a person rejected the change, and what stood is written back
)

// Reason says why a field is decided as it is, in one plain sentence without values. The sentence says "the left side"
// and "the right side" in just these words, so that names can be put in their place. Ground names the reason, where a
// later rule needs to know it.
type Reason struct {
	Ground record.Ground
	Text   string
}

// Because is a reason that no later rule asks for.
func Because(text string) Reason { return Reason{Text: text} }

// BothSame is the reason if nothing is to be done because both sides hold the same.
func BothSame() Reason { return Reason{GroundSame, "both sides hold the same"} }

// Standing is the reason for a difference that was there when the two were settled.
func Standing() Reason { return Reason{GroundStanding, "it differs since it was settled"} }

// Chosen is the reason for a value that a person chose.
func Chosen() Reason { return Reason{GroundChosen, "a person chose it"} }

// ChosenAlways is the reason for a value that a person chose once and for all.
func ChosenAlways() Reason { return Reason{GroundAlways, "a person chose so once and for all"} }

// ChosenLeave is the reason if both values stay because a person chose so.
func ChosenLeave() Reason { return Reason{GroundLeft, "a person chose to leave it so"} }

// Decision is what becomes of one field, and why.
type Decision struct {
	Field, Group string
	Act          Act
	Value        record.Value // what is written; Absent where nothing is

	Left, Right         record.Value // as seen now
	BaseLeft, BaseRight record.Value // as last settled; Absent where unknown or kept as a digest only

	// Loser is the value that a write replaces although somebody meant it: the side
	// written to had changed it too, or it stood there on first contact.
	Loser  record.Value
	Policy Policy
	Reason Reason
}

// verdict is the decision on a unit before it is spelt out for each of its fields.
type verdict struct {
	act    Act
	reason Reason
	policy Policy       // the policy that decided, if it is not the rule's own
	value  record.Value // for a union: the merged set; otherwise the other side's value is written
	lost   bool         // the value that is overwritten is a loser: somebody meant it
}

func keep(reason string) verdict    { return verdict{act: Keep, reason: Because(reason)} }
func adopt(reason string) verdict   { return verdict{act: Adopt, reason: Because(reason)} }
func pending(reason string) verdict { return verdict{act: Pending, reason: Because(reason)} }
func hold(reason string) verdict    { return verdict{act: Hold, reason: Because(reason)} }

// the names a side as reasons do.
func the(s record.Side) string { return "the " + s.String() + " side" }

// decisions spells the verdict out for each field.
func (u *unit) decisions(choices map[string]Choice) []Decision {
	v := u.decide()
	if v.act == Keep && u.asked(choices) {
		v = verdict{act: Hold, reason: Standing()}
	}
	if v.act == Hold || u.begun(choices) || u.forced(choices) {
		if ds, why := u.chosen(choices); why == "" {
			return ds
		} else if why != noChoice && v.act == Hold {
			v.reason.Text += "; " + why
		}
	}
	if u.overtaken(choices, v) {
		v = verdict{act: Hold, policy: Overtaken, reason: Because(staleChoice)}
	}
	ds := make([]Decision, len(u.fields))
	for i := range u.fields {
		ds[i] = u.decision(&u.fields[i], v)
	}
	return ds
}

// decision returns the verdict for one field. If another field of its group is written or asked
// about, a field that is the same on both sides is not.
func (u *unit) decision(f *field, v verdict) Decision {
	d := f.blank()
	d.Act, d.Reason = v.act, v.reason
	if v.policy != "" {
		d.Policy = v.policy
	}
	switch {
	case v.act == Keep && !f.settled() && f.same():
		d.Act, d.Reason = Adopt, BothSame()
	case (v.act == Hold || v.act == Drift) && !u.single() && f.same():
		d.Act, d.Reason = Keep, Because("both sides hold the same, and it waits for the rest of its group")
	case v.act == WriteBoth:
		d.Value = v.value
	case v.act != WriteLeft && v.act != WriteRight:
	case v.value.Observed():
		d.Value = v.value
	case f.same():
		d.Act, d.Reason = Adopt, BothSame()
	default:
		to := record.Left
		if v.act == WriteRight {
			to = record.Right
		}
		d.Value = f.now(to.Other())
		if v.lost {
			d.Loser = f.now(to)
		}
	}
	return d
}

// blank returns a decision with all but the verdict.
func (f *field) blank() Decision {
	l, r := &f.seen[record.Left], &f.seen[record.Right]
	d := Decision{Field: f.rule.Field, Group: f.rule.Group, Left: l.Now, Right: r.Now, Policy: f.rule.Policy}
	d.BaseLeft, _ = l.Base.Plain()
	d.BaseRight, _ = r.Base.Plain()
	return d
}
