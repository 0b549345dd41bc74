import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { deploying, refOf } from '../deploys/deploying.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { platformTools } from './mcp-stage.ts';

const service = await sharedService();
afterAll(() => service.stop());
const tools = platformTools(service);

/** A project of its own, and the tools as its owner calls them. */
async function stage() {
  const home = await service.project();
  const { read, deploySite } = deploying(service, home.wallet, home);
  const call = (name: string, args: object) => tools.call(home.wallet, name, args);
  const paths = async () => {
    const { body } = await read('/apply/v1/releases/active');
    return body.site.paths.map(({ path, content_sha256: sha256 }: { path: string; content_sha256: string }) => [
      path,
      sha256,
    ]);
  };
  return { ...home, call, paths, deploySite };
}

describe('deploy_site', () => {
  test('makes the files of one call the whole site, and has it live when it answers', async () => {
    const { projectId: project, call, paths } = await stage();
    const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]);
    const files = [
      { file: 'index.html', data: '<h1>ö</h1>' },
      { file: 'a/logo.png', data: png.toString('base64'), encoding: 'base64' },
      { file: 'empty.txt', data: '' },
    ];
    const { isError, structuredContent } = await call('deploy_site', { project, files });
    expect([isError, structuredContent]).toMatchObject([
      undefined,
      {
        status: 'ready',
        release_generation: 1,
        is_noop: false,
        warnings: [{ code: 'FIRST_DEPLOY' }],
        urls: { site: expect.any(String) },
      },
    ]);
    expect(await paths()).toEqual([
      ['a/logo.png', createHash('sha256').update(png).digest('hex')],
      ['empty.txt', refOf('').sha256],
      ['index.html', refOf('<h1>ö</h1>').sha256],
    ]);
    // Nothing to upload and nothing to change.
    const again = await call('deploy_site', { project, files });
    expect(again.structuredContent).toMatchObject({ status: 'ready', is_noop: true, release_generation: 1 });
  });

  test.each([
    [
      'a path that is given twice',
      [
        { file: 'a', data: '1' },
        { file: 'a', data: '2' },
      ],
      'files',
    ],
    ['data that is no base64', [{ file: 'a', data: '%%%', encoding: 'base64' }], 'site.replace.a.data'],
    [
      'content over the limit',
      [
        { file: 'a', data: 'x'.repeat(600_000) },
        { file: 'b', data: 'x'.repeat(400_001) },
      ],
      'site.replace.b',
    ],
    ['no file at all', [], 'files'],
    ['an unknown encoding', [{ file: 'a', data: '1', encoding: 'latin1' }], 'files.0.encoding'],
  ])('refuses %s before anything is planned', async (_case, files, field) => {
    const { projectId: project, call } = await stage();
    const { structuredContent } = await call('deploy_site', { project, files });
    expect(structuredContent).toMatchObject({ code: 'VALIDATION_FAILED', details: { field } });
    const kept = 'select 1 from deploy_plans where project_id = $1';
    expect(await service.control.sql(kept, [project])).toEqual([]);
  });

  test('takes as much content as one call may bring', async () => {
    const { projectId: project, call } = await stage();
    const files = [{ file: 'a.txt', data: 'x'.repeat(1_000_000) }];
    expect((await call('deploy_site', { project, files })).structuredContent).toMatchObject({ status: 'ready' });
  });
});

describe('deploy', () => {
  test('runs migrations and publishes files and assets of one call', async () => {
    const { projectId: project_id, call, paths } = await stage();
    const sql = 'create table notes (body text)';
    const { structuredContent } = await call('deploy', {
      project_id,
      database: { migrations: [{ id: '001_notes', sql }] },
      site: { patch: { put: { 'index.html': 'one', 'b.txt': { data: 'two', content_type: 'text/x-two' } } } },
      assets: { put: [{ key: 'notes.txt', source: { data: 'kept' } }] },
    });
    expect(structuredContent).toMatchObject({ status: 'ready', release_generation: 1 });
    expect((await paths()).map(([path]: string[]) => path)).toEqual(['b.txt', 'index.html']);
    const rows = await call('run_sql', { project_id, sql: 'select count(*)::int as n from notes' });
    expect(rows.structuredContent).toMatchObject({ rows: [{ n: 0 }] });
    const { structuredContent: asset } = await call('assets_get', { project_id, key: 'notes.txt' });
    expect(asset).toMatchObject({ key: 'notes.txt', size_bytes: 4 });
  });

  test('tells what a deploy failed with, and leaves the release before', async () => {
    const { projectId: project_id, call, paths, deploySite } = await stage();
    await deploySite({ 'index.html': 'before' });
    const answer = await call('deploy', {
      project_id,
      database: { migrations: [{ id: '001_wrong', sql: 'select no_such_column' }] },
      site: { replace: { 'index.html': 'after' } },
    });
    expect(answer).toMatchObject({
      isError: true,
      structuredContent: { code: 'MIGRATION_FAILED', operation_id: expect.stringMatching(/^op_/) },
    });
    expect(answer.content[0]!.text).toMatch(/^Error calling deploy: .* \(HTTP 409\)\n\nCode: MIGRATION_FAILED/);
    expect(await paths()).toEqual([['index.html', refOf('before').sha256]]);
  });

  test('stops at a warning that asks for confirmation, and goes on once its code is agreed to', async () => {
    const { projectId: project_id, call } = await stage();
    const slices = { project_id, database: { migrations: [{ id: '001', sql: 'create table old (id int)' }] } };
    expect((await call('deploy', slices)).structuredContent).toMatchObject({ status: 'ready' });
    const dropping = { project_id, database: { migrations: [{ id: '002', sql: 'drop table old' }] } };
    const stopped = await call('deploy', dropping);
    expect(stopped).toMatchObject({ isError: true, structuredContent: { mutation_state: 'not_started' } });
    const codes = stopped.structuredContent.details.unacknowledged_warning_codes;
    expect(codes).toContain(stopped.structuredContent.code);
    const other = await call('deploy', { ...dropping, allow_warning_codes: ['NO_SUCH_WARNING'] });
    expect(other.structuredContent.code).toBe(stopped.structuredContent.code);
    const agreed = await call('deploy', { ...dropping, allow_warning_codes: codes });
    expect(agreed.structuredContent).toMatchObject({ status: 'ready' });
  });

  test.each([
    [{ site: { replace: { 'a.txt': { path: '/etc/passwd' } } } }, 'site.replace.a.txt'],
    [{ site: { replace: { __source: 'local-dir', path: 'dist' } } }, 'site.replace'],
    [{ database: { migrations: [{ id: '1', sql_path: 'a.sql' }] } }, 'database.migrations.0'],
    [{ assets: { put: [{ key: 'a', source: { path: 'a' } }] } }, 'assets.put.0.source'],
  ])('reads no file of the gateway: %j', async (slices, field) => {
    const { projectId: project_id, call } = await stage();
    const { structuredContent } = await call('deploy', { project_id, ...slices });
    expect(structuredContent).toMatchObject({ code: 'VALIDATION_FAILED', details: { field } });
  });

  test('refuses a stranger as every tool of the project does, and tells of no project', async () => {
    const { projectId: project_id } = await stage();
    const site = { replace: { 'index.html': 'theirs' } };
    const stranger = await service.project();
    for (const project of [project_id, 'prj_absent'])
      expect(
        (await tools.call(stranger.wallet, 'deploy', { project_id: project, site })).structuredContent,
      ).toMatchObject({ code: 'NOT_AUTHORIZED' });
  });
});
