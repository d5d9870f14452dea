package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"nightporter/sync/record"
)

// most is how many of a kind are printed unless all are asked for.
const most = 20

// printJSON writes v as indented JSON.
func (c *cli) printJSON(v any) error {
	e := json.NewEncoder(c.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// say writes a line about the data to stderr.
func (c *cli) say(format string, args ...any) {
	show(c.err, "nightporter: "+format+"\n", args...)
}

// count is a number with its word: "1 record", "2 records".
func count[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// wall is the clock on the house's wall, once a configuration was read.
var wall atomic.Pointer[time.Location] //nolint:gochecknoglobals // a process has one configuration, and whatever it prints is meant by it

// hang has all times told by the clock of a house, where it says which that is.
func hang(zone *time.Location) {
	if zone != nil {
		wall.Store(zone)
	}
}

// clock is the house's, or this machine's where no house is known.
func clock() *time.Location {
	if zone := wall.Load(); zone != nil {
		return zone
	}
	return time.Local //nolint:gosmopolitan // the house has said nothing else
}

// moment is a point in time on the house's clock, with its zone, "" for none.
func moment(t time.Time) string { return record.Moment(t, clock()) }

// date is the day of a point in time on the house's clock.
func date(t time.Time) string { return t.In(clock()).Format(time.DateOnly) }

// tableOf prints rows under a header, without lines around them.
func tableOf(w io.Writer, header []string, rows [][]string) {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = 0
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	t.AppendHeader(cells(header))
	for _, r := range rows {
		t.AppendRow(cells(r))
	}
	t.Render()
}

func cells(texts []string) table.Row {
	r := make(table.Row, len(texts))
	for i, s := range texts {
		r[i] = oneLine(s)
	}
	return r
}

// list is "a", "a and b", "a, b and c".
func list(parts []string) string {
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return parts[0]
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}
