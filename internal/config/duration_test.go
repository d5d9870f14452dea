package config

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30s": 30 * time.Second, "1h30m": 90 * time.Minute, "400d": 9600 * time.Hour, "2w": 336 * time.Hour,
		"250ms": 250 * time.Millisecond, "1d12h": 36 * time.Hour, "0s": 0,
	} {
		var d Duration
		if err := d.UnmarshalText([]byte(text)); err != nil || time.Duration(d) != want {
			t.Errorf("%s: got %s, %v; want %s", text, time.Duration(d), err, want)
		}
	}
	for _, text := range []string{"", "30", "-1s", "1.5h", "5 m", "30s1h", "5s5s", "1y", "s", "999999999w", "1h 30m", "５m"} {
		var d Duration
		if err := d.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: got %s, want an error", text, time.Duration(d))
		}
	}
}

// What is written in days, hours, minutes and seconds is read as their sum.
func TestDurationSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, h := rapid.IntRange(0, 5000).Draw(t, "d"), rapid.IntRange(0, 99).Draw(t, "h")
		s := rapid.IntRange(0, 9999).Draw(t, "s")
		var got Duration
		if err := got.UnmarshalText(fmt.Appendf(nil, "%dd%dh%ds", d, h, s)); err != nil {
			t.Fatal(err)
		}
		if want := time.Duration(d*24+h)*time.Hour + time.Duration(s)*time.Second; time.Duration(got) != want {
			t.Errorf("got %s, want %s", time.Duration(got), want)
		}
	})
}

func TestZones(t *testing.T) {
	for _, name := range []string{"Europe/Rome", "UTC", "America/Argentina/Buenos_Aires"} {
		if loc, err := loadZone(name); err != nil || loc.String() != name {
			t.Errorf("%s: got %v, %v", name, loc, err)
		}
	}
	for _, name := range []string{"", "Local", "../etc/passwd"} {
		if loc, err := loadZone(name); err == nil {
			t.Errorf("%q: got %s, want an error", name, loc)
		}
	}
}
