import { expect, test } from 'vitest';
import type { LiveEnd, LiveHub, LiveRequest } from '../../resolvers/live/live-hub.ts';
import { followLive } from '../../subscriptions/live/follow-live.ts';

/** A hub that ends whoever begins to follow. */
const ending = (reason: LiveEnd) => ({
  live: {
    open: async () => ({
      cursor: 'lcr_here',
      resync: undefined,
      start: (sink) => sink.end(reason),
      close: () => {},
    }),
  } satisfies Pick<LiveHub, 'open'> as unknown as LiveHub,
});

test.each([
  ['closed', 'UPSTREAM_UNAVAILABLE'],
  ['project_gone', 'PROJECT_NOT_FOUND'],
  ['session_ended', 'INVALID_AUTH'],
  ['token_expired', 'INVALID_AUTH'],
] as const)('a follower whose hints end because of %s is told %s', async (reason, code) => {
  const request = { tables: ['notes'], signal: new AbortController().signal } as unknown as LiveRequest;
  const events = followLive(ending(reason), { ...request, signal: new AbortController().signal });
  expect(await events.next()).toMatchObject({ value: { kind: 'ready' } });
  await expect(events.next()).rejects.toMatchObject({ code });
});
