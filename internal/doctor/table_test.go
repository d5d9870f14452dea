package doctor_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/simulator"
)

var update = flag.Bool("update", false, "write docs/doctor-dialects.md anew")

const tableHead = `# What doctor finds out about the simulator's dialects

Written by ` + "`go test ./internal/doctor -run TestTable -update`" + `; the test fails where it is not up to date, and
where anything that is found isn't right. Told is what was said to be known or likely.
What is not known stays as the preset has it: most of it only a write could tell.

| dialect | requests | keys told | of them right | not known |
|---|---|---|---|---|
`

// The table in the documentation is what doctor finds, beside what is right.
func TestTable(t *testing.T) {
	var sums, rows strings.Builder
	for _, name := range simulator.Dialects() {
		synctest.Test(t, func(t *testing.T) {
			traits, _ := simulator.TraitsOf(name)
			r, cells := check(t, open(t, traits, usual, ""), traits)
			told, right := 0, 0
			for _, c := range cells {
				if c.sure {
					told++
				}
				if c.sure && c.wrong == "" {
					right++
				}
			}
			fmt.Fprintf(&sums, "| %s | %d | %d | %d | %d |\n", name, r.Requests, told, right, len(cells)-told)
			fmt.Fprintf(&rows, "\n## %s\n\n| key | found | right |\n|---|---|---|\n", name)
			for _, c := range cells {
				fmt.Fprintf(&rows, "| `%s` | %s | %s |\n", c.key, code(c.found), code(c.right))
			}
		})
	}
	path := filepath.Join("..", "..", "docs", "doctor-dialects.md")
	text := tableHead + sums.String() + rows.String()
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != text {
		t.Errorf("%s is not up to date: run this test with -update, and look at what changed", path)
	}
}

// code is a value in a table.
func code(v string) string {
	if v == "not known" || v == "" {
		return v
	}
	return "`" + strings.ReplaceAll(v, "|", `\|`) + "`"
}
