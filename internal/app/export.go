package app

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/file"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// What a first load may take before the system's own import of files is named.
const (
	longLoad  = time.Hour
	manyLoads = 5000 // creates, where nobody knows how many requests there may be
)

// ImportSide is the side of a job that takes files of new records in its own pages, and by
// which its records are recognised afterwards; false if none does.
func ImportSide(job *engine.Job) (record.Side, bool) {
	for _, side := range record.Sides {
		if job.Sides[side].Can.Import != nil && importKeyed(job, side) && job.Sides[side].Create != engine.Never {
			return side, true
		}
	}
	return record.Left, false
}

// importKeyed reports whether a match key of the job is whole among the import's columns.
func importKeyed(job *engine.Job, side record.Side) bool {
	var paths []string
	for _, c := range job.Sides[side].Can.Import.Columns {
		paths = append(paths, c.Path)
	}
	return slices.ContainsFunc(job.Match, func(fields []string) bool {
		return !slices.ContainsFunc(fields, func(f string) bool {
			in := job.Mapping.Outputs(side, f)
			return len(in) == 0 || slices.ContainsFunc(in, func(p string) bool { return !slices.Contains(paths, p) })
		})
	})
}

// Exported is the files of one export.
type Exported struct {
	Files   []string
	Records int
	// Missing are native paths that new records have and the import has no column for.
	Missing []string
	// Formulas is how many records were left out because a spreadsheet would take a text
	// of theirs for a formula.
	Formulas int
}

// Export writes the records that a plan would create on a side as CSV files for the
// system's own import. It makes new files in a folder, named after the job, and never
// writes over one.
func Export(job *engine.Job, side record.Side, actions []plan.Action, folder string) (Exported, error) {
	can := job.Sides[side].Can.Import
	var out Exported
	var rows [][]string
	for _, a := range actions {
		if a.Side != side || a.Change.Op != record.Create {
			continue
		}
		row := make([]string, len(can.Columns))
		for i, c := range can.Columns {
			row[i] = a.Change.Fields[c.Path].Text()
		}
		if slices.ContainsFunc(row, file.Formula) {
			out.Formulas++
			continue
		}
		for _, p := range a.Change.Fields.Names() {
			has := slices.ContainsFunc(can.Columns, func(c connectors.ImportColumn) bool { return c.Path == p })
			if !has && !slices.Contains(out.Missing, p) {
				out.Missing = append(out.Missing, p)
			}
		}
		rows = append(rows, row)
	}
	out.Records = len(rows)
	slices.Sort(out.Missing)
	parts, err := cutCSV(can, rows)
	if err != nil {
		return Exported{}, err
	}
	for i, part := range parts {
		path := filepath.Join(folder, fmt.Sprintf("%s-%d.csv", job.Binding, i+1))
		if err := writeNew(path, part); err != nil {
			return out, err
		}
		out.Files = append(out.Files, path)
	}
	return out, nil
}

// cutCSV is rows as CSV, in as many files as their limits ask for.
func cutCSV(can *connectors.Import, rows [][]string) ([][]byte, error) {
	header := make([]string, len(can.Columns))
	for i, c := range can.Columns {
		header[i] = c.Header
	}
	first, err := csvLine(header)
	if err != nil {
		return nil, err
	}
	var parts [][]byte
	n := 0
	for _, row := range rows {
		line, err := csvLine(row)
		if err != nil {
			return nil, err
		}
		last := len(parts) - 1
		full := last < 0 || can.MaxRows > 0 && n == can.MaxRows || can.MaxMB > 0 && len(parts[last])+len(line) > can.MaxMB<<20
		if full {
			parts, n = append(parts, slices.Clone(first)), 0
			last++
		}
		parts[last] = append(parts[last], line...)
		n++
	}
	return parts, nil
}

func csvLine(cells []string) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write(cells); err != nil {
		return nil, fmt.Errorf("write a line of CSV: %w", err)
	}
	w.Flush()
	return b.Bytes(), nil
}

// writeNew writes a file that isn't there yet. It holds guests' data: nobody else reads it.
func writeNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the user says where
	if err != nil {
		return fmt.Errorf("write %s: %w; import or remove what an earlier export left", path, err)
	}
	if _, err := f.Write(text); err != nil {
		_ = f.Close() // the first error says it
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// ExportHint names the command that spares a job a long first load, "" where there is no
// need or no way. lasts is 0 where nobody knows how many requests there may be.
func ExportHint(job *engine.Job, side record.Side, creates int, lasts time.Duration) string {
	to, ok := ImportSide(job)
	if !ok || to != side || lasts < longLoad && (lasts > 0 || creates < manyLoads) {
		return ""
	}
	var headers []string
	for _, c := range job.Sides[side].Can.Import.Columns {
		headers = append(headers, c.Header)
	}
	return fmt.Sprintf("nightporter export %s FOLDER writes them as CSV for the import in %s's own pages (%s); sync then links what was imported",
		job.Binding, job.Sides[side].System, strings.Join(headers, ", "))
}
