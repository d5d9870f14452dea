package record

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Binding names one job of one property: what is scheduled, leased and limited.
type Binding string

// Place is one side of a binding.
type Place struct {
	Binding Binding
	Side    Side
}

// LinkID is the dense number of a link; 0 is none.
type LinkID int64

// Observation is what a read showed of one record.
type Observation struct {
	Fields  Fields    // native mapped fields
	Version Version   // as shown, may be empty
	Changed time.Time // the system's own time of change, may be zero
	Created time.Time // the system's own time of creation, may be zero
	Stamp   string    // our mark as shown, may be empty

	ChangedBy string // who changed it last, as its system shows it; only explain uses it, nothing is decided by it

	At   time.Time // when the request of that read was begun
	View string    // the sort of read: "list", "get", "find", "receipt", or "base" for values out of a base

	Unfinished *Unfinished // as the connector says of this read; Entry.Unfinished is what is known by now

	// Untaken is, by native path, what the record still showed after it answered a write of ours: as
	// far as any read tells, the write was not done there. Each value is as it was when that was
	// found. A path stays in Untaken until it is written again, or settled. Only the store sets it.
	Untaken Fields

	// Earlier names the paths of Fields that this read did not show. Their values are from earlier
	// reads. Only the store sets it.
	Earlier []string
}

// EntryState says why an entry is not simply in step.
type EntryState string

// The states of an entry. A record is LeftOut by a rule, and comes back without anybody's help. A
// Waiting record waits for another record or for a scan, and a Held record for a person.
const (
	InStep      EntryState = ""
	LeftOut     EntryState = "left_out"
	Waiting     EntryState = "waiting"
	Held        EntryState = "held"
	Refused     EntryState = "refused"      // the other system said no; asked again only when the record changes
	Quarantined EntryState = "quarantined"  // it can't be read or written as it is
	Missed      EntryState = "missed"       // a read by id found nothing, and no complete scan has missed it yet
	Suspect     EntryState = "suspect"      // unseen in a complete scan, not yet confirmed
	Gone        EntryState = "gone"         // confirmed absent; its tombstone says by what, and what came of it
	OutOfScope  EntryState = "out_of_scope" // left the window or the filter, confirmed by a read
	Attached    EntryState = "attached"     // represented by another record of its side
	Stranger    EntryState = "stranger"     // its id now names another record than the one that was linked
)

// Doubted reports whether the record may be gone, and nothing has proved that yet.
func (st EntryState) Doubted() bool { return st == Missed || st == Suspect }

// Entry is what the store knows of one record of one side of a binding.
//
// Base is nil until the record was settled once. Seen is nil if the last observation agrees with
// Base. Work to do is a Seen that differs from Base; there is no queue.
type Entry struct {
	Num   int64 // dense, given by the store; 0 before it is stored
	Place Place
	Ref   Ref
	Link  LinkID // 0: not linked

	Base        Base
	BaseVersion Version   // last shown with the values of Base; Vouching says which paths it counts for
	Vouching    *Vouching // nil: every mapped path was shown with the last version
	Revision    Revision  // what its system said of the record's revision; empty before it was settled
	Seen        *Observation
	Listed      Digest // of the bytes of the last listing that left nothing to do; "" never matches
	Mapping     string // fingerprint of the mapping by which it was read last

	Pre         Fields    // what our last write replaced: a late read that shows it is no change
	Acked       time.Time // when our last write was answered; reads begun before it don't count
	SettleUntil time.Time // until then a read that shows Pre is late, and no change
	Sent        []string  // the paths of Base that hold only what was sent: no read has shown them since

	State   EntryState
	Why     string    // a sentence for State
	Cause   Cause     // names why it was put aside, where a later run needs to know
	Recheck time.Time // when the record must be read by id; zero: no need
	Since   time.Time // when it was first seen; without a link: anew after it was gone or became another record
	Keys    []Key     // match keys of the last observation
	Dirty   bool      // the next plan looks at it, whatever Seen says
	Witness string    // what the record can't lose while it is the same record; "" while not known

	Unfinished *Unfinished // what it still lacks, or lacked when the wait for it ended; nil: nothing

	Damaged string // why its stored data can't be read, and is left out here; "" where it can
}

// Cause names why a record is put aside, or why a person is asked about it; "" names nothing. Rules decide by
// this name, never by the sentence that goes with it.
type Cause string

// Last returns what the side is known to hold: the base, with the last observation over it.
func (e *Entry) Last() Fields {
	if e.Seen != nil {
		return e.Base.Fields().With(e.Seen.Fields)
	}
	return e.Base.Fields()
}

// MayShow returns the bases by which a record is known to be the same one. That is its base, and the base as it was
// before the last write as long as no read has shown what was sent. Example: a guest's phone was changed, the system
// answered yes and did nothing. The guest still has the phone from before, and is the same guest.
func (e *Entry) MayShow() []Base {
	unshown := func(p string) bool { return e.Pre[p].Observed() }
	if e.Base == nil || !slices.ContainsFunc(e.Sent, unshown) {
		return []Base{e.Base}
	}
	before := maps.Clone(e.Base)
	for _, p := range e.Sent {
		if unshown(p) {
			before[p] = StoredOf(e.Pre[p])
		}
	}
	return []Base{e.Base, before}
}

// Forget takes paths out of the record's base. What the record is known to hold there stays, as an
// observation.
func (e *Entry) Forget(paths []string) {
	base, shown := maps.Clone(e.Base), Fields{}
	for _, p := range paths {
		if v, plain := base[p].Plain(); plain && v.Observed() && !strings.HasPrefix(p, "@") {
			shown[p] = v
		}
		delete(base, p)
	}
	e.Base = base
	switch {
	case len(shown) == 0:
	case e.Seen == nil:
		e.Seen = &Observation{Fields: shown, Version: e.BaseVersion, At: e.Since, View: "base"}
	default:
		seen := *e.Seen
		seen.Fields = shown.With(seen.Fields)
		e.Seen = &seen
	}
}

// LastRecord returns the record as it is known to be now.
func (e *Entry) LastRecord() Record {
	r := Record{Ref: e.Ref, Version: e.LastVersion(), Fields: e.Last()}
	if e.Seen != nil {
		r.Changed, r.Created = e.Seen.Changed, e.Seen.Created
	}
	return r
}

// LastVersion returns the version that goes with Last.
func (e *Entry) LastVersion() Version {
	if e.Seen != nil {
		return e.Seen.Version
	}
	return e.BaseVersion
}

// Key is one value by which records of the two sides are recognised as the same: the name of the
// match rule, and the canonical text of the value.
type Key struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// LinkState says why a link is not simply in step.
type LinkState string

// The states of a link.
const (
	LinkLive     LinkState = ""
	LinkUnsure   LinkState = "unsettled" // it has an intent without a receipt: nothing else touches the link
	LinkConflict LinkState = "conflict"  // at least one field waits for a person
	LinkBroken   LinkState = "broken"    // one of its ids now names another record: a person decides
	LinkParted   LinkState = "parted"    // one record is gone, and the other goes its own way: remembered, not synced
	LinkGone     LinkState = "gone"      // both records are gone
)

// Pair is a link with both its entries. A stay that could not be entered on the other side has no
// Pair: its entry is Waiting or Refused.
type Pair struct {
	Link   LinkID
	Entity string // our mark names it; shared by all links of the same person or stay
	State  LinkState
	Made   time.Time // when the records were linked
	Sides  [2]Entry

	Doubted bool // our state was restored since the bases were seen, and the records were not compared since
}

// GoesAlone reports whether the record of a side goes its own way: the one that it was linked to is gone, and this one
// was left as it is. It may be joined with another record if a person says that the two are the same.
func (p Pair) GoesAlone(side Side) bool {
	st := p.Sides[side].State
	return p.State == LinkParted && p.Sides[side.Other()].State == Gone && st != Gone && st != Stranger && !st.Doubted()
}

// Made is the link of a record that we created, and the time when the create was settled.
type Made struct {
	Link LinkID
	At   time.Time
}

// Ended reports whether a link is only remembered: nothing flows over it any more.
func (s LinkState) Ended() bool { return s == LinkParted || s == LinkGone || s == LinkBroken }

// Joining is two entries that are to become one link.
type Joining struct {
	Entries [2]int64
	Entity  string
	Ends    []string  // ids of unanswered creates that the new link ends
	Settled bool      // nothing is to be written: the link is in step once its bases have taken over Bases
	Bases   [2]Fields // what each side's base takes over (nil: nothing); used only if Settled
}
