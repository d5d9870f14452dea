package rest_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/rest"
	"nightporter/sync/record"
)

const documentsPreset = `auth: {type: none}
kinds:
  documents:
    path: /documents
    list: {items: data, paging: none}
    get: {path: "/documents/{id}", item: data}
    create: {item: data%s}
    update: {}
    content: {field: %s, %s}
`

func docChange(name, text string) (context.Context, record.Change) {
	fields := record.Fields{
		"title": record.OfText("Hours"), "tags": record.OfList(record.OfText("a"), record.OfText("b,c")), "active": record.OfBool(true),
		"file": record.OfContent("d1", int64(len(text)), "text/markdown"),
	}
	if name != "" {
		fields["file_name"] = record.OfText(name)
	}
	ctx := connectors.WithContents(context.Background(), map[string][]byte{"file": []byte(text)})
	return ctx, record.Change{ID: "01", Op: record.Create, Ref: record.Ref{Kind: "documents"}, Fields: fields}
}

// partsOf is a form as "name=text", and the file as "name (filename, type)=text".
func partsOf(t *testing.T, r recorded) []string {
	t.Helper()
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		t.Fatalf("the body is %q, %v", r.Header.Get("Content-Type"), err)
	}
	var out []string
	for in := multipart.NewReader(strings.NewReader(r.Body), params["boundary"]); ; {
		p, err := in.NextPart()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		name := p.FormName()
		if p.FileName() != "" {
			name += " (" + p.FileName() + ", " + p.Header.Get("Content-Type") + ")"
		}
		out = append(out, name+"="+string(b))
	}
}

func TestContentAsParts(t *testing.T) {
	for _, tt := range []struct {
		name, given, file string
		want              []string
	}{
		{"tags repeated", "send: multipart", "hours.md", []string{"active=true", "tags=a", "tags=b,c", "title=Hours", "file (hours.md, text/markdown)=From 7"}},
		{"by itself", "max_mb: 1", "hours.md", []string{"active=true", "tags=a", "tags=b,c", "title=Hours", "file (hours.md, text/markdown)=From 7"}},
		{"tags with commas", "lists: comma", "orari è \"qui\".md", []string{"active=true", "tags=a,b,c", "title=Hours", `file (orari è "qui".md, text/markdown)=From 7`}},
		{"tags as JSON", "lists: json", "", []string{"active=true", `tags=["a","b,c"]`, "title=Hours", "file (document.md, text/markdown)=From 7"}},
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, map[string]any{"data": map[string]any{"id": "d1", "title": "Hours", "file": "https://files.example.com/d1"}})
		})
		c := open(t, s.URL, fmt.Sprintf(documentsPreset, "", "file", tt.given))
		ctx, ch := docChange(tt.file, "From 7")
		rec, err := c.Apply(ctx, ch)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		want(t, tt.name, fmt.Sprintf("%q", partsOf(t, s.last())), fmt.Sprintf("%q", tt.want))
		want(t, tt.name+", id", rec.Ref.ID, "d1")
		if rec.Fields["file"].Observed() {
			t.Errorf("%s: what the answer shows in the place of the file is taken for it: %v", tt.name, rec.Fields["file"])
		}
	}
}

func TestContentInJSON(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, map[string]any{"data": map[string]any{"id": "d1"}})
	})
	c := open(t, s.URL, fmt.Sprintf(documentsPreset, ", body: document", "file.data", "send: base64, media_field: file.type"))
	ctx, ch := docChange("hours.md", "From 7")
	ch.Fields["file.data"] = ch.Fields["file"]
	delete(ch.Fields, "file")
	ctx = connectors.WithContents(ctx, map[string][]byte{"file.data": []byte("From 7")})
	if _, err := c.Apply(ctx, ch); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.NewDecoder(bytes.NewReader([]byte(s.last().Body))).Decode(&got); err != nil {
		t.Fatal(err)
	}
	want(t, "the body", got, map[string]any{"document": map[string]any{
		"title": "Hours", "tags": []any{"a", "b,c"}, "active": true, "file_name": "hours.md",
		"file": map[string]any{"data": base64.StdEncoding.EncodeToString([]byte("From 7")), "type": "text/markdown"},
	}})
	want(t, "its type", s.last().Header.Get("Content-Type"), "application/json")
}

// discard is a platform that takes all.
type discard struct{}

func (discard) RoundTrip(r *http.Request) (*http.Response, error) {
	_, err := io.Copy(io.Discard, r.Body)
	return &http.Response{
		StatusCode: http.StatusCreated, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(strings.NewReader(`{"data":{"id":"d1"}}`)),
	}, err
}

// A file that is sent is held once more as it goes over the wire, and not in several
// copies on the way there.
func TestContentIsHeldOnce(t *testing.T) {
	const size = 16 << 20
	text := strings.Repeat("hours ", size/6)
	for _, tt := range []struct {
		send string
		most float64 // times the file
	}{{"multipart", 1.1}, {"base64", 1.5}} {
		c := open(t, "https://api.example.com", fmt.Sprintf(documentsPreset, "", "file", "send: "+tt.send), func(cfg *rest.Config) { cfg.Transport = discard{} })
		ctx, ch := docChange("hours.md", text)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := c.Apply(ctx, ch); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if got := float64(after.TotalAlloc-before.TotalAlloc) / size; got > tt.most {
			t.Errorf("%s: %.2f times the file was allocated, want %.1f at most", tt.send, got, tt.most)
		}
	}
}

// The same change is the same bytes, whenever it is sent: who recognises a repetition by
// its key may compare what comes with it, too. Another change is parted otherwise.
func TestContentIsTheSameAgain(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, map[string]any{"data": map[string]any{"id": "d1"}})
	})
	c := open(t, s.URL, fmt.Sprintf(documentsPreset, "", "file", "send: multipart"))
	sent := func(id, text string) recorded {
		t.Helper()
		ctx, ch := docChange("hours.md", text)
		ch.ID = id
		if _, err := c.Apply(ctx, ch); err != nil {
			t.Fatal(err)
		}
		return s.last()
	}
	first, again := sent("01", "From 7"), sent("01", "From 7")
	want(t, "the body, sent again", again.Body, first.Body)
	want(t, "its type, sent again", again.Header.Get("Content-Type"), first.Header.Get("Content-Type"))
	for what, other := range map[string]recorded{"another change": sent("02", "From 7"), "another file": sent("01", "From 8")} {
		if other.Header.Get("Content-Type") == first.Header.Get("Content-Type") {
			t.Errorf("%s is parted by %s too", what, other.Header.Get("Content-Type"))
		}
	}
}

// Without its bytes nothing is sent, and a file is never part of an update.
func TestContentThatIsNotThere(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, map[string]any{"data": map[string]any{"id": "d1"}})
	})
	c := open(t, s.URL, fmt.Sprintf(documentsPreset, "", "file", "send: multipart"))
	_, ch := docChange("hours.md", "From 7")
	_, err := c.Apply(t.Context(), ch)
	fails(t, err, connectors.Rejected, "was not handed over")
	_, err = c.Apply(connectors.WithContents(t.Context(), map[string][]byte{"file": []byte("From")}), ch)
	fails(t, err, connectors.Rejected, "was not handed over")
	ctx, ch := docChange("hours.md", "From 7")
	ch.Op, ch.Ref.ID = record.Update, "d1"
	_, err = c.Apply(ctx, ch)
	fails(t, err, connectors.Unsupported, "file is no place for a content")
	want(t, "requests", s.count(), 0)
}

func TestContentLimits(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusRequestEntityTooLarge) })
	c := open(t, s.URL, fmt.Sprintf(documentsPreset, "", "file", "max_mb: 1.5, types: [text/markdown]"))
	d, err := c.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(t, "limits", d.Kinds["documents"].Contents, map[string]connectors.Limits{"file": {MaxBytes: 3 << 19, Media: []string{"text/markdown"}}})
	ctx, ch := docChange("hours.md", "From 7")
	_, err = c.Apply(ctx, ch)
	fails(t, err, connectors.Rejected, "HTTP 413")
	want(t, "requests", s.count(), 1)
	large := strings.Repeat("x", 3<<19+1)
	ctx, ch = docChange("hours.md", large)
	_, err = c.Apply(ctx, ch)
	fails(t, err, connectors.Rejected, "its file was not sent: it has 1572865 bytes, and 1572864 at most are taken")
	ctx, ch = docChange("hours.exe", "From 7")
	ch.Fields["file"] = record.OfContent("d1", 6, "application/x-msdownload")
	_, err = c.Apply(ctx, ch)
	fails(t, err, connectors.Rejected, `it is of the type "application/x-msdownload", and only text/markdown are taken`)
	want(t, "requests after what is not taken", s.count(), 1)
}

func TestContentThatIsWrong(t *testing.T) {
	for text, say := range map[string]string{
		"send: multipart":                  "content.field is missing",
		"field: file, send: ftp":           `content.send is "ftp"; it is one of multipart, base64`,
		"field: file, lists: pipes":        `content.lists is "pipes"`,
		"field: file, max_mb: -1":          "content.max_mb is below 0",
		"field: file, sends: x":            `did you mean "send"?`,
		"field: file}\n    create: null #": "content needs create",
	} {
		preset := "auth: {type: none}\nkinds:\n  documents:\n    path: /documents\n    list: {items: data, paging: none}\n    create: {}\n    content: {" + text + "}\n"
		if strings.Contains(text, "create: null") {
			preset = strings.Replace(preset, "    create: {}\n", "", 1)
		}
		p, err := rest.Load("test", []byte(preset), nil)
		if err == nil {
			_, err = rest.Open(rest.Config{System: "crm", Preset: p, BaseURL: "http://localhost"})
		}
		if err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: got %v, want %q", text, err, say)
		}
	}
}

// One that failed is unfinished for good, with the reason; one that goes on may yet be.
func TestFailed(t *testing.T) {
	const finished = `    finished: {goes_on: {status: [processing]}, failed: {status: [failed]}, why: error}
`
	for item, why := range map[string]string{
		`{"id":"1","status":"ready"}`:                         "-",
		`{"id":"1","status":"processing","error":"none yet"}`: "",
		`{"id":"1","status":"Failed","error":"no text"}`:      "no text",
		`{"id":"1","status":"failed","error":null}`:           "it says that it failed, and not why",
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"data":%s}`, item) })
		c := open(t, s.URL, fmt.Sprintf(documentsPreset, "", "file", "send: multipart")+finished)
		rec, err := c.Get(t.Context(), record.Ref{Kind: "documents", ID: "1"}, connectors.Scope{})
		if err != nil {
			t.Fatal(err)
		}
		u := rec.Unfinished
		if (u == nil) != (why == "-") || u != nil && u.Failed != why || u.Hopeless() != (why != "-" && why != "") {
			t.Errorf("%s: got %+v, want failed %q", item, u, why)
		}
	}
}
