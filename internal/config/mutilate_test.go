package config

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// However the lines of a configuration are cut, moved, doubled and mistyped, there
// is an answer, and it never repeats a secret that somebody wrote into the file.
func TestMutilated(t *testing.T) {
	original := strings.Split(strings.Replace(base, "file:pms.password", "hunter2", 1), "\n")
	junk := []string{"[", "}", ":", "- ", "&a ", "*a", "!!int ", "null", "true", "12", "{}", "\t", "\"", "|", "? ", "pms", ""}
	rapid.Check(t, func(t *rapid.T) {
		lines := slices.Clone(original)
		for range rapid.IntRange(1, 4).Draw(t, "edits") {
			i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
			if strings.Contains(lines[i], "hunter2") {
				continue
			}
			switch rapid.IntRange(0, 4).Draw(t, "how") {
			case 0:
				lines = slices.Delete(lines, i, i+1)
			case 1:
				lines = slices.Insert(lines, i, lines[rapid.IntRange(0, len(lines)-1).Draw(t, "from")])
			case 2:
				n := rapid.IntRange(0, len(lines[i])).Draw(t, "at")
				lines[i] = lines[i][:n] + rapid.SampledFrom(junk).Draw(t, "junk") + lines[i][n:]
			case 3:
				lines[i] = lines[i][:rapid.IntRange(0, len(lines[i])).Draw(t, "at")]
			case 4:
				lines[i] = rapid.SampledFrom([]string{" ", "  "}).Draw(t, "indent") + lines[i]
			}
			if len(lines) == 0 {
				return
			}
		}
		text := strings.Join(lines, "\n")
		c, err := Parse("config.yaml", []byte(text), nil)
		switch {
		case err == nil && strings.Contains(text, "hunter2") && !strings.Contains(text, "#"):
			t.Fatalf("accepted a secret in the file:\n%+v\n%s", c.Systems, text)
		case err != nil && strings.Contains(err.Error(), "hunter2"):
			t.Fatalf("the secret is in the error:\n%v\n%s", err, text)
		case err != nil && strings.Contains(err.Error(), "not decodable"):
			t.Fatalf("not foreseen:\n%v\n%s", err, text)
		}
	})
}
