// Package webhook receives what systems tell of their own accord. A body is a hint and
// never data: it says which records to look at, and they are read anew by their ids.
//
// A delivery is verified, read for what it names, kept durably, answered, and only then
// looked at. What could not be kept is answered by 503, so that its sender sends it again.
package webhook
