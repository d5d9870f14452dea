package config

import (
	"strings"
	"time"
)

// What counts of a subscription where the file says nothing.
const (
	defaultRotate    = 90 * 24 * time.Hour
	defaultOverlap   = 24 * time.Hour
	defaultSubscribe = 10 * time.Minute
)

// usualEvents is the word for the events that the preset names.
const usualEvents = "usual"

// subscribe reads how we have a system call us.
func (b *builder) subscribe(r *rawWebhooks, at []string) *Subscribe {
	if r.Subscribe == nil {
		return nil
	}
	raw, path := r.Subscribe, under(at, "subscribe")
	s := &Subscribe{
		Line: b.all.line(path...), Rotate: orDuration(raw.Rotate, defaultRotate), Overlap: orDuration(raw.Overlap, defaultOverlap),
		Check: orDuration(raw.Check, defaultSubscribe),
	}
	if len(raw.Events) == 0 {
		b.missing(under(path, "events"), "missing: what the system shall tell, in its own words, or %s for what its preset names", usualEvents)
	}
	for _, e := range raw.Events {
		switch {
		case e == usualEvents && len(raw.Events) == 1:
		case e == usualEvents:
			b.bad(under(path, "events"), "%s stands for all that the preset names, and alone", usualEvents)
		case strings.TrimSpace(e) != e || e == "":
			b.bad(under(path, "events"), "%s is no name of an event", shown(e))
		default:
			s.Events = append(s.Events, e)
		}
	}
	if r.PublicURL == "" {
		b.missing(under(at, "public_url"), "missing: the address at which the system shall call us, such as https://hotel.example.com/hooks/%s", at[1])
	}
	if s.Rotate > 0 && s.Rotate <= s.Overlap {
		b.bad(under(path, "rotate"), "must be longer than overlap (%s): each secret counts that long beside the next", s.Overlap)
	}
	if s.Check < time.Second {
		b.bad(under(path, "check"), "must be 1s or more: each look costs a request")
	}
	if typ := b.all.value("systems", at[1], "type"); typ != nil && typ.Value != string(TypeREST) {
		b.bad(path, "only a system with an API can be told where to call: delete it")
	}
	return s
}
