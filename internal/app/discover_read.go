package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"nightporter/connectors"
	"nightporter/connectors/file"
	"nightporter/connectors/sql"
	"nightporter/internal/config"
	"nightporter/internal/discover"
	"nightporter/sync/record"
)

// read takes the samples of a system. A kind that can't be read is noted, and left out.
func (d *discovering) read(ctx context.Context, s *seen) error {
	conn, sent, err := d.open(ctx, s, len(s.kinds)*MostPages)
	if err != nil {
		return err
	}
	defer conn.Close()
	read := false
	for _, k := range s.kinds {
		if err := d.sample(ctx, conn, s, k); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if connectors.ClassOf(err) == connectors.Unauthorized { // so would the others be answered, until the key is locked out
				return err
			}
			d.note("%s of %s could not be read: %s", k.sample.Kind, s.sys.Name, err)
			continue
		}
		read, k.read = true, true
	}
	if s.sys.REST != nil {
		d.out.Requests[s.sys.Name] = int(sent.Load())
	}
	if !read {
		return errors.New("nothing of it could be read")
	}
	return nil
}

// sample reads the records of a kind, as many as are read at most.
func (d *discovering) sample(ctx context.Context, conn connectors.Connector, s *seen, k *seenKind) error {
	q := connectors.Query{Kind: record.Kind(k.sample.Kind)}
	if s.sys.SQL != nil {
		if len(k.key) == 0 {
			return fmt.Errorf("nothing tells its rows apart: name the columns that do under tables")
		}
		q.Fields = k.table.Columns
	}
	after, unread := record.Cursor(""), 0
	for n := 1; ; n++ {
		page, err := conn.Fetch(ctx, q, after)
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			rec, err := page.Read(item)
			if err != nil {
				unread++
				continue
			}
			k.sample.Rows = append(k.sample.Rows, discover.Row{ID: rec.Ref.ID, Fields: rec.Fields})
		}
		switch {
		case page.End:
			k.sample.Whole = unread == 0 && page.Flaw == ""
		case s.sys.REST != nil && n == MostPages, len(k.sample.Rows) >= MostRows:
		default:
			after = page.Next
			continue
		}
		break
	}
	if unread > 0 {
		d.note("%s of %s: %d records could not be read, and were passed over", k.sample.Kind, s.sys.Name, unread)
	}
	if s.sys.Files != nil && len(k.key) == 0 {
		if column, why := discover.TellsApart(k.sample); column != "" {
			k.key, k.keyWhy = []string{column}, "likely: "+why
		}
	}
	return nil
}

// open opens a system for reading. Of an API sent counts the requests, of which there are so
// many at most.
func (d *discovering) open(ctx context.Context, s *seen, most int) (connectors.Connector, *atomic.Int64, error) {
	a := &App{Config: &config.Config{TimeZone: d.cfg.TimeZone, Systems: d.cfg.Systems}, log: d.o.Log}
	sent := &atomic.Int64{}
	switch {
	case s.sys.REST != nil:
		rt, err := transportTo(s.sys, d.o.Transport)
		if err != nil {
			return nil, nil, err
		}
		conn, err := a.openREST(s.sys, bounded{rt, sent, int64(most)}, nil)
		return conn, sent, err
	case s.sys.SQL != nil:
		cfg, err := d.sqlConfig(s.sys)
		if err != nil {
			return nil, nil, err
		}
		for _, k := range s.kinds {
			if !k.listed && len(k.key) > 0 {
				cfg.Tables[record.Kind(k.sample.Kind)] = sql.Table{Table: k.table.Name, Key: k.key}
			}
		}
		conn, err := sql.Open(ctx, cfg)
		return conn, sent, err
	}
	cfg := file.Config{Folder: s.sys.Files.Folder, Files: map[record.Kind]file.File{}}
	for _, k := range s.kinds {
		if len(k.file.Key) > 0 {
			cfg.Files[record.Kind(k.sample.Kind)] = k.file
		}
	}
	conn, err := file.Open(cfg)
	return conn, sent, err
}

// sqlConfig is how a database is reached, with the tables that the configuration has.
func (d *discovering) sqlConfig(sys config.System) (sql.Config, error) {
	a := &App{Config: &config.Config{TimeZone: d.cfg.TimeZone}}
	return a.sqlConfig(sys)
}

// bounded sends no more than so many requests, and only those that change nothing.
type bounded struct {
	under http.RoundTripper
	sent  *atomic.Int64
	most  int64
}

// RoundTrip passes a request on, or refuses it.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet {
		return nil, fmt.Errorf("%s is not sent: discover only reads", r.Method)
	}
	if b.sent.Add(1) > b.most {
		b.sent.Add(-1)
		return nil, fmt.Errorf("the %d requests that were said are sent", b.most)
	}
	return b.under.RoundTrip(r)
}
