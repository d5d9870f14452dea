// Package schedule says when jobs run. It is made to work for years with nobody watching.
//
// A Spec is a cadence of the configuration. Its slots are times on the wall clock of the job's zone,
// and they are right also in the nights in which that clock is changed. A Ledger keeps which slots are
// settled. So each slot is run once, even if the program restarts, the machine sleeps or the clock is
// set back or forward, and missed slots are caught up with one run. A Runner starts the runs that are
// due: one run of a binding at a time. A request that comes in during a run is not lost.
package schedule
