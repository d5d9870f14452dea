package rest

import (
	"net/http"
	"strings"

	"nightporter/connectors"
	"nightporter/connectors/delivery"
	"nightporter/sync/record"
)

// notified is the kinds of a preset that its webhooks tell of.
func notified(p Preset) map[string]record.Kind {
	out := map[string]record.Kind{}
	for name, kind := range p.Webhooks.Kinds {
		if _, ok := p.Kinds[kind]; ok {
			out[strings.ToLower(name)] = record.Kind(kind)
		}
	}
	return out
}

// Notified reads a delivery as most senders shape one. What stands elsewhere is named in
// the configuration, and read by whoever receives it.
func (c *Conn) Notified(h http.Header, body []byte) ([]connectors.Hint, error) {
	if len(c.api.notified) == 0 {
		return nil, connectors.Wrong(connectors.Unsupported, "read a webhook", "the preset does not say what its events are about (webhooks.kinds)")
	}
	hints, err := delivery.Any.Hints(c.api.notified, h, body)
	if err != nil {
		return nil, connectors.Wrong(connectors.Malformed, "read a webhook", "%w", err)
	}
	return hints, nil
}
