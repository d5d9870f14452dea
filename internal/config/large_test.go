package config

import (
	"fmt"
	"strings"
	"testing"
)

// A file that is no configuration, however large, wide, deep or full of references to
// itself, is told as one mistake with its line, and at once: what takes longer with
// every key was measured to take minutes for the widest.
func TestWhatIsNoConfiguration(t *testing.T) {
	wide := func(head, line string) string {
		var b strings.Builder
		b.WriteString(head)
		for i := range maxWidth + 1 {
			fmt.Fprintf(&b, line, i)
		}
		return b.String()
	}
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("%[1]c: &%[1]c [*%[2]c,*%[2]c,*%[2]c,*%[2]c,*%[2]c,*%[2]c,*%[2]c,*%[2]c,*%[2]c]\n", c, c-1)
	}
	for name, tt := range map[string]struct {
		text, want string
		line       int
	}{
		"too large":          {strings.Repeat("a: b\n", maxSize/4), "larger than 1 MB", 0},
		"keys":               {wide("", "a%d: 1\n"), "more than 1000 keys", 1},
		"keys of a job":      {wide(base, "    x%d: y\n"), "more than 1000 keys", 22},
		"systems":            {wide("systems:\n", "  x%d: {}\n"), "more than 1000 keys", 2},
		"a list":             {"jobs:\n  a:\n    match: [" + strings.Repeat("a,", maxWidth) + "a]\n", "more than 1000 keys or values", 3},
		"brackets":           {strings.Repeat("[", 1<<19), unreadable, 0},
		"keys of nothing":    {strings.Repeat("? ", 1<<18), unreadable, 0},
		"references to many": {bomb, "a: unknown key", 1},
	} {
		_, err := Parse("config.yaml", []byte(tt.text), nil)
		where := "config.yaml: "
		if tt.line > 0 {
			where = fmt.Sprintf("config.yaml:%d: ", tt.line)
		}
		if err == nil || !strings.Contains(err.Error(), where+tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, where+tt.want)
		}
	}
	if _, err := Parse("config.yaml", []byte(strings.Replace(base, "private: [notes]", "private: ["+strings.Repeat("a, ", maxWidth-1)+"a]", 1)), nil); err != nil &&
		strings.Contains(err.Error(), "more than") {
		t.Errorf("a list of %d: %v", maxWidth, err)
	}
}
