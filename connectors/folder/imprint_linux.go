package folder

import (
	"io/fs"
	"syscall"
)

// imprintOf is the imprint of a file; false where the system shows too little of it.
func imprintOf(info fs.FileInfo) (imprint, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return imprint{}, false
	}
	return imprint{st.Size, st.Mtim.Nano(), st.Ctim.Nano(), int64(st.Ino), int64(st.Dev)}, true //nolint:gosec // they are compared alone
}
