package simulator

import "time"

// Traits are the choices in which APIs of this kind differ, as plain data, so that
// they can be combined. The zero value of each is the documented platform's.
// Override says how a client is told of them.
type Traits struct {
	Prefix   string // before every path; "/" is none
	Key      KeyForm
	Stays    string // path of reservations, "reservations" when empty
	Calls    string // path of calls; there are none when empty
	Orders   string // path of orders; there are none when empty
	Uploads  UploadForm
	Dial     DialForm
	IDField  string // "id" when empty
	NumberID bool   // ids are numbers

	// Lists.
	Body         ListBody
	StaysBody    ListBody // of reservations; as Body when empty
	Flag         string   // that answers begin with; "ok" when empty, "-" is none
	Paging       Paging
	LimitParam   string // "limit" when empty
	PlaceParam   string // of offset, page or cursor; named like the paging when empty
	FirstPage    int    // of paging by page
	DefaultLimit int    // 10 when 0
	MaxLimit     int    // 100 when 0
	RefuseLimit  bool   // a larger limit answers 400; otherwise it is clamped without a word
	HideLimit    bool   // no list tells its limit
	Total        TotalForm
	HideMore     bool     // nothing says whether more follows
	Next         NextForm // what the last page names as the next one
	Beyond       int      // status of a page behind the end; 200 when 0, else 204 or 404
	WindowFrom   string   // parameters of the window, start_date and end_date when empty
	WindowTo     string
	PerDay       string // parameter of the limit of each day, of lists that are grouped

	// Single records.
	Single   SingleForm
	WrapBody bool // a record is sent under its own name
	Update   UpdateForm
	Answer   AnswerForm
	Empty    EmptyForm
	Clear    ClearForm
	Find     FindForm
	Deletes  bool // DELETE is offered, as by Options.Deletes
	Actions  bool // PATCH .../status is offered, as by Options.StatusAction

	// Orders.
	OrderNumbers bool     // a second order of the same external_reference is refused
	OrderWords   []string // the statuses that may be written; all that are shown when empty
	OrderFixed   bool     // an update takes status, status_reason and notes, and nobody says from outside what was paid

	// Refusals.
	Errors      ErrorForm
	Soft        bool // 200 in place of 400, 404, 409 and 422; the flag tells
	Duplicate   int  // status of a duplicate, 400 when 0
	Invalid     int  // status of a body that breaks a rule, 400 when 0
	Throttled   int  // status when there were too many requests, 429 when 0
	Retry       RetryForm
	Rate        RateForm
	Quotas      []Quota
	PublicNames bool // a contact has the fields of the public documentation
	Sign        SignForm

	// Times.
	Times TimeForm
	Zone  string // of times that name none, UTC when empty
	Days  DayForm
	Since string // parameter that limits a list to what changed since
}

// UploadForm is how a document is uploaded; without one there are no documents.
type UploadForm string

// The forms of an upload: parts of a form, or a text in the JSON.
const (
	UploadNone      UploadForm = ""
	UploadMultipart UploadForm = "multipart"
	UploadBase64    UploadForm = "base64"
)

// KeyForm is how a request shows the key: as a bearer token, in X-Api-Key, in the
// parameter api_key, or as the password of "api".
type KeyForm string

// The forms of a key.
const (
	KeyBearer KeyForm = ""
	KeyHeader KeyForm = "header"
	KeyQuery  KeyForm = "query"
	KeyBasic  KeyForm = "basic"
)

// ListBody is the body of a list.
type ListBody string

// The bodies of lists. The grouped ones are those of reservations alone: whole, by
// the day on which a stay begins.
const (
	BodyData       ListBody = ""           // {"data":[…],"meta":{…}}
	BodyArray      ListBody = "array"      // […]
	BodyNested     ListBody = "nested"     // {"data":{"contacts":[…],"pagination":{…}}}
	BodyItems      ListBody = "items"      // {"items":[…],"has_more":…}
	BodyCollection ListBody = "collection" // {"collection":[…],"pagination":{"next_page":…}}
	BodyNamed      ListBody = "named"      // {"contacts":[…],"paging":{…}}
	BodyResults    ListBody = "results"    // {"results":[…],"metadata":{"totalItems":…}}
	BodyLines      ListBody = "lines"      // one record a line
	BodyByDate     ListBody = "by_date"    // {"data":{"2026-01-02":[…]}}
	BodyDays       ListBody = "days"       // [{"date":"2026-01-02","events":[…]}]
)

func (b ListBody) grouped() bool { return b == BodyByDate || b == BodyDays }

// bare bodies have no room for anything but rows.
func (b ListBody) bare() bool { return b == BodyArray || b == BodyLines || b == BodyDays }

// Paging is how a list goes on.
type Paging string

// The ways of paging; links carry a cursor.
const (
	ByOffset     Paging = ""
	ByPage       Paging = "page"
	ByCursor     Paging = "cursor"
	ByNextLink   Paging = "next_link"
	ByLinkHeader Paging = "link_header"
	ByNothing    Paging = "none" // a list is whole
)

// TotalForm is where a list says how many records there are.
type TotalForm string

// The forms of a total.
const (
	TotalBody   TotalForm = ""
	TotalHeader TotalForm = "header" // X-Total-Count
	TotalWrong  TotalForm = "wrong"  // -1
	TotalRough  TotalForm = "rough"  // an estimate that is too high
	TotalNone   TotalForm = "none"
)

// NextForm is what the last page names as the next one, of lists that name one.
type NextForm string

// The forms of the last page's next one.
const (
	NextNull    NextForm = ""
	NextMissing NextForm = "missing"
	NextEmpty   NextForm = "empty"   // ""
	NextOverrun NextForm = "overrun" // an empty page, which names none
)

// SingleForm is the body of one record.
type SingleForm string

// The bodies of one record.
const (
	SingleData  SingleForm = ""      // {"data":{…}}
	SingleBare  SingleForm = "bare"  // {…}
	SingleNamed SingleForm = "named" // {"contact":{…}}
)

// UpdateForm is how a record is changed.
type UpdateForm string

// The forms of an update: PUT or PATCH with what changes, PATCH alone, or PUT with
// the whole record, which empties what it isn't sent.
const (
	UpdatePut   UpdateForm = ""
	UpdatePatch UpdateForm = "patch"
	UpdateWhole UpdateForm = "whole"
)

// AnswerForm is what a create and an update answer.
type AnswerForm string

// The answers to a write.
const (
	AnswerRecord AnswerForm = ""
	AnswerID     AnswerForm = "id"   // the id alone
	AnswerNone   AnswerForm = "none" // 201 with a Location, 204
)

// EmptyForm is how a record shows a field that holds nothing.
type EmptyForm string

// The forms of an empty field.
const (
	EmptyNull    EmptyForm = ""
	EmptyMissing EmptyForm = "missing"
	EmptyText    EmptyForm = "text" // ""
)

// ClearForm is what empties a field.
type ClearForm string

// The ways of emptying a field; with ClearText a null is refused.
const (
	ClearNull ClearForm = ""
	ClearText ClearForm = "text"
)

// FindForm is how a contact is found by its phone number.
type FindForm string

// The ways of finding a contact.
const (
	FindFilter  FindForm = ""         // a parameter of the list
	FindByPhone FindForm = "by_phone" // contacts/by-phone/{phone}
	FindNot     FindForm = "none"     // filters are ignored
)

// ErrorForm is the body of a refusal.
type ErrorForm string

// The bodies of refusals.
const (
	ErrorText    ErrorForm = ""        // {"ok":false,"error":"text"}
	ErrorProblem ErrorForm = "problem" // {"type","title","status","detail"} of RFC 9457
	ErrorCode    ErrorForm = "code"    // {"error":{"code","message"}}
	ErrorMessage ErrorForm = "message" // {"message":"text"}
	ErrorTexts   ErrorForm = "texts"   // {"statusCode","message":["text"],"error":"Bad Request"}
	ErrorList    ErrorForm = "list"    // {"errors":[{"code","detail"}]}
	ErrorFields  ErrorForm = "fields"  // {"errors":{"field":["text"]}}
	ErrorBare    ErrorForm = "bare"    // {"field":["text"]}
	ErrorDetail  ErrorForm = "detail"  // {"detail":"text"}
	ErrorDetails ErrorForm = "details" // {"detail":[{"loc","msg"}]}
	ErrorArray   ErrorForm = "array"   // [{"errorCode","message"}]
	ErrorHTML    ErrorForm = "html"
	ErrorEmpty   ErrorForm = "empty"
)

// mute tells whether the body says nothing that a program can read.
func (e ErrorForm) mute() bool { return e == ErrorHTML || e == ErrorEmpty }

// RateForm is what answers tell of the limits, beside Retry-After.
type RateForm string

// The forms of limits.
const (
	RateNone     RateForm = ""
	RateDelta    RateForm = "delta"    // X-RateLimit-Limit, -Remaining, -Reset in seconds
	RateEpoch    RateForm = "epoch"    // with the reset as a unix time
	RateEpochMS  RateForm = "epoch_ms" // in milliseconds
	RateDate     RateForm = "date"     // as a date of HTTP
	RateDraft6   RateForm = "draft6"   // RateLimit-Limit, -Remaining, -Reset in seconds
	RateDraft11  RateForm = "draft11"  // RateLimit: "default";r=50;t=30 and RateLimit-Policy
	RateDraft7   RateForm = "draft7"   // RateLimit: limit=100, remaining=50, reset=30
	RateNamed    RateForm = "named"    // X-RateLimit-Limit-Minute, -Remaining-Minute, as for each other window
	RateVendor   RateForm = "vendor"   // X-AircallApi-Limit, -Remaining, -Reset as a unix time
	RateInterval RateForm = "interval" // X-RateLimit-Max, -Remaining, -Interval-Milliseconds
)

// Quota is how many requests a key may send in each window; windows are fixed.
type Quota struct {
	Requests int
	Per      time.Duration
}

// TimeForm is the form of the times at which a record was made and changed.
type TimeForm string

// The forms of times; by default none is shown.
const (
	TimesHidden     TimeForm = ""
	TimesRFC3339    TimeForm = "rfc3339"
	TimesOffset     TimeForm = "offset" // RFC 3339 in the zone
	TimesSpaced     TimeForm = "spaced" // YYYY-MM-DD hh:mm:ss in the zone
	TimesDate       TimeForm = "date"
	TimesEpoch      TimeForm = "epoch_s"
	TimesEpochMS    TimeForm = "epoch_ms"
	TimesEpochFloat TimeForm = "epoch_float"
	TimesObject     TimeForm = "object" // {"__class__":"Time","at":"…"}
)

// DayForm is the form of a stay's days.
type DayForm string

// The forms of days.
const (
	DaysISO   DayForm = ""
	DaysSlash DayForm = "slash" // 31/12/2026
	DaysTime  DayForm = "time"  // 2026-12-31T00:00:00Z
	DaysEpoch DayForm = "epoch" // of midnight UTC
)

// SignForm is how a webhook is signed and what it holds.
type SignForm string

// The forms of a webhook: a thin event signed with its time, or a fat one of which
// the body alone is signed.
const (
	SignTimed SignForm = ""
	SignBody  SignForm = "body"
)
