package main

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func TestErrorsLeaveNoTemporaryFolder(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(rules, []byte("groups: [{ name: a, rules: [{ record: a:b, expr: up }] }]"), 0o600); err != nil {
		t.Fatal(err)
	}
	ended, stop := context.WithCancel(context.Background())
	stop()
	for title, test := range map[string]struct {
		ctx   context.Context
		files []RuleSet
	}{
		"a file that is missing":        {context.Background(), []RuleSet{{"a", rules}, {"b", rules + ".missing"}}},
		"another shard that has failed": {ended, []RuleSet{{"a", rules}}},
	} {
		x := &engineRun{clock: &Clock{RunTo: 1}, files: test.files, tsdb: true}
		if _, err := x.evaluate(test.ctx, nil, false); err == nil {
			t.Errorf("%s: no error", title)
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("%s: %d folders are left, %v", title, len(left), err)
		}
	}
}

func TestPlayReturnsTheErrorOfAShard(t *testing.T) {
	x := &engineRun{clock: &Clock{}, files: []RuleSet{{"a", "missing.yaml"}}}
	_, err := x.play([]int{0, 1}, 2, func(id int) *Key { return &Key{ID: id} }, &Report{})
	if !os.IsNotExist(err) {
		t.Errorf("%v, want an error on the missing file", err)
	}
}

func TestEachKeyObeysProcs(t *testing.T) {
	for _, procs := range []int{1, 3} {
		var mu sync.Mutex
		running, most := 0, 0
		begin := func(id int) *Key {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			// Long enough that all keys begin that may run at once.
			time.Sleep(5 * time.Millisecond)
			return &Key{ID: id}
		}
		end := func(*Key) {
			mu.Lock()
			defer mu.Unlock()
			running--
		}
		eachKey(make([]int, 9), procs, begin, end)
		if most != procs {
			t.Errorf("%d keys at once, want %d", most, procs)
		}
	}
}
