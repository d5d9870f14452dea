//go:build linux || darwin

package disk

import (
	"syscall"
)

// Room is how many bytes a user may still write into a folder.
func Room(dir string) (free uint64, known bool, err error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return 0, false, err
	}
	return fs.Bavail * uint64(fs.Bsize), true, nil //nolint:gosec // a block size is never negative
}
