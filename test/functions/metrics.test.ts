import { afterAll, beforeAll, expect, test } from 'vitest';
import { deploying, refOf } from '../deploys/deploying.ts';
import { startService } from '../helpers/service.ts';

const service = await startService();
afterAll(() => service.stop());

const moody = `export default async (request) => {
  const said = await request.text();
  if (said === 'break') throw new Error('broken on purpose');
  return new Response(said, { status: said === 'refuse' ? 404 : said === 'fail' ? 503 : 200 });
};`;
const other = `export default () => new Response('');`;

let project: Awaited<ReturnType<typeof service.project>>;
beforeAll(async () => {
  project = await service.project();
  const spec = { functions: { replace: { moody: { source: refOf(moody) }, other: { source: refOf(other) } } } };
  await deploying(service, project.wallet, project).deploy(spec, [moody, other]);
  for (const [name, said] of [
    ['moody', 'hello'],
    ['moody', 'refuse'],
    ['moody', 'break'],
    ['moody', 'fail'],
    ['other', ''],
  ] as const)
    await fetch(`${service.url}/functions/v1/${name}`, {
      method: 'POST',
      headers: { apikey: project.anonKey },
      body: said,
    });
});

interface Figures {
  readonly calls: number;
  readonly errors: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}
interface Metrics {
  readonly step_seconds: number;
  readonly points: readonly (Figures & { readonly at: string })[];
  readonly functions: readonly (Figures & { readonly name: string })[];
}
const metrics = async (search = '', actor = service.actors.bearer(project.serviceKey)) =>
  (await service.call<Metrics>(actor, 'GET', `/projects/v1/${project.projectId}/function-metrics${search}`)).body;
const sum = ({ points }: Metrics, of: 'calls' | 'errors') => points.reduce((total, one) => total + one[of], 0);

test('calls, failures and latency are told of each function and over time, as soon as the calls were answered', async () => {
  const all = await metrics();
  const time = { p50_ms: expect.any(Number), p95_ms: expect.any(Number) };
  expect(all.functions).toEqual([
    { name: 'moody', calls: 4, errors: 2, ...time },
    { name: 'other', calls: 1, errors: 0, ...time },
  ]);
  const { p50_ms: p50, p95_ms: p95 } = all.functions[0]!;
  expect(p95!).toBeGreaterThanOrEqual(p50!);
  expect([all.step_seconds, all.points.length]).toEqual([3_600, 24]);
  expect([sum(all, 'calls'), sum(all, 'errors')]).toEqual([5, 2]);
  expect(all.points[0]).toMatchObject({ calls: 0, errors: 0, p50_ms: null, p95_ms: null });
  const one = await metrics('?name=other&range=hour');
  expect(one.functions.map(({ name }) => name)).toEqual(['other']);
  expect([one.step_seconds, one.points.length, sum(one, 'calls')]).toEqual([60, 60, 1]);
});

test('histograms of many hours add up, and those of others are theirs', async () => {
  await service.control.sql(
    `insert into function_invocations (org_id, project_id, span, starts_at, function, release_id, count, failed, latency)
     select org_id, project_id, span, starts_at - interval '30 hours', function, 'rel_before', 96, 1, array_fill(0, array[4]) || 96
     from function_invocations where project_id = $1 and span = 'hour' and function = 'moody'`,
    [project.projectId],
  );
  const week = await metrics('?range=week&name=moody');
  // 96 calls of 5 to 8 ms, before the four.
  expect(week.functions).toMatchObject([
    { calls: 100, errors: 3, p50_ms: expect.toSatisfy((ms) => ms > 5 && ms <= 8) },
  ]);
  expect(sum(await metrics('?name=moody'), 'calls')).toBe(4);
  const theirs = await service.project();
  expect(await service.call(theirs.wallet, 'GET', `/projects/v1/${theirs.projectId}/function-metrics`)).toMatchObject({
    status: 200,
    body: { functions: [] },
  });
});

test('the graph tells the same', async () => {
  const { data } = await service.graphql(
    service.actors.bearer(project.serviceKey),
    `{ project(id: "${project.projectId}") {
      functionMetrics(name: "other", range: DAY) { stepSeconds functions { name calls errors } }
      functions { name routes { pattern methods } deps allowedRoles roleTable } } }`,
  );
  expect(data.project).toEqual({
    functionMetrics: { stepSeconds: 3_600, functions: [{ name: 'other', calls: 1, errors: 0 }] },
    functions: ['moody', 'other'].map((name) => ({ name, routes: [], deps: [], allowedRoles: [], roleTable: null })),
  });
});
