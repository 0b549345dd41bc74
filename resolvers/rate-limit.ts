/** A token bucket's measure: `perSecond` flows in, `burst` is the most it holds. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** What a caller is told to wait at most, in seconds: a limit may be zero, which nothing flows into. */
const waitSecondsMax = 3_600;

/** Most buckets kept at once; the fullest-by-age half goes when the table is full. */
const bucketsMax = 100_000;

/** Token buckets by name, in this process: each node grants its own rate. */
export class RateLimiter {
  readonly #buckets = new Map<string, Bucket>();
  readonly #now: () => number;

  /** @param now the clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Takes one token.
   *
   * @returns 0 when it was there, else the seconds until the next one, 1 to 3600
   */
  take(name: string, { perSecond, burst }: Rate): number {
    const now = this.#now();
    let bucket = this.#buckets.get(name);
    if (bucket === undefined) {
      if (this.#buckets.size >= bucketsMax) this.#forgetOldest();
      bucket = { tokens: burst, at: now };
      this.#buckets.set(name, bucket);
    }
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return 0;
    }
    return Math.min(Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond)), waitSecondsMax);
  }

  #forgetOldest(): void {
    const keys = this.#buckets.keys();
    for (let i = 0; i < bucketsMax / 2; i++) this.#buckets.delete(keys.next().value!);
  }
}
