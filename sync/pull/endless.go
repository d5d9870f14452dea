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
	mostAgain    = 50 // so many rows, at least, must be shown again before their share counts
	againShare   = 10 // endless if one row in so many was shown again
	mostMoved    = 4 * mostAgain
	movedShare   = 10    // endless if all rows but one in so many were shown again or moved
	mostPages    = 1000  // so many may be read of any list
	mostOfKnown  = 3     // beyond that, a list may show so many times the rows that are known
	rememberRows = 10000 // so many are remembered, to tell rows that moved
)

// moving tells rows that moved while their list was read from rows that a list shows again. A new row at the head
// of a list moves all other rows: the next page then begins with rows that were shown just before, and in the same
// order.
type moving struct {
	seed maphash.Seed
	rows []uint64 // those read last, in their order: hashes of their ids
}

// moved counts the rows of a page that only moved. end says that the page has no other rows, up to the last row
// that was shown before: then the list grows at its head, and all further pages are like this one for as long as it
// grows.
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

// remember keeps the rows of a page. shown is how many rows of earlier pages are remembered.
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

// endless says why a list seems to have no end, "" if it does not seem so. hint says what to do about it.
func (w *walk) endless(page connectors.Page) (why, hint string) {
	if page.Paging == "" || page.End {
		return "", ""
	}
	read := w.rows - w.scan.Rows // rows of this walk alone, for the doubles are of this walk, too
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

// errAnew ends a walk: the list is read again from its beginning.
var errAnew = errors.New("the list is read anew")

// giveUp ends the scan of a list that has no end, so that no run resumes it. If an earlier run began the scan, the
// list is read anew (errAnew): what was entered since may have moved more rows than can be told.
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
