//go:build linux || darwin

package state

import "syscall"

// noFollow has the opening of a link fail.
const noFollow = syscall.O_NOFOLLOW
