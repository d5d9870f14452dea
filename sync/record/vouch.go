package record

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Sign is what a system itself says of a record's revision. If a read shows another sign, the record was
// changed, whatever else that read shows.
type Sign struct {
	Version Version
	Changed time.Time
}

// String returns s as a text that SignNamed reads.
func (s Sign) String() string {
	changed := ""
	if !s.Changed.IsZero() {
		changed = strconv.FormatInt(s.Changed.UnixMilli(), 10)
	}
	return changed + " " + string(s.Version)
}

// SignNamed returns the sign that String made the text of. A part that can't be read stays empty.
func SignNamed(text string) (s Sign) {
	changed, version, _ := strings.Cut(text, " ")
	if n, err := strconv.ParseInt(changed, 10, 64); err == nil {
		s.Changed = time.UnixMilli(n)
	}
	s.Version = Version(version)
	return s
}

// None reports whether the sign says nothing.
func (s Sign) None() bool { return s.Version == "" && s.Changed.IsZero() }

// Same reports whether s and t tell of the same revision. A part that one of them lacks is not compared. If
// nothing can be compared, they are not the same.
func (s Sign) Same(t Sign) bool {
	versions := s.Version != "" && t.Version != ""
	times := !s.Changed.IsZero() && !t.Changed.IsZero()
	return (versions || times) && (!versions || s.Version == t.Version) &&
		(!times || s.Changed.UnixMilli() == t.Changed.UnixMilli())
}

// Outdates reports whether s tells of a change that its version does not: since known, the time of change
// moved and the version stayed the same.
func (s Sign) Outdates(known Sign) bool {
	return s.Version != "" && s.Version == known.Version && !s.Changed.IsZero() && !known.Changed.IsZero() &&
		s.Changed.UnixMilli() != known.Changed.UnixMilli()
}

// VersionStands names a Witness of a side. It is kept once a record of the side showed a new value under a
// version that had vouched for the value before. From then on the side's versions vouch for nothing, as long
// as the side is read by the same mapping. The value of the Witness is the fingerprint of that mapping.
const VersionStands = "version stands still"

// Vouching says what a record's last version does not vouch for. A version, or a time of change, counts only
// for the paths that were shown by the reads that carried it.
type Vouching struct {
	// Unshown names the paths that no read showed with the last version. It holds AllPaths if nobody
	// knows which paths were shown.
	Unshown []string
	Known   Sign // the sign under which all paths are known: of the last read by id, or of one that showed all
	Asked   Sign // the sign of a list because of which the record is to be read by id
	Again   Sign // the Asked because of which it is read once more: the first read by id showed another sign
}

// AllPaths stands for every path there is, in Vouching.Unshown and in Trial.Proved.
const AllPaths = "*"

// Shown reports whether any read has ever shown the path of this record.
func (e *Entry) Shown(path string) bool {
	return e.Base[path].Known() || e.Seen != nil && e.Seen.Fields[path].Observed()
}

// Vouches reports whether the record's last version is v, and all these paths were shown with it. No version
// vouches for a path that was never shown.
func (e *Entry) Vouches(v Version, paths []string) bool {
	if v == "" || v != e.LastVersion() {
		return false
	}
	return !slices.ContainsFunc(paths, func(p string) bool {
		return !e.Shown(p) || e.Vouching != nil && (slices.Contains(e.Vouching.Unshown, p) || slices.Contains(e.Vouching.Unshown, AllPaths))
	})
}
