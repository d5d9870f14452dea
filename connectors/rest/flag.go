package rest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"nightporter/connectors/internal/restkit"
	"nightporter/connectors/jsonx"
)

// flag is where an answer of success says that it is one, and by which words.
type flag struct {
	path    jsonx.Path // nil: no answer says so
	yes, no []string
}

// verdict is what a flag says.
type verdict uint8

const (
	unclear verdict = iota
	succeeded
	failed
)

func (c *checker) flag(e Errors) flag {
	f := flag{path: c.path("errors.ok_flag", e.OKFlag, ""), yes: e.OKIs, no: e.OKIsNot}
	if f.path == nil && len(f.yes)+len(f.no) > 0 {
		c.wrong("errors.ok_is and ok_is_not mean nothing without ok_flag: where does the word stand?")
	}
	for _, word := range f.yes {
		if slices.ContainsFunc(f.no, func(no string) bool { return strings.EqualFold(no, word) }) {
			c.wrong("errors.ok_is and ok_is_not both hold %q", word)
		}
	}
	return f
}

// says is what stands at the flag of a decoded answer. A word that nobody explained says
// nothing, and least of all that a write was done.
func (f flag) says(v any) verdict {
	text := ""
	switch v := v.(type) {
	case bool:
		text = strconv.FormatBool(v)
	case string:
		text = v
	case json.Number:
		text = v.String()
	}
	is := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, text) })
	}
	switch {
	case is(f.yes...):
		return succeeded
	case is(f.no...):
		return failed
	case is("true", "1"):
		return succeeded
	case is("false", "0"):
		return failed
	}
	return unclear
}

// flagged is what is wrong with an answer whose flag says so, nil for a success.
func (c *Conn) flagged(r restkit.Request, a *restkit.Answer, v verdict) error {
	switch v {
	case failed:
		return c.client.Refusal(r, a)
	case unclear:
		return c.client.Malformed(r, a, "name its words under errors.ok_is and errors.ok_is_not in the preset",
			"there is neither yes nor no at %q, where errors.ok_flag is", c.api.ok.path)
	case succeeded:
	}
	return nil
}
