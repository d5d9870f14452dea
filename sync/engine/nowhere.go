package engine

import (
	"context"
	"fmt"

	"nightporter/connectors"
)

// ledNowhere is what a reference means that a linked record shows anew, and whose record nobody
// shows. A record that its system has, outside of what is read, is left out by rule. One that is
// not there is no answer to the question whom is meant: what stands across stays until it is.
func (r *run) ledNowhere(ctx context.Context, ref Reference, res resolution) resolution {
	job := r.Jobs[ref.Binding]
	side := &job.Sides[res.wait.Side]
	var err error
	if get, ok := side.Conn.(connectors.Getter); ok && side.Can.Get {
		_, err = get.Get(ctx, res.wait.Ref, connectors.Scope{})
		if class := connectors.ClassOf(err); err == nil || class == connectors.OutOfScope || class == connectors.Moved {
			return res
		}
	}
	why := fmt.Sprintf("%s has no %s, whom its %s names: what stands here stays. Name another one in its record there", side.System, res.wait.Ref, ref.Field)
	if err != nil && connectors.ClassOf(err) != connectors.NotFound {
		why = fmt.Sprintf("%s of %s, whom its %s names, is in no list there and can't be read now: what stands here stays until it can", res.wait.Ref, side.System, ref.Field)
	}
	return resolution{standing: waiting, wait: res.wait, why: why, nowhere: true}
}
