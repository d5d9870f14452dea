package main

import (
	"testing"

	"nightporter/sync/record"
)

func TestShortIDs(t *testing.T) {
	ids := []string{"01M7YEFPTKGEQ96B2CJTE6MHQS", "01M7YEFPTKGEQ96B2CJTF6MHQS", "01M7YEFPTKGEQ96B2CJK123456", "01M7YEFPTKGEQ96B2CJK7ABCDE"}
	var all []record.Intent
	for _, id := range ids {
		all = append(all, record.Intent{ID: id})
	}
	for i, want := range []string{"E6MHQS", "F6MHQS", "K123456", "7ABCDE"} {
		if got := shortOf(ids[i], all); got != want {
			t.Errorf("%s: got %s, want %s: the end that no other has, with a letter", ids[i], got, want)
		}
	}
	if got := shortOf(ids[0], nil); got != ids[0] {
		t.Errorf("got %s for a change that is not lost any more, want all of its id", got)
	}
	tests := []struct {
		text, want string
		wrong      bool
	}{
		{"E6MHQS", ids[0], false},
		{"e6mhqs", ids[0], false},
		{ids[2], ids[2], false},
		{"123456", ids[2], false},
		{"6MHQS", "", false},
		{"NOBODY", "", false},
		{"", "", false},
	}
	for _, tt := range tests {
		in, ok, err := lostNumber(all, tt.text)
		if in.ID != tt.want || ok != (tt.want != "") || err != nil {
			t.Errorf("%q: got %s, %t, %v, want %q", tt.text, in.ID, ok, err, tt.want)
		}
	}
	all = append(all, record.Intent{ID: "01M7YEFPTKGEQ96B2CKTE6MHQS"})
	if in, ok, err := lostNumber(all, "E6MHQS"); ok || err == nil {
		t.Errorf("got %s for what two changes end in, want to be asked for more", in.ID)
	}
}
