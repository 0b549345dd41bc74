import { deepStrictEqual } from 'node:assert/strict';
import type { HttpRequest } from '../load-protocol.ts';
import type { Server } from '../processes.ts';
import { type Contender, median, race } from '../race.ts';
import { atLeast, compare, type Line, line } from '../report.ts';
import { ask, type Stage } from '../stage.ts';

export const smallQuery = 'query ($id: ID!) { project(id: $id) { id name } }';

export const deepQuery = `query ($id: ID!) { project(id: $id) { id name organization { orgId displayName
  rooms(first: 5) { edges { node { key messages(first: 20) { edges { node { messageId body sender createdAt } } } } } } } } }`;

// PostGraphile makes its schema from the tables, so it is asked in its own words.
const itsSmallQuery = 'query ($id: String!) { projectByRowId(rowId: $id) { rowId name } }';

const itsDeepQuery = `query ($id: String!) { projectByRowId(rowId: $id) { rowId name organization { rowId displayName
  rooms(first: 5) { edges { node { key messages(first: 20) { edges { node { messageId body sender createdAt } } } } } } } } }`;

const json = { 'content-type': 'application/json' };

export const queries = (
  stage: Stage,
  path: string,
  query: string,
  headers: Record<string, string> = {},
): HttpRequest[] =>
  stage.dataset.projectIds.map((id) => ({
    method: 'POST',
    path,
    headers: { ...json, ...headers },
    body: JSON.stringify({ query, variables: { id } }),
  }));

/** Whoever answers something else would be compared with nothing. */
export async function answerAlike(...contenders: readonly Contender[]): Promise<void> {
  const [expected, ...others] = await Promise.all(
    contenders.map(async ({ server, requests }) => JSON.parse(await ask(server, requests[0]!)) as unknown),
  );
  for (const other of others) deepStrictEqual(other, expected);
}

/** `{ project(id) { id name } }` by 16 clients. */
export async function small(stage: Stage): Promise<Line[]> {
  const { gateway, dataset } = stage;
  const { authorization, wallet } = dataset;
  const bearer = { authorization };
  const [mercurius, postgraphile, floor] = await Promise.all([stage.mercurius(), stage.postgraphile(), stage.floor()]);
  const signed = await Promise.all(
    queries(stage, '/graphql', smallQuery).map(async (request) => ({
      ...request,
      headers: {
        ...request.headers,
        'sign-in-with-x': await wallet.header({ baseUrl: gateway.url, path: '/graphql' }),
      },
    })),
  );
  const contenders = {
    ours: { server: gateway, requests: queries(stage, '/graphql', smallQuery, bearer) },
    mercurius: { server: mercurius, requests: queries(stage, '/graphql', smallQuery) },
    mercuriusByBearer: { server: mercurius, requests: queries(stage, '/graphql', smallQuery, bearer) },
    postgraphile: { server: postgraphile, requests: queries(stage, '/graphql', itsSmallQuery) },
    floor: { server: floor, requests: queries(stage, '/small', smallQuery) },
    floorByBearer: { server: floor, requests: queries(stage, '/small', smallQuery, bearer) },
    signed: { server: gateway, requests: signed },
  } as const;
  const { postgraphile: _itsOwnWords, ...alike } = contenders;
  await answerAlike(...Object.values(alike));
  const seen = await race(stage, contenders, 16);
  return [
    ...compare('small', seen, {
      name: 'small query by a bearer : Mercurius, asking nobody who they are',
      ours: 'ours',
      reference: 'mercurius',
      target: atLeast(1),
    }),
    ...compare('small', seen, {
      name: 'small query by a bearer : Mercurius, checking the bearer too',
      ours: 'ours',
      reference: 'mercuriusByBearer',
    }),
    ...compare('small', seen, {
      name: 'small query by a bearer : PostGraphile',
      ours: 'ours',
      reference: 'postgraphile',
    }),
    ...compare('small', seen, { name: 'small query by a bearer : floor', ours: 'ours', reference: 'floor' }),
    ...compare('small', seen, {
      name: 'small query by a bearer : floor, checking the bearer too',
      ours: 'ours',
      reference: 'floorByBearer',
    }),
    ...compare('small', seen, {
      name: 'small query, signed by a wallet : by a bearer',
      ours: 'signed',
      reference: 'ours',
    }),
    line({
      row: 'small',
      name: 'small query by a bearer, p99 with 16 clients',
      unit: 'ms',
      ours: median(seen.ours.map(({ p99 }) => p99)),
    }),
  ];
}

/** Project, organization, five rooms, twenty messages of each: about 110 KB of JSON; by 16 and by 64 clients. */
export async function deep(stage: Stage): Promise<Line[]> {
  const { gateway, dataset } = stage;
  const [mercurius, postgraphile, floor] = await Promise.all([stage.mercurius(), stage.postgraphile(), stage.floor()]);
  const { authorization } = dataset;
  const contenders = {
    ours: { server: gateway, requests: queries(stage, '/graphql', deepQuery, { authorization }) },
    mercurius: { server: mercurius, requests: queries(stage, '/graphql', deepQuery) },
    postgraphile: { server: postgraphile, requests: queries(stage, '/graphql', itsDeepQuery) },
    floor: { server: floor, requests: queries(stage, '/deep', deepQuery) },
    floorByRows: { server: floor, requests: queries(stage, '/deep-by-rows', deepQuery) },
  } as const;
  const { postgraphile: itsOwnWords, ...alike } = contenders;
  await answerAlike(...Object.values(alike));
  await equallyLong(contenders.ours, itsOwnWords);
  const lines: Line[] = [];
  for (const clients of [16, 64]) {
    const seen = await race(stage, contenders, clients);
    const against = (name: string, reference: keyof typeof contenders, target?: number) =>
      compare('deep', seen, {
        name: `deep query, ${clients} clients : ${name}`,
        ours: 'ours',
        reference,
        ...(target === undefined ? {} : { target: atLeast(target) }),
      });
    lines.push(
      ...against('Mercurius', 'mercurius', 1.4),
      ...against('PostGraphile', 'postgraphile', 2.5),
      ...against('floor, one statement that builds the JSON', 'floor', 1),
      ...against('floor, rows written by Node', 'floorByRows'),
    );
  }
  return lines;
}

async function equallyLong(ours: Contender, theirs: Contender): Promise<void> {
  const [expected, got] = await Promise.all([ours, theirs].map(({ server, requests }) => ask(server, requests[0]!)));
  const ratio = got!.length / expected!.length;
  if (ratio < 0.9 || ratio > 1.1) throw new Error(`Answers are not alike: ${got!.slice(0, 300)}`);
}

/** `GET /projects/v1` of one organization, by 16 clients. */
export async function list(stage: Stage): Promise<Line[]> {
  const { orgIds, authorization } = stage.dataset;
  const requests = orgIds.map((orgId) => ({
    method: 'GET' as const,
    path: `/projects/v1?org_id=${orgId}&limit=50`,
    headers: { authorization },
  }));
  const contenders = { ours: { server: stage.gateway, requests }, floor: { server: await stage.floor(), requests } };
  await equallyLong(contenders.ours, contenders.floor);
  const seen = await race(stage, contenders, 16);
  return compare('list', seen, {
    name: 'REST list of projects : floor',
    ours: 'ours',
    reference: 'floor',
    target: atLeast(0.6),
  });
}

/** A message of 1 KB over REST, by 16 clients, each in a room of its own. */
export async function send(stage: Stage): Promise<Line[]> {
  const { writtenOrgId, authorization } = stage.dataset;
  const requests = Array.from({ length: 16 }, (_, room) => ({
    method: 'POST' as const,
    path: `/orgs/v1/${writtenOrgId}/rooms/send-${room}/messages`,
    headers: { authorization, ...json },
    body: JSON.stringify({ body: 'x'.repeat(1024), session_key: `bench-${room}` }),
  }));
  const floor: Server = await stage.floor();
  const seen = await race(stage, { ours: { server: stage.gateway, requests }, floor: { server: floor, requests } }, 16);
  return compare('send', seen, {
    name: 'message sent over REST : floor, one insert',
    ours: 'ours',
    reference: 'floor',
  });
}
