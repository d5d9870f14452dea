package run

import (
	"errors"
)

// ErrBehind says that a read by id shows less than the list that was read just before it.
var ErrBehind = errors.New("its list shows an edit that a read by its id does not show yet")
