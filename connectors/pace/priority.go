package pace

import "context"

// Priority says whose request goes first.
type Priority uint8

// The priorities, first to last.
const (
	Booking Priority = iota // a booking, and what it waits on
	Write                   // a change of anything else
	Read                    // a record that is read before it is written
	Scan                    // a list
)

const priorities = 4

// String is the priority as status and metrics name it.
func (p Priority) String() string {
	switch p {
	case Booking:
		return "booking"
	case Write:
		return "write"
	case Read:
		return "read"
	case Scan:
		return "scan"
	}
	return "unknown"
}

type priorityKey struct{}

// With is a context whose requests go at a priority. What is read for its own sake,
// a list, stays a Scan.
func With(ctx context.Context, p Priority) context.Context {
	return context.WithValue(ctx, priorityKey{}, p)
}

// From is the priority that a context was given, or other if it was given none.
func From(ctx context.Context, other Priority) Priority {
	if p, ok := ctx.Value(priorityKey{}).(Priority); ok && p < priorities {
		return p
	}
	return other
}
