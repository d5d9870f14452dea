package engine

import (
	"nightporter/sync/gone"
	"nightporter/sync/guards"
	"nightporter/sync/run"
)

const Always = run.Always

type Booking = run.Booking
type CreateRule = run.CreateRule
type Differs = run.Differs

var ErrHalted = run.ErrHalted

type GoneRule = run.GoneRule
type House = run.House
type Job = run.Job
type Kick = run.Kick
type Lone = run.Lone

const Never = run.Never

type Note = run.Note
type Options = run.Options
type Progress = run.Progress

// WasGone is why a person is asked about a record that was linked: it is there again, or its partner is another record.
const WasGone = run.WasGone

const RecordField = run.RecordField

type Reference = run.Reference
type Refusal = run.Refusal

var Refused = guards.Refused

const RefusedToGo = gone.RefusedToGo

type Report = run.Report
type Send = run.Send
type Side = run.Side
type Sought = run.Sought
type Staged = run.Staged
type Stores = run.Stores
type Taken = run.Taken
type Undo = run.Undo
type UndoReport = run.UndoReport
type Verified = run.Verified

const WhenReferenced = run.WhenReferenced

type Window = run.Window

var StoresOf = run.StoresOf
