// Alertsim measures credit-exhaustion alert rules over a simulated fleet of keys
// whose truth is known, with Prometheus' own rule engine at simulated time.
package main

import (
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
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
	if o.profile != "" {
		f, err := os.Create(o.profile)
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			return fail(exitUsage, fmt.Errorf("-cpuprofile: %w", err))
		}
		defer pprof.StopCPUProfile()
	}
	switch {
	case o.mutants != "":
		if err := printMutants(os.Stdout, o.mutants); err != nil {
			return fail(exitUsage, fmt.Errorf("-mutants: %w", err))
		}
		return 0
	case o.stories != "":
		if err := runStories(os.Stdout, o.stories, o.files[0].File, o.procs); err != nil {
			return fail(exitFailed, fmt.Errorf("-stories: %w", err))
		}
		return 0
	case o.cost > 0:
		if err := cost(os.Stdout, o.files, o.cost, o.data); err != nil {
			return fail(exitFailed, fmt.Errorf("-cost: %w", err))
		}
		return 0
	}
	return o.simulate()
}

// simulate judges the rule files and the twins over a fleet.
func (o *options) simulate() int {
	var sets []RuleSet
	var twins []*twin
	var err error
	if o.twin != "" {
		if sets, twins, err = newTwins(o.twin, o.without); err != nil {
			return fail(exitUsage, fmt.Errorf("-twin: %w", err))
		}
	}
	seers, oracles, err := readOracles(o.oracle)
	if err != nil {
		return fail(exitUsage, fmt.Errorf("-oracle: %w", err))
	}
	sets = append(append(sets, seers...), o.files...)
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
	build := func(id int) *Key { return kind.build(o.seed, id, c) }
	judged := &verdicts{scorer: kind.scorer, episodes: map[string][]Episode{}}
	x := &engineRun{clock: c, files: o.files, needed: func(n string) bool { return names[n] || names[""] }, back: back + 15*time.Minute, step: o.step,
		tsdb: o.tsdb, warns: o.warnRegexp.MatchString, label: kind.label, began: time.Now(), uses: map[string][]alertUse{}, spent: map[string]time.Duration{}, errs: map[string]int{}}
	if twins != nil {
		runTwins(sets, twins, c, ids, o.procs, build, judged)
		x.uses[sets[0].Name] = twinAlerts
	}
	runOracles(seers, oracles, c, o.seed, ids, o.procs, build, judged)
	shards := 0
	if len(o.files) > 0 {
		if shards, err = x.play(ids, o.procs, build, judged); err != nil {
			return fail(exitFailed, err)
		}
	}
	if report, ok := kind.scorer.(*Report); ok && o.verbose {
		timeline(os.Stdout, c, judged.key, judged.episodes, report, o.from, o.to)
	}
	var uncounted []string
	for _, s := range sets {
		if uses, ok := x.uses[s.Name]; ok {
			if !printCounted(os.Stdout, s.Name, uses, o.warnRegexp, kind) {
				uncounted = append(uncounted, s.Name)
			}
		}
	}
	if missing, err := withoutSamples(o.files, names, build(ids[0])); err != nil {
		return fail(exitUsage, err)
	} else if len(missing) > 0 {
		fmt.Printf("\nWithout samples: %s\n", strings.Join(missing, ", "))
	}
	if len(x.errs) > 0 {
		fmt.Println()
	}
	for _, e := range slices.Sorted(maps.Keys(x.errs)) {
		fmt.Printf("RULE ERROR x%d %s\n", x.errs[e], e)
	}
	kind.scorer.print(os.Stdout, o.worst)
	fmt.Printf("\n%d keys, %d days scored from %s (+%d warm-up), seed %d, wall %.0f s", len(ids), o.days, o.start, o.warmup, o.seed, time.Since(x.began).Seconds())
	if shards > 0 {
		fmt.Printf(", %d scraped samples, %d shards; engine time", x.samples, shards)
	}
	for _, s := range o.files {
		fmt.Printf(" %s %.0f s", s.Name, x.spent[s.Name].Seconds())
	}
	fmt.Printf("; to replay key N: %s N\n", o.replay())
	for _, set := range uncounted {
		fmt.Printf("%s: no alert rule counts, see \"Alerts of %[1]s\"\n", set)
	}
	if len(x.errs) > 0 || len(uncounted) > 0 {
		return exitFailed
	}
	return 0
}
