import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const { actors, control } = service;

const auditOf = (projectId: string, action: string) =>
  control.sql<{ details: unknown }>(
    'select details from audit_events where object_id = $1 and action = $2 order by seq',
    [projectId, action],
  );

test('an owner renames a project, and everything that shows it shows the new name', async () => {
  const { wallet, projectId } = await service.project();
  const path = `/projects/v1/${projectId}`;
  const { name: before } = (await call(wallet, 'GET', path)).body;
  const renamed = await call(wallet, 'PATCH', path, { body: { name: '  Ünïcode 商店 🛒 ' } });
  expect([renamed.status, renamed.body]).toEqual([200, { project_id: projectId, name: 'Ünïcode 商店 🛒' }]);
  expect((await call(wallet, 'GET', path)).body.name).toBe('Ünïcode 商店 🛒');
  expect((await call(wallet, 'GET', '/projects/v1')).body.projects[0].name).toBe('Ünïcode 商店 🛒');
  // As it is: nothing to say of it.
  expect((await call(wallet, 'PATCH', path, { body: { name: 'Ünïcode 商店 🛒' } })).status).toBe(200);
  expect(await auditOf(projectId, 'project.renamed')).toEqual([
    { details: { name: 'Ünïcode 商店 🛒', previous_name: before } },
  ]);
  const graph = await service.graphql(
    wallet,
    'mutation ($input: RenameProjectInput!) { renameProject(input: $input) { id name } }',
    { input: { project: `Project_${projectId}`, name: 'Shop' } },
  );
  expect(graph).toEqual({ data: { renameProject: { id: `Project_${projectId}`, name: 'Shop' } } });
});

test('a name of 200 characters is taken, however many units they have', async () => {
  const { wallet, projectId } = await service.project();
  const name = '🪁'.repeat(200);
  expect((await call(wallet, 'PATCH', `/projects/v1/${projectId}`, { body: { name } })).body.name).toBe(name);
});

test('a name is kept in NFC, and with the joiners that some scripts are written with', async () => {
  const { wallet, projectId } = await service.project();
  for (const [name, kept] of [
    ['Cafe\u0301', 'Caf\u00e9'],
    ['\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
  ]) {
    expect((await call(wallet, 'PATCH', `/projects/v1/${projectId}`, { body: { name } })).body.name).toBe(kept);
  }
});

test.each<[string, unknown]>([
  ['no name', {}],
  ['null', { name: null }],
  ['a number', { name: 7 }],
  ['an empty name', { name: '' }],
  ['a blank name', { name: ' \u00a0\u3000 ' }],
  ['201 characters', { name: 'x'.repeat(201) }],
  ['201 characters of two units', { name: '🪁'.repeat(201) }],
  ['a line break', { name: 'a\nb' }],
  ['a control character of the second kind', { name: 'a\u0085b' }],
  ['a NUL', { name: 'a\0b' }],
  ['a character that turns the line around', { name: 'a\u202eb' }],
  ['a character nobody sees', { name: 'a\u200bb' }],
  ['a lone surrogate', '{"name":"\\ud800"}'],
])('%s is no name for a project', async (_case, body) => {
  const { wallet, projectId } = await service.project();
  const path = `/projects/v1/${projectId}`;
  const before = (await call(wallet, 'GET', path)).body.name;
  expectRefusal(await call(wallet, 'PATCH', path, { body }), 'VALIDATION_FAILED', { field: 'name' });
  expect((await call(wallet, 'GET', path)).body.name).toBe(before);
});

const repoName = (id: string) => `/projects/v1/${id}/repo-name`;

test('a project takes a repository name, another one, and the one it has once more', async () => {
  const { wallet, projectId } = await service.project();
  const set = async (name: string) => (await call(wallet, 'POST', repoName(projectId), { body: { name } })).body;
  const answer = (repo_name: string, previous_repo_name: string | null) => ({
    project_id: projectId,
    repo_name,
    previous_repo_name,
  });
  expect(await set('shop')).toEqual(answer('shop', null));
  expect(await set('shop-2')).toEqual(answer('shop-2', 'shop'));
  expect(await set('shop-2')).toEqual(answer('shop-2', 'shop-2'));
  expect((await call(wallet, 'GET', `/projects/v1/${projectId}`)).body.repo_name).toBe('shop-2');
  expect(await auditOf(projectId, 'project.repo_name_set')).toEqual([
    { details: { repo_name: 'shop', previous_repo_name: null } },
    { details: { repo_name: 'shop-2', previous_repo_name: 'shop' } },
  ]);
  const graph = await service.graphql(
    wallet,
    'mutation ($input: SetProjectRepoNameInput!) { setProjectRepoName(input: $input) { id repoName } }',
    { input: { project: projectId, name: 'x'.repeat(63) } },
  );
  expect(graph.data.setProjectRepoName).toEqual({ id: `Project_${projectId}`, repoName: 'x'.repeat(63) });
});

test.each<[string, unknown]>([
  ['nothing', ''],
  ['64 characters', 'x'.repeat(64)],
  ['capitals', 'Shop'],
  ['a blank', 'my shop'],
  ['blanks around', ' shop '],
  ['a leading hyphen', '-shop'],
  ['a trailing hyphen', 'shop-'],
  ['a double hyphen', 'my--shop'],
  ['a hyphen alone', '-'],
  ['an underscore', 'my_shop'],
  ['a dot', 'shop.git'],
  ['a slash', 'a/b'],
  ['a line break at its end', 'shop\n'],
  ['a letter with an accent', 'caf\u00e9'],
  ['the same letter unnormalised', 'cafe\u0301'],
  ['a Cyrillic look-alike', 'sh\u043ep'],
  ['a full-width letter', '\uff53hop'],
  ['a hyphen of another kind', 'my\u2010shop'],
  ['digits of another script', 'shop\u0661'],
  ['a number', 7],
  ['null', null],
])('%s is no repository name', async (_case, name) => {
  const { wallet, projectId } = await service.project();
  expectRefusal(await call(wallet, 'POST', repoName(projectId), { body: { name } }), 'VALIDATION_FAILED', {
    field: 'name',
  });
  expect((await call(wallet, 'GET', `/projects/v1/${projectId}`)).body.repo_name).toBeNull();
});

test('of twenty projects that race for one name exactly one gets it', async () => {
  const { wallet, orgId } = await service.owner();
  const ids = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const { body } = await call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } });
      return body.project_id as string;
    }),
  );
  const answers = await Promise.all(ids.map((id) => call(wallet, 'POST', repoName(id), { body: { name: 'the-one' } })));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(19);
  for (const answer of refused) expectRefusal(answer, 'REPO_NAME_TAKEN', { field: 'name', repo_name: 'the-one' });
  const holders = await control.sql<{ id: string }>('select id from projects where repo_name = $1', ['the-one']);
  expect(holders).toEqual([{ id: answers.find(({ status }) => status === 200)!.body.project_id }]);
  const graph = await service.graphql(
    wallet,
    'mutation ($input: SetProjectRepoNameInput!) { setProjectRepoName(input: $input) { id } }',
    { input: { project: ids.find((id) => id !== holders[0]!.id), name: 'the-one' } },
  );
  expect(graph.errors![0]!.extensions).toMatchObject({ code: 'REPO_NAME_TAKEN' });
});

test('names of one project that race are each the previous one of another, with none left out', async () => {
  const { wallet, projectId } = await service.project();
  const names = Array.from({ length: 20 }, (_, at) => `name-${at}`);
  const answers = await Promise.all(names.map((name) => call(wallet, 'POST', repoName(projectId), { body: { name } })));
  const last = (await call(wallet, 'GET', `/projects/v1/${projectId}`)).body.repo_name;
  const previous = answers.map(({ body }) => body.previous_repo_name);
  expect([...previous, last].sort()).toEqual([...names, null].sort());
});

test('another organization has names of its own', async () => {
  for (let time = 0; time < 2; time++) {
    const { wallet, projectId } = await service.project();
    expect((await call(wallet, 'POST', repoName(projectId), { body: { name: 'shop' } })).status).toBe(200);
  }
});

test('a repeated request with its key answers as the first, also when the name went elsewhere since', async () => {
  const { wallet, projectId } = await service.project();
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const first = await call(wallet, 'POST', repoName(projectId), { body: { name: 'shop' }, headers });
  await call(wallet, 'POST', repoName(projectId), { body: { name: 'other' } });
  const again = await call(wallet, 'POST', repoName(projectId), { body: { name: 'shop' }, headers });
  expect(again.body).toEqual(first.body);
  expect((await call(wallet, 'GET', `/projects/v1/${projectId}`)).body.repo_name).toBe('other');
});

test.each(['frozen', 'dormant', 'purged'])('in a %s organization neither name changes', async (state) => {
  const { wallet, orgId, projectId } = await service.project();
  await control.sql('update orgs set lifecycle_state = $2 where id = $1', [orgId, state]);
  const code = ({ frozen: 'PROJECT_FROZEN', dormant: 'PROJECT_DORMANT' } as const)[state] ?? 'RESOURCE_NOT_FOUND';
  for (const [method, path] of [
    ['PATCH', `/projects/v1/${projectId}`],
    ['POST', repoName(projectId)],
  ] as const) {
    const refused = await call(wallet, method, path, { body: { name: 'shop' } });
    expectRefusal(refused, code);
    expect(refused.body.lifecycle_state).toBe(state);
  }
  expect(
    await control.sql('select 1 from projects where id = $1 and (name = $2 or repo_name = $2)', [projectId, 'shop']),
  ).toEqual([]);
});

test('a delegate and a guest with project:write rename; with another capability they do not', async () => {
  const { orgId, projectId } = await service.project();
  const writing = await actors.delegate({ orgId, projectId, capabilities: ['project:write'] });
  const deploying = await actors.delegate({ orgId, projectId, capabilities: ['deploy'] });
  const rename = (actor: typeof writing) =>
    call(actor, 'PATCH', `/projects/v1/${projectId}`, { body: { name: 'Mine' } });
  expect((await rename(writing)).status).toBe(200);
  expectRefusal(await rename(deploying), 'NOT_AUTHORIZED', {
    action: 'project:rename',
    required_role: 'admin',
    required_capability: 'project:write',
    reason: 'grant',
  });
});
