import type { ExecutionResult } from 'graphql';
import type { RequestFacts } from '../kernel/run/context.ts';
import type { Reader } from '../subscriptions/follower.ts';
import { openingOf, type Payload } from './socket-frames.ts';
import { type Session, saysExpired } from './socket-session.ts';
import type { SocketWriter } from './socket-writer.ts';

/** Who runs subscriptions. */
export interface SubscriptionOwner {
  /** The message to a client whose subscription ends for a reason. */
  readonly renderEnd: (error: unknown, request: RequestFacts, projectId?: string) => ExecutionResult;
  readonly subscriptionEnded: () => void;
}

interface SocketSubscriptionOptions {
  readonly id: string;
  readonly writer: SocketWriter;
  /** Of its socket, where it is found for as long as it runs. */
  readonly session: Pick<Session, 'running' | 'expire'>;
  readonly request: RequestFacts;
  readonly owner: SubscriptionOwner;
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
  readonly #session: Pick<Session, 'running' | 'expire'>;
  readonly #request: RequestFacts;
  readonly #owner: SubscriptionOwner;
  #follower: { readonly stop: () => void } | undefined;
  #ended = false;
  #last: ExecutionResult | undefined;
  #next: ((step: Step) => void) | undefined;

  constructor({ id, writer, session, request, owner }: SocketSubscriptionOptions) {
    this.#id = id;
    this.#opening = openingOf(id);
    this.#writer = writer;
    this.#session = session;
    this.#request = request;
    this.#owner = owner;
  }

  /** @param follower reads for this, and may have come to its end already */
  run(follower: { readonly stop: () => void }): void {
    if (!this.#ended) this.#follower = follower;
  }

  /** Ends at once, as when its client completes it. */
  abort(): void {
    this.#follower?.stop();
    this.#end();
  }

  get full(): boolean {
    return this.#writer.full;
  }

  drained(): Promise<void> {
    return this.#writer.drained();
  }

  turn<Result>(run: () => Promise<Result>): Promise<Result> {
    return this.#writer.turn(run);
  }

  miss(bytes: number): void {
    this.#writer.miss(bytes);
  }

  send(payloads: readonly Payload[]): void {
    this.#writer.send(payloads, this.#id, this.#opening);
  }

  end(error?: unknown, projectId?: string): void {
    if (this.#ended) return;
    if (saysExpired(error)) this.#session.expire();
    else if (error !== undefined) this.#last = this.#owner.renderEnd(error, this.#request, projectId);
    this.#end();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#follower = undefined;
    this.#owner.subscriptionEnded();
    const { running } = this.#session;
    if (running.get(this.#id) === this) running.delete(this.#id);
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
