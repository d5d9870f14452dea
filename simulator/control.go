package simulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Control is an HTTP API to steer the Sim with, for a listener of its own that no
// stranger reaches: it asks for no key.
//
//	GET    /counts                      what was asked (Counts)
//	POST   /reset-counts
//	GET    /faults                      armed faults with their id and hits
//	POST   /faults                      one fault or a list: {"kind","method","path","skip","times","probability",
//	                                    "status","retry_form","retry_after","delay","limit","fields","headers",
//	                                    "applied"}, kinds as listed at FaultKind,
//	                                    durations as "1.5s"; answers their ids
//	DELETE /faults                      disarm all
//	GET    /records/{resource}          all records; POST puts one and answers its id
//	GET    /records/{resource}/{id}     one record; PATCH edits, DELETE removes it
//	POST   /snapshot, /restore          keep a backup, put it back
//	POST   /account                     {"name":...}: another account behind the same address, "" undoes it
//	POST   /writer                      a Writer; DELETE stops it
//	POST   /hook                        a Hook, which is to be told of each change from now on; DELETE forgets it
//	GET    /subscriptions               those of the API for webhooks, with their secrets
//	POST   /deliver                     tells the hook and them what was noted, and answers the statuses
//	POST   /texts                       {"transcript","summary","accepted"}: how late the texts of calls are (Texts)
//	POST   /documents                   {"processing","fail_text","max_bytes","types","no_checksum"}: how documents are taken (Documents)
//	GET    /documents/problems          titles that were without an active version, files that were uploaded twice
//	POST   /outbound                    {"hide_context","hide_id","summary"}: what of calls that are placed is shown (Outbound)
//	GET    /placed                      the calls that were placed
//	GET    /state                       every record; PUT replaces them
//	GET    /log                         requests, without bodies unless ?bodies=1
//
// Success answers 200, or 204 when there is nothing to say; errors are {"error":"text"}.
func (s *Sim) Control() http.Handler {
	mux := http.NewServeMux()
	for pattern, f := range map[string]func(*http.Request) (any, error){
		"GET /counts":                     func(*http.Request) (any, error) { return s.Counts(), nil },
		"POST /reset-counts":              quietly(s.ResetCounts),
		"GET /faults":                     func(*http.Request) (any, error) { return s.armedFaults(), nil },
		"POST /faults":                    s.controlFaults,
		"DELETE /faults":                  quietly(s.ClearFaults),
		"GET /records/{resource}":         s.controlAll,
		"POST /records/{resource}":        s.controlPut,
		"GET /records/{resource}/{id}":    s.controlGet,
		"PATCH /records/{resource}/{id}":  s.controlEdit,
		"DELETE /records/{resource}/{id}": s.controlRemove,
		"POST /snapshot":                  quietly(s.Snapshot),
		"POST /restore":                   s.controlRestore,
		"POST /account":                   s.controlAccount,
		"POST /writer":                    s.controlWriter,
		"DELETE /writer":                  quietly(func() { s.SetWriter(nil) }),
		"POST /hook":                      s.controlHook,
		"DELETE /hook":                    quietly(func() { s.SetHook(nil) }),
		"POST /deliver":                   s.controlDeliver,
		"GET /subscriptions":              func(*http.Request) (any, error) { return s.Subscriptions(), nil },
		"POST /texts":                     s.controlTexts,
		"POST /documents":                 s.controlDocuments,
		"GET /documents/problems":         func(*http.Request) (any, error) { return append([]string{}, s.DocumentProblems()...), nil },
		"POST /outbound":                  s.controlOutbound,
		"GET /placed":                     func(*http.Request) (any, error) { return s.Placed(), nil },
		"GET /state":                      func(*http.Request) (any, error) { return s.Export(), nil },
		"PUT /state":                      s.controlImport,
		"GET /log":                        s.controlLog,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { control(w, r, f) })
	}
	return mux
}

// errNoRecord is answered with 404; any other error of a control call with 400.
var errNoRecord = errors.New("no such record")

func control(w http.ResponseWriter, r *http.Request, f func(*http.Request) (any, error)) {
	v, err := f(r)
	status := http.StatusOK
	switch {
	case errors.Is(err, errNoRecord):
		status = http.StatusNotFound
	case err != nil:
		status = http.StatusBadRequest
	case v == done{}:
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if err != nil {
		v = map[string]string{"error": err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encode(v)) // a client that hung up is its own affair
}

// done is the result of a call that has nothing to say.
type done struct{}

func quietly(f func()) func(*http.Request) (any, error) {
	return func(*http.Request) (any, error) {
		f()
		return done{}, nil
	}
}

// span is a duration that JSON shows as "1.5s".
type span time.Duration

// MarshalText writes a duration as "1.5s".
func (d span) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads a duration such as "1.5s".
func (d *span) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	*d = span(v)
	return err
}

// faultJSON is the form of a Fault in the control API.
type faultJSON struct {
	ID          int               `json:"id,omitempty"`
	Hits        int               `json:"hits,omitempty"`
	Kind        FaultKind         `json:"kind"`
	Method      string            `json:"method,omitempty"`
	Path        string            `json:"path,omitempty"`
	Skip        int               `json:"skip,omitempty"`
	Times       int               `json:"times,omitempty"`
	Probability float64           `json:"probability,omitempty"`
	Status      int               `json:"status,omitempty"`
	RetryForm   RetryForm         `json:"retry_form,omitempty"`
	RetryAfter  span              `json:"retry_after,omitzero"`
	Delay       span              `json:"delay,omitzero"`
	Limit       int               `json:"limit,omitempty"`
	Fields      []string          `json:"fields,omitempty"`
	Headers     map[string]string `json:"headers,omitempty"`
	Applied     bool              `json:"applied,omitempty"`
}

func (f faultJSON) fault() Fault {
	return Fault{
		Kind: f.Kind, Method: f.Method, Path: f.Path, Skip: f.Skip, Times: f.Times, Probability: f.Probability,
		Status: f.Status, RetryForm: f.RetryForm, RetryAfter: time.Duration(f.RetryAfter),
		Delay: time.Duration(f.Delay), Limit: f.Limit, Fields: f.Fields, Headers: f.Headers, Applied: f.Applied,
	}
}

func (s *Sim) armedFaults() []faultJSON {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []faultJSON{}
	for _, f := range s.faults {
		out = append(out, faultJSON{
			ID: f.id, Hits: f.hits,
			Kind: f.Kind, Method: f.Method, Path: f.Path, Skip: f.Skip, Times: f.Times, Probability: f.Probability,
			Status: f.Status, RetryForm: f.RetryForm, RetryAfter: span(f.RetryAfter),
			Delay: span(f.Delay), Limit: f.Limit, Fields: f.Fields, Headers: f.Headers, Applied: f.Applied,
		})
	}
	return out
}

func (s *Sim) controlFaults(r *http.Request) (any, error) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("read faults: %w", err)
	}
	if !bytes.HasPrefix(bytes.TrimSpace(b), []byte("[")) {
		b = concat("[", b, "]")
	}
	var in []faultJSON
	if err := strict(b, &in); err != nil {
		return nil, fmt.Errorf("read faults: %w", err)
	}
	if len(in) == 0 {
		return nil, errors.New("read faults: there is none in the body")
	}
	for _, f := range in {
		if r, _ := f.Kind.class(); r == reachUnknown {
			return nil, fmt.Errorf("fault kind %q is unknown; there are: %v", f.Kind, FaultKinds())
		}
	}
	ids := []int{}
	for _, f := range in {
		ids = append(ids, s.AddFault(f.fault()))
	}
	return map[string][]int{"ids": ids}, nil
}

func (s *Sim) controlAll(r *http.Request) (any, error) {
	resource, err := s.resourceOf(r)
	if err != nil {
		return nil, err
	}
	return s.All(resource), nil
}

func (s *Sim) controlPut(r *http.Request) (any, error) {
	resource, err := s.resourceOf(r)
	if err != nil {
		return nil, err
	}
	record, err := readObject(r)
	if err != nil {
		return nil, err
	}
	return map[string]string{"id": s.Put(resource, record)}, nil
}

func (s *Sim) controlGet(r *http.Request) (any, error) {
	record, ok := s.Get(r.PathValue("resource"), r.PathValue("id"))
	if !ok {
		return nil, errNoRecord
	}
	return record, nil
}

func (s *Sim) controlEdit(r *http.Request) (any, error) {
	fields, err := readObject(r)
	if err != nil {
		return nil, err
	}
	if !s.Edit(r.PathValue("resource"), r.PathValue("id"), fields) {
		return nil, errNoRecord
	}
	return done{}, nil
}

func (s *Sim) controlRemove(r *http.Request) (any, error) {
	if !s.Remove(r.PathValue("resource"), r.PathValue("id")) {
		return nil, errNoRecord
	}
	return done{}, nil
}

func (s *Sim) controlRestore(*http.Request) (any, error) {
	if !s.Restore() {
		return nil, errors.New("there is no backup: POST /snapshot first")
	}
	return done{}, nil
}

func (s *Sim) controlAccount(r *http.Request) (any, error) {
	var in struct {
		Name string `json:"name"`
	}
	if err := readStrict(r, &in); err != nil {
		return nil, err
	}
	s.SwapAccount(in.Name)
	return done{}, nil
}

func (s *Sim) controlWriter(r *http.Request) (any, error) {
	var in Writer
	if err := readStrict(r, &in); err != nil {
		return nil, err
	}
	if !s.offers(in.Resource) {
		return nil, fmt.Errorf("resource %q is unknown; this simulator has %s", in.Resource, s.offered())
	}
	s.SetWriter(&in)
	return done{}, nil
}

func (s *Sim) controlHook(r *http.Request) (any, error) {
	in := Hook{Sign: s.api.traits.Sign}
	if err := readStrict(r, &in); err != nil {
		return nil, err
	}
	if in.Sign != SignTimed && in.Sign != SignBody {
		return nil, fmt.Errorf("sign %q is unknown; it is %q, or left out", in.Sign, SignBody)
	}
	s.SetHook(&in)
	return done{}, nil
}

func (s *Sim) controlDeliver(r *http.Request) (any, error) {
	statuses, err := s.Deliver(r.Context())
	return map[string][]int{"statuses": statuses}, err
}

func (s *Sim) controlImport(r *http.Request) (any, error) {
	var in State
	if err := readStrict(r, &in); err != nil {
		return nil, err
	}
	return done{}, s.Import(in)
}

func (s *Sim) controlLog(r *http.Request) (any, error) {
	log := s.Requests()
	if r.URL.Query().Get("bodies") != "1" {
		for i := range log {
			log[i].Body = ""
		}
	}
	return log, nil
}

func (s *Sim) resourceOf(r *http.Request) (string, error) {
	name := r.PathValue("resource")
	if !s.offers(name) {
		return "", fmt.Errorf("%w: resource %q is unknown; this simulator has %s", errNoRecord, name, s.offered())
	}
	return name, nil
}

func readObject(r *http.Request) (map[string]any, error) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	out, err := decodeObject(b)
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	return out, nil
}

func readStrict(r *http.Request, v any) error {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return fmt.Errorf("read body: %w", err)
	}
	if err := strict(b, v); err != nil {
		return fmt.Errorf("read body: %w", err)
	}
	return nil
}

func strict(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	return dec.Decode(v)
}
