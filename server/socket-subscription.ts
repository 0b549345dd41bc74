import type { ExecutionResult } from 'graphql';
import type { Reader } from '../subscriptions/follower.ts';
import { openingOf, type Payload } from './socket-frames.ts';
import type { SocketWriter } from './socket-writer.ts';

interface SocketSubscriptionOptions {
  readonly id: string;
  readonly writer: SocketWriter;
  /** What a client is told whose subscription ends for a reason. */
  readonly renderEnd: (error: unknown) => ExecutionResult;
  readonly onEnded: () => void;
}

type Step = IteratorResult<ExecutionResult, undefined>;

const over: Step = { done: true, value: undefined };

/**
 * A subscription between those who follow the feed and the protocol. Events go past the protocol, straight to the
 * socket; it is a generator to it that yields nothing until the subscription ends, and then at most why.
 */
export class SocketSubscription implements Reader<Payload>, AsyncGenerator<ExecutionResult, undefined, undefined> {
  readonly #id: string;
  readonly #opening: Buffer;
  readonly #writer: SocketWriter;
  readonly #options: Pick<SocketSubscriptionOptions, 'renderEnd' | 'onEnded'>;
  #running: { readonly stop: () => void } | undefined;
  #ended = false;
  #last: ExecutionResult | undefined;
  #next: ((step: Step) => void) | undefined;

  constructor({ id, writer, ...options }: SocketSubscriptionOptions) {
    this.#id = id;
    this.#opening = openingOf(id);
    this.#writer = writer;
    this.#options = options;
  }

  /** Begins. @param subscribe follows the feed with this as its reader */
  run(subscribe: (reader: Reader<Payload>) => { readonly stop: () => void }): void {
    const running = subscribe(this);
    if (this.#ended) running.stop();
    else this.#running = running;
  }

  /** Ends at once, as when its client completes it. */
  abort(): void {
    this.#running?.stop();
    this.#end();
  }

  get full(): boolean {
    return this.#writer.full;
  }

  drained(): Promise<void> {
    return this.#writer.drained();
  }

  send(payloads: readonly Payload[]): void {
    this.#writer.send(payloads, this.#id, this.#opening);
  }

  end(error?: unknown): void {
    if (this.#ended) return;
    if (error !== undefined) this.#last = this.#options.renderEnd(error);
    this.#end();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#running = undefined;
    this.#options.onEnded();
    const next = this.#next;
    this.#next = undefined;
    if (next !== undefined) void this.next().then(next);
  }

  next(): Promise<Step> {
    if (!this.#ended) return new Promise((resolve) => (this.#next = resolve));
    const last = this.#last;
    this.#last = undefined;
    return Promise.resolve(last === undefined ? over : { done: false, value: last });
  }

  async return(): Promise<Step> {
    this.abort();
    return over;
  }

  throw(): Promise<Step> {
    return this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.abort();
  }
}
