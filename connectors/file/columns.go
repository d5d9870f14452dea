package file

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Candidates are the files of a folder that may hold records, by name: those whose ending
// says how they are written.
func Candidates(folder string) ([]string, error) {
	all, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("list folder: %w", err)
	}
	var out []string
	for _, e := range all {
		if e.Type().IsRegular() && formatOf(e.Name()) != "" && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, e.Name())
		}
	}
	slices.Sort(out)
	return out, nil
}

// Columns is the columns that the header of a CSV file names, before anybody knows which
// of them tell rows apart. JSON lines have no header: they give none.
func Columns(ctx context.Context, folder string, f File) ([]string, error) {
	f.Key = []string{"none"}
	f, err := f.withDefaults()
	if err != nil {
		return nil, err
	}
	if f.Format != CSV {
		return nil, nil
	}
	f.Key = nil // which is what nobody knows yet
	c := &Conn{cfg: Config{Folder: folder}}
	names, err := c.names(f)
	if err != nil {
		return nil, fmt.Errorf("read header: %w", err)
	}
	name := names[len(names)-1]
	p := &part{name: name, path: c.path(name)}
	if err := c.bytes(ctx, &kind{File: f}, p, f.MaxBytes); err != nil {
		return nil, fmt.Errorf("read header of %s: %w", name, err)
	}
	if err := p.parse(f); err != nil {
		return nil, fmt.Errorf("read header of %s: %w", name, err)
	}
	return p.header.known(), nil
}
