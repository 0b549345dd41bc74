import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { asking } from '../hosting/site.ts';
import { deploying, refOf } from './deploying.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const service = await startService();
afterAll(() => service.stop());

/** Files that all have the same bytes: the table of paths is what is large here. A site may have 100,000, in `SVC_TEST_FILES`. */
const many = Number(process.env.SVC_TEST_FILES ?? 60_000);

const text = 'the same in all of them';
const site = (count: number, folder: string) => ({
  site: {
    replace: Object.fromEntries(
      Array.from({ length: count }, (_none, at) => [`${folder}/page-${at}/index.html`, refOf(text)]),
    ),
  },
});

async function fresh() {
  const project = await service.project();
  const mine = deploying(service, project.wallet, project);
  await mine.upload(text);
  return { ...project, mine };
}

test(`a specification that is larger than a request may be is uploaded, planned, applied and served, with ${many} files`, async () => {
  const { mine, projectId } = await fresh();
  const slices = site(many, 'docs');
  const spec = JSON.stringify({ project_id: projectId, ...slices });
  expect((await mine.plan(slices)).status).toBe(413);
  await mine.upload(spec);
  const began = performance.now();
  const planned = await mine.plan({}, { manifest_ref: refOf(spec) });
  expect(planned.body).toMatchObject({ kind: 'plan_response', missing_content: expect.any(Array) });
  expect(planned.body.missing_content.filter(({ present }: Any) => !present)).toEqual([]);
  expect(planned.body.totals ?? planned.body.site.totals).toMatchObject({ added: many });
  const plannedAt = performance.now();
  const { body } = await mine.commit(planned.body.plan_id);
  const done = await mine.ended(body.operation_id);
  expect(done).toMatchObject({ status: 'ready' });
  const ms = (from: number, to: number) => `${Math.round(to - from)} ms`;
  process.stdout.write(
    `${many} files in ${spec.length} bytes: planned in ${ms(began, plannedAt)}, live in ${ms(plannedAt, performance.now())}\n`,
  );
  const ask = asking(service, new URL(done.urls.site).hostname);
  for (const at of [0, 1, Math.floor(many / 2), many - 1])
    expect([at, (await ask(`/docs/page-${at}/`)).text]).toEqual([at, text]);
  expect((await ask(`/docs/page-${many}/`)).status).toBe(404);
  // The same once more is nothing to do.
  const again = await mine.plan({}, { manifest_ref: refOf(spec) });
  expect(again.body).toMatchObject({ is_noop: true });
});

test('a specification of nearly 5 MiB is taken in the request, and one over it is refused by its size', async () => {
  const { mine, projectId } = await fresh();
  const bytesOf = (slices: object) => Buffer.byteLength(JSON.stringify({ project_id: projectId, ...slices }));
  const each = (bytesOf(site(1_100, 'x')) - bytesOf(site(100, 'x'))) / 1_000;
  const limit = 5 * 1024 * 1024;
  const below = site(Math.floor((limit / each) * 0.97), 'x');
  const above = site(Math.ceil((limit / each) * 1.03), 'x');
  expect(bytesOf(below)).toBeLessThan(limit);
  expect(bytesOf(above)).toBeGreaterThan(limit);
  expect((await mine.plan(below)).body).toMatchObject({ kind: 'plan_response' });
  expect(await mine.plan(above)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  // A refusal that is made before anything was kept.
  expect((await mine.read('/apply/v1/releases/active')).body.release_id).toBeNull();
});

test('a hundred thousand files are the most that a site has', async () => {
  const { mine, projectId } = await fresh();
  const spec = JSON.stringify({ project_id: projectId, ...site(100_001, 'y') });
  await mine.upload(spec);
  expect((await mine.plan({}, { manifest_ref: refOf(spec) })).body).toMatchObject({
    code: 'INVALID_SPEC',
    resource: 'site.replace',
  });
});
