package schedule_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/schedule"
)

// witness follows the runs of one binding and tells the first that is not what the
// wall clock says. It reads the wall by time.Time.In alone, not by the code under
// test.
type witness struct {
	loc     *time.Location
	next    func(w *witness, d schedule.Due) string // what is wrong with a run, or ""
	last    time.Time
	latest  string // the latest civil time seen
	hour    string // of the wall at last
	offset  int    // from UTC at last
	count   int
	trouble string
}

func (w *witness) see(d schedule.Due) {
	if w.trouble == "" {
		w.trouble = w.next(w, d)
	}
	w.count++
}

// everyMinute wants each minute of real time, named by the wall, a time shown
// before being a second pass.
func everyMinute(w *witness, d schedule.Due) string {
	want := w.last.Add(time.Minute)
	w.last = want
	local := want.In(w.loc)
	_, offset := local.Zone()
	if local.Minute() == 0 || offset != w.offset || w.hour == "" { // the date and the hour are written once an hour
		w.hour, w.offset = local.Format("2006-01-02T15:"), offset
	}
	minute := local.Minute()
	civil, fold := w.hour+string([]byte{byte('0' + minute/10), byte('0' + minute%10)}), 0
	if civil <= w.latest {
		fold = 1
	} else {
		w.latest = civil
	}
	if !d.Slot.At.Equal(want) || d.Slot.Civil != civil || d.Slot.Fold != fold || !time.Now().Equal(want) {
		return fmt.Sprintf("run %d at %v is of %+v, want %s fold %d at %v", w.count, time.Now(), d.Slot, civil, fold, want)
	}
	return ""
}

// everyNight wants each civil date once, at the time of day or, where that is in a
// gap, at the first minute after it.
func everyNight(clock string) func(*witness, schedule.Due) string {
	return func(w *witness, d schedule.Due) string {
		at := w.last
		for first := true; ; first = false { // minute by minute to where the wall first shows the time, or passes it
			shows, before := at.In(w.loc).Format("15:04"), at.Add(-time.Minute).In(w.loc).Format("15:04")
			date := at.In(w.loc).Format("2006-01-02")
			newDate := date+"T"+clock > w.latest
			jumped := before < clock && shows > clock || before > shows && shows > clock && clock < "00:30" && before > "23"
			if !first && newDate && (shows == clock || jumped) {
				w.latest = date + "T" + clock
				break
			}
			if at.Sub(w.last) > 26*time.Hour {
				return fmt.Sprintf("no %s found after %v", clock, w.last)
			}
			at = at.Add(time.Minute)
		}
		w.last = at
		if d.Slot.Civil != w.latest || !d.Slot.At.Equal(at) || d.Slot.Fold != 0 || !time.Now().Equal(at) {
			return fmt.Sprintf("run %d at %v is of %+v, want %s at %v", w.count, time.Now(), d.Slot, w.latest, at.In(w.loc))
		}
		return ""
	}
}

// Two years of a nightly and a minute cadence in four zones that change their
// clocks, at midnight and by half an hour among them: 2000 and 2001, when São Paulo
// still did. Every civil slot comes once.
func TestF48_TwoYears(t *testing.T) {
	nights := map[string]string{ // where the gap is
		"Europe/Rome": "02:30", "Africa/Cairo": "00:00", "Australia/Lord_Howe": "02:15", "America/Sao_Paulo": "00:00",
	}
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		end := begin.AddDate(2, 0, 0)
		var jobs []schedule.Job
		type line struct {
			binding string
			what    schedule.What
		}
		witnesses := map[line]*witness{}
		changes := 0
		for zone, clock := range nights {
			loc := location(t, zone)
			for at := begin; at.Before(end); {
				if _, at = at.In(loc).ZoneBounds(); at.Before(end) {
					changes++
				}
			}
			minute, night := line{zone, schedule.Left}, line{zone, schedule.Full}
			jobs = append(jobs, schedule.Job{Binding: zone, Left: spec(t, "every 1m", zone), Full: spec(t, clock, zone)})
			witnesses[minute] = &witness{loc: loc, last: begin, latest: begin.In(loc).Format("2006-01-02T15:04"), next: everyMinute}
			witnesses[night] = &witness{loc: loc, last: begin, next: everyNight(clock)}
		}
		if changes != 16 && changes != 17 {
			t.Fatalf("the zones change their clocks %d times in two years, want 16 or so: the test shows nothing", changes)
		}
		ctx, cancel := context.WithDeadline(t.Context(), end.Add(30*time.Second))
		defer cancel()
		run(ctx, t, schedule.NewMemory(), jobs, func(_ context.Context, d schedule.Due) error {
			witnesses[line{d.Binding, d.What}].see(d)
			return nil
		})
		for name, w := range witnesses {
			if w.trouble != "" {
				t.Errorf("%s of %s: %s", name.what, name.binding, w.trouble)
			}
			want := int(end.Sub(begin) / time.Minute)
			if name.what == schedule.Full {
				want = int(end.Sub(begin) / (24 * time.Hour))
			}
			if w.count != want {
				t.Errorf("%s of %s: %d runs in two years, want %d", name.what, name.binding, w.count, want)
			}
		}
	})
}

// run runs a Runner until ctx ends, without polling and splay.
func run(ctx context.Context, t testing.TB, l schedule.Ledger, jobs []schedule.Job, do func(context.Context, schedule.Due) error) {
	t.Helper()
	r := runner(t, l, jobs, schedule.Options{Run: do, Poll: -1, Splay: -1, Concurrency: len(jobs)})
	if err := r.Run(ctx); err != nil {
		t.Errorf("Run: %v", err)
	}
}

func runner(t testing.TB, l schedule.Ledger, jobs []schedule.Job, opts schedule.Options) *schedule.Runner {
	t.Helper()
	opts.Ledger = l
	r, err := schedule.New(t.Context(), jobs, opts)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return r
}

// A nightly run is missed while nothing runs, whatever night it is, and made up
// for once.
func TestMissedNightsAreOneRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ledger := schedule.NewMemory()
		jobs := []schedule.Job{{Binding: "guests", Full: spec(t, "30 3 * * *", "UTC")}}
		var mu sync.Mutex
		var got []string
		do := func(_ context.Context, d schedule.Due) error {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, time.Now().Format("02 15:04")+" for "+d.Slot.Civil)
			return nil
		}
		during := func(d time.Duration) {
			ctx, cancel := context.WithTimeout(t.Context(), d)
			defer cancel()
			run(ctx, t, ledger, jobs, do)
		}
		during(2 * time.Hour) // opened, nothing due
		pass(53 * time.Hour)  // down for two nights, till 07:00 of the 3rd
		during(24 * time.Hour)
		during(time.Hour)
		want := []string{"03 07:00 for 2000-01-03T03:30", "04 03:30 for 2000-01-04T03:30"}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("runs %q, want %q", got, want)
		}
	})
}

// pass lets time go by in a bubble.
func pass(d time.Duration) { <-time.After(d) }
