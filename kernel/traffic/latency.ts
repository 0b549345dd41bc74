/** Upper ends of the buckets that requests are counted in by how long they took, in milliseconds; one more bucket has no end. */
const bucketEnds = [1, 2, 3, 5, 8, 13, 20, 30, 50, 80, 130, 200, 300, 500, 800, 1300, 2000, 3000, 5000, 10_000];

/** Counts of requests by how long they took. Histograms add up, bucket by bucket, where percentiles do not. */
export type Histogram = readonly number[];

/** A histogram of nothing. */
export const emptyHistogram = (): number[] => Array<number>(bucketEnds.length + 1).fill(0);

/** The bucket of a time in milliseconds. */
export function bucketOf(ms: number): number {
  let low = 0;
  let high = bucketEnds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ms <= bucketEnds[middle]!) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The time within which a share of the requests was answered, in milliseconds, to within its bucket. Beyond the last end
 * nothing more is known than that end.
 *
 * @param share such as 0.95
 * @returns null without requests
 */
export function percentile(histogram: Histogram, share: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = share * total;
  let below = 0;
  for (const [at, count] of histogram.entries()) {
    if (count > 0 && below + count >= rank) {
      const start = at === 0 ? 0 : bucketEnds[at - 1]!;
      const end = bucketEnds[at] ?? start;
      return Math.round((start + ((end - start) * (rank - below)) / count) * 10) / 10;
    }
    below += count;
  }
  return bucketEnds.at(-1)!;
}
