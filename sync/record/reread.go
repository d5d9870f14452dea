package record

// Reread is a field that is read in another way than it was when its mapping was agreed to last.
type Reread struct {
	Was  [2]string   `json:"was"`  // how both sides read it then; none where a base can't tell whether it was settled since
	From [2][]string `json:"from"` // what it is read from since
}

// Anew is paths that a base says nothing of any more. Where is what else the base must speak for,
// one of it at least; none: it is so in every base.
type Anew struct{ Paths, Where []string }

// Anew is those of paths that the record's base is to forget.
func (e *Entry) Anew(all []Anew) (out []string) {
	for _, a := range all {
		if len(a.Where) == 0 || e.settledIn(a.Where) {
			out = append(out, a.Paths...)
		}
	}
	return out
}

// settledIn reports whether the record's base speaks for one of paths.
func (e *Entry) settledIn(paths []string) bool {
	for _, p := range paths {
		if e.Base[p].Known() {
			return true
		}
	}
	return false
}
