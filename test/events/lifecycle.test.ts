import { afterAll, expect, test } from 'vitest';
import { moment } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { feedsOf, typesOf } from './feed.ts';

const service = await startService({ env: { SVC_LEASES: 'on' } });
afterAll(() => service.stop());
const feed = feedsOf(service);
const { control } = service;

/** Has the lease end, or have ended, so long ago, and waits until the real job has seen it. */
async function leaseEnds(orgId: string, days: number, state: string): Promise<void> {
  await control.sql(
    `update orgs set lease_expires_at = now() - make_interval(days => $2), lifecycle_entered_at = now() - interval '8 days'
     where id = $1`,
    [orgId, days],
  );
  await control.sql(`select graphile_worker.add_job('lifecycle', job_key => 'lifecycle')`);
  const current = async () =>
    (await control.sql<{ lifecycle_state: string }>('select lifecycle_state from orgs where id = $1', [orgId]))[0];
  await until(async () => expect(await current()).toEqual({ lifecycle_state: state }));
}

test('the end of a lease is told of in the organization and each of its projects, once', async () => {
  const { orgId, projectId, read, readOrg } = await feed();
  await leaseEnds(orgId, 0, 'past_due');
  await leaseEnds(orgId, 0, 'past_due');
  expect((await readOrg('?event_type=organization_past_due')).body.events).toMatchObject([
    {
      project_id: null,
      class: 'billing_critical',
      payload: { organization_lifecycle_state: 'past_due', previous_state: 'active', effective_at: moment },
      next_actions: [{ type: 'renew_tier', method: 'POST', path: '/tiers/v1/:tier' }],
    },
  ]);
  expect((await read()).body.events).toMatchObject([
    {
      project_id: projectId,
      event_type: 'project_past_due',
      class: 'billing_critical',
      payload: { organization_lifecycle_state: 'past_due', lease_expires_at: moment },
      next_actions: [{ type: 'renew_tier' }],
    },
  ]);
});

test('what follows is told of as it comes, and when the purge will be', async () => {
  const { orgId, readOrg } = await feed();
  await leaseEnds(orgId, 50, 'dormant');
  const answer = await readOrg();
  expect(typesOf(answer)).toEqual([
    'organization_past_due',
    'project_past_due',
    'organization_frozen',
    'organization_dormant',
    'organization_purge_scheduled',
  ]);
  const [{ effective_at: at }, { purge }] = [
    answer.body.events.at(-1).payload,
    (
      await control.sql<{ purge: Date }>(
        `select lease_expires_at + interval '104 days' as purge from orgs where id = $1`,
        [orgId],
      )
    )[0]!,
  ];
  expect(at).toBe(purge.toISOString());
  expect(answer.body.events.at(-1).class).toBe('destructive_lifecycle');
});
