package main

import (
	"os"
	"testing"
)

// mostStations is how many places a walk through the core may have to pass: more nobody keeps in mind.
const mostStations = 12

// The walks that the architecture tells are true: each function stands where it is said to, and is reached from those
// before it.
func TestTheWalksAreTrue(t *testing.T) {
	text, err := os.ReadFile("../../docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	walks := Walks(string(text))
	if len(walks) < 3 {
		t.Fatalf("found %d walks, want three", len(walks))
	}
	calls, err := LoadCalls("../..", "./sync/...", "./state/...")
	if err != nil {
		t.Fatal(err)
	}
	for name, walk := range walks {
		if len(walk) < 5 || len(walk) > mostStations {
			t.Errorf("%s has %d stations, want 5 to %d", name, len(walk), mostStations)
		}
		if broken := calls.Broken(walk); broken != "" {
			t.Errorf("%s: %s", name, broken)
		}
	}
}

// What is not so in a walk is found.
func TestAWalkThatIsNotSo(t *testing.T) {
	calls, err := LoadCalls("../..", "./sync/engine", "./sync/door", "./sync/apply")
	if err != nil {
		t.Fatal(err)
	}
	begin, act := Station{"sync/engine/engine.go", "Run"}, Station{"sync/door/act.go", "Act"}
	for _, tt := range []struct {
		walk []Station
		want string
	}{
		{[]Station{begin, act}, ""},
		{[]Station{act, begin}, "no station before it calls sync/engine/engine.go Run, directly or through others"},
		{[]Station{begin, {"sync/door/act.go", "Nothing"}}, "sync/door/act.go has no function Nothing"},
		{[]Station{begin, {"sync/engine/engine.go", "Act"}}, "sync/engine/engine.go has no function Act"},
	} {
		if got := calls.Broken(tt.walk); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.walk, got, tt.want)
		}
	}
}
