import { mkdir, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { terminal } from './command.ts';

const service = await startService();
const ada = await terminal(service.url);
const bob = await terminal(service.url);
afterAll(async () => {
  await Promise.all([ada.remove(), bob.remove()]);
  await service.stop();
});

let org: string;
let project: string;
beforeAll(async () => {
  await ada.svc('init');
  const { json } = await bob.svc('init');
  org = (await ada.svc('org', 'create')).json.org_id;
  await ada.svc('org', 'member', 'add', json.wallet.address, '--org', org);
  project = (await ada.svc('projects', 'provision', '--org', org)).json.project_id;
  // Ada’s checkout is bound to a named room; Bob names his by the environment or flags.
  await ada.svc('org', 'bind', '--org', org, '--room', 'standup');
});

const inRoom = () => bob.with({ SVC_ROOM: `${org}/standup` });

test('a checkout is one presence, until another name is asked for', async () => {
  const joined = await ada.svc('rooms', 'join', '--name', 'Atlas', '--task', 'schema work');
  expect(joined.json).toMatchObject({
    org_id: org,
    room_key: 'standup',
    you: { name: 'Atlas', task: 'schema work' },
    claims: [],
  });
  const again = await ada.svc('rooms', 'join');
  expect(again.json.you.presence_id).toBe(joined.json.you.presence_id);
  expect(again.json.presences).toHaveLength(1);
  const kept = JSON.parse(await readFile(join(ada.config, 'messaging.json'), 'utf8'));
  const rooms = kept.checkouts[await realpath(ada.checkout)];
  expect(Object.values(rooms)).toEqual([expect.objectContaining({ name: 'Atlas', requested_name: 'Atlas' })]);
  // A gateway may have its data in that folder.
  expect(await readdir(ada.checkout)).not.toContain('.svc');
  const taken = await inRoom()('rooms', 'join', '--name', 'Atlas');
  expect(taken.json.you).toMatchObject({ name: 'Atlas-2', requested_name: 'Atlas', renamed: true });
});

test('who a checkout was, and how far it had read, goes along from the former place', async () => {
  const carol = await terminal(service.url);
  onTestFinished(() => carol.remove());
  await carol.svc('init');
  const theirs = (await carol.svc('org', 'create')).json.org_id;
  const room = `${theirs}/standup`;
  const seat = (await carol.svc('rooms', 'join', '--room', 'standup', '--name', 'Atlas')).json.you;
  const kept = JSON.parse(await readFile(join(carol.config, 'messaging.json'), 'utf8'));
  const [rooms] = Object.values(kept.checkouts);
  await rm(join(carol.config, 'messaging.json'));
  await mkdir(join(carol.checkout, '.svc'));
  await carol.file(join('.svc', 'messaging.json'), { rooms });
  await carol.file(join('.svc', 'gateway.lock'), {});
  const sent = await carol.with({ SVC_ROOM: room })('messages', 'send', 'Still me');
  expect(sent.json.sender).toBe('Atlas');
  await carol.with({ SVC_ROOM: room })('messages', 'list');
  expect((await carol.svc('rooms', 'join', '--room', 'standup')).json.you.presence_id).toBe(seat.presence_id);
  expect(await readdir(join(carol.checkout, '.svc'))).toEqual(['gateway.lock']);
});

test('messages are sent as the checkout’s presence, and read from where it left off', async () => {
  const sent = await ada.svc('messages', 'send', 'The schema is in place', '--to', 'Atlas-2', '--ack');
  expect(sent.json).toMatchObject({ room_key: 'standup', sender: 'Atlas', ack_required: true, deduplicated: false });
  // A message becomes readable a moment after it was sent.
  const waited = await inRoom()('messages', 'wait', '--addressed-to', 'me', '--timeout', '20');
  expect(waited.json).toMatchObject({ settled: true, has_more: false });
  expect(waited.json.messages).toEqual([expect.objectContaining({ message_id: sent.json.message_id })]);
  expect((await inRoom()('messages', 'ack', sent.json.message_id)).json).toMatchObject({ already_acked: false });
  expect((await inRoom()('messages', 'get', sent.json.message_id)).json).toMatchObject({
    body: 'The schema is in place',
  });
  // The cursor of the checkout has moved on; an explicit one, or --before, goes its own way.
  const rest = await inRoom()('messages', 'list');
  expect(rest.json.messages).toEqual([]);
  expect((await inRoom()('messages', 'send', 'Going on', '--thread', 'deploy')).code).toBe(0);
  const newer = await inRoom()('messages', 'wait', '--thread', 'deploy', '--timeout', '20');
  const older = await inRoom()('messages', 'list', '--before', newer.json.cursor);
  expect(older.json.messages.at(-1)).toMatchObject({ message_id: sent.json.message_id });
  expect((await inRoom()('messages', 'list')).json.cursor).toBe(newer.json.cursor);
  expect((await inRoom()('messages', 'list', '--unread')).json.messages).toEqual([]);
});

test('people read messages as a conversation', async () => {
  const { message_id } = (await inRoom()('messages', 'send', 'one\ntwo', '--to', 'Atlas', '--importance', 'high')).json;
  const waited = await ada.svc('messages', 'wait', '--addressed-to', 'me', '--timeout', '20', '--human');
  expect(waited.stdout).toMatch(/^Atlas-2, \d{4}-\d\d-\d\d \d\d:\d\d \(to Atlas; high; msg_\w+\)\n {2}one/);
  expect(waited.stdout).toContain(message_id);
  expect((await ada.svc('messages', 'wait', '--thread', 'quiet', '--timeout', '1', '--human')).stdout).toBe(
    'No new messages.\n',
  );
});

test('what others wrote tells the reader’s terminal nothing', async () => {
  const body = 'one\u001b]0;owned\u0007\u001b[2J\ntwo';
  const { message_id } = (await inRoom()('messages', 'send', body)).json;
  const { stdout } = await inRoom()('messages', 'get', message_id, '--human');
  expect(stdout).toContain('two');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
});

test('silence is no failure: nothing came, the cursor is the same, and the exit code 0', async () => {
  const before = (await inRoom()('messages', 'list')).json.cursor;
  const waited = await inRoom()('messages', 'wait', '--timeout', '1');
  expect(waited).toMatchObject({ code: 0, json: { messages: [], cursor: before, settled: false } });
  expect(waited.json.waited_ms).toBeGreaterThanOrEqual(1000);
  expect((await inRoom()('messages', 'wait', '--timeout', '601')).error).toMatchObject({
    code: 'BAD_USAGE',
    field: 'timeout',
  });
});

test('who has no presence is told so before anything is sent', async () => {
  const unread = await bob.with({ SVC_ROOM: `${org}/elsewhere` })('messages', 'list', '--unread');
  expect(unread.error).toMatchObject({ code: 'NO_PRESENCE', trace_id: null });
  expect((await bob.svc('messages', 'list')).error).toMatchObject({ code: 'ROOM_REQUIRED' });
  expect((await bob.with({ SVC_ROOM: 'standup' })('messages', 'list')).error).toMatchObject({ code: 'BAD_ENV' });
});

test('a presence that has fallen silent is replaced under the name it had asked for', async () => {
  await service.control.sql("update room_presences set expires_at = now() - interval '1 minute' where name = 'Atlas'");
  const sent = await ada.svc('messages', 'send', 'Back again');
  expect(sent).toMatchObject({ code: 0 });
  expect(sent.json.sender).toMatch(/^Atlas-/);
  expect((await ada.svc('rooms', 'join')).json.you.name).toBe(sent.json.sender);
});

test('a watch tells each message as it comes, and ends when it is asked to', async () => {
  const { cursor } = (await ada.svc('messages', 'list')).json;
  const watch = ada.stream('messages', 'list', '--watch', '--cursor', cursor);
  await inRoom()('messages', 'send', 'Do you see me?');
  await expect.poll(() => watch.lines().map(({ message }) => message.body)).toEqual(['Do you see me?']);
  expect(await watch.stop()).toMatchObject({ code: 0, stderr: '' });
});

test('a watch for a person tells sender, time and text of each message, and nothing else', async () => {
  const { cursor } = (await ada.svc('messages', 'list')).json;
  const watch = ada.stream('messages', 'list', '--watch', '--cursor', cursor, '--human');
  const { message_id, sender, created_at } = (await inRoom()('messages', 'send', 'First line\nSecond line')).json;
  await expect.poll(() => watch.stdout()).toMatch(/Second line\n$/);
  const minute = created_at.slice(0, 16).replace('T', ' ');
  expect(await watch.stop()).toMatchObject({
    code: 0,
    stdout: `${sender}, ${minute} (${message_id})\n  First line\n  Second line\n`,
    stderr: '',
  });
});

test('claims tell what stands against them, and end', async () => {
  const mine = await ada.svc('claims', 'create', 'repo:src/**', '--ttl', '600', '--note', 'sign-in');
  expect(mine.json).toMatchObject({ mode: 'exclusive', conflicts: [] });
  const theirs = await inRoom()('claims', 'create', 'repo:src/auth/*.ts', '--mode', 'shared');
  expect(theirs.json.conflicts).toEqual([expect.objectContaining({ claim_id: mine.json.claim_id })]);
  expect((await ada.svc('claims', 'list')).json.claims).toHaveLength(2);
  expect((await ada.svc('claims', 'release', mine.json.claim_id)).json.already_released).toBe(false);
  expect((await ada.svc('claims', 'list', '--all')).json.claims).toHaveLength(2);
  const watch = ada.stream('claims', 'list', '--watch');
  await expect.poll(() => watch.lines().length).toBeGreaterThanOrEqual(3);
  await watch.stop();
});

test('a project’s room goes by the project alone', async () => {
  const sent = await ada.svc('messages', 'send', 'In the project', '--project', project);
  expect(sent.json.room_key).toBe(project);
  expect((await ada.svc('rooms', 'list', '--org', org)).json.rooms).toHaveLength(2);
  expect((await ada.svc('rooms', 'get', '--project', project)).json).toMatchObject({ room_key: project });
  expect((await ada.svc('messages', 'send', 'x', '--project', project, '--room', 'standup')).error.code).toBe(
    'BAD_USAGE',
  );
});

test('an invite’s key is printed once and told to nobody, and a vault’s key is refused before any call', async () => {
  const invited = await ada.svc('rooms', 'invite', '--note', 'Welcome', '--expires-in', '120');
  expect(invited.json).toMatchObject({ kind: 'room', role: 'viewer', announced: true });
  expect(invited.json.key).toMatch(/^kri1_[A-Za-z0-9_-]{64}$/);
  expect((await ada.svc('rooms', 'invites')).stdout).not.toContain(invited.json.key);
  const told = await ada.svc('messages', 'list', '--before', (await ada.svc('messages', 'list')).json.cursor);
  expect(told.stdout).not.toContain(invited.json.key);
  expect((await ada.svc('rooms', 'invite-revoke', invited.json.invite_id)).json).toMatchObject({ revoked: true });
  expect((await ada.svc('rooms', 'join', invited.json.key)).error.code).toBe('ROOM_INVITE_KEY_REVOKED');

  // No gateway listens there: whatever asked one would say NETWORK_ERROR.
  const alone = ada.with({ SVC_API_BASE: 'http://127.0.0.1:9' });
  expect((await alone('rooms', 'join', `kgi1_${'a'.repeat(64)}`)).error).toMatchObject({
    code: 'ROOM_INVITE_KEY_WRONG_KIND',
  });
  expect((await alone('rooms', 'join', 'kri1_short')).error.code).toBe('ROOM_INVITE_KEY_INVALID');
  expect((await alone('rooms', 'list', '--org', org)).error).toMatchObject({ code: 'NETWORK_ERROR', retryable: true });
});

test('presences are listed and left', async () => {
  expect((await ada.svc('rooms', 'presences')).json.presences.length).toBeGreaterThan(1);
  const left = await ada.svc('rooms', 'leave');
  expect(left.json).toMatchObject({ left: true });
  expect((await ada.svc('rooms', 'leave')).error.code).toBe('NO_PRESENCE');
  expect((await ada.svc('rooms', 'presence', left.json.presence_id)).json.presence_id).toBe(left.json.presence_id);
});
