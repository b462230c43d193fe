package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/tsdb"
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
)

// evenKey spends evenly: four fifths of its daily limit, or so much that it runs out before the reset.
type evenKey struct {
	name        string
	rate, limit float64
}

// evenKeys returns n keys. One of 20 runs out two hours after the end of the history, or half-way to a nearer reset.
func evenKeys(n int, end int64) []*evenKey {
	soon, keys := end%daySec+min(2*3600, (daySec-end%daySec)/2), make([]*evenKey, n)
	for i := range keys {
		limit := 10 + float64(i%97)
		share := 0.8
		if i%20 == 0 {
			share = daySec / float64(soon)
		}
		keys[i] = &evenKey{fmt.Sprintf("key-%05d", i), share * limit / daySec, limit}
	}
	return keys
}

func (k *evenKey) left(t int64) float64 { return max(0, k.limit-k.rate*float64(t%daySec)) }

// writeHistory appends the history of the keys until `end` in the order of time, as a running Prometheus does, and returns the number of samples.
func writeHistory(db *tsdb.DB, keys []*evenKey, end int64) (written int, err error) {
	app := db.Appender(context.Background())
	put := func(l labels.Labels, t int64, v float64) {
		if err != nil {
			return
		}
		if _, err = app.Append(0, l, t*1000, v); err != nil {
			return
		}
		if written++; written%500_000 == 0 {
			err = app.Commit()
			app = db.Appender(context.Background())
		}
	}
	recorded := make([][]labels.Labels, len(history))
	for i, h := range history {
		for _, k := range keys {
			recorded[i] = append(recorded[i], labels.FromStrings(labels.MetricName, h.name, "job", jobName, "key", k.name))
		}
	}
	for t := (end - historyDays*daySec) / 60 * 60; t < end; t += 60 {
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
	if err != nil {
		return written, err
	}
	return written, app.Commit()
}

// scrapeAll appends the metrics of every key as the exporter exposes them: one family after the other. That order decides how near to
// each other Prometheus keeps the series that a rule reads together.
func scrapeAll(keys []*evenKey, t int64, put func(labels.Labels, int64, float64)) {
	sample := func(k *evenKey, name string, v float64, extra ...string) {
		put(labels.FromStrings(append([]string{labels.MetricName, name, "job", jobName, "instance", "exporter:9853", "key", k.name}, extra...)...), t, v)
	}
	family := func(name string, value func(*evenKey) float64, extra ...string) {
		for _, k := range keys {
			sample(k, name, value(k), extra...)
		}
	}
	always := func(v float64) func(*evenKey) float64 { return func(*evenKey) float64 { return v } }
	family("aigateway_key_up", always(1))
	family("aigateway_key_unauthorized", always(0))
	family("aigateway_key_unlimited", always(0))
	family("aigateway_key_info", always(1))
	family("aigateway_key_owner_info", always(1), "team", "payments")
	family("aigateway_key_byok_in_limit", always(0))
	family("aigateway_key_last_success_timestamp_seconds", always(float64(t-20)))
	family("aigateway_key_limit_credits", func(k *evenKey) float64 { return k.limit })
	family("aigateway_key_limit_remaining_credits", func(k *evenKey) float64 { return k.left(t) })
	family("aigateway_key_limit_next_reset_timestamp_seconds", always(float64(windowEnd(Daily, t))))
	for _, k := range keys {
		for _, state := range []string{"never", "daily", "weekly", "monthly", "other"} {
			sample(k, "aigateway_key_limit_reset", b2f(state == "daily"), "aigateway_key_limit_reset", state)
		}
	}
	for _, kind := range []string{"", "byok_"} {
		used := func(seconds int64) func(*evenKey) float64 {
			return func(k *evenKey) float64 { return b2f(kind == "") * k.rate * float64(seconds) }
		}
		family("aigateway_key_"+kind+"usage_credits", used(t))
		family("aigateway_key_"+kind+"usage_day_credits", used(t%daySec))
		family("aigateway_key_"+kind+"usage_week_credits", used(t-windowStart(Weekly, t)))
		family("aigateway_key_"+kind+"usage_month_credits", used(t-windowStart(Monthly, t)))
	}
}

// checkHistory returns an error if the file does not record a series of the history: it was renamed.
func checkHistory(file string) error {
	gs, err := loadRules(file)
	if err != nil {
		return err
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
