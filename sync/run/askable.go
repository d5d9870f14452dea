package run

import "nightporter/sync/record"

// IsAskable reports whether a person is still asked, or may be, which record an id of a link names. A link that is only
// remembered was answered.
func IsAskable(p record.Pair) bool { return p.State != record.LinkGone && p.State != record.LinkParted }
