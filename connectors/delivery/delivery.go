// Package delivery reads what systems send by webhooks: which records it names. It is a
// reading of names and places alone; what a body says of a record is never looked at.
package delivery

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Event is what one part of a delivery says.
type Event struct {
	Name     string // "contact.updated", "" where nothing names it
	Resource string // "contact": what the name says it is about
	ID       string // of the record, "" where none is named
	Delivery string // what a repetition has in common with it, "" where nothing tells one
}

// Shape is where in a delivery things stand. Of several places the first that holds a
// text or a number counts. Places are member names from the top, parted by dots;
// {resource} stands for the resource of the event.
type Shape struct {
	Name     []string // of the event
	Resource []string // what it is about, where the name doesn't begin with that
	Record   []string // the id of the record
	Header   []string // headers with the id of the delivery
	Delivery []string // the id of the delivery in the body
}

// Any reads what senders of many kinds send: thin and fat events, one or an array.
var Any = Shape{
	Name:     []string{"type", "event", "event_type", "eventType", "triggerEvent", "topic", "subscriptionType", "action"},
	Resource: []string{"resource", "resource_type", "object_type", "objectType", "entity"},
	Record: []string{
		"resource_id", "resourceId", "object_id", "objectId", "data.object.id", "data.{resource}.id", "data.{resource}_id", "data.id",
		"payload.{resource}.id", "payload.id", "{resource}.id", "{resource}_id", "record.id", "id",
	},
	Header:   []string{"webhook-id", "svix-id", "X-Event-Id"},
	Delivery: []string{"event_id", "eventId", "delivery_id", "deliveryId", "uid", "id"},
}

// mostEvents is how many events one delivery may hold.
const mostEvents = 1000

var (
	errNoJSON = errors.New("the body is no JSON object, nor an array of some")
	errMany   = fmt.Errorf("the body holds more than %d events", mostEvents)
)

// Events reads a delivery. Its body is one object or an array of objects; an empty array
// holds no event.
func (s Shape) Events(h http.Header, body []byte) ([]Event, error) {
	objects, err := objectsOf(body)
	if err != nil {
		return nil, err
	}
	out := make([]Event, 0, len(objects))
	for _, o := range objects {
		out = append(out, s.event(h, o))
	}
	return out, nil
}

// Hints is what a delivery hints at, by what kinds says a resource is, in small letters:
// an event of a kind that names no record is a hint at the whole kind. What is of no kind
// is passed over.
func (s Shape) Hints(kinds map[string]record.Kind, h http.Header, body []byte) ([]connectors.Hint, error) {
	events, err := s.Events(h, body)
	if err != nil {
		return nil, err
	}
	var out []connectors.Hint
	for _, e := range events {
		kind, ok := kinds[strings.ToLower(e.Resource)]
		if !ok {
			continue
		}
		hint := connectors.Hint{EventID: e.Delivery, Kind: kind}
		if e.ID != "" {
			hint.Ref, hint.Kind = record.Ref{Kind: kind, ID: e.ID}, ""
		}
		out = append(out, hint)
	}
	return out, nil
}

func (s Shape) event(h http.Header, o map[string]any) Event {
	var e Event
	e.Name, _ = first(o, s.Name)
	e.Resource, _ = first(o, s.Resource)
	if before, _, ok := cutName(e.Name); ok && e.Resource == "" {
		e.Resource = before
	}
	var record, delivery string
	e.ID, record = first(o, s.records(e.Resource))
	for _, name := range s.Header {
		if e.Delivery = h.Get(name); e.Delivery != "" {
			return e
		}
	}
	e.Delivery, delivery = first(o, s.Delivery)
	// A bare "id" is the record's where nothing else is; and one that says the same as the
	// record's names no delivery: the next change of the record would pass for this one.
	if delivery == record || e.Delivery == e.ID {
		e.Delivery = ""
	}
	return e
}

// cutName cuts the name of an event where its resource ends: "contact.created",
// "orders/paid", "contact_updated" is all one.
func cutName(name string) (resource, what string, ok bool) {
	i := strings.IndexAny(name, "./:")
	if i < 0 {
		i = strings.LastIndexByte(name, '_')
	}
	if i <= 0 {
		return "", "", false
	}
	return name[:i], name[i+1:], true
}

// records is the places where the id of a record of a resource may stand. The name that
// senders give to the id of a delivery is none of them, though the resource be called event.
func (s Shape) records(resource string) []string {
	var out []string
	for _, p := range s.Record {
		if strings.Contains(p, "{resource}") {
			if resource == "" {
				continue
			}
			p = strings.ReplaceAll(p, "{resource}", resource)
			if slices.Contains(s.Delivery, p) {
				continue
			}
		}
		out = append(out, p)
	}
	return out
}

// first is the first text or number that stands at one of places, and at which.
func first(o map[string]any, places []string) (value, place string) {
	for _, p := range places {
		if v := at(o, p); v != "" {
			return v, p
		}
	}
	return "", ""
}

// at is the text or number at a place, "" for none.
func at(o map[string]any, place string) string {
	var v any = o
	for name := range strings.SplitSeq(place, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return ""
		}
		v = m[name]
	}
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// objectsOf decodes a body. Numbers stay as they are spelt: an id may be longer than a
// float holds.
func objectsOf(body []byte) ([]map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, errNoJSON
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errNoJSON
	}
	switch v := v.(type) {
	case map[string]any:
		return []map[string]any{v}, nil
	case []any:
		if len(v) > mostEvents {
			return nil, errMany
		}
		out := make([]map[string]any, 0, len(v))
		for _, item := range v {
			o, ok := item.(map[string]any)
			if !ok {
				return nil, errNoJSON
			}
			out = append(out, o)
		}
		return out, nil
	}
	return nil, errNoJSON
}
