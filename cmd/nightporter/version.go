package main

import (
	"runtime"
	"runtime/debug"

	sqlite3 "github.com/mattn/go-sqlite3"
	"github.com/spf13/cobra"
)

// versionJSON is the program and what it was built of.
type versionJSON struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"` // built from a tree with changes of its own
	Go       string `json:"go"`
	SQLite   string `json:"sqlite"`
	Platform string `json:"platform"`
}

func (c *cli) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return c.printVersion() },
	}
}

// printVersion prints the program and what it was built of.
func (c *cli) printVersion() error {
	v := builtOf()
	if c.json {
		return c.printJSON(v)
	}
	line := "nightporter " + v.Version
	if v.Revision != "" {
		line += " (" + v.Revision + ")"
	}
	return tell(c.out, "%s, %s, SQLite %s, %s\n", line, v.Go, v.SQLite, v.Platform)
}

func builtOf() versionJSON {
	lib, _, _ := sqlite3.Version()
	v := versionJSON{Version: "(unknown)", Go: runtime.Version(), SQLite: lib, Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Version = info.Main.Version
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
