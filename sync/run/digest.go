package run

import (
	"errors"
	"fmt"
	"slices"

	"nightporter/sync/record"
)

// ErrUnread says that a record of a link can't be read now, and that the link is not decided without
// it. Otherwise an edit of the other side would count as settled, and never be carried over.
var ErrUnread = errors.New("a record of the link can't be read now")

// Hides reports whether a field of an entry is known by its digest alone, and no read of it shows the value.
func (j *Job) Hides(side record.Side, e record.Entry) bool {
	return slices.ContainsFunc(j.Mapping.Paths(side), func(p string) bool {
		return e.Base[p].Digested() && (e.Seen == nil || !e.Seen.Fields[p].Observed())
	})
}

// SealedKey is a match key as it is kept: sealed if the job keeps its values as digests.
func (j *Job) SealedKey(k record.Key) record.Key {
	if j.Seal == nil {
		return k
	}
	return k.Seal(j.Seal)
}

// UnnamedError says why a record can't be written now: it names another record by texts, and no texts
// of that one are known now that can be relied on.
type UnnamedError struct {
	Ref    record.Ref
	System record.System
	Cause  error // why Ref can't be read by id, where only its digests are kept; nil if a trial wrote to it
	// Damaged is why what the store keeps of Ref can't be read, "" if it can be.
	Damaged string
}

// Error says so.
func (e *UnnamedError) Error() string {
	if e.Damaged != "" {
		return fmt.Sprintf("it names %s of %s: %s", e.Ref, e.System, e.Damaged)
	}
	if e.Cause == nil {
		return fmt.Sprintf("it names %s of %s, to which the first update was sent as a trial that is not over", e.Ref, e.System)
	}
	return fmt.Sprintf("it names %s of %s, of which only digests are kept and which can't be read now: %v", e.Ref, e.System, e.Cause)
}

// Unwrap is why the named record can't be read.
func (e *UnnamedError) Unwrap() error { return e.Cause }

// Unnamed returns the UnnamedError in err. It reports false if there is none: then the record does not
// wait for one that it names.
func Unnamed(err error) (*UnnamedError, bool) { return errors.AsType[*UnnamedError](err) }

// What is a digest that names the values of a change. It can still be made when only digests of the values are kept.
func (r *Run) What(f record.Fields) record.Digest {
	if r.Job.Seal == nil {
		return f.Digest()
	}
	return f.Seal(r.Job.Seal).Digest()
}
