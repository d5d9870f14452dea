package record

// Reread is a field that is now read in another way than when its mapping was last agreed to.
type Reread struct {
	Was  [2]string   `json:"was"`  // how both sides read it then; empty: no base tells if it was settled since
	From [2][]string `json:"from"` // the paths that it is read from since then
}

// Anew names paths whose values the bases are to forget. If Where is empty, every base forgets them. Otherwise only
// those bases forget them that have a value for at least one path of Where.
type Anew struct{ Paths, Where []string }

// Anew returns those paths of all that the record's base is to forget.
func (e *Entry) Anew(all []Anew) (out []string) {
	for _, a := range all {
		if len(a.Where) == 0 || e.settledIn(a.Where) {
			out = append(out, a.Paths...)
		}
	}
	return out
}

// settledIn reports whether the record's base speaks for at least one of these paths.
func (e *Entry) settledIn(paths []string) bool {
	for _, p := range paths {
		if e.Base[p].Known() {
			return true
		}
	}
	return false
}
