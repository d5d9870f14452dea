package week

import (
	"fmt"
	"strings"
	"syscall"
	"time"
)

// delay is how long a reservation took that the platform told of: by the clock of the
// bubble, which stands still while anybody works, and by the one on the wall.
type delay struct{ waited, worked time.Duration }

// realClock is the clock on the wall outside of the bubble.
func realClock() time.Duration {
	var tv syscall.Timeval
	if err := syscall.Gettimeofday(&tv); err != nil {
		return 0
	}
	return time.Duration(tv.Nano())
}

// atOnce is how soon a reservation of the assistant's is in the PMS.
const atOnce = time.Second

// promptly brings the webhooks and looks how soon something holds. Where the program is
// killed it may be later.
func (w *world) promptly(holds func() bool) {
	w.t.Helper()
	if w.every > 0 {
		return
	}
	begun, work := time.Now(), realClock()
	w.post()
	for !holds() {
		if time.Since(begun) > time.Minute {
			w.t.Errorf("%s: a reservation that was told of is not there after a minute", begun.In(w.zone).Format("Mon 15:04"))
			return
		}
		w.sleep(10 * time.Millisecond)
	}
	d := delay{time.Since(begun), realClock() - work}
	if w.delays = append(w.delays, d); d.waited > atOnce {
		w.t.Errorf("%s: a reservation was waited for %s, want %s at most", begun.In(w.zone).Format("Mon 15:04"), d.waited, atOnce)
	}
}

// bookingOf is the platform's word for the reservation of a phone.
func (w *world) bookingOf(n int) string {
	for _, r := range w.sim.All("reservations") {
		if r["client_phone_number"] == phone(n) {
			return fmt.Sprint(r["status"])
		}
	}
	return ""
}

// nightlyIn looks in the morning whether what the desk entered the day before is on the
// platform.
func (w *world) nightlyIn(d int) {
	w.t.Helper()
	if w.every > 0 {
		return
	}
	found := 0
	for _, c := range w.sim.All("contacts") {
		if c["phone_number"] == phone(100+d) {
			found++
		}
	}
	if status := w.bookingOf(100 + d); found != 1 || status != "CONFIRMED" {
		w.t.Errorf("on the morning of day %d the platform has %d contacts of the guest of the day before, and the reservation as %q", d+1, found, status)
	}
}

// callIn looks whether a day's call is in the table, and which of its texts are.
func (w *world) callIn(d int, status string, texts ...string) {
	w.t.Helper()
	if w.every > 0 {
		return
	}
	want := status
	for _, text := range texts {
		if want += "|"; text != "" {
			want += fmt.Sprintf("%s (%d)", text, d)
		}
	}
	want += strings.Repeat("|", 2-len(texts))
	got := w.one(`SELECT call_status || '|' || coalesce(transcript, '') || '|' || coalesce(summary, '') FROM voice.calls WHERE phone = $1`, phone(200+d))
	if !strings.EqualFold(got, want) {
		w.t.Errorf("%s: the call of the day is %q, want %q", time.Now().In(w.zone).Format("Mon 15:04"), got, want)
	}
}
