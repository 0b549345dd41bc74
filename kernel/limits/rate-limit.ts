import { ServiceError } from '../../core/errors.ts';

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

/** Most buckets of one age: when there are as many, those that were not used since there last were go. */
const bucketsMax = 50_000;

/** What takes longer to fill, in seconds, is kept apart: to forget one gives away most of a day. */
const slowSeconds = 3_600;

/** Buckets by name, of which those go that were used longest ago once there are too many. */
class Buckets {
  // Two maps rather than one kept in the order of use: that would be written to with every look.
  #recent = new Map<string, Bucket>();
  #older = new Map<string, Bucket>();

  has(name: string): boolean {
    return this.#recent.has(name) || this.#older.has(name);
  }

  /** @param burst what one holds that is not known. @param now when */
  get(name: string, burst: number, now: number): Bucket {
    let bucket = this.#recent.get(name);
    if (bucket !== undefined) return bucket;
    bucket = this.#older.get(name) ?? { tokens: burst, at: now };
    if (this.#recent.size >= bucketsMax) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(name, bucket);
    return bucket;
  }
}

/** Token buckets by name, in this process: each node grants its own rate. A name has one rate. */
export class RateLimiter {
  readonly #quick = new Buckets();
  /** However many clients come and go, what one has had of its day is known. */
  readonly #slow = new Buckets();
  readonly #now: () => number;

  /** @param now the clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Takes one token.
   *
   * @param leaving tokens that have to be left for others
   * @returns 0 when it was there, else the seconds until the next one, 1 to 3600
   */
  take(name: string, rate: Rate, leaving = 0): number {
    const bucket = this.#bucket(name, rate);
    const wait = waitSeconds(bucket, rate, leaving);
    if (wait === 0) bucket.tokens -= 1;
    return wait;
  }

  /** What {@link take} would return, and takes nothing. */
  peek(name: string, rate: Rate): number {
    // A bucket that nothing was taken from is full, and need not be made to say so.
    return rate.burst < 1 || this.#kept(rate).has(name) ? waitSeconds(this.#bucket(name, rate), rate) : 0;
  }

  /** What is left of a bucket, and the seconds until it is full again. */
  left(name: string, rate: Rate): { readonly tokens: number; readonly fullIn: number } {
    const { tokens } = this.#bucket(name, rate);
    return { tokens: Math.max(0, Math.floor(tokens)), fullIn: Math.ceil((rate.burst - tokens) / rate.perSecond) };
  }

  /** Takes tokens that may not be there yet, so that the bucket owes them; below zero gives back. */
  charge(name: string, rate: Rate, tokens: number): void {
    const bucket = this.#bucket(name, rate);
    bucket.tokens = Math.min(rate.burst, bucket.tokens - tokens);
  }

  #kept({ perSecond, burst }: Rate): Buckets {
    return burst > perSecond * slowSeconds ? this.#slow : this.#quick;
  }

  #bucket(name: string, rate: Rate): Bucket {
    const { perSecond, burst } = rate;
    const now = this.#now();
    const bucket = this.#kept(rate).get(name, burst, now);
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
    return bucket;
  }
}

const waitSeconds = ({ tokens }: Bucket, { perSecond }: Rate, leaving = 0): number => {
  const wanted = 1 + leaving;
  return tokens >= wanted ? 0 : Math.min(Math.max(1, Math.ceil((wanted - tokens) / perSecond)), waitSecondsMax);
};

/** @throws RATE_LIMITED when there is something to wait for. @param retryAfter in seconds */
export function assertWithinRate(retryAfter: number): void {
  if (retryAfter > 0) throw new ServiceError('RATE_LIMITED', { retryAfter, details: { retry_after: retryAfter } });
}
