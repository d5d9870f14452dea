package archtest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var linkedOutside = regexp.MustCompile(`\[(TestOutside\d\d[A-Za-z0-9_]+)\]\(\.\./([^)]+)\)`)

// Each fault that docs/outside.md lists names the tests that hold it, or says that it is
// still open. A named test carries the fault's number and stands where the page says.
func TestOutsideNamesItsTests(t *testing.T) {
	root := filepath.Join("..", "..")
	doc, err := os.ReadFile(filepath.Join(root, "docs", "outside.md"))
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 38; n++ {
		_, part, ok := strings.Cut(string(doc), fmt.Sprintf("\n## %02d ", n))
		part, _, _ = strings.Cut(part, "\n## ")
		tests := linkedOutside.FindAllStringSubmatch(part, -1)
		if !ok || len(tests) == 0 && !strings.Contains(part, "\n- open") {
			t.Errorf("%02d: no test is named, and it is not said to be open", n)
		}
		for _, m := range tests {
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m[2])))
			if err != nil || !strings.Contains(string(text), "func "+m[1]+"(") {
				t.Errorf("%02d: %s is not in %s: %v", n, m[1], m[2], err)
			}
			if !strings.HasPrefix(m[1], fmt.Sprintf("TestOutside%02d", n)) {
				t.Errorf("%02d: %s carries another number", n, m[1])
			}
		}
	}
}
