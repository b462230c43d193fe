package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
)

// storyFile has histories with the alerts that they must cause, and changed rules, of which some story should notice each.
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

// tellStories runs the stories of a JSON file with the rules of another file changed in turn. It writes one verdict a line, as JSON.
// It fails if the unchanged rules do not meet every story.
func tellStories(w io.Writer, storiesFile, rulesFile string, procs int) error {
	text, err := os.ReadFile(storiesFile)
	if err != nil {
		return err
	}
	var file storyFile
	if err := json.Unmarshal(text, &file); err != nil {
		return fmt.Errorf("%s: %w", storiesFile, err)
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

// world is a suite with what the unchanged rules make of it.
type world struct {
	name    string
	step    int
	expect  []expectation
	engine  *promql.Engine
	raw     *memStore
	rules   []*storyRule
	outputs []*memStore // by rule

	byMetric map[string][]int // the rules that write it
}

func newWorld(s suite, rules []*storyRule) (*world, error) {
	step := int64(s.Step) * 60_000
	w := &world{name: s.Name, step: s.Step, expect: slices.Clone(s.Expect), rules: rules, raw: newMemStore(math.MaxInt64 / 2), byMetric: byMetric(rules)}
	w.engine = promql.NewEngine(promql.EngineOpts{MaxSamples: 1e9, Timeout: time.Hour, LookbackDelta: 5 * time.Minute,
		EnableAtModifier: true, EnableNegativeOffset: true, Parser: prom, NoStepSubqueryIntervalFn: func(int64) int64 { return step }})
	slices.SortStableFunc(w.expect, func(a, b expectation) int { return a.At - b.At })
	for _, series := range s.Series {
		if err := w.write(series); err != nil {
			return nil, err
		}
	}
	every := make([]int, len(rules))
	for i := range rules {
		w.outputs = append(w.outputs, newMemStore(math.MaxInt64/2))
		every[i] = i
	}
	return w, w.play(every, w.expect)
}

func (w *world) write(s writtenSeries) error {
	l, values, err := prom.ParseSeriesDesc(s.Series + " " + s.Values)
	if err != nil {
		return err
	}
	series := w.raw.series(l)
	for minute, value := range values {
		if !value.Omitted {
			err = errors.Join(err, series.append(int64(minute)*60_000, value.Value, w.raw.keep))
		}
	}
	return err
}

// play evaluates some rules over the whole time; the outputs of the others must be there. It returns errUnmet at the first unmet expectation.
func (w *world) play(some []int, expect []expectation) error {
	var now int64
	groups, err := w.groups(some, &now)
	if err != nil {
		return err
	}
	for minute := 0; len(expect) > 0; minute += w.step {
		now = int64(minute) * 60_000
		for _, group := range groups {
			group.Eval(context.Background(), time.UnixMilli(now).UTC())
			if err := group.Rules()[0].LastError(); err != nil {
				return evaluationError{fmt.Errorf("%s at minute %d: %w", group.Rules()[0].Name(), minute, err)}
			}
		}
		for len(expect) > 0 && expect[0].At < minute+w.step {
			if err := w.check(expect[0]); err != nil {
				return err
			}
			expect = expect[1:]
		}
	}
	return nil
}

// check compares an expectation with what there is.
func (w *world) check(e expectation) error {
	at := time.Unix(int64(e.At)*60, 0).UTC()
	query, err := w.engine.NewInstantQuery(context.Background(), everything{w}, nil, e.Expr, at)
	if err != nil {
		return err
	}
	defer query.Close()
	vector, err := query.Exec(context.Background()).Vector()
	if err != nil {
		return err
	}
	var got, want []string
	for _, s := range vector {
		got = append(got, fmt.Sprint(s.Metric, s.F))
	}
	for _, s := range e.Samples {
		l, err := prom.ParseMetric(s.Labels)
		if err != nil {
			return err
		}
		value, err := strconv.ParseFloat(s.Value, 64)
		if err != nil {
			return err
		}
		want = append(want, fmt.Sprint(l, value))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("%w: %s at minute %d is [%s], want [%s]", errUnmet, e.Expr, e.At, strings.Join(got, " "), strings.Join(want, " "))
	}
	return nil
}

// notices reports whether some story of the suite is not met if a rule is changed.
func (w *world) notices(m mutant) (bool, error) {
	index, changed, err := w.changed(m)
	if err != nil {
		return false, err
	}
	// First only the rule itself: if its results are the same, so are those of all other rules.
	if err := changed.play([]int{index}, w.expect[len(w.expect)-1:]); err != nil && !errors.Is(err, errUnmet) {
		return false, err
	}
	keys, differs := differences(w.outputs[index], changed.outputs[index])
	if !differs {
		return false, nil
	}
	affected := changed.only(keys)
	some := affected.dependents(index)
	for _, i := range some {
		affected.outputs[i] = newMemStore(math.MaxInt64 / 2)
	}
	err = affected.play(some, affected.expect)
	if errors.Is(err, errUnmet) {
		return true, nil
	}
	return false, err
}

// changed returns the suite with a changed rule, whose output is empty.
func (w *world) changed(m mutant) (int, *world, error) {
	index := slices.IndexFunc(w.rules, func(r *storyRule) bool { return r.name() == m.Rule })
	if index < 0 {
		return 0, nil, fmt.Errorf("no rule is named %q", m.Rule)
	}
	rule, err := newStoryRule(w.rules[index].Rule, m.Expr)
	if err != nil {
		return 0, nil, err
	}
	changed := *w
	changed.rules, changed.outputs = slices.Clone(w.rules), slices.Clone(w.outputs)
	changed.rules[index], changed.outputs[index] = rule, newMemStore(math.MaxInt64/2)
	return index, &changed, nil
}

// only returns the suite with the series and expectations of some keys, because rules on keys compute each alone. No keys: all.
func (w *world) only(keys map[string]bool) *world {
	if len(keys) == 0 {
		return w
	}
	some := *w
	wanted := func(l labels.Labels) bool { key := l.Get("key"); return key == "" || keys[key] }
	some.raw = w.raw.filter(wanted)
	some.outputs = make([]*memStore, len(w.outputs))
	for i, output := range w.outputs {
		some.outputs[i] = output.filter(wanted)
	}
	some.expect = slices.DeleteFunc(slices.Clone(w.expect), func(e expectation) bool {
		_, rest, named := strings.Cut(e.Expr, `key="`)
		name, _, _ := strings.Cut(rest, `"`)
		return named && !keys[name]
	})
	return &some
}
