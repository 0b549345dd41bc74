import { afterAll, expect, test } from 'vitest';
import { documentedCalls } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { notes } from '../live/live-project.ts';
import { platformTools } from './mcp-stage.ts';

// What `svc delegates create --for agent` makes is enough for the first steps that the server recommends, on its project.

const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const tools = platformTools(service);

async function connected() {
  const project = await service.project();
  const path = `/projects/v1/${project.projectId}/delegates`;
  const made = await call(project.wallet, 'POST', path, { body: { for: 'agent' } });
  expect(made).toMatchObject({ status: 201, body: { status: 'ok', expires_at: null } });
  const agent = service.actors.bearer(made.body.token);
  const own = (name: string, args: object = {}) => tools.call(agent, name, { project_id: project.projectId, ...args });
  return { ...project, path, made: made.body, agent, own };
}

test('an agent’s delegate passes the first steps, and works with what it made', async () => {
  const { agent, own, projectId, orgId } = await connected();
  const work = async (answer: Promise<{ isError?: boolean; structuredContent: object }>) => {
    const { isError, structuredContent } = await answer;
    expect([isError ?? false, structuredContent]).toEqual([false, expect.anything()]);
    return structuredContent;
  };
  await work(tools.call(agent, 'whoami', {}));
  for (const args of [{}, { org_id: orgId }, { all: true }])
    expect(await work(tools.call(agent, 'list_projects', args))).toMatchObject({
      projects: [{ project_id: projectId }],
    });
  await work(
    tools.call(agent, 'deploy_site', {
      project: projectId,
      files: [{ file: 'index.html', data: '<h1>Hello</h1>' }],
    }),
  );
  await work(
    own('run_sql', { sql: 'create table notes (id bigint generated always as identity primary key, body text)' }),
  );
  await work(
    own('apply_expose', {
      manifest: { version: 1, tables: [notes] },
    }),
  );
  await work(own('run_sql', { sql: `insert into notes (body) values ('hello')` }));
  expect(await work(own('run_sql', { sql: 'select body from notes' }))).toMatchObject({ rows: [{ body: 'hello' }] });
  await work(own('get_schema'));
  await work(own('get_expose'));
  await work(own('list_project_events'));
  await work(own('send_room_message', { body: 'I have begun' }));
  await work(own('errors_list'));
});

test('it reaches no other project, and neither members, keys, secrets nor other delegates', async () => {
  const { agent, own, orgId, wallet } = await connected();
  const other = await call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId, name: 'Other' } });
  expect(other.status).toBe(201);
  const foreign = await service.project();
  const list = await tools.call(agent, 'list_projects', { all: true });
  expect(list.structuredContent.projects).toHaveLength(1);
  for (const project_id of [other.body.project_id, foreign.projectId]) {
    const { isError, structuredContent } = await tools.call(agent, 'run_sql', {
      project_id,
      sql: 'select 1',
    });
    expect([isError, structuredContent]).toMatchObject([true, { code: 'NOT_AUTHORIZED' }]);
  }
  const refused = [
    own('project_keys'),
    own('set_secret', { key: 'A', value: 'b' }),
    own('create_delegate', { for: 'agent' }),
    own('delete_project'),
    tools.call(agent, 'list_org_members', { org_id: orgId }),
  ];
  for (const answer of await Promise.all(refused))
    expect(answer).toMatchObject({ isError: true, structuredContent: { code: 'NOT_AUTHORIZED' } });
});

test('it ends alone when it is revoked, with the grant that it held itself', async () => {
  const { agent, own, path, made, wallet, projectId } = await connected();
  const second = await call(wallet, 'POST', path, { body: { for: 'agent' } });
  expect((await call(wallet, 'DELETE', `${path}/${made.delegate_id}`)).status).toBe(200);
  expect(await own('run_sql', { sql: 'select 1' })).toMatchObject({ structuredContent: { code: 'INVALID_AUTH' } });
  const kept = service.actors.bearer(second.body.token);
  const asked = { project_id: projectId, sql: 'select 1' };
  expect(await tools.call(kept, 'run_sql', asked)).not.toHaveProperty('isError');
  const { grants } = (await call(wallet, 'GET', `/projects/v1/${projectId}/grants`)).body;
  expect(grants.map((grant: { revoked_at: unknown }) => grant.revoked_at === null)).toEqual([true, false]);
  expect(await tools.call(agent, 'whoami', {})).toMatchObject({ structuredContent: { code: 'INVALID_AUTH' } });
});

test('it ends with its grant, and outlasts the owner who connected it', async () => {
  const { own, wallet, orgId, projectId, principalId } = await connected();
  const another = service.actors.wallet();
  await call(wallet, 'POST', `/orgs/v1/${orgId}/members`, { body: { wallet: another.address, role: 'owner' } });
  expect((await call(another, 'DELETE', `/orgs/v1/${orgId}/members/${principalId}`)).status).toBe(200);
  expect(await own('run_sql', { sql: 'select 1' })).not.toHaveProperty('isError');
  // Who connected it has no part in its grant.
  expect((await call(wallet, 'GET', `/projects/v1/${projectId}`)).status).toBe(403);
  const [grant] = (await call(another, 'GET', `/projects/v1/${projectId}/grants`)).body.grants;
  await call(another, 'DELETE', `/projects/v1/${projectId}/grants/${grant.id}`);
  expect(await own('run_sql', { sql: 'select 1' })).toMatchObject({ structuredContent: { code: 'INVALID_AUTH' } });
});

test('what a delegate is refused names the credentials that would do', async () => {
  const { wallet, projectId } = await service.project();
  const grants = `/projects/v1/${projectId}/grants`;
  const given = await call(wallet, 'POST', grants, { body: { wallet: wallet.address, capability: 'read' } });
  const body = { grant_id: given.body.grant_id, scope: { v: 1, capabilities: ['read'] } };
  const { token } = (await call(wallet, 'POST', `/projects/v1/${projectId}/delegates`, { body })).body;
  const reader = service.actors.bearer(token);
  const sql = await tools.call(reader, 'run_sql', { project_id: projectId, sql: 'select 1' });
  expect(sql.structuredContent).toMatchObject({
    code: 'NOT_AUTHORIZED',
    next_actions: [
      { why: 'Use a delegate with project:write; `svc delegates create --for agent` makes one with project:write.' },
      { why: 'Send the service key of the project in the header apikey.' },
      { why: 'Act as a member of the organization with the role developer or above.' },
    ],
  });
  expect(sql.content[0]!.text).toContain('Next step: Ask the owner of the project for a credential that');
  const org = await tools.call(reader, 'create_org', { display_name: 'Mine' });
  expect(org.structuredContent).toMatchObject({
    code: 'AUTH_REQUIRED',
    details: { credential: 'delegate', accepted: expect.arrayContaining(['wallet']) },
  });
  expect(org.content[0]!.text).toContain('Next step: Leave this to somebody with a wallet’s signature');
});

test.each([
  ['a grant', { grant_id: crypto.randomUUID() }, 'grant_id'],
  ['a scope', { scope: { v: 1, capabilities: ['project:write'] } }, 'scope'],
  ['another kind', { kind: 'ci_oidc', public_subject: 'repo:a/b' }, 'kind'],
])('%s does not go with `for`', async (_name, body, field) => {
  const { path, wallet } = await connected();
  expect(await call(wallet, 'POST', path, { body: { for: 'agent', ...body } })).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_FAILED', details: { field } },
  });
});
