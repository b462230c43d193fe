package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
)

// history holds the recorded series that the rules look back at, as functions of a key that spends evenly.
// Those that the rules read over ranges are written as often as they are evaluated, and each as far back as the rules read it.
var history = []struct {
	name  string
	every int64 // seconds
	days  int64
	value func(*evenKey, int64) float64
}{
	{"key:aigateway_last_success_timestamp_seconds:max", 240, 4, func(k *evenKey, t int64) float64 { return float64(t - 20) }},
	{"key:aigateway_limit_usage_credits:latest", 240, 4, func(k *evenKey, t int64) float64 { return k.rate * float64(t) }},
	{"key:aigateway_limit_usage_credits:midnight", 240, 2, func(k *evenKey, t int64) float64 { return k.rate * float64(t-t%daySec) }},
	{"key:aigateway_limit_credits:latest", 240, 2, func(k *evenKey, t int64) float64 { return k.limit }},
	{"key:aigateway_limit_reset_seconds:left", 240, 1, func(k *evenKey, t int64) float64 { return float64(daySec - t%daySec) }},
	{"key:aigateway_limit_remaining_credits:latest", 120, 2, func(k *evenKey, t int64) float64 { return k.left(t) }},
	{"key:aigateway_limit_usage_credits:burn15m", 120, 1, func(k *evenKey, t int64) float64 { return k.rate }},
	{"key:aigateway_limit_usage_credits:burn1h", 120, 2, func(k *evenKey, t int64) float64 { return k.rate }},
	{"key:aigateway_limit_usage_credits:burn15m_max2h", 3600, 8, func(k *evenKey, t int64) float64 { return k.rate }},
	{"key:aigateway_limit_usage_credits:burn1h_max2h", 3600, 8, func(k *evenKey, t int64) float64 { return k.rate }},
	{"key:aigateway_limit_usage_credits:burn1d_max2h", 3600, 8, func(k *evenKey, t int64) float64 { return k.rate }},
	{"key:aigateway_limit_remaining_ratio:min2h", 3600, 2, func(k *evenKey, t int64) float64 { return k.left(t) / k.limit }},
	{"key:aigateway_limit_usage_credits:burn1h_usual", 240, 2, func(k *evenKey, t int64) float64 { return k.rate }},
	{"key:aigateway_limit_usage_credits:burn1h_usual_next", 240, 2, func(k *evenKey, t int64) float64 { return k.rate }},
	{"key:aigateway_limit_usage_credits:typical_day", 240, 2, func(k *evenKey, t int64) float64 { return k.rate * daySec }},
	{"key:aigateway_day_rest_share:typical", 240, 2, func(k *evenKey, t int64) float64 { return 1 - float64(t%daySec)/daySec }},
}

const (
	historyDays = 8
	scrapedMins = 70 // the longest look-back at scraped series is an hour
	evaluations = 10
)

// evenKey spends evenly: four fifths of its daily limit, or so much that it runs out in the afternoon.
type evenKey struct {
	name        string
	rate, limit float64
}

func (k *evenKey) left(t int64) float64 { return max(0, k.limit-k.rate*float64(t%daySec)) }

// cost measures what one evaluation of a rule file costs with n keys and eight days of history in a real TSDB.
// It prints CPU seconds per minute by group, and the memory with and without the results.
func cost(w io.Writer, file string, n int) error {
	set := RuleSet{Name: "cost", File: file}
	run, err := newSetRun(set, newMemStore(0), (historyDays+1)*daySec*1000, true, time.Minute)
	if err != nil {
		return err
	}
	defer run.finish()
	if err := checkHistory(file); err != nil {
		return err
	}
	end, keys := time.Date(2026, 3, 18, 15, 0, 0, 0, time.UTC).Unix(), make([]*evenKey, n)
	for i := range keys {
		limit := 10 + float64(i%97)
		share := 0.8
		if i%20 == 0 { // Two hours are left at the time of the evaluation.
			share = 1.4
		}
		keys[i] = &evenKey{fmt.Sprintf("key-%05d", i), share * limit / daySec, limit}
	}
	app := run.db.Appender(context.Background())
	written := 0
	put := func(l labels.Labels, t int64, v float64) {
		if _, err := app.Append(0, l, t*1000, v); err != nil {
			log.Fatal(err)
		}
		if written++; written%500_000 == 0 {
			if err := app.Commit(); err != nil {
				log.Fatal(err)
			}
			app = run.db.Appender(context.Background())
		}
	}
	recorded := make([][]labels.Labels, len(history))
	for i, h := range history {
		for _, k := range keys {
			recorded[i] = append(recorded[i], labels.FromStrings(labels.MetricName, h.name, "job", jobName, "key", k.name))
		}
	}
	// All series in the order of time, as a running Prometheus appends them.
	for t := end - historyDays*daySec; t < end; t += 60 {
		for i, h := range history {
			if t%h.every != 0 || t < end-h.days*daySec {
				continue
			}
			for j, k := range keys {
				put(recorded[i][j], t, h.value(k, t))
			}
		}
		if t >= end-scrapedMins*60 {
			scrapeAll(keys, t, put)
		}
	}
	if err := app.Commit(); err != nil {
		return err
	}
	// Prometheus compacts every two hours; here it would disturb the measurement.
	if err := run.db.Compact(context.Background()); err != nil {
		return err
	}
	run.db.DisableCompactions()
	before := memory()
	spent, each := map[string]time.Duration{}, map[string][]time.Duration{}
	for m := 0; m < evaluations; m++ {
		at := end + int64(m)*60
		app = run.db.Appender(context.Background())
		scrapeAll(keys, at, put)
		if err := app.Commit(); err != nil {
			return err
		}
		for _, g := range run.groups {
			begin := processorTime()
			g.Eval(context.Background(), time.Unix(at, 0).UTC())
			// The first evaluation creates the series.
			if m > 0 {
				spent[g.Name()] += (processorTime() - begin) / time.Duration(g.Interval()/time.Minute)
			}
			for _, r := range g.Rules() {
				if m > 0 {
					each[r.Name()] = append(each[r.Name()], r.GetEvaluationDuration()/time.Duration(g.Interval()/time.Minute))
				}
				if err := r.LastError(); err != nil {
					return fmt.Errorf("%s: %w", r.Name(), err)
				}
			}
		}
	}
	total := time.Duration(0)
	var rows [][]string
	for _, g := range run.groups {
		perMinute := spent[g.Name()] / (evaluations - 1)
		total += perMinute
		rows = append(rows, []string{g.Name(), fmt.Sprint(len(g.Rules())), fmt.Sprintf("%.3f", perMinute.Seconds())})
	}
	rows = append(rows, []string{"TOTAL", "", fmt.Sprintf("%.3f", total.Seconds())})
	printTable(w, []string{"group", "rules", "cpu s/min"}, rows)
	printTable(w, []string{"rule", "µs/min for a key"}, dearest(each, n))
	fmt.Fprintf(w, "\n%d keys, %d samples of history, %.0f MB with history, %.0f MB after evaluation\n", n, written, before, memory())
	return nil
}

// dearest lists the rules, the one that takes longest first. It is wall time, which other processes lengthen, so the fastest evaluation counts.
func dearest(each map[string][]time.Duration, keys int) (rows [][]string) {
	fastest := map[string]float64{}
	for name, times := range each {
		fastest[name] = float64(slices.Min(times).Nanoseconds()) / 1000 / float64(keys)
	}
	names := slices.SortedFunc(maps.Keys(fastest), func(a, b string) int { return cmp.Compare(fastest[b], fastest[a]) })
	for _, name := range names {
		rows = append(rows, []string{name, fmt.Sprintf("%.1f", fastest[name])})
	}
	return rows
}

// scrapeAll appends the metrics of every key as the exporter exposes them.
func scrapeAll(keys []*evenKey, t int64, put func(labels.Labels, int64, float64)) {
	for _, k := range keys {
		sample := func(name string, v float64, extra ...string) {
			put(labels.FromStrings(append([]string{labels.MetricName, name, "job", jobName, "instance", "exporter:9853", "key", k.name}, extra...)...), t, v)
		}
		sample("aigateway_key_up", 1)
		sample("aigateway_key_unauthorized", 0)
		sample("aigateway_key_unlimited", 0)
		sample("aigateway_key_info", 1)
		sample("aigateway_key_owner_info", 1, "team", "payments")
		sample("aigateway_key_byok_in_limit", 0)
		sample("aigateway_key_last_success_timestamp_seconds", float64(t-20))
		sample("aigateway_key_limit_credits", k.limit)
		sample("aigateway_key_limit_remaining_credits", k.left(t))
		sample("aigateway_key_limit_next_reset_timestamp_seconds", float64(windowEnd(Daily, t)))
		for _, r := range []Reset{Never, Daily, Weekly, Monthly} {
			sample("aigateway_key_limit_reset", b2f(r == Daily), "aigateway_key_limit_reset", r.String())
		}
		for _, kind := range []string{"", "byok_"} {
			share := b2f(kind == "")
			sample("aigateway_key_"+kind+"usage_credits", share*k.rate*float64(t))
			sample("aigateway_key_"+kind+"usage_day_credits", share*k.rate*float64(t%daySec))
			sample("aigateway_key_"+kind+"usage_week_credits", share*k.rate*float64(t-windowStart(Weekly, t)))
			sample("aigateway_key_"+kind+"usage_month_credits", share*k.rate*float64(t-windowStart(Monthly, t)))
		}
	}
}

// checkHistory returns an error if the file does not record a series of the history: it was renamed.
func checkHistory(file string) error {
	gs, errs := bareLoader{}.Load(file, false, model.UTF8Validation)
	if errs != nil {
		return errs[0]
	}
	recorded := recordedNames(gs)
	var missing []string
	for _, h := range history {
		if !recorded[h.name] {
			missing = append(missing, h.name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s does not record %s", file, strings.Join(missing, ", "))
	}
	return nil
}

func recordedNames(gs *rulefmt.RuleGroups) map[string]bool {
	names := map[string]bool{}
	for _, g := range gs.Groups {
		for _, r := range g.Rules {
			names[r.Record] = true
		}
	}
	return names
}

// processorTime is the time that this process computed so far; other processes do not affect it.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return time.Duration(math.NaN())
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// memory is the heap in use, in megabytes, after a collection.
func memory() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / 1e6
}
