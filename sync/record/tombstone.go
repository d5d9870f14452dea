package record

import "time"

// Evidence is what proved that a record is gone.
type Evidence string

// The sorts of evidence. EvidenceRead is a read by id that found nothing. It counts only for a record that a
// complete list had not shown, and only late enough after our last write to be believed.
const (
	EvidenceRead   Evidence = "read"
	EvidenceMerged Evidence = "merged" // its system says that it was merged into another record
	EvidenceOurs   Evidence = "ours"   // we deleted it
	// EvidenceReplaced says that a newer version, which is a record of its own, stands in its place.
	EvidenceReplaced Evidence = "replaced"
	// EvidenceAnother says that, by the word of a person, the id of the record across names another
	// record now. The tombstone is for the record that is still there and has lost its partner.
	EvidenceAnother Evidence = "another"
	// EvidenceGivenAgain says that its system gave the id to a record that was made since. The tombstone
	// is for the record that had the id before.
	EvidenceGivenAgain Evidence = "given again"
)

// Aftermath is what became of the other record of a link after one record was gone.
type Aftermath string

// The aftermaths. AfterNothing, AfterHeld and AfterIgnored leave the link as it was: if the record is there
// again, the link goes on.
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

// Acted reports whether something was done because the record was gone. If the record comes back after that,
// a person is asked.
func (a Aftermath) Acted() bool {
	return a != AfterNothing && a != AfterHeld && a != AfterIgnored
}

// Tombstone is what is remembered of a record that is gone. It outlives the record's link, so that a record
// that comes back is recognised.
type Tombstone struct {
	Entry    int64
	Place    Place
	Link     LinkID // the link that the record had; 0 for none
	Entity   string
	Evidence Evidence
	Why      string    // a sentence
	Moved    string    // for EvidenceMerged and EvidenceReplaced: the id of the record in its place
	Done     Aftermath // what became of the other record
	Run      int64
	At       time.Time // when it was proven
	Expires  time.Time // until when it is kept
}

// BornWitness begins a witness that is the record's time of creation, in seconds.
const BornWitness = "born "

// SaidWitness is the witness of a record after a person said that it is the one that was linked, until the
// record is in step.
const SaidWitness = "said"

// KeyWitnessed begins a witness that is the record's first match key.
const KeyWitnessed = "key "

// KeyWitness returns a match key as a witness of a record. The key's text is in it only as a digest.
func KeyWitness(k Key) string {
	return KeyWitnessed + k.Name + " " + DigestOf(k.Name, []byte(k.Text)).String()[:16]
}
