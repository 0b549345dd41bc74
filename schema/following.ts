import { feedCursor } from '../kernel/feeds/feeds.ts';
import type { Opened } from '../kernel/feeds/open-feed.ts';
import type { Context } from '../kernel/run/context.ts';
import { builder } from './builder.ts';

/** What the subscriptions to feeds have in common. */
export const eventFields = {
  cursor: { description: 'Resume with this as `after`: nothing is missed, nothing comes twice.' },
  reset: { description: 'True on the first event when `after` could not be used and the feed began anew.' },
} as const;

/** Arguments that say where a subscription begins and ends; whoever shares it may differ in them. */
export const followArgs = builder.args((t) => ({
  after: t.string({ required: false, description: 'Cursor to resume from; the earliest that is kept when absent.' }),
  first: t.int({ required: false, description: 'Ends after so many events; goes on for ever when absent.' }),
}));

/** Goes with {@link followArgs}. Who opens a feed is asked for a credential; an event may be for many, and has nobody to ask. */
export const followed = { extensions: { perSubscriber: ['after', 'first'] } } as const;

const begins = Symbol('where following begins');

/** A page of a list, and where the feed of its changes stood before it was read. */
type Followed<Page> = Page & { readonly [begins]?: string };

/**
 * Reads a page of a list whose changes have a feed. Where the feed stands is asked first, and only for who wants to know:
 * what changes while the page is read is told as well.
 *
 * @param open undefined when nobody asked
 */
export async function followable<Row, Page extends object>(
  ctx: Context,
  open: (() => Promise<Opened<Row>>) | undefined,
  read: () => Promise<Page>,
): Promise<Followed<Page>> {
  if (open === undefined) return read();
  const { feed, head } = await open();
  return { ...(await read()), [begins]: feedCursor(ctx.services.keys, feed, head) };
}

/** Of a page that {@link followable} has read. */
export const followFrom = (page: object): string | null => (page as Followed<object>)[begins] ?? null;

/** What to say of {@link followFrom}. */
export const followFromDescription =
  'Where the feed of its changes stood before the page was read: follow with this as `after`, and nothing is missed.';
