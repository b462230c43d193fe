package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// storyFile has suites of stories, and changed rules. Some story should notice each of these.
type storyFile struct {
	Suites  []suite  `json:"suites"`
	Mutants []mutant `json:"mutants"`
}

// suite has stories that run together.
type suite struct {
	Name   string          `json:"name"`
	Step   int             `json:"step"` // minutes between two evaluations
	Series []writtenSeries `json:"series"`
	Expect []expectation   `json:"expect"`
}

// writtenSeries is in the notation of `promtool test rules`, a sample a minute.
type writtenSeries struct {
	Series string `json:"series"`
	Values string `json:"values"`
}

// expectation is a query at a minute since 1970, and the samples that it must return.
type expectation struct {
	At      int              `json:"at"`
	Expr    string           `json:"expr"`
	Samples []expectedSample `json:"samples"`
}

type expectedSample struct {
	Labels string `json:"labels"`
	Value  string `json:"value"` // a number, also NaN or Infinity
}

// verdict is what noticed a changed rule: a suite, an error of the evaluation, or nothing.
type verdict struct {
	mutant
	By string `json:"by"`
}

var errUnmet = errors.New("a story is not met")

// runStories runs the stories of a JSON file once with the rules of another file, and once with each changed rule. It writes one verdict a line, as JSON.
// It fails if the unchanged rules do not meet every story.
func runStories(w io.Writer, storiesFile, rulesFile string, procs int) error {
	text, err := os.ReadFile(storiesFile)
	if err != nil {
		return err
	}
	var file storyFile
	if err := json.Unmarshal(text, &file); err != nil {
		return fmt.Errorf("%s: %w", storiesFile, err)
	}
	if len(file.Suites) == 0 {
		return fmt.Errorf("%s: it has no suites", storiesFile)
	}
	rules, err := loadStoryRules(rulesFile)
	if err != nil {
		return err
	}
	worlds := make([]*world, len(file.Suites))
	err = inParallel(procs, len(worlds), func(i int) (err error) {
		if worlds[i], err = newWorld(file.Suites[i], rules); err != nil {
			return fmt.Errorf("suite %q: %w", file.Suites[i].Name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var mu sync.Mutex
	return inParallel(procs, len(file.Mutants), func(i int) error {
		by, err := noticedBy(worlds, file.Mutants[i])
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		return json.NewEncoder(w).Encode(verdict{file.Mutants[i], by})
	})
}

// inParallel calls work for 0 to n-1, a few at once, and returns their errors.
func inParallel(procs, n int, work func(i int) error) error {
	queue := make(chan int)
	go func() {
		defer close(queue)
		for i := range n {
			queue <- i
		}
	}()
	errs := make([]error, n)
	var all sync.WaitGroup
	for range procs {
		all.Go(func() {
			for i := range queue {
				errs[i] = work(i)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func noticedBy(worlds []*world, m mutant) (string, error) {
	for _, w := range worlds {
		noticed, err := w.notices(m)
		switch {
		case errors.As(err, &evaluationError{}):
			return "an error of the evaluation", nil
		case err != nil:
			return "", err
		case noticed:
			return w.name, nil
		}
	}
	return "", nil
}
