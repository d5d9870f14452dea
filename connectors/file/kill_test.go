package file_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/file"
	"nightporter/sync/record"
)

// dieAt has this program, run by a test, write a row and be killed at a step.
const dieAt = "NIGHTPORTER_FILE_DIE"

func TestMain(m *testing.M) {
	if at := os.Getenv(dieAt); at != "" {
		victim(at, os.Args[1], file.Write(os.Args[2]))
		return
	}
	os.Exit(m.Run())
}

func victim(at, folder string, w file.Write) {
	c, err := file.Open(file.Config{
		Folder: folder, Files: map[record.Kind]file.File{"guests": {Name: "g.csv", Key: []string{"id"}, Write: w}},
	}.WithSteps(func(name string) error {
		if name == at {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			fmt.Println(err)
			select {}
		}
		return nil
	}))
	if err == nil {
		_, err = c.Apply(context.Background(), create("id", "3", "nome", "Carla"))
	}
	fmt.Println("still alive:", err)
}

// Killed at any step: the file is the one of before or the one of after, whoever reads
// it next; and the same row, sent again, stands there once.
func TestKilledAtEachStep(t *testing.T) {
	for _, w := range []file.Write{file.Append, file.Rewrite} {
		for _, at := range steps(t, w) {
			t.Run(string(w)+" "+at, func(t *testing.T) {
				h := newHouse(t, file.File{Name: "g.csv", Write: w}, before, nil)
				cmd := exec.CommandContext(t.Context(), os.Args[0], filepath.Dir(h.path), string(w))
				cmd.Env = append(os.Environ(), dieAt+"="+at)
				if out, err := cmd.CombinedOutput(); err == nil || len(out) > 0 {
					t.Fatalf("it was not killed: %s", out)
				}
				got, _, err := listed(t, h.conn)
				if err != nil || len(got) != 2 && len(got) != 3 {
					t.Fatalf("read after the kill: %v, %v", got, err)
				}
				if text := h.text(t); text != before && text != after {
					t.Errorf("after the kill the file is %q", text)
				}
				again(t, h)
			})
		}
	}
}

// again writes the row once more, and wants it there once and nothing beside it.
func again(t *testing.T, h house) {
	t.Helper()
	_, err := h.conn.Apply(t.Context(), create("id", "3", "nome", "Carla"))
	if err != nil && connectors.ClassOf(err) != connectors.Exists {
		t.Errorf("again: %v", err)
	}
	if got := h.text(t); got != after {
		t.Errorf("at last the file is %q", got)
	}
	for _, name := range h.left(t) {
		if name != ".g.csv.nightporter-new" || err == nil {
			t.Errorf("%s is left", name)
		}
	}
}

// Half a row, or a row with holes where the disk had not come to write it, is taken
// back by whoever reads next; what somebody else wrote behind it is not.
func TestHalfARow(t *testing.T) {
	note := fmt.Sprintf(`{"size":%d,"line":"MyxDYXJsYQo="}`, len(before)) // 3,Carla
	for _, tt := range []struct{ name, note, tail, want string }{
		{"nothing of it", note, "", before},
		{"half of it", note, "3,Ca", before},
		{"holes", note, "3,\x00\x00rla\n", before},
		{"all of it", note, "3,Carla\n", after},
		{"all of it, and more", note, "3,Carla\n4,Dario\n", after + "4,Dario\n"},
		{"something else", note, "4,D\n", before + "4,D\n"},
		{"half a note", note[:len(note)/2], "", before},
		{"no note", "", "", before},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHouse(t, file.File{Name: "g.csv", Write: file.Append}, before+tt.tail, nil)
			if err := os.WriteFile(filepath.Join(filepath.Dir(h.path), ".g.csv.nightporter-note"), []byte(tt.note), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, _, err := listed(t, h.conn); err != nil {
				t.Fatal(err)
			}
			if got := h.text(t); got != tt.want || len(h.left(t)) > 0 {
				t.Errorf("got %q, want %q; beside it %v", got, tt.want, h.left(t))
			}
		})
	}
}
