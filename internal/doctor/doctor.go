package doctor

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"nightporter/connectors/pace"
	"nightporter/connectors/rest"
)

// Config is what an examination needs.
type Config struct {
	System  string
	Preset  rest.Preset // as the configuration has it now
	BaseURL string
	Secret  func() (string, error) // nil: the API asks for no key

	Transport http.RoundTripper // nil: the usual one
	Pace      *pace.Limiter     // of the credential; nil: one of its own, by the preset's rate

	// Own is the kinds whose path the configuration names itself: no other is tried.
	Own map[string]bool
}

// Report is what an examination found.
type Report struct {
	System   string    `json:"system"`
	Preset   string    `json:"preset"`
	Requests int       `json:"requests"` // all of them GET
	Findings []Finding `json:"findings"`
	// Guarantees is what the findings mean, a sentence each.
	Guarantees []string `json:"guarantees"`
	// Override is YAML to lay over the preset; empty where nothing differs.
	Override string `json:"override"`
	// Entered reports whether any list could be read at all.
	Entered bool `json:"entered"`
}

// Examine asks the API how it is to be read. It changes nothing there, and always comes
// back with a report: what could not be asked is not known.
func Examine(ctx context.Context, cfg Config) Report {
	if cfg.Pace == nil {
		cfg.Pace = pace.New(cfg.Preset.Rate.Manners(1, pace.Reserve))
	}
	cfg.Preset.Kinds = listedOnce(cfg.Preset.Kinds)
	a, b := newAsker(cfg), &book{}
	rep := Report{System: cfg.System, Preset: cfg.Preset.Name}
	if way, ok := enter(ctx, a, b); ok {
		rep.Entered = true
		for _, name := range slices.Sorted(maps.Keys(cfg.Preset.Kinds)) {
			e := &exam{ctx: ctx, a: a, b: b, name: name, k: cfg.Preset.Kinds[name], way: way}
			e.examine()
		}
		tellOfAnswers(b, way.last)
	}
	unread(b, cfg.Preset)
	rep.Requests, rep.Findings = a.sent, b.all
	rep.Guarantees = guarantees(cfg.Preset, b)
	rep.Override = override(cfg.Preset, b)
	return rep
}

// tellOfAnswers says what the headers of an answer tell.
func tellOfAnswers(b *book, o observation) {
	told := pace.Tells(o.header, o.sent)
	switch {
	case len(told) == 0:
		b.say("", "rate", nil, NotKnown, "no answer tells of limits: ask the system's people, and write them under limits")
	default:
		t := told[0]
		b.say("", "", nil, Known, "answers tell of their limits in headers (%s): the limiter keeps to them by itself%s", t.Name, limitOf(t))
	}
	date, err := http.ParseTime(o.header.Get("Date"))
	if err != nil {
		b.say("", "clock", nil, NotKnown, "answers bear no date to compare the clocks by")
		return
	}
	// A Date is whole seconds, and was written on the way.
	off := date.Sub(o.sent.Add(o.took / 2)).Round(time.Second)
	if off.Abs() <= 2*time.Second+o.took {
		b.say("", "", nil, Known, "its clock and this one are the same within two seconds")
		return
	}
	b.say("", "", nil, Known, "its clock is %s off this one: set this machine's clock by NTP, or ask the system's people", off)
}

func limitOf(t pace.Told) string {
	if t.Limit <= 0 {
		return ""
	}
	if t.Per <= 0 {
		return "; one is " + count(t.Limit, "request", "requests")
	}
	return "; one is " + count(t.Limit, "request", "requests") + " in " + t.Per.String()
}

// written are the keys of a kind that only a write can tell.
var written = map[string]string{
	"update.method": "PUT or PATCH", "update.mode": "whether an update empties what it isn't sent",
	"create.body": "the path under which a record is sent", "update.body": "the path under which a change is sent",
	"delete": "whether records can be removed", "clear": "what empties a field",
	"unique": "what it keeps unique", "words": "which of the words that are shown may be written",
	"update.only": "which fields an update takes", "needs": "what is taken only together with something else",
	"import":       "what its own import of files takes",
	"content.send": "how a file is given with a record", "content.media_field": "where the type of a file goes",
}

// read are the keys that a read may tell: of the API, and of a kind.
var (
	readAPI  = []string{"prefix", "auth", "errors.ok_flag", "errors.not_found", "errors.message"}
	readKind = []string{
		"path", "id", "list.items", "list.body", "list.paging", "list.limit_param", "list.max_page_size", "list.total", "list.total_header",
		"list.has_more", "list.empty_status", "list.since", "list.window", "get.path", "get.item", "create.path", "create.item", "update.path",
		"update.item", "find", "changed", "created", "omits_empty", "read_only", "fields",
	}
)

// hanging are the keys that mean nothing without another one.
var hanging = map[string]string{
	"list.offset_param": "list.paging", "list.page_param": "list.paging", "list.first_page": "list.paging",
	"list.cursor_param": "list.paging", "list.next": "list.paging", "list.limit_each": "list.limit_param",
}

// listedOnce is kinds without those that are another's records under a way to make them:
// the calls that can be asked for are in the list of all calls.
func listedOnce(kinds map[string]rest.Kind) map[string]rest.Kind {
	kinds = maps.Clone(kinds)
	maps.DeleteFunc(kinds, func(_ string, k rest.Kind) bool { return len(k.Once) > 0 })
	return kinds
}

// unread says of every key that nothing was said of that it is not known, so that no
// silence can be taken for a word.
func unread(b *book, p rest.Preset) {
	const quiet = "nothing in the answers tells"
	for _, key := range readAPI {
		b.silent("", key, quiet)
	}
	b.silent("", "errors.exists", "what a create answers for a record that is there already: a write would tell, and none is sent")
	b.say("", "", nil, NotKnown, "whether the key may write: the first write tells, and a refusal turns that side read-only with an alert")
	for _, name := range sortedKinds(p) {
		for _, key := range readKind {
			if offered(p.Kinds[name], key) {
				b.silent(name, key, quiet)
			}
		}
		if len(p.Kinds[name].SubReads) > 0 {
			b.silent(name, "sub_reads", "what is read on its own is not asked for: if the path of the kind is another, theirs is, too")
		}
		for _, key := range slices.Sorted(maps.Keys(hanging)) {
			what := hanging[key]
			if f, ok := b.has(name, what); !ok || !f.sure() {
				b.silent(name, key, "it follows from "+what+", which is not known")
			}
		}
		for _, key := range slices.Sorted(maps.Keys(written)) {
			if offered(p.Kinds[name], key) {
				b.silent(name, key, written[key]+": a write would tell, and none is sent")
			}
		}
	}
}

// offered reports whether a key means anything for a kind: one that the preset never
// writes has nothing to be known of writes, and one without days none of them.
func offered(k rest.Kind, key string) bool {
	verb, _, _ := strings.Cut(key, ".")
	switch {
	case key == "list.window" || key == "fields":
		return len(k.WindowFields) > 0
	case verb == "content":
		return k.Content != nil
	case verb == "create":
		return k.Create != nil
	case verb == "update":
		return k.Update != nil
	case slices.Contains([]string{"clear", "delete", "read_only", "unique", "words", "needs", "import"}, key):
		return k.Create != nil || k.Update != nil
	}
	return true
}

// silent says that a key is not known, if nothing was said of it.
func (b *book) silent(kind, key, why string) {
	if _, ok := b.has(kind, key); !ok {
		b.say(kind, key, nil, NotKnown, "%s", why)
	}
}
