package match

import (
	"nightporter/sync/record"
)

// HoldsSent reports whether a record holds what was sent, as far as it shows that. What the system makes of a value
// is allowed for. A record that shows nothing of what was sent does not hold it.
func (r *Room) HoldsSent(side record.Side, sent, now record.Fields) bool {
	shown := OnlyShown(sent, now)
	if len(shown) == 0 {
		return false
	}
	if now.Agrees(shown) {
		return true
	}
	a, _ := r.Job.Mapping.Read(side, now.With(shown))
	b, _ := r.Job.Mapping.Read(side, now)
	return b.Equal(a)
}

// OnlyShown returns what was sent for the paths that a record shows.
func OnlyShown(sent, now record.Fields) record.Fields {
	out := record.Fields{}
	for p, v := range sent {
		if now[p].Observed() {
			out[p] = v
		}
	}
	return out
}
