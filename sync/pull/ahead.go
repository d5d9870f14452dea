package pull

import (
	"context"
	"sync"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// ahead fetches several pages at the same time, where the connector proposes it. The pages are handed out in the
// order of the list, so that for the walk only the time is different.
//
// A page that was fetched ahead is used only if it begins where the page before it really ended. If the pages of a
// list turn out to have other sizes, the rest of the list is read page by page.
type ahead struct {
	fetch func(ctx context.Context, after record.Cursor) (connectors.Page, error)
	ctx   context.Context //nolint:containedctx // of one walk, ended by its stop
	stop  context.CancelFunc
	wait  sync.WaitGroup
	pages map[record.Cursor]*fetched
	off   bool
}

// fetched is a page that was asked for, and may not have come yet.
type fetched struct {
	page connectors.Page
	err  error
	at   time.Time // when its request was begun
	came time.Time // when its answer came, if it was fetched ahead; zero if not
	done chan struct{}
}

func newAhead(ctx context.Context, fetch func(context.Context, record.Cursor) (connectors.Page, error)) *ahead {
	a := &ahead{fetch: fetch, pages: map[record.Cursor]*fetched{}}
	a.ctx, a.stop = context.WithCancel(ctx)
	return a
}

// close cancels the requests that are still on their way and waits until they have ended.
func (a *ahead) close() {
	a.stop()
	a.wait.Wait()
}

// next returns the page that begins at a cursor.
func (a *ahead) next(ctx context.Context, after record.Cursor) *fetched {
	f := a.pages[after]
	if f == nil {
		f = &fetched{at: time.Now()}
		f.page, f.err = a.fetch(ctx, after)
		return f
	}
	<-f.done // the walk's own context ends it
	delete(a.pages, after)
	return f
}

// begin starts to fetch the pages that may be read at the same time. page is the one that has just come.
func (a *ahead) begin(page connectors.Page) {
	if len(a.pages) > 0 && !page.End && a.pages[page.Next] == nil {
		a.off = true // the page ended elsewhere than was proposed
		clear(a.pages)
		a.close()
	}
	if a.off || page.End || len(page.Ahead) == 0 {
		return
	}
	a.send(page.Next)
	for _, at := range page.Ahead {
		a.send(at)
	}
}

func (a *ahead) send(after record.Cursor) {
	if a.pages[after] != nil {
		return
	}
	f := &fetched{at: time.Now(), done: make(chan struct{})}
	a.pages[after] = f
	a.wait.Go(func() {
		defer close(f.done)
		f.page, f.err = a.fetch(a.ctx, after)
		f.came = time.Now()
	})
}
