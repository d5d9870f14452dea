package run

import (
	"context"

	"nightporter/sync/record"
)

// RereadStore keeps how fields were read.
type RereadStore interface {
	// ReadAs returns how each field was last read on both sides; nil if nothing is known.
	ReadAs(ctx context.Context, b record.Binding) (map[string][2]string, error)
	// Rereads returns the fields that are read in another way than when they were agreed to.
	Rereads(ctx context.Context, b record.Binding) (map[string]record.Reread, error)
	// MeetAnew takes paths out of the bases of all links, so that their values are decided as at a first meeting.
	// It also keeps how fields are read now, and which are read in another way than when they were agreed to.
	MeetAnew(ctx context.Context, l record.Lease, anew [2][]record.Anew, read map[string][2]string, fields map[string]record.Reread) error
}
