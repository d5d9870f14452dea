package histories

// Reasons that several things of the table share.
const (
	oneJob     = "the oracle is written for these two jobs; internal/month and internal/week play others"
	ofCalls    = "of calls that are asked for: TestOutboundCallsAreNeverPlacedTwice in internal/e2e draws them, with faults and kills"
	ofOrders   = "of orders: sync/plan and the orders of internal/e2e prove it"
	ofRequests = "of a preset's requests for a status: TestOutside31StatusRequestsWithoutUpdate in internal/e2e plays them"
	ofFiles    = "of documents: TestDocumentsLaw and TestDocumentsKilledAnywhere in internal/e2e draw edits, renames, faults and kills of versions with contents"
	ofDesk     = "of accept_if, where the desk is asked before a booking is made: TestLastRoomSoldBySlowDesk and its like in internal/e2e prove it"
	ofMerging  = "rapid draws it in the laws of sync/merge, where each policy is a pure function"
	ofApp      = "of what is put together around an engine, which histories don't have: internal/app and internal/e2e prove it"
	ofHouse    = "the program's own housekeeping, no decision"
	sideBySide = "pages that are read side by side come in another order each time, and no seed would be the same twice; sync/pull has tests with a race detector"
)

// undrawn is what no history draws, and why. Whoever adds a trait, a setting, a way of a run
// or a decision either has histories draw it or says here what proves it in their place.
var undrawn = map[string]string{
	"memory.Kind.Ahead":          sideBySide,
	"memory.Kind.Once":           ofCalls,
	"memory.Kind.Clears":         "the fields of a booking are what the oracle tells it by: TestOutside06AnActionThatEmpties in sync/engine",
	"memory.Kind.GetHides":       "what only lists show, a system that replaces empties with no read that could tell at once: TestOutside06WhatListsAloneShow in sync/engine, killed at each step",
	"memory.Kind.Drops":          "it goes with GetHides",
	"memory.Kind.ReplacesWithin": "the note stands alone in the part of its record: TestOutside06AnObjectWithinIsReplaced in sync/engine, killed at each step",
	"memory.Kind.Keeps":          "what a system keeps for itself is no field of a job here: TestOutside06ATimeThatPassesAsACard in sync/engine",
	"connectors.Kind.Keeps":      "it goes with that of memory.Kind",
	"memory.Kind.Filter":         "an edit that takes a record out of the filter is never seen, and the oracle has no word for it: TestUnansweredCreateOutsideOfTheFilter in sync/engine",
	"connectors.Kind.Filtered":   "it goes with that of memory.Kind",
	"memory.Kind.Accept":         ofDesk,
	"memory.Kind.Contents":       ofFiles,
	"memory.Kind.NewID":          "no id is given twice: that is a weakness of its own (docs/status.md)",

	"memory.Kind.GivesAgain":          "the oracle tells a record by its id: TestOutsideOurCreateIsGivenAnID in sync/engine, killed at each step",
	"connectors.Kind.MakesNew":        "it goes with GivesAgain",
	"connectors.Kind.OnePage":         "it says how requests are counted, and nothing is counted here",
	"connectors.Kind.Immutable":       ofFiles,
	"connectors.Kind.Contents":        ofFiles,
	"connectors.Kind.Waits":           "it changes with a preset alone: TestOutside30CorrectedPreset in internal/e2e",
	"connectors.Kind.ReadOnly":        "check refuses a mapping that would write there, before any run: TestOutside05PathsOfAPreset in connectors/rest",
	"connectors.Kind.Words":           "words that are only shown are refused by check before a run; sync/plan proves that none is written",
	"connectors.Kind.Carries":         ofRequests,
	"connectors.Kind.NotNew":          ofRequests,
	"connectors.Kind.Needs":           ofOrders,
	"connectors.Kind.Updates":         ofOrders,
	"connectors.Kind.Import":          "an import writes nothing to a system: docs/adr/0018-imports.md",
	"connectors.Kind.Once":            ofCalls,
	"connectors.Kind.Asks":            ofDesk,
	"connectors.Description.Notifies": ofApp,

	"connectors.Kind.IDs":   "what ids are made of changes with the file alone: TestOutsideAnotherKeyIsNotGoneBy and its like in sync/engine prove it",
	"connectors.Kind.Reads": "how a value is read changes with the file or the program alone: the tests of readings in sync/engine prove it",
	"run.Job.Rows":          "no two jobs share a kind here: TestOutsideRowsOfAnotherSortAreNoGuests in sync/engine proves it",

	"run.Job.Mapping": oneJob, "run.Job.Zone": oneJob,
	"run.Side.Conn":    "there is always one",
	"run.Side.Settle":  "it is the oracle's own measure of what is late",
	"run.Side.Send":    ofCalls,
	"run.Booking.Asks": ofDesk, "run.Booking.AnswerWithin": ofDesk,
	"run.Booking.Status": oneJob, "run.Booking.Authority": oneJob, "run.Booking.Refused": oneJob, "run.Booking.Pending": oneJob,
	"run.Booking.First": oneJob, "run.Booking.Last": oneJob, "run.Booking.Dead": oneJob,
	"run.Reference.Field": oneJob, "run.Reference.Binding": oneJob, "run.Reference.Sides": oneJob,
	"run.Reference.IfLeftOut": "a name is written in the place of a guest then, whom the oracle tells by it; sync/engine proves it",
	"run.Reference.Snapshot":  "what a booking shows of its guest is written again then; sync/engine proves it",

	"plan.Rules.Mapping": oneJob,
	"plan.Rules.Skew":    ofMerging,
	"plan.Rules.Span":    ofMerging,
	"plan.Rules.Over":    ofOrders, "plan.Rules.Clashes": ofOrders, "plan.Rules.Sums": ofOrders,
	"plan.Kind.Constants": "written with a create and never looked at again; sync/plan proves it",
	"plan.Kind.ReadOnly":  "a side of which nothing is written, as by a create that is never and a kind that can't be changed, which are drawn together",
	"plan.Kind.Carries":   ofRequests, "plan.Kind.NotNew": ofRequests,
	"plan.Kind.Needs": ofOrders, "plan.Kind.Updates": ofOrders, "plan.Kind.Change": ofOrders,
	"plan.Kind.Contents":   ofFiles,
	"guard.Guards.Changed": "a share of all links, and here are five of them at most",

	"merge.Rule.Initial": ofMerging, "merge.Rule.To": ofMerging, "merge.Rule.Enforce": ofMerging, "merge.Rule.Once": ofMerging,
	"merge.Rule.Element": ofMerging, "merge.Rule.Lossy": ofMerging,
	"merge.Rule.Same": "there is always one",

	"engine.Options.After":  "a run that a sync begins by itself, once guests were made: internal/e2e and internal/week",
	"engine.Options.Find":   "a record that a webhook names by a key: internal/e2e and internal/month",
	"engine.Options.Verify": "it runs on a copy of the state: TestVerify in sync/engine",
	"engine.Options.Undo":   "it has laws of its own, and is killed at each of its steps: TestUndoAtNight and its like in sync/engine",

	"choice same":    "few histories come to it: TestAllPutBackIsAPersonsWord plays one",
	"state AskAgain": "it has a record that was left out looked at as any edit of it does: TestWeakTwoWithOneKey in sync/engine",
	"state Hint":     ofApp, "state Withdraw": ofApp, "state Request": ofApp, "state Resend": ofApp,
	"state Install": ofHouse, "state NoteConfig": ofHouse, "state Rename": ofHouse, "state Prune": ofHouse, "state KeepPlan": ofHouse,
}
