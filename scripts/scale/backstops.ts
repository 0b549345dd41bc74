import type { Services } from '../../kernel/run/context.ts';
import { roomFeed } from '../../resolvers/rooms/shared/room-feed.ts';
import type { CapturedPlans, Executed } from './captured-plans.ts';
import { orgIdOf, ownerIdOf, type Size } from './fill.ts';
import { median } from './measure.ts';

/** What a node asks again and again by itself. */
export interface Backstop {
  readonly name: string;
  readonly databaseMs: number;
  readonly buffers: number;
}

/** Followers on the one node. */
const followers = 1_000;
const looks = 3;

/** The two statements by which a node finds out what no signal told, with a thousand rooms followed on it. */
export async function costOfBackstops(services: Services, plans: CapturedPlans, size: Size): Promise<Backstop[]> {
  const stop = new AbortController();
  const count = Math.min(followers, size.organizations - 1);
  const orgs = Array.from({ length: count }, (_, index) => 1 + Math.floor((index * size.organizations) / count));
  const follows = orgs.map((org) =>
    // From the head on: all of them wait.
    services.feeds.follow(roomFeed(orgIdOf(org), 'common'), 5n, { signal: stop.signal }).next(),
  );
  const watches = orgs.map((org) =>
    services.authority.watch(
      {
        principalId: ownerIdOf(org),
        orgId: orgIdOf(org),
        roomKey: 'common',
        sessionId: null,
        delegateId: null,
        projectKeyProjectId: null,
        expiresAt: null,
      },
      () => undefined,
    ),
  );
  const heads: Executed[] = [];
  const rights: Executed[] = [];
  plans.take();
  while (heads.length < looks || rights.length < looks) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    // Said of one of them, it looks at all.
    services.authority.changed(orgIdOf(orgs[0]!));
    for (const one of plans.take()) {
      if (/left join feed_heads/.test(one.text)) heads.push(one);
      if (/key_project_id, delegate_token_hash/.test(one.text)) rights.push(one);
    }
  }
  stop.abort();
  await Promise.all(follows);
  for (const unwatch of watches) unwatch();
  plans.take();
  return [
    backstop(`heads of ${count} followed rooms, every second`, heads),
    backstop(`rights of ${count} followers, every five seconds`, rights),
  ];
}

const backstop = (name: string, executed: readonly Executed[]): Backstop => ({
  name,
  databaseMs: median(executed.map(({ ms }) => ms)),
  buffers: median(executed.map(({ buffers }) => buffers)),
});
