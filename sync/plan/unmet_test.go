package plan

import (
	"testing"

	"nightporter/sync/record"
)

// A field that a side shows for the first time gets no base while the other side holds what is
// known by its digest alone, and shows nothing of it: the two were never compared.
func TestAFieldThatNeverMetGetsNoBase(t *testing.T) {
	key := []byte("0123456789abcdef0123456789abcdef")
	for name, tt := range map[string]struct {
		first bool // the left shows it for the first time
		shown bool // the right shows it
		based bool // the left's base gets what it shows
	}{
		"both show it, the left for the first time":      {first: true, shown: true, based: true},
		"the right shows nothing of it":                  {first: true},
		"the left was compared, the right shows nothing": {based: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := requestsForTests(t, Kind{NoUpdate: true})
			c := settledCase(r)
			for s := range c.Sides {
				x := &c.Sides[s]
				path := [2]string{"details", "remark"}[s]
				x.Key = key
				x.Native, x.Base = x.Native.With(texts(path, "quiet")), x.Native.With(texts(path, "quiet"))
				readInto(r, &c, record.Side(s))
				x.Settled["note"] = record.KeepDigest(key, record.OfText("quiet"))
			}
			left, right := &c.Sides[record.Left], &c.Sides[record.Right]
			delete(left.Base, "details")
			if tt.first {
				delete(left.Settled, "note")
			}
			if !tt.shown {
				delete(right.Now, "note")
				delete(right.Native, "remark")
			}
			_, based := Pair(r, c).Adopt[record.Left]["details"]
			if based != tt.based {
				t.Errorf("the left's base gets it: %t, want %t", based, tt.based)
			}
		})
	}
}
