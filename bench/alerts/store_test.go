package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
)

const keepAll = math.MaxInt64 / 2

func seriesOf(m *memStore, name, key string) *memSeries {
	return m.series(labels.FromStrings(labels.MetricName, name, "key", key))
}

func TestStoreFinds(t *testing.T) {
	m := newMemStore(keepAll)
	for _, key := range []string{"1", "2"} {
		seriesOf(m, "spent", key)
		seriesOf(m, "left", key)
	}
	match := func(kind labels.MatchType, name, value string) *labels.Matcher {
		return labels.MustNewMatcher(kind, name, value)
	}
	name := match(labels.MatchEqual, labels.MetricName, "spent")
	for title, test := range map[string]struct {
		matchers []*labels.Matcher
		want     []string
	}{
		"by name":            {[]*labels.Matcher{name}, []string{"spent 1", "spent 2"}},
		"by name and label":  {[]*labels.Matcher{name, match(labels.MatchEqual, "key", "2")}, []string{"spent 2"}},
		"by label and name":  {[]*labels.Matcher{match(labels.MatchNotEqual, "key", "2"), name}, []string{"spent 1"}},
		"by an absent label": {[]*labels.Matcher{name, match(labels.MatchEqual, "team", "")}, []string{"spent 1", "spent 2"}},
		"without a name":     {[]*labels.Matcher{match(labels.MatchEqual, "key", "1")}, []string{"left 1", "spent 1"}},
		"by a part of names": {[]*labels.Matcher{match(labels.MatchRegexp, labels.MetricName, "l.*")}, []string{"left 1", "left 2"}},
		"nothing":            {[]*labels.Matcher{match(labels.MatchEqual, labels.MetricName, "other")}, nil},
	} {
		var found []string
		for _, s := range m.find(test.matchers, nil) {
			found = append(found, s.lset.Get(labels.MetricName)+" "+s.lset.Get("key"))
		}
		slices.Sort(found)
		if !slices.Equal(found, test.want) {
			t.Errorf("%s: found %q, want %q", title, found, test.want)
		}
	}
}

func TestStoreDropsSeriesThatEnded(t *testing.T) {
	m := newMemStore(keepAll)
	ended, lasting := seriesOf(m, "spent", "1"), seriesOf(m, "spent", "2")
	ended.append(99, 1, keepAll)
	lasting.append(100, 1, keepAll)
	m.drop(100)
	if !ended.dropped || lasting.dropped {
		t.Errorf("dropped: %v and %v, want the first one only", ended.dropped, lasting.dropped)
	}
	name := labels.MustNewMatcher(labels.MatchEqual, labels.MetricName, "spent")
	if found := m.find([]*labels.Matcher{name}, nil); !slices.Equal(found, []*memSeries{lasting}) {
		t.Errorf("found %d series, want the lasting one", len(found))
	}
	// A slot holds the old series, to which no query leads any more.
	if seriesOf(m, "spent", "1") == ended {
		t.Error("the dropped series is in use again")
	}
}

func TestSeriesAppends(t *testing.T) {
	s := &memSeries{}
	for i, test := range []struct {
		at   int64
		want error
	}{{10, nil}, {10, storage.ErrDuplicateSampleForTimestamp}, {9, storage.ErrOutOfOrderSample}, {11, nil}} {
		if err := s.append(test.at, 1, keepAll); !errors.Is(err, test.want) {
			t.Errorf("append %d at %d: %v, want %v", i, test.at, err, test.want)
		}
	}
	const keep = 50
	for at := int64(12); at < 2000; at++ {
		s.append(at, float64(at), keep)
		if s.t[0] > max(10, at-keep) || len(s.t) > 10*keep {
			t.Fatalf("at %d: %d samples from %d on, want those of the last %d and few more", at, len(s.t), s.t[0], keep)
		}
		if s.t[0] > 11 && s.v[0] != float64(s.t[0]) {
			t.Fatalf("at %d: the first value is %v, want that of %d", at, s.v[0], s.t[0])
		}
	}
}

func TestIteratorSeeks(t *testing.T) {
	for title, test := range map[string]struct {
		seeks, want []int64 // 0: none
	}{
		"forward":             {[]int64{1, 20, 21}, []int64{10, 20, 30}},
		"never back":          {[]int64{30, 10}, []int64{30, 30}},
		"stays where it is":   {[]int64{15, 15, 20}, []int64{20, 20, 20}},
		"not behind the view": {[]int64{41}, []int64{0}},
	} {
		s := &memSeries{t: []int64{5, 10, 20, 30, 40, 50}, v: make([]float64, 6)}
		it := view{s, 10, 40}.Iterator(nil)
		for i, at := range test.seeks {
			found := int64(0)
			if it.Seek(at) == chunkenc.ValFloat {
				found = it.AtT()
			}
			if found != test.want[i] {
				t.Errorf("%s: seek %d finds %d, want %d", title, at, found, test.want[i])
			}
		}
	}
}

func TestQueriesSeeStaleness(t *testing.T) {
	scraped, recorded := newMemStore(keepAll), newMemStore(keepAll)
	stale := math.Float64frombits(value.StaleNaN)
	ended, last := seriesOf(scraped, "spent", "ended"), seriesOf(recorded, "spent", "last")
	ended.append(60_000, 1, keepAll)
	ended.append(120_000, stale, keepAll)
	ended.append(240_000, 2, keepAll)
	last.append(60_000, 3, keepAll)
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1000, Timeout: time.Minute, LookbackDelta: 5 * time.Minute, Parser: prom})
	for _, test := range []struct {
		second int64
		want   float64
	}{{60, 4}, {119, 4}, {120, 3}, {240, 5}, {359, 5}, {360, 2}} {
		query, err := engine.NewInstantQuery(context.Background(), overlay{scraped, recorded}, nil, "sum(spent)", time.Unix(test.second, 0))
		if err != nil {
			t.Fatal(err)
		}
		found, err := query.Exec(context.Background()).Vector()
		if err != nil || len(found) != 1 || found[0].F != test.want {
			t.Errorf("after %d s: %v, %v, want %v", test.second, found, err, test.want)
		}
	}
}
