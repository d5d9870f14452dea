package serve

import (
	"encoding/json"
	"strings"

	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// Command is how the process that runs jobs for good is named where others look for
// who holds the state file.
const Command = "nightporter serve"

// Answers reports whether a holder of the state file takes up what is asked with Ask.
func Answers(h state.Holder) bool { return strings.HasPrefix(h.Command, Command) }

// Answer is what a request came to, beside the run that the state file shows.
type Answer struct {
	Error   string            `json:"error,omitempty"`
	Halts   []record.Question `json:"halts,omitempty"`
	Notes   []engine.Note     `json:"notes,omitempty"`
	Dropped []string          `json:"dropped,omitempty"`

	Undo *engine.UndoReport `json:"undo,omitempty"`
}

// mostNotes is how many notes an answer has at most.
const mostNotes = 100

// AnswerOf is the answer to a request that ended.
func AnswerOf(r record.Request) Answer {
	var a Answer
	if strings.HasPrefix(r.Error, "{") && json.Unmarshal([]byte(r.Error), &a) == nil {
		return a
	}
	return Answer{Error: r.Error}
}

// add takes in what a run of the request came to.
func (a *Answer) add(rep engine.Report, errText string) {
	if errText != "" && a.Error != "" {
		a.Error += "\n"
	}
	a.Error += errText
	a.Halts = append(a.Halts, rep.Halts...)
	a.Dropped = append(a.Dropped, rep.Dropped...)
	if rep.Undo != nil {
		a.Undo = rep.Undo
	}
	for _, n := range rep.Notes {
		if len(a.Notes) < mostNotes {
			a.Notes = append(a.Notes, n)
		}
	}
}

// text is the answer as it is kept: plain where there is nothing but an error.
func (a *Answer) text() string {
	if len(a.Halts)+len(a.Notes)+len(a.Dropped) == 0 && a.Undo == nil {
		return a.Error
	}
	b, err := json.Marshal(a)
	if err != nil {
		return a.Error
	}
	return string(b)
}
