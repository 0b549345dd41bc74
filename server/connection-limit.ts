import { ServiceError } from '../core/errors.ts';

/** How many sockets and requests under way one network may have at once. */
export class ConnectionLimit {
  readonly #open = new Map<string, number>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts one in. @returns counts it out, once @throws RATE_LIMITED when there are as many as may be */
  enter(network: string): () => void {
    const open = this.#open.get(network) ?? 0;
    if (open >= this.#max) {
      const message = 'Too many connections from this address.';
      throw new ServiceError('RATE_LIMITED', { message, retryAfter: 1, details: { retry_after: 1, limit: this.#max } });
    }
    this.#open.set(network, open + 1);
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      const left = this.#open.get(network)! - 1;
      if (left === 0) this.#open.delete(network);
      else this.#open.set(network, left);
    };
  }
}
