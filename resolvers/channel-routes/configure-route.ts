import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { channelRoutes, routeScopes } from '../../db/schema/channel-routes.ts';
import { projects } from '../../db/schema/projects.ts';
import { computed, insertInto, pick, statement, typed } from '../../db/sql.ts';
import { onOrg } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { givenName, orgId, projectId, shows } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockOrgFor } from '../orgs/shared/lock-org.ts';
import { channelActions } from './actions.ts';
import { communityId, findCommunity, publicKey } from './communities/community.ts';
import { membersOf } from './membership.ts';
import { checkFilters, checkProjects, unknownProjects } from './routable.ts';
import { type ChannelRoute, ChannelRouteWire, routeColumns, routeToWire } from './route.ts';
import { findOrMakeKey, keyOf, openKey } from './signing-keys.ts';
import { headOf } from './take-events.ts';

/** Routes of an organization that are not revoked, at most. */
export const routesMax = 50;

const projectsMax = 50;

/** What routes select, and what they are called: inputs of those that make and change them. */
export const routeInputs = {
  route_name: givenName(100)
    .trim()
    .refine((name) => shows.test(name), 'must show something')
    .describe('What people call the route, at most 100 characters. No other one of the community is called so.'),
  project_ids: z
    .array(projectId)
    .max(projectsMax, `at most ${projectsMax} projects`)
    .transform((ids) => [...new Set(ids)])
    .describe('Projects whose events are told, 1 to 50. With the scope `org` it is not looked at.'),
  project_scope: z.enum(routeScopes).describe('`listed`: the projects that are named. `org`: all of the organization.'),
  event_types: z
    .array(z.string().max(100))
    .max(20)
    .describe('Only these: `deploy_activated`, `error_fingerprints_observed`, `platform_incident`.'),
  event_classes: z.array(z.string().max(100)).max(20).describe('Only events of these classes.'),
  include_org_events: z.boolean().describe('Whether events of the organization as a whole are told, too.'),
  on_call_pubkey: publicKey.describe('Public key of whoever is addressed by errors and incidents.'),
  on_call_display_name: givenName(100)
    .trim()
    .refine((name) => shows.test(name), 'must show something')
    .describe('What that one is called in messages.'),
};

/** An input that null clears, with what is said of it. */
export const orNothing = <Input extends z.ZodType>(input: Input) => input.nullish().describe(input.description!);

export interface ConfiguredRoute {
  readonly route: ChannelRoute;
  readonly authorized: boolean;
}

/** `POST /channel-routes/v1`. Contract 02, section 5.7. */
export const configureRoute = mutation({
  name: 'channelRoutes.configure',
  command: 'channel-route configure',
  effects: ['openWorld'],
  summary: 'Have events of projects told in a channel of a chat community, from the next one on.',
  access: onOrg(channelActions['channel:routes:write'], ({ org_id: id }: { org_id: string }) => id),
  stepUp: 'channel.route',
  idempotency: 'required',
  reusedKeyCode: 'CHANNEL_IDEMPOTENCY_CONFLICT',
  lifecycle: 'gated',
  path: 'POST /channel-routes/v1 201',
  input: z.object({
    org_id: orgId,
    community_installation_id: communityId,
    channel_id: z
      .string()
      .regex(/^[\x21-\x7e]{1,128}$/, 'must be 1 to 128 visible characters of ASCII')
      .describe('The channel: the id of a group of the relay (NIP-29).'),
    ...routeInputs,
    project_ids: routeInputs.project_ids.default([]),
    project_scope: routeInputs.project_scope.default('listed'),
    event_types: orNothing(routeInputs.event_types),
    event_classes: orNothing(routeInputs.event_classes),
    include_org_events: routeInputs.include_org_events.default(false),
    on_call_pubkey: orNothing(routeInputs.on_call_pubkey),
    on_call_display_name: orNothing(routeInputs.on_call_display_name),
  }),
  /** Whether the key that the community has is a member of the channel; a new key is a member of none. */
  async prepare({ services, org, signal }, { community_installation_id: id, channel_id: channelId, ...given }) {
    checkFilters({ event_types: given.event_types, event_classes: given.event_classes });
    checkProjects(given.project_scope, given.project_ids);
    const { relayUrl, subject, status } = await findCommunity(services.db.rows, org.id, id);
    requireActive(id, status);
    const key = await keyOf(services.db.rows, id);
    if (key === undefined) return undefined;
    const asked = { relayUrl: relayUrl!, subject, channelIds: [channelId], secret: openKey(services, key), signal };
    const members = await membersOf(services, asked).catch(() => undefined);
    return members?.get(channelId)?.has(key.publicKey) === true ? key.publicKey : undefined;
  },
  async handler(work, given, memberKey): Promise<ConfiguredRoute> {
    const { id: owner } = await lockOrgFor(work, work.org.id, channelActions['channel:routes:write']);
    const { id: community, status } = await findCommunity(work.rows, owner, given.community_installation_id);
    requireActive(community, status);
    await requireRoom(work, owner, community, given.route_name);
    const listed = given.project_scope === 'listed' ? given.project_ids : [];
    await requireOwnProjects(work, owner, listed);
    const key = await findOrMakeKey(work, owner, community);
    const authorized = memberKey === key.publicKey;
    const head = await headOf(work.rows, owner);
    const [route] = await work.rows(
      insertStatement.with({
        id: work.services.newId('chrt'),
        orgId: owner,
        communityId: community,
        keyId: key.id,
        name: given.route_name,
        channelId: given.channel_id,
        projectScope: given.project_scope,
        projectIds: listed,
        eventTypes: given.event_types ?? null,
        eventClasses: given.event_classes ?? null,
        includesOrgEvents: given.include_org_events,
        onCallPublicKey: given.on_call_pubkey ?? null,
        onCallName: given.on_call_display_name ?? null,
        status: authorized ? 'active' : 'pending_authorization',
        head,
      }),
    );
    work.afterCommit(() => work.services.channelPublishing.wake());
    return { route: route!, authorized };
  },
  audit: ({ route: { id, name, channelId, communityId: community } }) => ({
    action: 'channel_route.configured',
    object: { kind: 'channel_route', id },
    details: { route_name: name, channel_id: channelId, community_installation_id: community },
  }),
  wire: ChannelRouteWire.extend({
    authorization: z.object({
      status: z.enum(['authorized', 'pending_channel_authorization']),
      notification_pubkey: z.string(),
      connect_command: z.string().optional(),
      instructions: z.string().optional(),
      verify_path: z.string().optional(),
    }),
  }),
  toWire: (configured) => ({ ...routeToWire(configured.route), authorization: authorizationOf(configured) }),
});

/** What has to be done before messages are taken. */
export const authorizationOf = ({ route, authorized }: ConfiguredRoute) =>
  authorized
    ? { status: 'authorized' as const, notification_pubkey: route.publicKey }
    : {
        status: 'pending_channel_authorization' as const,
        notification_pubkey: route.publicKey,
        connect_command: `svc channel-route test ${route.id} --wait`,
        instructions: `Add the public key ${route.publicKey} to the members of the channel ${route.channelId} as somebody who may (an event of kind 9000, NIP-29), then send a test: it looks whether the key is a member.`,
        verify_path: `/channel-routes/v1/${route.id}/test`,
      };

function requireActive(id: string, status: string): void {
  if (status !== 'active')
    throw new ServiceError('CHANNEL_COMMUNITY_NOT_ACTIVE', { details: { community_installation_id: id, status } });
}

async function requireRoom(work: Work, orgOf: string, community: string, name: string): Promise<void> {
  const [held] = await work.rows(countStatement.with({ orgId: orgOf, communityId: community, name }));
  if (held!.taken) throw nameTaken(name);
  if (held!.count >= routesMax)
    throw new ServiceError('CHANNEL_ROUTE_LIMIT_REACHED', {
      details: { resource: 'channel_routes', limit: routesMax, used: held!.count },
    });
}

export const nameTaken = (name: string) =>
  new ServiceError('CHANNEL_ROUTE_NAME_TAKEN', { details: { field: 'route_name', route_name: name } });

/** @throws VALIDATION_FAILED with 422 */
export async function requireOwnProjects(work: Work, orgOf: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const known = new Set((await work.rows(projectsStatement.with({ orgId: orgOf, ids }))).map(({ id }) => id));
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length > 0) throw unknownProjects(missing);
}

const countStatement = statement(
  'channels.count-routes',
  {
    params: pick(channelRoutes, 'orgId', 'communityId', 'name'),
    row: {
      count: computed<number>('integer', sql`count(*)::int`),
      taken: computed<boolean>(
        'boolean',
        sql`coalesce(bool_or(${channelRoutes.communityId} = wanted.community and ${channelRoutes.name} = wanted.name), false)`,
      ),
    },
  },
  ({ orgId: owner, communityId: community, name }, row) => sql`select ${row} from ${channelRoutes}
    cross join (select ${community}::text as community, ${name}::text as name) wanted
    where ${channelRoutes.orgId} = ${owner} and ${channelRoutes.status} <> 'revoked'`,
);

const projectsStatement = statement(
  'channels.own-projects',
  { params: { orgId: projects.orgId, ids: typed<readonly string[]>('text[]') }, row: pick(projects, 'id') },
  ({ orgId: owner, ids }, row) => sql`select ${row} from ${projects}
    where ${projects.id} = any(${ids}::text[]) and ${projects.orgId} = ${owner} and ${projects.deletedAt} is null`,
);

const insertStatement = statement(
  'channels.insert-route',
  {
    params: {
      ...pick(
        channelRoutes,
        'id',
        'orgId',
        'communityId',
        'keyId',
        'name',
        'channelId',
        'projectScope',
        'projectIds',
        'eventTypes',
        'eventClasses',
        'includesOrgEvents',
        'onCallPublicKey',
        'onCallName',
        'status',
      ),
      head: typed<bigint>('bigint'),
    },
    row: routeColumns,
  },
  ({ head, ...given }, row) =>
    sql`${insertInto(channelRoutes, { ...given, startAfter: head, cursor: head })} returning ${row}`,
);
