//go:build !linux && !darwin

package file

// noFollow has the opening of a link fail, where the system can.
const noFollow = 0
