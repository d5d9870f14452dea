package run

import (
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Staged is a set of changes that a run held, or would hold.
type Staged struct {
	Stage   record.Stage
	Actions []plan.Action
}
