package demo

import (
	"context"
	"database/sql"
	_ "embed" // the data of the house
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	_ "github.com/mattn/go-sqlite3" // the PMS

	"nightporter/internal/config"
	"nightporter/simulator"
	"nightporter/state"
)

//go:embed schema.sql
var schema string

//go:embed seed.sql
var seed string

//go:embed platform.json
var platformSeed []byte

//go:embed nightporter.yaml
var configText string

// The files of a demo.
const (
	configFile   = "nightporter.yaml"
	keyFile      = "platform.key"
	pmsFile      = "pms.db"
	stateFile    = "nightporter.db"
	platformFile = "platform.json"
)

// madeByDemo begins the configuration of a demo: it tells one from a folder of the
// user's.
const madeByDemo = "# Made by `nightporter demo`"

// house is both systems and the files of a demo.
type house struct {
	dir   string
	addr  string // of the platform
	today time.Time
	sim   *simulator.Sim
	plug  *plug
	srv   *http.Server
	pms   *sql.DB
}

// build makes the files and starts the platform.
func build(ctx context.Context, o Options) (_ *house, err error) {
	if err := ready(o.Dir, o.Keep); err != nil {
		return nil, err
	}
	h := &house{dir: o.Dir, sim: simulator.New(simulator.Options{IDs: simulator.Sequential})}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.close())
		}
	}()
	if err := h.serve(ctx); err != nil {
		return nil, err
	}
	text := strings.Replace(configText, "{{url}}", "http://"+h.addr, 1)
	for name, content := range map[string]string{configFile: text, keyFile: simulator.DefaultKey + "\n"} {
		if err := os.WriteFile(h.path(name), []byte(content), 0o600); err != nil {
			return nil, fmt.Errorf("make demo: %w", err)
		}
	}
	zone, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		return nil, fmt.Errorf("make demo: %w", err)
	}
	h.today = time.Now().In(zone)
	if err := h.fillPlatform(); err != nil {
		return nil, fmt.Errorf("make platform: %w", err)
	}
	if h.pms, err = sql.Open("sqlite3", "file:"+h.path(pmsFile)+"?_busy_timeout=5000&_foreign_keys=1"); err != nil {
		return nil, fmt.Errorf("make PMS: %w", err)
	}
	if _, err := h.pms.ExecContext(ctx, schema); err != nil {
		return nil, fmt.Errorf("make PMS: %w", err)
	}
	if _, err := h.pms.ExecContext(ctx, seed, h.day(0)); err != nil {
		return nil, fmt.Errorf("fill PMS: %w", err)
	}
	return h, nil
}

// ready makes dir ready: empty or not there at all, or rid of an earlier demo's
// files. Other files in it stay.
func ready(dir string, keep bool) error {
	found, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(dir, 0o750); err != nil {
			return &DirError{dir, err.Error(), "name another with --dir"}
		}
		return nil
	case err != nil:
		return &DirError{dir, err.Error(), "name another with --dir"}
	case len(found) == 0:
		return nil
	}
	old, err := os.ReadFile(filepath.Join(dir, configFile)) //nolint:gosec // the user's own folder
	if err != nil || !strings.HasPrefix(string(old), madeByDemo) {
		return &DirError{dir, "it holds files that no demo made", "name an empty or new folder with --dir"}
	}
	if keep {
		return &DirError{dir, "an earlier demo is there", "name another folder with --dir, or leave out --keep to make this one anew"}
	}
	for _, name := range []string{configFile, keyFile, pmsFile, stateFile, platformFile} {
		for _, end := range []string{"", "-wal", "-shm", "-journal", ".lock", ".generation", ".reserve"} {
			if err := os.Remove(filepath.Join(dir, name+end)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("clear earlier demo: %w", err)
			}
		}
	}
	return nil
}

// serve starts the platform on this machine.
func (h *house) serve(ctx context.Context) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("serve platform: %w", err)
	}
	h.addr = l.Addr().String()
	h.plug = &plug{next: h.sim}
	h.srv = &http.Server{Handler: h.plug, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = h.srv.Serve(l) }() // it ends when h is closed
	return nil
}

// fillPlatform puts in what the platform has before; dates in it count from today.
func (h *house) fillPlatform() error {
	var st simulator.State
	if err := json.Unmarshal(platformSeed, &st); err != nil {
		return err
	}
	for _, kinds := range st {
		for _, r := range kinds["reservations"] {
			for _, f := range []string{"starting_date", "ending_date"} {
				text, _ := r[f].(string)
				n, err := strconv.Atoi(text)
				if err != nil {
					return err
				}
				r[f] = h.day(n)
			}
		}
	}
	return h.sim.Import(st)
}

// save writes down what the platform holds, to be served again.
func (h *house) save() error {
	b, err := json.MarshalIndent(h.sim.Export(), "", "  ")
	if err != nil {
		return fmt.Errorf("save platform: %w", err)
	}
	if err := os.WriteFile(h.path(platformFile), append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("save platform: %w", err)
	}
	return nil
}

func (h *house) close() error {
	var errs []error
	if h.pms != nil {
		errs = append(errs, h.pms.Close())
	}
	if h.srv != nil {
		errs = append(errs, h.srv.Close())
	}
	return errors.Join(errs...)
}

func (h *house) path(name string) string { return filepath.Join(h.dir, name) }

// day is the civil day n days from today, where the hotel is.
func (h *house) day(n int) string { return h.today.AddDate(0, 0, n).Format(time.DateOnly) }

// look opens what nightporter remembers, for reading alone.
func (h *house) look(ctx context.Context) (*state.Store, error) {
	cfg, err := config.Load(h.path(configFile), nil)
	if err != nil {
		return nil, err
	}
	return state.Open(ctx, cfg.State, state.Options{ReadOnly: true, SkipCheck: true})
}

// desk changes the PMS as somebody at the desk would.
func (h *house) desk(ctx context.Context, query string, args ...any) error {
	if _, err := h.pms.ExecContext(ctx, query, args...); err != nil {
		return fmt.Errorf("edit PMS: %w", err)
	}
	return nil
}

// ask is a query's rows in the PMS, as texts.
func (h *house) ask(ctx context.Context, query string, args ...any) ([][]string, error) {
	rows, err := h.pms.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read PMS: %w", err)
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		return nil, fmt.Errorf("read PMS: %w", err)
	}
	var out [][]string
	for rows.Next() {
		cells, into := make([]sql.NullString, len(cols)), make([]any, len(cols))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, fmt.Errorf("read PMS: %w", err)
		}
		row := make([]string, len(cols))
		for i, c := range cells {
			row[i] = c.String
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

// find is the platform's records of a kind with these values.
func (h *house) find(kind string, by map[string]string) []map[string]any {
	var out []map[string]any
	for _, r := range h.sim.All(kind) {
		good := true
		for f, v := range by {
			good = good && text(r, f) == v
		}
		if good {
			out = append(out, r)
		}
	}
	return out
}

// edit changes the one record of the platform that by names, as somebody in its
// own pages would.
func (h *house) edit(kind string, by map[string]string, fields map[string]any) error {
	found := h.find(kind, by)
	if len(found) != 1 || !h.sim.Edit(kind, text(found[0], "id"), fields) {
		return fmt.Errorf("edit platform: %d %s have %v, want 1", len(found), kind, by)
	}
	return nil
}

func text(r map[string]any, field string) string {
	s, _ := r[field].(string)
	return s
}
