import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { vaultsOf } from './vault.ts';

const service = await sharedService();
afterAll(() => service.stop());
const organization = vaultsOf(service);
const { actors } = service;
// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;
const find = (as: Parameters<typeof service.call>[0], search: string) =>
  service.call<Any>(as, 'GET', `/gitvault/v1/vaults${search}`);

test('a vault is found by its project and by its address, and only by those who may read the project', async () => {
  const { wallet, orgId, projectId, vault, ownKey, principalId } = await organization();
  const slug = `vaults-${randomUUID().slice(0, 8)}`;
  await service.call(actors.admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, { body: { amount_usd_micros: 1e9 } });
  const claimed = await service.call(wallet, 'POST', `/orgs/v1/${orgId}/slug`, {
    body: { slug },
    headers: { 'idempotency-key': slug },
  });
  expect(claimed.status, claimed.text).toBe(201);
  await service.call(wallet, 'POST', `/projects/v1/${projectId}/repo-name`, { body: { name: 'shop' } });
  const byProject = await find(wallet, `?project_id=${projectId}`);
  expect(byProject.body).toMatchObject({
    repo_id: vault,
    project_id: projectId,
    org_id: orgId,
    key_epoch: '1',
    writers: [{ encryption_key_id: ownKey, principal_id: principalId }],
    storage: { source_bytes: '0', open_session_reserved_bytes: '0', objects: '0' },
    maintenance: { lease: null, open_cycle: null, pending_repair_attempt_id: null },
    warnings: [],
  });
  expect((await find(wallet, `?repo=${slug}/shop`)).body).toEqual(byProject.body);
  // Whoever may not read the project learns nothing of it, nor whether there is such an address.
  const stranger = (await service.owner()).wallet;
  const refusals = await Promise.all(
    [`?repo=${slug}/shop`, `?repo=${slug}/none`, '?repo=none/none', `?project_id=${projectId}`].map((search) =>
      find(stranger, search),
    ),
  );
  for (const { status, body } of refusals)
    expect([status, body.code, body.details.reason]).toEqual([403, 'NOT_AUTHORIZED', 'project_not_found']);
  // A project without a vault, and what names none or two.
  const bare = await service.project();
  expect((await find(bare.wallet, `?project_id=${bare.projectId}`)).body.code).toBe('VAULT_NOT_FOUND');
  for (const search of ['', `?repo=${slug}/shop&project_id=${projectId}`, '?repo=shop'])
    expect((await find(wallet, search)).body.code, search).toBe('VALIDATION_FAILED');
});
