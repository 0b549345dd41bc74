import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, expect, test } from 'vitest';
import { argumentsOf, programEnv } from '../helpers/programs.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { hostCall } from '../hosted/host-call.ts';
import { freshEmail, peopleOf } from '../sessions/person.ts';
import { classicOver } from './clients.ts';
import type { Listed, ToolAnswer } from './mcp-stage.ts';

const service = await startService();
const folder = await mkdtemp(join(tmpdir(), 'svc-core-profile-'));
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});
const { mailTo } = peopleOf(service);

/** What a model cannot make up: ids, tokens and addresses. */
const given = /^(?:[a-z]{2,6}_[0-9a-z]{20,}|[0-9a-f]{8}-[0-9a-f-]{27}|ey[\w-]+\.[\w.-]+|https?:\/\/.*)$/;

const stringsIn = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(stringsIn)
      : [];

/**
 * A model on a machine without a wallet, which knows what it is told and nothing else. A tool has to be listed, and something
 * that was read before has to name it: the instructions, the description of a tool that was called, or a result. What cannot
 * be made up has to stand in a result.
 */
async function model() {
  const { PATH = '' } = process.env;
  const env = { PATH, ...programEnv(), HOME: folder, SVC_CONFIG_DIR: join(folder, 'config') };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...argumentsOf('svc'), 'mcp'],
    env: { ...env, SVC_API_BASE: service.url, SVC_MCP_PROFILE: 'core' },
    cwd: folder,
    stderr: 'pipe',
  });
  const client = await classicOver(transport);
  const tools = (await client.listTools()).tools as readonly Listed[];
  let read = client.instructions()!;
  const results: string[] = [];
  const ask = async (name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> => {
    const tool = tools.find((one) => one.name === name);
    expect(tool, `${name} is not listed`).toBeDefined();
    expect(new RegExp(`\\b${name}\\b`).test(read), `nothing leads to ${name}`).toBe(true);
    for (const argument of Object.keys(args)) expect(Object.keys(tool!.inputSchema.properties)).toContain(argument);
    for (const text of stringsIn(args))
      if (given.test(text)) expect(results, `${text} is in no result`).toContainEqual(expect.stringContaining(text));
    const answer = await client.callTool(name, args);
    read += `\n${tool!.description}\n${answer.content[0]!.text}`;
    results.push(JSON.stringify(answer.structuredContent));
    return answer;
  };
  return {
    ask,
    /** The result of a call that succeeds. */
    done: async (name: string, args?: Record<string, unknown>) => {
      const { isError, content, structuredContent } = await ask(name, args);
      expect(isError, content[0]!.text).not.toBe(true);
      return structuredContent;
    },
    close: () => client.close(),
  };
}

const page = `<!doctype html><title>Notes</title><h1>Notes of your own</h1><a href="/auth/sign-in">Sign in</a>`;
const greeting = `export default (request) => Response.json({ hello: new URL(request.url).searchParams.get('name') });`;

test('a model with the profile core goes from nothing to a deployed site with a function, a table and a sign-in', async () => {
  const { ask, done, close } = await model();
  // Nothing is there yet: the refusal leads to a wallet, and that to an organization.
  const refused = await ask('whoami');
  expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'AUTH_REQUIRED' } });
  expect(refused.content[0]!.text).toMatch(/Next step: .*\binit\b/);
  expect((await done('init')).next_step).toBe('create_org');
  expect((await done('whoami')).memberships).toEqual([]);
  expect((await done('list_projects', { all: true })).projects).toEqual([]);
  const { org_id } = await done('create_org', { display_name: 'Ada' });
  const { project_id, anon_key } = await done('provision_postgres_project', { org_id, name: 'Notes' });

  // A table, whose rows belong to users.
  await done('run_sql', {
    project_id,
    sql: 'create table notes (id bigint generated always as identity primary key, user_id uuid not null, body text not null)',
  });
  const { applied } = await done('apply_expose', {
    project_id,
    manifest: {
      version: 1,
      tables: [
        {
          name: 'notes',
          expose: true,
          policy: 'user_owns_rows',
          owner_column: 'user_id',
          force_owner_on_insert: true,
        },
      ],
    },
  });
  expect(applied.tables).toEqual(['notes']);

  // A site and a function.
  const site = await done('deploy_site', { project: project_id, files: [{ file: 'index.html', data: page }] });
  expect(site.status).toBe('ready');
  const deployed = await done('deploy_function', { project_id, name: 'hello', code: greeting });
  expect(deployed.status).toBe('ready');

  // A sign-in by mail: a user reads six digits out of theirs.
  const signIn = async () => {
    const email = freshEmail();
    const { challenge_id } = await done('request_magic_link', { project_id, email, delivery: 'code' });
    const code = await until(async () => {
      const found = /^\d{6}$/m.exec(await mailTo(email))?.[0];
      expect(found).toBeDefined();
      return found;
    });
    return done('verify_magic_link', { project_id, challenge_id, code });
  };
  const [ada, bob] = [await signIn(), await signIn()];
  const rows = (more: object) => done('rest_query', { project_id, table: 'notes', ...more });
  const { body: made } = await rows({
    method: 'POST',
    body: { body: 'Water the trees' },
    access_token: ada.access_token,
  });
  expect(made).toMatchObject([{ body: 'Water the trees', user_id: ada.user.id }]);
  expect((await rows({ access_token: ada.access_token })).body).toEqual(made);
  expect((await rows({ access_token: bob.access_token })).body).toEqual([]);
  expect((await rows({})).body).toEqual([]);
  const forged = { project_id, table: 'notes', method: 'POST', body: { body: 'mine', user_id: ada.user.id } };
  expect((await ask('rest_query', forged)).isError).toBe(true);
  const beyond = { project_id, table: 'notes', key_type: 'service', access_token: bob.access_token };
  expect(await ask('rest_query', beyond)).toMatchObject({
    isError: true,
    structuredContent: { code: 'VALIDATION_FAILED', details: { field: 'access_token' } },
  });
  await close();

  // What visitors see, at the addresses that the results told.
  const host = hostCall(service, new URL(site.urls.site).host);
  const home = await host('GET', '/');
  expect([home.status, home.text]).toEqual([200, page]);
  expect((await host('GET', '/auth/sign-in', { page: true })).status).toBe(200);
  expect((await host('GET', '/_svc/config.json')).body).toMatchObject({ project_id, anon_key });
  const answer = await fetch(`${deployed.url}?name=Ada`, { headers: { apikey: anon_key } });
  expect([answer.status, await answer.json()]).toEqual([200, { hello: 'Ada' }]);
});
