import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { asProcess, terminal } from './command.ts';

const service = await startService();
const ada = await terminal(service.url);
const bob = await terminal(service.url, asProcess());
afterAll(async () => {
  await Promise.all([ada.remove(), bob.remove()]);
  await service.stop();
});

test('a terminal makes a wallet, an organization and a project, asks its database, and talks to another terminal', async () => {
  await ada.svc('init');
  const { json } = await bob.svc('init');
  const org = (await ada.svc('org', 'create')).json.org_id;
  await ada.svc('org', 'member', 'add', json.wallet.address, '--org', org);
  const { project_id } = (await ada.svc('projects', 'provision', '--org', org)).json;
  const answer = await ada.svc('projects', 'sql', project_id, 'select 1 + 1 as two');
  expect(answer.json.rows).toEqual([{ two: 2 }]);
  await ada.svc('messages', 'send', 'Hello from Ada', '--org', org, '--room', 'standup');
  const inbox = await bob.svc('messages', 'list', '--org', org, '--room', 'standup');
  expect(inbox.json.messages).toMatchObject([{ body_snippet: 'Hello from Ada' }]);
});

test('a refused command ends with its documented code, and says what to do', async () => {
  const refused = await bob.svc('projects', 'sql', 'prj_00000000000000000000000000', 'select 1');
  expect(refused).toMatchObject({ code: 1, stdout: '', error: { code: 'NOT_AUTHORIZED' } });
  expect(refused.error.next_actions.length).toBeGreaterThan(0);
});
