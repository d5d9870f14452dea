package sqlite

import "nightporter/sync/record"

// The states of entries, as statements write them.
const (
	EntryLeftOut     = `'` + string(record.LeftOut) + `'`
	EntryWaiting     = `'` + string(record.Waiting) + `'`
	EntryHeld        = `'` + string(record.Held) + `'`
	EntryQuarantined = `'` + string(record.Quarantined) + `'`
	EntryMissed      = `'` + string(record.Missed) + `'`
	EntrySuspect     = `'` + string(record.Suspect) + `'`
	EntryGone        = `'` + string(record.Gone) + `'`
	EntryOutOfScope  = `'` + string(record.OutOfScope) + `'`
	EntryAttached    = `'` + string(record.Attached) + `'`
	EntryStranger    = `'` + string(record.Stranger) + `'`

	// EntriesMissing are of records that nothing has proved gone yet.
	EntriesMissing = `(` + EntryMissed + `, ` + EntrySuspect + `)`
	// EntriesAway are of records that a read has proved not to be there.
	EntriesAway = `(` + EntryGone + `, ` + EntryOutOfScope + `)`
	// EntriesAbsent are both of these.
	EntriesAbsent = `(` + EntryMissed + `, ` + EntrySuspect + `, ` + EntryGone + `, ` + EntryOutOfScope + `)`
	// EntriesUnsure are these, and the one of records whose id names another one.
	EntriesUnsure = `(` + EntryMissed + `, ` + EntrySuspect + `, ` + EntryGone + `, ` + EntryOutOfScope + `, ` + EntryStranger + `)`
)

// The states of links, as statements write them.
const (
	LinkUnsure   = `'` + string(record.LinkUnsure) + `'`
	LinkConflict = `'` + string(record.LinkConflict) + `'`
	LinkBroken   = `'` + string(record.LinkBroken) + `'`
	LinkParted   = `'` + string(record.LinkParted) + `'`
	LinkGone     = `'` + string(record.LinkGone) + `'`

	// LinksOver are of links that are only remembered, and that no person is asked about.
	LinksOver = `(` + LinkParted + `, ` + LinkGone + `)`
	// LinksEnded are of links that are only remembered.
	LinksEnded = `(` + LinkBroken + `, ` + LinkParted + `, ` + LinkGone + `)`
)

// The states of intents, as statements write them.
const (
	IntentPrepared  = `'` + string(record.Prepared) + `'`
	IntentSent      = `'` + string(record.Sent) + `'`
	IntentSettled   = `'` + string(record.Settled) + `'`
	IntentRejected  = `'` + string(record.Rejected) + `'`
	IntentCancelled = `'` + string(record.Cancelled) + `'`
	IntentLost      = `'` + string(record.Lost) + `'`

	// IntentsOpen are of changes that no other change of the record may be made beside. Indexes have this list
	// in their condition: a statement that is to go by such an index repeats the list word by word.
	IntentsOpen = `(` + IntentPrepared + `, ` + IntentSent + `, ` + IntentLost + `)`
	// IntentsUnsettled are of changes that the next run looks up.
	IntentsUnsettled = `(` + IntentPrepared + `, ` + IntentSent + `)`
	// IntentsUnanswered are of changes that the system may have applied, and nobody knows.
	IntentsUnanswered = `(` + IntentSent + `, ` + IntentLost + `)`
	// IntentsApplied are of changes that the system applied, or may have.
	IntentsApplied = `(` + IntentSent + `, ` + IntentSettled + `, ` + IntentLost + `)`
	// IntentsAnswered are of changes to which the system said yes or no.
	IntentsAnswered = `(` + IntentRejected + `, ` + IntentSettled + `)`
	// IntentsEnded are of changes of which nothing comes any more.
	IntentsEnded = `(` + IntentSettled + `, ` + IntentRejected + `, ` + IntentCancelled + `)`
)
