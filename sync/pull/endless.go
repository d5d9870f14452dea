package pull

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// When a list counts as one that never ends.
const (
	mostAgain    = 50 // rows that were shown before, at least, before their share counts
	againShare   = 10 // one in so many rows
	mostMoved    = 4 * mostAgain
	movedShare   = 10    // all but one in so many rows, where rows that moved count too
	mostPages    = 1000  // may be read of any list
	mostOfKnown  = 3     // times the rows that are known, beyond that
	rememberRows = 10000 // to tell rows that moved
)

// moving tells rows that moved while their list was read from rows that a list shows
// again. What is entered at the head of a list moves all others: the next page begins
// with rows that were shown just before, in the order in which they were shown.
type moving struct {
	seed maphash.Seed
	rows []uint64 // those read last, in their order: of each what its id hashes to
}

// moved is how many rows of a page only moved. A page of nothing else, up to the last
// row that was shown, is the end of a list that grows at its head: behind it follow only
// more of such pages, for as long as it grows.
func (m *moving) moved(ids []string) (moved int, end bool) {
	shown := m.remember(ids)
	from := 0
	for i, row := range m.rows[shown:] {
		at := lastIndex(m.rows[from:shown], row)
		if at < 0 || ids[i] == "" {
			break
		}
		from += at + 1
		moved++
	}
	return moved, moved > 0 && moved == len(ids) && from == shown
}

// remember keeps the rows of a page; shown is how many of those before it are remembered.
func (m *moving) remember(ids []string) (shown int) {
	if m.rows == nil {
		m.seed = maphash.MakeSeed()
	}
	if n := len(m.rows) - rememberRows; n > rememberRows {
		m.rows = m.rows[:copy(m.rows, m.rows[n:])]
	}
	shown = len(m.rows)
	for _, id := range ids {
		m.rows = append(m.rows, maphash.String(m.seed, id))
	}
	return shown
}

// lastIndex is where a row was shown last, -1 if it was not.
func lastIndex(rows []uint64, row uint64) int {
	for i, r := range slices.Backward(rows) {
		if r == row {
			return i
		}
	}
	return -1
}

// endless says how a list that may have no end shows that it has none, "" if it
// doesn't; hint is what to do about it.
func (w *walk) endless(page connectors.Page) (why, hint string) {
	if page.Paging == "" || page.End {
		return "", ""
	}
	read := w.rows - w.scan.Rows // by this walk, as the doubles are
	pages := w.scan.Pages + w.res.Pages
	known := max(w.scan.Known, w.total)
	switch again := w.doubles - w.moved; {
	case again >= mostAgain && again*againShare >= read, w.doubles >= mostMoved && (read-w.doubles)*movedShare <= read:
		return fmt.Sprintf("the list does not end: %d of the %d rows that were read had been shown before in it", w.doubles, read),
			"look at " + page.Paging + " in the preset"
	case known > 0 && pages > mostPages && w.rows > known*mostOfKnown:
		return fmt.Sprintf("the list does not end: it has shown %d rows on %d pages, and %d are known", w.rows, pages, known),
			"look at " + page.Paging + " in the preset; if the list is really that long, give a larger page_size"
	case known <= 0 && pages > connectors.MostPages:
		return fmt.Sprintf("the list does not end: it has shown %d rows on %d pages, and says no total", w.rows, pages),
			"look at " + page.Paging + " in the preset; if the list is really that long, give a larger page_size, or name list.total"
	}
	return "", ""
}

// errAnew ends a walk whose list is read from its beginning instead.
var errAnew = errors.New("the list is read anew")

// giveUp ends the scan of a list that has no end: it is not gone on with. One that was
// begun by an earlier run is read anew, for what was entered since may have moved more
// rows than can be told.
func (w *walk) giveUp(ctx context.Context, why, hint string) error {
	w.flaw(why)
	if w.res.Resumed {
		return errAnew
	}
	if err := w.flush(ctx); err != nil {
		return err
	}
	c := record.Certificate{Ended: time.Now(), Flaws: w.flaws}
	if _, err := w.sink.EndScan(ctx, w.Lease, w.scan.ID, c); err != nil {
		return fmt.Errorf("end scan of %s: %w", w.Query.Kind, err)
	}
	err := connectors.Wrong(connectors.Malformed, "fetch "+string(w.Query.Kind), "%s", why)
	err.Hint = hint
	return err
}
