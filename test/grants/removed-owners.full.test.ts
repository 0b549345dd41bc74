import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { type Answer, startService } from '../helpers/service.ts';
import { delegatedProjects } from './own-delegates.ts';

// Whoever is being removed or lowered while asking hands out nothing that would outlive the removal.

const service = await startService();
afterAll(() => service.stop());
const { actors, control } = service;
const delegatedProject = delegatedProjects(service);

type Home = Awaited<ReturnType<typeof delegatedProject>>;
type Send = (home: Home, delegateId: string) => Promise<Answer<unknown>>;

const kept = () =>
  control.sql(`select (select count(*) from project_grants) as grants, (select count(*) from principals) as principals,
    (select string_agg(token_hash, ',' order by token_hash) from delegates) as tokens,
    (select count(*) from orgs where payout_wallet is not null) as payouts`);

const waiting = () =>
  control.sql(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);

const handOuts: readonly [string, Send][] = [
  [
    'a grant',
    ({ wallet, projectId }) =>
      service.call(wallet, 'POST', `/projects/v1/${projectId}/grants`, {
        body: { wallet: actors.wallet().address, capability: 'read' },
      }),
  ],
  ['a delegate', ({ make }) => make()],
  ['another token', ({ rotate }, id) => rotate(id)],
  [
    'the earnings',
    ({ wallet, orgId }) =>
      service.call(wallet, 'PATCH', `/orgs/v1/${orgId}/payout-wallet`, { body: { wallet_address: wallet.address } }),
  ],
];

const removals: readonly [string, string, string][] = [
  ['removed', `status = 'revoked'`, 'member'],
  ['made an admin', `role = 'admin'`, 'forbidden'],
];

test.each(handOuts.flatMap(([what, send]) => removals.map((removal) => [what, ...removal, send] as const)))(
  'an owner does not hand out %s who is %s meanwhile',
  async (what, _how, change, reason, send) => {
    const home = await delegatedProject();
    const { delegate_id } = (await home.make()).body;
    const remover = new pg.Client({ connectionString: control.url });
    await remover.connect();
    try {
      const before = await kept();
      await remover.query('begin');
      await remover.query(`update memberships set ${change} where org_id = $1`, [home.orgId]);
      const answer = send(home, delegate_id);
      await expect.poll(async () => (await waiting()).length).toBeGreaterThan(0);
      await remover.query('commit');
      const absent = what === 'the earnings' ? 'member' : 'project_not_found';
      expectRefusal(await answer, 'NOT_AUTHORIZED', { reason: reason === 'member' ? absent : reason });
      expect(await kept()).toEqual(before);
    } finally {
      await remover.end();
    }
  },
);
