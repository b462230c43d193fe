// Alertsim measures credit-exhaustion alert rules over a simulated fleet of keys
// whose truth is known, with Prometheus' own rule engine at simulated time.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	var (
		ruleFlag = flag.String("rules", "reference=contenders/keys/reference.yaml,predict=contenders/keys/predict-linear.yaml,static=contenders/keys/static.yaml", "name=file, comma separated")
		keys     = flag.Int("keys", 400, "keys in the fleet (class = key modulo the number of classes)")
		days     = flag.Int("days", 30, "scored days")
		warmup   = flag.Int("warmup", 3, "days of rule evaluation before scoring")
		startAt  = flag.String("start", "2026-03-16", "first scored day, UTC")
		seed     = flag.Uint64("seed", 1, "seed of the fleet")
		step     = flag.Int("step", 1, "shortest evaluation interval in minutes (the rule file's interval otherwise)")
		procs    = flag.Int("procs", runtime.NumCPU(), "shards run at once")
		warn     = flag.String("warn", `(?i)exhaust|predicted|imminent|low`, "alert names that count as exhaustion warnings")
		useTSDB  = flag.Bool("tsdb", false, "use a real TSDB in a temporary folder instead of the in-memory store (slower, same result)")
		only     = flag.Int("key", -1, "replay one key")
		verbose  = flag.Bool("v", false, "with -key: print its timeline")
		from     = flag.String("from", "", "with -v: print a row each 15 min from this time (2006-01-02T15:04)")
		to       = flag.String("to", "", "with -v: until this time")
		worst    = flag.Int("worst", 8, "worst keys to list")
		prof     = flag.String("cpuprofile", "", "write a CPU profile")
		costKeys = flag.Int("cost", 0, "instead of a fleet: what one evaluation of the first rule file costs with this many keys and eight days of history")
		data     = flag.String("data", "", "with -cost, instead of an evaluation: write the history into this folder of a Prometheus, and serve the keys to it")
		class    = flag.String("class", "", "only keys of classes that match this regular expression")
		twinFile = flag.String("twin", "", "our rules on keys without Prometheus' engine, a hundred times as fast, with the thresholds of this JSON file")
		without  = flag.String("without", "", "with -twin: a clause that is left out, or \"each\" for a report that compares the rules without each clause")
		mutants  = flag.String("mutants", "", "instead of a fleet: each rule of this file without each of its clauses in turn, as JSON")
		kind     = flag.String("fleet", "keys", "keys that run out of credits, accounts that do, anomalies of spend, or budgets; -warn names the alerts that count")
	)
	flag.Parse()
	debug.SetGCPercent(800)
	if *prof != "" {
		f, err := os.Create(*prof)
		if err != nil {
			log.Fatal(err)
		}
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	if *mutants != "" {
		if err := printMutants(os.Stdout, *mutants); err != nil {
			log.Fatalf("-mutants: %v", err)
		}
		return
	}
	warnRe, classRe := regexp.MustCompile(*warn), regexp.MustCompile(*class)
	var sets []RuleSet
	var twins []*twin
	names, back, explicit := map[string]bool{}, time.Duration(0), map[string]bool{}
	flag.Visit(func(f *flag.Flag) { explicit[f.Name] = true })
	if *twinFile != "" {
		if !explicit["rules"] {
			*ruleFlag = ""
		}
		var err error
		if sets, twins, err = newTwins(*twinFile, *without); err != nil {
			log.Fatalf("-twin: %v", err)
		}
	}
	var files []RuleSet
	for _, s := range strings.FieldsFunc(*ruleFlag, func(r rune) bool { return r == ',' }) {
		n, f, ok := strings.Cut(s, "=")
		if !ok {
			log.Fatalf("-rules: %q is not name=file", s)
		}
		files = append(files, RuleSet{n, f})
		ns, b, err := selectors(f)
		if err != nil {
			log.Fatalf("%s: %v", f, err)
		}
		for x := range ns {
			names[x] = true
		}
		back = max(back, b)
	}
	if *costKeys > 0 {
		if err := cost(os.Stdout, files, *costKeys, *data); err != nil {
			log.Fatalf("-cost: %v", err)
		}
		return
	}
	back, sets = back+15*time.Minute, append(sets, files...)
	needed := func(n string) bool { return names[n] || names[""] }

	start, err := time.Parse("2006-01-02", *startAt)
	if err != nil {
		log.Fatal(err)
	}
	runFrom := start.AddDate(0, 0, -*warmup).Unix()
	end := start.AddDate(0, 0, *days).Unix()
	c := &Clock{T0: windowStart(Monthly, runFrom)}
	mins := func(t int64) int { return int((t - c.T0) / 60) }
	c.RunFrom, c.ScoreFrom, c.RunTo = mins(runFrom), mins(start.Unix()), mins(end)
	c.N = mins(max(windowEnd(Monthly, end), end+8*daySec))

	fleet, err := fleetOf(*kind, c, sets, float64(*days))
	if err != nil {
		log.Fatal(err)
	}
	rp, build, classOf := fleet.scorer, fleet.build, fleet.classOf
	if *only >= 0 {
		*keys = max(*keys, *only+1)
	}
	var ids []int
	for id := range *keys {
		if (*only < 0 || id == *only) && classRe.MatchString(classOf(id)) {
			ids = append(ids, id)
		}
	}
	buildOne := func(id int) *Key { return build(*seed, *keys, c, id)[0] }
	if twins != nil {
		runTwins(sets, twins, c, ids, buildOne, rp)
	}
	if len(files) == 0 {
		rp.print(os.Stdout, *worst)
		return
	}
	run := &engineRun{clock: c, files: files, needed: needed, back: back, step: *step, tsdb: *useTSDB, warns: warnRe.MatchString,
		began: time.Now(), episodes: map[string][]Episode{}, spent: map[string]time.Duration{}, errs: map[string]int{}}
	shards := run.play(ids, *procs, buildOne, rp)
	if report, ok := rp.(*Report); ok && *verbose && *only >= 0 {
		timeline(os.Stdout, c, run.last, run.episodes, report, *from, *to)
	}
	rp.print(os.Stdout, *worst)
	fmt.Printf("\n%d keys, %d days scored from %s (+%d warm-up), seed %d, %d scraped samples, %d shards, wall %.0f s; engine time", len(ids), *days, *startAt, *warmup, *seed, run.samples, shards, time.Since(run.began).Seconds())
	for _, s := range files {
		fmt.Printf(" %s %.0f s", s.Name, run.spent[s.Name].Seconds())
	}
	fmt.Println()
	for e, n := range run.errs {
		fmt.Printf("RULE ERROR x%d %s\n", n, e)
	}
}
