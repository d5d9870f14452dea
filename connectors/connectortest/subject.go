package connectortest

import (
	"net/http"
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Subject is an empty system with one kind of record, and a connector to it.
type Subject struct {
	// Kind is the kind that is looked at.
	Kind record.Kind

	// Open opens one more connection to the same system. The suite closes it.
	Open func(t testing.TB) connectors.Connector

	// Put, Edit and Remove are a user of the system: they add, change and remove
	// records behind the connector's back. Put returns the id as the connector
	// shows it. All three check errors themselves.
	Put    func(t testing.TB, f record.Fields) string
	Edit   func(t testing.TB, id string, f record.Fields)
	Remove func(t testing.TB, id string)

	// Sample is the fields of the i-th record: native paths that can be written,
	// values that the system keeps as they are, and everything that a create needs.
	// No two samples share a value of a field that is unique or can be looked up.
	Sample func(i int) record.Fields

	// Text is the path of a field that takes any text, and null.
	Text string

	// PutAs is Put under an id of the suite's choice, false where the system
	// doesn't take such an id. Nil: the system gives ids itself.
	PutAs func(t testing.TB, id string, f record.Fields) bool

	// Mutations is how many requests that change something have reached the system.
	// Nil: it can't be counted, and the number of records is looked at alone.
	Mutations func() int

	// Tick lets time pass: what is written afterwards has a later time of change,
	// and what was written before is shown by every read. Without a Tick between
	// them, changes should have the same time. Nil: the system knows no time.
	Tick func()

	// Scope is the one that lists are read with. Samples are inside of it.
	Scope connectors.Scope

	// Status is a value that a sample's status may be changed to, for a kind with a
	// status action.
	Status record.Value

	// Later is the path of a text that comes later than its record, and of which the
	// record says so until then. Empty: there is none.
	Later string

	// Delivery is what the system sends of a form when it calls about records of the kind,
	// for a connector that reads that; false where it has no such form.
	Delivery func(t testing.TB, form Form, ids ...string) (h http.Header, body []byte, ok bool)

	// Tells adds to the fields of a create what is said there of a content that goes up
	// with it: its digest, its name. Nil: nothing is.
	Tells func(f record.Fields, path string, c Content) record.Fields

	// Stored is what the system's users see of the content of a record at a path; false
	// where it has none. A type that the system doesn't show is empty. Nil: nobody sees
	// any of it.
	Stored func(t testing.TB, id, path string) (record.Body, bool)

	// Lose has the next write be made and its answer be lost. Nil: no answer ever is.
	Lose func(t testing.TB)

	// Finish ends what the system still does with a new record before it is all that it
	// will be: it is ready, or it failed for good. Nil: it is ready at once.
	Finish func(t testing.TB, id string, failed bool)

	// Rewrite and Rename are a user of a system whose records show contents: other bytes
	// in the place of a record's, and another name for the same. They return the id as
	// the connector shows it now.
	Rewrite func(t testing.TB, id string, b []byte) string
	Rename  func(t testing.TB, id string) string

	// Refused is a record that the kind's condition doesn't accept, for a kind that
	// asks one. Samples are accepted.
	Refused record.Fields
}

// Content is the bytes of a file, and their media type.
type Content struct {
	Bytes []byte
	Media string
}

// Form is how a system says what changed.
type Form string

// The forms of a delivery. Thin names a record, Fat has it in it, Several is one delivery
// about several records, Whole is about the kind and names none, and Strange is about
// something that is no kind of the system's.
const (
	Thin    Form = "thin"
	Fat     Form = "fat"
	Several Form = "several"
	Whole   Form = "whole"
	Strange Form = "strange"
)

// chapter is one part of the story.
type chapter struct {
	name string
	tell func(s *story)
}

// Run tells the whole story. open makes an empty system each time it is called.
func Run(t *testing.T, open func(t testing.TB) Subject) {
	t.Helper()
	for _, c := range chapters() {
		t.Run(c.name, func(t *testing.T) { c.tell(begin(t, open(t))) })
	}
}

// chapters are all of them, in the order of the story.
func chapters() []chapter {
	return []chapter{
		{"it describes itself", describes},
		{"what it does not declare it does not do", undeclared},
		{"an empty system is one empty page", empty},
		{"pages of just the size, one less and one more", pageSizes},
		{"it goes on at every cursor", resumes},
		{"the same record is the same bytes", bytesStay},
		{"only the fields that were asked for are counted on", asked},
		{"ids may hold any character", uglyIDs},
		{"many records have the same time of change", ties},
		{"since then", since},
		{"what changes during a scan comes with the next", drift},
		{"a window of days", window},
		{"what left the window", movedOut},
		{"one record by its id", gets},
		{"what comes later", later},
		{"a create", creates},
		{"what a create needs", required},
		{"our reference", stamps},
		{"an idempotency key", idempotent},
		{"contents go up with a create", uploads},
		{"contents that are not taken", misfits},
		{"an upload that nobody answered", unanswered},
		{"a record that becomes ready", becomesReady},
		{"an update", updates},
		{"an update that came too late", stale},
		{"an update of what is no longer so", guarded},
		{"a change of status", acts},
		{"a removal", deletes},
		{"a condition of acceptance", accepts},
		{"contents are opened", opens},
		{"an id names a version", versions},
		{"a question", finds},
		{"the same record a second time", exists},
		{"null, empty and not there", nothings},
		{"odd texts", texts},
		{"nobody waits any more", cancelled},
		{"what is only read stays as it is", onlyRead},
		{"what is only added to", appendOnly},
		{"an action and nothing else", actsOnce},
		{"a call from the system", called},
		{"a call that nobody understands", miscalled},
		{"several at a time", together},
		{"everything twice", twice},
		{"goodbye", closes},
	}
}
