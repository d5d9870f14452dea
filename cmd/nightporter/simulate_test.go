package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"nightporter/simulator"
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
