package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// What counts where the file says nothing.
const (
	defaultState   = "nightporter.db"
	defaultKeep    = 400 * 24 * time.Hour
	defaultSettle  = 10 * time.Minute
	defaultWait    = 24 * time.Hour
	defaultReserve = 0.1
	defaultKept    = 14
	defaultRecord  = 1 << 20
	defaultGrace   = 20 * time.Second
)

// builder turns the raw file into a Config and notes what is wrong with it.
type builder struct {
	all      layers
	list     []Mistake
	warnings []Mistake
	gone     map[string]bool
	dir      string
	cfg      *Config
	bare     bool // only the systems are wanted
}

// bad notes a mistake at a path.
func (b *builder) bad(path []string, format string, args ...any) {
	b.list = append(b.list, b.all.where(fmt.Sprintf(format, args...), path))
}

func (b *builder) warn(path []string, format string, args ...any) {
	b.warnings = append(b.warnings, b.all.where(fmt.Sprintf(format, args...), path))
}

// missing notes that a key is not there, unless its value has already been called
// wrong.
func (b *builder) missing(path []string, format string, args ...any) {
	if !b.wasThere(path) {
		b.bad(path, format, args...)
	}
}

func (b *builder) wasThere(path []string) bool {
	for n := len(path); n >= 0; n-- {
		if b.gone[join(path[:n])] {
			return true
		}
	}
	return false
}

// under is a path with more keys at its end.
func under(path []string, more ...string) []string {
	return append(slices.Clone(path), more...)
}

// abs joins a relative path to the folder of the file, because a service starts
// in a folder that nobody chose.
func (b *builder) abs(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(b.dir, path)
}

func (b *builder) config(path string, raw rawConfig) *Config {
	b.dir = filepath.Dir(path)
	b.cfg = &Config{
		Path:     path,
		places:   b.all,
		State:    b.abs(defaultState),
		Privacy:  Privacy{BlankCards: b.blank(raw.Privacy)},
		FirstRun: choice(b, raw.FirstRun, FirstRunAsk, []string{"first_run"}, FirstRunAsk, FirstRunGo),
		Guards:   b.guards(raw.Guards),
		Keep:     orDuration(raw.Keep, defaultKeep),
		Settle:   orDuration(raw.Settle, defaultSettle),
	}
	if raw.State != "" {
		b.cfg.State = b.abs(raw.State)
	}
	if raw.TimeZone == "" && b.bare {
		b.cfg.TimeZone = nil
	} else if raw.TimeZone == "" {
		b.missing([]string{"time_zone"}, "missing: the house's clock, such as Europe/Rome")
	} else if loc, err := loadZone(raw.TimeZone); err != nil {
		b.bad([]string{"time_zone"}, "%s", err)
	} else {
		b.cfg.TimeZone = loc
	}
	b.cfg.Listen, b.cfg.Grace = b.listen(raw.Listen, []string{"listen"}), orDuration(raw.Grace, defaultGrace)
	if OpenToAll(b.cfg.Listen) {
		b.warn([]string{"listen"}, "%s answers whoever reaches this machine, without a password: write 127.0.0.1 in place of its host, or keep others out by a firewall", b.cfg.Listen)
	}
	b.cfg.Backup = b.backup(raw.Backup)
	b.systems(raw.Systems)
	if b.bare {
		b.cfg.Warnings = b.warnings
		return b.cfg
	}
	b.jobs(raw.Jobs)
	b.doors()
	b.called()
	b.events(raw.Events)
	b.cfg.Warnings = b.warnings
	return b.cfg
}

func (b *builder) blank(raw rawPrivacy) bool {
	if raw.Blank == nil {
		return true
	}
	for _, word := range *raw.Blank {
		if word != "card_numbers" {
			b.bad([]string{"privacy", "blank"}, "%s is not known: card_numbers is all there is", shown(word))
		}
	}
	return slices.Contains(*raw.Blank, "card_numbers")
}

func (b *builder) positive(n int, path []string) {
	if n < 1 {
		b.bad(path, "must be 1 or more")
	}
}

// count is a number that was given and must be 1 or more, or 0.
func (b *builder) count(n *int, path []string) int {
	if n == nil {
		return 0
	}
	b.positive(*n, path)
	return *n
}

func orDuration(d *Duration, other time.Duration) time.Duration {
	if d == nil {
		return other
	}
	return time.Duration(*d)
}

// choice is one of a few words, or other if none was given.
func choice[T ~string](b *builder, got string, other T, path []string, allowed ...T) T {
	if got == "" {
		return other
	}
	if slices.Contains(allowed, T(got)) {
		return T(got)
	}
	b.notOne(path, got, texts(allowed))
	return other
}

// notOne says which words were possible.
func (b *builder) notOne(path []string, got string, allowed []string) {
	b.bad(path, "%s is not one of %s%s", shown(got), strings.Join(allowed, ", "), didYouMean(got, allowed))
}

func texts[T ~string](words []T) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return all
}

// ownName is what users may call their systems, jobs and fields: the dot and the
// double underscore separate keys elsewhere. How long it may be is not said here:
// {0,62} of so wide a class compiles to 2.4 MB, for as long as the program runs.
var ownName = regexp.MustCompile(`^\p{L}[\p{L}\p{N}_-]*$`)

// longestName is in characters.
const longestName = 63

func (b *builder) name(path []string) {
	name := path[len(path)-1]
	if !ownName.MatchString(name) || strings.Contains(name, "__") {
		b.bad(path, "a name begins with a letter and has only letters, digits, - and single _")
	}
	if n := utf8.RuneCountInString(name); n > longestName {
		b.bad(path, "the name has %d characters: shorten it to %d", n, longestName)
	}
}

const literalSecret = "a secret is never written here: put it alone into a file and write file:/path/of/it, " +
	"or env:NAME for an environment variable"

// place is a reference to a secret, env:NAME or file:PATH. What was written in its
// stead is not repeated: it is most likely the secret.
func (b *builder) place(ref string, path []string) string {
	if ref == "" {
		return ""
	}
	if file, ok := strings.CutPrefix(ref, "file:"); ok && strings.TrimSpace(file) != "" {
		return "file:" + b.abs(file)
	}
	if env, ok := strings.CutPrefix(ref, "env:"); ok && env != "" && !strings.ContainsAny(env, "= \t") {
		return ref
	}
	b.bad(path, "%s", literalSecret)
	return ""
}
