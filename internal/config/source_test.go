package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Systems alone are read without jobs, tables and clock, and what is wrong in them is
// named all the same.
func TestLoadSystems(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bare.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("systems:\n  pms: { type: sqlite, address: pms.db } # the desk's\n  drop:\n    type: file\n    folder: in\n")
	cfg, err := LoadSystems(path, nil)
	if err != nil || len(cfg.Systems) != 2 || len(cfg.Jobs) != 0 || cfg.TimeZone != nil {
		t.Fatalf("got %+v, %v", cfg, err)
	}
	if _, err := Load(path, nil); err == nil || !strings.Contains(err.Error(), "which tables hold the records") {
		t.Errorf("for a run it is not enough: %v", err)
	}
	if diff := cmp.Diff("pms:\n  type: sqlite\n  address: pms.db\n", cfg.Source("systems", "pms")); diff != "" {
		t.Errorf("the source of pms (-want +got):\n%s", diff)
	}
	if !cfg.Has("systems") || cfg.Has("jobs") || cfg.Source("jobs") != "" || cfg.SourceWithout("systems") != "" {
		t.Errorf("what stands in the file: %t, %t, %q, %q", cfg.Has("systems"), cfg.Has("jobs"), cfg.Source("jobs"), cfg.SourceWithout("systems"))
	}
	write("settle: 1m # quick\nsystems:\n  pms: { type: sqlit, address: pms.db }\njobs:\n  a: { knd: x }\n")
	if _, err = LoadSystems(path, nil); err == nil || !strings.Contains(err.Error(), `"sqlit" is not one of`) || !strings.Contains(err.Error(), "knd") {
		t.Errorf("mistakes: %v", err)
	}
	write("settle: 1m # quick\nsystems:\n  pms: { type: sqlite, address: pms.db }\n")
	if cfg, err = LoadSystems(path, nil); err != nil || cfg.SourceWithout("systems") != "settle: 1m # quick\n" {
		t.Errorf("the rest of the file: %q, %v", cfg.SourceWithout("systems"), err)
	}
	if _, err := LoadSystems(filepath.Join(t.TempDir(), "none.yaml"), nil); err == nil || !strings.Contains(err.Error(), "read config") {
		t.Errorf("no file: %v", err)
	}
}
