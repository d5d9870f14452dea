// Package rest reads and writes any JSON API that a preset describes: where its
// lists are and how they are paged, how a record is read, made, changed and
// removed, what its refusals look like. A preset is a YAML file; adding a system is
// writing one, not a package.
package rest

import (
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"

	"nightporter/connectors/pace"
)

// Preset describes one JSON API as data. Paths inside records are dotted
// ("name.given"; a dot that belongs to a name is "\."), "." is the whole.
type Preset struct {
	Name    string            `yaml:"name"`
	Auth    Auth              `yaml:"auth"`
	Prefix  string            `yaml:"prefix"`  // stands between base_url and every path; may be empty
	Headers map[string]string `yaml:"headers"` // sent with each request
	Timeout time.Duration     `yaml:"timeout"` // of one try; default 30s

	PageSize       int   `yaml:"page_size"`     // default 100
	MaxAnswerMB    int64 `yaml:"max_answer_mb"` // default 32
	AnyContentType bool  `yaml:"any_content_type"`

	Rate     Rate            `yaml:"rate"`
	Errors   Errors          `yaml:"errors"`
	Identity Identity        `yaml:"identity"`
	Webhooks Webhooks        `yaml:"webhooks"`
	Kinds    map[string]Kind `yaml:"kinds"`
}

// Auth is how a request shows the key.
type Auth struct {
	Type   string `yaml:"type"`   // bearer, header, basic, query, none
	Header string `yaml:"header"` // for bearer and header; default Authorization
	Prefix string `yaml:"prefix"` // what stands before the key; default "Bearer " for bearer
	User   string `yaml:"user"`   // for basic, where the key is the password alone
	Param  string `yaml:"param"`  // for query
}

// Rate is the pace that the API asks for. All limits hold; 0 is none.
type Rate struct {
	MaxPerSecond int           `yaml:"max_per_second"`
	MaxPerMinute int           `yaml:"max_per_minute"`
	MaxPerHour   int           `yaml:"max_per_hour"`
	MaxPerDay    int           `yaml:"max_per_day"`
	Window       string        `yaml:"window"`       // sliding, which is safe with every API, or fixed
	Pause        time.Duration `yaml:"pause"`        // after the first 429 that doesn't say how long; default 1m
	ResetHeader  string        `yaml:"reset_header"` // one more header that says when a 429 is over
}

// Manners is the rate as the limiter of a credential keeps it.
func (r Rate) Manners(concurrency int, reserve float64) pace.Config {
	c := pace.Config{Concurrency: concurrency, Reserve: reserve, Pause: r.Pause, ResetHeader: r.ResetHeader}
	for i, n := range []int{r.MaxPerSecond, r.MaxPerMinute, r.MaxPerHour, r.MaxPerDay} {
		if n > 0 {
			per := []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour}[i]
			c.Quotas = append(c.Quotas, pace.Quota{Requests: n, Per: per, Window: pace.Window(r.Window)})
		}
	}
	return c
}

// Errors is how the API says no.
type Errors struct {
	Message  []string `yaml:"message"`   // paths of the message, the first that is there counts
	OKFlag   string   `yaml:"ok_flag"`   // path of a truth value: a 200 in which it is false is an error
	OKIs     []string `yaml:"ok_is"`     // words at ok_flag that mean yes, beside true and 1
	OKIsNot  []string `yaml:"ok_is_not"` // words at ok_flag that mean no, beside false and 0
	Exists   *Exists  `yaml:"exists"`    // what a create answers for a record that is there already
	NotFound *Exists  `yaml:"not_found"` // what a request on one record answers in place of 404
	NoRoom   *Exists  `yaml:"no_room"`   // what a create answers for a booking for which nothing is free
	Quota403 string   `yaml:"quota_403"` // the message of a 403 that means 429
}

// Exists recognises a create that met a record that is the same.
type Exists struct {
	Status []int  `yaml:"status"`
	Match  string `yaml:"match"` // a regular expression on the message; empty: the status is enough
}

// Identity is where the API says which account a key belongs to.
type Identity struct {
	Path string `yaml:"path"`
	Item string `yaml:"item"` // path of the account's id in the answer
}

// Webhooks is how the system tells of changes of its own accord. The connector leaves
// it to whoever receives them.
type Webhooks struct {
	Signature Signature         `yaml:"signature"` // the scheme by which it signs
	Kinds     map[string]string `yaml:"kinds"`     // what an event calls a record, in small letters -> kind
	// Subscriptions is the system's list of whom it calls; nil: it has none that is known.
	Subscriptions *Subscriptions `yaml:"subscriptions"`
}

// Signature is the scheme by which a system signs: a name, which is all of it then, or the
// keys of one, laid over those of the one that preset names. It is read by whoever receives.
type Signature struct {
	Preset       string        `yaml:"preset"`
	Header       string        `yaml:"header"`
	Prefix       *string       `yaml:"prefix"`
	Separator    string        `yaml:"separator"`
	TimeKey      string        `yaml:"time_key"`
	TimeIn       string        `yaml:"time_in"`
	Millis       *bool         `yaml:"millis"`
	IDIn         string        `yaml:"id_in"`
	Signed       string        `yaml:"signed"`
	Hash         string        `yaml:"hash"`
	Encoding     string        `yaml:"encoding"`
	SecretPrefix string        `yaml:"secret_prefix"`
	Tolerance    time.Duration `yaml:"tolerance"`
	Token        *bool         `yaml:"token"`
}

// UnmarshalYAML reads a name or a mapping.
func (s *Signature) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*s = Signature{Preset: n.Value}
		return nil
	}
	type plain Signature
	return n.Decode((*plain)(s))
}

// Kind describes one kind of record.
type Kind struct {
	Path string `yaml:"path"` // of the list, below the prefix
	List List   `yaml:"list"`

	ID      string  `yaml:"id"`      // path of the id; default "id"
	Version Version `yaml:"version"` // what changes with every change
	Changed Moment  `yaml:"changed"` // the system's own time of the last change
	Created Moment  `yaml:"created"`
	By      string  `yaml:"changed_by"` // path of who changed it last, for explain
	Merged  string  `yaml:"merged"`     // path of the id of the record that this one was merged into; nothing there: it was not

	Deleted string `yaml:"deleted"` // path that is filled in a record that was deleted and is still shown: a time, or true

	Get    *Get    `yaml:"get"`
	Find   []Find  `yaml:"find"`
	Create *Create `yaml:"create"`
	Update *Update `yaml:"update"`
	Delete Delete  `yaml:"delete"`
	Status Status  `yaml:"status"`

	Stamp       Stamp       `yaml:"stamp"`
	Idempotency Idempotency `yaml:"idempotency"`
	Exists      *Exists     `yaml:"exists"`  // in place of errors.exists
	NoRoom      *Exists     `yaml:"no_room"` // in place of errors.no_room
	Once        []string    `yaml:"once"`    // a create reaches a person, and can't be taken back: whom, by these paths

	Unique     [][]string       `yaml:"unique"`      // sets of paths that the system keeps unique
	Required   []string         `yaml:"required"`    // paths without which a create is refused
	ReadOnly   []string         `yaml:"read_only"`   // paths that are never written
	Clear      string           `yaml:"clear"`       // how a field is emptied: null (default), empty, omit
	OmitsEmpty bool             `yaml:"omits_empty"` // a path missing in a record means: empty. Default: not shown
	Fields     map[string]Field `yaml:"fields"`      // where given, there are no others

	SubReads     map[string]SubRead `yaml:"sub_reads"`     // path -> where it is read on its own
	WindowFields []string           `yaml:"window_fields"` // paths of a record's first and last day
	Finished     *Finished          `yaml:"finished"`      // when a record is all that it will be; left out: always
	Content      *Content           `yaml:"content"`       // the file that a create gives

	Words map[string][]string `yaml:"words"` // path -> the values that may be written; others are only shown
	Needs []Need              `yaml:"needs"`

	Import *Import `yaml:"import"` // files that its own pages take; left out: none is known
}

// Import is what the system's own import of CSV files takes.
type Import struct {
	Columns []ImportColumn `yaml:"columns"`
	MaxRows int            `yaml:"max_rows"` // in a file; 0: no limit
	MaxMB   int            `yaml:"max_mb"`
}

// ImportColumn is one column: its header, and the path of the field that stands in it.
type ImportColumn struct {
	Header string `yaml:"header"`
	Path   string `yaml:"path"` // default the header
}

// Need is a value that is taken only with others in the same request.
type Need struct {
	Field string   `yaml:"field"`
	Is    []string `yaml:"is"`
	With  []string `yaml:"with"`
}

// List is how a kind's records are listed.
type List struct {
	Items  string `yaml:"items"`  // path of the list; "*" stands for every member: rows grouped under keys
	Body   string `yaml:"body"`   // json, or lines: a record on each line
	Paging string `yaml:"paging"` // offset, page, cursor, next_link, link_header, none

	LimitParam  string `yaml:"limit_param"`   // empty: the page size is not asked for
	LimitEach   bool   `yaml:"limit_each"`    // the page size is that of each group of rows
	MaxPageSize int    `yaml:"max_page_size"` // more is never asked for
	OffsetParam string `yaml:"offset_param"`  // for offset; default offset
	PageParam   string `yaml:"page_param"`    // for page; default page
	FirstPage   int    `yaml:"first_page"`    // for page: 0 or 1
	CursorParam string `yaml:"cursor_param"`  // for cursor
	Next        string `yaml:"next"`          // path of the next cursor, or of the next link
	Total       string `yaml:"total"`         // path of the number of all records
	TotalHeader string `yaml:"total_header"`  // the header with that number
	HasMore     string `yaml:"has_more"`      // path of a truth value

	Params map[string]string `yaml:"params"` // sent always: a sort, say
	Window Window            `yaml:"window"`
	Since  SinceSpec         `yaml:"since"`
	Order  string            `yaml:"order"` // immutable: the list is in a total order that no edit changes

	EmptyStatus []int `yaml:"empty_status"`  // statuses that mean an empty page: 204, 404
	NullIsEmpty bool  `yaml:"null_is_empty"` // null in place of the list is an empty one
}

// Window is how a list is limited to days.
type Window struct {
	From    string `yaml:"from"` // parameters
	To      string `yaml:"to"`
	MaxDays int    `yaml:"max_days"` // a request covers no more; 0: any number
}

// SinceSpec is how a list is limited to what changed.
type SinceSpec struct {
	Param   string        `yaml:"param"`
	Format  string        `yaml:"format"`  // see Moment
	Overlap time.Duration `yaml:"overlap"` // a reading begins that much earlier than the last; default 1m
	From    string        `yaml:"from"`    // seen: the latest time of change seen (default); server_date: the answer's Date
	Window  bool          `yaml:"window"`  // the API lists no changes without the days of the window
}

// Moment is a time in a record.
type Moment struct {
	Path   string `yaml:"path"`
	Format string `yaml:"format"` // rfc3339 (default), epoch_s, epoch_ms, date, or like "DD/MM/YYYY hh:mm:ss"
	Zone   string `yaml:"zone"`   // of formats that name none; default UTC
}

// Version is what changes with every change of a record.
type Version struct {
	Field string `yaml:"field"`
	ETag  bool   `yaml:"etag"` // the answer's ETag
}

// Get reads one record. "{id}" in the path is its id.
type Get struct {
	Path   string            `yaml:"path"`
	Item   string            `yaml:"item"` // path of the record in the answer; default "."
	Params map[string]string `yaml:"params"`
}

// Find looks records up by fields.
type Find struct {
	By     []string          `yaml:"by"`     // paths, all of them
	Params map[string]string `yaml:"params"` // parameter -> one of those paths
	Fixed  map[string]string `yaml:"fixed"`  // parameters sent as they are
	Path   string            `yaml:"path"`   // default that of the list; "{phone}" is the value of the path phone
	Item   string            `yaml:"item"`   // where one record is answered, not a list; 404 is none
}

// Create makes a record.
type Create struct {
	Method string `yaml:"method"` // default POST
	Path   string `yaml:"path"`   // default that of the list; "{action}" is the value of the path action, which is not sent beside
	Body   string `yaml:"body"`   // path under which the record is sent; default "."
	Item   string `yaml:"item"`   // path of the record in the answer; default that of get

	Names   map[string]string `yaml:"names"`   // path in a record -> path at which it is sent, where they differ
	Without []string          `yaml:"without"` // paths that a create does not take; they are changed once the record is there
}

// Update changes a record.
type Update struct {
	Method string `yaml:"method"` // default PATCH
	Path   string `yaml:"path"`   // default that of get
	Body   string `yaml:"body"`
	Item   string `yaml:"item"`

	// Mode is partial (only what changes is sent; the default) or rewrite (the record is
	// read, and sent whole with the changes put in: for APIs that empty what they are not
	// sent).
	Mode    string `yaml:"mode"`
	IfMatch bool   `yaml:"if_match"` // the version goes along, and an update of an older one fails

	Only []string `yaml:"only"` // paths that an update takes; empty: all
}

// Delete removes a record. In a file it is "none", or a mapping.
type Delete struct {
	Method string `yaml:"method"` // default DELETE
	Path   string `yaml:"path"`   // empty: records can't be removed
}

// UnmarshalYAML reads "none" or a mapping.
func (d *Delete) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		if n.Value != "none" {
			return fmt.Errorf("line %d: delete is none, or a mapping with a path", n.Line)
		}
		*d = Delete{}
		return nil
	}
	type plain Delete
	return n.Decode((*plain)(d))
}

// Status is a field that is changed by a request of its own for each value.
type Status struct {
	Field    string            `yaml:"field"`
	Requests map[string]Action `yaml:"requests"` // native value -> request
}

// Action is one request on a record. "{id}" in the path is its id. A text in the query or
// the body that is "{note}" stands for what the record is to hold at the path note; where
// that is nothing it is left out.
type Action struct {
	Method string            `yaml:"method"` // default POST
	Path   string            `yaml:"path"`
	Query  map[string]string `yaml:"query"`
	Body   map[string]any    `yaml:"body"`
	Item   string            `yaml:"item"`
}

// Stamp is where our own reference is kept in a record.
type Stamp struct {
	Field  string `yaml:"field"`
	Find   bool   `yaml:"find"` // there is a find by it
	Unique bool   `yaml:"unique"`
}

// Idempotency names the header of a key by which the API documents to recognise a
// request that it has applied already. Never set it on an API that doesn't.
type Idempotency struct {
	Header string `yaml:"header"`
}

// Field describes one native field.
type Field struct {
	Type     string `yaml:"type"`   // text, number, bool, date, local, instant; empty: as it is
	Format   string `yaml:"format"` // of date, local and instant; see Moment
	Zone     string `yaml:"zone"`
	Max      int    `yaml:"max"` // characters; more is refused by the system
	ReadOnly bool   `yaml:"read_only"`
}

// SubRead reads one field of a record on its own. "{id}" in the path is its id.
type SubRead struct {
	Path   string `yaml:"path"`
	Item   string `yaml:"item"`
	NotYet []int  `yaml:"not_yet"` // statuses that mean: there is none yet, beside 202, 204, 404 and 410
}
