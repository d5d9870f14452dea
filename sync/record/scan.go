package record

import "time"

// ScanSpec says what a scan reads. Two scans of equal specs may be compared; a
// scan is resumed only under an equal spec.
type ScanSpec struct {
	Full    bool   // true: everything in scope; false: only what changed since Since
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
	Rows    int // items read; an item that came twice counts twice
	Total   int // as the list last gave it, -1 if it gives none
	Known   int // rows of the last whole list, of the side where that was longer
	Flaws   []string
}

// Certificate ends a scan, and says what the scan proves. Only a complete scan makes suspects of the records
// that it did not show.
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
	Listed      Digest // digest of the item's bytes, remembered once the entry leaves nothing to do
	Keys        []Key
	Problem     string // not empty: the item can't be read as it is and goes to quarantine
	Away        bool   // it is only shown to say that it was merged into another record, or deleted
	// Unshown names the mapped paths that this read did not show. More says that a read by id may show
	// them.
	Unshown []string
	More    bool
	// Came is when the answer to a page came, if other requests were made meanwhile. The page may show
	// records that were made after its own request was begun. Zero: no other request was made meanwhile.
	Came time.Time
	// Until is for a read of one record: until then a list may still show what the record held before.
	// Zero: lists are up to date.
	Until time.Time
}

// Known is what the fast path of a page needs to know of an entry: a row with the digest that was last listed
// is not decoded.
type Known struct {
	Num    int64
	Listed Digest
}

// PageSeen is what a page showed, or what several pages showed if all but the last had nothing new. It is
// stored in one transaction with the cursor that follows it.
type PageSeen struct {
	Scan    int64
	Pages   int     // how many pages these are; 0 means 1
	Present []int64 // entries whose listing bytes are the ones last seen
	Away    []int64 // entries that were only shown to say that their records are not there any more
	Items   []Seen
	Next    Cursor // where the scan goes on
	Rows    int
	Total   int // -1 if none is given
	Flaws   []string
	At      time.Time // when the page's request was begun
}

// EndedScan is a full scan with its certificate. A complete scan has flaws only if it was found later that
// the scan did not show a record that is there.
type EndedScan struct {
	Scan        Scan
	Certificate Certificate
}
