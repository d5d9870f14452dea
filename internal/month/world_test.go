package month

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata"

	_ "github.com/mattn/go-sqlite3"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/internal/serve"
	"nightporter/simulator"
)

// world is a platform, a PMS, and the daemon between them, all by one clock.
type world struct {
	t    *testing.T
	rng  *rand.Rand
	dir  string
	zone *time.Location
	sim  *simulator.Sim
	db   *sql.DB // the PMS, by the back door
	wire *wire
	text string // the configuration
	log  *diary

	life      *life // nil while none runs
	lives     int
	stateFile string

	oracle
	language string // what the PMS calls the column of that name
	serial   int
	events   int
	taken    map[string]bool
	hints    []hint
	todo     []deed
	asked    time.Time // when the house last looked at what guards hold
	approved int
	story    []string
	calm     int // changes with everything that is done to the systems or the daemon
	troubles int // of the platform, now
	lagging  bool
	locked   bool // the platform knows another key than the daemon
	eased    time.Time
	ends     []end
	prompt   [2]int // bookings that the daemon was told of and that were late, and in time
	whom     string // whom the last event was about
}

// end is when a daemon stopped, or was killed, and whether it may have told of trouble
// that was not over then: the next one knows nothing of that.
type end struct {
	at    time.Time
	rough bool
}

func (w *world) ended() {
	rough := w.troubles > 0 || time.Since(w.eased) < 30*time.Minute || w.wire.down || w.language != "language"
	w.ends = append(w.ends, end{time.Now(), rough})
}

// pace is how often the daemon reads each side.
type pace struct{ pms, platform, pmsGuests, platformGuests string }

func newWorld(t *testing.T, seed uint64, dir string, p pace) *world {
	w := &world{
		t: t, rng: rand.New(rand.NewPCG(seed, 30)), dir: dir, log: &diary{read: map[string]time.Time{}}, language: "language", taken: map[string]bool{},
		sim: simulator.New(simulator.Options{Seed: seed, KeepRequests: 1000}),
	}
	var err error
	if w.zone, err = time.LoadLocation("Asia/Hebron"); err != nil {
		t.Fatal(err)
	}
	w.wire = &wire{sim: w.sim}
	w.db, err = sql.Open("sqlite3", "file:"+w.path("pms.db")+"?_busy_timeout=5000&_foreign_keys=1&_synchronous=OFF")
	if err != nil {
		t.Fatal(err)
	}
	w.exec(pmsSchema)
	w.text = strings.NewReplacer("{key}", w.path("platform.key"), "{pms}", w.path("pms.db"), "{backups}", w.path("backups"),
		"{language}", "language", "{pms_guests}", p.pmsGuests, "{platform_guests}", p.platformGuests,
		"{platform}", p.platform, "every {pms}", "every "+p.pms).Replace(configText)
	w.write("platform.key", simulator.DefaultKey)
	w.stateFile = w.path("state-0.db")
	return w
}

// sleep lets the bubble's clock go on.
func (w *world) sleep(d time.Duration) { <-time.After(d) }

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(w.path(name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) exec(query string, args ...any) int64 {
	w.t.Helper()
	res, err := w.db.ExecContext(w.t.Context(), query, args...)
	if err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	id, err := res.LastInsertId()
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

// life is the daemon from a start to its end.
type life struct {
	state  string
	cancel context.CancelFunc
	ended  chan error
	daemon *serve.Daemon

	mu     sync.Mutex
	dead   bool // killed: what it still does is of no account
	killAt int  // steps until it is killed; 0 for never
	reach  chan struct{}
	left   string // the state file as it was then
	lost   error
}

// start starts the daemon and waits until its jobs run.
func (w *world) start() {
	w.t.Helper()
	w.lives++
	ctx, cancel := context.WithCancel(context.Background())
	l := &life{state: w.stateFile, cancel: cancel, ended: make(chan error, 1)}
	w.life = l
	ready := make(chan struct{})
	log := slog.New(w.log)
	go func() {
		err := errDead
		defer func() { l.ended <- err }()
		err = serve.Run(ctx, serve.Options{
			Load: func() (*config.Config, error) { return w.load(l.state) }, Log: log, Look: 30 * time.Second,
			App: app.Options{
				Log: log, Command: "month", Step: l.step,
				Transport: func(string) http.RoundTripper { return lifeWire{w.wire, l} },
			},
			Ready: func(d *serve.Daemon) { l.daemon = d; close(ready) },
		})
	}()
	select {
	case <-ready:
	case err := <-l.ended:
		w.life = nil
		w.t.Fatalf("serve did not start: %v", err)
	}
}

func (w *world) load(stateFile string) (*config.Config, error) {
	w.write("nightporter.yaml", strings.Replace(w.text, "{state}", stateFile, 1))
	return config.Load(w.path("nightporter.yaml"), nil)
}

// stop ends the daemon as a service manager does.
func (w *world) stop() {
	w.t.Helper()
	w.life.cancel()
	if err := <-w.life.ended; err != nil {
		w.t.Errorf("serve ended with %v", err)
	}
	w.ended()
	w.stateFile, w.life = w.life.state, nil
}

// errDead is what a killed daemon meets.
var errDead = errors.New("the process was killed")

// step is told at each durable step and each request of the daemon. It parks nobody: who
// steps may hold a lock, and who waits for that lock is at work for the bubble.
func (l *life) step(string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead {
		runtime.Goexit()
	}
	if l.killAt == 0 {
		return
	}
	if l.killAt--; l.killAt == 0 {
		l.die()
		runtime.Goexit()
	}
}

// die leaves on the disk what was committed until now, for the next daemon.
func (l *life) die() {
	l.dead = true
	if err := copyState(l.state, l.left); err != nil {
		l.lost = fmt.Errorf("keep %s as it is: %w", l.state, err)
	}
	close(l.reach)
}

func (l *life) isDead() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dead
}

// copyState copies what is committed in a state file that may be in use.
func copyState(from, to string) error {
	db, err := sql.Open("sqlite3", "file:"+from+"?mode=ro&_busy_timeout=10000")
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(context.Background(), `VACUUM INTO ?`, to)
	return err
}

// kill ends the daemon without a word, at one of its next steps or, if it has none in
// that time, where it stands. The next one finds the state file as the disk has it then.
func (w *world) kill(steps int, within time.Duration) {
	w.t.Helper()
	l := w.life
	l.mu.Lock()
	l.reach, l.killAt, l.left = make(chan struct{}), steps, w.path(fmt.Sprintf("state-%d.db", w.lives+1))
	l.mu.Unlock()
	patience := time.NewTimer(within)
	defer patience.Stop()
	select {
	case <-l.reach:
	case <-patience.C:
		l.mu.Lock()
		if !l.dead {
			l.die()
		}
		l.mu.Unlock()
	}
	l.cancel()
	<-l.ended //nolint:errcheck // whatever it says, it is dead
	if l.lost != nil {
		w.t.Fatal(l.lost)
	}
	w.ended()
	w.stateFile, w.life = l.left, nil
}

// wire carries requests to the platform without a socket, and knows when nothing is
// under way.
type wire struct {
	sim  *simulator.Sim
	down bool

	flying          int
	calm, throttled time.Time // until then a request may belong to one just before it
	sent            int
}

// lifeWire is the wire of one daemon: a dead one reaches nobody.
type lifeWire struct {
	*wire
	life *life
}

var errDown = errors.New("dial tcp 192.0.2.1:443: connect: network is unreachable")

// RoundTrip carries one request.
func (w lifeWire) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.life.isDead() {
		return nil, errDead
	}
	w.sent++
	w.flying++
	defer func() {
		w.flying--
		w.calm = time.Now().Add(3 * time.Second)
	}()
	if w.down {
		return nil, errDown
	}
	resp, err := w.sim.Transport().RoundTrip(r)
	if w.life.isDead() {
		return nil, errDead
	}
	if resp != nil && resp.StatusCode == http.StatusTooManyRequests {
		w.throttled = time.Now().Add(2 * time.Minute)
	}
	return resp, err
}
