import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployFunction } from '../../clients/sdk/src/deploy/index.ts';
import { connect, delegate } from '../../clients/sdk/src/index.ts';
import { terminal } from '../cli/command.ts';
import { startService } from '../helpers/service.ts';
import { platformTools } from '../mcp/mcp-stage.ts';

const service = await startService();
afterAll(() => service.stop());
const tools = platformTools(service);

let project: Awaited<ReturnType<typeof service.project>>;
let ada: Awaited<ReturnType<typeof terminal>>;
/** Of an agent that works with the project. */
let token: string;
beforeAll(async () => {
  project = await service.project();
  const path = `/projects/v1/${project.projectId}/delegates`;
  ({ token } = (await service.call<{ token: string }>(project.wallet, 'POST', path, { body: { for: 'agent' } })).body);
  ada = await terminal(service.url);
});
afterAll(() => ada.remove());

const says = async (name: string) => {
  const answer = await fetch(`${service.url}/functions/v1/${name}`, { headers: { apikey: project.anonKey } });
  return [answer.status, await answer.text()];
};
const code = (text: string) => `export default () => new Response('${text}');`;
const typed = (text: string) => `const said: string = '${text}';\nexport default (): Response => new Response(said);`;

test('a command deploys one function of this machine, and what no flag says stays', async () => {
  const svc = ada.with({ SVC_DELEGATE_TOKEN: token, SVC_PROJECT_ID: project.projectId });
  await writeFile(join(ada.checkout, 'hello.ts'), typed('from a file'));
  const first = await svc(
    'functions',
    'deploy',
    'hello',
    '--file',
    'hello.ts',
    '--timeout',
    '7',
    '--schedule',
    '30 2 * * *',
  );
  expect(first.json).toMatchObject({
    name: 'hello',
    status: 'ready',
    url: expect.stringContaining('/functions/v1/hello'),
    timeout: 7,
    memory: 128,
    schedule: '30 2 * * *',
    deps_resolved: {},
    warnings: [{ code: 'FIRST_DEPLOY' }],
  });
  expect(await says('hello')).toEqual([200, 'from a file']);
  await mkdir(join(ada.checkout, 'api', 'lib'), { recursive: true });
  await writeFile(join(ada.checkout, 'api', 'lib', 'said.ts'), `export const said: string = 'from two files';`);
  await writeFile(
    join(ada.checkout, 'api', 'index.ts'),
    `import { said } from './lib/said.ts';\nexport default () => new Response(said);`,
  );
  const again = await svc('functions', 'deploy', 'hello', '--dir', 'api', '--file', 'index.ts', '--schedule', 'none');
  expect(again.json).toMatchObject({ timeout: 7, schedule: null });
  expect(await says('hello')).toEqual([200, 'from two files']);
  const planned = await svc('functions', 'deploy', 'other', '--file', 'hello.ts', '--plan');
  expect(planned.json).toMatchObject({ is_noop: false, functions: expect.anything() });
  expect((await says('other'))[0]).toBe(404);
  expect((await svc('functions', 'deploy', 'other', '--file', 'absent.ts')).error).toMatchObject({
    code: 'FILE_NOT_FOUND',
  });
});

test('a tool deploys the code of its call, and tells what cannot be built', async () => {
  const call = (args: object) =>
    tools.call(project.wallet, 'deploy_function', { project_id: project.projectId, name: 'tooled', ...args });
  const { isError, structuredContent } = await call({ code: code('from a tool'), config: { timeout: 5 } });
  expect([isError, structuredContent]).toMatchObject([
    undefined,
    { name: 'tooled', status: 'ready', timeout: 5, runtime: 'node22', operation_id: expect.stringMatching(/^op_/) },
  ]);
  expect(await says('tooled')).toEqual([200, 'from a tool']);
  await call({ code: typed('typed'), language: 'typescript' });
  expect(await says('tooled')).toEqual([200, 'typed']);
  expect(await call({ code: 'export default (' })).toMatchObject({
    isError: true,
    structuredContent: { code: 'FUNCTION_BUILD_FAILED' },
  });
  expect(await says('tooled')).toEqual([200, 'typed']);
  // The other functions are as they were.
  expect((await says('hello'))[0]).toBe(200);
  expect(await call({ code: code('x'), deps: ['sharp'] })).toMatchObject({ isError: true });
});

test('the SDK deploys one function, as an agent of the project', async () => {
  await writeFile(join(ada.checkout, 'sdk.mjs'), code('from the SDK'));
  const connection = connect({ baseUrl: service.url, credential: delegate(token) });
  const { function: made, deploy } = await deployFunction(
    connection,
    project.projectId,
    'made',
    { file: 'sdk.mjs' },
    { base: ada.checkout },
  );
  expect([made.name, deploy.status]).toEqual(['made', 'ready']);
  expect(await says('made')).toEqual([200, 'from the SDK']);
});
