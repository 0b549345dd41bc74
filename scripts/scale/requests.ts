import { randomInt, randomUUID } from 'node:crypto';
import { feedCursor } from '../../kernel/feeds/feeds.ts';
import type { Services } from '../../kernel/run/context.ts';
import type { TaskContext } from '../../kernel/run/task.ts';
import { sweepEscalations } from '../../resolvers/escalations/sweep.ts';
import { signSessionToken } from '../../resolvers/identity/shared/session-token.ts';
import { mirrorMessages } from '../../resolvers/rooms/mirror-messages.ts';
import { roomFeed } from '../../resolvers/rooms/shared/room-feed.ts';
import { keepHouse } from '../../server/housekeeping.ts';
import { jobContext } from '../../server/workers.ts';
import {
  bigMessageIdOf,
  bigPresenceIdOf,
  bigRoom,
  bigThread,
  delegateTokenOf,
  orgIdOf,
  ownerIdOf,
  projectIdOf,
  projectsPerOrg,
  type Size,
  sessionIdOf,
} from './fill.ts';

/** Something that callers often ask, of one organization after the other. */
export interface HotRequest {
  readonly name: string;
  /** Rows it may read for one answer, whatever the size of the tables: pages of at most fifty, and what belongs to them. */
  readonly rowsMax: number;
  /** Asks once. @throws when the answer is not the expected one */
  readonly ask: () => Promise<void>;
}

/** What is asked of a filled installation (see `fill`). */
export function hotRequests({ url, services, size }: { url: string; services: Services; size: Size }): HotRequest[] {
  const { organizations, bigRoomMessages } = size;

  /** An organization at random, and the session of its owner. The first has the big room, and the last no guest. */
  async function someone(org = randomInt(2, organizations)) {
    const session = {
      id: sessionIdOf(org),
      kind: 'control_plane',
      subject: ownerIdOf(org),
      provenance: 'loopback_pkce',
      amrTimes: { email: Math.floor(Date.now() / 1000) },
    } as const;
    const authorization = `Bearer ${await signSessionToken(services.keys, session, new Date())}`;
    return {
      orgId: orgIdOf(org),
      projectId: projectIdOf(randomInt((org - 1) * projectsPerOrg, org * projectsPerOrg) + 1),
      authorization,
      org,
    };
  }

  async function send(method: string, path: string, authorization: string, body?: object): Promise<void> {
    const headers = {
      authorization,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(method === 'POST' && path !== '/graphql' ? { 'idempotency-key': randomUUID() } : {}),
    };
    const answer = await fetch(url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok || text.startsWith('{"errors"'))
      throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  }

  type Someone = Awaited<ReturnType<typeof someone>>;
  const get = (name: string, rowsMax: number, path: (who: Someone) => string, org?: number): HotRequest => ({
    name,
    rowsMax,
    ask: async () => {
      const who = await someone(org);
      await send('GET', path(who), who.authorization);
    },
  });
  const post = (
    name: string,
    rowsMax: number,
    make: (who: Someone) => { path: string; body: object },
    org?: number,
  ): HotRequest => ({
    name,
    rowsMax,
    ask: async () => {
      const who = await someone(org);
      const { path, body } = make(who);
      await send('POST', path, who.authorization, body);
    },
  });

  const firstProjectOf = (org: number) => projectIdOf((org - 1) * projectsPerOrg + 1);
  const big = `/orgs/v1/${orgIdOf(1)}/rooms/${bigRoom}`;
  const me = bigPresenceIdOf(size);
  const at = (position: number) => feedCursor(services.keys, roomFeed(orgIdOf(1), bigRoom), BigInt(position));
  const deep = `query ($id: ID!) { project(id: $id) { id name organization { id displayName
    rooms(first: 5) { edges { node { key lastMessage { body } } } } members(first: 5) { edges { node { role } } } } } }`;

  return [
    get('whoami', 20, () => '/agent/v1/whoami'),
    get('one organization', 20, ({ orgId }) => `/orgs/v1/${orgId}`),
    get('its members', 50, ({ orgId }) => `/orgs/v1/${orgId}/members`),
    get('one project', 20, ({ projectId }) => `/projects/v1/${projectId}`),
    get('projects of an organization', 60, ({ orgId }) => `/projects/v1?org_id=${orgId}`),
    get('all projects the caller sees', 150, () => '/projects/v1'),
    get('rooms of an organization', 120, ({ orgId }) => `/orgs/v1/${orgId}/rooms`),
    get('one room', 20, ({ orgId, projectId }) => `/orgs/v1/${orgId}/rooms/${projectId}`),
    get('events of an organization', 40, ({ orgId }) => `/orgs/v1/${orgId}/events`),
    get('events of a project', 40, ({ org }) => `/projects/v1/${firstProjectOf(org)}/events`),
    get('escalations of an organization', 40, ({ orgId }) => `/orgs/v1/${orgId}/escalations`),
    get('open escalations', 40, ({ orgId }) => `/orgs/v1/${orgId}/escalations?status=open`),
    // How many counts of invocations a window takes depends on the time of day.
    get('failures of a project, with the verdict', 150, ({ org }) => `/projects/v1/${firstProjectOf(org)}/errors`),
    get(
      'failures that are new in its release',
      150,
      ({ org }) => `/projects/v1/${firstProjectOf(org)}/errors?new_in=active`,
    ),
    get(
      'failures of a project, counted by the hour',
      250,
      ({ org }) => `/projects/v1/${firstProjectOf(org)}/errors?counts=hour`,
    ),
    post('a failure that is known', 150, ({ org }) => ({
      path: `/projects/v1/${firstProjectOf(org)}/errors/occurrences`,
      body: { occurrences: [{ function: 'checkout', kind: 'uncaught', sample_id: 'req_1', message: 'it broke' }] },
    })),
    get('messages of a small room', 30, ({ orgId }) => `/orgs/v1/${orgId}/rooms/common/messages`),
    get('big room: messages at the head', 80, () => `${big}/messages?cursor=${at(bigRoomMessages - 50)}`, 1),
    get(
      'big room: read by a presence',
      80,
      () => `${big}/messages?cursor=${at(bigRoomMessages - 50)}&presence_id=${bigPresenceIdOf(size)}`,
      1,
    ),
    get('big room: one presence by id', 20, () => `${big}/presences/${bigPresenceIdOf(size)}`, 1),
    get('big room: newest first', 80, () => `${big}/messages?order=desc`, 1),
    get(
      'big room: messages in the middle',
      80,
      () => `${big}/messages?cursor=${at(Math.floor(bigRoomMessages / 2))}`,
      1,
    ),
    get(
      'big room: newest first from the middle',
      80,
      () => `${big}/messages?order=desc&before=${at(Math.floor(bigRoomMessages / 2))}`,
      1,
    ),
    get('big room: one thread', 120, () => `${big}/messages?thread_id=${bigThread}`, 1),
    get('big room: one thread, newest first', 120, () => `${big}/messages?thread_id=${bigThread}&order=desc`, 1),
    get('big room: a thread of nobody’s', 20, () => `${big}/messages?thread_id=none`, 1),
    get('big room: for one presence', 140, () => `${big}/messages?addressed_to=me&presence_id=${me}`, 1),
    get('big room: unread by it', 80, () => `${big}/messages?unread=true&order=desc&presence_id=${me}`, 1),
    get(
      'big room: for it in one thread from the middle',
      140,
      () =>
        `${big}/messages?addressed_to=me&thread_id=${bigThread}&presence_id=${me}&cursor=${at(bigRoomMessages / 2)}`,
      1,
    ),
    get('big room: one message by id', 20, () => `${big}/messages/${bigMessageIdOf(randomInt(1, bigRoomMessages))}`, 1),
    get('big room: who is live', 40, () => `${big}/presences`, 1),
    get('big room: its summary', 40, () => big, 1),
    get('big room: one presence by name', 20, () => `${big}/presences?name=Bee%207&include_expired=true`, 1),
    get('big room: what is claimed', 60, () => `${big}/claims`, 1),
    post(
      'claim in the big room',
      160,
      () => ({ path: `${big}/claims`, body: { resource: 'repo:flower/**', mode: 'shared', ttl_seconds: 1 } }),
      1,
    ),
    post('send to a small room', 60, ({ orgId, projectId }) => ({
      path: `/orgs/v1/${orgId}/rooms/${projectId}/messages`,
      body: { body: 'hello', session_key: 'desk' },
    })),
    post(
      'send to the big room',
      80,
      () => ({ path: `${big}/messages`, body: { body: 'hello', session_key: 'bee 3' } }),
      1,
    ),
    post(
      'join the big room under a taken name',
      80,
      () => ({ path: `${big}/presences`, body: { requested_name: 'Bee 7' } }),
      1,
    ),
    post('GraphQL: project, organization, rooms, last messages', 400, ({ projectId }) => ({
      path: '/graphql',
      body: { query: deep, variables: { id: projectId } },
    })),
    {
      name: 'a delegate reads its room',
      rowsMax: 30,
      ask: async () => {
        const { org, orgId } = await someone();
        const path = `/orgs/v1/${orgId}/rooms/${firstProjectOf(org)}/messages`;
        await send('GET', path, `Bearer ${delegateTokenOf(org)}`);
      },
    },
    {
      name: 'housekeeping that finds nothing to do',
      rowsMax: 20,
      ask: () =>
        keepHouse(
          { ctx: jobContext(services, new AbortController().signal), mailer: { configured: true } } as TaskContext,
          {},
        ),
    },
    {
      name: 'a sweep of escalations that finds none due',
      rowsMax: 20,
      ask: () =>
        sweepEscalations({ ctx: jobContext(services, new AbortController().signal), mailer: {} } as TaskContext, {}),
    },
    {
      name: 'telling of messages that finds none',
      rowsMax: 20,
      ask: () => mirrorMessages(jobContext(services, new AbortController().signal)),
    },
    {
      name: 'a page of an audit trail',
      rowsMax: 60,
      ask: async () => {
        const { orgId, authorization } = await someone();
        await send('GET', `/orgs/v1/${orgId}/audit`, authorization);
      },
    },
  ];
}
