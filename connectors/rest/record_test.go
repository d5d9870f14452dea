package rest_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/rest"
	"nightporter/sync/record"
)

// crm is a preset that uses most of what there is.
const crm = `
name: crm
auth: {type: header, header: X-Api-Key}
prefix: /api/v2
errors:
  ok_flag: ok
  exists: {status: [422], match: taken}
kinds:
  people:
    path: /people
    list: {items: people, paging: none}
    id: key.id
    version: {etag: true}
    changed: {path: meta.changed, format: epoch_ms}
    created: {path: meta.created, format: "DD/MM/YYYY hh:mm", zone: Europe/Rome}
    get: {path: "/people/{id}", item: person}
    find:
      - by: [phone]
        path: /people/by-phone/{phone}
        item: person
      - by: [stamp]
        params: {ref: stamp}
    create: {path: /people, body: person, item: person}
    update: {method: PATCH, if_match: true, body: person}
    delete: {path: "/people/{id}"}
    stamp: {field: stamp, find: true}
    status:
      field: status
      requests:
        ACTIVE: {path: "/people/{id}/activate", body: {why: sync}}
        GONE: {method: DELETE, path: "/people/{id}/active", query: {now: "yes"}}
    read_only: [key.id]
    idempotency: {header: X-Once}
    omits_empty: true
    fields:
      name.given: {max: 40}
      name.family: {}
      phone: {type: text}
      born: {type: date, format: epoch_ms, zone: Europe/Rome}
      seen: {type: instant, format: epoch_s}
      rate: {type: number}
      status: {}
      stamp: {}
      calls: {}
      key.id: {}
    sub_reads: {calls: {path: "/people/{id}/calls", item: calls}}
`

const person = `{"key":{"id":77},"name":{"given":"Anna","family":null},"phone":390550001,"born":1767222000000,"seen":1767222000.5,` +
	`"rate":"12.50","status":"ACTIVE","stamp":"np:1","meta":{"changed":1767225600123,"created":"01/07/2026 10:00"}}`

func crmServer(t *testing.T, reply string, code int) *server {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"e2"`)
		if strings.HasSuffix(r.URL.Path, "/calls") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if code != 0 {
			w.WriteHeader(code)
		}
		fmt.Fprint(w, reply)
	})
}

func TestGetReadsARecord(t *testing.T) {
	s := crmServer(t, `{"person":`+person+`}`, 0)
	rec, err := open(t, s.URL+"/api/v2/", crm).Get(t.Context(), record.Ref{Kind: "people", ID: "77"}, connectors.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "path", s.seen[0].Path, "/api/v2/people/77")
	want(t, "key", s.seen[0].Header.Get("X-Api-Key"), "key")
	want(t, "version", rec.Version, `"e2"`)
	want(t, "changed", rec.Changed.UTC().Format(time.RFC3339Nano), "2026-01-01T00:00:00.123Z")
	want(t, "created", rec.Created.UTC().Format(time.RFC3339), "2026-07-01T08:00:00Z")
	want(t, "stamp", rec.Stamp, "np:1")
	for name, v := range map[string]record.Value{
		"name.given": record.OfText("Anna"), "name.family": record.Nothing(), "phone": record.OfText("390550001"),
		"born": record.OfText("2026-01-01"), "seen": record.OfText("2025-12-31T23:00:00.5Z"), "calls": {},
	} {
		if !rec.Fields[name].Equal(v) {
			t.Errorf("%s: got %#v, want %#v", name, rec.Fields[name], v)
		}
	}
	want(t, "rate", rec.Fields["rate"].Encode(), "12.5")
}

func TestOnlyMappedFieldsAreShown(t *testing.T) {
	s := crmServer(t, `{"people":[`+person+`],"person":`+person+`}`, 0)
	c := open(t, s.URL, crm, func(c *rest.Config) {
		c.Fields = map[record.Kind][]string{"people": {"name.given", "missing.one"}}
	})
	mapped := record.Fields{"name.given": record.OfText("Anna"), "missing.one": record.Nothing()}
	rec, err := c.Get(t.Context(), record.Ref{Kind: "people", ID: "77"}, connectors.Scope{})
	if err != nil || !rec.Fields.Equal(mapped) {
		t.Errorf("get: got %v, %v", rec.Fields, err)
	}
	page, err := c.Fetch(t.Context(), connectors.Query{Kind: "people", Fields: []string{"phone"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	if rec, err = page.Read(page.Items[0]); err != nil || len(rec.Fields) != 1 || rec.Fields["phone"].Text() != "390550001" || rec.Ref.ID != "77" {
		t.Errorf("fetch: got %v, %v", rec, err)
	}
}

// Half a record in the answer to a write doesn't mean that the rest is empty, even
// where a missing field means that in a list.
func TestAnAnswerMayShowAPart(t *testing.T) {
	s := crmServer(t, `{"person":{"key":{"id":77},"name":{"given":"Ann"}}}`, 0)
	c := open(t, s.URL, crm)
	ref := record.Ref{Kind: "people", ID: "77"}
	rec, err := c.Apply(t.Context(), record.Change{Op: record.Update, Ref: ref, Fields: record.Fields{"name.given": record.OfText("Ann")}})
	if _, shown := rec.Fields["phone"]; err != nil || shown || rec.Fields["name.given"].Text() != "Ann" {
		t.Errorf("update: got %v, %v", rec.Fields, err)
	}
	rec, err = c.Get(t.Context(), ref, connectors.Scope{})
	if err != nil || !rec.Fields["phone"].Equal(record.Nothing()) {
		t.Errorf("get: got %v, %v", rec.Fields, err)
	}
}

func TestMissingIsNotShown(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `[{"id":1,"a":null}]`) })
	page, err := open(t, s.URL, listPreset(`{items: ., paging: none}`)).Fetch(t.Context(), connectors.Query{Kind: "things", Fields: []string{"a", "a.x", "b"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	rec, err := page.Read(page.Items[0])
	if want := (record.Fields{"a": record.Nothing(), "a.x": record.Nothing()}); err != nil || !rec.Fields.Equal(want) {
		t.Errorf("got %v, %v", rec.Fields, err)
	}
}

func TestReadOfAnOddRow(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "[5,{\"id\":1,\"a\":1e9999},{\"id\":2,\"a\":\"x\\u0000\xff\"}]")
	})
	page, err := open(t, s.URL, listPreset(`{items: ., paging: none}`)).Fetch(t.Context(), things, "")
	if err != nil {
		t.Fatal(err)
	}
	for i, words := range [][]string{{"not an object"}, {"field a", "exponent"}} {
		_, err = page.Read(page.Items[i])
		fails(t, err, connectors.Malformed, words...)
	}
	rec, err := page.Read(page.Items[2])
	if err != nil || rec.Fields["a"].Text() != "x\x00\uFFFD" {
		t.Errorf("got %q, %v", rec.Fields["a"].Text(), err)
	}
	if _, shown := rec.Fields["b"]; shown {
		t.Error("a field that isn't there is shown")
	}
}

func TestIDsInAddresses(t *testing.T) {
	s := crmServer(t, `{}`, 0)
	c := open(t, s.URL, crm)
	for _, id := range []string{"", ".", ".."} {
		for _, op := range []record.Op{record.Update, record.Delete} {
			_, err := c.Apply(t.Context(), record.Change{Op: op, Ref: record.Ref{Kind: "people", ID: id}, Fields: record.Fields{"phone": record.OfText("1")}})
			fails(t, err, connectors.Rejected, "address")
		}
		_, err := c.Get(t.Context(), record.Ref{Kind: "people", ID: id}, connectors.Scope{})
		fails(t, err, connectors.Rejected, "address")
	}
	want(t, "requests", s.count(), 0)
	for id, enc := range map[string]string{"a/../b": "a%2F..%2Fb", "é ?#": "%C3%A9%20%3F%23", "+39": "%2B39", "%2e": "%252e"} {
		if _, err := c.Apply(t.Context(), record.Change{Op: record.Delete, Ref: record.Ref{Kind: "people", ID: id}}); err != nil {
			t.Fatal(err)
		}
		want(t, "path", s.last().Path, "/api/v2/people/"+enc)
	}
}

func TestGetErrors(t *testing.T) {
	ref := record.Ref{Kind: "people", ID: "77"}
	for name, tt := range map[string]struct {
		reply string
		code  int
		class connectors.ErrorClass
		words []string
	}{
		"none":           {`{}`, 404, connectors.NotFound, []string{"get people 77"}},
		"another":        {`{"person":{"key":{"id":78}}}`, 0, connectors.Moved, []string{"78"}},
		"no record":      {`{"data":{}}`, 0, connectors.Malformed, []string{"get.item"}},
		"no id":          {`{"person":{"id":77}}`, 0, connectors.Malformed, []string{"no id"}},
		"half":           {`{"person":{"key`, 0, connectors.Malformed, []string{"not whole JSON"}},
		"says it failed": {`{"ok":false,"error":"gone"}`, 0, connectors.Transient, []string{"gone"}},
	} {
		s := crmServer(t, tt.reply, tt.code)
		_, err := open(t, s.URL, crm).Get(t.Context(), ref, connectors.Scope{})
		t.Log(name)
		fails(t, err, tt.class, tt.words...)
	}
}

func TestGetOutOfScope(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"data":{"id":"1","starting_date":"2026-05-01T15:00:00+02:00","ending_date":"2026-05-03"}}`)
	})
	c := open(t, s.URL, "platform")
	for scope, class := range map[connectors.Scope]connectors.ErrorClass{
		{}: "", {From: "2026-05-03"}: "", {From: "2026-05-04"}: connectors.OutOfScope, {To: "2026-05-01"}: "", {To: "2026-04-30"}: connectors.OutOfScope,
	} {
		_, err := c.Get(t.Context(), record.Ref{Kind: "reservations", ID: "1"}, scope)
		want(t, scope.String(), connectors.ClassOf(err), class)
	}
}

func TestFind(t *testing.T) {
	s := crmServer(t, `{"person":`+person+`,"people":[`+person+`,`+person+`]}`, 0)
	c := open(t, s.URL, crm)
	found, err := c.Find(t.Context(), "people", record.Fields{"phone": record.OfText("+390550001")}, connectors.Scope{})
	want(t, "by phone", fmt.Sprint(len(found), err), "1 <nil>")
	want(t, "path", s.last().Path, "/api/v2/people/by-phone/%2B390550001")
	found, err = c.Find(t.Context(), "people", record.Fields{"stamp": record.OfText("np:1 &x")}, connectors.Scope{})
	want(t, "by stamp", fmt.Sprint(len(found), err), "2 <nil>")
	want(t, "query", s.last().Query, "ref=np%3A1+%26x")
	_, err = c.Find(t.Context(), "people", record.Fields{"name.given": record.OfText("Anna")}, connectors.Scope{})
	fails(t, err, connectors.Unsupported, "by name.given")
	_, err = c.Find(t.Context(), "people", record.Fields{"stamp": record.Nothing()}, connectors.Scope{})
	fails(t, err, connectors.Unsupported, "nothing that can be asked for")
	none := crmServer(t, `{"error":"none"}`, 404)
	found, err = open(t, none.URL, crm).Find(t.Context(), "people", record.Fields{"phone": record.OfText("1")}, connectors.Scope{})
	want(t, "404", fmt.Sprint(found, err), "[] <nil>")
}

func TestWrites(t *testing.T) {
	ref := record.Ref{Kind: "people", ID: "77"}
	fields := record.Fields{
		"name.given": record.OfText("Ann <é>"), "name.family": record.Nothing(), "phone": record.OfInt(390550001), "born": record.OfText("2026-01-01"),
		"seen": record.OfText("2025-12-31T23:00:00Z"), "rate": record.OfText("12.50"),
	}
	const body = `{"person":{"born":1767222000000,"name":{"family":null,"given":"Ann <é>"},"phone":"390550001","rate":12.5,"seen":1767222000`
	tests := map[string]struct {
		change record.Change
		reply  string
		method string
		url    string
		body   string
		header string
	}{
		"create":            {record.Change{ID: "i1", Op: record.Create, Ref: record.Ref{Kind: "people"}, Fields: fields, Stamp: "np:9"}, `{"person":` + person + `}`, "POST", "/api/v2/people?", body + `,"stamp":"np:9"}}`, "X-Once: i1"},
		"update":            {record.Change{ID: "i2", Op: record.Update, Ref: ref, Fields: fields, Version: `"e1"`}, `{"person":` + person + `}`, "PATCH", "/api/v2/people/77?", body + `}}`, `If-Match: "e1"`},
		"update, no answer": {record.Change{Op: record.Update, Ref: ref, Fields: fields}, ``, "PATCH", "/api/v2/people/77?", body + `}}`, "If-Match: "},
		"action":            {record.Change{Op: record.Action, Ref: ref, Fields: record.Fields{"status": record.OfText("ACTIVE")}}, `{}`, "POST", "/api/v2/people/77/activate?", `{"why":"sync"}`, ""},
		"action by query":   {record.Change{Op: record.Action, Ref: ref, Fields: record.Fields{"status": record.OfText("GONE")}}, `{}`, "DELETE", "/api/v2/people/77/active?now=yes", ``, ""},
		"delete":            {record.Change{Op: record.Delete, Ref: ref}, `{"ok":true}`, "DELETE", "/api/v2/people/77?", ``, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := crmServer(t, tt.reply, 0)
			rec, err := open(t, s.URL, crm).Apply(t.Context(), tt.change)
			if err != nil {
				t.Fatal(err)
			}
			want(t, "requests", s.count(), 1)
			got := s.last()
			want(t, "request", got.Method+" "+got.Path+"?"+got.Query, tt.method+" "+tt.url)
			want(t, "body", got.Body, tt.body)
			want(t, "record", rec.Ref, ref)
			if h, v, ok := strings.Cut(tt.header, ": "); ok {
				want(t, h, got.Header.Get(h), v)
			}
			if shown := strings.Contains(tt.reply, "person"); shown != (len(rec.Fields) > 0) {
				t.Errorf("the answer %q shows %v", tt.reply, rec.Fields)
			}
		})
	}
}

func TestNoKeyUnlessThePresetSaysSo(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":{"id":"1"}}`) })
	_, err := open(t, s.URL, "platform").Apply(t.Context(), record.Change{
		ID: "i1", Op: record.Create, Ref: record.Ref{Kind: "contacts"}, Fields: record.Fields{"phone_number": record.OfText("+390550001")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range s.last().Header {
		if strings.Contains(strings.ToLower(name), "idempotency") {
			t.Errorf("%s is sent", name)
		}
	}
	want(t, "path", s.last().Path, "/external/v1/contacts")
}

func TestWritesThatAreRefusedHere(t *testing.T) {
	ref := record.Ref{Kind: "people", ID: "77"}
	s := crmServer(t, `{}`, 0)
	for name, tt := range map[string]struct {
		change record.Change
		class  connectors.ErrorClass
		word   string
	}{
		"read only":     {record.Change{Op: record.Update, Ref: ref, Fields: record.Fields{"key.id": record.OfText("1")}}, connectors.Rejected, "read only"},
		"unknown field": {record.Change{Op: record.Update, Ref: ref, Fields: record.Fields{"fax": record.OfText("1")}}, connectors.Rejected, "not a field"},
		"no date":       {record.Change{Op: record.Update, Ref: ref, Fields: record.Fields{"born": record.OfText("soon")}}, connectors.Rejected, "born: the value is no date"},
		"nothing":       {record.Change{Op: record.Update, Ref: ref}, connectors.Rejected, "nothing to write"},
		"status":        {record.Change{Op: record.Update, Ref: ref, Fields: record.Fields{"status": record.OfText("GONE")}}, connectors.Unsupported, "action of its own"},
		"no such value": {record.Change{Op: record.Action, Ref: ref, Fields: record.Fields{"status": record.OfText("NEW")}}, connectors.Unsupported, "sets status to NEW"},
		"two in one": {
			record.Change{Op: record.Action, Ref: ref, Fields: record.Fields{"status": record.OfText("GONE"), "phone": record.OfText("1")}},
			connectors.Unsupported, "nothing else",
		},
	} {
		t.Log(name)
		_, err := open(t, s.URL, crm).Apply(t.Context(), tt.change)
		fails(t, err, tt.class, tt.word)
	}
	want(t, "requests", s.count(), 0)
}

func TestWhatAWriteIsAnswered(t *testing.T) {
	create := record.Change{Op: record.Create, Ref: record.Ref{Kind: "people"}, Fields: record.Fields{"name.given": record.OfText("Annabella")}}
	update := record.Change{Op: record.Update, Ref: record.Ref{Kind: "people", ID: "77"}, Fields: create.Fields, Version: `"e1"`}
	for name, tt := range map[string]struct {
		change record.Change
		code   int
		reply  string
		class  connectors.ErrorClass
		word   string
	}{
		"a double":               {create, 422, `{"error":"that phone is taken"}`, connectors.Exists, ""},
		"a double, by its body":  {create, 200, `{"ok":false,"error":"that phone is taken"}`, connectors.Exists, ""},
		"no":                     {create, 422, `{"error":"Annabella is too long, call +39 055 000 111"}`, connectors.Rejected, "HTTP 422: … is too long, call …"},
		"no, by the body":        {update, 200, `{"ok":false,"error":"closed"}`, connectors.Rejected, "closed"},
		"created, and not what":  {create, 201, `{"ok":true}`, connectors.Ambiguous, "shows no id"},
		"created, and nothing":   {create, 204, ``, connectors.Ambiguous, "shows no id"},
		"half an answer":         {create, 201, `{"person":{"key":{"i`, connectors.Ambiguous, "not whole JSON"},
		"an error of the server": {update, 500, `{}`, connectors.Ambiguous, "HTTP 500"},
		"changed meanwhile":      {update, 412, `{}`, connectors.Stale, "HTTP 412"},
		"gone":                   {update, 404, `{}`, connectors.NotFound, ""},
		"another record":         {update, 200, `{"person":{"key":{"id":78}}}`, connectors.Ambiguous, "another record"},
	} {
		t.Run(name, func(t *testing.T) {
			s := crmServer(t, tt.reply, tt.code)
			_, err := open(t, s.URL, crm).Apply(t.Context(), tt.change)
			fails(t, err, tt.class, tt.word)
			want(t, "said done", connectors.SaidDone(err), strings.HasPrefix(name, "created"))
			want(t, "requests", s.count(), 1)
			if strings.Contains(err.Error(), "Annabella") {
				t.Errorf("a guest is shown: %v", err)
			}
		})
	}
}

func TestIDFromLocation(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/api/v2/people/a%2Fb/")
		w.WriteHeader(http.StatusCreated)
	})
	rec, err := open(t, s.URL, crm).Apply(t.Context(), record.Change{Op: record.Create, Ref: record.Ref{Kind: "people"}, Fields: record.Fields{"phone": record.OfText("1")}})
	if err != nil || rec.Ref.ID != "a/b" || len(rec.Fields) != 0 {
		t.Errorf("got %+v, %v", rec, err)
	}
}

func updatePreset(update string) string {
	return "auth: {type: none}\nkinds:\n  things:\n    path: /things\n    list: {items: ., paging: none}\n    read_only: [id, at]\n    clear: omit\n" +
		"    get: {path: \"/things/{id}\"}\n    update: " + update + "\n"
}

func TestUpdateModes(t *testing.T) {
	change := record.Change{
		Op: record.Update, Ref: record.Ref{Kind: "things", ID: "1"},
		Fields: record.Fields{"a.b": record.OfText("new"), "gone": record.Nothing()},
		Before: record.Fields{"a.b": record.OfText("old"), "gone": record.OfText("x")},
	}
	const stored = `{"id":"1","at":"t","a":{"b":"old","c":"kept"},"gone":"x","other":1.0}`
	for name, tt := range map[string]struct{ update, stored, body string }{
		"rewrite": {`{method: PUT, mode: rewrite}`, stored, `{"a":{"b":"new","c":"kept"},"other":1.0}`},
		"stale":   {`{method: PUT, mode: rewrite}`, strings.Replace(stored, "old", "newer", 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, tt.stored) })
			_, err := open(t, s.URL, updatePreset(tt.update)).Apply(t.Context(), change)
			if tt.body == "" {
				fails(t, err, connectors.Stale, "changed since")
				want(t, "method", s.last().Method, "GET")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want(t, "body", s.last().Body, tt.body)
		})
	}
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, stored) })
	_, err := open(t, s.URL, updatePreset(`{method: PUT}`)).Apply(t.Context(), change)
	fails(t, err, connectors.Unsupported, "can't be emptied")
}

// A create is applied and the connection dropped, one that a read had used: the
// answer is lost, and no second create is sent.
func TestDroppedAfterItWasApplied(t *testing.T) {
	var applied, conns atomic.Int32
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns.Add(1)
			go func() {
				defer conn.Close()
				for br := bufio.NewReader(conn); ; {
					req, err := http.ReadRequest(br)
					if err != nil {
						return
					}
					if _, err := io.Copy(io.Discard, req.Body); err != nil || req.Method == http.MethodPost {
						applied.Add(1)
						return
					}
					fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"people\":[]}")
				}
			}()
		}
	}()
	c := open(t, "http://"+l.Addr().String(), crm) // sends an idempotency key
	if _, err := c.Fetch(t.Context(), connectors.Query{Kind: "people"}, ""); err != nil {
		t.Fatal(err)
	}
	_, err = c.Apply(t.Context(), record.Change{ID: "i1", Op: record.Create, Ref: record.Ref{Kind: "people"}, Fields: record.Fields{"phone": record.OfText("1")}})
	fails(t, err, connectors.Ambiguous)
	want(t, "creates, connections", fmt.Sprint(applied.Load(), conns.Load()), "1 1")
}

func TestDescribe(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"org":{"id":12}}`) })
	d, err := open(t, s.URL, "identity: {path: /me, item: org.id}\n"+crm).Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	k := d.Kinds["people"]
	want(t, "account", d.Account, "12")
	want(t, "abilities", fmt.Sprint(k.Create, k.Update, k.Delete, k.Get, k.Since, k.Windowed, k.Stable, k.Conditional, k.Idempotent, k.Changed), "true true true true false false false true true true")
	want(t, "ids", k.IDs.Of, "key.id")
	want(t, "find", k.FindBy, [][]string{{"phone"}, {"stamp"}})
	want(t, "stamp", k.Stamp, connectors.Stamp{Path: "stamp", Find: true})
	want(t, "status", k.Status, "status")
	want(t, "keeps", k.Keeps, []string{"key.id", "meta.changed", "meta.created"})
	want(t, "fields", fmt.Sprint(k.Fields["key.id"], k.Fields["name.given"]), "{true 0 false} {false 40 false}")

	d, err = open(t, "https://api.example.com", "platform").Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(t, "ids of the platform", d.Kinds["contacts"].IDs, connectors.IDs{Of: "id", In: "/contacts/{id}"})
	b, err := json.Marshal(d.Kinds["reservations"])
	if err != nil || d.Kinds["contacts"].Delete || d.Kinds["contacts"].Stable || d.Kinds["contacts"].Unique[0][0] != "phone_number" || !d.Kinds["reservations"].Windowed {
		t.Errorf("platform: %s, %v", b, err)
	}
}

func TestPrefixIsNotDoubled(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[]}`) })
	for suffix, path := range map[string]string{
		"": "/external/v1/contacts", "/": "/external/v1/contacts", "/external/v1/": "/external/v1/contacts", "/api": "/api/external/v1/contacts",
	} {
		if _, err := open(t, s.URL+suffix, "platform").Fetch(t.Context(), connectors.Query{Kind: "contacts"}, ""); err != nil {
			t.Fatal(err)
		}
		want(t, suffix, s.last().Path, path)
	}
}
