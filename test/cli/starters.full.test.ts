import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { installedWithDependencies, startNpmRegistry } from '../helpers/npm-registry.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { hostCall } from '../hosted/host-call.ts';
import { type Terminal, terminal } from './command.ts';

const registry = await startNpmRegistry();
const service = await startService({ env: { NPM_REGISTRY: registry.url } });
const terminals: Terminal[] = [];
const processes: ChildProcess[] = [];
afterAll(async () => {
  for (const one of processes) one.kill('SIGKILL');
  await Promise.all(terminals.map((one) => one.remove()));
  await service.stop();
  await registry.stop();
});

/** A newcomer who has brought up what `svc init` wrote, as it came, and its host. */
async function broughtUp(template: string, env: Readonly<Record<string, string>> = {}) {
  const ada = await terminal(service.url);
  terminals.push(ada);
  await ada.svc('init');
  await ada.svc('init', template, 'my-notes');
  const { json, error } = await ada.with(env)('up', 'my-notes');
  expect(error).toBeUndefined();
  expect(json).toMatchObject({ app: 'my-notes', project_made: true, status: 'ready' });
  for (const check of json.checks ?? []) expect(check).toMatchObject({ passed: true });
  const { port } = new URL(service.url);
  const project = json.project_id as string;
  return {
    project,
    folder: join(ada.checkout, 'my-notes'),
    svc: ada.with({ SVC_PROJECT_ID: project, ...env }),
    with: (more: Readonly<Record<string, string>>) => ada.with({ SVC_PROJECT_ID: project, ...more }),
    url: json.url as string,
    host: hostCall(service, `${new URL(json.url ?? service.url).hostname}:${port}`),
  };
}

const password = 'correct horse battery staple';

test('the API of Hono answers at its routes, each user with todos of their own', async () => {
  await registry.publish(...installedWithDependencies('hono'));
  const { host } = await broughtUp('hono');
  expect((await host('GET', '/')).text).toContain('<strong>my-notes</strong>');
  expect((await host('GET', '/api/health')).body).toEqual({ ok: true });
  expect((await host('GET', '/api/nothing')).status).toBe(404);
  expect((await host('GET', '/api/todos')).status).toBe(401);
  const signUp = async (email: string) => (await host('POST', '/auth/sign-up', { json: { email, password } })).cookie;
  const [ada, bob] = [await signUp('ada@example.com'), await signUp('bob@example.com')];
  const made = await host('POST', '/api/todos', { cookie: ada, json: { title: 'Water the trees' } });
  expect([made.status, made.body]).toMatchObject([201, { title: 'Water the trees', done: false }]);
  const { id } = made.body;
  expect((await host('POST', '/api/todos', { cookie: ada, json: {} })).status).toBe(400);
  expect((await host('PATCH', `/api/todos/${id}`, { cookie: bob, json: { done: true } })).status).toBe(404);
  expect((await host('PATCH', `/api/todos/${id}`, { cookie: ada, json: { done: true } })).body.done).toBe(true);
  expect((await host('GET', '/api/todos', { cookie: ada })).body).toEqual([
    { id, title: 'Water the trees', done: true },
  ]);
  expect((await host('GET', '/api/todos', { cookie: bob })).body).toEqual([]);
  expect((await host('DELETE', `/api/todos/${id}`, { cookie: bob })).status).toBe(404);
  expect((await host('DELETE', `/api/todos/${id}`, { cookie: ada })).status).toBe(204);
  const foreign = { cookie: ada, json: { title: 'x' }, origin: 'https://evil.example.com' };
  expect((await host('POST', '/api/todos', foreign)).status).toBe(403);
});

test('pages of the ssr starter are rendered out of the table, kept, and escaped', async () => {
  const { host, svc } = await broughtUp('ssr');
  const first = await host('GET', '/');
  expect([first.status, first.headers.get('x-svc-cache')]).toEqual([200, expect.stringMatching(/MISS|HIT/)]);
  expect(first.text).toContain('<a href="/posts/hello">Hello, web</a>');
  expect((await host('GET', '/')).headers.get('x-svc-cache')).toBe('HIT');
  await svc('projects', 'sql', `insert into posts (slug, title, body) values ('x', '<b>Bold</b>', 'a & b')`);
  const post = await host('GET', '/posts/x');
  expect(post.text).toContain('<h1>&lt;b&gt;Bold&lt;/b&gt;</h1><p>a &amp; b</p>');
  expect((await host('GET', '/posts/none')).status).toBe(404);
  expect((await host('GET', '/style.css')).headers.get('content-type')).toContain('text/css');
});

test('the page of React is built with packages of npm, and its users have notes of their own', async () => {
  await registry.publish(...installedWithDependencies('vite', 'react', 'react-dom', '@vitejs/plugin-react'));
  const { host, folder, url, project } = await broughtUp('vite', { npm_config_registry: registry.url });
  const page = await host('GET', '/');
  const [, script] = /<script [^>]*src="(\/assets\/[^"]+\.js)"/.exec(page.text) ?? [];
  const loaded = await host('GET', script!);
  expect([page.status, loaded.status]).toEqual([200, 200]);
  expect(loaded.headers.get('cache-control')).toContain('immutable');
  expect(loaded.text).toContain('Notes of your own');
  expect(existsSync(join(folder, 'node_modules/react'))).toBe(true);

  // What src/project.js asks, by the settings that the host tells it.
  const { api_base, anon_key } = (await host('GET', '/_svc/config.json')).body;
  const ask = async (method: string, path: string, body?: unknown, token?: string) => {
    const response = await fetch(api_base + path, {
      method,
      headers: {
        apikey: anon_key,
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  const signIn = async (email: string) => {
    await ask('POST', '/auth/v1/signup', { email, password });
    return (await ask('POST', '/auth/v1/token?grant_type=password', { email, password })).body.access_token as string;
  };
  const [ada, bob] = [await signIn('ada@example.com'), await signIn('bob@example.com')];
  const notes = '/rest/v1/notes?select=id,body&order=id.desc&limit=100';
  expect((await ask('POST', '/rest/v1/notes', { body: 'Lime trees' }, ada)).status).toBe(201);
  const [note] = (await ask('GET', notes, undefined, ada)).body;
  expect(note).toMatchObject({ body: 'Lime trees' });
  await ask('DELETE', `/rest/v1/notes?id=eq.${note.id}`, undefined, bob);
  expect((await ask('GET', notes, undefined, bob)).body).toEqual([]);
  expect((await ask('GET', notes, undefined, ada)).body).toEqual([note]);

  // The page that is being worked on asks the project behind the deployed one.
  const dev = spawn(process.execPath, ['node_modules/vite/bin/vite.js', '--host', '127.0.0.1', '--port', '20000'], {
    cwd: folder,
    env: { PATH: process.env.PATH, NO_COLOR: '1', SITE: url },
  });
  processes.push(dev);
  let said = '';
  dev.stdout.on('data', (part) => {
    said += part;
  });
  const local = await until(async () => {
    const [, found] = /Local: +(http:\S+)/.exec(said) ?? [];
    expect(found).toBeDefined();
    return found!;
  });
  expect(await (await fetch(`${local}_svc/config.json`)).json()).toMatchObject({ project_id: project, anon_key });
  expect(await (await fetch(`${local}src/app.jsx`)).text()).toContain('Notes of your own');
});

test('the agent answers in its room what is said to it, once, as a function and as a program', async () => {
  const agent = await broughtUp('agent');
  const { svc, project, folder } = agent;
  const looked = async () => {
    const { run } = (await svc('functions', 'triggers', 'run', 'agent', 'look')).json;
    return until(async () => {
      const { json } = await svc('functions', 'runs', 'get', run.run_id);
      expect(json.terminal, JSON.stringify(json)).toBe(true);
      return json;
    });
  };
  const withoutToken = await looked();
  expect(withoutToken).toMatchObject({ status: 'failed' });
  expect(withoutToken.last_error.message).toContain('svc delegates create --for agent');

  const { token } = (await svc('delegates', 'create', '--for', 'agent')).json;
  expect((await agent.with({ TOKEN: token })('secrets', 'set', 'AGENT_TOKEN', '--env', 'TOKEN')).error).toBeUndefined();
  // The secret counts within a second.
  await until(async () => expect(await looked()).toMatchObject({ status: 'succeeded' }));
  const sent = (await svc('messages', 'send', 'Are the trees watered?', '--to', 'my-notes')).json;
  await svc('messages', 'send', 'This is for nobody in particular');
  expect(await looked()).toMatchObject({ status: 'succeeded' });
  const answers = async () =>
    (await svc('messages', 'list', '--cursor', sent.cursor)).json.messages.filter(
      (one: { sender: string }) => one.sender === 'my-notes',
    );
  expect(await answers()).toMatchObject([
    { thread_id: sent.message_id, body_snippet: expect.stringContaining('you said 4 words: “Are the trees watered?”') },
  ]);

  // The program reads from the beginning, and repeats no answer.
  const program = spawn(process.execPath, ['run.js'], {
    cwd: folder,
    env: { AGENT_TOKEN: token, SVC_API_BASE: service.url, SVC_PROJECT_ID: project },
  });
  processes.push(program);
  const [first] = await once(program.stdout, 'data');
  expect(String(first)).toContain('The agent is in its room');
  await svc('messages', 'send', 'At once, please', '--to', 'my-notes');
  await until(async () => {
    const said = await answers();
    expect(said).toHaveLength(2);
    expect(said[1].body_snippet).toContain('At once, please');
  });
  await looked();
  expect(await answers()).toHaveLength(2);
});
