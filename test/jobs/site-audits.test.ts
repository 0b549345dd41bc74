import { afterAll, expect, test } from 'vitest';
import { docs, shop } from '../audit/fixture-sites.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { becomes, projectWith } from './stage.ts';

const sites = await startSites({ 'bulk-shop.audit-sites.net': shop, 'bulk-docs.audit-sites.net': docs });
const service = await startService({ auditTrial: sites.trial });
afterAll(async () => {
  await service.stop();
  sites.close();
});

test('sites are audited in bulk: a report for each that can be read, and a summary of all', async () => {
  const owned = await projectWith(service);
  const urls = ['bulk-shop.audit-sites.net', 'https://bulk-docs.audit-sites.net/', 'http://127.0.0.1/'];
  const id = await owned.begin('site_audit_bulk', { urls });
  const { artifacts } = await becomes(owned, id, 'completed');
  expect(Object.keys(artifacts)).toEqual(['report-001.json', 'report-002.json', 'summary.json']);
  const summary = JSON.parse((await owned.artifact(id, 'summary.json')).text);
  expect(summary).toMatchObject({ sites: 3, audited: 2, failed: 1 });
  expect(summary.results).toMatchObject([
    { url: urls[0], ok: true, report: 'report-001.json', geo_score: expect.any(Number) },
    { url: urls[1], ok: true, report: 'report-002.json' },
    { url: urls[2], ok: false, error: { code: expect.any(String) } },
  ]);
  const report = JSON.parse((await owned.artifact(id, 'report-001.json')).text);
  expect(report).toMatchObject({ domain: 'bulk-shop.audit-sites.net', report: { checks: expect.any(Array) } });
});
