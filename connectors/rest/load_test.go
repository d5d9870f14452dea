package rest_test

import (
	"strings"
	"testing"

	"nightporter/connectors/rest"
)

const small = `
auth: {type: bearer}
kinds:
  people:
    path: /people
    list:
      items: data
      paging: offset
    get: {path: "/people/{id}"}
`

func TestLoad(t *testing.T) {
	p, err := rest.Load("platform", nil, map[string]any{
		"prefix": "", "page_size": 50, "errors": map[string]any{"quota_403": nil},
		"kinds": map[string]any{"contacts": map[string]any{"update": map[string]any{"method": "PATCH"}, "clear": "empty"}, "calls": map[string]any{
			"path": "/calls", "list": map[string]any{"items": "data", "paging": "offset"},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := p.Kinds["contacts"]
	want(t, "prefix", p.Prefix, "")
	want(t, "quota", p.Errors.Quota403, "")
	want(t, "exists is kept", p.Errors.Exists.Status, []int{400, 409, 422})
	want(t, "page size", p.PageSize, 50)
	want(t, "update", *c.Update, rest.Update{Method: "PATCH", Path: "/contacts/{id}", Mode: "partial", Item: "data"})
	want(t, "clear", c.Clear, "empty")
	want(t, "calls", p.Kinds["calls"].Path, "/calls")
	want(t, "delete", p.Kinds["reservations"].Delete, rest.Delete{})
}

func TestPresetsThatAreWrong(t *testing.T) {
	tests := map[string]struct {
		file     string
		override map[string]any
		want     []string
	}{
		"unknown key":      {strings.Replace(small, "paging: offset", "pagging: offset", 1), nil, []string{`line 8: unknown key "kinds.people.list.pagging"; did you mean "paging"?`}},
		"two unknown keys": {strings.NewReplacer("items", "itemz", "get:", "geet:").Replace(small), nil, []string{`line 7`, `did you mean "items"?`, `line 9`, `did you mean "get"?`}},
		"nothing near":     {"zzzzzzzzz: 1\n" + small, nil, []string{"line 1", "there are: any_content_type, auth"}},
		"in the override":  {small, map[string]any{"kinds": map[string]any{"people": map[string]any{"idd": "x"}}}, []string{`configuration's own part: unknown key "kinds.people.idd"; did you mean "id"?`}},
		"in a list":        {small + "    find: [{bye: [a]}]\n", nil, []string{`"kinds.people.find[0].bye"`}},
		"wrong type":       {"page_size: many\n" + small, nil, []string{"line 1", "many"}},
		"not YAML":         {"a: [", nil, []string{"not YAML"}},
		"empty":            {"# nothing", nil, []string{"no keys"}},
		"paging":           {strings.Replace(small, "offset", "ofset", 1), nil, []string{`kinds.people.list.paging is "ofset"; it is one of offset`}},
		"no auth":          {strings.Replace(small, "bearer", "berer", 1), nil, []string{`auth.type is "berer"`}},
		"no id in a path":  {strings.Replace(small, "{id}", "1", 1), nil, []string{"kinds.people.get.path", "{id}"}},
		"path":             {small + "    id: a..b\n", nil, []string{"kinds.people.id", "empty name"}},
		"regexp":           {"errors: {exists: {status: [400], match: '('}}\n" + small, nil, []string{"errors.exists.match"}},
		"window of a rate": {"rate: {window: rolling}\n" + small, nil, []string{"rate.window is", "sliding, fixed"}},
		"zone":             {small + "    changed: {path: at, zone: Europe/Roma}\n", nil, []string{"unknown time zone", "Europe/Roma"}},
		"format":           {small + "    changed: {path: at, format: unix}\n", nil, []string{`unknown format "unix"`}},
		"clear":            {small + "    clear: blank\n", nil, []string{"clear is", "null, empty, omit"}},
		"delete":           {small + "    delete: never\n", nil, []string{"line 10: delete is none"}},
		"find":             {small + "    find: [{by: [a, b], params: {a: a, c: c}}]\n", nil, []string{"b is in by, and neither", "c is c, which is not in by"}},
		"stamp":            {small + "    stamp: {field: ref, find: true}\n", nil, []string{"no find is by ref alone"}},
		"window":           {strings.Replace(small, "items: data", "items: data\n      window: {from: a, to: b}", 1), nil, []string{"window_fields is missing"}},
		"since":            {strings.Replace(small, "items: data", "items: data\n      since: {param: a}", 1), nil, []string{"needs changed.path"}},
		"days of changes":  {strings.Replace(small, "items: data", "items: data\n      since: {param: a, from: server_date, window: true}", 1), nil, []string{"list.since.window needs since.param and window.from"}},
		"if match":         {small + "    update: {if_match: true}\n", nil, []string{"needs version"}},
		"not found":        {"errors: {not_found: {status: [400]}}\n" + small, nil, []string{"errors.not_found.match is missing"}},
		"lines":            {strings.Replace(small, "items: data", "items: data\n      body: lines", 1), nil, []string{`list.items is "data"; of lines it is "."`}},
		"body":             {strings.Replace(small, "items: data", "items: data\n      body: xml", 1), nil, []string{"list.body is", "json, lines"}},
		"limit each":       {strings.Replace(small, "items: data", "items: data\n      limit_param: n\n      limit_each: true", 1), nil, []string{"list.limit_each needs limit_param, and items with a *"}},
		"words":            {small + "    words: {status: []}\n", nil, []string{"kinds.people.words.status is empty"}},
		"needs":            {small + "    needs: [{field: status, is: [no]}]\n", nil, []string{"kinds.people.needs[0] needs field, is and with"}},
		"only":             {small + "    update: {only: [a..b]}\n", nil, []string{"kinds.people.update.only", "empty name"}},
		"status":           {small + "    status: {field: s}\n", nil, []string{"status.requests is empty"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := rest.Load("mine", []byte(tt.file), tt.override)
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range append(tt.want, "read preset mine") {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("got %q, want it to say %q", err, w)
				}
			}
		})
	}
	if _, err := rest.Load("mine", []byte(small), nil); err != nil {
		t.Errorf("the preset that the others spoil: %v", err)
	}
	if _, err := rest.Load("platform2", nil, nil); err == nil || !strings.Contains(err.Error(), "there are: platform") {
		t.Errorf("got %v", err)
	}
}

func TestOpenWithABadAddress(t *testing.T) {
	p, err := rest.Load("platform", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rest.Open(rest.Config{System: "platform", Preset: p, BaseURL: "api.example.com"}); err == nil || !strings.Contains(err.Error(), "open platform: base_url") {
		t.Errorf("got %v", err)
	}
}
