package month

import (
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	_ "github.com/mattn/go-sqlite3"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/internal/lives"
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

	life      *lives.Life // nil while none runs
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

// start starts the daemon and waits until its jobs run.
func (w *world) start() {
	w.t.Helper()
	w.lives++
	log := slog.New(w.log)
	var err error
	w.life, err = lives.Begin(w.stateFile, func(l *lives.Life) serve.Options {
		return serve.Options{
			Load: func() (*config.Config, error) { return w.load(l.State) }, Log: log, Look: 30 * time.Second,
			App: app.Options{
				Log: log, Command: "month", Step: l.Step,
				Transport: func(string) http.RoundTripper { return lifeWire{w.wire, l} },
			},
		}
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) load(stateFile string) (*config.Config, error) {
	w.write("nightporter.yaml", strings.Replace(w.text, "{state}", stateFile, 1))
	return config.Load(w.path("nightporter.yaml"), nil)
}

// stop ends the daemon as a service manager does.
func (w *world) stop() {
	w.t.Helper()
	if err := w.life.Stop(); err != nil {
		w.t.Errorf("serve ended with %v", err)
	}
	w.ended()
	w.stateFile, w.life = w.life.State, nil
}

// kill ends the daemon without a word, at one of its next steps or, if it has none in
// that time, where it stands. The next one finds the state file as the disk has it then.
func (w *world) kill(steps int, within time.Duration) {
	w.t.Helper()
	l, left := w.life, w.path(fmt.Sprintf("state-%d.db", w.lives+1))
	l.Arm(steps, left)
	patience := time.NewTimer(within)
	defer patience.Stop()
	select {
	case <-l.Killed():
	case <-patience.C:
	}
	if _, err := l.Kill(); err != nil {
		w.t.Fatal(err)
	}
	w.ended()
	w.stateFile, w.life = left, nil
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
	life *lives.Life
}

var errDown = errors.New("dial tcp 192.0.2.1:443: connect: network is unreachable")

// RoundTrip carries one request.
func (w lifeWire) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.life.Dead() {
		return nil, lives.ErrDead
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
	if w.life.Dead() {
		return nil, lives.ErrDead
	}
	if resp != nil && resp.StatusCode == http.StatusTooManyRequests {
		w.throttled = time.Now().Add(2 * time.Minute)
	}
	return resp, err
}
