package doctor

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"nightporter/connectors/jsonx"
	"nightporter/connectors/rest"
)

// escaped is an id as it stands in an address.
func escaped(id string) string {
	return strings.ReplaceAll(url.PathEscape(id), "+", "%2B")
}

// getPath is the path of one record: the preset's, or beside the list.
func (e *exam) getPath() string {
	if e.path == e.k.Path && e.k.Get != nil {
		return e.k.Get.Path
	}
	return e.path + "/{id}"
}

// single reads one record by its id, and one that nobody has.
func (e *exam) single() {
	if e.id == "" {
		e.say("get", nil, NotKnown, "without an id nothing can be read by it")
		return
	}
	path := e.getPath()
	own := e.marks[0]
	shown := "GET " + path
	e.one = e.a.ask(e.ctx, request{path: strings.ReplaceAll(path, "{id}", escaped(own)), shown: shown})
	whole, item := within(e.one.body, e.id, own, jsonx.Path{}, 0)
	switch {
	case !e.one.ok() || flagged(e.one):
		e.say("get", nil, NotKnown, "%s for a record of the list: %s", shown, e.one.said())
		return
	case whole == nil:
		e.say("get", nil, NotKnown, "%s for a record of the list doesn't show it", shown)
		return
	}
	e.item, e.alone = item, whole
	e.say("get.path", path, Known, "%s shows a record of the list", shown)
	e.say("get.item", item, Known, "the record is there in the answer")
	e.flagOfOne()
	e.omits(whole)
	if c := e.k.Create; c != nil {
		e.asRead("create.path", c.Path, e.k.Path, e.path)
		e.asRead("create.item", c.Item, itemOfOne(e.k), item)
	}
	if u := e.k.Update; u != nil {
		e.asRead("update.path", u.Path, pathOfOne(e.k), path)
		e.asRead("update.item", u.Item, itemOfOne(e.k), item)
	}
	e.strangers(path, own)
	if e.one.header.Get("ETag") != "" {
		e.say("", nil, Likely, "a read by id shows an ETag: version: { etag: true } may be of use, if it changes with every change")
	}
}

// asRead says that a key of a write is as for reads, where the preset has it so. One that
// it has otherwise was meant, and no read tells of it.
func (e *exam) asRead(key, has, reads, found string) {
	if has != "" && has != reads && has != found {
		e.say(key, nil, NotKnown, "the preset has %s there, and not what is for reads; a write would tell, and none is sent", has)
		return
	}
	e.say(key, found, Likely, "as for reads; a write would tell, and none is sent")
}

func itemOfOne(k rest.Kind) string {
	if k.Get == nil || k.Get.Item == "" {
		return "."
	}
	return k.Get.Item
}

func pathOfOne(k rest.Kind) string {
	if k.Get == nil {
		return ""
	}
	return k.Get.Path
}

// flagOfOne notes the truth value around a single record.
func (e *exam) flagOfOne() {
	top, ok := e.one.body.(map[string]any)
	if f, have := e.b.has("", "errors.ok_flag"); !ok || e.item == "." || have && f.sure() && f.Value != nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(top)) {
		if _, truth := top[name].(bool); truth && flagName.MatchString(name) {
			e.b.say("", "errors.ok_flag", name, Known, "a record that is read by its id has true beside it")
			return
		}
	}
	e.b.say("", "errors.ok_flag", nil, Known, "the object around a record has none")
}

// within is the record with an id inside an answer, and its path.
func within(v any, id, own string, at jsonx.Path, depth int) (row, string) {
	m, ok := v.(map[string]any)
	if !ok || depth > mostDepth {
		return nil, ""
	}
	if p, err := jsonx.ParsePath(id); err == nil {
		if got, _ := jsonx.At(m, p); text(got) == own {
			return m, at.String()
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if r, path := within(m[name], id, own, append(slices.Clone(at), name), depth+1); r != nil {
			return r, path
		}
	}
	return nil, ""
}

// nobody is a text of the same form that nothing has: every digit and letter is another.
func nobody(own string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9':
			return '9' - (r - '0')
		case r >= 'a' && r <= 'f':
			return 'f' - (r - 'a')
		case r >= 'A' && r <= 'Z':
			return 'Z' - (r - 'A')
		}
		return r
	}, own)
}

// strangers reads by an id that nobody has: how the API says that there is no such record,
// and where it words its refusals.
func (e *exam) strangers(path, own string) {
	id := nobody(own)
	if slices.Contains(e.marks, id) {
		return
	}
	o := e.a.ask(e.ctx, request{path: strings.ReplaceAll(path, "{id}", escaped(id)), shown: "GET " + path + " for an id that nobody has"})
	e.none = o
	e.b.sayNotFound(e.name, o, e.a.cfg.Preset.Errors.Message)
	for _, l := range []list{{about: scalars(o.body)}} {
		for _, p := range l.named(flagName) {
			if f, ok := e.b.has("", "errors.ok_flag"); !ok || !f.sure() {
				e.b.say("", "errors.ok_flag", p, Known, "a refusal has false there")
			}
		}
	}
}

func scalars(body any) map[string]any {
	top, ok := body.(map[string]any)
	if !ok {
		return nil
	}
	out := map[string]any{}
	for name, v := range top {
		if _, truth := v.(bool); truth {
			out[name] = v
		}
	}
	return out
}

// absent are words by which APIs say that there is no such record.
var absent = []string{"not found", "no such", "does not exist", "doesn't exist", "unknown"}

// sayNotFound judges the answer to a read by an id that nobody has, beside what the other
// kinds answered.
func (b *book) sayNotFound(kind string, o observation, paths []string) {
	at, words := message(o.body, paths)
	b.none = append(b.none, notFoundOf(kind, o, words))
	f := notFound(b.none)
	b.say("", "errors.not_found", f.Value, f.Confidence, "%s", f.Evidence)
	if f, ok := b.has("", "errors.message"); ok && f.sure() {
		return
	}
	switch {
	case o.ok() && !flagged(o) || o.status == 0:
		b.say("", "errors.message", nil, NotKnown, "no refusal was seen")
	case words == "":
		b.say("", "errors.message", nil, NotKnown, "the refusal that was seen has no words that a program can read")
	default:
		v := paths
		if !slices.Contains(paths, at) {
			v = append([]string{at}, paths...)
		}
		b.say("", "errors.message", v, Known, "a refusal has its words at %q", at)
	}
}

// message is the words of a refusal, and their path: one of the preset's or, where none
// leads there, of those that are usual.
func message(body any, paths []string) (at, words string) {
	usual := []string{"error.message", "message", "error", "detail", "title", "errors", "msg", "description"}
	for _, path := range append(slices.Clone(paths), usual...) {
		p, err := jsonx.ParsePath(path)
		if err != nil {
			continue
		}
		if v, ok := jsonx.At(body, p); ok {
			if w := texts(v, 0); w != "" {
				return path, w
			}
		}
	}
	if _, ok := body.(map[string]any); ok {
		if w := texts(body, 0); w != "" {
			return ".", w
		}
	}
	return "", ""
}

// texts is all texts in a value.
func texts(v any, depth int) string {
	var parts []string
	switch v := v.(type) {
	case string:
		return v
	case []any:
		for _, e := range v {
			parts = append(parts, texts(e, depth+1))
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, texts(v[key], depth+1))
		}
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}
