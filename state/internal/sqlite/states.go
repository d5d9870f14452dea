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

	// EntriesMissing are the states of records that are missing, and that nothing has proved gone yet.
	EntriesMissing = `(` + EntryMissed + `, ` + EntrySuspect + `)`
	// EntriesAway are the states of records that a read has proved not to be there.
	EntriesAway = `(` + EntryGone + `, ` + EntryOutOfScope + `)`
	// EntriesAbsent are the states of both lists.
	EntriesAbsent = `(` + EntryMissed + `, ` + EntrySuspect + `, ` + EntryGone + `, ` + EntryOutOfScope + `)`
	// EntriesUnsure are the same states, and that of records with an id that names another record now.
	EntriesUnsure = `(` + EntryMissed + `, ` + EntrySuspect + `, ` + EntryGone + `, ` + EntryOutOfScope + `, ` + EntryStranger + `)`
)

// The states of links, as statements write them.
const (
	LinkUnsure   = `'` + string(record.LinkUnsure) + `'`
	LinkConflict = `'` + string(record.LinkConflict) + `'`
	LinkBroken   = `'` + string(record.LinkBroken) + `'`
	LinkParted   = `'` + string(record.LinkParted) + `'`
	LinkGone     = `'` + string(record.LinkGone) + `'`

	// LinksOver are the states of links that are only remembered, and that no person is asked about.
	LinksOver = `(` + LinkParted + `, ` + LinkGone + `)`
	// LinksEnded are the states of links that are only remembered.
	LinksEnded = `(` + LinkBroken + `, ` + LinkParted + `, ` + LinkGone + `)`
)

// The states of intents, as statements write them.
const (
	IntentSent      = `'` + string(record.Sent) + `'`
	IntentSettled   = `'` + string(record.Settled) + `'`
	IntentRejected  = `'` + string(record.Rejected) + `'`
	IntentCancelled = `'` + string(record.Cancelled) + `'`
	IntentLost      = `'` + string(record.Lost) + `'`

	// IntentsOpen are the states of changes that allow no other change of their record beside them. Indexes have
	// this list in their condition: a statement that is to use such an index repeats the list word by word.
	IntentsOpen = `(` + IntentSent + `, ` + IntentLost + `)`
	// IntentsUnanswered are the states of changes that the system may have applied, and nobody knows.
	IntentsUnanswered = `(` + IntentSent + `, ` + IntentLost + `)`
	// IntentsApplied are the states of changes that the system applied, or may have applied.
	IntentsApplied = `(` + IntentSent + `, ` + IntentSettled + `, ` + IntentLost + `)`
	// IntentsAnswered are the states of changes that the system said yes or no to.
	IntentsAnswered = `(` + IntentRejected + `, ` + IntentSettled + `)`
	// IntentsEnded are the states of changes that are over.
	IntentsEnded = `(` + IntentSettled + `, ` + IntentRejected + `, ` + IntentCancelled + `)`
)
