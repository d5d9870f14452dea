package observe

import (
	"context"
	"fmt"
	"io"
	"slices"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// OpenContent opens the content that a create gives at a native path. The bytes come from the record on the other
// side that the create is made from.
func (r *Room) OpenContent(ctx context.Context, in record.Intent, path string) (io.ReadCloser, error) {
	side := in.Place.Side.Other()
	from, ok := r.Side(side).Conn.(connectors.Opener)
	if !ok {
		return nil, connectors.Wrong(connectors.Rejected, "open content", "%s gives no contents", r.Side(side).System)
	}
	known, err := r.store.Entries(ctx, []int64{in.From})
	if err != nil {
		return nil, err
	}
	source, ok := known[in.From]
	if !ok {
		return nil, connectors.Wrong(connectors.NotFound, "open content", "the record that it is made from is not known")
	}
	for _, f := range r.Job.Mapping.Fields() {
		if !slices.Contains(r.Job.Mapping.Outputs(in.Place.Side, f.Name), path) {
			continue
		}
		if own := r.Job.Mapping.Inputs(side, f.Name); len(own) == 1 {
			return from.Open(ctx, source.Ref, own[0])
		}
	}
	return nil, fmt.Errorf("open content: no field of the job gives %s", path)
}
