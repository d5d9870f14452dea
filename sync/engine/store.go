package engine

import (
	"context"
	"time"

	"nightporter/sync/apply"
	"nightporter/sync/pull"
	"nightporter/sync/record"
)

// Store is everything a run keeps. It is told apart by who needs what, so that no
// part can reach for more than its own.
type Store interface {
	pull.Sink
	apply.Journal
	Runs
	Entries
	Links
	Marks
	Doubts
	Kept
	Findings
	Stages
	Rereads
	History
	Standing
	Undos
	Verifies
	Absences
	Trials
	// Together makes the writes that do calls with its context one transaction. do
	// reads nothing.
	Together(ctx context.Context, do func(ctx context.Context) error) error
}

// Runs begins and ends runs.
type Runs interface {
	// AdoptOnly reports whether, and when, the state was put back to an older copy, and
	// the binding's sides were not compared since.
	AdoptOnly(ctx context.Context, b record.Binding) (time.Time, bool, error)
	// Paused is the pauses of writes that hold at a moment.
	Paused(ctx context.Context, now time.Time) ([]record.Pause, error)
	// ClearAdoptOnly says that they were.
	ClearAdoptOnly(ctx context.Context, l record.Lease, now time.Time) error
	// PutBack is when the state was put back last, and when the binding's sides had been compared
	// after that; from is zero where it never was, until where they were not yet.
	PutBack(ctx context.Context, b record.Binding) (from, until time.Time, err error)
	// Begin opens a run and makes its lease the only one that may write.
	Begin(ctx context.Context, b record.Binding, dry bool, now time.Time) (record.Lease, error)
	// End closes it.
	End(ctx context.Context, l record.Lease, outcome record.Outcome, errText string, c record.Counts, now time.Time) error
	// Alert keeps what a person must be told at once.
	Alert(ctx context.Context, l record.Lease, a record.Alert) error
	// Runs lists runs, newest first.
	Runs(ctx context.Context, b record.Binding, n int) ([]record.Run, error)
}

// Entries finds what is known of single records.
type Entries interface {
	// Entry is what is known of one record.
	Entry(ctx context.Context, place record.Place, ref record.Ref) (record.Entry, bool, error)
	// Entries is what is known of records, by their numbers.
	Entries(ctx context.Context, nums []int64) (map[int64]record.Entry, error)
	// Unlinked lists entries without a link that are to be looked at, by number.
	Unlinked(ctx context.Context, place record.Place, after int64, n int) ([]record.Entry, error)
	// Bereft lists links of which the record of a place was not found last, or is proven
	// gone, and the one across is there as it was, by number.
	Bereft(ctx context.Context, place record.Place) ([]record.Pair, error)
	// Naming lists the linked entries of a place, none that is proven gone, that were settled
	// with a reference to an entity, by number. All that is linked there is looked through.
	Naming(ctx context.Context, place record.Place, path string, to record.Value) ([]record.Entry, error)
	// UnlinkedSince lists every entry without a link that was first seen since then,
	// whatever became of it.
	UnlinkedSince(ctx context.Context, place record.Place, since time.Time) ([]record.Entry, error)
	// Parked reports whether any unlinked entry was put aside.
	Parked(ctx context.Context, place record.Place) (bool, error)
	// AnyUnlinked reports whether any unlinked entry is in a state.
	AnyUnlinked(ctx context.Context, place record.Place, state record.EntryState) (bool, error)
	// Unknown is a record of a place without a link of which nothing is known, as it took the id of another
	// one, and that is still to be read; the zero Ref where there is none.
	Unknown(ctx context.Context, place record.Place) (record.Ref, error)
	// Illegible lists unlinked entries that were shown and that no read could make sense
	// of since, by number.
	Illegible(ctx context.Context, place record.Place, n int) ([]record.Entry, error)
	// Matching lists the entries that hold any of the keys.
	Matching(ctx context.Context, place record.Place, keys []record.Key) ([]record.Entry, error)
	// Outside is unlinked entries outside of the window or the filter that held any of the keys.
	Outside(ctx context.Context, place record.Place, keys []record.Key) ([]record.Entry, error)
	// Superseded lists entries without a link that a newer version took the place of, that
	// hold any of the keys, and of which a create was sent and given up.
	Superseded(ctx context.Context, place record.Place, keys []record.Key) ([]record.Entry, error)
	// Linked is the linked records that hold keys, by key.
	Linked(ctx context.Context, place record.Place, keys []record.Key) (map[record.Key][]record.Ref, error)
	// Due lists entries that must be read by id now.
	Due(ctx context.Context, place record.Place, now time.Time, n int) ([]record.Entry, error)
	// Present lists the linked entries of a place that are not known to be absent, also those out of
	// scope, by number.
	Present(ctx context.Context, place record.Place, after int64, n int) ([]record.Entry, error)
	// Sample picks n linked entries at random.
	Sample(ctx context.Context, place record.Place, n int) ([]record.Entry, error)
}

// Links finds and makes links.
type Links interface {
	// Dirty lists links of which a side differs from its base, by number.
	Dirty(ctx context.Context, b record.Binding, after record.LinkID, n int) ([]record.Pair, error)
	// BeginAnew has the record of a side of a link that is over be a new one: the one before was gone.
	BeginAnew(ctx context.Context, l record.Lease, link record.LinkID, side record.Side, now time.Time) error
	// Strange lists the links of a place of which the record there is another one than was linked.
	Strange(ctx context.Context, p record.Place) ([]record.Pair, error)
	// Pair is a link by its number.
	Pair(ctx context.Context, link record.LinkID) (record.Pair, bool, error)
	// PairOf is the link of a record.
	PairOf(ctx context.Context, place record.Place, ref record.Ref) (record.Pair, bool, error)
	// ByEntity is the link of an entity.
	ByEntity(ctx context.Context, b record.Binding, entity string) (record.Pair, bool, error)
	// Stood is the record without a link that stood for an entity until the one across was gone; 0 for none.
	Stood(ctx context.Context, b record.Binding, entity string) (num int64, err error)
	// EntityOf is the entity of a record in whatever binding it is linked, or stood for so.
	EntityOf(ctx context.Context, system record.System, ref record.Ref) (string, bool, error)
	// EntitiesOf is EntityOf for many records of a system; those without one are missing.
	EntitiesOf(ctx context.Context, system record.System, refs []record.Ref) (map[record.Ref]string, error)
	// JoinAll links pairs of entries that have no link, and settles those that are.
	JoinAll(ctx context.Context, l record.Lease, all []record.Joining, now time.Time) ([]record.LinkID, error)
}

// Marks changes what is known, without a write to any system.
type Marks interface {
	// See stores what single reads showed.
	See(ctx context.Context, l record.Lease, place record.Place, mapping string, items []record.Seen) error
	// Judge says what a read by id proved.
	Judge(ctx context.Context, l record.Lease, num int64, st record.EntryState, why string, recheck, now time.Time) error
	// Adopt takes values into the bases of a link.
	Adopt(ctx context.Context, l record.Lease, link record.LinkID, bases [2]record.Fields, now time.Time) error
	// Distrust takes paths out of the bases of a link. over says that it is in doubt no
	// more.
	Distrust(ctx context.Context, l record.Lease, link record.LinkID, paths [2][]string, over bool) error
	// Park says why an entry is not in step.
	Park(ctx context.Context, l record.Lease, num int64, st record.EntryState, why string) error
	// Damaged puts an entry aside of which the store has damaged values.
	Damaged(ctx context.Context, l record.Lease, num int64) error
	// Touch has entries looked at by the next plan, whatever was seen of them.
	Touch(ctx context.Context, l record.Lease, nums []int64) error
	// Configured notes what records are decided by; where that changed, what was put
	// aside is looked at again.
	Configured(ctx context.Context, l record.Lease, settings string, now time.Time) error
	// WaitFor says which records an entry waits for. With an empty why its state
	// stays: it is only to be looked at again when they are linked.
	WaitFor(ctx context.Context, l record.Lease, num int64, on []record.Wait, why string, now time.Time) error
}

// Doubts keeps what waits: for a person, or for another record.
type Doubts interface {
	// OpenConflicts says which fields of a link (or the match of an entry) wait for
	// a person; those not named any more are closed.
	OpenConflicts(ctx context.Context, l record.Lease, link record.LinkID, entry int64, cs []record.Conflict, now time.Time) error
	// Choices is what persons are asked about a link's fields, and decided.
	Choices(ctx context.Context, link record.LinkID) (map[string]record.Conflict, error)
	// LeftSo reports whether a person said last of a link's field that both sides keep
	// what they have.
	LeftSo(ctx context.Context, link record.LinkID, field string) (bool, error)
	// RejectionsOf is the changes to a link that persons rejected, the latest first.
	RejectionsOf(ctx context.Context, link record.LinkID) ([]record.Rejection, error)
	// Conflicts is what persons are asked about a binding, or were, the oldest first.
	Conflicts(ctx context.Context, b record.Binding, open bool) ([]record.Conflict, error)
	// EntryChoice is what a person decided about an entry that was held.
	EntryChoice(ctx context.Context, entry int64) (record.Conflict, bool, error)
	// LeftOut is the records without a link that persons left out when they were asked
	// last, by entry: what that question rested on.
	LeftOut(ctx context.Context, b record.Binding) (map[int64]string, error)
	// Always is what persons decided once and for all.
	Always(ctx context.Context, b record.Binding) ([]record.Always, error)
	// Mean notes whom references meant that may not be settled by this run.
	Mean(ctx context.Context, l record.Lease, ms []record.Meant) error
	// Meant is whom a reference of an entry meant when that was noted last.
	Meant(ctx context.Context, entry int64, field string) (record.Meant, bool, error)
	// WaitedFor reports whether any record waits for this one.
	WaitedFor(ctx context.Context, place record.Place, ref record.Ref) (bool, error)
	// Lost lists intents of which nobody can know what became.
	Lost(ctx context.Context, b record.Binding) ([]record.Intent, error)
	// Claims is what persons said of lost intents, by intent. It goes with whatever
	// is noted of the intent next.
	Claims(ctx context.Context, b record.Binding) (map[string]record.Claim, error)
	// Unsettled lists intents without a receipt.
	Unsettled(ctx context.Context, b record.Binding) ([]record.Intent, error)
}

// Kept keeps which changes are not sent now because they may reach a person.
type Kept interface {
	// KeepBack notes that a change is not sent now. It is forgotten once it is sent.
	KeepBack(ctx context.Context, l record.Lease, k record.KeptBack) error
	// KeptBack is the changes that are not sent now.
	KeptBack(ctx context.Context, b record.Binding) ([]record.KeptBack, error)
	// LetGo forgets changes that are not to be sent any more.
	LetGo(ctx context.Context, l record.Lease, over []record.KeptBack) error
}

// Stages keeps the sets of changes that guards hold, and what persons said of them.
type Stages interface {
	// Spent is what was written to each side in the last 24 hours and seven days.
	Spent(ctx context.Context, b record.Binding, now time.Time) ([]record.Spent, error)
	// Stages is the sets that are not over, or all.
	Stages(ctx context.Context, b record.Binding, over bool) ([]record.Stage, error)
	// StagedOf is at most n changes of a set, all with 0.
	StagedOf(ctx context.Context, digest string, n int) ([]record.Staged, error)
	// Stage keeps a set; one of the same side and risk that nobody decided is over.
	Stage(ctx context.Context, l record.Lease, st record.Stage, rows []record.Staged) error
	// NoteStaged notes what became of changes of a set.
	NoteStaged(ctx context.Context, l record.Lease, digest string, actions []string, became string, now time.Time) error
	// EndStage says that a set is over.
	EndStage(ctx context.Context, l record.Lease, digest string, now time.Time) error
	// Mapped is the prints of the fields that were agreed to, nil for none.
	Mapped(ctx context.Context, b record.Binding) (map[string]string, error)
	// KeepMapped keeps them.
	KeepMapped(ctx context.Context, l record.Lease, prints map[string]string) error
	// Asking is the change of the fields that a person is asked about, and since when; "" for none.
	Asking(ctx context.Context, b record.Binding) (guard string, since time.Time, err error)
	// KeepAsking keeps it.
	KeepAsking(ctx context.Context, l record.Lease, guard string, since time.Time) error
}

// History is what earlier runs left.
type History interface {
	// Ended lists ended full scans of a place, newest first.
	Ended(ctx context.Context, place record.Place, n int) ([]record.EndedScan, error)
	// SinceCursor is where the next incremental scan starts, "" for nowhere.
	SinceCursor(ctx context.Context, place record.Place) (record.Cursor, error)
	// LinkCount is how many links a binding has.
	LinkCount(ctx context.Context, b record.Binding) (int, error)
	// Created lists the creates on a side that were settled since then.
	Created(ctx context.Context, place record.Place, since time.Time) ([]record.Intent, error)
	// Made is the links of those creates, and when each was settled.
	Made(ctx context.Context, place record.Place, since time.Time) ([]record.Made, error)
	// Alerted reports whether an entry was already told about under that name.
	Alerted(ctx context.Context, b record.Binding, entry int64, kind string) (bool, error)
	// Written is the settled changes of a link since a moment.
	Written(ctx context.Context, link record.LinkID, since time.Time) ([]record.Intent, error)
	// SentSince is when changes were sent to a place since then, the earliest first; those
	// that are known not to have been applied don't count, nor does the one named.
	SentSince(ctx context.Context, place record.Place, since time.Time, except string) ([]time.Time, error)
	// Refusals is what systems said no to and have not taken since, in the order in
	// which it was made.
	Refusals(ctx context.Context, b record.Binding) ([]record.Intent, error)
	// Forgiven says from when on refusals count.
	Forgiven(ctx context.Context, b record.Binding) ([]record.Forgiven, error)
}

// Trials keeps the first writes of each operation.
type Trials interface {
	// Trials is the last trial of each operation on each side.
	Trials(ctx context.Context, b record.Binding) ([]record.Trial, error)
	// KeepTrial keeps one in place of the one before it.
	KeepTrial(ctx context.Context, l record.Lease, t record.Trial) error
	// SentOnly is the paths of a record that no read has shown since they were sent.
	SentOnly(ctx context.Context, num int64) ([]string, error)
	// DropTrial forgets one that was not carried out.
	DropTrial(ctx context.Context, l record.Lease, t record.Trial) error
}

// Standing keeps what a job stands before, and what its sides were last seen to be.
type Standing interface {
	// Halt makes these the open halts of the lease's binding among those of the names
	// given.
	Halt(ctx context.Context, l record.Lease, names []string, halts []record.Halt, now time.Time) error
	// Halts is the open halts of a binding.
	Halts(ctx context.Context, b record.Binding) ([]record.Halt, error)
	// HaltsBeside is the open halts of a name that stop other jobs of a system, and that nobody has answered. None are
	// given while the place has an open halt of that name. Later, a halt that began before that one ended is left out.
	HaltsBeside(ctx context.Context, p record.Place, system record.System, name string) ([]record.Halt, error)
	// Former lists the bindings of the same two kinds that have links and are none of some,
	// if a binding has no link itself.
	Former(ctx context.Context, b record.Binding, some []record.Binding) ([]record.Binding, error)
	// Witnessed is what a place was last seen to be.
	Witnessed(ctx context.Context, place record.Place) (map[string]record.Witness, error)
	// Witness keeps what a side of the lease's binding is seen to be.
	Witness(ctx context.Context, l record.Lease, side record.Side, name, value string, now time.Time) error
	// Missing lists linked entries that the last complete scan did not show, or a read by
	// id did not find, and that are not proven gone, by number.
	Missing(ctx context.Context, place record.Place, after int64, n int) ([]record.Entry, error)
	// Discredit says that the last scan of a side did not show records that are there.
	Discredit(ctx context.Context, l record.Lease, side record.Side, flaw string) error
	// Lag is how late a place lists what we create.
	Lag(ctx context.Context, place record.Place, now time.Time) (record.Lag, error)
	// Stamped is the last create on a place that gave a record a mark.
	Stamped(ctx context.Context, place record.Place, mark string) (record.Intent, bool, error)
	// AsSettled reports whether every record of a place is linked, shows what was
	// settled with it, and is there.
	AsSettled(ctx context.Context, place record.Place) (bool, error)
	// BeginCopy notes the linked records that a side of the lease's binding lacks, which was put back to an older
	// copy: those that its last list did not show, and those found to be gone since a moment. another forgets what
	// else was noted.
	BeginCopy(ctx context.Context, l record.Lease, side record.Side, another bool, since time.Time) error
	// KeepCopy notes what that side shows of some entries that is not as it was settled: by path, as digests, in
	// place of what was noted of them before.
	KeepCopy(ctx context.Context, l record.Lease, side record.Side, shown map[int64]map[string]string) error
	// Copied is what was noted so of an entry: nil of one that was lacked; false where nothing was, or where the
	// record was in step since.
	Copied(ctx context.Context, place record.Place, num int64) (shown map[string]string, noted bool, err error)
	// EndCopied forgets what was noted of entries that are in step now, or have no link any more, and reports
	// whether nothing is left.
	EndCopied(ctx context.Context, l record.Lease, side record.Side) (none bool, err error)
	// ForgetVersions forgets which versions the records of a side of the lease's binding
	// were settled with.
	ForgetVersions(ctx context.Context, l record.Lease, side record.Side) error
	// Landed is the newest changes on a side that were settled since a moment.
	Landed(ctx context.Context, place record.Place, since time.Time, n int) ([]record.Landed, error)
}

// Absences keeps what is known of records that are gone.
type Absences interface {
	// Tombstone is what is remembered of a record that is gone, or was.
	Tombstone(ctx context.Context, entry int64) (record.Tombstone, bool, error)
	// Revenants is the unlinked records of a place that were gone and are there again.
	Revenants(ctx context.Context, place record.Place) ([]record.Tombstone, error)
	// Bury notes that a record is gone, and what proved it.
	Bury(ctx context.Context, l record.Lease, t record.Tombstone) error
	// After notes what came of the other record of a link, and that it was looked at.
	After(ctx context.Context, l record.Lease, link record.LinkID, done record.Aftermath) error
	// Part has a link only be remembered.
	Part(ctx context.Context, l record.Lease, link record.LinkID, st record.LinkState, done record.Aftermath, now time.Time) error
	// Estrange notes that the id of a record names another one than was linked.
	Estrange(ctx context.Context, l record.Lease, num int64, why string) error
	// Free ends a link, and the record of side is as if it had never had one.
	Free(ctx context.Context, l record.Lease, link record.LinkID, side record.Side, now time.Time) error
	// Rewire gives a link another record in place of one that is gone.
	Rewire(ctx context.Context, l record.Lease, link record.LinkID, side record.Side, to int64, now time.Time) error
	// Rejoin has a link that was only remembered go on.
	Rejoin(ctx context.Context, l record.Lease, link record.LinkID, now time.Time) error
	// Split takes a link apart whose record of a side is another one. why is what is asked about the one across.
	Split(ctx context.Context, l record.Lease, link record.LinkID, side record.Side, why string, now time.Time) error
}
