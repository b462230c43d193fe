package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// minuteLayout is the form of -from and -to.
const minuteLayout = "2006-01-02T15:04"

// options are the values of the flags, and what is read from them.
type options struct {
	rules, start, warn, from, to, class, twin, oracle, without, mutants, stories, fleet, data, profile string
	keys, days, warmup, step, procs, key, worst, cost                                                  int
	seed                                                                                               uint64
	tsdb, verbose                                                                                      bool

	given                   map[string]bool // the flags of the command line
	files                   []RuleSet
	warnRegexp, classRegexp *regexp.Regexp
	firstDay                time.Time
}

func readOptions() (*options, error) {
	o := &options{given: map[string]bool{}}
	flag.StringVar(&o.rules, "rules", "reference=contenders/keys/reference.yaml,predict=contenders/keys/predict-linear.yaml,static=contenders/keys/static.yaml", "name=file, comma separated")
	flag.IntVar(&o.keys, "keys", 400, "keys in the fleet (class = key modulo the number of classes)")
	flag.IntVar(&o.days, "days", 30, "scored days")
	flag.IntVar(&o.warmup, "warmup", 0, "days of rule evaluation before scoring (default: 3 for keys, 4 for accounts, 9 for anomalies, 33 for budgets)")
	flag.StringVar(&o.start, "start", "2026-03-16", "first scored day, UTC")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the fleet")
	flag.IntVar(&o.step, "step", 1, "shortest evaluation interval in minutes (0 or 1: the rule file's interval, at least a minute)")
	flag.IntVar(&o.procs, "procs", runtime.NumCPU(), "how many run at once: shards of keys, keys of -twin and -oracle, or suites and changed rules of -stories")
	flag.StringVar(&o.warn, "warn", "", "names of the alerts that count, a regular expression (default: by -fleet, for keys "+kindDefaults["keys"].warn+")")
	flag.BoolVar(&o.tsdb, "tsdb", false, "use a real TSDB in a temporary folder instead of the in-memory store (slower, same result)")
	flag.IntVar(&o.key, "key", -1, "replay one key")
	flag.BoolVar(&o.verbose, "v", false, "with -key: print its timeline")
	flag.StringVar(&o.from, "from", "", "with -v: print a row each 15 min from this time ("+minuteLayout+")")
	flag.StringVar(&o.to, "to", "", "with -v: until this time")
	flag.IntVar(&o.worst, "worst", 8, "worst keys to list")
	flag.StringVar(&o.profile, "cpuprofile", "", "write a CPU profile")
	flag.IntVar(&o.cost, "cost", 0, "instead of a fleet: what one evaluation of the only rule file costs with this many keys and eight days of history")
	flag.StringVar(&o.data, "data", "", "with -cost, instead of an evaluation: write the history into this folder of a Prometheus, and serve the keys to it")
	flag.StringVar(&o.class, "class", "", "only keys of classes that match this regular expression")
	flag.StringVar(&o.twin, "twin", "", "our rules on keys without Prometheus' engine, a hundred times as fast, with the thresholds of this JSON file")
	flag.StringVar(&o.oracle, "oracle", "", "beside the rules, a reference that knows how the spend of each key is generated: an oracle for each of these prices of a false alert, such as 0.01,0.1")
	flag.StringVar(&o.without, "without", "", "with -twin: a clause that is left out, or \"each\" for a report that compares the rules without each clause")
	flag.StringVar(&o.mutants, "mutants", "", "instead of a fleet: each rule of this file without each of its clauses in turn, as JSON")
	flag.StringVar(&o.stories, "stories", "", "instead of a fleet: which changed rules of this JSON file its stories notice, given the unchanged ones as the only rule file")
	flag.StringVar(&o.fleet, "fleet", "keys", "keys that run out of credits, accounts that do, anomalies of spend, or budgets")
	help := flag.Bool("help", false, "list all flags")
	flag.Usage = func() { fmt.Fprintln(flag.CommandLine.Output(), "-help lists all flags") }
	flag.Parse()
	if *help {
		flag.PrintDefaults()
		os.Exit(0)
	}
	flag.Visit(func(f *flag.Flag) { o.given[f.Name] = true })
	defaults, ok := kindDefaults[o.fleet]
	if !ok {
		return nil, fmt.Errorf("-fleet %q: it must be keys, accounts, anomalies or budgets", o.fleet)
	}
	if !o.given["warn"] {
		o.warn = defaults.warn
	}
	if !o.given["warmup"] {
		o.warmup = defaults.warmup
	}
	if (o.twin != "" || o.oracle != "") && !o.given["rules"] {
		o.rules = ""
	}
	for _, check := range []func() error{o.checkNumbers, o.checkCombinations, o.parse} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (o *options) checkNumbers() error {
	if flag.NArg() > 0 {
		return fmt.Errorf("argument %q belongs to no flag: the rule files of -rules have commas between them, and no spaces", flag.Arg(0))
	}
	numbers := []struct {
		name         string
		value, least int
	}{{"keys", o.keys, 1}, {"days", o.days, 1}, {"procs", o.procs, 1}, {"warmup", o.warmup, 0}, {"step", o.step, 0}, {"worst", o.worst, 0}, {"key", o.key, 0}, {"cost", o.cost, 1}}
	for _, x := range numbers {
		// The defaults of -key and -cost are below what may be given.
		if o.given[x.name] && x.value < x.least {
			return fmt.Errorf("-%s %d: it must be at least %d", x.name, x.value, x.least)
		}
	}
	return nil
}

func (o *options) checkCombinations() error {
	hasTimeline := o.fleet == "keys" || o.fleet == "accounts"
	switch {
	case o.data != "" && o.cost == 0:
		return fmt.Errorf("-data %q: it needs -cost", o.data)
	case o.without != "" && o.twin == "":
		return fmt.Errorf("-without %q: it needs -twin", o.without)
	case o.without != "" && o.without != "each" && !slices.Contains(clauses, o.without):
		return fmt.Errorf("-without %q: it must be \"each\" or a clause: %s", o.without, strings.Join(clauses, ", "))
	case o.twin != "" && o.fleet != "keys":
		return fmt.Errorf("-fleet %q: -twin has only the rules on keys", o.fleet)
	case o.verbose && o.key < 0:
		return errors.New("-v: it needs -key")
	case o.verbose && !hasTimeline:
		return fmt.Errorf("-v: a fleet of %s has no timelines", o.fleet)
	case (o.from != "" || o.to != "") && !o.verbose:
		return errors.New("-from and -to: they need -v")
	case o.stories != "" && (!o.given["rules"] || strings.Contains(o.rules, ",")):
		return fmt.Errorf("-stories %q: -rules must name one rule file, as name=file", o.stories)
	case o.oracle != "" && (o.cost > 0 || o.stories != "" || o.mutants != ""):
		return fmt.Errorf("-oracle %q: it needs a fleet, which -cost, -stories and -mutants do not run", o.oracle)
	case o.oracle != "" && o.fleet != "keys":
		return fmt.Errorf("-fleet %q: -oracle knows only keys", o.fleet)
	case o.rules == "" && o.twin == "" && o.oracle == "" && o.mutants == "" && o.data == "":
		return errors.New("-rules \"\": it must name a rule file, as name=file")
	}
	return nil
}

// parse reads the values that have a form.
func (o *options) parse() (err error) {
	if o.warnRegexp, err = regexp.Compile(o.warn); err != nil {
		return fmt.Errorf("-warn %q: %w", o.warn, err)
	}
	if o.classRegexp, err = regexp.Compile(o.class); err != nil {
		return fmt.Errorf("-class %q: %w", o.class, err)
	}
	if o.firstDay, err = time.Parse(time.DateOnly, o.start); err != nil {
		return fmt.Errorf("-start %q: it must be a day like 2026-03-16", o.start)
	}
	for _, text := range strings.FieldsFunc(o.rules, func(r rune) bool { return r == ',' }) {
		name, file, _ := strings.Cut(strings.TrimSpace(text), "=")
		if name == "" || file == "" {
			return fmt.Errorf("-rules: %q must be name=file", text)
		}
		o.files = append(o.files, RuleSet{name, file})
	}
	c := o.clock()
	for _, x := range []struct{ name, value string }{{"from", o.from}, {"to", o.to}} {
		if x.value == "" {
			continue
		}
		at, err := time.Parse(minuteLayout, x.value)
		if err != nil {
			return fmt.Errorf("-%s %q: it must be a minute like 2026-03-16T08:00", x.name, x.value)
		}
		if first, last := time.Unix(c.T0, 0).UTC(), time.Unix(c.unix(c.N), 0).UTC(); at.Before(first) || at.After(last) {
			return fmt.Errorf("-%s %q: the simulated time is %s to %s", x.name, x.value, first.Format(minuteLayout), last.Format(minuteLayout))
		}
	}
	return nil
}

// clock returns the simulated time.
func (o *options) clock() *Clock {
	from, to := o.firstDay.AddDate(0, 0, -o.warmup).Unix(), o.firstDay.AddDate(0, 0, o.days).Unix()
	c := &Clock{T0: windowStart(Monthly, from)}
	minutes := func(t int64) int { return int((t - c.T0) / 60) }
	c.RunFrom, c.ScoreFrom, c.RunTo = minutes(from), minutes(o.firstDay.Unix()), minutes(to)
	c.N = minutes(max(windowEnd(Monthly, to), to+8*daySec))
	return c
}

// checkNames reports rule sets with the same name: their columns could not be told apart.
func checkNames(sets []RuleSet) error {
	seen := map[string]bool{}
	for _, s := range sets {
		if seen[s.Name] {
			return fmt.Errorf("-rules: two rule sets are named %q, each needs its own name", s.Name)
		}
		seen[s.Name] = true
	}
	return nil
}

// selected returns the numbers of the keys that -key and -class name.
func (o *options) selected(classOf func(id int) string) (ids []int, err error) {
	seen := map[string]bool{}
	var names []string
	for id := range max(o.keys, o.key+1) {
		class := classOf(id)
		if !seen[class] {
			seen[class], names = true, append(names, class)
		}
		if (o.key < 0 || id == o.key) && o.classRegexp.MatchString(class) {
			ids = append(ids, id)
		}
	}
	switch {
	case len(ids) > 0:
		return ids, nil
	case o.key >= 0:
		return nil, fmt.Errorf("-class %q: key %d has the class %s", o.class, o.key, classOf(o.key))
	}
	return nil, fmt.Errorf("-class %q: it must match a class of the fleet: %s", o.class, strings.Join(names, ", "))
}

// replay is the command that repeats one key of this run, without its number.
func (o *options) replay() string {
	words := []string{os.Args[0]}
	flag.VisitAll(func(f *flag.Flag) {
		switch f.Name {
		case "key", "v", "from", "to", "class", "worst", "procs", "cpuprofile":
			return
		case "keys", "days", "seed", "step":
		default:
			if !o.given[f.Name] {
				return
			}
		}
		words = append(words, shellWord("-"+f.Name+"="+f.Value.String()))
	})
	return strings.Join(words, " ") + " -v -key"
}

func shellWord(text string) string {
	if regexp.MustCompile(`^[\w./=,:-]*$`).MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
