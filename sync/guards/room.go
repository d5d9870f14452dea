// Package guards holds changes back: sets that are too large, what may reach a person, and what a system refused
// or a person rejected. It also heeds what a person decided about a set.
package guards

import (
	"nightporter/sync/findings"
	"nightporter/sync/match"
	"nightporter/sync/observe"
	"nightporter/sync/proof"
	"nightporter/sync/record"
	"nightporter/sync/run"
	"nightporter/sync/trust"
)

// Room is what this package keeps during one run.
type Room struct {
	*run.Run
	store    store
	proof    *proof.Room
	match    *match.Room
	observe  *observe.Room
	trust    *trust.Room
	findings *findings.Room

	Rereads map[string]record.Reread // fields that are read in another way than when they were agreed to
	kept    map[run.KeptKey]bool     // changes that this run came to and did not send
	nevers  [2]*run.NeverList        // who is never written to, as last read
}

// New begins this part of a run.
func New(r *run.Run, proof *proof.Room, match *match.Room, observe *observe.Room, trust *trust.Room, findings *findings.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), proof: proof, match: match, observe: observe, trust: trust, findings: findings}
}
