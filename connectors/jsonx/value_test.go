package jsonx_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"nightporter/connectors/jsonx"
	"nightporter/sync/record"
)

func TestParsePath(t *testing.T) {
	for s, want := range map[string]jsonx.Path{
		".": {}, "a": {"a"}, "a.b": {"a", "b"}, `a\.b.c`: {"a.b", "c"}, `a\\.b`: {`a\`, "b"}, "data.*": {"data", "*"},
	} {
		got, err := jsonx.ParsePath(s)
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: got %q, %v", s, got, err)
		}
		if got.String() != s {
			t.Errorf("%s is written %s", s, got)
		}
	}
	for _, s := range []string{"", "a..b", ".a", "a.", `a\`, `a\b`} {
		if p, err := jsonx.ParsePath(s); err == nil {
			t.Errorf("%q: got %q and no error", s, p)
		}
	}
}

func TestAt(t *testing.T) {
	a, err := jsonx.Decode([]byte(`{"name":{"given":"Ann"},"address":null,"phones":[{"n":"1"}],"n":12345678901234567890}`))
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[string]struct {
		text  string
		shown bool
	}{
		"name.given": {`"Ann"`, true}, "name.family": {"", false}, "address.city": {"null", true}, "phones.0.n": {`"1"`, true},
		"phones.1.n": {"", false}, "n": {"12345678901234567890", true}, "n.x": {"", false},
	} {
		v, shown := jsonx.At(a, mustPath(t, p))
		if shown != want.shown {
			t.Errorf("%s: shown %v", p, shown)
		}
		if b, err := jsonx.Encode(v); shown && (err != nil || string(b) != want.text) {
			t.Errorf("%s: got %s, %v", p, b, err)
		}
	}
	if _, err := jsonx.Decode([]byte(`{} {}`)); err == nil {
		t.Error("two values are read as one")
	}
}

func TestFlatten(t *testing.T) {
	f, err := jsonx.Flatten(map[string]any{"a.b": "x", "name": map[string]any{"given": nil}})
	if err != nil {
		t.Fatal(err)
	}
	want := record.Fields{
		`a\.b`: record.OfText("x"), "name": record.OfMap(map[string]record.Value{"given": record.Nothing()}), "name.given": record.Nothing(),
	}
	if !f.Equal(want) {
		t.Errorf("got %v", f)
	}
}

// What is set is found, what is deleted is not.
func TestSetAndDelete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := map[string]any{"a": "text", "b": map[string]any{"c": "kept"}}
		p := jsonx.Path(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "x.y", `\`}), 1, 4).Draw(t, "path"))
		jsonx.Set(m, p, "new")
		if v, ok := jsonx.At(m, p); !ok || v != "new" {
			t.Fatalf("%s: got %v", p, v)
		}
		if q, err := jsonx.ParsePath(p.String()); err != nil || !cmp.Equal(p, q) {
			t.Fatalf("%s is read back as %q, %v", p, q, err)
		}
		jsonx.Delete(m, p)
		if v, ok := jsonx.At(m, p); ok {
			t.Fatalf("%s is still %v", p, v)
		}
	})
}

func TestPlain(t *testing.T) {
	v := record.OfMap(map[string]record.Value{
		"$content": record.OfBool(true), "l": record.OfList(record.OfInt(1), record.Nothing()), "t": record.OfText("<é>"), "gone": {},
	})
	a, err := jsonx.Plain(v)
	if err != nil {
		t.Fatal(err)
	}
	b, err := jsonx.Encode(a)
	if want := `{"$content":true,"l":[1,null],"t":"<é>"}`; err != nil || string(b) != want {
		t.Errorf("got %s, %v", b, err)
	}
	for _, v := range []record.Value{{}, record.OfContent("d", 1, "text/plain")} {
		if a, err := jsonx.Plain(v); err == nil {
			t.Errorf("%s: got %v", v.Type(), a)
		}
	}
}
