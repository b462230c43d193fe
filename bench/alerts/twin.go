package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
)

// twin computes what our rules on the limits of keys compute, without Prometheus' engine and a hundred times as fast, for tuning
// and for fleets that would take the engine hours. A test compares its report with the engine's. The evaluation is every two minutes.
type twin struct {
	limits  thresholds
	without string // a clause that is left out, to see what it is worth
}

// thresholds are those of dashboards/thresholds.ts that the rules on limits use: seconds and shares.
type thresholds struct {
	Imminent, ImminentOver, ImminentUncertain          float64
	NextHour                                           struct{ Margin, Quarter float64 }
	LongBefore                                         float64
	Certain                                            struct{ Ratio, Within float64 }
	Unusual15m, Unusual1h, UnusualNow, AsUsual         float64
	LastsPerhaps, LastsUsually, LastsSurely, LastsRate float64
	LastingPart, DryRatio, ForecastMargin, DayConfirms float64
	PredictedSoon, PredictedAnyway, PredictedNextHour  float64
	Predicted, PredictedDays, Slow, Low                float64
	ExhaustedRatio                                     float64
	Exhausted, ExhaustedSeldom                         struct{ Idle, Rest float64 }
	Unheard                                            float64
}

// clauses are the parts of the alerts' conditions that can be left out.
var clauses = []string{
	"imminent: lasting rate", "imminent: six hours", "imminent: unusual hour", "imminent: unusual quarter",
	"imminent: next hour", "imminent: typical day", "imminent: last day", "imminent: lasts usually", "imminent: lasts perhaps",
	"imminent: memory", "predicted: unusual quarter", "predicted: leaves an hour", "predicted: lasting rate", "predicted: six hours", "predicted: usual next hour", "predicted: lasts usually",
	"predicted: lasts surely", "predicted: typical day", "predicted: day's rate", "predicted: last day", "predicted: memory", "predicted: memory of six hours",
	"forecast: as usual", "forecast: dry days", "forecast: dry hours", "forecast: margin", "slow: last day", "slow: memory", "low: last day", "low: memory",
	"exhausted: stopped", "exhausted: seldom", "exhausted: memory", "all: silence", "all: changed limit",
}

// newTwins returns the twin with the thresholds of a JSON file, without a clause or, for "each", a twin without each clause in turn.
func newTwins(file, without string) (sets []RuleSet, twins []*twin, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	complete, object := twin{}, map[string]any{}
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := requireFields(object, reflect.TypeOf(complete.limits), ""); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := json.Unmarshal(text, &complete.limits); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	if without != "each" {
		complete.without = without
		return []RuleSet{{Name: "ours"}}, []*twin{&complete}, nil
	}
	sets, twins = []RuleSet{{Name: "complete"}}, []*twin{&complete}
	for _, clause := range clauses {
		sets, twins = append(sets, RuleSet{Name: clause}), append(twins, &twin{complete.limits, clause})
	}
	return sets, twins, nil
}

// requireFields reports a threshold that an object lacks: it would silently be 0.
func requireFields(object map[string]any, of reflect.Type, place string) error {
	for field := range of.Fields() {
		name := strings.ToLower(field.Name[:1]) + field.Name[1:]
		if field.Type.Kind() == reflect.Struct {
			inner, _ := object[name].(map[string]any)
			if err := requireFields(inner, field.Type, place+name+"."); err != nil {
				return err
			}
		} else if _, ok := object[name].(float64); !ok {
			return fmt.Errorf("threshold %q is missing or no number", place+name)
		}
	}
	return nil
}

// has reports whether a clause is part of the rules.
func (t *twin) has(clause string) bool { return t.without != clause }

// changesSeries reports whether a twin computes other series than the complete one.
func (t *twin) changesSeries() bool {
	return strings.HasPrefix(t.without, "forecast") || t.without == "predicted: typical day" || t.without == "predicted: last day" || t.without == "predicted: day's rate"
}

// runTwins judges keys by the alerts of each twin.
func runTwins(sets []RuleSet, twins []*twin, c *Clock, ids []int, procs int, build func(id int) *Key, rp *verdicts) {
	eachKey(ids, procs, build, func(k *Key) {
		shared := twins[0].series(k, c)
		for i, t := range twins {
			series := shared
			if i > 0 && t.changesSeries() {
				series = t.series(build(k.ID), c)
			}
			rp.judge(k, sets[i].Name, t.alerts(k, t.conditions(series)))
		}
	})
}

// eachKey builds the keys with these numbers, a few at once.
func eachKey(ids []int, procs int, build func(id int) *Key, judge func(k *Key)) {
	_ = inParallel(procs, len(ids), func(i int) error {
		judge(build(ids[i]))
		return nil
	})
}

var absent = math.NaN()

func present(x float64) bool { return x == x }

// line is a recorded series of one key: a value for each evaluation, NaN where it is absent.
type line []float64

func newLine(n int) line {
	l := make(line, n)
	for i := range l {
		l[i] = absent
	}
	return l
}

// before returns the value `back` evaluations before the i-th one.
func (l line) before(i, back int) float64 {
	if i < back {
		return absent
	}
	return l[i-back]
}

// lately is last_over_time over ten minutes of a series that is recorded every four.
func (l line) lately(i int) float64 {
	for j := i - i%2; j >= 0 && i-j < 5; j -= 2 {
		if present(l[j]) {
			return l[j]
		}
	}
	return absent
}

// historic is last_over_time over two hours of a series that is recorded every hour.
func (l line) historic(i int) float64 {
	j := i - i%evaluationsAnHour
	if present(l[j]) {
		return l[j]
	}
	return l.before(j, evaluationsAnHour)
}

// most returns the largest value, or with sign -1 the smallest, of `count` values that are `every` evaluations apart.
func (l line) most(sign float64, i, back, count, every int) float64 {
	r := absent
	for j := i - back; j >= 0 && count > 0; j, count = j-every, count-1 {
		if x := l[j]; present(x) && !(sign*x <= sign*r) {
			r = x
		}
	}
	return r
}
