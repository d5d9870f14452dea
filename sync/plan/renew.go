package plan

import (
	"fmt"
	"slices"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// A reference is settled on whom it stands for, and not on an id. Example: both sides name Anna Rossi, the PMS as
// guest 17. The PMS lost guest 17, and has Anna Rossi as guest 23 now. Both sides still name the same person, but
// one id leads nowhere: that is a difference to be written.

// astray says why nobody knows whom a reference means, "" if it is known.
func (c *Case) astray(field string) string {
	for _, s := range c.Astray {
		if slices.Contains(s.Fields, field) {
			return s.Why
		}
	}
	return ""
}

// renewedReason is what a journal says of such a write.
const renewedReason = "the record that it names is gone, and the same one is there under another id"

// renew has references written anew that lead nowhere, where both sides mean the same and nothing else is decided
// about the field.
func (c *Case) renew(r Rules, ds []merge.Decision) {
	for i := range ds {
		d := &ds[i]
		if d.Act != merge.Keep && d.Act != merge.Adopt || !d.Left.Equal(d.Right) {
			continue
		}
		for _, side := range record.Sides {
			if !c.renews(r, side, d.Field) {
				continue
			}
			d.Value, d.Reason = d.Left, merge.Because(renewedReason)
			switch {
			case d.Act.Writes(side.Other()):
				d.Act = merge.WriteBoth
			case side == record.Left:
				d.Act = merge.WriteLeft
			default:
				d.Act = merge.WriteRight
			}
		}
	}
}

// renews reports whether a reference of a side leads nowhere, and may be written there.
func (c *Case) renews(r Rules, side record.Side, field string) bool {
	return c.Outdated[side][field] && mayWrite(directionOf(r, field), side)
}

// notRenewed returns the references that lead nowhere and that no rule allows to be written.
func (c *Case) notRenewed(r Rules) (out []Stuck) {
	for _, side := range record.Sides {
		var fields []string
		for f := range c.Outdated[side] {
			if !c.renews(r, side, f) {
				fields = append(fields, f)
			}
		}
		slices.Sort(fields)
		for _, f := range fields {
			out = append(out, Stuck{side, record.FindUnwritable, []string{f}, fmt.Sprintf(
				"the record that its %s names is gone from %s and is there under another id, and %s is not written there: mend it in its record there",
				f, r.Kinds[side].System, f)})
		}
	}
	return out
}
