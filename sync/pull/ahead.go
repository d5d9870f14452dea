package pull

import (
	"context"
	"sync"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// ahead fetches pages side by side with the one that is looked at, where the
// connector proposes it. What comes of them is handed out in the order of the list:
// to the walk nothing is different but the time it takes.
//
// A page ahead is used only if it begins where the page before it really ended. A
// list whose pages turn out to be of another size is read one by one from there on.
type ahead struct {
	fetch func(ctx context.Context, after record.Cursor) (connectors.Page, error)
	ctx   context.Context //nolint:containedctx // of one walk, ended by its stop
	stop  context.CancelFunc
	wait  sync.WaitGroup
	pages map[record.Cursor]*fetched
	off   bool
}

// fetched is a page on its way.
type fetched struct {
	page connectors.Page
	err  error
	at   time.Time // when its request was begun
	came time.Time // when its answer was there, where other requests may have been made meanwhile
	done chan struct{}
}

func newAhead(ctx context.Context, fetch func(context.Context, record.Cursor) (connectors.Page, error)) *ahead {
	a := &ahead{fetch: fetch, pages: map[record.Cursor]*fetched{}}
	a.ctx, a.stop = context.WithCancel(ctx)
	return a
}

// close ends what is still on its way and waits for it.
func (a *ahead) close() {
	a.stop()
	a.wait.Wait()
}

// next is the page that follows after.
func (a *ahead) next(ctx context.Context, after record.Cursor) *fetched {
	f := a.pages[after]
	if f == nil {
		f = &fetched{at: time.Now()}
		f.page, f.err = a.fetch(ctx, after)
		return f
	}
	<-f.done // it has the walk's own context, by which it ends
	delete(a.pages, after)
	return f
}

// begin sets out for the pages that may be read beside one another.
func (a *ahead) begin(page connectors.Page) {
	if len(a.pages) > 0 && !page.End && a.pages[page.Next] == nil {
		a.off = true // it ended elsewhere
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
