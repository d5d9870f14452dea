package plan

import (
	"maps"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

func held(d *merge.Decision, cause record.Cause, why string) {
	d.Act, d.Value, d.Loser = merge.Hold, record.Value{}, record.Value{}
	d.Policy, d.Reason = merge.Policy(cause), merge.Because(why)
}

// byPerson reports whether a person chose what a decision does.
func byPerson(d merge.Decision) bool {
	return d.Reason.Ground == merge.GroundChosen || d.Reason.Ground == merge.GroundAlways
}

// after returns the fields of side as they are once the decisions are carried out.
func (c *Case) after(ds []merge.Decision, side record.Side) record.Fields {
	out := maps.Clone(c.Sides[side].Now)
	if out == nil {
		out = record.Fields{}
	}
	for _, d := range ds {
		if d.Act.Writes(side) {
			out[d.Field] = d.Value
		}
	}
	return out
}

// native returns the native values by which a decision is written to side, nil where it can't be written.
func (c *Case) native(r Rules, side record.Side, d merge.Decision) record.Fields {
	native, why := nativeOf(r, *c, side, d)
	if why != "" {
		return nil
	}
	return native
}
