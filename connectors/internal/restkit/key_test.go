package restkit

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors"
)

// A key that the system refuses is read again at once, and the request is sent once
// more where another is kept by then: once, reads and writes alike.
func TestKeyThatIsRefusedIsReadAgain(t *testing.T) {
	knows := func(keys ...string) func(string) bool {
		return func(key string) bool { return slices.Contains(keys, key) }
	}
	tests := map[string]struct {
		kept  []string // by request that begins, then by each look; the last one stays
		knows func(key string) bool
		want  []string // the keys that were sent
		class connectors.ErrorClass
	}{
		"replaced meanwhile":  {[]string{"old-key-1", "new-key-2"}, knows("new-key-2"), []string{"old-key-1", "new-key-2"}, ""},
		"the same as before":  {[]string{"old-key-1"}, knows(), []string{"old-key-1"}, connectors.Unauthorized},
		"both are refused":    {[]string{"old-key-1", "new-key-2"}, knows(), []string{"old-key-1", "new-key-2"}, connectors.Unauthorized},
		"another each time":   {[]string{"old-key-1", "key-2", "key-3", "key-4", "key-5", "key-6", "key-7", "key-8"}, knows(), nil, connectors.Unauthorized},
		"gone after the 401":  {[]string{"old-key-1", ""}, knows(), []string{"old-key-1"}, connectors.Unauthorized},
		"known all the while": {[]string{"old-key-1"}, knows("old-key-1"), []string{"old-key-1"}, ""},
	}
	for name, tt := range tests {
		for _, goal := range []Goal{ReadList, WriteNew} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var sent []string
					answered := 0
					s := &script{wire: func(_ int, r *http.Request) (*http.Response, error) {
						key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
						sent = append(sent, key)
						if !tt.knows(key) {
							answered++
							return answer(401, `{"error":"`+key+` is no key"}`), nil
						}
						return answer(200, "[]"), nil
					}}
					looks := 0
					c := client(t, "https://api.example.com", s, func(c *Config) {
						c.Secret = func() (string, error) {
							key := tt.kept[min(looks, len(tt.kept)-1)]
							if answered > 0 || looks == 0 || len(tt.kept) > 2 {
								looks++
							}
							if key == "" {
								return "", errors.New("no such file")
							}
							return key, nil
						}
					})
					r := read(c)
					if goal == WriteNew {
						r = write(c)
					}
					_, err := c.Do(t.Context(), r)
					if got := connectors.ClassOf(err); got != tt.class {
						t.Fatalf("class %q, want %q: %v", got, tt.class, err)
					}
					if tt.want == nil {
						if len(sent) != 2 {
							t.Errorf("sent %v: two requests at most", sent)
						}
					} else if diff := cmp.Diff(tt.want, sent); diff != "" {
						t.Errorf("keys sent (-want +got):\n%s", diff)
					}
					if err != nil && strings.Contains(err.Error(), "key-") {
						t.Errorf("the error shows a key: %v", err)
					}
				})
			})
		}
	}
}
