package file_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors/file"
)

// What is in a folder is found out before anybody has said what tells rows apart.
func TestCandidatesAndColumns(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"ospiti.csv": "codice;cognome;nome\n1;Rossi;Anna\n", "rows.jsonl": "{}\n", "logo.png": "x", ".hidden.csv": "a\n", "odd.csv": "+390550000001;x\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names, err := file.Candidates(dir)
	if diff := cmp.Diff([]string{"odd.csv", "ospiti.csv", "rows.jsonl"}, names); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	got, err := file.Columns(t.Context(), dir, file.File{Name: "ospiti.csv"})
	if diff := cmp.Diff([]string{"codice", "cognome", "nome"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got, err := file.Columns(t.Context(), dir, file.File{Name: "rows.jsonl"}); got != nil || err != nil {
		t.Errorf("JSON lines have no header: %v, %v", got, err)
	}
	if _, err := file.Columns(t.Context(), dir, file.File{Name: "odd.csv"}); err == nil {
		t.Error("a first line that is a guest's row was taken for a header")
	}
	if _, err := file.Candidates(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("a folder that is not there was listed")
	}
}
