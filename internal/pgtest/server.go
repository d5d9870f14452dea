package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// RequireEnv names the environment variable that turns a skip for want of a
// real server into a failure, when it is set to anything.
const RequireEnv = "NIGHTPORTER_REQUIRE_REAL"

// dropWithin bounds the removal of a database, whose test's context is over.
const dropWithin = 30 * time.Second

// Server is the PostgreSQL of this test process. It may be used by tests that
// run in parallel.
type Server struct {
	cluster  *cluster
	names    atomic.Int64 // counts databases, for their names
	template func() error // makes the database that NewPMS copies, once
}

// shared is the one server of this process: a test process is the scope of a
// cluster, and nothing smaller than the process sees all of its tests.
var shared struct {
	mu     sync.Mutex
	server *Server
	err    error
}

// Start returns the server of this test process, and makes it on the first
// call. Where the server's programs are missing the test is skipped with a
// line that says what to install, or fails if RequireEnv is set. Any other
// failure fails the test.
//
// The server ends with the process, however that ends; Main also removes its
// folder, which is otherwise removed by the next process that starts one.
func Start(tb testing.TB) *Server {
	tb.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.server == nil && shared.err == nil {
		shared.server, shared.err = newServer()
	}
	switch missing := errors.Is(shared.err, errNoBinaries); {
	case shared.err == nil:
	case missing && os.Getenv(RequireEnv) == "":
		tb.Skip(shared.err)
	default:
		tb.Fatal(shared.err)
	}
	return shared.server
}

// Main runs the tests of a package and then stops the server that they may
// have started. A package calls it from its TestMain:
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
func Main(m *testing.M) (code int) {
	defer func() {
		shared.mu.Lock()
		defer shared.mu.Unlock()
		if shared.server != nil {
			shared.server.cluster.stop()
			shared.server = nil
		}
	}()
	return m.Run()
}

// newServer finds the programs and makes a cluster.
func newServer() (*Server, error) {
	bin, err := findBinaries("/usr/lib/postgresql")
	if err != nil {
		return nil, err
	}
	c, err := newCluster(bin)
	if err != nil {
		return nil, err
	}
	s := &Server{cluster: c}
	s.template = sync.OnceValue(s.makeTemplate)
	return s, nil
}

// pmsTemplate is the database that NewPMS copies.
const pmsTemplate = "pms_template"

// NewDB creates an empty database and returns its address. The database is
// dropped when the test ends, with whoever is still connected to it.
func (s *Server) NewDB(tb testing.TB) (dsn string) {
	tb.Helper()
	return s.create(tb, "template1")
}

// NewPMS is NewDB with PMSSchema in it, and no rows.
func (s *Server) NewPMS(tb testing.TB) (dsn string) {
	tb.Helper()
	if err := s.template(); err != nil {
		tb.Fatal(err)
	}
	return s.create(tb, pmsTemplate)
}

// create copies a template into a new database that lives as long as the test.
func (s *Server) create(tb testing.TB, template string) (dsn string) {
	tb.Helper()
	name := fmt.Sprintf("test_%d", s.names.Add(1))
	if err := s.exec(tb.Context(), "postgres", "create database "+name+" template "+template); err != nil {
		tb.Fatalf("create database for test: %v", err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), dropWithin)
		defer cancel()
		if err := s.exec(ctx, "postgres", "drop database "+name+" with (force)"); err != nil {
			tb.Errorf("drop database of test: %v", err)
		}
	})
	return s.cluster.dsn(name)
}

// makeTemplate creates the database that NewPMS copies. It is not bound to the
// context of the test that happens to come first.
func (s *Server) makeTemplate() error {
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	if err := s.exec(ctx, "postgres", "create database "+pmsTemplate); err != nil {
		return fmt.Errorf("create PMS template: %w", err)
	}
	if err := s.exec(ctx, pmsTemplate, PMSSchema); err != nil {
		return fmt.Errorf("create PMS schema: %w", err)
	}
	return nil
}

// exec runs statements on a connection of their own: a database that is copied
// or dropped must have nobody connected.
func (s *Server) exec(ctx context.Context, db, sql string) error {
	conn, err := pgx.Connect(ctx, s.cluster.dsn(db))
	if err != nil {
		return err
	}
	_, err = conn.PgConn().Exec(ctx, sql).ReadAll()
	return errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
}
