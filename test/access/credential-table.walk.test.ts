import { randomUUID } from 'node:crypto';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../resolvers/index.ts';
import { apiCode, isApiPath } from '../../rest-compat/problem.ts';
import type { Route } from '../../rest-compat/route.ts';
import { routes } from '../../rest-compat/routes.ts';
import { type Described, describedBy, pointerTo } from '../helpers/described.ts';
import { revive } from '../helpers/revive.ts';
import { sample } from '../helpers/sample.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { documented } from '../rest-compat/documented-paths.ts';
import { callers, codes, stageSurfaces } from './surface-stage.ts';
import { auditedSite } from './surfaces/audits.ts';

const sites = await startSites({ [auditedSite]: { '/': '<title>Audited</title>' } });
const service = await startService({ auditTrial: sites.trial, env: { MAIL_LISTEN: '127.0.0.1:0' } });
afterAll(async () => {
  await service.stop();
  sites.close();
});

const { params, actors, surfaces } = await stageSurfaces(service);
/** The description of the paths outside `/api`, which every answer here is held against. */
const platform: Described = describedBy(
  (await service.call(service.actors.nobody, 'GET', '/openapi/platform.json')).body,
);

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const cellsOf = (name: string, cells: string) =>
  cells.split(' ').map((cell, at) => ({ route: name, caller: callers[at]!, cell }));

test('there is a row for every route, with a cell for every caller', () => {
  expect(Object.keys(surfaces).sort()).toEqual(routes.map(nameOf).sort());
  for (const { cells, fieldCells = cells } of Object.values(surfaces)) {
    expect([cells, fieldCells].map((row) => row.split(' ').length)).toEqual([callers.length, callers.length]);
  }
});

test('a path that the contract does not have is an addition with its status and a reason', () => {
  const undocumented = routes
    .map((route) => `${nameOf(route)} ${route.status}`)
    .filter((one) => !documented.includes(one));
  const additions = Object.entries(surfaces).flatMap(([name, { addition }]) =>
    addition === undefined ? [] : [`${name} ${addition.status}`],
  );
  expect(additions.sort()).toEqual(undocumented.sort());
});

const restCells = Object.entries(surfaces).flatMap(([name, { cells }]) => cellsOf(name, cells));

test.each(sample(restCells, 3))('$route by $caller: $cell', async ({ route, caller, cell }) => {
  const { body, search, prepare, status: own } = surfaces[route]!;
  const { status, operation, method, path } = routes.find((one) => nameOf(one) === route)!;
  Object.assign(params, await prepare?.());
  const target = path.replaceAll(/:(\w+)/g, (_all, name: string) => params[name]!) + (search?.() ?? '');
  const needsKey = operations.some(
    (one) =>
      one.name === operation &&
      'idempotency' in one &&
      (one.idempotency === 'required' || !('idempotency_key' in one.input.shape)),
  );
  const headers = needsKey ? { 'idempotency-key': randomUUID() } : {};
  const given = method === 'GET' ? undefined : (body?.() ?? {});
  const answer = await service.call<{ code?: string }>(actors[caller], method, target, { body: given, headers });
  const [refused, code] = codes[cell] ?? [own ?? status, undefined];
  const spelt = code !== undefined && isApiPath(path) ? apiCode(code) : code;
  // Bytes are no object with a code.
  expect([answer.status, answer.body?.code]).toEqual([refused, spelt]);
  const item = platform.document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  if (item === undefined) return;
  const described = refused < 300 ? String(answer.status) : 'default';
  expect([route, Object.keys(item.responses)]).toEqual([route, expect.arrayContaining([described])]);
  const at = ['paths', path.replace(/:(\w+)/g, '{$1}'), method.toLowerCase(), 'responses', described];
  // Bytes are of any type.
  if (refused < 300 && routes.find((one) => nameOf(one) === route)!.answersBytes) return;
  const schema = pointerTo(...at, 'content', 'application/json', 'schema');
  expect([route, platform.faults(schema, answer.body)]).toEqual([route, undefined]);
});

test('every documented path outside /api is described, but pages and forms of people', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(platform.document));
  expect([valid, errors]).toEqual([true, undefined]);
  const routed = routes.filter(({ path, places }) => !isApiPath(path) && places !== undefined);
  const spelt = ({ method, path }: Route) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`;
  expect([...platform.operations].sort()).toEqual([...routed.map(spelt), 'GET /status', 'GET /health'].sort());
  for (const item of Object.values<Record<string, Record<string, unknown>>>(platform.document.paths)) {
    for (const { operationId, parameters = [] } of Object.values(item)) {
      for (const { name, description } of parameters as { name: string; description: string }[])
        expect([operationId, name, description]).toEqual([operationId, name, expect.stringMatching(/\.$/)]);
    }
  }
});

const withoutField = [
  'GET /api/downloads/:token',
  'GET /orgs/v1/:org_id/rooms/:room_key/presences/:presence_id',
  // The older name of a path.
  'POST /message/v1',
  'POST /projects/v1/quote',
  'POST /rooms/v1/invites/:invite_id/claim',
  'POST /rooms/v1/invites/:invite_id/redeem',
];

const graphCells = Object.entries(surfaces).flatMap(([name, { cells, field, fieldCells = cells }]) =>
  field === undefined ? [] : cellsOf(name, fieldCells),
);

test('the fields of every route are tried, except where there is none', () => {
  const bare = Object.entries(surfaces).filter(([, { field }]) => field === undefined);
  expect(bare.map(([name]) => name).sort()).toEqual(withoutField.sort());
});

describe('in GraphQL', () => {
  beforeAll(async () => {
    // By now the owner holds as many free organizations as it may, and has deleted the project.
    await service.control.sql(`update orgs set tier = 'hobby'`);
    await revive(service, params.id!);
  });

  test.each(sample(graphCells, 5))('the field of $route by $caller: $cell', async ({ route, caller, cell }) => {
    const { field, prepare } = surfaces[route]!;
    Object.assign(params, await prepare?.());
    const { data, errors } = await service.graphql(actors[caller], field!());
    expect(errors?.[0]?.extensions.code).toBe(codes[cell]?.[1]);
    // Nothing is given beside a refusal, save what the caller may have anyway.
    const [value] = Object.values(data ?? {}) as ({ keys?: unknown } | null)[];
    if (cell === '+') expect(value).not.toBeNull();
    else expect(value?.keys ?? null).toBeNull();
  });
});
