// Package serve runs the jobs of a configuration for good: each by its cadence, what
// is asked for by commands and by hints in between, one run a job at a time. It
// decides nothing about records: what is due comes from the schedule, what is done
// from the engine.
package serve
