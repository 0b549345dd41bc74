import type { Services } from '../kernel/run/context.ts';
import { Audience, alone } from './audience.ts';
import type { EventSource, Rendered } from './event-source.ts';
import { Follower, type Reader } from './follower.ts';
import type { OpenedFeed } from './opened-feed.ts';

export interface Subscribe<Row, FeedEvent, Event extends Rendered> {
  readonly opened: OpenedFeed<Row, FeedEvent>;
  /** Equal keys share executions. Undefined: the subscriber is alone. */
  readonly key: string | undefined;
  /** Makes of an event what is sent; of what is shared it must know nothing of the subscriber. */
  readonly render: (event: FeedEvent) => Promise<Event>;
  readonly reader: Reader<Event>;
}

/** The subscriptions of one node, those alike together. */
export class Audiences {
  readonly #services: Pick<Services, 'feeds' | 'authority'>;
  readonly #rested: () => Promise<void>;
  readonly #byKey = new Map<string, EventSource<unknown, Rendered>>();

  /** @param rested resolves when what was sent is on its way, and sending more is worth it */
  constructor(services: Pick<Services, 'feeds' | 'authority'>, rested: () => Promise<void>) {
    this.#services = services;
    this.#rested = rested;
  }

  subscribe<Row, FeedEvent, Event extends Rendered>({
    opened,
    key,
    render,
    reader,
  }: Subscribe<Row, FeedEvent, Event>): { readonly stop: () => void } {
    const source = key === undefined ? alone(opened.feed, renderRows(opened, render)) : this.#join(key, opened, render);
    return new Follower<Row, Event>(this.#services, opened, source, reader);
  }

  #join<Row, FeedEvent, Event extends Rendered>(
    key: string,
    opened: OpenedFeed<Row, FeedEvent>,
    render: (event: FeedEvent) => Promise<Event>,
  ): EventSource<Row, Event> {
    let audience = this.#byKey.get(key);
    if (audience === undefined) {
      const fresh = new Audience<Row, Event>({
        feeds: this.#services.feeds,
        feed: opened.feed,
        position: opened.head,
        render: renderRows(opened, render),
        rested: this.#rested,
        onOver: () => {
          if (this.#byKey.get(key) === audience) this.#byKey.delete(key);
        },
      });
      audience = fresh as unknown as EventSource<unknown, Rendered>;
      this.#byKey.set(key, audience);
    }
    // Rows and events of an audience are of one type, which its key implies.
    return audience as unknown as EventSource<Row, Event>;
  }
}

const renderRows =
  <Row, FeedEvent, Event>(
    { selects, toEvent }: OpenedFeed<Row, FeedEvent>,
    render: (event: FeedEvent) => Promise<Event>,
  ) =>
  async (row: Row, reset: boolean) =>
    selects?.(row) === false ? undefined : render(toEvent(row, reset));
