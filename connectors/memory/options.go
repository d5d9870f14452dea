package memory

import (
	"fmt"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Options say what a System is.
type Options struct {
	Account string               // what Describe shows as the account
	Kinds   map[record.Kind]Kind // the kinds of records it has
	Now     func() time.Time     // its clock; nil: time.Now
	Latency time.Duration        // how long each call takes; a done context ends the wait
}

// Paging says how a list is cut into pages.
type Paging uint8

// The ways of paging: by number of rows before the page, which writers shift, or
// by the last row seen.
const (
	Offset Paging = iota
	Keyset
)

// Order is the order of a list's rows.
type Order uint8

// The orders. Rows that are equal under Changed and ByField follow by id.
const (
	ID Order = iota
	IDDesc
	Changed
	ChangedDesc
	ByField
)

// Kind says what one kind of record can do. The zero value reads, creates and
// updates, knows no times, versions or unique values, and can look nothing up.
type Kind struct {
	// Fields are the fields there are, by path. A record shows each of them, Null
	// where nothing was put. Nil: any field goes, and what was never put is missing.
	Fields map[string]connectors.Field

	PageSize   int    // rows asked for per page, 0: 100
	Clamp      int    // rows the system gives at most whatever is asked, 0: no limit of its own
	Paging     Paging // how lists are paged
	Order      Order  // how lists are sorted
	OrderField string // the field of ByField
	Total      bool   // pages say how many rows there are
	EndByEmpty bool   // only an empty page ends a list
	Ahead      int    // pages proposed for reading side by side, where there is a total and no keyset

	NoCreate, NoUpdate, NoGet bool
	Delete                    bool

	FindBy     [][]string // sets of fields that Find can ask for
	FindAny    bool       // Find can ask for any set
	Unique     [][]string // sets of fields kept unique; a row with an empty one among them counts for none
	Required   []string   // fields without which a create is rejected
	Stamp      connectors.Stamp
	Once       []string      // a create can't be taken back; it is told by these
	Idempotent bool          // a second change of the same ID gives the first one's answer
	KeyLife    time.Duration // how long it remembers that answer; 0: for good
	Versions   bool          // records show a version; a stale one fails as Stale
	Counting   bool          // the version is a number that counts upwards
	Still      bool          // the version moves with what is written through a connector, and not with a user's edits
	Guarded    bool          // an update whose Before does not hold any more fails as Stale
	Times      bool          // records show when they were created and changed
	Born       bool          // records show when they were created
	Status     string        // a field that only an Action changes
	Silent     bool          // a write is answered with the id alone
	GivesAgain bool          // the highest id is given again once its record is removed

	Since        bool          // lists can be read from a time of change on
	SinceOverlap time.Duration // how far back that begins again; at least ListLag
	SinceInDays  bool          // with Window: such a list is refused without days

	// Ignores are fields of which a create takes no notice, and what stands there instead.
	Ignores map[string]record.Value
	// Rewrites has an update send the whole record, as it was read just before: what is
	// edited between the two is written over.
	Rewrites bool
	// Clears names fields that a status action empties, whatever it was asked to.
	Clears []string
	// Tried has the first write of each operation be a trial, where a record can be read.
	Tried bool
	// Replaces has an update empty what it is not given, though nothing says so.
	Replaces bool
	// ReplacesWithin has an update empty what it is not given in the objects that it goes
	// through, and in nothing else.
	ReplacesWithin bool
	// Drops names fields that an update empties where it is not given them.
	Drops []string
	// Keeps names fields that are the system's own, such as a time of change.
	Keeps []string

	// Undone says which updates and actions are answered as if they were done, and are not; nil: none.
	Undone func(record.Change) bool
	// Echoes has their answer show what was asked for.
	Echoes bool

	// Unreadable says of which rows a list shows nothing but the id, and of which a read
	// says that nobody can make anything of it; nil: of none.
	Unreadable func(record.Fields) bool

	// ShowsGone has lists go on showing what was removed, to say that it was.
	ShowsGone bool

	Window [2]string // fields of a record's first and last day; empty: no window
	Reach  int       // with Window: a list shows so many days from the first that is asked for, and does not say so; 0: all

	// Normalise is what the system makes of a field's value before it keeps it.
	Normalise map[string]func(record.Value) record.Value

	// Filter names the rows that the connector may read; nil: all.
	Filter func(record.Fields) bool

	// Unlisted names the rows that no list shows, and a read by id does; nil: none.
	Unlisted func(record.Fields) bool

	// Accept is the condition under which a create is accepted, asked under the
	// system's own lock: others are all other records of the kind. It must not call
	// the System. Nil: everything is.
	Accept func(others []record.Record, r record.Record) bool

	// MergedShows has a read of a record that was merged show the one it was merged into,
	// under that one's id; otherwise it says that the record moved.
	MergedShows bool

	ListHides []string // fields that lists leave out and Get shows
	GetHides  []string // fields that Get leaves out, and answers, and that lists show

	// Unfinished says of what a read shows of a record whether it is not yet all that it
	// will be; nil: every record is.
	Unfinished func(shown record.Fields) *record.Unfinished
	Late       []string // the fields that Unfinished speaks for

	// Contents are the paths that take a content with a create. No read shows it;
	// System.Content gives what was given.
	Contents map[string]connectors.Limits

	// ListLag, GetLag and FindLag are how old what they show is: a list that lags
	// shows a record as it was, or not yet, or still.
	ListLag, GetLag, FindLag time.Duration

	// NewID makes the id of the n-th record, counted from 1; nil: eight digits.
	NewID func(n int) string
}

// DefaultPageSize is the page size of a Kind that names none.
const DefaultPageSize = 100

func (k Kind) pageSize() int {
	if k.PageSize > 0 {
		return k.PageSize
	}
	return DefaultPageSize
}

// rows is how many rows a page really has.
func (k Kind) rows() int {
	if k.Clamp > 0 {
		return min(k.Clamp, k.pageSize())
	}
	return k.pageSize()
}

func (k Kind) overlap() time.Duration { return max(k.SinceOverlap, k.ListLag) }

func (k Kind) windowed() bool { return k.Window != [2]string{} }

func (k Kind) sinceWindowed() bool { return k.SinceInDays && k.windowed() }

func (k Kind) finds() bool { return len(k.FindBy) > 0 || k.FindAny || k.Stamp.Find }

// describe is the kind as the contract tells it.
func (k Kind) describe() connectors.Kind {
	d := connectors.Kind{
		Fields: k.Fields, PageSize: k.pageSize(),
		Create: !k.NoCreate, Update: !k.NoUpdate, Delete: k.Delete, Get: !k.NoGet,
		Since: k.Since, Windowed: k.windowed(), WindowField: k.Window, Filtered: k.Filter != nil,
		Stable: k.Paging == Keyset && (k.Order == ID || k.Order == IDDesc),
		Total:  k.Total, Conditional: !k.NoUpdate && (k.Versions || k.Guarded), Changed: k.Times, Created: k.Times || k.Born,
		Unique: k.Unique, FindBy: k.FindBy, FindAny: k.FindAny, Required: k.Required, Contents: k.Contents, Late: k.Late, Status: k.Status,
		Keeps: k.Keeps, Stamp: k.Stamp, Idempotent: k.Idempotent, Once: k.Once, Answers: !k.Silent && (!k.NoCreate || !k.NoUpdate), Asks: k.Accept != nil,
		MakesNew: k.GivesAgain,
	}
	if k.Tried && !k.NoGet {
		d.Written = fmt.Sprintf("rewrites %t", k.Rewrites)
	}
	if !k.Rewrites {
		d.WholeKey = "update.mode: rewrite"
	}
	if k.Since {
		d.SinceOverlap, d.SinceWindowed = k.overlap(), k.sinceWindowed()
	}
	if k.Stamp.Find {
		d.FindBy = append(append([][]string{}, k.FindBy...), []string{k.Stamp.Path})
	}
	return d
}

// ClassKind gives k what a kind of that class offers for creates: A an
// idempotency key, B a unique reference, C a reference that can be looked up, D
// look-ups by the sets in by, E nothing.
func ClassKind(k Kind, class connectors.Class, by ...[]string) Kind {
	k.Idempotent, k.Stamp, k.FindBy = false, connectors.Stamp{}, by
	switch class {
	case connectors.ClassA:
		k.Idempotent = true
	case connectors.ClassB:
		k.Stamp = connectors.Stamp{Path: "reference", Find: true, Unique: true}
	case connectors.ClassC:
		k.Stamp = connectors.Stamp{Path: "reference", Find: true}
	case connectors.ClassD:
	case connectors.ClassE:
		k.FindBy = nil
	}
	return k
}

// numbered is a version as records show it.
func (k Kind) numbered(v record.Version) record.Version {
	if k.Counting {
		return v[len("v"):]
	}
	return v
}
