package record

import (
	"maps"
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
	Stamp   string    // our reference as shown, may be empty

	ChangedBy string // who changed it last, as its system shows it; explain tells it, and nothing is decided by it

	At   time.Time // when the request that showed it was begun
	View string    // which reading: "list", "get", "find", "receipt"

	Unfinished *Unfinished // as the connector says it of this read; what is known of it is the entry's

	// Untaken is what a record showed by path once a write of ours to it was answered, and was
	// not done as far as any read tells: each as it was when that was found. It stays until
	// the path is written again, or settled. The store says it of what it keeps.
	Untaken Fields

	// Earlier is the paths of Fields that this read did not show: their values are those of
	// the reads before it. The store says it of what it keeps.
	Earlier []string
}

// EntryState says why an entry is not simply in step.
type EntryState string

// The states of an entry. LeftOut is by rule and comes back by itself; Waiting is
// for another record or for a scan; Held is for a person.
const (
	InStep      EntryState = ""
	LeftOut     EntryState = "left_out"
	Waiting     EntryState = "waiting"
	Held        EntryState = "held"
	Refused     EntryState = "refused"      // the other system said no; asked again only when the record changes
	Quarantined EntryState = "quarantined"  // it can't be read or written as it is
	Missed      EntryState = "missed"       // a read by id found nothing, and no complete scan has left it out
	Suspect     EntryState = "suspect"      // unseen in a complete scan, not yet confirmed
	Gone        EntryState = "gone"         // confirmed absent; its tombstone says by what, and what came of it
	OutOfScope  EntryState = "out_of_scope" // left the window or the filter, confirmed by a read
	Attached    EntryState = "attached"     // represented by another record of its side
	Stranger    EntryState = "stranger"     // its id names another record than the one that was linked
)

// Doubted reports whether a record may be gone, and it is not proven.
func (st EntryState) Doubted() bool { return st == Missed || st == Suspect }

// Entry is what the store knows of one record of one side of a binding.
//
// Base is nil until the record was settled once. Seen is nil when the last
// observation says what Base says. Work to do is Seen differing from Base; there
// is no queue.
type Entry struct {
	Num   int64 // dense, given by the store; 0 before it is stored
	Place Place
	Ref   Ref
	Link  LinkID // 0: not linked

	Base        Base
	BaseVersion Version   // the last one shown with what Base says; what it counts for, Vouching says
	Vouching    *Vouching // nil: all that is mapped was shown with the last version
	Revision    Revision  // what its system said of its revision, of one that was settled
	Seen        *Observation
	Listed      Digest // of the listing bytes that left the entry clean; "" never matches
	Mapping     string // fingerprint of the mapping that read it

	Pre         Fields    // what our last write replaced: a late read of it is no change
	Acked       time.Time // when our last write was answered; reads begun before it don't count
	SettleUntil time.Time // until when Pre is read as the base
	Sent        []string  // the paths of Base that are only what was sent: no read has shown them since

	State   EntryState
	Why     string    // a sentence for State
	Cause   Cause     // of one that was put aside: why, where a later run asks for it
	Recheck time.Time // zero, or when the record must be read by id
	Since   time.Time // when it was first seen; without a link, again after it was gone or had become another record
	Keys    []Key     // match keys of the last observation
	Dirty   bool      // to be looked at by the next plan whatever Seen says
	Witness string    // what the record can't lose while it is the same, "" while that is not known

	Unfinished *Unfinished // what it lacks, or lacked when it was waited for long enough; nil: nothing

	Damaged string // why what the store keeps of it can't be read, and is not here; "" where it can
}

// Cause names why a record is put aside, or why a person is asked about it. "" names nothing. Nobody decides by
// the sentence that goes with it.
type Cause string

// Last is what the side is known to hold: the last observation, or the base.
func (e *Entry) Last() Fields {
	if e.Seen != nil {
		return e.Base.Fields().With(e.Seen.Fields)
	}
	return e.Base.Fields()
}

// Forget takes paths out of what a record was settled on. What it is known to hold there stays,
// as an observation.
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

// LastRecord is the record as it is known to be now.
func (e *Entry) LastRecord() Record {
	r := Record{Ref: e.Ref, Version: e.LastVersion(), Fields: e.Last()}
	if e.Seen != nil {
		r.Changed, r.Created = e.Seen.Changed, e.Seen.Created
	}
	return r
}

// LastVersion is the version that goes with Last.
func (e *Entry) LastVersion() Version {
	if e.Seen != nil {
		return e.Seen.Version
	}
	return e.BaseVersion
}

// Key is one value by which records of the two sides are recognised as the same:
// the name of the match rule and the canonical text.
type Key struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// LinkState says why a link is not simply in step.
type LinkState string

// The states of a link.
const (
	LinkLive     LinkState = ""
	LinkUnsure   LinkState = "unsettled" // an intent without a receipt: nothing else touches it
	LinkConflict LinkState = "conflict"  // at least one field waits for a person
	LinkBroken   LinkState = "broken"    // one of its ids names a stranger: a person says
	LinkParted   LinkState = "parted"    // one record is gone, and the other goes its own way: remembered, not synced
	LinkGone     LinkState = "gone"      // both records are gone
)

// Pair is a link with both its entries. For a stay that could not be entered on
// the other side there is no pair: its entry is Waiting or Refused.
type Pair struct {
	Link   LinkID
	Entity string // the stamp names it; shared by all links of the same person or stay
	State  LinkState
	Made   time.Time // when the records were linked
	Sides  [2]Entry

	Doubted bool // the state was put back since its bases were seen, and the records were not compared since
}

// Made is the link of a record that we created, and when that was settled.
type Made struct {
	Link LinkID
	At   time.Time
}

// Ended reports whether a link is only remembered: nothing flows over it any more.
func (s LinkState) Ended() bool { return s == LinkParted || s == LinkGone || s == LinkBroken }

// Joining is two entries that are to be one link.
type Joining struct {
	Entries [2]int64
	Entity  string
	Ends    []string  // creates without an answer that end with the link
	Settled bool      // nothing is to be written: the link is in step once its bases took Bases
	Bases   [2]Fields // what each side's base takes over (nil: nothing); only of one that is Settled
}
