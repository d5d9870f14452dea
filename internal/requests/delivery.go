package requests

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// ErrDelivery is what is wrong with a delivery that asks for a call.
var ErrDelivery = errors.New("this asks for no call")

// idHeaders are where senders write the id of a delivery.
var idHeaders = []string{"webhook-id", "svix-id", "X-Event-Id"}

// Read reads a delivery that asks for one call: an object with a number, and the id of its
// event in the body or in a header. Without that a repetition could not be told from
// another call. The body's own counts first: who asks once more for the same may do so by
// another delivery. A bare id is none: it may be that of a contact or an order. A header
// counts where covered says that nobody could have put another id there: who caught a
// delivery could have somebody called again under a new one.
func Read(h http.Header, body []byte, covered func(header string) bool) (c Call, event string, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var o map[string]any
	if err := d.Decode(&o); err != nil || o == nil {
		return c, "", wrong("the body is no JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return c, "", wrong("the body is no JSON object")
	}
	about, ok := o["data"].(map[string]any)
	if !ok {
		about = o
	}
	own := []string{"event_id", "eventId", "delivery_id"}
	event = cmp.Or(text(o, own...), text(about, own...))
	for _, name := range idHeaders {
		if event == "" && covered(name) {
			event = h.Get(name)
		}
	}
	o = about
	c = Call{Number: text(o, "number", "to_number", "phone_number", "phone", "to"), Text: text(o, "text", "message"), By: text(o, "by", "asked_by")}
	switch {
	case event == "":
		return c, "", wrong("it names no event_id in its body, nor an id in a header that its signature covers, " +
			"so that a repetition could not be told from another call: add an event_id to the body")
	case c.Number == "":
		return c, "", wrong("it names no number")
	case !callable(c.Number):
		return c, "", wrong("its number is none")
	}
	return c, event, nil
}

type deliveryError struct{ text string }

// Error is what is wrong, without anything of the delivery.
func (e deliveryError) Error() string { return e.text }

// Is reports that it is an ErrDelivery.
func (e deliveryError) Is(target error) bool { return target == ErrDelivery }

func wrong(text string) error { return deliveryError{text} }

// text is the first text or number under one of the names.
func text(o map[string]any, names ...string) string {
	for _, name := range names {
		switch v := o[name].(type) {
		case string:
			if v = strings.TrimSpace(v); v != "" {
				return v
			}
		case json.Number:
			return v.String()
		}
	}
	return ""
}
