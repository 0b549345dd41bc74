import { afterAll, expect, test } from 'vitest';
import type { TaskContext } from '../../kernel/run/task.ts';
import { keepHouse } from '../../server/housekeeping.ts';
import { jobContext } from '../../server/workers.ts';
import { nobody } from '../helpers/actors.ts';
import { startService } from '../helpers/service.ts';
import { operator, peopleOf, pkce, plane } from './person.ts';

const service = await startService({ jobs: false });
afterAll(() => service.stop());
const people = peopleOf(service);
const { post } = people;
const { sql } = service.control;

async function keep() {
  const { services } = service.app;
  const ctx = jobContext(services, new AbortController().signal);
  await keepHouse({ ctx, log: services.log, mailer: { configured: false } } as unknown as TaskContext, {});
}

const tables = [
  'ceremony_challenges',
  'mailed_links',
  'device_flows',
  'loopback_flows',
  'wallet_claims',
  'approval_challenges',
  'sign_in_tries',
  'write_approvals',
  'sessions',
];

const counts = async () =>
  Object.fromEntries(
    await Promise.all(
      tables.map(async (table) => [table, (await sql<{ n: number }>(`select count(*)::int as n from ${table}`))[0]!.n]),
    ),
  );

test('what sign-ins leave is kept while it matters and forgotten afterwards, sessions last', async () => {
  const person = await people.withPasskey();
  const { body: org } = await post(person, '/orgs/v1');
  await post(nobody, `${operator}/session/device`);
  await post(person, `${operator}/claim-wallet-org/challenge`, { wallet: service.actors.wallet().address });
  const query = `redirect_uri=http://127.0.0.1:1/callback&code_challenge=${pkce().challenge}&code_challenge_method=S256&state=s`;
  await service.call(nobody, 'GET', `${plane}/cli/authorize?${query}`);
  await post(person, `${plane}/write-auth/challenges`, {
    action: 'org.project.create',
    org_id: org.org_id,
    code_challenge: pkce().challenge,
    state: 's',
  });
  const [{ id }] = (await sql('select id from sessions limit 1')) as [{ id: string }];
  await sql(
    `insert into write_approvals (id, session_id, token_hash, action, target_id, absolute_expires_at)
     values ('wap_x', $1, 'x', 'project.deploy', 'prj_x', now())`,
    [id],
  );
  const before = await counts();
  expect(Object.values(before).every((count) => (count as number) > 0)).toBe(true);
  await keep();
  expect(await counts()).toEqual(before);

  for (const table of tables.slice(0, 6)) await sql(`update ${table} set expires_at = now() - interval '25 hours'`);
  await sql('update sign_in_tries set window_ends = now()');
  for (const table of tables.slice(7))
    await sql(`update ${table} set absolute_expires_at = now() - interval '32 days'`);
  await keep();
  expect(await counts()).toEqual(Object.fromEntries(tables.map((table) => [table, 0])));
});
