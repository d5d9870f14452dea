package rest

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/connectors/internal/restkit"
	"nightporter/connectors/jsonx"
	"nightporter/connectors/pace"
	"nightporter/sync/record"
)

// The ways of paging.
const (
	byOffset     = "offset"
	byPage       = "page"
	byCursor     = "cursor"
	byNextLink   = "next_link"
	byLinkHeader = "link_header"
	byNone       = "none"
)

// The bodies of a list.
const (
	bodyJSON  = "json"
	bodyLines = "lines"
)

// The modes of an update.
const (
	partial = "partial"
	rewrite = "rewrite"
)

// api is a preset, checked and made ready.
type api struct {
	preset Preset
	rules  restkit.Rules
	ok     flag
	kinds  map[record.Kind]*kind
	subs   *subscriptions // nil: there are none
	// notified is the kinds that webhooks tell of, by what they call a record.
	notified map[string]record.Kind
}

// kind is a Kind made ready. Paths that the preset leaves out are nil.
type kind struct {
	Kind
	name   record.Kind
	exists *restkit.Match
	noRoom *restkit.Match

	split                                        *jsonx.Splitter // values: total, has_more, next, ok
	id, version, changed, created, stamp, status jsonx.Path
	merged, deleted, changedBy                   jsonx.Path
	changedAt, createdAt, since                  clock
	getItem, createItem, updateItem              jsonx.Path
	createBody, updateBody                       jsonx.Path
	createNames                                  []renamed
	fields                                       map[string]field
	want                                         []path // nil: every field
	subs                                         map[string]path
	finds                                        []finder
	window                                       []jsonx.Path
	finished                                     *finished
	content                                      *content
	can                                          connectors.Kind // what it is described as
}

// renamed is a path that is read at one place and sent at another.
type renamed struct{ from, to jsonx.Path }

// path is a native path, as it is written and as it is walked.
type path struct {
	name string
	walk jsonx.Path
}

type field struct {
	Field
	clock clock
}

type finder struct {
	Find
	split *jsonx.Splitter
	item  jsonx.Path
}

// checker collects what is wrong with a preset.
type checker struct {
	at   string
	errs []error
}

func (c *checker) wrong(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(c.at+format, args...))
}

// path reads a path; an empty one is fallback, and nil where that is empty too.
func (c *checker) path(key, s, fallback string) jsonx.Path {
	if s == "" {
		s = fallback
	}
	if s == "" {
		return nil
	}
	p, err := jsonx.ParsePath(s)
	if err != nil {
		c.wrong("%s: %w", key, err)
	}
	return p
}

// sent is path for a place that is written to.
func (c *checker) sent(key, s, fallback string) jsonx.Path {
	p := c.path(key, s, fallback)
	if p.Numbered() {
		c.wrong("%s is %q: %w", key, p, jsonx.ErrElement)
	}
	return p
}

func (c *checker) clock(key, format, zone string) clock {
	t, err := newClock(format, zone)
	if err != nil {
		c.wrong("%s: %w", key, err)
	}
	return t
}

func (c *checker) match(key string, e *Exists) *restkit.Match {
	if e == nil {
		return nil
	}
	m := &restkit.Match{Status: e.Status}
	if e.Match != "" {
		m.Text = c.regexp(key+".match", e.Match)
	}
	if len(e.Status) == 0 {
		c.wrong("%s.status names no status", key)
	}
	c.statuses(key+".status", e.Status)
	if e.Match == "" && slices.ContainsFunc(e.Status, vague) {
		c.wrong("%s.match is missing: 403 and 5xx alone say nothing of a record", key)
	}
	return m
}

// statuses refuses those that always mean the same.
func (c *checker) statuses(key string, list []int) {
	for _, s := range list {
		if s == http.StatusUnauthorized || s == http.StatusProxyAuthRequired || s == http.StatusTooManyRequests {
			c.wrong("%s holds %d, which is always about the key, the proxy or the pace: take it out", key, s)
		}
	}
}

// vague reports whether a status may mean anything.
func vague(status int) bool {
	return status == http.StatusForbidden || status >= http.StatusInternalServerError
}

func (c *checker) regexp(key, s string) *regexp.Regexp {
	re, err := regexp.Compile(s)
	if err != nil {
		c.wrong("%s: %w", key, err)
	}
	return re
}

func (c *checker) oneOf(key, s string, words ...string) {
	if !slices.Contains(words, s) {
		c.wrong("%s is %q; it is one of %s", key, s, strings.Join(words, ", "))
	}
}

// compile checks a preset and makes it ready. want names by kind the paths that
// are read; a kind without a line is read whole.
func compile(p Preset, want map[record.Kind][]string) (*api, error) {
	c := &checker{}
	a := &api{preset: p, kinds: map[record.Kind]*kind{}}
	c.oneOf("auth.type", p.Auth.Type, string(restkit.Bearer), string(restkit.Header), string(restkit.Basic), string(restkit.Query), string(restkit.NoAuth))
	if p.Auth.Type == string(restkit.Query) && p.Auth.Param == "" {
		c.wrong("auth.param is missing: which parameter holds the key?")
	}
	if p.Rate.Window != "" {
		c.oneOf("rate.window", p.Rate.Window, string(pace.Sliding), string(pace.Fixed))
	}
	messages := p.Errors.Message
	if len(messages) == 0 {
		messages = []string{"error.message", "message", "error", "detail", "title", "errors"}
	}
	for _, m := range messages {
		a.rules.Message = append(a.rules.Message, c.path("errors.message", m, ""))
	}
	a.rules.Exists = c.match("errors.exists", p.Errors.Exists)
	a.rules.NoRoom = c.match("errors.no_room", p.Errors.NoRoom)
	a.rules.NotFound = c.match("errors.not_found", p.Errors.NotFound)
	means := func(status int) bool { return status == http.StatusNotFound || status == http.StatusGone }
	if n := p.Errors.NotFound; n != nil && n.Match == "" && slices.ContainsFunc(n.Status, func(s int) bool { return !means(s) }) {
		c.wrong("errors.not_found.match is missing: a status alone would take every refusal for a record that is gone")
	}
	if p.Errors.Quota403 != "" {
		a.rules.Quota = c.regexp("errors.quota_403", p.Errors.Quota403)
	}
	a.ok = c.flag(p.Errors)
	c.general(p)
	if len(p.Kinds) == 0 {
		c.wrong("kinds is empty")
	}
	for _, name := range slices.Sorted(maps.Keys(p.Kinds)) {
		c.at = "kinds." + name + "."
		a.kinds[record.Kind(name)] = c.kind(name, p.Kinds[name], a.ok, want[record.Kind(name)])
	}
	a.notified = notified(p)
	a.subs = c.subscriptions(p.Webhooks.Subscriptions, a.ok)
	return a, errors.Join(c.errs...)
}

func (c *checker) kind(name string, p Kind, ok flag, want []string) *kind {
	k := &kind{Kind: p, name: record.Kind(name), exists: c.match("exists", p.Exists), noRoom: c.match("no_room", p.NoRoom)}
	if k.Path == "" {
		c.wrong("path is missing")
	}
	k.id = c.path("id", p.ID, "id")
	k.version = c.path("version.field", p.Version.Field, "")
	k.changed = c.path("changed.path", p.Changed.Path, "")
	k.changedAt = c.clock("changed.format", p.Changed.Format, p.Changed.Zone)
	k.created = c.path("created.path", p.Created.Path, "")
	k.createdAt = c.clock("created.format", p.Created.Format, p.Created.Zone)
	k.stamp = c.sent("stamp.field", p.Stamp.Field, "")
	k.changedBy = c.path("changed_by", p.By, "")
	k.merged, k.deleted = c.path("merged", p.Merged, ""), c.path("deleted", p.Deleted, "")
	for _, by := range p.Once {
		c.path("once", by, "")
	}
	if len(p.Once) > 0 && p.Create == nil {
		c.wrong("once is about creates, and there is no create")
	}
	c.list(k, ok.path)
	c.requests(k)
	c.finders(k, ok.path)
	c.values(k)
	c.finished(k)
	c.content(k)
	for _, w := range want {
		k.want = append(k.want, path{w, c.path("a mapped field", w, "")})
	}
	k.can = k.describe(pageSize(Preset{}, 0))
	c.promises(k)
	return k
}

// requests fills in what the requests on single records leave out.
func (c *checker) requests(k *kind) {
	item := "."
	if k.Get != nil {
		c.idPath("get.path", k.Get.Path)
		if k.Get.Item != "" {
			item = k.Get.Item
		}
	}
	k.getItem = c.path("get.item", item, "")
	if k.Create != nil {
		create := *k.Create
		create.Method, create.Path = first(create.Method, http.MethodPost), first(create.Path, k.Path)
		c.oneOf("create.method", create.Method, http.MethodPost, http.MethodPut)
		k.createItem, k.createBody = c.path("create.item", create.Item, item), c.sent("create.body", create.Body, ".")
		for _, from := range slices.Sorted(maps.Keys(create.Names)) {
			k.createNames = append(k.createNames, renamed{c.sent("create.names", from, ""), c.sent("create.names."+from, create.Names[from], "")})
		}
		k.Create = &create
	}
	if k.Update != nil {
		update := *k.Update
		update.Method, update.Mode = first(update.Method, http.MethodPatch), first(update.Mode, partial)
		if update.Path == "" && k.Get != nil {
			update.Path = k.Get.Path
		}
		c.oneOf("update.method", update.Method, http.MethodPatch, http.MethodPut, http.MethodPost)
		c.oneOf("update.mode", update.Mode, partial, rewrite)
		c.idPath("update.path", update.Path)
		for _, p := range update.Only {
			c.path("update.only", p, "")
		}
		if update.Mode == rewrite && k.Get == nil {
			c.wrong("update.mode rewrite needs get")
		}
		if update.IfMatch && k.version == nil && !k.Version.ETag {
			c.wrong("update.if_match needs version")
		}
		k.updateItem, k.updateBody = c.path("update.item", update.Item, item), c.sent("update.body", update.Body, ".")
		k.Update = &update
	}
	if k.Delete.Path != "" || k.Delete.Method != "" {
		k.Delete.Method = first(k.Delete.Method, http.MethodDelete)
		c.idPath("delete.path", k.Delete.Path)
	}
	c.actions(k)
}

func (c *checker) actions(k *kind) {
	if k.Status.Field == "" {
		if len(k.Status.Requests) > 0 {
			c.wrong("status.field is missing")
		}
		return
	}
	k.status = c.path("status.field", k.Status.Field, "")
	if len(k.Status.Requests) == 0 {
		c.wrong("status.requests is empty: which request sets which value?")
	}
	for value, r := range k.Status.Requests {
		c.idPath("status.requests."+value+".path", r.Path)
		c.path("status.requests."+value+".item", r.Item, ".")
	}
}

func (c *checker) idPath(key, p string) {
	if !strings.Contains(p, "{id}") {
		c.wrong("%s is %q; it must contain {id}", key, p)
	}
}

func first(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

func (c *checker) finders(k *kind, ok jsonx.Path) {
	for i, f := range k.Find {
		key := fmt.Sprintf("find[%d]", i)
		f.Path = first(f.Path, k.Path)
		for _, by := range f.By {
			c.path(key+".by", by, "")
			if !slices.Contains(slices.Collect(maps.Values(f.Params)), by) && !strings.Contains(f.Path, "{"+by+"}") {
				c.wrong("%s: %s is in by, and neither in params nor in path", key, by)
			}
		}
		for param, by := range f.Params {
			if !slices.Contains(f.By, by) {
				c.wrong("%s.params.%s is %s, which is not in by", key, param, by)
			}
		}
		if len(f.By) == 0 {
			c.wrong("%s.by is empty", key)
		}
		items := c.path("list.items", k.List.Items, ".")
		k.finds = append(k.finds, finder{
			Find: f, item: c.path(key+".item", f.Item, ""),
			split: jsonx.NewSplitter(items, k.id, c.envelope(&k.List, ok)...),
		})
	}
	if k.Stamp.Find && !slices.ContainsFunc(k.Find, func(f Find) bool { return slices.Equal(f.By, []string{k.Stamp.Field}) }) {
		c.wrong("stamp.find is true, and no find is by %s alone", k.Stamp.Field)
	}
}

func (c *checker) values(k *kind) {
	k.Clear = first(k.Clear, "null")
	c.oneOf("clear", k.Clear, "null", "empty", "omit")
	if len(k.Fields) > 0 {
		k.fields = make(map[string]field, len(k.Fields))
	}
	for name, f := range k.Fields {
		c.path("fields", name, "")
		c.oneOf("fields."+name+".type", f.Type, "", "text", "number", "bool", "date", "local", "instant")
		k.fields[name] = field{f, c.clock("fields."+name+".format", first(f.Format, defaultFormat(f.Type)), f.Zone)}
	}
	for name, words := range k.Words {
		c.path("words", name, "")
		if len(words) == 0 {
			c.wrong("words.%s is empty: which values may be written?", name)
		}
	}
	if k.Import != nil && len(k.Import.Columns) == 0 {
		c.wrong("import.columns is empty: which headers does the file have?")
	}
	for i, n := range k.Needs {
		key := fmt.Sprintf("needs[%d]", i)
		if n.Field == "" || len(n.Is) == 0 || len(n.With) == 0 {
			c.wrong("%s needs field, is and with", key)
		}
		for _, p := range append([]string{n.Field}, n.With...) {
			c.path(key, p, ".")
		}
	}
	k.subs = make(map[string]path, len(k.SubReads))
	for name, s := range k.SubReads {
		c.idPath("sub_reads."+name+".path", s.Path)
		c.statuses("sub_reads."+name+".not_yet", s.NotYet)
		k.subs[name] = path{name, c.path("sub_reads."+name+".item", s.Item, ".")}
	}
}

func defaultFormat(typ string) string {
	if typ == "date" {
		return dateYMD
	}
	return rfc3339
}
