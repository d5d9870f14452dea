// Package connectors is the contract between Nightporter and the systems it keeps
// in step.
//
// A connector reads pages of a system's records and makes single changes to them.
// It maps nothing, remembers nothing and reads no environment: the cursor is its
// memory, the job's mapping gives names their meaning, and what it needs to reach
// its system it is given when it is opened. Pacing and retrying happen inside it,
// below these methods, so that no wrapper can hide an optional interface.
//
// Three methods are required. Every other ability is a one-method interface that a
// connector may also implement, and that its Description declares as data;
// connectortest checks that the two agree.
package connectors

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"nightporter/sync/record"
)

// Connector is one system, opened.
//
// All methods may be called by several goroutines. A done context ends a call
// soon with an error that wraps the context's cause; a write that had not been
// sent by then is never sent.
type Connector interface {
	// Describe says what the system's kinds can do. It makes no request that
	// changes anything, and may make none at all.
	Describe(ctx context.Context) (Description, error)

	// Fetch reads the page of q that follows after; the empty cursor is the first.
	// A page may repeat records of earlier pages. It never returns a page that it
	// could not read whole: an error is not an empty page.
	Fetch(ctx context.Context, q Query, after record.Cursor) (Page, error)

	// Close releases what the connector holds.
	Close() error
}

// Writer is implemented by connectors that can change records.
type Writer interface {
	// Apply makes one change with at most one mutating request and returns the
	// record as the answer showed it; fields the answer did not show are missing.
	// It never repeats a request that may have been applied: then the error's
	// class is Ambiguous. Only c.Fields are written.
	Apply(ctx context.Context, c record.Change) (record.Record, error)
}

// Getter is implemented by connectors that can read one record by its id.
type Getter interface {
	// Get reads one record. NotFound means that the system says there is none;
	// OutOfScope, that it is there and outside of the filter or window of scope.
	// An empty scope filters nothing but what the connector was told never to read.
	// A record that comes under another id is the one that ref means: the system itself
	// takes the two ids for one, as a database takes '03' and 3. Where that is not sure,
	// the error is Moved.
	Get(ctx context.Context, ref record.Ref, scope Scope) (record.Record, error)
}

// Finder is implemented by connectors that can look records up by a field.
type Finder interface {
	// Find returns the records whose fields hold just these values. A connector
	// passes the question on; whether the system honours it is the caller's to
	// prove, by asking for what is known to be there.
	Find(ctx context.Context, kind record.Kind, by record.Fields, scope Scope) ([]record.Record, error)
}

// Beyonder is implemented by connectors of kinds that are Filtered.
type Beyonder interface {
	// Beyond reports whether the system has a record outside of the filter that holds just these
	// values, our mark among them. Without values it reports whether there is any record outside.
	// Nothing of such a record is read. A kind without a filter has none, and a value that no record
	// can hold is held by none.
	Beyond(ctx context.Context, kind record.Kind, by record.Fields) (bool, error)
}

// Asker is implemented by connectors that can ask whether a record could be
// accepted, by the condition that their configuration names for the kind.
type Asker interface {
	// Accepts asks the condition about the record as it stands. It changes nothing.
	Accepts(ctx context.Context, ref record.Ref, fields record.Fields, stamp string) (bool, error)
}

// Opener is implemented by connectors whose records hold contents: files, and other
// bytes that are never kept.
type Opener interface {
	// Open gives the bytes of what a record showed as a content at a path. Whether
	// they are still those that it showed is the caller's to make sure of, by the digest.
	// NotFound and Moved mean what they mean for Get: what is gone is no outage.
	Open(ctx context.Context, ref record.Ref, path string) (io.ReadCloser, error)
}

// Whole is implemented by connectors of systems whose writes may do more than they are
// asked to: an update may empty what it is not sent.
type Whole interface {
	// Whole reads one record with all that the system shows of it, whether the connector
	// was told of it or not: by native path, as it is.
	Whole(ctx context.Context, ref record.Ref) (record.Fields, error)
	// PutBack writes values, as Whole showed them, into a record that is sent whole as it
	// stands now, with one mutating request. What stands there by then stays.
	PutBack(ctx context.Context, ref record.Ref, values record.Fields) error
}

// Notifier is implemented by connectors whose system can call us. A body is a
// hint, never data.
type Notifier interface {
	// Notified reads one delivery and says which records to read again. The
	// signature was checked before. It asks the system nothing and keeps nothing of
	// the body; what is of no kind of the system's is passed over without an error,
	// and what can't be read is Malformed.
	Notified(h http.Header, body []byte) ([]Hint, error)
}

// Hint says that a record, or something of a kind, may have changed.
type Hint struct {
	EventID string      // for dropping doubles; may be empty
	Ref     record.Ref  // one record, or
	Kind    record.Kind // all of a kind
	Sent    time.Time   // as the sender says; may be zero
}

// Identifier is implemented by connectors that can say which account or database
// answers them now. It is what Description.Account was when they were described, unless
// the key or the address leads elsewhere since.
type Identifier interface {
	// Account names the account, "" where nothing names it. It changes nothing and
	// costs one request at most.
	Account(ctx context.Context) (string, error)
}

// Mode says whether a fetch reads everything in scope or what changed.
type Mode uint8

// The modes.
const (
	Full Mode = iota
	Since
)

// Scope limits what is read: a window of days for dated kinds. A filter that
// always holds belongs to the connector's own configuration. What changed is asked for
// without one where that can be (see Kind.SinceWindowed): what was moved out of a window
// is shown by no list of that window.
type Scope struct {
	From, To string // civil dates, both inclusive; empty: open
}

// String is the scope as one text, for comparing scans.
func (s Scope) String() string {
	if s == (Scope{}) {
		return ""
	}
	return s.From + ".." + s.To
}

// Query says what to read.
type Query struct {
	Kind   record.Kind
	Mode   Mode
	Scope  Scope
	Fields []string // native paths that are wanted; others may be left out
}

// MostPages is how many pages are read of a list of which nobody knows how long it is.
const MostPages = 5000

// Page is one page of a list.
type Page struct {
	Items []Item

	// Read decodes one of Items. It may be called for some items and not for
	// others, until the next Fetch of the same caller. An error of the class Moved
	// says that the item is only shown to say that it was merged into another one,
	// one of the class NotFound that it was deleted.
	Read func(Item) (record.Record, error)

	Next record.Cursor // what follows; meaningless when End is set
	// Ahead is pages that may be fetched beside Next, if any: those behind it, if
	// all up to them have as many rows as this one. Each is the very cursor that the
	// page before it then gives as its Next. Pages fetched side by side don't share
	// memory: their items stay valid together.
	Ahead []record.Cursor
	Total int    // how many records the list has, -1 when not said
	End   bool   // nothing follows
	View  string // which reading this is, as an Observation records it
	// Flaw says why the list can't be taken for whole up to here, although it was read:
	// it ends against what it said before, say. Empty where nothing is wrong.
	Flaw string

	// Paging names what describes how the list goes on, for who is told that it has no
	// end. Empty where it surely has one.
	Paging string

	// Since, on the last page, is where the next Since query may start. Empty
	// when the kind has no incremental reading.
	Since record.Cursor
}

// Item is one record of a page, undecoded. Raw are its bytes as listed: equal
// bytes are the same observation. They are valid until the next Fetch.
type Item struct {
	ID  string // empty when the item shows none: it can't be told from others
	Raw []byte
}

// Description is what a system can do, as data.
type Description struct {
	Account string // what identifies the account or database behind the address; may be empty
	Kinds   map[record.Kind]Kind
	// Notifies says that the system can call us, and that Notified reads what it sends.
	Notifies bool
}

// Kind describes one kind of record.
type Kind struct {
	Fields map[string]Field // by native path; nil: any field goes
	// ReadOnly is native paths that are never written, and what is below them neither, each
	// with the reason. They are beside those that Fields calls read only.
	ReadOnly map[string]string
	IDs      IDs  // what the ids of its records are made of
	PageSize int  // records asked for per page
	OnePage  bool // a list is one page however long it is; PageSize is then what is counted as one request

	Create, Update, Delete bool
	Get                    bool

	Since        bool          // Fetch with Mode Since works
	SinceOverlap time.Duration // how far back an incremental scan is begun again
	Windowed     bool          // Scope.From and To are honoured by Fetch
	WindowField  [2]string     // native paths of a record's first and last day
	// SinceWindowed says that the system lists no changes without days: of a kind that is
	// Windowed, Fetch with Mode Since needs a Scope.
	SinceWindowed bool

	// Filtered says that a condition of the configuration decides which records lists and finds
	// show: what they don't show may be there.
	Filtered bool

	// Immutable says that a record never changes: its id names all that it holds, and what
	// is edited is another record, which Get names in place of this one (Error.Newer).
	Immutable bool

	// Stable says that a full scan can't miss a record that is there from its
	// beginning to its end: it walks an order that no edit changes.
	Stable bool
	Total  bool // pages say how many records there are

	Conditional bool // an update that names a Version fails as Stale when it is not current
	Changed     bool // records show their time of change
	Created     bool // records show their time of creation

	Unique [][]string // sets of native paths that the system keeps unique
	FindBy [][]string // sets of native paths that Find can ask for
	// FindAny says that Find can ask by any set of paths, and that the question is
	// a query of the connector's own, which no server can ignore. Such a kind that is
	// Conditional compares what the record holds: it refuses what is stale without a version, too.
	FindAny  bool
	Required []string // native paths without which a create is refused
	// Contents is the paths that take a content: with a create alone, and no read shows it.
	// What is larger than the limits say, of another type, or not handed over whole
	// (WithContents) is Rejected before anything is sent. A content anywhere else, or with
	// another change, is Unsupported or Rejected, and nothing is sent either.
	Contents map[string]Limits
	// Reads says how the connector makes values of what its system shows: native path -> a text that
	// changes if the same would be made another value of. What is said of a path holds for all below it
	// of which nothing else is said, and what is said of "" for all other paths. It is made of the
	// settings as they take effect, so that it stays the same while the values do, however they are
	// written. Nothing said: the value is as it stands.
	Reads map[string]string
	// Late is the paths, with all below them, that come later than their record and are read
	// on their own: what a list shows nothing of, and does not name as lacking, is not there.
	Late []string
	// Waits is a text that changes with whatever decides what records still lack, or that
	// they are there: what was listed under another one is looked at again.
	Waits  string
	Status string // native path that is written by an Action of its own; "" for none
	// Carries is what the action for a word of Status takes along, and may leave out: word ->
	// native paths, such as the reason of a cancel.
	Carries map[string][]string
	// NotNew is the native paths that no create takes: a new record is as its system makes it
	// there, and changed afterwards.
	NotNew     []string
	Stamp      Stamp
	Words      map[string][]string // native path -> the values that may be written there, of more that are shown
	Needs      []Need
	Updates    []string // native paths that an update may write; nil: all that are not read only
	Import     *Import  // the system takes files of new records in its own pages; nil: not known to
	Idempotent bool     // the system documents that it honours an idempotency key
	// Once says that a create reaches a person at once, like a call or a message, and can't
	// be taken back: it is made once or not at all. The native paths named are what such a
	// record is told by in lists where it doesn't bear our mark: whom it reaches.
	Once    []string
	Answers bool // a write is answered with the record as stored
	// MakesNew says that a create which is answered made a record, and never took one that was
	// there: what had its id before is gone.
	MakesNew bool
	// Keeps is the native paths of what the system keeps for itself of a record: its id, its
	// version, its times. What becomes of them through a write is no doing of that write.
	Keeps []string
	// Written is a digest of all that says how records are written: while it is new, the
	// first write of each operation is a trial. Empty: every write names all that it does,
	// and Whole is not asked.
	Written string
	// WholeKey is the key by which an update sends a record whole, "" where it does so.
	WholeKey string
	Asks     bool // a condition decides whether a create is accepted
}

// IDs says what an id means, by the names that stand in the configuration. Links go by ids: if Of is another one, the
// same id may name another record. Two kinds of a system with the same IDs, and Of not empty, show the same records
// under the same ids, each kind those of its own filter. A connector whose ids depend on no setting leaves it empty.
type IDs struct {
	Of string `json:"of"` // the fields that an id is made of, in their order, such as "house, number"
	In string `json:"in"` // where the record of an id is looked up: a table, a query, a path, a file
}

// Import is what a system's own import of CSV files takes: UTF-8, with a header line.
type Import struct {
	Columns []ImportColumn
	MaxRows int // in a file, the header not counted; 0: no limit known
	MaxMB   int
}

// ImportColumn is one column of such a file, and the native path of what stands in it.
type ImportColumn struct{ Header, Path string }

// Need is a value that is taken only together with others: a refusal with its reason.
type Need struct {
	Path   string
	Values []string // in any case
	With   []string // native paths that must hold something then, in the same change
}

// Has reports whether records of the kind may have something at a path: it is among the
// fields, or below one of them, or any field goes.
func (k Kind) Has(path string) bool {
	for len(k.Fields) > 0 {
		if _, ok := k.Fields[path]; ok {
			return true
		}
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			return false
		}
		path = path[:i]
	}
	return true
}

// Reading says how the connector makes a value of what stands at a native path; see Reads.
func (k Kind) Reading(path string) string {
	for {
		if how, ok := k.Reads[path]; ok {
			return how
		}
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			return k.Reads[""]
		}
		path = path[:i]
	}
}

// Unwritable says why a native path is never written, "" where it may be. What is said of
// a path holds for all below it of which nothing else is said.
func (k Kind) Unwritable(path string) string {
	for {
		if f, ok := k.Fields[path]; ok {
			if f.ReadOnly {
				return "it is read only"
			}
			return k.ReadOnly[path]
		}
		if why, ok := k.ReadOnly[path]; ok {
			return why
		}
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			return ""
		}
		path = path[:i]
	}
}

// Field describes one native field.
type Field struct {
	ReadOnly bool
	MaxRunes int  // 0: no limit known
	Whole    bool // a number with a fraction is refused
}

// Limits is what a system takes as a content.
type Limits struct {
	MaxBytes int64    // 0: no limit known
	Media    []string // media types; empty: any
}

// Stamp says where our own reference is kept in a record.
type Stamp struct {
	Path   string // "" when there is no place for it
	Find   bool   // Find can ask for it
	Unique bool   // the system refuses a second record that carries it
}

// Class is a guarantee that a system's kind allows for creates.
type Class string

// The classes, strongest first: A an idempotency key is honoured; B a reference or
// a match key is unique; C a reference can be looked up; D only the record's own
// values tell; E nothing does.
const (
	ClassA Class = "A"
	ClassB Class = "B"
	ClassC Class = "C"
	ClassD Class = "D"
	ClassE Class = "E"
)

// Class computes the guarantee: keyed says whether one of the job's match keys is
// among Unique, listed whether records can be told by their values at all.
func (k Kind) Class(keyed, listed bool) Class {
	switch {
	case k.Idempotent:
		return ClassA
	case k.Stamp.Path != "" && k.Stamp.Unique, keyed:
		return ClassB
	case k.Stamp.Path != "":
		return ClassC
	case listed:
		return ClassD
	}
	return ClassE
}

// MayHide reports whether a list may show nothing of a path that a read by id shows.
func (k Kind) MayHide(path string) bool {
	if _, content := k.Contents[path]; content || !k.Get {
		return false
	}
	return !k.ComesLater(path)
}

// ComesLater reports whether a path comes later than its record, and is waited for.
func (k Kind) ComesLater(path string) bool {
	return slices.ContainsFunc(k.Late, func(late string) bool { return record.Under(path, late) })
}
