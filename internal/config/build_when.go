package config

import (
	"net"
	"slices"
	"strconv"
	"strings"

	"nightporter/sync/schedule"
)

// The words of a job's when that name no system.
const (
	whenWebhook = "webhook"
	whenFull    = "full"
	whenMissed  = "missed"
)

// when reads the cadences of a job.
func (j *jobBuilder) when() {
	at := j.path("when")
	keys := j.all.keys(at...)
	if len(keys) == 0 {
		return
	}
	w := &j.job.When
	w.Line = j.all.line(at...)
	for _, key := range keys {
		said := j.raw.When[key]
		switch {
		case len(said) == 0:
		case key == whenWebhook:
			j.webhooks(said)
		case key == whenMissed:
			j.missed(said, under(at, key))
		case key == whenFull:
			w.Full = j.cadence(said, under(at, key))
		case key == j.job.Left.System:
			w.Left = j.cadence(said, under(at, key))
		case key == j.job.Right.System:
			w.Right = j.cadence(said, under(at, key))
		default:
			known := []string{j.job.Left.System, j.job.Right.System, whenFull, whenWebhook, whenMissed}
			j.bad(under(at, key), "%s is neither a system of this job nor one of full, webhook, missed%s", shown(key), didYouMean(key, known))
		}
	}
	j.calls(at)
}

// cadence is one cadence, in the house's zone.
func (j *jobBuilder) cadence(said words, at []string) *schedule.Spec {
	if len(said) != 1 {
		j.bad(at, "must be one cadence, such as \"every 2m\" or \"30 3 * * *\"")
		return nil
	}
	return j.spec(said[0], at)
}

// spec reads a cadence. Without the house's clock there is nothing to read it by,
// and that is said elsewhere.
func (b *builder) spec(text string, at []string) *schedule.Spec {
	if b.cfg.TimeZone == nil {
		return nil
	}
	s, err := schedule.Parse(text, b.cfg.TimeZone)
	if err != nil {
		b.bad(at, "%s", err)
		return nil
	}
	return s
}

func (j *jobBuilder) webhooks(names words) {
	at := j.path("when", whenWebhook)
	for _, n := range names {
		if n != j.job.Left.System && n != j.job.Right.System {
			j.bad(at, "%s is not a system of this job%s", shown(n), didYouMean(n, []string{j.job.Left.System, j.job.Right.System}))
			continue
		}
		j.job.When.Webhooks = append(j.job.When.Webhooks, n)
	}
}

func (j *jobBuilder) missed(said words, at []string) {
	switch {
	case slices.Equal(said, words{"run_once"}):
		j.job.When.Missed = schedule.RunOnce
	case slices.Equal(said, words{"skip"}):
		j.job.When.Missed = schedule.Skip
	default:
		j.notOne(at, strings.Join(said, ", "), []string{"run_once", "skip"})
	}
}

// calls adds the systems whose cadence says that they call us, and warns of a job
// whose sides are never compared whole: what a system does not say is never found.
func (j *jobBuilder) calls(at []string) {
	w := &j.job.When
	for name, s := range map[string]*schedule.Spec{j.job.Left.System: w.Left, j.job.Right.System: w.Right} {
		if s != nil && s.Webhook() && !slices.Contains(w.Webhooks, name) {
			w.Webhooks = append(w.Webhooks, name)
		}
	}
	slices.Sort(w.Webhooks)
	if w.Full == nil && (w.Left != nil || w.Right != nil) && !j.wasThere(under(at, whenFull)) {
		j.warn(at, "without full: both sides are never compared whole, and what a system does not tell is never found")
	}
}

// quiet reads the hours in which a system is left alone.
func (b *builder) quiet(said words, at []string) *schedule.Quiet {
	if len(said) == 0 || b.cfg.TimeZone == nil {
		return nil
	}
	q, err := schedule.ParseQuiet(strings.Join(said, ", "), b.cfg.TimeZone)
	if err != nil {
		b.bad(at, "%s", err)
		return nil
	}
	return q
}

func (b *builder) backup(raw *rawBackup) *Backup {
	if raw == nil {
		return nil
	}
	path := []string{"backup"}
	c := &Backup{Line: b.all.line(path...), To: b.abs(raw.To), Keep: defaultKept}
	if raw.To == "" {
		b.missing(under(path, "to"), "missing: the folder for copies of the state file, best on another disk")
	}
	if raw.At == "" {
		b.missing(under(path, "at"), "missing: when a copy is made, such as \"04:30\"")
	} else if c.At = b.spec(raw.At, under(path, "at")); c.At != nil && !c.At.Timed() {
		b.bad(under(path, "at"), "%s is no time: write \"04:30\" or \"every 12h\"", shown(raw.At))
	}
	if raw.Keep != nil {
		b.positive(*raw.Keep, under(path, "keep"))
		c.Keep = *raw.Keep
	}
	return c
}

// OpenToAll reports whether an address is one that other machines can reach.
func OpenToAll(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil || host == "localhost" {
		return false
	}
	ip := net.ParseIP(host)
	return ip == nil || !ip.IsLoopback()
}

// listen checks an address of this machine, host and port.
func (b *builder) listen(address string, path []string) string {
	if address == "" {
		return ""
	}
	_, port, err := net.SplitHostPort(address)
	if n, bad := strconv.Atoi(port); err != nil || bad != nil || n < 1 || n > 65535 {
		b.bad(path, "%s is no address: write 127.0.0.1:8390", shown(address))
		return ""
	}
	return address
}
