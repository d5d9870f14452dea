package record

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Sign is what a system says by itself of a record's revision: whatever else a read of it
// shows, another sign tells that the record was changed.
type Sign struct {
	Version Version
	Changed time.Time
}

// String is s as SignNamed reads it.
func (s Sign) String() string {
	changed := ""
	if !s.Changed.IsZero() {
		changed = strconv.FormatInt(s.Changed.UnixMilli(), 10)
	}
	return changed + " " + string(s.Version)
}

// SignNamed is the sign that String gave; what it does not know says nothing.
func SignNamed(text string) (s Sign) {
	changed, version, _ := strings.Cut(text, " ")
	if n, err := strconv.ParseInt(changed, 10, 64); err == nil {
		s.Changed = time.UnixMilli(n)
	}
	s.Version = Version(version)
	return s
}

// None reports whether nothing is said.
func (s Sign) None() bool { return s.Version == "" && s.Changed.IsZero() }

// Same reports whether both say the same of a record's revision. What one of them does not
// say is not compared; where nothing can be compared, they are not the same.
func (s Sign) Same(t Sign) bool {
	versions := s.Version != "" && t.Version != ""
	times := !s.Changed.IsZero() && !t.Changed.IsZero()
	return (versions || times) && (!versions || s.Version == t.Version) &&
		(!times || s.Changed.UnixMilli() == t.Changed.UnixMilli())
}

// Outdates reports whether a sign tells of a change that the version kept out of it: the time of
// change moved, and the version that goes with it did not.
func (s Sign) Outdates(known Sign) bool {
	return s.Version != "" && s.Version == known.Version && !s.Changed.IsZero() && !known.Changed.IsZero() &&
		s.Changed.UnixMilli() != known.Changed.UnixMilli()
}

// VersionStands is the name under which it is kept of a side that a record of it showed another
// value beside the version that vouched for the one before: its versions vouch for nothing, as
// long as it is read as it was then, which is the value.
const VersionStands = "version stands still"

// Vouching is what a record's last version does not vouch for. A version, or a time of
// change, counts for the paths that the reads carrying it showed, and for no others.
type Vouching struct {
	// Unshown is the paths that no read showed with the last version; AllPaths, where nobody
	// knows which it showed.
	Unshown []string
	Known   Sign // with which all paths are known: that of the last read by id, or of one that showed all
	Asked   Sign // of a list, because of which the record was to be read by id
	Again   Sign // of these the one because of which it is read once more: the first read by id showed another
}

// AllPaths stands in Vouching.Unshown for every path there is.
const AllPaths = "*"

// Shown reports whether any read has shown the path since the record is known.
func (e *Entry) Shown(path string) bool {
	return e.Base[path].Known() || e.Seen != nil && e.Seen.Fields[path].Observed()
}

// Vouches reports whether the record's last version is v, and all these paths were shown
// with it. What was never shown at all is vouched for by nothing.
func (e *Entry) Vouches(v Version, paths []string) bool {
	if v == "" || v != e.LastVersion() {
		return false
	}
	return !slices.ContainsFunc(paths, func(p string) bool {
		return !e.Shown(p) || e.Vouching != nil && (slices.Contains(e.Vouching.Unshown, p) || slices.Contains(e.Vouching.Unshown, AllPaths))
	})
}
