import type { Metric, Registry } from 'prom-client';

type Labels = Readonly<Record<string, string | number>>;

/** Times under one set of labels. */
class Series {
  readonly labels: Labels;
  readonly counts: number[];
  count = 0;
  sum = 0;

  constructor(labels: Labels, buckets: number) {
    this.labels = labels;
    this.counts = Array<number>(buckets).fill(0);
  }
}

/**
 * A histogram whose series are found by one key: prom-client's own takes its labels apart, checks and sorts them for
 * every time that is noted, which costs more than much of what is timed.
 */
export class Timings {
  readonly #buckets: readonly number[];
  readonly #series = new Map<string, Series>();

  constructor(registry: Registry, { name, help, buckets }: { name: string; help: string; buckets: readonly number[] }) {
    this.#buckets = buckets;
    const get = async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: this.#values(name) });
    registry.registerMetric({ name, help, get, reset: () => this.#series.clear() } as unknown as Metric);
  }

  /** @param labels asked for the first time that something is noted under `key` */
  note(key: string, seconds: number, labels: () => Labels): void {
    let series = this.#series.get(key);
    if (series === undefined) {
      series = new Series(labels(), this.#buckets.length);
      this.#series.set(key, series);
    }
    series.count += 1;
    series.sum += seconds;
    const bucket = this.#buckets.findIndex((bound) => seconds <= bound);
    if (bucket !== -1) series.counts[bucket]! += 1;
  }

  /** How often something was noted, by labels. */
  *counts(): Iterable<{ readonly labels: Labels; readonly count: number }> {
    yield* this.#series.values();
  }

  #values(name: string) {
    return [...this.#series.values()].flatMap(({ labels, counts, count, sum }) => {
      let upTo = 0;
      const buckets = this.#buckets.map((le, at) => {
        upTo += counts[at]!;
        return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: upTo };
      });
      return [
        ...buckets,
        { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
    });
  }
}
