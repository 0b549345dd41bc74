import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { openStream } from '../live/event-stream.ts';
import { liveProject, said } from '../live/live-project.ts';
import { hostedProject } from './hosted-project.ts';

const service = await startService();
const live = await liveProject(service);
const project = await hostedProject(service, live);
const other = await hostedProject(service);
const { at } = project;
afterAll(async () => {
  await project.end();
  await other.end();
  await service.stop();
});

const stream = (tables: string, headers: Record<string, string> = {}) =>
  openStream(`${service.url}/_svc/live?tables=${tables}`, { host: project.host, ...headers });
const idOf = async (email: string) =>
  (await project.sql<{ id: string }>(`select id from auth.users where email = '${email}'`))[0]!.id;

test('a page gets the hints that its cookie’s user may have, and anybody those of public tables', async () => {
  const [ada, bob] = [await project.visitor(), await project.visitor()];
  const followers = [
    await stream('notes,tasks', { cookie: ada.cookie }),
    await stream('notes,tasks', { cookie: bob.cookie }),
    await stream('notes'),
  ];
  for (const one of followers) expect((await one.next())!.event).toBe('ready');
  await live.run(
    `insert into tasks (user_id) values ('${await idOf(ada.email)}'); insert into notes (body) values ('x')`,
  );
  const told = await Promise.all(followers.map((one) => one.until(({ data }) => data.table === 'notes')));
  for (const one of followers) one.close();
  expect(told.map((frames) => frames.map((frame) => said(frame).table))).toEqual([
    ['tasks', 'notes'],
    ['notes'],
    ['notes'],
  ]);
});

test('a stream ends with the session of its cookie, by the clock of the database', async () => {
  const { cookie, email } = await project.visitor();
  const events = await stream('notes', { cookie });
  expect(await events.next()).toMatchObject({ event: 'ready' });
  await project.sql(`update auth.sessions set expires_at = now() where user_id = '${await idOf(email)}'`);
  expect(await events.next()).toMatchObject({ event: 'reconnect', data: { reason: 'session_ended' } });
  expect(await events.next()).toBeUndefined();
});

test('the held read answers by cookie, by bearer and without either', async () => {
  const { cookie } = await project.visitor();
  const { access_token } = await project.signedIn();
  const read = (query: string, headers: Record<string, string> = {}) =>
    at('GET', `/_svc/live/changes?${query}`, { headers });
  for (const headers of [{ cookie }, { authorization: `Bearer ${access_token}` }])
    expect((await read('tables=tasks', headers)).body).toMatchObject({ changes: [], resync: false });
  const { body } = await read('tables=notes');
  await live.run(`insert into notes (body) values ('y')`);
  const next = await read(`tables=notes&cursor=${encodeURIComponent(body.cursor)}&wait=25`);
  expect(next.body.changes).toMatchObject([{ table: 'notes', op: 'insert', n: 1 }]);
});

test('what is owned is for who is signed in here; a cookie of elsewhere or of before is nobody’s, and is cleared', async () => {
  const gone = await project.visitor();
  await at('POST', '/auth/v1/sessions/end', { cookie: gone.cookie });
  const foreign = await other.visitor();
  for (const cookie of [undefined, gone.cookie, foreign.cookie])
    for (const path of ['/_svc/live', '/_svc/live/changes']) {
      const refused = await at('GET', `${path}?tables=notes,tasks`, { cookie });
      expectRefusal(refused, 'AUTH_REQUIRED');
      expect(refused.cookie).toBe(cookie === undefined ? undefined : '');
    }
  expect((await at('GET', '/_svc/live/changes?tables=notes', { cookie: gone.cookie })).status).toBe(200);
});

test('refusals come before any event: tables that are not live, none, and another project', async () => {
  expectRefusal(await at('GET', '/_svc/live?tables=plain'), 'TABLE_NOT_LIVE');
  expectRefusal(await at('GET', '/_svc/live'), 'VALIDATION_FAILED', { field: 'tables' });
  const named = await at('GET', `/_svc/live?tables=notes&project_id=${other.projectId}`);
  expect([named.status, named.body.code]).toEqual([403, 'FORBIDDEN']);
  const { access_token } = await other.signedIn();
  const headers = { authorization: `Bearer ${access_token}` };
  expectRefusal(await at('GET', '/_svc/live?tables=notes', { headers }), 'SVC_AUTH_INVALID_BEARER');
  expectRefusal(await at('POST', '/_svc/live?tables=notes', { json: {} }), 'METHOD_NOT_ALLOWED');
});

test('a stream ends when its user signs out', async () => {
  const { cookie } = await project.visitor();
  const events = await stream('tasks', { cookie });
  expect((await events.next())!.event).toBe('ready');
  await at('POST', '/auth/v1/sessions/end', { cookie });
  const rest: unknown[] = [];
  for (let frame = await events.next(); frame !== undefined; frame = await events.next()) rest.push(frame.event);
  expect(rest).toEqual(['reconnect']);
});
