package engine

import (
	"nightporter/sync/gone"
	"nightporter/sync/guards"
	"nightporter/sync/run"
)

// These are the types of a run that callers name: see package run.
type (
	// Booking is what makes a job one of reservations.
	Booking = run.Booking
	// CreateRule says when one side gets records that only the other has.
	CreateRule = run.CreateRule
	// Differs is one field in which two linked records differ.
	Differs = run.Differs
	// GoneRule says what becomes of a record when the one across is gone.
	GoneRule = run.GoneRule
	// House is what all runs of a program share: the store, the jobs, and what was found out about their systems since it began.
	House = run.House
	// Job is one kind on the left kept in step with one kind on the right.
	Job = run.Job
	// Kick asks for one record to be taken first.
	Kick = run.Kick
	// Lone is a record that is there and has no partner.
	Lone = run.Lone
	// Note says why one record is not in step.
	Note = run.Note
	// Options is how one run is to be.
	Options = run.Options
	// Progress is how far a run has come with reading pages, or with carrying out its actions.
	Progress = run.Progress
	// Reference is a field that names a record of another job.
	Reference = run.Reference
	// Refusal is what a system said no to, how often, and what is to become of it.
	Refusal = run.Refusal
	// Report is what a run did, or would do.
	Report = run.Report
	// Send is what holds back writes to a side if they may reach a person.
	Send = run.Send
	// Side is one side of a job.
	Side = run.Side
	// Sought is a record that waits for one that is known by a key alone.
	Sought = run.Sought
	// Staged is a set of changes that a run held, or would hold.
	Staged = run.Staged
	// Stores is everything that runs keep, by subject.
	Stores = run.Stores
	// Taken is what came of records that were taken first, or asked for by name.
	Taken = run.Taken
	// Undo says what a run is to take back: what another run of its job did, to all records or to one and its partner.
	Undo = run.Undo
	// UndoReport is what an undo came to, or would come to, beside its actions.
	UndoReport = run.UndoReport
	// Verified is the result of comparing both sides of a job.
	Verified = run.Verified
	// Window is the days a dated job looks at, relative to today.
	Window = run.Window
)

// When a record is created across.
const (
	Always         = run.Always
	Never          = run.Never
	WhenReferenced = run.WhenReferenced
)

// WasGone is why a person is asked about a record that was linked: it is there again, or its partner is another record.
const WasGone = run.WasGone

// RecordField stands for a whole record where a field is named.
const RecordField = run.RecordField

// RefusedToGo says that a system does not let a record go.
const RefusedToGo = gone.RefusedToGo

// ErrHalted says that a job stands still until a person answers.
var ErrHalted = run.ErrHalted

// What callers of this package use of the rooms.
var (
	Refused  = guards.Refused
	StoresOf = run.StoresOf
)
