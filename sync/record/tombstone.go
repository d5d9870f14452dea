package record

import "time"

// Evidence is what proved that a record is gone.
type Evidence string

// The evidence. Read is a read by id that found nothing, late enough after our last
// write to be believed, of a record that a complete list had not shown.
const (
	EvidenceRead   Evidence = "read"
	EvidenceMerged Evidence = "merged" // its system says that it is another record now
	EvidenceOurs   Evidence = "ours"   // we deleted it
	// EvidenceReplaced is that a newer version of it stands in its place, which is
	// another record.
	EvidenceReplaced Evidence = "replaced"
	// EvidenceAnother is that a person said so of the record across: under its id is another one.
	// The tombstone is of the record that is still there, and has lost its partner.
	EvidenceAnother Evidence = "another"
	// EvidenceGivenAgain is that its system gave its id to a record that was made since. The
	// tombstone is of the record that had the id before.
	EvidenceGivenAgain Evidence = "given again"
)

// Aftermath is what came of the other record of a link when one was gone.
type Aftermath string

// The aftermaths. Nothing, AfterHeld and AfterIgnored leave the link as it was: should
// the record be there again, it goes on.
const (
	AfterNothing  Aftermath = ""
	AfterHeld     Aftermath = "held"
	AfterIgnored  Aftermath = "ignored"
	AfterDeleted  Aftermath = "deleted"
	AfterArchived Aftermath = "archived"
	AfterUnlinked Aftermath = "unlinked"
	AfterRewired  Aftermath = "rewired"
	AfterBoth     Aftermath = "both gone"
)

// Acted reports whether something was done because the record is gone, so that its
// coming back is a question for a person.
func (a Aftermath) Acted() bool {
	return a != AfterNothing && a != AfterHeld && a != AfterIgnored
}

// Tombstone is what is remembered of a record that is gone. It outlives the record's
// link, so that one that comes back is known.
type Tombstone struct {
	Entry    int64
	Place    Place
	Link     LinkID // it had; 0 for none
	Entity   string
	Evidence Evidence
	Why      string    // a sentence
	Moved    string    // for EvidenceMerged and EvidenceReplaced: the id of the record that it is now
	Done     Aftermath // what came of the other record
	Run      int64
	At       time.Time // when it was proven
	Expires  time.Time // until when it is kept
}

// BornWitness begins a witness of a record that is the time when it was made, in seconds.
const BornWitness = "born "

// SaidWitness is the witness of a record of which a person said that it is the one that was linked,
// until it is in step.
const SaidWitness = "said"

// KeyWitnessed begins a witness of a record that is its first match key.
const KeyWitnessed = "key "

// KeyWitness is a match key as a witness of a record.
func KeyWitness(k Key) string {
	return KeyWitnessed + k.Name + " " + DigestOf(k.Name, []byte(k.Text)).String()[:16]
}
