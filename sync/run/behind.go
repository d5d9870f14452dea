package run

import (
	"errors"
)

// errBehind is a read by id that shows less than the list that was read just before it.
var ErrBehind = errors.New("its list shows an edit that a read by its id does not show yet")
