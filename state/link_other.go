//go:build !linux && !darwin

package state

// noFollow has the opening of a link fail, where the system can.
const noFollow = 0
