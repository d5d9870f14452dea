//go:build unix

// Command limit does the least that a pass over two sides which finds nothing
// changed must do, and says what that cost: it gets the platform's pages, splits
// them into raw items and ids, reads the rows of the other side in order, digests
// both, and compares the digests with one ordered scan of the link table. It
// decides nothing and stores nothing. The benchmark holds the program against it.
//
//	limit BASE_URL KEY STATE_FILE PMS_FILE
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"

	_ "github.com/mattn/go-sqlite3"

	"nightporter/connectors/jsonx"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "limit:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 4 {
		return fmt.Errorf("want BASE_URL KEY STATE_FILE PMS_FILE, got %d arguments", len(args))
	}
	state, err := open(args[2])
	if err != nil {
		return err
	}
	defer state.Close()
	pms, err := open(args[3])
	if err != nil {
		return err
	}
	defer pms.Close()
	left, err := platform(ctx, args[0], args[1], state)
	if err != nil {
		return fmt.Errorf("platform: %w", err)
	}
	afterLeft := cpu()
	right, err := table(ctx, pms, state)
	if err != nil {
		return fmt.Errorf("table: %w", err)
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"left": left, "right": right, "left_cpu": afterLeft, "cpu": cpu(), "hwm_kb": hwm(),
	})
}

func open(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro&_cache_size=-2048")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// listed walks the digests of one side in the order in which they were first listed.
type listed struct {
	rows *sql.Rows
	same int
}

// walk begins at the side's first entry and reads the table as it lies: by an index it
// would have to sort, and to read the pages of the file in another order.
func walk(ctx context.Context, state *sql.DB, side int) (*listed, error) {
	var first int64
	err := state.QueryRowContext(ctx, `SELECT num FROM entry NOT INDEXED WHERE binding = 'guests' AND side = ? ORDER BY num LIMIT 1`, side).Scan(&first)
	if err != nil {
		return nil, err
	}
	rows, err := state.QueryContext(ctx, `SELECT id, listed FROM entry NOT INDEXED WHERE num >= ? AND binding = 'guests' AND side = ? ORDER BY num`, first, side) //nolint:rowserrcheck // next checks it
	return &listed{rows: rows}, err
}

// next compares one record.
func (l *listed) next(id string, sum []byte) error {
	if !l.rows.Next() {
		if err := l.rows.Err(); err != nil {
			return err
		}
		return fmt.Errorf("the link table ends before %s", id)
	}
	var known, digest sql.RawBytes
	if err := l.rows.Scan(&known, &digest); err != nil {
		return err
	}
	if string(known) != id {
		return fmt.Errorf("the link table has another order than the list, at %s", id)
	}
	if !bytes.Equal(digest, sum) { // it can't be equal: the salt is not ours. It is compared all the same
		l.same++
	}
	return nil
}

// platform reads the list to its end and gives the number of records.
func platform(ctx context.Context, base, key string, state *sql.DB) (n int, err error) {
	l, err := walk(ctx, state, 0)
	if err != nil {
		return 0, err
	}
	defer l.rows.Close()
	paths := make([]jsonx.Path, 3)
	for i, p := range []string{"data", "id", "meta.has_next"} {
		if paths[i], err = jsonx.ParsePath(p); err != nil {
			return 0, err
		}
	}
	split := jsonx.NewSplitter(paths[0], paths[1], paths[2])
	client := &http.Client{}
	var body bytes.Buffer
	for {
		if err := get(ctx, client, base+"/external/v1/contacts?limit=100&offset="+strconv.Itoa(n), key, &body); err != nil {
			return n, err
		}
		page, err := split.Split(body.Bytes())
		if err != nil {
			return n, err
		}
		for _, it := range page.Items {
			sum := sha256.Sum256(it.Raw)
			if err := l.next(it.ID, sum[:16]); err != nil {
				return n, err
			}
			n++
		}
		if string(page.Values[0]) != "true" {
			return n, nil
		}
	}
}

func get(ctx context.Context, client *http.Client, url, key string, body *bytes.Buffer) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil) //nolint:gosec // the address is the caller's
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := client.Do(req) //nolint:gosec // as above
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, res.Status)
	}
	body.Reset()
	_, err = io.Copy(body, res.Body)
	return err
}

// table reads the mapped columns of all rows in order.
func table(ctx context.Context, pms, state *sql.DB) (n int, err error) {
	l, err := walk(ctx, state, 1)
	if err != nil {
		return 0, err
	}
	defer l.rows.Close()
	rows, err := pms.QueryContext(ctx, `SELECT id, version, external_ref, first_name, last_name, phone, email, country, language
		FROM guests WHERE title NOT IN ('Company', 'Agency') ORDER BY id`)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	cells := make([]sql.RawBytes, 9)
	into := make([]any, len(cells))
	for i := range cells {
		into[i] = &cells[i]
	}
	var row []byte
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return n, err
		}
		row = row[:0]
		for _, c := range cells {
			row = append(append(row, c...), 0)
		}
		sum := sha256.Sum256(row)
		if err := l.next(string(cells[0]), sum[:16]); err != nil {
			return n, err
		}
		n++
	}
	return n, rows.Err()
}

// cpu is the seconds of processor time this process has used.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// hwm is the most memory this process has held, in KiB; 0 where /proc is not there.
func hwm() int {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0])
			return n
		}
	}
	return 0
}
