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
