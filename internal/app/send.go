package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/internal/config"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// send is what holds back writes to a side of a system that may reach a person.
func (a *App) send(system string, s *config.Send) *engine.Send {
	if s == nil {
		return nil
	}
	out := &engine.Send{Sending: plan.Sending{AnHour: s.AnHour, Soon: s.Soon, Days: s.Days}}
	if s.Shut != nil {
		out.Shut = s.Shut.Until
	}
	if n := s.Never; n != nil {
		out.Number = n.Field
		out.Never = func(context.Context) ([]string, error) { return numbersIn(n.File) }
		if n.System != "" {
			out.Beside = a.oneTurn(system, n.System)
			out.Never = func(ctx context.Context) ([]string, error) { return numbersOf(ctx, a.conns[n.System], n) }
		}
	}
	return out
}

// oneTurn reports whether requests to two systems wait for one another.
func (a *App) oneTurn(one, other string) bool {
	x, _ := a.Config.System(one)
	y, _ := a.Config.System(other)
	return one == other || x.REST != nil && y.REST != nil && credential(x.REST) == credential(y.REST)
}

// numbersIn reads a file with a number on each line. What follows a # is a remark.
func numbersIn(path string) ([]string, error) {
	f, err := os.Open(path) //nolint:gosec // the user's own list
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		text, _, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "\ufeff"), "#")
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, text)
		}
	}
	return out, lines.Err()
}

// numbersOf reads the numbers of all records of a kind. A list that was not read whole is
// none, nor is one that moved meanwhile: a number may have been on neither of two pages.
func numbersOf(ctx context.Context, conn connectors.Connector, n *config.Never) ([]string, error) {
	if conn == nil {
		return nil, fmt.Errorf("%s is not open", n.System)
	}
	var out []string
	q := connectors.Query{Kind: record.Kind(n.Kind), Fields: []string{n.Path}}
	seen, total := map[string]bool{}, -1
	after := record.Cursor("")
	for pages := 1; ; pages++ {
		page, err := conn.Fetch(ctx, q, after)
		if err != nil {
			return nil, err
		}
		if page.Flaw != "" {
			return nil, errors.New(page.Flaw)
		}
		if page.Total >= 0 && total >= 0 && page.Total != total || slices.ContainsFunc(page.Items, func(i connectors.Item) bool { return seen[i.ID] }) {
			return nil, fmt.Errorf("the list of %s of %s changed while it was read", n.Kind, n.System)
		}
		total = max(total, page.Total)
		for _, item := range page.Items {
			seen[item.ID] = true
			text, err := numberOf(page, item, n)
			if err != nil {
				return nil, err
			}
			if text != "" {
				out = append(out, text)
			}
		}
		if page.End {
			break
		}
		if pages >= connectors.MostPages {
			return nil, fmt.Errorf("the list of %s of %s does not end: %d pages were read", n.Kind, n.System, pages)
		}
		if page.Next == after {
			return nil, fmt.Errorf("the list of %s of %s does not go on", n.Kind, n.System)
		}
		after = page.Next
	}
	if len(seen) < total {
		return nil, fmt.Errorf("%s of %s says that it has %d, and showed %d", n.Kind, n.System, total, len(seen))
	}
	return out, nil
}

// numberOf is the number that a record shows, "" where it has none.
func numberOf(page connectors.Page, item connectors.Item, n *config.Never) (string, error) {
	rec, err := page.Read(item)
	if err != nil {
		return "", err
	}
	v, shown := rec.Fields[n.Path]
	if !shown || !v.Observed() {
		return "", fmt.Errorf("%s of %s shows no %s", n.Kind, n.System, n.Path)
	}
	return strings.TrimSpace(v.Text()), nil
}
