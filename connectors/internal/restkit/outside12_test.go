package restkit

import (
	"net/http"
	"testing"

	"nightporter/connectors"
)

// A web page with status 404 is a proxy's, or that of an address at which there is no API:
// it says nothing of a record, unless the preset says that it does.
func TestOutside12AWebPageIsNoAbsence(t *testing.T) {
	page := []string{"Content-Type", "text/html; charset=utf-8"}
	for name, tt := range map[string]struct {
		answer func() *http.Response
		rules  *Match
		want   connectors.ErrorClass
	}{
		"JSON":               {func() *http.Response { return answer(404, `{"error":"nobody"}`) }, nil, connectors.NotFound},
		"nothing":            {func() *http.Response { return answer(404, "") }, nil, connectors.NotFound},
		"a text":             {func() *http.Response { return answer(404, "404 page not found", "Content-Type", "text/plain") }, nil, connectors.NotFound},
		"a page":             {func() *http.Response { return answer(404, "<!doctype html><p>Oops", page...) }, nil, connectors.Malformed},
		"a page, gone":       {func() *http.Response { return answer(410, "<html>", page...) }, nil, connectors.Malformed},
		"a page that is not": {func() *http.Response { return answer(404, " <html>") }, nil, connectors.Malformed},
		"a page, as said":    {func() *http.Response { return answer(404, "<html>", page...) }, &Match{Status: []int{404}}, connectors.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{wire: func(int, *http.Request) (*http.Response, error) { return tt.answer(), nil }}
			c := client(t, "https://api.example.com", s, func(c *Config) { c.Rules.NotFound = tt.rules })
			r := Request{Op: "get contact", Goal: ReadOne, Method: http.MethodGet, URL: c.URL("/contacts/1", nil)}
			_, err := c.Do(t.Context(), r)
			if got := connectors.ClassOf(err); got != tt.want {
				t.Errorf("got %v, class %q, want %q", err, got, tt.want)
			}
		})
	}
}
