package doctor_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"nightporter/internal/doctor"
	"nightporter/simulator"
)

// whole are keys of which the value is one thing, whatever is inside.
var whole = []string{
	"auth", "errors.exists", "errors.not_found", "find", "list.since", "list.window", "changed", "created", "fields", "delete", "sub_reads",
}

// writing are the keys that only a write can tell; a finding about one is a guess.
var writing = []string{"errors.exists", "create.body", "update.body", "update.method", "update.mode", "delete", "clear", "content.send", "content.media_field"}

// answers is everything that a client has to be told of an API, key by key, as the
// simulator says it.
type answers map[string]any

func right(t simulator.Traits) answers {
	out := answers{}
	o := plain(t.Override()).(map[string]any)
	kinds, _ := o["kinds"].(map[string]any)
	delete(o, "kinds")
	delete(kinds, "outbound_calls") // the same records as calls, under a way to make them
	out.flatten("", "", o)
	for name, k := range kinds {
		if kind, ok := k.(map[string]any); ok { // otherwise it has none
			out.flatten("kinds."+name+".", "", kind)
		}
	}
	return out
}

func (a answers) flatten(before, at string, m map[string]any) {
	for key, v := range m {
		path := strings.TrimPrefix(at+"."+key, ".")
		if inner, ok := v.(map[string]any); ok && !slices.Contains(whole, path) {
			a.flatten(before, path, inner)
			continue
		}
		a[before+path] = v
	}
}

// plain is a value as YAML has it, without what is empty.
func plain(v any) any {
	text, err := yaml.Marshal(v)
	if err != nil {
		panic(err)
	}
	var out any
	if err := yaml.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}

// cell is what was found about one key, beside what is right.
type cell struct {
	key          string
	found, right string
	sure         bool
	wrong        string // why it is, empty where it isn't
}

// compare puts what doctor says beside what is right. What is said to be known or likely
// must be right; what is not said at all must be of no use.
func compare(t simulator.Traits, r doctor.Report) []cell {
	truth := right(t)
	said := map[string]doctor.Finding{}
	for _, f := range r.Findings {
		if f.Key != "" {
			said[f.Subject()] = f
		}
	}
	var out []cell
	for _, key := range slices.Sorted(maps.Keys(truth)) {
		f, ok := said[key]
		if whole, _, is := strings.Cut(key, ".words."); is {
			f, ok = said[whole+".words"]
		}
		c := cell{key: key, found: "not known", right: spell(truth[key])}
		switch {
		case !ok && moot(key, truth):
			continue
		case !ok:
			c.wrong = "nothing is said of it"
		case f.Confidence != doctor.NotKnown:
			c.sure, c.found = true, spell(f.Value)
			c.wrong = judge(t, key, f, truth[key])
		}
		out = append(out, c)
	}
	for key, f := range said {
		if key == "kinds.calls.created" && strings.Contains(spell(f.Value), "start_time") {
			continue // as the preset has it
		}
		if _, ok := truth[key]; !ok && f.Confidence != doctor.NotKnown && f.Value != nil {
			out = append(out, cell{key: key, found: spell(f.Value), wrong: "nothing is known to be right there"})
		}
	}
	return out
}

// spell is a value on one line.
func spell(v any) string {
	if v = pruned(plain(v)); v == nil {
		return "none"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return strings.Trim(string(text), `"`)
}

// pruned takes out what means the same as no key.
func pruned(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		if v == nil || reflect.ValueOf(v).IsZero() {
			return nil
		}
		return v
	}
	for key, e := range m {
		if m[key] = pruned(e); m[key] == nil {
			delete(m, key)
		}
	}
	return m
}

// moot reports whether a key does nothing, by the other keys that are right: that of
// another paging, or the size of pages that can't be asked for.
func moot(key string, truth answers) bool {
	kind, name, ok := strings.Cut(strings.TrimPrefix(key, "kinds."), ".")
	if !ok || !strings.HasPrefix(key, "kinds.") {
		return false
	}
	at := func(k string) any { return truth["kinds."+kind+"."+k] }
	paging := fmt.Sprint(at("list.paging"))
	switch name {
	case "list.offset_param":
		return paging != "offset"
	case "list.page_param", "list.first_page":
		return paging != "page"
	case "list.cursor_param":
		return paging != "cursor"
	case "list.next":
		return paging != "cursor" && paging != "next_link"
	case "list.limit_each":
		return at("list.limit_each") == nil
	case "list.max_page_size":
		return at("list.limit_param") == nil
	case "list.window":
		return at("list.window") == nil
	case "clear", "fields", "read_only":
		return kind == "calls" // which nobody writes, and which have no days
	}
	return false
}

// judge says what is wrong with a finding that claims something.
func judge(t simulator.Traits, key string, f doctor.Finding, truth any) string {
	found := pruned(plain(f.Value))
	truth = pruned(plain(truth))
	name := f.Key
	grouped := strings.HasPrefix(key, "kinds.reservations") && (t.StaysBody == simulator.BodyByDate || t.StaysBody == simulator.BodyDays)
	switch {
	case slices.Contains(writing, name):
		return "only a write can tell it"
	case name == "list.total" && t.Total == simulator.TotalWrong && found == nil:
		return "" // a total below zero is none
	case name == "read_only":
		truth = slices.DeleteFunc(slices.Clone(truth.([]any)), func(v any) bool { return t.Times == simulator.TimesHidden && v != idField(t) })
		slices.SortFunc(found.([]any), func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		slices.SortFunc(truth.([]any), func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	case name == "errors.message":
		if want := fmt.Sprintf("%q", truth.([]any)[0]); !strings.Contains(f.Evidence, want) {
			return "its words are at " + want
		}
		return ""
	case name == "find" && grouped: // the connector is told of none, and the API has the filter all the same
		truth = nil
		if t.Find == simulator.FindFilter {
			truth = []any{map[string]any{
				"by":     []any{"client_phone_number", "starting_date"},
				"params": map[string]any{"client_phone_number": "client_phone_number", "starting_date": "starting_date"},
			}}
		}
	case name == "changed" || name == "created":
		// No value shows the zone: that it is not known is a finding of its own.
		for _, v := range []any{found, truth} {
			if m, ok := v.(map[string]any); ok {
				delete(m, "zone")
			}
		}
	}
	if !reflect.DeepEqual(found, truth) {
		return "it is " + spell(truth)
	}
	return ""
}

func idField(t simulator.Traits) string {
	if t.IDField == "" {
		return "id"
	}
	return t.IDField
}
