import { channelRoutes } from '../../db/schema/channel-routes.ts';
import type { Relays } from '../../engines/relay/relay-client.ts';
import { leasedStatements } from '../../kernel/durability/leased-statements.ts';
import type { LeasedKind, LeasedWork } from '../../kernel/durability/leased-work.ts';
import { runRoute } from './publish/run-route.ts';

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Tells channels of events, on this node. */
    readonly channelPublishing: LeasedWork;
    /** Relays of chat communities. */
    readonly relays: Relays;
  }
}

/** How long a node that has a route is believed to be alive, in seconds. */
const leaseSeconds = 60;

const leasedRoutes = leasedStatements(
  {
    table: channelRoutes,
    id: channelRoutes.id,
    lane: channelRoutes.communityId,
    dueAt: channelRoutes.dueAt,
    lease: channelRoutes.lease,
  },
  leaseSeconds,
);

/** Routes, in turns between communities. */
export const channelWork: LeasedKind = {
  statements: leasedRoutes,
  run: runRoute,
  atOnce: 10,
  perLane: 3,
  renewMs: 15_000,
};
