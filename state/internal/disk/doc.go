// Package disk is what stands beside the state file on the disk: the lock of the process that runs
// jobs, and files that are written whole or not at all.
package disk
