package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"nightporter/connectors/rest"
	"nightporter/simulator"

	"go.yaml.in/yaml/v3"
)

// What it prints is where it serves, until it is told to stop.
func TestSimulateServesUntilInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	r, w := io.Pipe()
	done := make(chan error, 1)
	c := &cli{out: w, err: io.Discard, json: true}
	go func() {
		done <- c.runSimulate(ctx, simulateFlags{listen: "127.0.0.1:0", control: "127.0.0.1:0", dialect: "platform", key: "k"})
	}()
	var where simulateJSON
	if err := json.NewDecoder(r).Decode(&where); err != nil {
		t.Fatal(err)
	}
	ask := func(method, url, body string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+where.Key)
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b)
	}
	if status, _ := ask(http.MethodPost, where.Control+"/records/contacts", `{"first_name":"Anna","phone_number":"+390550000001"}`); status != http.StatusOK {
		t.Errorf("put a record by the control address: got %d, want 200", status)
	}
	if status, body := ask(http.MethodGet, where.URL+"/external/v1/contacts", ""); status != http.StatusOK || !strings.Contains(body, "Anna") {
		t.Errorf("list by the platform's address: got %d %s, want the record", status, body)
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("interrupted: got %v, want no error", err)
	}
}

// What it prints beside the address is what a configuration must say.
func TestSimulateSaysWhatMeetsADialect(t *testing.T) {
	for _, name := range append(dialects(), "draw:7") {
		d, err := dialectOf(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if plain := name == "platform" || name == "yourang" || name == "crm"; plain != (d.override == nil) || (d.preset == "") != (name == "crm") {
			t.Errorf("%s: got preset %q and override %v", name, d.preset, d.override)
		}
		if d.preset == "" {
			continue
		}
		if _, err := rest.Load(d.preset, nil, d.override); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var out bytes.Buffer
		if err := printMet(&out, simulateJSON{Preset: d.preset, Override: d.override}); err != nil || !strings.Contains(out.String(), "preset: "+d.preset) {
			t.Errorf("%s: got %s, %v", name, out.String(), err)
		}
		var read struct {
			Preset   string
			Override map[string]any
		}
		if err := yaml.Unmarshal(out.Bytes(), &read); err != nil {
			t.Errorf("%s: what is printed can't be read: %v", name, err)
		}
		if _, err := rest.Load(read.Preset, nil, read.Override); err != nil {
			t.Errorf("%s: what is printed is no override: %v", name, err)
		}
	}
	for _, name := range []string{"", "klingon", "draw:", "draw:x", "draw:-1"} {
		if _, err := dialectOf(name); err == nil || !strings.Contains(err.Error(), "dialect") {
			t.Errorf("%q: got %v", name, err)
		}
	}
}

func TestSimulateSaysWhereItCannotListen(t *testing.T) {
	c := &cli{out: io.Discard, err: io.Discard}
	err := c.runSimulate(t.Context(), simulateFlags{listen: "127.0.0.1:0", control: "nowhere.invalid:1", dialect: "crm", key: simulator.DefaultKey})
	if err == nil || !strings.Contains(err.Error(), "nowhere.invalid:1") {
		t.Errorf("got %v, want an error that names the address", err)
	}
}

func TestVersionNamesItsParts(t *testing.T) {
	var out bytes.Buffer
	if code := run([]string{"version", "--json"}, nil, &out, io.Discard); code != exitDone {
		t.Fatalf("exit code: got %d, want 0", code)
	}
	var v versionJSON
	if err := json.Unmarshal(out.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(v.SQLite, "3.") || !strings.HasPrefix(v.Go, "go1.") {
		t.Errorf("got %+v, want the versions of SQLite and Go", v)
	}
}
