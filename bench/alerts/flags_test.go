package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	o := options{rules: "a=1.yaml, b=2.yaml", start: "2026-03-16", days: 14, warmup: 3}
	if err := o.parse(); err != nil || !slices.Equal(o.files, []RuleSet{{"a", "1.yaml"}, {"b", "2.yaml"}}) {
		t.Errorf("%v, %v, want two files", o.files, err)
	}
	for want, o := range map[string]options{
		`"file.yaml" must be name=file`:    {rules: "file.yaml", start: "2026-03-16"},
		"it must be a day like 2026-03-16": {start: "16.3.2026"},
		`-class "(": `:                     {start: "2026-03-16", class: "("},
	} {
		if err := o.parse(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestClockOfOptions(t *testing.T) {
	const day = 1440
	for title, test := range map[string]struct {
		warmup, days int
		want         Clock
	}{
		"ends with the month":  {3, 1, Clock{RunFrom: 12 * day, ScoreFrom: 15 * day, RunTo: 16 * day, N: 31 * day}},
		"ends a week after it": {3, 14, Clock{RunFrom: 12 * day, ScoreFrom: 15 * day, RunTo: 29 * day, N: 37 * day}},
		"begins a month ahead": {16, 1, Clock{RunFrom: 27 * day, ScoreFrom: 43 * day, RunTo: 44 * day, N: 59 * day}},
	} {
		o := options{warmup: test.warmup, days: test.days, firstDay: time.Date(2026, 3, 16, 0, 0, 0, 0, time.UTC)}
		got := *o.clock()
		got.T0 = 0
		if got != test.want {
			t.Errorf("%s: %+v, want %+v", title, got, test.want)
		}
	}
}

func TestPlayReturnsTheErrorOfAShard(t *testing.T) {
	x := &engineRun{clock: &Clock{}, files: []RuleSet{{"a", "missing.yaml"}}}
	_, err := x.play([]int{0, 1}, 2, func(id int) (*Key, error) { return &Key{ID: id}, nil }, &Report{})
	if !os.IsNotExist(err) {
		t.Errorf("%v, want an error on the missing file", err)
	}
}
