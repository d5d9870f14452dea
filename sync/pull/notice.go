package pull

import (
	"maps"
	"math/rand/v2"

	"nightporter/sync/record"
)

// Noticed is what the decoded rows of a pull say of the list itself. A row whose bytes are the ones last listed
// says nothing new: it is not decoded, unless Side.Decode asks for it.
type Noticed struct {
	Looked  int                // rows that were shown, decoded or not
	Showed  map[string]int     // by mapped path, how many of the rows decoded showed it
	Without map[string][]int64 // by path of Side.Watch: known entries whose rows lacked it; some twice
}

// notice counts what a decoded row shows. num is the entry of the record, or 0 if it was not known before.
func (w *walk) notice(num int64, item record.Seen) {
	if item.Problem != "" {
		return
	}
	o := item.Observation
	for path := range o.Fields {
		w.res.Showed[path]++
	}
	if num == 0 {
		return
	}
	for _, path := range w.Watch {
		if !o.Fields[path].Observed() {
			w.res.Without[path] = append(w.res.Without[path], num)
		}
	}
}

// and adds up what two scans of one pull noticed: the second scan decodes only what the first did not.
func (n Noticed) and(first Noticed) Noticed {
	out := Noticed{Looked: max(n.Looked, first.Looked), Showed: map[string]int{}, Without: map[string][]int64{}}
	maps.Copy(out.Showed, n.Showed) // a scan that could not even begin noticed nothing
	maps.Copy(out.Without, n.Without)
	for path, more := range first.Showed {
		out.Showed[path] += more
	}
	for path, nums := range first.Without {
		out.Without[path] = append(out.Without[path], nums...)
	}
	return out
}

// draw takes one of a page's known records into the sample of what was shown. Each page has the same chance.
func (w *walk) draw() {
	if len(w.known) == 0 {
		return
	}
	number := w.Draw
	if number == nil {
		number = rand.IntN // nobody gains by guessing it
	}
	i := number(len(w.known))
	if w.known[i].Num == 0 {
		return
	}
	ref := record.Ref{Kind: w.Query.Kind, ID: w.ids[i]}
	w.drawn++
	if len(w.res.Shown) < mostShown {
		w.res.Shown = append(w.res.Shown, ref)
	} else if j := number(w.drawn); j < mostShown {
		w.res.Shown[j] = ref
	}
}
