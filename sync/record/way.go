package record

import (
	"fmt"
	"slices"
)

// Way is one way in which a job that stands still goes on.
type Way struct {
	Command string // what a person enters; the words of the halt, where that is no command
	Does    string // what follows from it
	Answer  Choice // the answer that the command gives; "": it gives none
}

// SaysLost reports whether a halt says that linked records are missing from the list of its side.
func (q Question) SaysLost() bool {
	return slices.Contains([]Cause{HaltShrink, HaltEmpty, HaltAccount}, q.Cause) && len(q.Rests.Nums) > 0
}

// Takes reports whether a choice is an answer to a halt.
func (q Question) Takes(c Choice) bool {
	return slices.ContainsFunc(q.Ways("", ""), func(w Way) bool { return w.Answer == c })
}

// Ways returns all ways in which a job goes on that stands still before q. Those that write the least over come first.
// system is the name of the side that q is about.
func (q Question) Ways(job Binding, system System) []Way {
	accept := func(does string, of ...any) Way {
		return Way{fmt.Sprintf("nightporter resume %s --accept", job), fmt.Sprintf(does, of...), Accepted}
	}
	look := func(does string, of ...any) Way {
		return Way{Command: fmt.Sprintf("nightporter sync %s", job), Does: fmt.Sprintf(does, of...)}
	}
	again := Way{fmt.Sprintf("nightporter resume %s --again", job), fmt.Sprintf(
		"%s was put back to an older copy: it gets once more what the other side holds, and what it lacks is made again", system), Again}
	switch {
	case q.Cause == HaltRolledBack:
		return []Way{again, accept("what %s holds now is right: its older values are written to the other side, and records that it lacks count as deleted", system)}
	case q.SaysLost():
		return []Way{look("once %s shows them again", system), again, accept("they were really deleted in %s: it is done with the other side as gone says", system)}
	}
	switch q.Cause {
	case HaltIdentity:
		return []Way{look("once the right key or address is back"), accept("they were really deleted in %s: it is done with the other side as gone says", system)}
	case HaltAccount:
		if slices.Contains(q.Rests.On, "strangers") || slices.Contains(q.Rests.On, "refused") {
			return []Way{look("once the right key or address is back")}
		}
		return []Way{look("once the right key or address is back"), accept("%s is the same house under another name", system)}
	case HaltSchema:
		return []Way{look("once the field is shown again, or is mapped by the name that it has now"), accept("%s does not have the field any more", system)}
	case HaltForeign:
		return []Way{accept("the other installation is stopped, or both work in %s from now on", system)}
	case HaltRenamed:
		return []Way{look("once the old names are back"), accept("the job begins anew: all records are matched once more")}
	case HaltIDs:
		back := look("once the ids are made as they were, or after the job has a new name and meets all records anew")
		if slices.Contains(q.Rests.On, "refused") {
			return []Way{back}
		}
		return []Way{back, accept("the records of %s have the ids that they were linked with", system)}
	case HaltFirstRun, HaltAllChanged:
		return []Way{{Command: fmt.Sprintf("nightporter sync %s --yes", job), Does: "you have looked at the plan (nightporter plan): it is written"}}
	}
	return []Way{{Command: q.Next}}
}
