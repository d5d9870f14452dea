package simulator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/simulator"
)

type object = map[string]any

// caller speaks to a Sim without a socket.
type caller struct {
	t      testing.TB
	client *http.Client
	base   string
	header map[string]string
}

func call(t testing.TB, s *simulator.Sim) caller {
	return caller{
		t: t, client: &http.Client{Transport: s.Transport()}, base: "http://simulator.test/external/v1",
		header: map[string]string{"Authorization": "Bearer " + simulator.DefaultKey},
	}
}

func callCRM(t testing.TB, s *simulator.Sim) caller {
	c := call(t, s)
	c.base = "http://simulator.test/api/v2"
	c.header = map[string]string{"X-Api-Key": simulator.DefaultKey}
	return c
}

func (c caller) with(name, value string) caller {
	header := map[string]string{name: value}
	for k, v := range c.header {
		if k != name {
			header[k] = v
		}
	}
	c.header = header
	return c
}

// reply is an answer with its body decoded, where it is JSON.
type reply struct {
	status int
	header http.Header
	body   object
	raw    string
}

func (c caller) try(method, path string, body any) (reply, error) {
	c.t.Helper()
	var raw []byte
	switch body := body.(type) {
	case nil:
	case string:
		raw = []byte(body)
	default:
		var err error
		if raw, err = json.Marshal(body); err != nil {
			c.t.Fatalf("marshal body: %v", err)
		}
	}
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, bytes.NewReader(raw))
	if err != nil {
		c.t.Fatalf("new request: %v", err)
	}
	for k, v := range c.header {
		req.Header.Set(k, v)
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(resp.Body); err != nil {
		return reply{}, err
	}
	r := reply{status: resp.StatusCode, header: resp.Header, raw: b.String()}
	_ = json.Unmarshal(b.Bytes(), &r.body) // what is not JSON is looked at in raw
	return r, nil
}

func (c caller) do(method, path string, body any) reply {
	c.t.Helper()
	r, err := c.try(method, path, body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

// want fails unless the answer has the status.
func (c caller) want(status int, method, path string, body any) reply {
	c.t.Helper()
	r := c.do(method, path, body)
	if r.status != status {
		c.t.Fatalf("%s %s: got status %d, want %d; body %s", method, path, r.status, status, r.raw)
	}
	return r
}

func (r reply) data() object {
	d, _ := r.body["data"].(object)
	return d
}

func (r reply) meta() object {
	m, _ := r.body["meta"].(object)
	return m
}

func (r reply) items() []object {
	list, ok := r.body["data"].([]any)
	if !ok {
		list, _ = r.body["results"].([]any)
	}
	out := make([]object, 0, len(list))
	for _, item := range list {
		out = append(out, item.(object))
	}
	return out
}

func (r reply) column(name string) []string {
	out := []string{}
	for _, item := range r.items() {
		out = append(out, fmt.Sprint(item[name]))
	}
	return out
}

// next is the cursor of the next page, "" at the end.
func (r reply) next() string {
	paging, _ := r.body["paging"].(object)
	next, _ := paging["next"].(object)
	after, _ := next["after"].(string)
	return after
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// guest is an invented contact, a different one for each n.
func guest(n int) object {
	return object{
		"first_name": fmt.Sprintf("Guest%d", n), "last_name": fmt.Sprintf("Family%03d", n%1000),
		"phone_number": fmt.Sprintf("+99910%06d", n), "email": fmt.Sprintf("guest%d@example.com", n),
	}
}

// stay is an invented reservation.
func stay(n int, from, until string) object {
	return object{
		"client_full_name": fmt.Sprintf("Guest %d", n), "client_phone_number": fmt.Sprintf("+99910%06d", n),
		"starting_date": from, "ending_date": until, "status": "CONFIRMED",
	}
}

func seeded(o simulator.Options, guests int) (*simulator.Sim, []string) {
	s := simulator.New(o)
	ids := make([]string, 0, guests)
	for n := range guests {
		ids = append(ids, s.Put("contacts", guest(n+1)))
	}
	return s, ids
}
