package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nightporter/internal/demo"
	"nightporter/simulator"
)

// tellDemo runs a demo whose killed process is this test's own file, which is the
// program when it is called nightporter.
func tellDemo(t *testing.T, dir string) (demo.Result, string) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	res, err := demo.Run(t.Context(), demo.Options{Dir: dir, Binary: binary, Name: "nightporter", Command: within, Out: &out})
	if err != nil {
		t.Fatalf("demo: %v\n%s", err, out.String())
	}
	return res, out.String()
}

func TestDemo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demo")
	res, story := tellDemo(t, dir)
	if res.Death != "signal: killed" || res.Open != 1 {
		t.Errorf("the killed sync: got %q with %d changes open, want signal: killed with 1", res.Death, res.Open)
	}
	if res.Writes != 0 || res.Requests == 0 {
		t.Errorf("the last sync: got %d requests of which %d wrote, want some and none", res.Requests, res.Writes)
	}
	if len(res.Checks) < 15 {
		t.Errorf("checks: got %d, want all of them", len(res.Checks))
	}
	for _, c := range res.Checks {
		if !c.Good {
			t.Errorf("%s: %s", c.Text, c.Got)
		}
	}
	for _, want := range []string{
		"15 records are found on both sides to be the same",
		"loses: bruno@desk.example.com",
		"both sides changed it, and a person decides (hold)",
		"(only platform changed it, by a step it may take; rule: rules)",
		"1 change is not settled: the next run finds out",
		"1 found done already",
		"REJECTED   not entered",
		"guests: nothing to do",
		"conflicts resolve 4 pms",
	} {
		if !strings.Contains(story, want) {
			t.Errorf("the story lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(story)
	}
	onceOnBothSides(t, dir)
	goesOn(t, dir)

	again, _ := tellDemo(t, dir) // makes it anew
	if again.Open != 1 {
		t.Errorf("told again: got %d changes open, want 1", again.Open)
	}
	_, err := demo.Run(t.Context(), demo.Options{Dir: dir, Keep: true, Command: within, Out: io.Discard})
	if _, ok := errors.AsType[*demo.DirError](err); !ok {
		t.Errorf("with Keep over an earlier demo: got %v, want a DirError", err)
	}
}

// onceOnBothSides looks for the booking that was under way in what the demo left.
func onceOnBothSides(t *testing.T, dir string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "platform.json"))
	if err != nil {
		t.Fatal(err)
	}
	var st simulator.State
	if err := json.Unmarshal(b, &st); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, r := range st[simulator.DefaultAccount]["reservations"] {
		if r["client_full_name"] == "Dora Vitale" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("bookings of Dora on the platform: got %d, want 1", n)
	}
	db, err := sql.Open("sqlite3", filepath.Join(dir, "pms.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM reservations WHERE guest_id = 28`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	if n != 1 {
		t.Errorf("bookings of Dora in the PMS: got %d, want 1", n)
	}
}

// goesOn does what the demo prints at its end: the platform is served again with
// what it held, a question is answered, and the sync does that and nothing else.
func goesOn(t *testing.T, dir string) {
	t.Helper()
	config, saved := filepath.Join(dir, "nightporter.yaml"), filepath.Join(dir, "platform.json")
	b, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	addr := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(string(b))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r, w := io.Pipe()
	done := make(chan error, 1)
	c := &cli{out: w, err: io.Discard, json: true}
	go func() {
		err := c.runSimulate(ctx, simulateFlags{
			listen: addr, control: "127.0.0.1:0", dialect: "platform", key: simulator.DefaultKey, load: saved, save: saved,
		})
		w.CloseWithError(errors.Join(err, io.EOF))
		done <- err
	}()
	if err := json.NewDecoder(r).Decode(&simulateJSON{}); err != nil {
		t.Fatalf("serve the platform again: %v", err)
	}
	for _, step := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"sync"}, exitWaits, "guests: nothing to do"},
		{[]string{"conflicts", "resolve", "4", "pms"}, exitDone, "the value of pms stays"},
		{[]string{"conflicts", "resolve", "2", "--with", "c000016"}, exitDone, "it is the same as contacts:c000016"},
		{[]string{"sync"}, exitWaits, "linked 1"},
	} {
		var out, errw bytes.Buffer
		code := within(t.Context(), append(step.args, "-c", config), &out, &errw)
		if code != step.code || !strings.Contains(out.String(), step.want) {
			t.Errorf("%s: got exit code %d and\n%s%s\nwant %d and %q", strings.Join(step.args, " "), code, out.String(), errw.String(), step.code, step.want)
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("stop the platform: %v", err)
	}
	if b, err = os.ReadFile(saved); err != nil || !bytes.Contains(b, []byte("+390550000151")) {
		t.Errorf("saved when stopped: got %v, or not the phone that was decided for", err)
	}
}

// A folder of the user's is left as it is.
func TestDemoRefusesAForeignFolder(t *testing.T) {
	for name, file := range map[string]string{"any file": "letters.txt", "a configuration": "nightporter.yaml"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, file)
			if err := os.WriteFile(path, []byte("time_zone: Europe/Rome\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := demo.Run(t.Context(), demo.Options{Dir: dir, Command: within, Out: io.Discard})
			if _, ok := errors.AsType[*demo.DirError](err); !ok || !strings.Contains(err.Error(), "--dir") {
				t.Errorf("got %v, want a DirError that names --dir", err)
			}
			left, err := os.ReadDir(dir)
			if err != nil || len(left) != 1 {
				t.Errorf("left in the folder: %v (%v), want the one file", left, err)
			}
		})
	}
}

func TestSimulateRefusesWhatItNeverSaved(t *testing.T) {
	file := filepath.Join(t.TempDir(), "records.json")
	for _, text := range []string{"not JSON", `{"main":{"rooms":[]}}`} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := loadRecords(simulator.New(simulator.Options{}), file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("load %s: got %v, want an error that names the file", text, err)
		}
	}
}
