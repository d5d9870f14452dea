package pgtest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// superuser is the cluster's only role.
const superuser = "nightporter"

// startWithin is how long a cluster may take to answer, on a busy machine.
const startWithin = time.Minute

// cluster is one private PostgreSQL: a folder and a process.
type cluster struct {
	dir      string   // holds everything, gone after stop
	lock     *os.File // held while this process lives
	password string
	port     int

	quit   chan struct{} // closed to stop the server
	exited chan struct{} // closed when it is gone
}

// settings trade durability, which no test asks of this server, for speed. The
// time zone is a hotel's, not UTC: a date that passes through UTC shows.
const settings = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
synchronous_commit = off
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
shared_buffers = 64MB
max_connections = 100
timezone = 'Europe/Rome'
log_timezone = 'UTC'
`

// newCluster makes a cluster with the programs in bin and waits until it
// answers.
func newCluster(bin string) (*cluster, error) {
	who, err := findOwner()
	if err != nil {
		return nil, err
	}
	c := &cluster{password: rand.Text()}
	if err := c.makeDir(who); err != nil {
		c.remove()
		return nil, err
	}
	if err := c.initdb(bin, who); err != nil {
		c.remove()
		return nil, err
	}
	// Between the search for a free port and its use another may take it.
	for try := 1; ; try++ {
		err := c.start(bin, who)
		if err == nil {
			return c, nil
		}
		if try == 3 {
			c.remove()
			return nil, err
		}
	}
}

// dirPrefix begins the name of every cluster's folder.
const dirPrefix = "nightporter-pg-"

// makeDir creates the cluster's folder with its lock already held, so that no
// sweep of another process takes it for an abandoned one.
func (c *cluster) makeDir(who owner) error {
	sweep(who.base())
	dir, err := os.MkdirTemp(who.base(), "new-"+dirPrefix)
	if err != nil {
		return fmt.Errorf("make folder for PostgreSQL: %w", err)
	}
	c.dir = dir
	if c.lock, err = os.Create(filepath.Join(dir, "lock")); err != nil {
		return fmt.Errorf("make folder for PostgreSQL: %w", err)
	}
	lock(c.lock)
	final := filepath.Join(filepath.Dir(dir), filepath.Base(dir)[len("new-"):])
	if err := os.Rename(dir, final); err != nil {
		return fmt.Errorf("make folder for PostgreSQL: %w", err)
	}
	c.dir = final
	if err := who.give(final); err != nil {
		return fmt.Errorf("make folder for PostgreSQL: %w", err)
	}
	return nil
}

// sweep removes the folders of clusters whose test process was killed before
// it could.
func sweep(tmp string) {
	dirs, err := filepath.Glob(filepath.Join(tmp, dirPrefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		f, err := os.Open(filepath.Join(dir, "lock"))
		if err != nil {
			continue
		}
		if lock(f) {
			os.RemoveAll(dir)
		}
		f.Close()
	}
}

// data is PostgreSQL's own folder.
func (c *cluster) data() string { return filepath.Join(c.dir, "data") }

// initdb fills the data folder.
func (c *cluster) initdb(bin string, who owner) error {
	secret := filepath.Join(c.dir, "password")
	if err := os.WriteFile(secret, []byte(c.password), 0o600); err != nil {
		return fmt.Errorf("prepare PostgreSQL: %w", err)
	}
	if err := who.give(secret); err != nil {
		return fmt.Errorf("prepare PostgreSQL: %w", err)
	}
	// The thread must outlive the program, whose end it would otherwise be.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D", c.data(), "-U", superuser,
		"--pwfile="+secret, "-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions")
	cmd.Dir = c.dir
	cmd.SysProcAttr = who.attr()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb in %s (TMPDIR moves that folder): %w\n%s", c.dir, err, out)
	}
	conf, err := os.OpenFile(filepath.Join(c.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("configure PostgreSQL: %w", err)
	}
	_, err = conf.WriteString(settings)
	if err := errors.Join(err, conf.Close()); err != nil {
		return fmt.Errorf("configure PostgreSQL: %w", err)
	}
	return nil
}

// start runs the server on a free port and returns when it answers.
func (c *cluster) start(bin string, who owner) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	c.port = port
	logfile, err := os.Create(filepath.Join(c.dir, "log"))
	if err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	defer logfile.Close()
	// The server outlives the test that starts it: no context ends it.
	cmd := exec.CommandContext(context.Background(), filepath.Join(bin, "postgres"), "-D", c.data(), "-p", strconv.Itoa(port))
	cmd.Dir = c.dir
	cmd.Stdout, cmd.Stderr = logfile, logfile
	cmd.SysProcAttr = who.attr()

	c.quit, c.exited = make(chan struct{}), make(chan struct{})
	started := make(chan error, 1)
	go c.keep(cmd, started)
	if err := <-started; err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	if err := c.await(); err != nil {
		c.halt()
		said, _ := os.ReadFile(logfile.Name())
		return fmt.Errorf("start PostgreSQL: %w\n%s", err, bytes.TrimSpace(said))
	}
	return nil
}

// keep starts cmd and stays on its thread until cmd is gone: the kernel stops
// the server when the thread that started it ends, which is how no server
// outlives a test process that was killed.
func (c *cluster) keep(cmd *exec.Cmd, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(c.exited)
	err := cmd.Start()
	started <- err
	if err != nil {
		return
	}
	gone := make(chan struct{})
	go func() {
		select {
		case <-c.quit:
			_ = cmd.Process.Signal(os.Interrupt) // PostgreSQL's fast shutdown
		case <-gone:
		}
	}()
	// How a server that served its tests ends is nobody's concern.
	_ = cmd.Wait()
	close(gone)
}

// await returns when the server answers to our password, and so is ours.
func (c *cluster) await() error {
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := pgx.Connect(ctx, c.dsn("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-c.exited:
			return errors.New("it ended at once")
		case <-ctx.Done():
			return fmt.Errorf("it did not answer within %s: %w", startWithin, err)
		case <-tick.C:
		}
	}
}

// halt stops the server, and keeps the folder.
func (c *cluster) halt() {
	close(c.quit)
	<-c.exited
}

// stop ends the server and removes every trace of it.
func (c *cluster) stop() {
	c.halt()
	c.remove()
}

// remove deletes the folder, as far as it was made.
func (c *cluster) remove() {
	if c.dir != "" {
		os.RemoveAll(c.dir)
	}
	if c.lock != nil {
		c.lock.Close()
	}
}

// dsn is the address of one database.
func (c *cluster) dsn(db string) string {
	return fmt.Sprintf("postgres://%s:%s@127.0.0.1:%d/%s?sslmode=disable", superuser, c.password, c.port, db)
}

// freePort asks the kernel for a port that nobody listens on.
func freePort() (int, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
