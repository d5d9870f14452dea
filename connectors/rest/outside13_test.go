package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/rest"
	"nightporter/sync/record"
)

// saying is a kind whose every request is answered with a status and a body.
func saying(t *testing.T, keys string, status int, body string) *rest.Conn {
	t.Helper()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	})
	return open(t, s.URL, keys+listPreset("{items: data, paging: none}")+
		"    get: {path: \"/things/{id}\"}\n    create: {}\n    update: {}\n    delete: {path: \"/things/{id}\"}\n")
}

// The words that a preset gives to refusals count whatever their status is.
func TestOutside13WordsBeforeTheStatus(t *testing.T) {
	const keys = `errors:
  not_found: {status: [403, 400, 200], match: no such}
  exists: {status: [403, 409], match: taken}
  no_room: {status: [403, 409, 422], match: fully booked}
  ok_flag: ok
`
	one := record.Ref{Kind: "things", ID: "1"}
	get := func(c *rest.Conn) error { _, err := c.Get(t.Context(), one, connectors.Scope{}); return err }
	write := func(op record.Op) func(*rest.Conn) error {
		return func(c *rest.Conn) error {
			ch := record.Change{Op: op, Ref: one, Fields: record.Fields{"name": record.OfText("a")}}
			if op == record.Create {
				ch.Ref.ID = ""
			}
			_, err := c.Apply(t.Context(), ch)
			return err
		}
	}
	for name, tt := range map[string]struct {
		do     func(*rest.Conn) error
		status int
		words  string
		want   connectors.ErrorClass
	}{
		"a read of what is not there":    {get, 403, "no such thing", connectors.NotFound},
		"a change of what is not there":  {write(record.Update), 403, "no such thing", connectors.NotFound},
		"a delete of what is not there":  {write(record.Delete), 403, "no such thing", connectors.NotFound},
		"a read that is not allowed":     {get, 403, "not for you", connectors.Forbidden},
		"a create that is not allowed":   {write(record.Create), 403, "not for you", connectors.Forbidden},
		"a create of what is there":      {write(record.Create), 403, "the number is taken", connectors.Exists},
		"a create without a free room":   {write(record.Create), 409, "we are fully booked", connectors.Refused},
		"the same, with another status":  {write(record.Create), 403, "we are fully booked", connectors.Refused},
		"a status that was not named":    {write(record.Create), 400, "we are fully booked", connectors.Rejected},
		"a change is told no otherwise":  {write(record.Update), 422, "we are fully booked", connectors.Rejected},
		"a key that is not known":        {get, 401, "no such key", connectors.Unauthorized},
		"a read, and 200":                {get, 200, "no such thing", connectors.NotFound},
		"a create, and 200":              {write(record.Create), 200, "we are fully booked", connectors.Rejected},
		"a create of what is there, 200": {write(record.Create), 200, "the number is taken", connectors.Exists},
	} {
		t.Run(name, func(t *testing.T) {
			c := saying(t, keys, tt.status, fmt.Sprintf(`{"ok":false,"message":%q}`, tt.words))
			fails(t, tt.do(c), tt.want)
		})
	}
	c := saying(t, "errors: {ok_flag: ok, no_room: {status: [200], match: fully}}\n", 200, `{"ok":false,"message":"fully booked"}`)
	fails(t, write(record.Create)(c), connectors.Refused)
	c = saying(t, "errors: {no_room: {status: [409], match: fully}}\n", 409, `{"message":"fully booked"}`)
	fails(t, write(record.Create)(c), connectors.Refused)
}

// What stands at ok_flag is yes or no by words that somebody explained. Of anything else
// nobody knows what became of the write.
func TestOutside13FlagIsAText(t *testing.T) {
	const words = "errors: {ok_flag: status, ok_is: [success], ok_is_not: [fail]}\n"
	const plain = "errors: {ok_flag: status}\n"
	for name, tt := range map[string]struct {
		keys, flag  string
		write, read connectors.ErrorClass
	}{
		"a word of no":                  {words, `"fail"`, connectors.Rejected, connectors.Transient},
		"the same in capitals":          {words, `"FAIL"`, connectors.Rejected, connectors.Transient},
		"a word of yes":                 {words, `"success"`, "", ""},
		"a word that nobody explained":  {words, `"error"`, connectors.Ambiguous, connectors.Malformed},
		"a word, and none is explained": {plain, `"fail"`, connectors.Ambiguous, connectors.Malformed},
		"null":                          {plain, `null`, connectors.Ambiguous, connectors.Malformed},
		"an object":                     {plain, `{"code":1}`, connectors.Ambiguous, connectors.Malformed},
		"a number that says nothing":    {plain, `200`, connectors.Ambiguous, connectors.Malformed},
		"true as a text":                {plain, `"true"`, "", ""},
		"false as a text":               {plain, `"false"`, connectors.Rejected, connectors.Transient},
		"1":                             {plain, `1`, "", ""},
		"0":                             {plain, `0`, connectors.Rejected, connectors.Transient},
		"true":                          {words, `true`, "", ""},
		"false":                         {words, `false`, connectors.Rejected, connectors.Transient},
	} {
		t.Run(name, func(t *testing.T) {
			c := saying(t, tt.keys, 200, `{"status":`+tt.flag+`,"id":"1","data":[],"message":"no"}`)
			_, err := c.Apply(t.Context(), record.Change{
				Op: record.Create, Ref: record.Ref{Kind: "things"}, Fields: record.Fields{"name": record.OfText("a")},
			})
			fails(t, err, tt.write)
			_, err = c.Get(t.Context(), record.Ref{Kind: "things", ID: "1"}, connectors.Scope{})
			fails(t, err, tt.read)
			_, _, err = walk(t.Context(), c, things)
			fails(t, err, tt.read)
		})
	}
}

// Statuses that always mean the same, or that say nothing of a record, are no words.
func TestOutside13StatusesThatSayNothing(t *testing.T) {
	for keys, want := range map[string]string{
		"errors: {not_found: {status: [401], match: no}}\n":        "errors.not_found.status holds 401",
		"errors: {exists: {status: [429]}}\n":                      "errors.exists.status holds 429",
		"errors: {exists: {status: [403]}}\n":                      "errors.exists.match is missing",
		"errors: {no_room: {status: [503]}}\n":                     "errors.no_room.match is missing",
		"errors: {ok_is: [yes]}\n":                                 "mean nothing without ok_flag",
		"errors: {ok_flag: a, ok_is: [Done], ok_is_not: [done]}\n": `both hold "Done"`,
	} {
		_, err := rest.Load("mine", []byte(keys+small), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", keys, err, want)
		}
	}
	for list, want := range map[string]string{"401": "holds 401", "403": "a list that is refused is not an empty one"} {
		_, err := rest.Load("mine", []byte(strings.Replace(small, "items: data", "items: data\n      empty_status: ["+list+"]", 1)), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("empty_status %s: got %v", list, err)
		}
	}
}
