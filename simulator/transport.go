package simulator

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// ErrDropped is what a request through Transport fails with when the connection was
// dropped.
var ErrDropped = errors.New("connection dropped by the simulator")

// Transport serves requests in the caller's goroutine, without a socket, whatever
// host they name. It is for clients in a testing/synctest bubble.
func (s *Sim) Transport() http.RoundTripper { return transport{s} }

type transport struct{ sim *Sim }

// RoundTrip serves one request.
func (t transport) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }()
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := &recorder{header: http.Header{}}
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			resp, err = nil, ErrDropped
			if r.Context().Err() != nil {
				err = r.Context().Err()
			}
		default:
			panic(p)
		}
	}()
	t.sim.ServeHTTP(w, r)
	return &http.Response{
		Status: fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}, nil
}

// recorder is a ResponseWriter that can't be hijacked.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }
