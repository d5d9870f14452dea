//go:build linux || darwin

package disk

import (
	"syscall"
)

// noFollow makes the opening of a link fail.
const noFollow = syscall.O_NOFOLLOW
