import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { asProcess, terminal } from '../cli/command.ts';
import type { WalletActor } from '../helpers/actors.ts';
import { startService } from '../helpers/service.ts';
import { startCiProvider } from './ci-provider.ts';

const audience = 'https://deploys.example.com';
const main = 'repo:acme/shop:ref:refs/heads/main';
const provider = await startCiProvider(audience);
const service = await startService({ env: { SVC_CI_ISSUER: provider.issuer, SVC_CI_AUDIENCE: audience } });
const folder = await mkdtemp(join(tmpdir(), 'svc-ci-'));
/** Where a runner of GitHub hands out the tokens of its workflow. */
const runner = createServer(async (request, response) => {
  if (request.headers.authorization !== 'Bearer of the runner') return void response.writeHead(401).end();
  const asked = new URL(request.url!, 'http://localhost').searchParams.get('audience')!;
  response.end(JSON.stringify({ value: await provider.tokenOf({ subject: main, audience: asked }) }));
});
await new Promise<void>((listening) => runner.listen(0, '127.0.0.1', listening));
afterAll(async () => {
  runner.close();
  await rm(folder, { recursive: true, force: true });
  await service.stop();
  await provider.stop();
});

const run = promisify(execFile);

test('the action of examples/ci deploys what `svc ci link github` has allowed', async () => {
  const home = await service.project();
  const owner = await terminal(service.url);
  await owner.with({}, (home.wallet as WalletActor).privateKey)('wallets', 'import', 'owner', '--key', '-');
  await owner.svc('wallets', 'use', 'owner');
  const link = ['ci', 'link', 'github', home.projectId, '--subject', main];
  const linked = await owner.svc(...link, '--issuer', provider.issuer, '--audience', audience);
  expect(linked.json, linked.stderr).toMatchObject({ subject_match: main, revoked_at: null });
  await writeFile(join(folder, 'index.html'), 'by CI');
  const manifest = { site: { replace: { 'index.html': { path: 'index.html' } } } };
  await writeFile(join(folder, 'svc.json'), JSON.stringify(manifest));
  const svc = join(folder, 'svc');
  await writeFile(svc, `#!/bin/sh\nexec '${process.execPath}' ${asProcess().join(' ')} "$@"\n`, { mode: 0o755 });
  const { stdout } = await run('bash', [resolve('examples/ci/deploy/deploy.sh')], {
    cwd: folder,
    env: {
      HOME: folder,
      SVC_CONFIG_DIR: join(folder, 'runner'),
      PATH: `${resolve(process.execPath, '..')}:${process.env.PATH}`,
      SVC_API_BASE: service.url,
      SVC_COMMAND: svc,
      SVC_PROJECT_ID: home.projectId,
      SVC_CI_AUDIENCE: audience,
      SVC_MANIFEST: 'svc.json',
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of the runner',
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${(runner.address() as AddressInfo).port}/token?api-version=2.0`,
    },
  });
  expect(stdout).toContain('ready');
  const live = await service.control.sql('select release_id from live_releases where project_id = $1', [
    home.projectId,
  ]);
  expect(live).toMatchObject([{ release_id: expect.stringMatching(/^rel_/) }]);
  const ended = await owner.svc('ci', 'list', home.projectId);
  expect(ended.json.bindings).toMatchObject([{ use_count: 1 }]);
});
