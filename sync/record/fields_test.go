package record

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestWithKeepsWhatIsNotShown(t *testing.T) {
	was := Fields{"a": OfText("1"), "b": OfText("2"), "c": OfText("3")}
	got := was.With(Fields{"a": Value{}, "b": Nothing(), "d": OfText("4")})
	want := Fields{"a": OfText("1"), "b": Nothing(), "c": OfText("3"), "d": OfText("4")}
	if !got.Equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !was["b"].Equal(OfText("2")) {
		t.Error("With changed what it was called on")
	}
}

func TestAgrees(t *testing.T) {
	f := Fields{"a": OfText("1"), "b": Nothing()}
	tests := []struct {
		name string
		g    Fields
		want bool
	}{
		{"nothing shown", nil, true},
		{"the same", Fields{"a": OfText("1")}, true},
		{"another", Fields{"a": OfText("2")}, false},
		{"not shown", Fields{"a": Value{}, "x": Value{}}, true},
		{"more", Fields{"x": OfText("1")}, false},
		{"null is not empty text", Fields{"b": OfText("")}, false},
	}
	for _, tt := range tests {
		if got := f.Agrees(tt.g); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
	if f.Equal(Fields{"a": OfText("1")}) || !f.Equal(Fields{"a": OfText("1"), "b": Nothing(), "c": Value{}}) {
		t.Error("Equal must ask both ways, and not for what is absent")
	}
}

// Digests stand in state files: those written here were computed by another program.
func TestDigestsAreStable(t *testing.T) {
	f := Fields{"b": OfInt(2), "a": OfText("è"), "none": Value{}, "l": OfList(OfBool(true), Nothing())}
	if got, want := f.Digest().String(), "431018c954bd4c6a46d138c9e1774277"; got != want {
		t.Errorf("digest of fields: got %s, want %s", got, want)
	}
	if got, want := DigestOf("salt", []byte("bytes")).String(), "7a6b230055676357d24f1457640540db"; got != want {
		t.Errorf("digest of bytes: got %s, want %s", got, want)
	}
	if DigestOf("salt", []byte("bytes")) == DigestOf("saltb", []byte("ytes")) {
		t.Error("the salt runs into the bytes")
	}
}

func TestDigestIgnoresOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Fields(rapid.MapOfN(rapid.String(), values(2), 0, 5).Draw(t, "fields"))
		g := Fields{}
		for _, k := range slices.Backward(slices.Sorted(maps.Keys(f))) {
			g[k] = f[k]
		}
		g["absent"] = f["absent"]
		if f.Digest() != g.Digest() {
			t.Fatal("the same fields have two digests")
		}
	})
}

func TestStored(t *testing.T) {
	key, other := []byte("key"), []byte("other")
	rapid.Check(t, func(t *rapid.T) {
		v, w := values(2).Draw(t, "v"), values(2).Draw(t, "w")
		for name, s := range map[string]Stored{"plain": Keep(v), "digest": KeepDigest(key, v)} {
			b, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			var back Stored
			if err := json.Unmarshal(b, &back); err != nil {
				t.Fatal(err)
			}
			if !back.Known() || !back.Same(key, v) {
				t.Fatalf("%s %s: what was kept is not known again", name, b)
			}
			if back.Same(key, w) != v.Equal(w) {
				t.Fatalf("%s: %v is taken for %v", name, w, v)
			}
			if back.Same(key, Value{}) {
				t.Fatalf("%s: what is not shown is taken for %v", name, v)
			}
			plain, ok := back.Plain()
			if ok != (name == "plain") || ok && !plain.Equal(v) {
				t.Fatalf("%s: got %v, %v", name, plain, ok)
			}
		}
		if KeepDigest(key, v).Same(other, v) {
			t.Fatal("a digest is the same under another key")
		}
	})
	for name, s := range map[string]Stored{"plain": Keep(Value{}), "digest": KeepDigest(key, Value{})} {
		b, err := json.Marshal(s)
		if err != nil || string(b) != "{}" {
			t.Errorf("%s absent: got %s, %v", name, b, err)
		}
		if s.Known() || !s.Same(key, Value{}) || s.Same(key, Nothing()) {
			t.Errorf("%s: absent is not kept as absent", name)
		}
	}
}

func TestBaseRoundTrip(t *testing.T) {
	f := Fields{"a": OfText("1"), "b": Nothing(), "c": Value{}}
	b, err := json.Marshal(BaseOf(f))
	if err != nil {
		t.Fatal(err)
	}
	var back Base
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, back.Fields().Names()); diff != "" || !back.Fields().Equal(f) {
		t.Errorf("got %s: %s", b, diff)
	}
}

func TestEntryLast(t *testing.T) {
	e := Entry{Base: BaseOf(Fields{"a": OfText("1"), "b": OfText("2")}), BaseVersion: "v1"}
	if got := e.Last(); !got.Equal(Fields{"a": OfText("1"), "b": OfText("2")}) || e.LastVersion() != "v1" {
		t.Errorf("in step: got %v at %s", got, e.LastVersion())
	}
	e.Seen = &Observation{Fields: Fields{"b": OfText("3")}, Version: "v2"}
	if got := e.Last(); !got.Equal(Fields{"a": OfText("1"), "b": OfText("3")}) || e.LastVersion() != "v2" {
		t.Errorf("seen: got %v at %s", got, e.LastVersion())
	}
}

func TestOpNames(t *testing.T) {
	for _, op := range []Op{Create, Update, Action, Delete} {
		if got := OpNamed(op.String()); got != op {
			t.Errorf("%s: got %v", op, got)
		}
	}
	if OpNamed("") != 0 || OpNamed("unknown") != 0 || Op(99).String() != "unknown" {
		t.Error("a name that is none gives an operation")
	}
}
