import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { channelRoutes } from '../../db/schema/channel-routes.ts';
import { computed, pick, setOf, statement, typed } from '../../db/sql.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockOrgFor } from '../orgs/shared/lock-org.ts';
import { channelActions } from './actions.ts';
import { nameTaken, orNothing, requireOwnProjects, routeInputs } from './configure-route.ts';
import { checkFilters, checkProjects } from './routable.ts';
import {
  type ChannelRoute,
  ChannelRouteWire,
  lockRoute,
  onRoute,
  routeColumns,
  routeId,
  routeToWire,
} from './route.ts';
import { takeEvents } from './take-events.ts';

/** `PATCH /channel-routes/v1/:channel_route_id`. Contract 02, section 5.7. */
export const updateRoute = mutation({
  name: 'channelRoutes.update',
  command: 'channel-route scope',
  effects: ['destructive'],
  summary: 'Change what a channel is told of, from the next event on. What is queued goes out as it is.',
  access: onRoute(channelActions['channel:routes:write']),
  stepUp: 'channel.route',
  idempotency: 'required',
  reusedKeyCode: 'CHANNEL_IDEMPOTENCY_CONFLICT',
  lifecycle: 'gated',
  path: 'PATCH /channel-routes/v1/:channel_route_id',
  input: z.object({
    channel_route_id: routeId,
    expected_revision: z
      .int()
      .min(1)
      .describe('The revision that the change is of: nothing is changed where somebody was faster.'),
    route_name: routeInputs.route_name.optional(),
    project_ids: routeInputs.project_ids.optional(),
    project_scope: routeInputs.project_scope.optional(),
    event_types: orNothing(routeInputs.event_types),
    event_classes: orNothing(routeInputs.event_classes),
    include_org_events: routeInputs.include_org_events.optional(),
    on_call_pubkey: orNothing(routeInputs.on_call_pubkey),
    on_call_display_name: orNothing(routeInputs.on_call_display_name),
  }),
  async handler(work, { channel_route_id: id, expected_revision: expected, ...given }): Promise<ChannelRoute> {
    const { id: owner } = await lockOrgFor(work, work.org.id, channelActions['channel:routes:write']);
    const route = await lockRoute(work.rows, owner, id);
    requireRevision(route, expected);
    checkFilters({ event_types: given.event_types, event_classes: given.event_classes });
    const scope = given.project_scope ?? route.projectScope;
    const listed = scope === 'org' ? [] : (given.project_ids ?? route.projectIds);
    checkProjects(scope, listed);
    if (given.project_ids !== undefined && scope === 'listed') await requireOwnProjects(work, owner, listed);
    const name = given.route_name ?? route.name;
    if (name !== route.name) {
      const [other] = await work.rows(takenStatement.with({ communityId: route.communityId, name }));
      if (other!.taken) throw nameTaken(name);
    }
    // What has happened up to now is told as it was to be told.
    if (route.status === 'active') await takeEvents(work, route);
    const or = <Value>(next: Value | undefined, now: Value): Value => (next === undefined ? now : next);
    const [changed] = await work.rows(
      updateStatement.with({
        id,
        name,
        projectScope: scope,
        projectIds: listed,
        eventTypes: or(given.event_types, route.eventTypes),
        eventClasses: or(given.event_classes, route.eventClasses),
        includesOrgEvents: or(given.include_org_events, route.includesOrgEvents),
        onCallPublicKey: or(given.on_call_pubkey, route.onCallPublicKey),
        onCallName: or(given.on_call_display_name, route.onCallName),
      }),
    );
    return changed!;
  },
  audit: ({ id, name, revision }) => ({
    action: 'channel_route.updated',
    object: { kind: 'channel_route', id },
    details: { route_name: name, revision },
  }),
  wire: ChannelRouteWire,
  toWire: routeToWire,
});

function requireRevision({ id, revision }: ChannelRoute, expected: number): void {
  if (revision === expected) return;
  throw new ServiceError('CHANNEL_ROUTE_REVISION_STALE', {
    details: { channel_route_id: id, expected_revision: expected, revision },
  });
}

const takenStatement = statement(
  'channels.name-taken',
  {
    params: pick(channelRoutes, 'communityId', 'name'),
    row: { taken: computed<boolean>('boolean', sql`count(*) > 0`) },
  },
  ({ communityId, name }, row) => sql`select ${row} from ${channelRoutes}
    where ${channelRoutes.communityId} = ${communityId} and ${channelRoutes.name} = ${name}
      and ${channelRoutes.status} <> 'revoked'`,
);

const updateStatement = statement(
  'channels.update-route',
  {
    params: {
      ...pick(
        channelRoutes,
        'id',
        'name',
        'projectScope',
        'eventTypes',
        'eventClasses',
        'includesOrgEvents',
        'onCallPublicKey',
        'onCallName',
      ),
      projectIds: typed<readonly string[]>('text[]'),
    },
    row: routeColumns,
  },
  ({ id, ...given }, row) =>
    sql`update ${channelRoutes} ${setOf(channelRoutes, {
      ...given,
      revision: sql`${channelRoutes.revision} + 1`,
      updatedAt: sql`now()`,
    })} where ${channelRoutes.id} = ${id} returning ${row}`,
);
