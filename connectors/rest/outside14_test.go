package rest_test

import (
	"strings"
	"testing"

	"nightporter/connectors/rest"
)

// A preset that says what nobody keeps is refused when it is read.
func TestOutside14PresetsThatPromiseTooMuch(t *testing.T) {
	in := func(old, now string) string {
		if !strings.Contains(small, old) {
			t.Fatalf("the preset has no %q", old)
		}
		return strings.Replace(small, old, now, 1)
	}
	status := func(action string) string {
		return small + "    status: {field: s, requests: {done: " + action + "}}\n"
	}
	for name, tt := range map[string]struct{ file, want string }{
		"the method of an action":         {status(`{path: "/people/{id}/done", method: BREW}`), `status.requests.done.method is "BREW"; it is one of POST`},
		"the method of a delete":          {small + `    delete: {path: "/people/{id}", method: BREW}`, `delete.method is "BREW"`},
		"the method of a subscription":    {"webhooks: {subscriptions: {url: u, api: {path: /hooks, list: {items: ., paging: none}, create: {}, delete: {path: \"/hooks/{id}\", method: BREW}}}}\n" + small, `delete.method is "BREW"`},
		"half a window":                   {small + "    window_fields: [arrival]\n", "window_fields holds 1 paths; it is two"},
		"half a since":                    {in("items: data", "items: data\n      since: {format: epoch_s}"), "list.since.param is missing"},
		"half a stamp":                    {small + "    stamp: {unique: true}\n", "stamp.field is missing"},
		"a path of read_only":             {small + "    read_only: [a..b]\n", "read_only: path \"a..b\" has an empty name"},
		"a path of required":              {small + "    required: [a..b]\n", "required: path"},
		"a path of unique":                {small + "    unique: [[a, a..b]]\n", "unique: path"},
		"an empty path of unique":         {small + "    unique: [[a, '']]\n", "unique holds an empty path"},
		"a path of an import":             {small + "    import: {columns: [{header: h, path: a..b}]}\n", "import.columns[0].path: path"},
		"a path of an account":            {"identity: {path: /me, item: a..b}\n" + small, "identity.item: path"},
		"a path of a sub read":            {small + "    sub_reads: {a..b: {path: \"/people/{id}/x\"}}\n", "sub_reads: path"},
		"a place in the list's address":   {in("path: /people\n", "path: /hotels/{hotel}/people\n"), `path is "/hotels/{hotel}/people", and nobody fills in {hotel}`},
		"the id in the list's address":    {in("path: /people\n", "path: \"/people/{id}\"\n"), "nobody fills in {id}"},
		"a second place":                  {in("/people/{id}", "/{hotel}/people/{id}"), "nobody fills in {hotel}"},
		"the id of a new record":          {small + "    create: {path: \"/people/{id}\"}\n", "a new record has no {id} yet"},
		"a place that is read only":       {small + "    read_only: [code]\n    create: {path: \"/people/{code}\"}\n", "nobody fills in {code}: the preset calls it read only"},
		"a place of another find":         {small + "    find: [{by: [a], path: \"/people/{a}/{b}\"}]\n", "nobody fills in {b}"},
		"a place in a parameter":          {in("items: data", "items: data\n      params: {of: '{id}'}"), `list.params.of is "{id}"`},
		"a place within a text":           {status(`{path: "/people/{id}/done", body: {of: 'for {id}'}}`), `body holds "for {id}"`},
		"a place that is never written":   {status(`{path: "/people/{id}/done", query: {of: '{note}'}}`) + "    read_only: [note]\n", `done takes {note} along, which is never written`},
		"a secret in a status's request":  {status(`{path: "/people/{id}/done", body: {key: {of: 'env:KEY'}}}`), "begins with env:"},
		"a create without what it needs":  {small + "    create: {without: [name]}\n    required: [name]\n", "create.without holds name, and required holds it too"},
		"a place in the account's path":   {"identity: {path: \"/users/{id}\"}\n" + small, "identity.path"},
		"a secret in a header":            {"headers: {X-Key: file:/etc/key}\n" + small, "headers.X-Key begins with file:, and is sent as it stands"},
		"a secret of the environment":     {"headers: {X-Key: env:KEY}\n" + small, "begins with env:"},
		"a secret as a user":              {strings.Replace(small, "{type: bearer}", "{type: basic, user: env:USER}", 1), "auth.user begins with env:"},
		"a secret in a parameter":         {in("items: data", "items: data\n      params: {key: file:key}"), "list.params.key begins with file:"},
		"an alias that holds itself":      {"kinds: &k\n  people: *k\n", "does an alias hold itself?"},
		"a place in the path of a create": {small + "    create: {path: \"/a/{}\"}\n", "create.path: {}"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := rest.Load("mine", []byte(tt.file), nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	for name, file := range map[string]string{
		"a field in the address of a create": small + "    create: {path: \"/actions/{action}/execute\"}\n",
		"both fields of a find":              small + "    find: [{by: [a, b], path: \"/people/{a}/{b}\"}]\n",
		"one field for both days":            small + "    window_fields: [day, day]\n",
		"braces in a parameter":              in("items: data", "items: data\n      params: {fields: 'id,phone{number}'}"),
		"a status that is put":               status(`{path: "/people/{id}/done", method: PUT, body: {of: done}}`),
	} {
		if _, err := rest.Load("mine", []byte(file), nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What read_only names is never written, whether the preset names fields or not.
func TestOutside14ReadOnlyWithoutFields(t *testing.T) {
	for name, keys := range map[string]string{
		"no fields":  "    read_only: [number, address.zip]\n",
		"fields":     "    read_only: [number, address.zip]\n    fields: {number: {}, address: {}, name: {}}\n",
		"both names": "    read_only: [number]\n    fields: {number: {}, address: {}, address.zip: {read_only: true}, name: {}}\n",
	} {
		p, err := rest.Load("mine", []byte(small+keys), nil)
		if err != nil {
			t.Fatal(err)
		}
		kinds, err := rest.Kinds(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		can := kinds["people"]
		for path, written := range map[string]bool{"number": false, "number.first": false, "address.zip": false, "address.street": true, "name": true} {
			if (can.Unwritable(path) == "") != written {
				t.Errorf("%s: %s: got %q", name, path, can.Unwritable(path))
			}
		}
	}
}

// What is laid over an alias finds the keys that it stands for, and changes no other place.
func TestOutside14OverrideOverAnAlias(t *testing.T) {
	const file = `
auth: {type: bearer}
kinds:
  people: &people
    path: /people
    list: {items: data, paging: offset}
    get: &get {path: "/people/{id}"}
    update: &update {method: PUT, path: "/people/{id}", mode: rewrite}
  guests: *people
  staff:
    path: /staff
    list: {items: data, paging: offset}
    get: *get
    update: *update
`
	p, err := rest.Load("mine", []byte(file), map[string]any{"kinds": map[string]any{
		"guests": map[string]any{"clear": "empty"}, "staff": map[string]any{"update": map[string]any{"item": "data"}},
		"people": map[string]any{"id": "uid"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	put := rest.Update{Method: "PUT", Path: "/people/{id}", Mode: "rewrite"}
	people, guests, staff := p.Kinds["people"], p.Kinds["guests"], p.Kinds["staff"]
	want(t, "people", *people.Update, put)
	want(t, "guests", *guests.Update, put)
	put.Item = "data"
	want(t, "staff", *staff.Update, put)
	want(t, "ids", people.ID+" "+guests.ID, "uid ")
	want(t, "clear", people.Clear+" "+guests.Clear, " empty")
}
