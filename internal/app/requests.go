package app

import (
	"context"
	"errors"
	"net/http"
	"time"

	"nightporter/internal/config"
	"nightporter/internal/requests"
	"nightporter/internal/webhook"
)

// makeRequests makes the file of what is asked for where there is none.
func makeRequests(ctx context.Context, sys config.System) error {
	s, err := requests.Open(ctx, sys.SQL.Address)
	if err != nil {
		return err
	}
	return s.Close()
}

// asks keeps what a delivery to a system of type requests asks for: the one kind of system
// of which a body is what is wanted, and no hint at a record that is kept elsewhere.
func asks(sys config.System) func(context.Context, http.Header, []byte, time.Time) (string, error) {
	return func(ctx context.Context, h http.Header, body []byte, now time.Time) (string, error) {
		c, event, err := requests.Read(h, body, sys.Webhooks.Signature.CoversID)
		if err != nil {
			return "", webhook.MalformedError(err.Error())
		}
		s, err := requests.Open(ctx, sys.SQL.Address)
		if err != nil {
			return "", err
		}
		c.At = now
		id, _, err := s.Add(ctx, c, event)
		closed := s.Close()
		if errors.Is(err, requests.ErrOther) {
			return "", webhook.MalformedError(err.Error())
		}
		return id, errors.Join(err, closed)
	}
}
