//go:build linux || darwin

package file

import "syscall"

// noFollow has the opening of a link fail.
const noFollow = syscall.O_NOFOLLOW
