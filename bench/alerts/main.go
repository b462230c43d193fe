// Alertsim measures credit-exhaustion alert rules over a simulated fleet of keys
// whose truth is known, with Prometheus' own rule engine at simulated time.
package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"time"
)

// The exit codes: a rule or a run that failed, and wrong usage.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	o, err := readOptions()
	if err != nil {
		os.Exit(fail(exitUsage, err))
	}
	os.Exit(o.run())
}

func fail(code int, err error) int {
	fmt.Fprintf(os.Stderr, "alertsim: %v\n", err)
	return code
}

func (o *options) run() int {
	debug.SetGCPercent(800)
	if o.write != "" {
		if err := writeHistory(o.write, o.keys); err != nil {
			return fail(exitFailed, fmt.Errorf("-write: %w", err))
		}
		return 0
	}
	return o.simulate()
}

// ours is the name of our rules.
const ours = "ours"

// simulate judges the rule files, and our alerts on the forecast, over a fleet.
func (o *options) simulate() int {
	var sets []RuleSet
	judgesOurs := o.forecast != "" && !slices.ContainsFunc(o.files, func(s RuleSet) bool { return s.Name == ours })
	if judgesOurs {
		sets = []RuleSet{{Name: ours}}
	}
	sets = append(sets, o.files...)
	if err := checkNames(sets); err != nil {
		return fail(exitUsage, err)
	}
	names, back, err := selectorsOf(o.files)
	if err != nil {
		return fail(exitUsage, fmt.Errorf("-rules: %w", err))
	}
	c := o.clock()
	kind, err := fleetOf(o.fleet, c, sets, float64(o.days))
	if err != nil {
		return fail(exitUsage, err)
	}
	ids, err := o.selected(kind.classOf)
	if err != nil {
		return fail(exitUsage, err)
	}
	build := func(id int) (*Key, error) { return kind.build(o.seed, id, c), nil }
	if o.forecast != "" {
		forecasts, err := startForecasters(o.forecast, o.history, min(o.procs, len(ids)))
		if err != nil {
			return fail(exitFailed, fmt.Errorf("-forecast: %w", err))
		}
		build = func(id int) (*Key, error) {
			k := kind.build(o.seed, id, c)
			return k, forecasts.play(c, k)
		}
	}
	x := &engineRun{clock: c, files: o.files, needed: func(n string) bool { return names[n] || names[""] }, back: back + 15*time.Minute, step: o.step,
		warns: kind.warns.MatchString, label: kind.label, began: time.Now(), spent: map[string]time.Duration{}, errs: map[string]int{}}
	if judgesOurs {
		if err := judgeOurs(c, ids, o.procs, build, kind.report); err != nil {
			return fail(exitFailed, err)
		}
	}
	shards := 0
	if len(o.files) > 0 {
		if shards, err = x.play(ids, o.procs, build, kind.report); err != nil {
			return fail(exitFailed, err)
		}
	}
	if len(x.errs) > 0 {
		fmt.Println()
	}
	for _, e := range slices.Sorted(maps.Keys(x.errs)) {
		fmt.Printf("RULE ERROR x%d %s\n", x.errs[e], e)
	}
	kind.report.print(os.Stdout)
	fmt.Printf("\n%d keys, %d days scored from %s (+%d warm-up), seed %d, wall %.0f s", len(ids), o.days, o.start, o.warmup, o.seed, time.Since(x.began).Seconds())
	if shards > 0 {
		fmt.Printf(", %d scraped samples, %d shards; engine time", x.samples, shards)
	}
	for _, s := range o.files {
		fmt.Printf(" %s %.0f s", s.Name, x.spent[s.Name].Seconds())
	}
	fmt.Println()
	if len(x.errs) > 0 {
		return exitFailed
	}
	return 0
}

// fleetKind is what a kind of fleet consists of, and how its alerts are scored.
type fleetKind struct {
	report  *Report
	build   func(seed uint64, id int, c *Clock) *Key
	classOf func(id int) string
	label   string         // of the alerts, that names the key
	warns   *regexp.Regexp // names of the alerts that count
}

// warmups are days of evaluation before the score: an account has a rate of three days.
var warmups = map[string]int{"keys": 3, "layers": 4, "accounts": 4}

func fleetOf(kind string, c *Clock, sets []RuleSet, days float64) (fleetKind, error) {
	report := &Report{c: c, sets: sets, tallies: map[string]map[string]*tally{}, days: days}
	switch kind {
	case "keys":
		classOf := func(id int) string { return classes[id%len(classes)].name }
		report.order = firstClasses(classOf, len(classes))
		return fleetKind{report, buildKey, classOf, "key", regexp.MustCompile(`(?i)exhaust|predicted|imminent|low`)}, nil
	case "layers":
		report.order = firstClasses(layerClass, len(layerKinds))
		return fleetKind{report, buildLayered, layerClass, "key", regexp.MustCompile(`(?i)exhaust|predicted|imminent`)}, nil
	case "accounts":
		report.order = firstClasses(accountClass, len(accountKinds)*len(spendShapes))
		return fleetKind{report, buildAccount, accountClass, "gateway", regexp.MustCompile("Account")}, nil
	}
	return fleetKind{}, fmt.Errorf("-fleet %q: it must be keys, layers or accounts", kind)
}

// firstClasses returns the classes of the first n keys, in their order.
func firstClasses(classOf func(id int) string, n int) (names []string) {
	for id := range n {
		names = append(names, classOf(id))
	}
	return names
}
