package engine

import (
	"nightporter/sync/gone"
	"nightporter/sync/guards"
	"nightporter/sync/run"
)

type Absences = run.Absences

const Always = run.Always

type Booking = run.Booking
type CreateRule = run.CreateRule
type Differs = run.Differs
type Doubts = run.Doubts
type Entries = run.Entries

var ErrHalted = run.ErrHalted

type Findings = run.Findings
type GoneRule = run.GoneRule
type HaltStore = run.HaltStore
type History = run.History
type House = run.House
type Job = run.Job
type Kept = run.Kept
type Kick = run.Kick
type Links = run.Links
type Lone = run.Lone
type Marks = run.Marks

const Never = run.Never

type Note = run.Note
type Options = run.Options
type Progress = run.Progress

const RecordField = run.RecordField

type Reference = run.Reference
type Refusal = run.Refusal

var Refused = guards.Refused

const RefusedToGo = gone.RefusedToGo

type Report = run.Report
type Rereads = run.Rereads
type Runs = run.Runs
type Send = run.Send
type Side = run.Side
type Sought = run.Sought
type Staged = run.Staged
type Stages = run.Stages
type Store = run.Store
type Taken = run.Taken
type TrialStore = run.TrialStore
type Undo = run.Undo
type UndoReport = run.UndoReport
type Undos = run.Undos
type Verified = run.Verified
type Verifies = run.Verifies

const WhenReferenced = run.WhenReferenced

type Window = run.Window
