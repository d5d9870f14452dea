// Package statetest says what a checkpoint store does, as a suite that every kind
// of store must pass: one on disk, one in memory.
package statetest

import (
	"testing"

	"nightporter/state"
)

// Run runs the suite. open gives an empty store; the suite does not close it.
func Run(t *testing.T, open func(t *testing.T) *state.Store) {
	t.Helper()
	stories := []struct {
		name string
		tell func(*testing.T, *House)
	}{
		{"a binding keeps its systems", register},
		{"refusals are forgiven", forgiven},
		{"a decision stands for always", always},
		{"what was written lately is found by its link", written},
		{"what can't be read is listed", unreadable},
		{"a run takes the lease over", lease},
		{"nothing is written under an old lease", fenced},
		{"what was noted of times to come proves nothing", setBack},
		{"what was seen and written in times to come counts as of now", setBackRecords},
		{"what a read of times to come has overtaken is late for a day", setBackReads},
		{"runs and alerts are listed newest first", runs},
		{"a first page is stored once", firstPage},
		{"a page that repeats is noticed", doubles},
		{"a scan is resumed while it is young and the same", resume},
		{"a complete scan makes absences suspicions", suspects},
		{"a scan begins when its first page is read", suspectsOfALateScan},
		{"a clock that was set back hides no absence", suspectsOfAClockSetBack},
		{"one that is gone hides no other absence", suspectBesideGone},
		{"an incomplete or incremental scan does not", noSuspects},
		{"a record shown again comes back", returns},
		{"an item that can't be read goes to quarantine", quarantined},
		{"a clean listing is remembered", listedWhenClean},
		{"an edit back to the bytes last listed is seen", editBack},
		{"a receipt forgets the listing", receiptForgetsListing},
		{"a receipt of a create forgets both listings", receiptOfCreateForgets},
		{"whatever touches a link forgets the listing", forgetsListing},
		{"F29 a read from before our write says nothing", staleRead},
		{"a late read of what we replaced is no change", preImage},
		{"a late read of what we replaced is no change beside a user's edit", preImageAfterEdit},
		{"a late list that shows less than a new record's read is no change", lessThanRead},
		{"what was entered before our write went over it is no change", olderThanWrite},
		{"a base that was sent is learnt from the next read", provisional},
		{"a base that the answer did not show is learnt from the next read", partAnswer},
		{"a base that was sent is learnt path by path", provisionalByPath},
		{"a base that was sent stays to be learnt after another write", provisionalTwice},
		{"what a write replaced is learnt by no read", provisionalPreImage},
		{"what may have come of a change without an answer is learnt after the next", unanswered},
		{"what a change without an answer replaced is learnt by no read", unansweredPutBack},
		{"what was settled after a change without an answer is learnt by no read", unansweredSettled},
		{"what was edited since the last answer is learnt by no read", unansweredBefore},
		{"what was edited since a change that was not applied is learnt by no read", notApplied},
		{"what was edited since a change that was not sent is learnt by no read", notSent},
		{"a partial read keeps what it does not show", partialRead},
		{"a new mapping is first contact for the fields it changes", remapped},
		{"what was put aside comes back when it changes", asideReturns},
		{"records are found by key", matching},
		{"records are joined once", join},
		{"a link goes on with what has no link and no open create", rewired},
		{"what is not linked and what is dirty is listed in slices", inSlices},
		{"what is linked wakes what waits for it", waits},
		{"waiting for what is already linked does not last", waitsTooLate},
		{"an entity is shared by bindings", entities},
		{"a conflict keeps its number while its values stay", conflicts},
		{"a choice makes the pair dirty", choices},
		{"a place is as it was settled", asSettled},
		{"a create makes a link", create},
		{"a create that ends at a known record takes it over", adopted},
		{"a create from what is gone by now leaves that in doubt", adoptedTooLate},
		{"an update takes the base from the answer", update},
		{"one change at a time", oneAtATime},
		{"a lost change stays in the way", lost},
		{"what a person says of a lost change is kept until it is used up", claims},
		{"only a lost change can be claimed", claimsRefused},
		{"the last refusal counts until a success", refusals},
		{"writes together are one", together},
		{"the journal tells what happened", journal},
		{"old history is pruned, open things stay", prune},
		{"nothing is remembered for a week, something for long", pruneQuiet},
		{"many are linked as one is", joinAll},
		{"everything is counted", counts},
		{"a lease is asked about before a request", holds},
		{"what is asked for is done once and can be followed", requests},
		{"a request is taken back while nobody took it up", withdrawn},
		{"no hint is lost or taken twice", hints},
		{"a pause ends by itself", pauses},
		{"what guards count is counted by risk, side and age", spent},
		{"a set of changes waits whole for a person", stages},
		{"a larger set takes the place of one nobody decided", stageReplaced},
		{"a set that is over can't be decided", stageDecided},
		{"fields are as they were agreed to", mapped},
		{"a configuration is kept once, and a run names its own", configs},
		{"a slot is settled once", ledger},
		{"what is called for is answered by number", calls},
		{"a state that was not put back may create", notAdoptOnly},
		{"size and open things are told", stats},
		{"history is pruned in steps", pruneInSteps},
		{"records are found by id and by what they hold", found},
		{"what happened to a record is told", told},
		{"a run is taken back", takenBack},
		{"a record that was deleted is made anew", renewed},
		{"values come back as they were", roundTrip},
		{"no edit is ever lost", noEditLost},
	}
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) { s.tell(t, NewHouse(t, open(t))) })
	}
}
