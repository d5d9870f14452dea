package main

import (
	"fmt"

	"nightporter/internal/config"
	"nightporter/sync/record"
)

// refers reports whether a question is about whom a record names. Each system knows that one by
// an id of its own, so no value can be typed that both could get.
func refers(cfg *config.Config, x record.Question) bool {
	j, _ := cfg.Job(string(x.Binding))
	f, ok := j.Field(x.Field)
	return ok && f.Reference != nil
}

// typed is how a value is given in answer to a question about a field, "" where none can be.
func (x conflictJSON) typed() string {
	if x.refers {
		return ""
	}
	return " | --value V"
}

// fieldAnswers is what can be said to a question about a field, in words.
func fieldAnswers(cfg *config.Config, x record.Question) string {
	if refers(cfg, x) {
		return "say which system's value stays, or --leave"
	}
	return "say which system's value stays, --value V, or --leave"
}

// cantType says what to do in place of a value for whom a record names.
func cantType(cfg *config.Config, x record.Question) error {
	systems := systemsOf(cfg, x.Binding)
	return fmt.Errorf("%s names another record, which each system knows by an id of its own: no value can be given for it. Say %s or %s, whichever names the right one; or say --leave, and edit one of the two records: that edit goes over",
		x.Field, systems[record.Left], systems[record.Right])
}
