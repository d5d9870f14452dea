package run

import "nightporter/sync/record"

// IsAskable reports whether a person is asked, or may still be asked, which record an id of a link
// names. For a link that is only remembered, the question was answered.
func IsAskable(p record.Pair) bool { return p.State != record.LinkGone && p.State != record.LinkParted }
