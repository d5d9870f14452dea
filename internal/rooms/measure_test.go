package main

import "testing"

// How the core is to be built: a room that outgrows this is hard to change.
const (
	mostLines    = 4000
	mostMethods  = 10
	mostBranches = 15
	mostUp       = 0.2 // of the calls between the files of a room
)

func TestTheCoreIsBuiltSo(t *testing.T) {
	rooms, err := Measure("../..", "./sync/...", "./state/...")
	if err != nil {
		t.Fatal(err)
	}
	if len(rooms) < 40 {
		t.Fatalf("found %d rooms", len(rooms))
	}
	for _, r := range rooms {
		if r.Lines > mostLines && r.Path != "state/statetest" { // that one is tests
			t.Errorf("%s has %d lines, more than %d", r.Path, r.Lines, mostLines)
		}
		if r.Share() > mostUp {
			t.Errorf("in %s %.0f %% of the calls between files go up, more than %.0f %%: %v", r.Path, 100*r.Share(), 100*mostUp, r.Ups)
		}
		for _, i := range r.Interfaces {
			if i.N > mostMethods {
				t.Errorf("%s: the interface %s has %d methods, more than %d", r.Path, i.Name, i.N, mostMethods)
			}
		}
		for _, f := range r.Functions {
			if f.N > mostBranches {
				t.Errorf("%s: %s has %d branches, more than %d", r.Path, f.Name, f.N, mostBranches)
			}
		}
	}
}
