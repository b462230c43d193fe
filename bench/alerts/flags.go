package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// options are the values of the flags, and what is read from them.
type options struct {
	rules, start, class, forecast, fleet, write string
	keys, days, warmup, step, procs             int
	seed                                        uint64
	history                                     bool

	given       map[string]bool // the flags of the command line
	files       []RuleSet
	classRegexp *regexp.Regexp
	firstDay    time.Time
}

func readOptions() (*options, error) {
	o := &options{given: map[string]bool{}}
	flag.StringVar(&o.rules, "rules", "reference=contenders/keys/reference.yaml,predict=contenders/keys/predict-linear.yaml,static=contenders/keys/static.yaml", "name=file, comma separated")
	flag.IntVar(&o.keys, "keys", 400, "keys in the fleet (class = key modulo the number of classes)")
	flag.IntVar(&o.days, "days", 30, "scored days")
	flag.IntVar(&o.warmup, "warmup", 0, "days of rule evaluation before scoring (default: 3 for keys, 4 for accounts)")
	flag.StringVar(&o.start, "start", "2026-03-16", "first scored day, UTC")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the fleet")
	flag.IntVar(&o.step, "step", 1, "shortest evaluation interval in minutes (0 or 1: the rule file's interval, at least a minute)")
	flag.IntVar(&o.procs, "procs", runtime.NumCPU(), "how many run at once: shards of keys, or keys")
	flag.StringVar(&o.write, "write", "", "instead of a fleet: write eight days of history of so many keys into this data folder of a Prometheus")
	flag.StringVar(&o.class, "class", "", "only keys of classes that match this regular expression")
	flag.StringVar(&o.forecast, "forecast", "", "compute the exporter's forecast by this program (forecasts.ts); without a rule file of the name ours, also judge our alerts on it")
	flag.BoolVar(&o.history, "history", false, "with -forecast: every process begins with the gateway's history")
	flag.StringVar(&o.fleet, "fleet", "keys", "keys, layers or accounts that run out of credits")
	help := flag.Bool("help", false, "list all flags")
	flag.Usage = func() { fmt.Fprintln(flag.CommandLine.Output(), "-help lists all flags") }
	flag.Parse()
	if *help {
		flag.PrintDefaults()
		os.Exit(0)
	}
	flag.Visit(func(f *flag.Flag) { o.given[f.Name] = true })
	if !o.given["warmup"] {
		o.warmup = warmups[o.fleet]
	}
	if o.forecast != "" && !o.given["rules"] {
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
	}{{"keys", o.keys, 1}, {"days", o.days, 1}, {"procs", o.procs, 1}, {"warmup", o.warmup, 0}, {"step", o.step, 0}}
	for _, x := range numbers {
		if o.given[x.name] && x.value < x.least {
			return fmt.Errorf("-%s %d: it must be at least %d", x.name, x.value, x.least)
		}
	}
	return nil
}

func (o *options) checkCombinations() error {
	switch {
	case o.history && o.forecast == "":
		return errors.New("-history: it needs -forecast")
	case o.rules == "" && o.forecast == "" && o.write == "":
		return errors.New("-rules \"\": it must name a rule file, as name=file")
	}
	return nil
}

// parse reads the values that have a form.
func (o *options) parse() (err error) {
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

// selected returns the numbers of the keys of the classes that -class names.
func (o *options) selected(classOf func(id int) string) (ids []int, err error) {
	for id := range o.keys {
		if o.classRegexp.MatchString(classOf(id)) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("-class %q: it must match a class of the fleet", o.class)
	}
	return ids, nil
}
