package record

import "testing"

// A version vouches for the paths that a read showed with it, and for no others.
func TestOutside01VersionVouchesForWhatItShowed(t *testing.T) {
	shown := Observation{Version: "2", Fields: Fields{"name": OfText("Ada"), "mail": OfText("a@example.com")}}
	for _, c := range []struct {
		name     string
		vouching *Vouching
		version  Version
		paths    []string
		want     bool
	}{
		{"all was shown", nil, "2", []string{"name", "mail"}, true},
		{"an older version", nil, "1", []string{"name"}, false},
		{"no version", nil, "", []string{"name"}, false},
		{"a path was never shown", nil, "2", []string{"name", "note"}, false},
		{"a path was shown before alone", &Vouching{Unshown: []string{"mail"}}, "2", []string{"name", "mail"}, false},
		{"another was", &Vouching{Unshown: []string{"mail"}}, "2", []string{"name"}, true},
		{"nobody knows which was shown", &Vouching{Unshown: []string{AllPaths}}, "2", []string{"name"}, false},
	} {
		e := Entry{Seen: &shown, Vouching: c.vouching}
		if got := e.Vouches(c.version, c.paths); got != c.want {
			t.Errorf("%s: vouches %t, want %t", c.name, got, c.want)
		}
	}
}
