package doctor

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// stranger is how one kind answers a read by an id that nobody has.
type stranger struct {
	kind   string
	sure   bool
	page   bool   // a web page, which says so by its status alone
	status int    // that the preset must name; 0: it needs no words
	match  string // the words beside it
	why    string
}

// notFoundOf judges the answer of one kind.
func notFoundOf(kind string, o observation, words string) stranger {
	x := stranger{kind: kind, sure: true}
	switch gone := o.status == http.StatusNotFound || o.status == http.StatusGone; {
	case gone && o.page():
		x.page, x.status = true, o.status
		x.why = fmt.Sprintf("%s answers %s with a web page, and the same address with an id that is there does not", o.shown, o.said())
	case gone:
		x.why = fmt.Sprintf("%s answers %s", o.shown, o.said())
	case o.ok() && flagged(o):
		i := slices.IndexFunc(absent, func(w string) bool { return strings.Contains(strings.ToLower(words), w) })
		if i < 0 {
			return stranger{kind: kind, why: fmt.Sprintf("%s answers %s with false, in words that are not known", o.shown, o.said())}
		}
		x.status, x.match = o.status, absent[i]
		x.why = fmt.Sprintf("%s answers %s with false, and says: %s", o.shown, o.said(), absent[i])
	default:
		return stranger{kind: kind, why: fmt.Sprintf("%s answers %s, which could mean something else", o.shown, o.said())}
	}
	return x
}

// notFound is what the answers of all kinds say together: one key of the preset is for all.
func notFound(all []stranger) Finding {
	var status []int
	var words, why []string
	open, pages := 0, 0
	for _, x := range all {
		switch {
		case !x.sure:
			open++
			why = append([]string{x.kind + ": " + x.why}, why...)
			continue
		case x.page:
			pages++
		case x.match != "" && !slices.Contains(words, x.match):
			words = append(words, regexp.QuoteMeta(x.match))
		}
		if x.status != 0 && !slices.Contains(status, x.status) {
			status = append(status, x.status)
		}
		if text := x.why; x.status != 0 || len(all) == 1 || len(status)+len(why) == 0 {
			why = append(why, text)
		}
	}
	f := Finding{Confidence: Known, Evidence: strings.Join(why, "; ")}
	slices.Sort(status)
	switch {
	case pages > 0 && len(words) > 0:
		return Finding{Confidence: NotKnown, Evidence: f.Evidence + ": one key can't say both"}
	case len(status) > 0 && len(words) > 0:
		f.Value = map[string]any{"status": status, "match": "(?i)" + strings.Join(words, "|")}
	case len(status) > 0:
		f.Value = map[string]any{"status": status}
	}
	switch {
	case open > 0 && f.Value == nil:
		f.Confidence = NotKnown
	case open > 0:
		f.Confidence = Likely
	}
	return f
}
