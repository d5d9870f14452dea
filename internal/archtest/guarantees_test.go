package archtest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var linked = regexp.MustCompile(`\[(TestF\d\d_[A-Za-z0-9_]+)\]\(\.\./([^)]+)\)`)

// Each failure that docs/guarantees.md names is shown by tests that carry its number,
// and stand where the document says.
func TestGuaranteesNameTheirTests(t *testing.T) {
	root := filepath.Join("..", "..")
	doc, err := os.ReadFile(filepath.Join(root, "docs", "guarantees.md"))
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 48; n++ {
		_, row, ok := strings.Cut(string(doc), fmt.Sprintf("\n| F%02d |", n))
		row, _, _ = strings.Cut(row, "\n")
		tests := linked.FindAllStringSubmatch(row, -1)
		if !ok || len(tests) == 0 {
			t.Errorf("F%02d: no test is named", n)
		}
		for _, m := range tests {
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m[2])))
			if err != nil || !strings.Contains(string(text), "func "+m[1]+"(") {
				t.Errorf("F%02d: %s is not in %s: %v", n, m[1], m[2], err)
			}
			if !strings.Contains(m[1], fmt.Sprintf("F%02d", n)) {
				t.Errorf("F%02d: %s carries another number", n, m[1])
			}
		}
	}
}
