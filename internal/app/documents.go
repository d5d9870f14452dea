package app

import (
	"fmt"
	"os"
	"strings"

	"nightporter/connectors"
	"nightporter/connectors/folder"
	"nightporter/connectors/sql"
	"nightporter/internal/config"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

func openFolder(sys config.System) (connectors.Connector, error) {
	f := sys.Folder
	cfg := folder.Config{
		Folder: f.Path, Include: f.Include, Exclude: f.Exclude, Language: f.Language, Tags: f.Tags, Unchanged: f.Unchanged,
	}
	for _, r := range f.ByPath {
		cfg.ByPath = append(cfg.ByPath, folder.Rule{Match: r.Match, Language: r.Language, Tags: r.Tags})
	}
	return folder.Open(cfg)
}

// documents is what is made of a database, with the templates read.
func documents(all []config.Document) ([]sql.Document, error) {
	out := make([]sql.Document, 0, len(all))
	for _, d := range all {
		text := d.Template
		if d.File != "" {
			b, err := os.ReadFile(d.File)
			if err != nil {
				return nil, fmt.Errorf("line %d: read the template of %s: %w", d.Line, d.Name, err)
			}
			text = string(b)
		}
		out = append(out, sql.Document{
			Name: d.Name, Title: d.Title, Language: d.Language, Tags: d.Tags, Query: d.Query, Template: text,
			Order: d.Order, MinRows: d.MinRows,
		})
	}
	return out, nil
}

// contents is what a kind takes as contents, by native path.
func contents(can connectors.Kind) map[string]plan.Limits {
	out := map[string]plan.Limits{}
	for path, l := range can.Contents {
		out[path] = plan.Limits{MaxBytes: l.MaxBytes, Media: l.Media}
	}
	return out
}

// takes says what contents a side takes, "" where it takes none or any.
func takes(s engine.Side) string {
	var texts []string
	for _, l := range contents(s.Can) {
		if l.MaxBytes > 0 {
			texts = append(texts, plan.Bytes(l.MaxBytes)+" at most")
		}
		if len(l.Media) > 0 {
			texts = append(texts, "the types "+strings.Join(l.Media, ", "))
		}
	}
	return strings.Join(texts, ", and ")
}

// unfit says why the content of a record can't be given to the side across, "" if it can.
func unfit(job *engine.Job, side record.Side, native record.Fields) string {
	now, _ := job.Mapping.Read(side, native)
	_, why := plan.Unfit(job.Rules, plan.Side{Now: now, Native: native}, side)
	return why
}
