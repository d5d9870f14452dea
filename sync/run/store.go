package run

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"nightporter/sync/apply"
	"nightporter/sync/pull"
	"nightporter/sync/record"
)

// Stores is everything that runs keep, by subject. A room takes those that it needs when it is made, and reaches no
// other.
type Stores struct {
	pull.Sink
	apply.Journal
	Bounds
	EntryStore
	Strangers
	Links
	Marks
	Answers
	Meanings
	Sent
	Kept
	StageStore
	History
	TrialStore
	HaltStore
	Seen
	Copies
	Absences
	RoomChecks
	FindingStore
	RereadStore
	Undos
	Verifies
	Whole
}

// StoresOf returns all stores of a state. It fails if the state does not have all methods of one of them.
func StoresOf(state any) (out Stores, err error) {
	of, all := reflect.ValueOf(state), reflect.ValueOf(&out).Elem()
	for i := range all.NumField() {
		if want := all.Type().Field(i); !of.Type().Implements(want.Type) {
			return Stores{}, fmt.Errorf("%T has not all of %s", state, want.Name)
		}
		all.Field(i).Set(of)
	}
	return out, nil
}

// Whole makes several writes one transaction.
type Whole interface {
	// Together runs do, and makes one transaction of all writes that do makes with its context. do reads nothing.
	Together(ctx context.Context, do func(ctx context.Context) error) error
}

// Bounds begins and ends runs.
type Bounds interface {
	// AdoptOnly reports whether the state was put back to an older copy, and the binding's sides were not
	// compared since. It also says when the state was put back.
	AdoptOnly(ctx context.Context, b record.Binding) (time.Time, bool, error)
	// Paused returns the pauses of writes that hold at a moment.
	Paused(ctx context.Context, now time.Time) ([]record.Pause, error)
	// ClearAdoptOnly notes that the binding's sides were compared since the state was put back.
	ClearAdoptOnly(ctx context.Context, l record.Lease, now time.Time) error
	// PutBack returns when the state was last put back, and when the binding's sides had been compared after
	// that. from is zero if the state was never put back, until is zero if the sides were not compared yet.
	PutBack(ctx context.Context, b record.Binding) (from, until time.Time, err error)
	// Begin opens a run and makes its lease the only one that may write.
	Begin(ctx context.Context, b record.Binding, dry bool, now time.Time) (record.Lease, error)
	// End ends a run.
	End(ctx context.Context, l record.Lease, outcome record.Outcome, errText string, c record.Counts, now time.Time) error
	// Alert keeps something that a person must be told at once.
	Alert(ctx context.Context, l record.Lease, a record.Alert) error
	// Runs lists runs, newest first.
	Runs(ctx context.Context, b record.Binding, n int) ([]record.Run, error)
	// Configured notes the settings that records are decided by. If they have changed, records that were
	// put aside are looked at again.
	Configured(ctx context.Context, l record.Lease, settings string, now time.Time) error
}

// EntryStore finds what is known of single records.
type EntryStore interface {
	// Entry is what is known of one record.
	Entry(ctx context.Context, place record.Place, ref record.Ref) (record.Entry, bool, error)
	// Entries is what is known of records, by their numbers.
	Entries(ctx context.Context, nums []int64) (map[int64]record.Entry, error)
	// Matching lists the entries that hold any of the keys.
	Matching(ctx context.Context, place record.Place, keys []record.Key) ([]record.Entry, error)
	// Linked returns the linked records that hold one of the keys, by key.
	Linked(ctx context.Context, place record.Place, keys []record.Key) (map[record.Key][]record.Ref, error)
	// Due lists entries that must be read by id now.
	Due(ctx context.Context, place record.Place, now time.Time, n int) ([]record.Entry, error)
	// Present lists the linked entries of a place that are not known to be absent, by number. Entries out
	// of scope are among them.
	Present(ctx context.Context, place record.Place, after int64, n int) ([]record.Entry, error)
	// GoneAcross returns the number of the record that is gone, and that a record without a link was linked with
	// until then; 0 if there is none.
	GoneAcross(ctx context.Context, num int64) (int64, error)
	// Sample picks n linked entries at random.
	Sample(ctx context.Context, place record.Place, n int) ([]record.Entry, error)
	// Naming lists the linked entries of a place that were settled with a reference to an entity, by
	// number. Entries that are proven gone are left out. It looks through all linked entries of the place.
	Naming(ctx context.Context, place record.Place, path string, to record.Value) ([]record.Entry, error)
	// Bereft lists links by number of which the record of a place was not found last, or is proven gone,
	// while the one across is there as it was.
	Bereft(ctx context.Context, place record.Place) ([]record.Pair, error)
}

// Strangers finds records without a link.
type Strangers interface {
	// Unlinked lists entries without a link that are to be looked at, by number.
	Unlinked(ctx context.Context, place record.Place, after int64, n int) ([]record.Entry, error)
	// UnlinkedSince lists every entry without a link that was first seen at that time or later, whatever became of it.
	UnlinkedSince(ctx context.Context, place record.Place, since time.Time) ([]record.Entry, error)
	// Parked reports whether any entry without a link was put aside.
	Parked(ctx context.Context, place record.Place) (bool, error)
	// AnyUnlinked reports whether any entry without a link is in a state.
	AnyUnlinked(ctx context.Context, place record.Place, state record.EntryState) (bool, error)
	// Illegible lists entries without a link that were shown and that no read has been able to make sense
	// of since, by number.
	Illegible(ctx context.Context, place record.Place, n int) ([]record.Entry, error)
	// Outside returns entries without a link that are outside of the window or the filter, and last held
	// one of the keys.
	Outside(ctx context.Context, place record.Place, keys []record.Key) ([]record.Entry, error)
	// Superseded lists entries without a link that hold one of the keys. A newer version took the place of
	// each, and a create was sent for it and given up.
	Superseded(ctx context.Context, place record.Place, keys []record.Key) ([]record.Entry, error)
}

// Links finds and makes links.
type Links interface {
	// Dirty lists links with a side that differs from its base, by number.
	Dirty(ctx context.Context, b record.Binding, after record.LinkID, n int) ([]record.Pair, error)
	// BeginAnew makes the record of a side a new one that nothing is known of. Its link is over: the
	// record that had the id before was gone, and stays so.
	BeginAnew(ctx context.Context, l record.Lease, link record.LinkID, side record.Side, now time.Time) error
	// Strange lists the links of a place on which the id of the record names another one than was linked.
	Strange(ctx context.Context, p record.Place) ([]record.Pair, error)
	// Pair is a link by its number.
	Pair(ctx context.Context, link record.LinkID) (record.Pair, bool, error)
	// PairOf returns the link of a record.
	PairOf(ctx context.Context, place record.Place, ref record.Ref) (record.Pair, bool, error)
	// ByEntity returns the link that stands for an entity.
	ByEntity(ctx context.Context, b record.Binding, entity string) (record.Pair, bool, error)
	// Stood returns the number of the record that stood for an entity until its partner was gone, and has
	// no link now; 0 if there is none.
	Stood(ctx context.Context, b record.Binding, entity string) (num int64, err error)
	// EntityOf returns the entity that a record stands for in any binding, or stood for until its partner
	// was gone; false if there is none.
	EntityOf(ctx context.Context, system record.System, ref record.Ref) (string, bool, error)
	// EntitiesOf is EntityOf for many records of a system. Records without an entity are left out.
	EntitiesOf(ctx context.Context, system record.System, refs []record.Ref) (map[record.Ref]string, error)
	// JoinAll links pairs of entries that have no link. It settles those pairs that are marked as settled.
	JoinAll(ctx context.Context, l record.Lease, all []record.Joining, now time.Time) ([]record.LinkID, error)
}

// Marks changes what is known of records, without a write to any system.
type Marks interface {
	// See stores what single reads showed.
	See(ctx context.Context, l record.Lease, place record.Place, mapping string, items []record.Seen) error
	// Judge notes what a read by id has proven.
	Judge(ctx context.Context, l record.Lease, num int64, st record.EntryState, why string, recheck, now time.Time) error
	// Adopt takes values into the bases of a link.
	Adopt(ctx context.Context, l record.Lease, link record.LinkID, bases [2]record.Fields, now time.Time) error
	// Distrust takes paths out of the bases of a link. over says that the link is in doubt no more.
	Distrust(ctx context.Context, l record.Lease, link record.LinkID, paths [2][]string, over bool) error
	// Park notes why an entry is not in step.
	Park(ctx context.Context, l record.Lease, num int64, st record.EntryState, cause record.Cause, why string) error
	// Damaged puts an entry aside because the values that the store keeps of it are damaged.
	Damaged(ctx context.Context, l record.Lease, num int64) error
	// Touch makes the next plan look at entries, whatever was seen of them.
	Touch(ctx context.Context, l record.Lease, nums []int64) error
}

// Answers keeps what persons are asked, and what they have answered.
type Answers interface {
	// Ask stores which fields of a link, or which match of an entry, wait for a person. Questions that are
	// not named any more are closed.
	Ask(ctx context.Context, l record.Lease, link record.LinkID, entry int64, cs []record.Question, now time.Time) error
	// Choices returns what persons are asked about the fields of a link, and what they have decided.
	Choices(ctx context.Context, link record.LinkID) (map[string]record.Question, error)
	// LeftSo reports whether the last answer about a field of a link was that both sides keep what they have.
	LeftSo(ctx context.Context, link record.LinkID, field string) (bool, error)
	// RejectionsOf returns the changes to a link that persons rejected, the latest first.
	RejectionsOf(ctx context.Context, link record.LinkID) ([]record.Rejection, error)
	// Questions returns what persons are asked about a binding, or have been asked, the oldest first.
	Questions(ctx context.Context, b record.Binding, open bool) ([]record.Question, error)
	// EntryChoice returns what a person decided about an entry that was held.
	EntryChoice(ctx context.Context, entry int64) (record.Question, bool, error)
	// LeftOut returns the records without a link that persons left out with their last answer: by entry,
	// what that question rested on.
	LeftOut(ctx context.Context, b record.Binding) (map[int64]record.Rests, error)
	// Always returns what persons decided once and for all.
	Always(ctx context.Context, b record.Binding) ([]record.Always, error)
}

// Meanings keeps which records references mean, and which records wait for others.
type Meanings interface {
	// Mean notes which records references meant, because this run may not settle them.
	Mean(ctx context.Context, l record.Lease, ms []record.Meant) error
	// Meant returns which record a reference of an entry meant when that was last noted.
	Meant(ctx context.Context, entry int64, field string) (record.Meant, bool, error)
	// WaitFor notes which records an entry waits for. With an empty why the entry keeps its state: it is
	// only to be looked at again when those records are linked.
	WaitFor(ctx context.Context, l record.Lease, num int64, on []record.Wait, why string, now time.Time) error
	// WaitedFor reports whether any record waits for this one.
	WaitedFor(ctx context.Context, place record.Place, ref record.Ref) (bool, error)
}

// Sent tells of changes that were sent. Of some nobody knows yet what became of them, and of some
// nobody can know that.
type Sent interface {
	// Unsettled lists intents without a receipt.
	Unsettled(ctx context.Context, b record.Binding) ([]record.Intent, error)
	// Lost lists intents of which nobody can know what became of them.
	Lost(ctx context.Context, b record.Binding) ([]record.Intent, error)
	// Claims returns what persons said became of lost intents, by intent. A claim ends with whatever is
	// noted of its intent next.
	Claims(ctx context.Context, b record.Binding) (map[string]record.Claim, error)
	// RefuseClaim ends what a person said of a lost intent, and keeps why that can't be so. It returns all
	// reasons that are known why nobody knows what became of the intent.
	RefuseClaim(ctx context.Context, l record.Lease, intent, why string) (string, error)
	// Stamped returns the last create on a place that gave a record this mark.
	Stamped(ctx context.Context, place record.Place, mark string) (record.Intent, bool, error)
	// Made returns the links of the records that were created on a place since then, and when each create was settled.
	Made(ctx context.Context, place record.Place, since time.Time) ([]record.Made, error)
	// Created lists the creates on a place that were settled since then.
	Created(ctx context.Context, place record.Place, since time.Time) ([]record.Intent, error)
	// Landed returns the newest n changes on a place that were settled since then.
	Landed(ctx context.Context, place record.Place, since time.Time, n int) ([]record.Landed, error)
}

// Kept keeps which changes are held back because they may reach a person.
type Kept interface {
	// KeepBack notes that a change is held back now. The note is forgotten once the change is sent.
	KeepBack(ctx context.Context, l record.Lease, k record.KeptBack) error
	// KeptBack returns the changes that are held back now.
	KeptBack(ctx context.Context, b record.Binding) ([]record.KeptBack, error)
	// LetGo forgets changes that were held back and are not to be sent any more.
	LetGo(ctx context.Context, l record.Lease, over []record.KeptBack) error
}

// StageStore keeps the sets of changes that guards hold, and what persons said of them.
type StageStore interface {
	// Spent returns what was written to each side in the last 24 hours and in the last seven days.
	Spent(ctx context.Context, b record.Binding, now time.Time) ([]record.Spent, error)
	// Stages returns the sets that are not over; with over, all sets.
	Stages(ctx context.Context, b record.Binding, over bool) ([]record.Stage, error)
	// StagedOf returns at most n changes of a set; with n 0, all of them.
	StagedOf(ctx context.Context, digest string, n int) ([]record.Staged, error)
	// Stage keeps a set. Another set of the same side and risk is over then, if nobody has decided it.
	Stage(ctx context.Context, l record.Lease, st record.Stage, rows []record.Staged) error
	// NoteStaged notes what became of changes of a set.
	NoteStaged(ctx context.Context, l record.Lease, digest string, actions []string, became string, now time.Time) error
	// EndStage notes that a set is over.
	EndStage(ctx context.Context, l record.Lease, digest string, now time.Time) error
	// Mapped returns the prints of the fields that were agreed to, nil if there are none.
	Mapped(ctx context.Context, b record.Binding) (map[string]string, error)
	// KeepMapped keeps the prints of the fields that are agreed to now.
	KeepMapped(ctx context.Context, l record.Lease, prints map[string]string) error
	// Asking returns the change of the fields that a person is asked about, and since when; "" if there is none.
	Asking(ctx context.Context, b record.Binding) (fields string, since time.Time, err error)
	// KeepAsking keeps the change of the fields that a person is asked about.
	KeepAsking(ctx context.Context, l record.Lease, fields string, since time.Time) error
}

// History tells what earlier runs have left.
type History interface {
	// Ended lists the full scans of a place that have ended, the newest first.
	Ended(ctx context.Context, place record.Place, n int) ([]record.EndedScan, error)
	// SinceCursor returns where the next incremental scan starts, "" if no scan has said.
	SinceCursor(ctx context.Context, place record.Place) (record.Cursor, error)
	// LinkCount returns how many links a binding has.
	LinkCount(ctx context.Context, b record.Binding) (int, error)
	// LastAlert returns the text of the last alert of that kind about an entry, "" if there was none.
	LastAlert(ctx context.Context, b record.Binding, entry int64, kind string) (string, error)
	// Alerted reports whether there was an alert of that kind about an entry already.
	Alerted(ctx context.Context, b record.Binding, entry int64, kind string) (bool, error)
	// Written returns the changes of a link that were settled since then.
	Written(ctx context.Context, link record.LinkID, since time.Time) ([]record.Intent, error)
	// SentSince returns when changes were sent to a place since then, the earliest first. It leaves out
	// changes that are known not to have been applied, and the one with the id except.
	SentSince(ctx context.Context, place record.Place, since time.Time, except string) ([]time.Time, error)
	// Refusals returns what systems said no to and have not taken since, in the order in which the changes were made.
	Refusals(ctx context.Context, b record.Binding) ([]record.Intent, error)
	// Forgiven returns from when on refusals count.
	Forgiven(ctx context.Context, b record.Binding) ([]record.Forgiven, error)
}

// TrialStore keeps the trials: the first write of each operation.
type TrialStore interface {
	// Trials returns the last trial of each operation on each side, and trials that were put aside.
	Trials(ctx context.Context, b record.Binding) ([]record.Trial, error)
	// KeepTrial keeps a trial in place of the one before it.
	KeepTrial(ctx context.Context, l record.Lease, t record.Trial) error
	// SentOnly returns the paths of a record that no read has shown since they were sent.
	SentOnly(ctx context.Context, num int64) ([]string, error)
	// DropTrial forgets a trial that was not carried out.
	DropTrial(ctx context.Context, l record.Lease, t record.Trial) error
}

// HaltStore keeps the halts that a job stands before.
type HaltStore interface {
	// Stand makes these halts open for the lease's binding. Open halts of the given causes that are not
	// among them are over.
	Stand(ctx context.Context, l record.Lease, causes []record.Cause, halts []record.Question, now time.Time) error
	// Halts returns the open halts of a binding.
	Halts(ctx context.Context, b record.Binding) ([]record.Question, error)
	// HaltsBeside returns the open halts of a cause that stop other jobs of a system, and that nobody has
	// answered. A halt is left out if it began before the place's own halt of that cause ended.
	HaltsBeside(ctx context.Context, p record.Place, system record.System, cause record.Cause) ([]record.Question, error)
	// Former lists the bindings of the same two kinds that have links, if a binding has no link itself.
	// Bindings named in some are left out.
	Former(ctx context.Context, b record.Binding, some []record.Binding) ([]record.Binding, error)
	// FormerPairs returns at most n links of bindings that are not named in some, of which b knows both
	// records by their ids. It returns none once b has a link.
	FormerPairs(ctx context.Context, b record.Binding, some []record.Binding, n int) ([]record.FormerPair, error)
}

// Seen keeps what sides were last seen to be, and how far that can be believed.
type Seen interface {
	// Witnessed returns what a place was last seen to be, by the name of the trait.
	Witnessed(ctx context.Context, place record.Place) (map[string]record.Witness, error)
	// Witness keeps what a side of the lease's binding is seen to be, as the value of a trait.
	Witness(ctx context.Context, l record.Lease, side record.Side, name, value string, now time.Time) error
	// Missing lists linked entries that the last complete scan did not show, or that a read by id did not
	// find, by number. Entries that are proven gone are left out.
	Missing(ctx context.Context, place record.Place, after int64, n int) ([]record.Entry, error)
	// Discredit notes that the last scan of a side did not show records that are there. The scan counts as
	// incomplete then.
	Discredit(ctx context.Context, l record.Lease, side record.Side, flaw string) error
	// Lag returns how late a place shows what we write there.
	Lag(ctx context.Context, place record.Place, now time.Time) (record.Lag, error)
	// AsSettled reports whether every record of a place is linked, is there, and shows what was settled with it.
	AsSettled(ctx context.Context, place record.Place) (bool, error)
	// ForgetVersions forgets which versions the records of a side of the lease's binding
	// were settled with.
	ForgetVersions(ctx context.Context, l record.Lease, side record.Side) error
}

// Copies keeps, for a side that was put back to an older copy, what the copy shows and what it lacks.
type Copies interface {
	// BeginCopy notes which linked records the copy lacks: those that the last list did not show, and
	// those found to be gone since that time. another says that it is another copy than before: then
	// everything noted of the former is forgotten.
	BeginCopy(ctx context.Context, l record.Lease, side record.Side, another bool, since time.Time) error
	// KeepCopy notes the values that the copy shows of some entries and that differ from the settled ones,
	// as digests by path.
	KeepCopy(ctx context.Context, l record.Lease, side record.Side, shown map[int64]map[string]string) error
	// Copied returns what was noted of an entry. shown is nil if the copy lacks the record. noted is false
	// if nothing was noted, or the record was in step since.
	Copied(ctx context.Context, place record.Place, num int64) (shown map[string]string, noted bool, err error)
	// EndCopied forgets what was noted of entries that are in step now, or have no link any more, and reports
	// whether nothing is left.
	EndCopied(ctx context.Context, l record.Lease, side record.Side) (none bool, err error)
}

// RoomChecks keeps what is known of the rooms of bookings that we entered.
type RoomChecks interface {
	// RoomCheck returns what was noted about the room of a linked booking; false if no run has asked for it again.
	RoomCheck(ctx context.Context, link record.LinkID) (record.RoomCheck, bool, error)
	// NoteRoomCheck notes what is known of the room of a linked booking, in place of what was noted before.
	NoteRoomCheck(ctx context.Context, l record.Lease, link record.LinkID, c record.RoomCheck) error
}

// Absences keeps what is known of records that are gone.
type Absences interface {
	// Tombstone returns what is remembered of a record that is gone, or was gone.
	Tombstone(ctx context.Context, entry int64) (record.Tombstone, bool, error)
	// Revenants returns the records of a place without a link that were gone and are there again.
	Revenants(ctx context.Context, place record.Place) ([]record.Tombstone, error)
	// Bury notes that a record is gone, and what proved it.
	Bury(ctx context.Context, l record.Lease, t record.Tombstone) error
	// After notes what came of the other record of a link, and that the link was looked at.
	After(ctx context.Context, l record.Lease, link record.LinkID, done record.Aftermath) error
	// Part ends a link in a state in which it is only remembered.
	Part(ctx context.Context, l record.Lease, link record.LinkID, st record.LinkState, done record.Aftermath, now time.Time) error
	// Estrange notes that the id of a record names another one than was linked.
	Estrange(ctx context.Context, l record.Lease, num int64, why string) error
	// Free ends a link. The record of side is then as if it had never had one.
	Free(ctx context.Context, l record.Lease, link record.LinkID, side record.Side, now time.Time) error
	// Rewire gives a link another record of side, in place of one that is gone.
	Rewire(ctx context.Context, l record.Lease, link record.LinkID, side record.Side, to int64, now time.Time) error
	// Rejoin makes a link go on that was only remembered.
	Rejoin(ctx context.Context, l record.Lease, link record.LinkID, now time.Time) error
	// Split takes a link apart because a person said that the record of side is another one. why is asked
	// about the record across.
	Split(ctx context.Context, l record.Lease, link record.LinkID, side record.Side, why string, now time.Time) error
}
