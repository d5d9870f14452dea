package record

import "time"

// ScanSpec says what a scan reads. Two scans of equal specs may be compared; a
// scan is resumed only under an equal spec.
type ScanSpec struct {
	Full    bool   // everything in scope, or only what changed since Since
	Since   Cursor // where an incremental scan starts
	Scope   string // the filter and window, as one text
	Mapping string // fingerprint of the mapping
}

// Scan is one reading of one side, page by page.
type Scan struct {
	ID      int64
	Place   Place
	Spec    ScanSpec
	Started time.Time
	Cursor  Cursor // where it goes on
	Pages   int
	Rows    int // items read, doubles counted
	Total   int // as last given, -1 where none is
	Known   int // rows that the longer of the two sides' last whole lists had
	Flaws   []string
}

// Certificate ends a scan. Only a complete one can make an absence a suspicion.
type Certificate struct {
	Ended    time.Time
	Complete bool
	Next     Cursor   // where the next incremental scan starts; empty leaves it as it was
	Flaws    []string // why it is not complete
}

// Seen is one item of a page that must be stored: new, or its bytes differ from
// those last listed.
type Seen struct {
	Ref         Ref
	Observation Observation
	Listed      Digest // to be remembered once the entry is clean
	Keys        []Key
	Problem     string // not empty: the item can't be read as it is and goes to quarantine
	Away        bool   // it is only shown to say that it was merged into another record, or deleted
	// Unshown is the paths that are mapped and that this read did not show. More says that
	// a read by id may show them.
	Unshown []string
	More    bool
	// Came is when a page was answered that others were asked for beside: it may show what
	// was made since its request was begun. Zero: nothing was made meanwhile.
	Came time.Time
	// Until is, for a read of one record, until when a list may still show what the
	// record held before. Zero: lists are up to date.
	Until time.Time
}

// Known is what a page's fast path needs to know of an entry.
type Known struct {
	Num    int64
	Listed Digest
}

// PageSeen is what a page showed, or several of which all but the last showed
// nothing new. It is stored in one transaction with the cursor that follows it.
type PageSeen struct {
	Scan    int64
	Pages   int     // how many pages it is; 0 is 1
	Present []int64 // entries whose listing bytes are the ones last seen
	Away    []int64 // entries that were only shown to say that they are not there any more
	Items   []Seen
	Next    Cursor // where the scan goes on
	Rows    int
	Total   int // -1 where none is given
	Flaws   []string
	At      time.Time // when the page's request was begun
}

// EndedScan is a full scan with its certificate. A complete one has flaws where it was found
// since that it did not show a record that is there.
type EndedScan struct {
	Scan        Scan
	Certificate Certificate
}
