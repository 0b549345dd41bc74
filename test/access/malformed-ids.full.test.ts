import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '../../core/ids.ts';
import { outsideRate } from '../../kernel/limits/limits.ts';
import { startService } from '../helpers/service.ts';
import { graphTargets } from './graph-targets.ts';
import { type Ids, restTargets } from './rest-targets.ts';

// Callers are told apart by their addresses, too: those with a project's key.
const service = await startService({ env: { TRUSTED_PROXIES: '127.0.0.1' }, jobs: false });
afterAll(() => service.stop());

let own: Ids;
let owner: Awaited<ReturnType<typeof service.project>>;
beforeAll(async () => {
  owner = await service.project();
  own = { org: owner.orgId, project: owner.projectId };
  // One caller asks more often here than a refused one on the free tier may.
  await service.control.sql(`update orgs set tier = 'team'`);
});

// Each test is refused about as often as a caller may be.
const rested = ({ principalId }: { readonly principalId: string } = owner) =>
  service.app.services.rateLimiter.charge(`refused:${principalId}`, outsideRate, -outsideRate.burst);
beforeEach(() => rested());
let turn = 0;
const addressOf = (index: number) => `10.1.${Math.trunc(index / 250)}.${(index % 250) + 1}`;

const malformedOrgs = [
  'nope',
  '0',
  'null',
  '../..',
  notQuite('x'),
  `${crypto.randomUUID()}0`,
  'org_1',
  "' or 1=1--",
  'é',
];
const malformedProjects = ['nope', 'prj_', 'prj_!', 'PRJ_1', "prj_' or 1=1--", 'prj_é', `prj_${'x'.repeat(500)}`];

/** A UUID with one digit that is none. */
function notQuite(digit: string) {
  return crypto.randomUUID().slice(0, -1) + digit;
}

test.each(malformedOrgs)('the organization id %j is refused as malformed, before anybody is asked', async (org) => {
  for (const { name, request } of restTargets().filter(({ names }) => names.includes('org'))) {
    const { method, path, body } = request({ ...own, org });
    for (const actor of [owner.wallet, service.actors.nobody, service.actors.admin]) {
      const statements = await service.statements(async () => {
        const answer = await service.call<{ code: string; details: { field: string } }>(actor, method, path, { body });
        expect([answer.status, answer.body.code], name).toEqual([400, 'VALIDATION_FAILED']);
        expect(answer.body.details.field, name).toMatch(/^org(_id)?$/);
      });
      expect(statements).toEqual([]);
    }
  }
  for (const { name, kind, document } of graphTargets().filter(({ names }) => names.includes('org'))) {
    if (kind === 'subscription') continue;
    const { errors } = await service.graphql(owner.wallet, document({ ...own, org }));
    expect(errors?.[0]?.extensions.code, name).toBe('VALIDATION_FAILED');
  }
});

test.each(malformedProjects)('the project id %j is answered like one that nobody has', async (project) => {
  const strangers = await service.owner();
  for (const { name, request } of restTargets().filter(({ names }) => names.join() === 'project')) {
    // Each path is asked by callers that were refused nothing yet.
    rested();
    rested(strangers);
    const headers = { 'x-forwarded-for': addressOf(turn++) };
    for (const actor of [owner.wallet, strangers.wallet, service.actors.bearer(owner.serviceKey)]) {
      const send = async (id: string) => {
        const { method, path, body } = request({ ...own, project: id });
        const { status, text } = await service.call(actor, method, path, { body, headers });
        return { status, text: text.replaceAll(/trc_[0-9a-f]{32}/g, 'trc') };
      };
      const answer = await send(project);
      expect(answer, name).toEqual(await send(newId('prj')));
      expect(answer.status, name).toBe(403);
    }
  }
  // Subscriptions are asked over sockets, beside everything else that strangers are refused alike.
  const asked = graphTargets().filter(({ kind }) => kind !== 'subscription');
  for (const { name, document } of asked.filter(({ names }) => names.join() === 'project')) {
    rested();
    const { errors } = await service.graphql(owner.wallet, document({ ...own, project }));
    expect(errors?.[0]?.extensions.code, name).toMatch(/^(NOT_AUTHORIZED|ADMIN_REQUIRED)$/);
  }
});

test('an organization id is the same in any letter case', async () => {
  const { status, body } = await service.call<{ org_id: string }>(
    owner.wallet,
    'GET',
    `/orgs/v1/${own.org.toUpperCase()}`,
  );
  expect([status, body.org_id]).toEqual([200, own.org]);
});
