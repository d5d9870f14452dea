package config

import (
	_ "embed" // the list below
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // so that a zone is known on a machine without a database of them
)

// zones are the names of all time zones, for a name that is nearly right.
//
//go:embed zones.txt
var zones string

// loadZone finds a time zone. The empty name and Local would silently be this
// machine's, which is another one after a move or in a container.
func loadZone(name string) (*time.Location, error) {
	if name == "" || name == "Local" {
		return nil, errors.New("say which one, such as Europe/Rome: this machine's own may change")
	}
	loc, err := time.LoadLocation(name)
	if err == nil {
		return loc, nil
	}
	all := strings.Fields(zones)
	// People write the city alone, which no edit distance finds.
	for _, z := range all {
		if _, city, ok := strings.Cut(z, "/"); ok && strings.EqualFold(city, strings.ReplaceAll(name, " ", "_")) {
			return nil, fmt.Errorf("unknown time zone %s; did you mean %q?", shown(name), z)
		}
	}
	if n := nearest(name, all); n != "" {
		return nil, fmt.Errorf("unknown time zone %s; did you mean %q?", shown(name), n)
	}
	return nil, fmt.Errorf("unknown time zone %s: write one such as Europe/Rome", shown(name))
}
