package journal

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// A change, and the answer to it, is read back from its columns as it was written.
func FuzzIntent(f *testing.F) {
	for _, s := range []string{
		`{"op":"create","ref":{"Kind":"guests"},"fields":{"a":"b"},"stamp":"np:1"}`, `{"op":"none","fields":null}`, `{"op":"update","before":{"a":null},"version":"7"}`, `{}`, `null`, `[]`,
	} {
		f.Add(s, `[{"field":"a","policy":"newest","before":"x","after":1}]`, `[{"a":"b"},null]`, `{"ref":{"Kind":"guests","ID":"1"},"fields":{},"at":1}`)
		f.Add(s, `null`, `[null,null]`, ``)
	}
	f.Fuzz(func(t *testing.T, what, fields, based, answer string) {
		var ch, again change
		roundTrip(t, what, &ch, &again)
		var rs, rs2 []record.FieldReason
		roundTrip(t, fields, &rs, &rs2)
		var b, b2 bases
		roundTrip(t, based, &b, &b2)
		var a, a2 receipt
		roundTrip(t, answer, &a, &a2)
	})
}

// roundTrip reads v from a column, writes it, and reads it again.
func roundTrip(t *testing.T, text string, v, again any) {
	t.Helper()
	if sqlite.Decode(text, v) != nil {
		return
	}
	kept, err := sqlite.Encode(v)
	if err == nil {
		err = sqlite.Decode(kept, again)
	}
	if diff := cmp.Diff(v, again); err != nil || diff != "" {
		t.Fatalf("%q is kept as %q (%v), and differs: %s", text, kept, err, diff)
	}
}
