import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { channelDeliveries, channelKeys, channelRoutes } from '../../db/schema/channel-routes.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { runOnce } from '../../kernel/durability/housekeeping.ts';
import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { channelActions } from './actions.ts';
import { activateCommunity } from './communities/activate-community.ts';
import { revokeCommunity, updateCommunity } from './communities/change-community.ts';
import { createCommunity } from './communities/create-community.ts';
import { getCommunity, listCommunities } from './communities/read-communities.ts';
import { configureRoute } from './configure-route.ts';
import { channelErrors } from './error-codes.ts';
import { channelEvents } from './event-types.ts';
import { listRouteDeliveries } from './list-deliveries.ts';
import { pauseRoute, resumeRoute } from './pause-route.ts';
import { getRoute, listRoutes } from './read-routes.ts';
import { revokeRoute } from './revoke-route.ts';
import { rotateRouteKey } from './rotate-key.ts';
import { testRoute } from './test-route.ts';
import { updateRoute } from './update-route.ts';

// What channels were told of a project is forgotten with it, and nobody is told of it any more.
onProjectDeletion(async (work, { orgId, projectId }) => {
  await work.rows(forgetDeliveriesStatement.with({ orgId, projectId }));
  await work.rows(forgetProjectStatement.with({ orgId, projectId }));
});

const ofProject = pick(channelDeliveries, 'orgId', 'projectId');

const forgetDeliveriesStatement = statement(
  'channels.forget-deliveries',
  { params: ofProject },
  ({ orgId, projectId }) => sql`delete from ${channelDeliveries}
    where ${channelDeliveries.orgId} = ${orgId} and ${channelDeliveries.projectId} = ${projectId}`,
);

const forgetProjectStatement = statement(
  'channels.forget-project',
  { params: ofProject },
  ({ orgId, projectId }) => sql`update ${channelRoutes}
    ${setOf(channelRoutes, { projectIds: sql`array_remove(${channelRoutes.projectIds}, ${projectId})` })}
    where ${channelRoutes.orgId} = ${orgId} and ${projectId} = any(${channelRoutes.projectIds})`,
);

/** A purged organization tells nobody anything any more. */
const endPurgedStatement = statement(
  'channels.end-purged',
  {},
  () => sql`with gone as (
      update ${channelKeys} ${setOf(channelKeys, { sealed: sql`null`, nextSealed: sql`null`, nextPublicKey: sql`null` })}
      from ${orgs} where ${orgs.id} = ${channelKeys.orgId} and ${orgs.lifecycleState} = 'purged'
        and ${channelKeys.sealed} is not null returning ${channelKeys.communityId} as id
    )
    update ${channelRoutes} ${setOf(channelRoutes, {
      status: sql`'revoked'`,
      revokedAt: sql`now()`,
      dueAt: sql`null`,
      lease: sql`null`,
      updatedAt: sql`now()`,
    })} from gone where ${channelRoutes.communityId} = gone.id and ${channelRoutes.status} <> 'revoked'`,
);

export const channelRoutesDomain = domain('channel-routes', {
  errors: channelErrors,
  actions: channelActions,
  events: channelEvents,
  operations: [
    createCommunity,
    listCommunities,
    getCommunity,
    activateCommunity,
    updateCommunity,
    revokeCommunity,
    configureRoute,
    listRoutes,
    getRoute,
    updateRoute,
    testRoute,
    listRouteDeliveries,
    pauseRoute,
    resumeRoute,
    rotateRouteKey,
    revokeRoute,
  ],
  expires: [{ table: channelDeliveries, when: isPast(channelDeliveries.createdAt, '90 days') }],
  housekeeping: {
    'end channels of purged organizations': runOnce(endPurgedStatement.with({})),
  },
});
