package rest_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/connectortest"
	"nightporter/connectors/rest"
	"nightporter/simulator"
	"nightporter/sync/record"
)

// conformant is a kind of a simulated API, as a preset reads it.
type conformant struct {
	kind     record.Kind
	opt      simulator.Options
	preset   string
	file     string         // the preset's text; empty: a built-in one
	override map[string]any // of its keys
	sample   func(i int) record.Fields
	text     string
}

func (x conformant) subject(t testing.TB) connectortest.Subject {
	t.Helper()
	sim := simulator.New(x.opt)
	var ms atomic.Int64
	sim.SetNow(func() time.Time { return time.Unix(1_800_000_000, 0).Add(time.Duration(ms.Load()) * time.Millisecond) })
	srv := httptest.NewServer(sim)
	t.Cleanup(srv.Close)
	var file []byte
	if x.file != "" {
		file = []byte(x.file)
	}
	preset, err := rest.Load(x.preset, file, x.override)
	if err != nil {
		t.Fatal(err)
	}
	resource := string(x.kind)
	subject := connectortest.Subject{
		Kind: x.kind,
		Open: func(t testing.TB) connectors.Connector {
			c, err := rest.Open(rest.Config{
				System: "platform", Preset: preset, BaseURL: srv.URL, PageSize: 7, Concurrency: 4,
				Secret: func() (string, error) { return simulator.DefaultKey, nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			return c
		},
		Put: func(_ testing.TB, f record.Fields) string { return sim.Put(resource, nested(f)) },
		PutAs: func(_ testing.TB, id string, f record.Fields) bool {
			if id == "." || id == ".." {
				return false // no address can name them
			}
			row := nested(f)
			row["id"] = id
			return sim.Put(resource, row) == id
		},
		Edit: func(t testing.TB, id string, f record.Fields) {
			if !sim.Edit(resource, id, nested(f)) {
				t.Fatalf("edit %s: there is no such record", id)
			}
		},
		Remove: func(t testing.TB, id string) {
			if !sim.Remove(resource, id) {
				t.Fatalf("remove %s: there is no such record", id)
			}
		},
		Sample: x.sample, Text: x.text,
		Mutations: func() int { return sim.Counts().Mutating },
		Tick:      func() { ms.Add(60_000) },
		Status:    record.OfText("CONFIRMED"),
		Delivery:  x.delivery(sim),
	}
	if x.kind == "documents" {
		sim.SetDocuments(simulator.Documents{Processing: 365 * 24 * time.Hour})
		uploaded(&subject, sim)
	}
	return subject
}

// uploaded is what is done about documents of the simulated platform.
func uploaded(subject *connectortest.Subject, sim *simulator.Sim) {
	subject.Tells = func(f record.Fields, _ string, c connectortest.Content) record.Fields {
		sum := sha256.Sum256(c.Bytes)
		return f.With(record.Fields{"checksum": record.OfText(hex.EncodeToString(sum[:])), "file_name": record.OfText("orari \"8-22\" è.md")})
	}
	subject.Stored = func(t testing.TB, id, _ string) (record.Body, bool) {
		d, ok := sim.Get("documents", id)
		size, err := strconv.ParseInt(fmt.Sprint(d["size"]), 10, 64)
		if !ok || err != nil {
			t.Errorf("document %s has the size %v", id, d["size"])
		}
		return record.Body{Digest: fmt.Sprint(d["digest_of_file"]), Size: size}, ok
	}
	subject.Lose = func(testing.TB) {
		sim.AddFault(simulator.Fault{Kind: simulator.FaultDropAfter, Method: http.MethodPost, Times: 1})
	}
	subject.Finish = func(_ testing.TB, id string, failed bool) {
		state := map[string]any{"status": "ready"}
		if failed {
			state = map[string]any{"status": "failed", "error": "the text could not be read"}
		}
		sim.Edit("documents", id, state)
	}
}

// document is one that somebody uploaded on the platform's own pages.
func document(i int) record.Fields {
	return record.Fields{
		"title": record.OfText(fmt.Sprintf("Document %d", i)), "language": record.OfText("it"), "active": record.OfBool(true),
		"tags": record.OfList(record.OfText("desk"), record.OfText(fmt.Sprintf("no. %d", i))),
	}
}

// delivery is what the simulated API sends, thin or with the record in it.
func (x conformant) delivery(sim *simulator.Sim) func(testing.TB, connectortest.Form, ...string) (http.Header, []byte, bool) {
	about := map[record.Kind]string{"contacts": "contact", "reservations": "event", "calls": "call", "documents": "document"}[x.kind]
	n := 0
	return func(t testing.TB, form connectortest.Form, ids ...string) (http.Header, []byte, bool) {
		t.Helper()
		n++
		switch form {
		case connectortest.Whole:
			return http.Header{"Webhook-Id": {fmt.Sprint("whole ", n)}}, fmt.Appendf(nil, `{"type":"%s.imported"}`, about), true
		case connectortest.Strange:
			return http.Header{}, fmt.Appendf(nil, `{"event":"dialer.finished","event_id":"strange %d","data":{"id":%q}}`, n, ids[0]), true
		case connectortest.Thin, connectortest.Fat, connectortest.Several:
		}
		sign := simulator.SignTimed
		if form == connectortest.Fat {
			sign = simulator.SignBody
		}
		sim.SetHook(&simulator.Hook{URL: "http://receiver.test/", Secret: "hunter2", Sign: sign})
		for _, id := range ids {
			sim.Edit(string(x.kind), id, nested(record.Fields{x.text: record.OfText(fmt.Sprint("told ", n))}))
		}
		sent, err := sim.Deliveries(t.Context())
		if err != nil || len(sent) != len(ids) {
			t.Fatalf("%d deliveries: %v", len(sent), err)
		}
		var bodies []string
		for _, r := range sent {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Fatal(err)
			}
			bodies = append(bodies, string(body))
		}
		if form == connectortest.Several {
			return sent[0].Header, []byte("[" + strings.Join(bodies, ",") + "]"), true
		}
		return sent[0].Header, []byte(bodies[0]), true
	}
}

// nested is fields as a record of the simulator.
func nested(f record.Fields) map[string]any {
	out := map[string]any{}
	for name, v := range f {
		var a any
		if err := json.Unmarshal([]byte(v.Encode()), &a); err != nil {
			panic(err) // it was encoded a moment ago
		}
		at, parts := out, strings.Split(name, ".")
		for _, part := range parts[:len(parts)-1] {
			inner, ok := at[part].(map[string]any)
			if !ok {
				inner = map[string]any{}
				at[part] = inner
			}
			at = inner
		}
		at[parts[len(parts)-1]] = a
	}
	return out
}

func contact(i int) record.Fields {
	return record.Fields{
		"first_name": record.OfText(fmt.Sprintf("Guest %d", i)), "last_name": record.OfText("Example"),
		"phone_number": record.OfText(fmt.Sprintf("+39055500%04d", i)), "email": record.OfText(fmt.Sprintf("guest%d@example.test", i)),
	}
}

func reservation(i int) record.Fields {
	return record.Fields{
		"client_full_name": record.OfText(fmt.Sprintf("Guest %d", i)), "client_phone_number": record.OfText(fmt.Sprintf("+39055500%04d", i)),
		"starting_date": record.OfText("2031-03-15"), "ending_date": record.OfText("2031-03-16"),
	}
}

// call is one that nobody waits for a text of.
func call(i int) record.Fields {
	return record.Fields{
		"phone_number": record.OfText(fmt.Sprintf("+39055500%04d", i)), "call_status": record.OfText("Failed"),
		"start_time": record.OfText(fmt.Sprintf("2031-03-15T09:%02d:%02dZ", i/60%60, i%60)),
	}
}

// crmPeople is how a CRM with pages by cursor and a filter by time of change is read.
const crmPeople = `
name: crm
auth: {type: header, header: X-Api-Key}
prefix: /api/v2
errors:
  message: [errors]
  exists: {status: [409]}
kinds:
  people:
    path: /people
    list:
      items: results
      paging: cursor
      limit_param: limit
      cursor_param: after
      next: paging.next.after
      since: {param: updated_since, overlap: 1m}
    changed: {path: updated_at}
    get: {path: "/people/{id}"}
    find:
      - by: [mobile]
        params: {mobile: mobile}
      - by: [external_ref]
        params: {external_ref: external_ref}
    create: {}
    update: {method: PATCH}
    stamp: {field: external_ref, find: true, unique: true}
    required: [name.given]
    read_only: [id]
`

func crmPerson(i int) record.Fields {
	return record.Fields{
		"name.given": record.OfText(fmt.Sprintf("Guest %d", i)), "mobile": record.OfText(fmt.Sprintf("+39055500%04d", i)),
		"mail": record.OfText(fmt.Sprintf("guest%d@example.test", i)),
	}
}

func kindOverride(kind string, keys map[string]any) map[string]any {
	return map[string]any{"kinds": map[string]any{kind: keys}}
}

// inJSON is the platform if it took files in JSON.
func inJSON() *simulator.Traits {
	traits, _ := simulator.TraitsOf("platform")
	traits.Uploads = simulator.UploadBase64
	return &traits
}

func TestConformance(t *testing.T) {
	times := map[string]any{"path": "updated_at"}
	rich := map[string]any{
		"stamp": map[string]any{"field": "external_id", "find": true, "unique": true},
		"find": []any{
			map[string]any{"by": []any{"external_id"}, "params": map[string]any{"external_id": "external_id"}},
			map[string]any{"by": []any{"phone_number"}, "params": map[string]any{"phone_number": "phone_number"}},
		},
		"version": map[string]any{"etag": true}, "update": map[string]any{"if_match": true},
		"changed": times, "created": map[string]any{"path": "created_at"},
		"delete": map[string]any{"path": "/contacts/{id}"}, "idempotency": map[string]any{"header": "Idempotency-Key"},
	}
	for name, x := range map[string]conformant{
		"contacts": {kind: "contacts", preset: "platform", sample: contact, text: "notes"},
		"contacts with everything": {
			kind: "contacts", preset: "platform", sample: contact, text: "notes", override: kindOverride("contacts", rich),
			opt: simulator.Options{
				ShowTimes: true, Reference: simulator.ReferenceUnique, Idempotency: true, Versions: true, Deletes: true, Order: simulator.UpdatedDesc,
			},
		},
		"contacts rewritten": {
			kind: "contacts", preset: "platform", sample: contact, text: "notes",
			override: kindOverride("contacts", map[string]any{"update": map[string]any{"mode": "rewrite"}}),
		},
		"contacts that are only added to": {
			kind: "contacts", preset: "platform", sample: contact, text: "notes", override: kindOverride("contacts", map[string]any{"update": nil}),
		},
		"documents": {kind: "documents", preset: "platform", sample: document, text: "description"},
		"documents under a key": {
			kind: "documents", preset: "platform", sample: document, text: "description",
			opt:      simulator.Options{Idempotency: true},
			override: kindOverride("documents", map[string]any{"idempotency": map[string]any{"header": "Idempotency-Key"}}),
		},
		"documents in JSON": {
			kind: "documents", preset: "platform", sample: document, text: "description", opt: simulator.Options{Traits: inJSON(), Idempotency: true},
			override: kindOverride("documents", map[string]any{
				"content":     map[string]any{"send": "base64", "media_field": "media_type"},
				"idempotency": map[string]any{"header": "Idempotency-Key"},
			}),
		},
		"calls": {kind: "calls", preset: "platform", sample: call, text: "reservation_id"},
		"people of a CRM": {
			kind: "people", preset: "crm", file: crmPeople, sample: crmPerson, text: "lang",
			opt: simulator.Options{Dialect: simulator.DialectCRM, Reference: simulator.ReferenceUnique, Order: simulator.UpdatedAsc},
		},
		"reservations": {kind: "reservations", preset: "platform", sample: reservation, text: "details"},
		"reservations with a status action": {
			kind: "reservations", preset: "platform", sample: reservation, text: "details", opt: simulator.Options{StatusAction: true},
			override: kindOverride("reservations", map[string]any{"status": map[string]any{
				"field": "status", "requests": map[string]any{"CONFIRMED": map[string]any{
					"method": "PATCH", "path": "/reservations/{id}/status", "body": map[string]any{"status": "CONFIRMED"}, "item": "data",
				}},
			}}),
		},
	} {
		t.Run(name, func(t *testing.T) { connectortest.Run(t, x.subject) })
	}
}
