package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An address that other machines can reach is told from one of this machine alone.
func TestOutside27OpenAddressIsTold(t *testing.T) {
	for address, want := range map[string]bool{
		"0.0.0.0:8390": true, ":8390": true, "[::]:8390": true, "192.168.1.5:8390": true, "pms.example.com:8390": true,
		"127.0.0.1:8390": false, "127.0.0.9:8390": false, "[::1]:8390": false, "localhost:8390": false, "": false,
	} {
		if got := OpenToAll(address); got != want {
			t.Errorf("%q: got %t, want %t", address, got, want)
		}
	}
}

// check says that the numbers are open to others.
func TestOutside27OpenListenIsAWarning(t *testing.T) {
	text, err := os.ReadFile("testdata/three.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "nightporter.yaml")
	if err := os.WriteFile(file, append([]byte("listen: 0.0.0.0:8390\n"), text...), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := Load(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range cfg.Warnings {
		if strings.Contains(w.String(), "listen: 0.0.0.0:8390 answers whoever") {
			return
		}
	}
	t.Errorf("no warning says so: %v", cfg.Warnings)
}
