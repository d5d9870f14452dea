package simulator

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"time"
)

const documentsName = "documents"

// The states of a document.
const (
	docProcessing = "processing"
	docReady      = "ready"
	docFailed     = "failed"
)

// Documents says how the knowledge base takes documents.
type Documents struct {
	Processing time.Duration // until a document is ready, or failed
	FailText   string        // a document with this in it fails; empty: none does
	MaxBytes   int64         // a larger one is answered with 413; 0: any size
	Types      []string      // another media type is answered with 415; empty: any
	NoChecksum bool          // none is shown
}

// documents is what is kept of them beside their table.
type documents struct {
	Documents
	doomed   map[string]bool   // ids of documents that will fail
	served   map[string]bool   // titles of which a version could be asked about
	ended    map[string]bool   // titles that may be without one
	renamed  map[string]string // titles, and what they are called since
	problems []string
}

// SetDocuments replaces how documents are taken from now on.
func (s *Sim) SetDocuments(d Documents) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.docs.Documents = d
}

// EndDocument says that a title may be without an active version from now on.
func (s *Sim) EndDocument(title string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.docs.ended == nil {
		s.docs.ended = map[string]bool{}
	}
	s.docs.ended[title] = true
}

// RenameDocument says that what had a title has another one from now on: it may be without
// an active version as long as the other one has one.
func (s *Sim) RenameDocument(title, now string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.docs.renamed == nil {
		s.docs.renamed = map[string]string{}
	}
	s.docs.renamed[title] = now
}

// DocumentProblems is what was wrong at any moment: a title that had an active version
// and was without one, and a file that was uploaded while it was there already.
func (s *Sim) DocumentProblems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.docs.problems)
}

// documentResource is the knowledge base.
func documentResource() *resource {
	return &resource{
		name: documentsName, segment: documentsName, one: "document", letter: "d", deletes: true,
		fields: []field{
			{name: "title", required: true, filter: true},
			{name: "description"},
			{name: "language", filter: true},
			{name: "tags", kind: listField},
			{name: "active", kind: flagField},
			{name: "file_name", readOnly: true},
			{name: "checksum", kind: refField, readOnly: true, filter: true},
			{name: "status", readOnly: true, filter: true},
			{name: "error", readOnly: true},
		},
		sortBy: func(f map[string]any) string { return textOf(f, "title") },
	}
}

// plainValue is a list of texts, or a truth value, as parts of a form may have it too.
func plainValue(f field, sent any) (any, error) {
	if f.kind == flagField {
		switch sent {
		case true, "true":
			return true, nil
		case false, "false":
			return false, nil
		}
		return nil, fmt.Errorf("%s must be true or false", f.name)
	}
	if text, ok := sent.(string); ok {
		sent = []any{text}
	}
	list, ok := sent.([]any)
	if !ok {
		return nil, fmt.Errorf("%s must be a list", f.name)
	}
	for _, e := range list {
		if _, ok := e.(string); !ok {
			return nil, fmt.Errorf("%s must be a list of texts", f.name)
		}
	}
	return list, nil
}

// maxBody is how large a body may be.
func (s *Sim) maxBody(path string) int64 {
	if s.api.traits.Uploads != UploadNone && strings.HasSuffix(path, "/"+documentsName) {
		return 64 << 20
	}
	return maxBody
}

// upload takes a new document.
func (s *Sim) upload(c *call, t *table, sh *shape) answer {
	bad := func(text string) answer { return s.refuse(problem{s.api.traits.Invalid, "invalid", text}) }
	if c.unread != nil {
		return bad("the body is too large or was cut off")
	}
	body, name, media, file, err := s.uploaded(c)
	if err != nil {
		return bad(err.Error())
	}
	switch d := s.docs; {
	case d.MaxBytes > 0 && int64(len(file)) > d.MaxBytes:
		return s.refuse(problem{http.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("the file is larger than %d bytes", d.MaxBytes)})
	case len(d.Types) > 0 && !slices.Contains(d.Types, media):
		return s.refuse(problem{http.StatusUnsupportedMediaType, "type", "files of the type " + media + " are not taken"})
	}
	fields, err := t.res.merged(s.opt.Normalise, s.api.traits, map[string]any{"active": true}, without(body, sh.ignored))
	if err != nil {
		return bad(err.Error())
	}
	sum := sha256.Sum256(file)
	digest := hex.EncodeToString(sum[:])
	s.again(t, textOf(fields, "title"), digest)
	fields["file_name"], fields["size"], fields["digest_of_file"] = name, json.Number(fmt.Sprint(len(file))), digest
	if !s.docs.NoChecksum {
		fields["checksum"] = digest
	}
	fields["status"] = docProcessing
	id := s.newID(t)
	if s.docs.FailText != "" && bytes.Contains(file, []byte(s.docs.FailText)) {
		if s.docs.doomed == nil {
			s.docs.doomed = map[string]bool{}
		}
		s.docs.doomed[id] = true
	}
	s.put(t, id, nil, fields)
	s.process(t)
	return s.written(c, http.StatusCreated, t, t.rows[id])
}

// uploaded is what a request gives: the fields, and the file.
func (s *Sim) uploaded(c *call) (body map[string]any, name, media string, file []byte, err error) {
	kind, params, err := mime.ParseMediaType(c.header.Get("Content-Type"))
	if s.api.traits.Uploads == UploadMultipart {
		if err != nil || kind != "multipart/form-data" {
			return nil, "", "", nil, fmt.Errorf("the body must be multipart/form-data")
		}
		return parts(multipart.NewReader(bytes.NewReader(c.body), params["boundary"]))
	}
	if body, err = decodeObject(c.body); err != nil {
		return nil, "", "", nil, fmt.Errorf("the body must be a JSON object")
	}
	if s.api.traits.WrapBody {
		body, _ = body["document"].(map[string]any)
	}
	file, err = base64.StdEncoding.DecodeString(textOf(body, "file"))
	if err != nil || textOf(body, "file") == "" {
		return nil, "", "", nil, fmt.Errorf("file must be base64")
	}
	return body, textOf(body, "file_name"), textOf(body, "media_type"), file, nil
}

// parts reads the parts of a form.
func parts(r *multipart.Reader) (body map[string]any, name, media string, file []byte, err error) {
	body = map[string]any{}
	for {
		p, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, "", "", nil, fmt.Errorf("the form is cut off")
		}
		b, err := io.ReadAll(p)
		if err != nil {
			return nil, "", "", nil, fmt.Errorf("the form is cut off")
		}
		if p.FileName() != "" {
			name, media, file = p.FileName(), p.Header.Get("Content-Type"), b
			continue
		}
		switch was := body[p.FormName()].(type) {
		case nil:
			body[p.FormName()] = string(b)
		case []any:
			body[p.FormName()] = append(was, string(b))
		default:
			body[p.FormName()] = []any{was, string(b)}
		}
	}
	if name == "" {
		return nil, "", "", nil, fmt.Errorf("file is required")
	}
	return body, name, media, file, nil
}

// process has documents be ready, or failed, whose time has come.
func (s *Sim) process(t *table) {
	for _, id := range slices.Sorted(maps.Keys(t.rows)) {
		r := t.rows[id]
		if textOf(r.fields, "status") != docProcessing || s.now().Before(r.created.Add(s.docs.Processing)) {
			continue
		}
		fields := maps.Clone(r.fields)
		fields["status"] = docReady
		if s.docs.doomed[id] {
			fields["status"], fields["error"] = docFailed, "the text could not be read"
		}
		s.put(t, id, r, fields)
	}
}

// again notes a file that is uploaded while it is there already.
func (s *Sim) again(t *table, title, digest string) {
	for _, r := range t.rows {
		if textOf(r.fields, "title") == title && textOf(r.fields, "digest_of_file") == digest {
			s.docs.problems = append(s.docs.problems, fmt.Sprintf("%s was uploaded twice, the same file", title))
		}
	}
}

// audit notes a title that had an active version and is without one.
func (s *Sim) audit(t *table) {
	if t.res.name != documentsName {
		return
	}
	active := map[string]bool{}
	for _, r := range t.rows {
		if textOf(r.fields, "status") == docReady && r.fields["active"] == true {
			active[textOf(r.fields, "title")] = true
		}
	}
	for title := range s.docs.served {
		if !s.docs.mayBeWithout(title, active) {
			s.docs.problems = append(s.docs.problems, fmt.Sprintf("%s was without an active version", title))
			delete(s.docs.served, title)
		}
	}
	if s.docs.served == nil {
		s.docs.served = map[string]bool{}
	}
	for title := range active {
		s.docs.served[title] = true
	}
}

// mayBeWithout reports whether nothing is wrong with a title: it is active, or may be
// without, by whatever it is called since.
func (d *documents) mayBeWithout(title string, active map[string]bool) bool {
	for ok := true; ok; title, ok = d.renamed[title] {
		if active[title] || d.ended[title] {
			return true
		}
	}
	return false
}

// overrideDocuments is what a client has to be told of documents; nil where there are none.
func (t Traits) overrideDocuments() any {
	if t.Uploads == UploadNone {
		return nil
	}
	finds := []any{map[string]any{"by": []string{"checksum"}, "params": map[string]string{"checksum": "checksum"}}}
	o := t.overrideKind("document", "/documents", documentsName, t.Body, finds)
	if t.Find == FindNot {
		o["find"] = nil
	}
	for _, kept := range []string{"created", "read_only"} {
		delete(o, kept)
	}
	o["delete"] = map[string]any{"path": "/documents/{id}"}
	if t.Uploads == UploadBase64 {
		o["content"] = map[string]any{"send": "base64", "media_field": "media_type"}
	}
	return o
}

func (s *Sim) controlDocuments(r *http.Request) (any, error) {
	var in struct {
		Processing span     `json:"processing"`
		FailText   string   `json:"fail_text"`
		MaxBytes   int64    `json:"max_bytes"`
		Types      []string `json:"types"`
		NoChecksum bool     `json:"no_checksum"`
	}
	if err := readStrict(r, &in); err != nil {
		return nil, err
	}
	if in.Processing < 0 || in.MaxBytes < 0 {
		return nil, fmt.Errorf("processing and max_bytes are not below 0")
	}
	s.SetDocuments(Documents{time.Duration(in.Processing), in.FailText, in.MaxBytes, in.Types, in.NoChecksum})
	return done{}, nil
}

// hiddenDocument reports whether a field is kept for ourselves alone.
func hiddenDocument(name string) bool { return strings.HasPrefix(name, "digest_of_") }
