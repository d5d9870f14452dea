package record

import (
	"bytes"
	"encoding/json"
	"testing"
)

// The short way to write a text gives the bytes of encoding/json, whatever is in it.
func TestAppendText(t *testing.T) {
	texts := []string{
		"", "Rossi", "Müller Łódź", `say "hi"`, `back\slash`, "a\nb\tc", "\x00\x1f\x7f", "<b>&amp;</b>",
		"line\u2028sep\u2029", "bad\xffbyte", "\xe2\x28\xa1", "日本語", "😀", "\ufffd",
	}
	for r := range rune(0x300) {
		texts = append(texts, string(r), "x"+string(r)+"y")
	}
	for _, text := range texts {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(text); err != nil {
			t.Fatal(err)
		}
		want := string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
		if got := string(appendText(nil, text)); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
		var back Value
		if err := json.Unmarshal([]byte(want), &back); err != nil {
			t.Fatal(err)
		}
		var plain string
		if err := json.Unmarshal([]byte(want), &plain); err != nil {
			t.Fatal(err)
		}
		if back.Text() != plain || back.Type() != Text {
			t.Errorf("%s reads back as %q of type %v, want %q", want, back.Text(), back.Type(), plain)
		}
	}
	for _, bad := range []string{`"open`, `"a" "b"`, `"a"x`, `"\q"`} {
		var v Value
		if err := v.UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("%s: want an error", bad)
		}
	}
}
