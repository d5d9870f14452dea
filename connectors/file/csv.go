package file

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// parseCSV reads the text of a CSV file. An error is one of the whole file; what is
// wrong with a row alone is its problem.
func (p *part) parseCSV(f File) error {
	if err := p.separate(f); err != nil {
		return err
	}
	r := csv.NewReader(strings.NewReader(p.text[p.from:]))
	r.Comma, r.FieldsPerRecord = p.separator, -1
	headed := false
	for {
		start := p.from + int(r.InputOffset())
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		w := row{part: p, cells: cells, start: start, end: p.from + int(r.InputOffset())}
		w.trim()
		if err != nil {
			if err := w.broken(err); err != nil {
				return err
			}
		} else {
			w.line, _ = r.FieldPos(0)
			w.keepLineEnds()
		}
		switch {
		case !headed && w.problem != "":
			return errors.New("the header: " + w.problem)
		case !headed:
			if err := p.columns(w.cells); err != nil {
				return err
			}
			headed, p.crlf = true, strings.HasSuffix(p.text[:w.end], "\r\n")
		case w.problem == "" && blank(w.cells):
		default:
			w.measure(len(p.header.names))
			p.rows = append(p.rows, w)
		}
		if len(p.rows) > f.MaxRows {
			return tooMany(f.MaxRows)
		}
	}
	if !headed {
		return errors.New("it has no header line")
	}
	return nil
}

// separate finds out what stands between cells. Some spreadsheets say it in a line
// before the header.
func (p *part) separate(f File) error {
	line := lineOf(p.text)
	if said, ok := strings.CutPrefix(strings.ToLower(line), "sep="); ok && len(said) == 1 {
		p.separator = rune(said[0])
		p.from = strings.Index(p.text, line) + len(line)
	} else if f.Separator == 0 {
		var err error
		if p.separator, err = sniff(line); err != nil {
			return err
		}
	}
	if f.Separator != 0 {
		p.separator = f.Separator
	}
	if strings.ContainsRune("\"\r\n\ufffd", p.separator) {
		return fmt.Errorf("the line %q names no separator", line)
	}
	return nil
}

// trim takes the blank lines before a row out of its bytes.
func (w *row) trim() {
	for w.start < w.end {
		rest := w.part.text[w.start:w.end]
		switch {
		case strings.HasPrefix(rest, "\r\n"):
			w.start += 2
		case rest[0] == '\n':
			w.start++
		default:
			return
		}
	}
}

// broken notes why a row can't be read. A quote that is never closed takes the rest of
// the file with it: that is the whole file's trouble, which may end in mid row.
func (w *row) broken(err error) error {
	e, ok := errors.AsType[*csv.ParseError](err)
	if !ok {
		return err
	}
	w.line, w.cells, w.unread = e.StartLine, nil, true
	text := w.part.text[w.start:w.end]
	if errors.Is(err, csv.ErrQuote) && w.end == len(w.part.text) && strings.Count(text, `"`)%2 == 1 {
		return fmt.Errorf("a quote that is opened in line %d is never closed: the file may be cut off", w.line)
	}
	w.problem = "a quote stands where none may"
	if n := strings.Count(strings.TrimRight(text, "\r\n"), "\n"); n > 0 {
		w.problem += fmt.Sprintf(", and the lines up to %d went with it", w.line+n)
	}
	return nil
}

// keepLineEnds puts back what the reader changes in cells of several lines: it takes
// the \r of each \r\n away, and a note that was written on Windows would come back as
// another one.
func (w *row) keepLineEnds() {
	inner := strings.TrimSuffix(strings.TrimSuffix(w.part.text[w.start:w.end], "\n"), "\r")
	if !strings.Contains(inner, "\r\n") {
		return
	}
	mark := '\ue000'
	for strings.ContainsRune(inner, mark) {
		mark++
	}
	stand := string(mark) + "\n"
	r := csv.NewReader(strings.NewReader(strings.ReplaceAll(inner, "\r\n", stand)))
	r.Comma, r.FieldsPerRecord = w.part.separator, -1
	cells, err := r.Read()
	if err != nil || len(cells) != len(w.cells) {
		return
	}
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], stand, "\r\n")
	}
	w.cells = cells
}

// measure compares a row with the header. Cells beyond it that are empty are what some
// programs leave at the end of a line.
func (w *row) measure(columns int) {
	if w.problem != "" || len(w.cells) == columns || len(w.cells) > columns && blank(w.cells[columns:]) {
		return
	}
	w.unread = true
	w.problem = fmt.Sprintf("%d cells under a header of %d: a separator may stand in a value without quotes", len(w.cells), columns)
}

func blank(cells []string) bool {
	return !slices.ContainsFunc(cells, func(c string) bool { return strings.TrimSpace(c) != "" })
}

// lineCSV is a row as it is written, with its line end. What can't be read again as it
// was is refused.
func (p *part) lineCSV(cells []string) (string, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma = p.separator
	if err := w.Write(cells); err != nil {
		return "", fmt.Errorf("write a row: %w", err)
	}
	w.Flush()
	line := strings.TrimSuffix(b.String(), "\n")
	again := part{text: line + "\n", separator: p.separator}
	read, err := csvOf(again.text, p.separator)
	back := row{part: &again, cells: read, end: len(again.text)}
	if err == nil {
		back.keepLineEnds()
	}
	if err != nil || !slices.Equal(back.cells, cells) {
		return "", errors.New("the row can't be written so that it is read again as it is")
	}
	return line + lineEnd(p), nil
}

func csvOf(text string, separator rune) ([]string, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord = separator, -1
	return r.Read()
}
