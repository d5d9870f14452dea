package run

import (
	"errors"
	"fmt"
	"slices"

	"nightporter/sync/record"
)

// errUnread is a link of which a record can't be read now, and that is not decided without:
// what the other side edited would count as settled, and never travel.
var ErrUnread = errors.New("a record of the link can't be read now")

func (j *Job) Hides(side record.Side, e record.Entry) bool {
	return slices.ContainsFunc(j.Mapping.Paths(side), func(p string) bool {
		return e.Base[p].Digested() && (e.Seen == nil || !e.Seen.Fields[p].Observed())
	})
}

// SealedKey is a match key as it is kept.
func (j *Job) SealedKey(k record.Key) record.Key {
	if j.Seal == nil {
		return k
	}
	return k.Seal(j.Seal)
}

// UnnamedError is why a record can't be written now: it names another one in texts, and of
// these nothing is known now that counts.
type UnnamedError struct {
	Ref    record.Ref
	System record.System
	Cause  error // why it can't be read by its id, where only digests of it are kept; nil where a trial wrote to it
	// damaged is why what is kept of it can't be read, "" where it can.
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

// Unwrap is why it can't be read.
func (e *UnnamedError) Unwrap() error { return e.Cause }

// Unnamed reports whether a record waits for one that it names.
func Unnamed(err error) (*UnnamedError, bool) { return errors.AsType[*UnnamedError](err) }

// What names the values of a change, as it can still be named when only their digests
// are kept.
func (r *Run) What(f record.Fields) record.Digest {
	if r.Job.Seal == nil {
		return f.Digest()
	}
	return f.Seal(r.Job.Seal).Digest()
}
