package config

import (
	"fmt"
	"slices"
	"strings"
)

// end is one kind of one system: where the graph of the jobs has its nodes.
type end struct{ system, kind string }

func (e end) String() string { return e.system + "." + e.kind }

func ends(j Job) (left, right end) {
	return end{j.Left.System, j.Left.Kind}, end{j.Right.System, j.Right.Kind}
}

func known(j Job) bool { return j.Left.Kind != "" && j.Right.Kind != "" }

// samePair refuses two jobs over the same pair of kinds: each would see the
// other's writes as edits.
func (b *builder) samePair() {
	seen := map[[2]end]string{}
	for _, j := range b.cfg.Jobs {
		if !known(j) {
			continue
		}
		l, r := ends(j)
		pair := [2]end{l, r}
		if r.String() < l.String() {
			pair = [2]end{r, l}
		}
		if first, twice := seen[pair]; twice {
			b.bad([]string{"jobs", j.Name, "between"}, "%s and %s are already kept in step by the job %s", l, r, first)
			continue
		}
		seen[pair] = j.Name
	}
}

// hop is one step from an end over a job.
type hop struct {
	to  end
	job string
}

// tree refuses jobs that close a ring: an edit would come back to where it began,
// perhaps changed on the way. It is looked for among
// all jobs, whatever their canonical kind, because two kinds may share a table.
func (b *builder) tree() {
	next := map[end][]hop{}
	paired := map[[2]end]bool{}
	for _, j := range b.cfg.Jobs {
		if !known(j) {
			continue
		}
		l, r := ends(j)
		if paired[[2]end{l, r}] {
			continue
		}
		if way := route(next, l, r, map[end]bool{}); way != nil {
			steps := []string{l.String()}
			for _, h := range append(way, hop{l, j.Name}) {
				steps = append(steps, fmt.Sprintf("%s (%s)", h.to, h.job))
			}
			b.bad([]string{"jobs", j.Name, "between"}, "closes a ring, in which an edit would run in circles: %s; delete one of these jobs",
				strings.Join(steps, " — "))
			continue
		}
		next[l] = append(next[l], hop{r, j.Name})
		next[r] = append(next[r], hop{l, j.Name})
		paired[[2]end{l, r}], paired[[2]end{r, l}] = true, true
	}
}

// route is a way over jobs from one end to another, or nil.
func route(next map[end][]hop, from, to end, seen map[end]bool) []hop {
	seen[from] = true
	for _, h := range next[from] {
		if h.to == to {
			return []hop{h}
		}
		if seen[h.to] {
			continue
		}
		if rest := route(next, h.to, to, seen); rest != nil {
			return append([]hop{h}, rest...)
		}
	}
	return nil
}

// references checks what fields refer to, and puts the jobs in the order in which
// what is referred to comes first.
func (b *builder) references() {
	names := b.all.keys("jobs")
	for _, j := range b.cfg.Jobs {
		for _, f := range j.Fields {
			if f.Reference == nil {
				continue
			}
			at := []string{"jobs", j.Name, "fields", f.Name, "job"}
			target, ok := b.cfg.Job(f.Reference.Job)
			switch {
			case !slices.Contains(names, f.Reference.Job):
				b.bad(at, "unknown job %s%s", shown(f.Reference.Job), didYouMean(f.Reference.Job, names))
			case ok && known(target) && !sameSystems(j, target):
				b.bad(at, "the job %s is between %s and %s, and this one between %s and %s: both must be the same two systems",
					target.Name, target.Left.System, target.Right.System, j.Left.System, j.Right.System)
			}
		}
	}
	var sorted []Job
	for len(sorted) < len(b.cfg.Jobs) {
		i := slices.IndexFunc(b.cfg.Jobs, func(j Job) bool {
			return !has(sorted, j.Name) && !slices.ContainsFunc(b.waitsFor(j), func(n string) bool { return !has(sorted, n) })
		})
		if i < 0 {
			b.ring(sorted)
			return
		}
		sorted = append(sorted, b.cfg.Jobs[i])
	}
	b.cfg.Jobs = sorted
}

func sameSystems(a, b Job) bool {
	return a.Left.System == b.Left.System && a.Right.System == b.Right.System ||
		a.Left.System == b.Right.System && a.Right.System == b.Left.System
}

func has(jobs []Job, name string) bool {
	return slices.ContainsFunc(jobs, func(j Job) bool { return j.Name == name })
}

// waitsFor are the jobs that a job refers to, those that don't exist left out.
func (b *builder) waitsFor(j Job) []string {
	var names []string
	for _, f := range j.Fields {
		if f.Reference != nil && has(b.cfg.Jobs, f.Reference.Job) {
			names = append(names, f.Reference.Job)
		}
	}
	return names
}

// ring names jobs that refer to each other in a circle.
func (b *builder) ring(sorted []Job) {
	i := slices.IndexFunc(b.cfg.Jobs, func(j Job) bool { return !has(sorted, j.Name) })
	var way []string
	for name := b.cfg.Jobs[i].Name; !slices.Contains(way, name); {
		way = append(way, name)
		j, _ := b.cfg.Job(name)
		waits := b.waitsFor(j)
		name = waits[slices.IndexFunc(waits, func(n string) bool { return !has(sorted, n) })]
		if k := slices.Index(way, name); k >= 0 {
			way = append(way[k:], name)
			break
		}
	}
	b.bad([]string{"jobs", way[0], "fields"}, "jobs refer to each other in a ring, so that none can be first: %s", strings.Join(way, " → "))
}

// referenced warns of records that would wait for ever: nothing refers to them.
func (b *builder) referenced() {
	for _, j := range b.cfg.Jobs {
		for _, side := range []JobSide{j.Left, j.Right} {
			if side.Create != CreateWhenReferenced {
				continue
			}
			refers := func(o Job) bool { return slices.Contains(b.waitsFor(o), j.Name) }
			if !slices.ContainsFunc(b.cfg.Jobs, refers) {
				b.warn([]string{"jobs", j.Name, "create", side.System}, "no job refers to %s, so nothing will ever be made there", j.Name)
			}
		}
	}
}

// namedByPhone warns of references by texts by which nobody is found: the record is looked for by its phone
// alone.
func (b *builder) namedByPhone() {
	for _, j := range b.cfg.Jobs {
		for _, f := range j.Fields {
			if f.Reference == nil {
				continue
			}
			target, ok := b.cfg.Job(f.Reference.Job)
			if !ok || target.matchesByPhone() {
				continue
			}
			b.foundByNone(j, f, j.Left, f.Left, f.ToRight)
			b.foundByNone(j, f, j.Right, f.Right, f.ToLeft)
		}
	}
}

// matchesByPhone reports whether the phone alone is a key.
func (j Job) matchesByPhone() bool {
	return slices.ContainsFunc(j.Match, func(key []string) bool { return slices.Equal(key, []string{"phone"}) })
}

// foundByNone warns of a side that names a record without an id, if its references are written across.
func (b *builder) foundByNone(j Job, f Field, from JobSide, side FieldSide, written bool) {
	if !written || side.ByKey == nil || side.ByKey.ID != "" {
		return
	}
	b.warn([]string{"jobs", j.Name, "fields", f.Name}, "%s names a record of %s by its phone, and phone alone is no key of jobs.%s.match: nobody is found by it, and every new record of %s waits for a person",
		from.System, f.Reference.Job, f.Reference.Job, from.System)
}
