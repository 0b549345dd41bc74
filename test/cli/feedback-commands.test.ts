import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { terminal } from './command.ts';
import { terminalOfOwner } from './own-project.ts';

const service = await sharedService();
const [ada, eve] = [await terminalOfOwner(service), await terminalOfOwner(service)];
afterAll(async () => {
  await Promise.all([ada.remove(), eve.remove()]);
  await service.stop();
});

/** What whoever runs the platform has been told. */
const received = async () =>
  (await service.call<{ feedback: { message: string }[] }>(service.actors.admin, 'GET', '/admin/v1/feedback')).body
    .feedback;

test('feedback send reaches whoever runs the platform, and is not shown again', async () => {
  const said = `The canary of ${randomUUID()} sings`;
  const told = ['--project', ada.project, '--handle', 'Ada', '--return-address', 'ada@example.com'];
  const sent = await ada.svc('feedback', 'send', ...told, ...said.split(' '));
  expect(sent.json).toEqual({ bytes_sent: Buffer.byteLength(said), sent: true });
  expect((await received()).find(({ message }) => message === said)).toMatchObject({
    project_id: ada.project,
    handle: 'Ada',
    return_address: 'ada@example.com',
    org_id: ada.org,
  });
  const human = await ada.svc('feedback', 'send', 'Thank you', '--human');
  expect(human.stdout).toMatch(/sent\s+true/);
});

test('feedback send refuses nothing and too much, and names its sender whatever it is about', async () => {
  expect((await ada.svc('feedback', 'send')).error.code).toBe('BAD_USAGE');
  expect((await ada.svc('feedback', 'send', 'ä'.repeat(4_097))).error).toMatchObject({
    code: 'MESSAGE_TOO_LONG',
    details: { bytes: 8_194, max_bytes: 8_192 },
  });
  const said = `About another's ${randomUUID()}`;
  expect((await ada.svc('feedback', 'send', '--project', eve.project, said)).json.sent).toBe(true);
  expect((await received()).find(({ message }) => message === said)).toMatchObject({ org_id: ada.org });
  const bob = await terminal(service.url);
  await bob.svc('init');
  expect((await bob.svc('feedback', 'send', 'Hello')).error.code).toBe('FEEDBACK_TIER_REQUIRED');
  await bob.remove();
});
