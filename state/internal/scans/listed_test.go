package scans

import (
	"testing"

	"nightporter/sync/record"
)

// A stretch answers in its order, over what the list leaves out and what it has more.
func TestStretch(t *testing.T) {
	w := &stretch{}
	if err := w.fill("7,8,12", "a\x00b\x00c", "0123456789abcdef"+string(noDigest)+"ABCDEFGHIJKLMNOP"); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		id   string
		want record.Known
		ok   bool
	}{
		{"a", record.Known{Num: 7, Listed: "0123456789abcdef"}, true},
		{"new", record.Known{}, false},
		{"", record.Known{}, false},
		{"c", record.Known{Num: 12, Listed: "ABCDEFGHIJKLMNOP"}, true},
		{"b", record.Known{}, false}, // the list has gone past it
	}
	for _, tt := range tests {
		if got, ok := w.next(tt.id); got != tt.want || ok != tt.ok {
			t.Errorf("%q: got %+v, %v, want %+v, %v", tt.id, got, ok, tt.want, tt.ok)
		}
	}
}
