// Package schedule says when jobs run, for years and with nobody watching.
//
// A Spec is a cadence of the configuration; its slots are times on the wall clock
// of the job's zone, right through the nights in which that clock is changed. A
// Ledger keeps which slots are settled, so that each is run once over restarts,
// suspends and clocks set back or forward, and so that what was missed is caught
// up once. A Runner starts what is due: one run a binding at a time, and no
// request lost that comes in during a run.
package schedule
