//go:build !linux && !darwin

package disk

// noFollow has the opening of a link fail, where the system can.
const noFollow = 0
