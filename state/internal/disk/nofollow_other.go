//go:build !linux && !darwin

package disk

// noFollow makes the opening of a link fail where a system can do that. This one can't.
const noFollow = 0
