import { expect } from 'vitest';
import { refOf } from '../deploys/deploying.ts';
import type { Actor } from '../helpers/actors.ts';
import type { Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { type Any, copying } from '../snapshots/stage.ts';

export const page = '<h1>shop</h1>';
export const newPage = '<h1>new shop</h1>';

/** A function that answers every call. */
export const greeting = `export default { fetch: () => new Response('hello') };`;

/** Functions as a slice. */
export const functionsOf = (codes: Readonly<Record<string, string>>) => ({
  functions: {
    replace: Object.fromEntries(
      Object.entries(codes).map(([name, code]) => [name, { runtime: 'node22', source: refOf(code) }]),
    ),
  },
});

/** A project with a page and a table `orders`, in which one row has no customer. */
export async function rehearsing(service: Service) {
  const home = await copying(service);
  const { mine, wallet, projectId } = home;
  await mine.deploy(
    {
      database: {
        migrations: [
          { id: '001', sql: 'create table orders (id int primary key, customer text)' },
          { id: '002', sql: `insert into orders values (1, 'ada'), (2, null)` },
        ],
      },
      site: { replace: { 'index.html': refOf(page) } },
    },
    [page],
  );

  /** Plans what has been uploaded. */
  async function planned(slices: object, texts: readonly string[] = []): Promise<Any> {
    await mine.upload(...texts);
    const { status, body, text } = await mine.plan(slices);
    expect(status, text).toBe(200);
    return body;
  }
  const ask = (planId: string, body: object = {}, as: Actor = wallet) =>
    service.call<Any>(as, 'POST', `/apply/v1/plans/${planId}/rehearse`, { body });
  const reportOf = (operationId: string): Promise<Any> =>
    until(async () => {
      const { body } = await mine.read(`/apply/v1/operations/${operationId}`);
      expect(body.rehearsal_report, JSON.stringify(body)).toBeDefined();
      return body.rehearsal_report;
    });
  /** Rehearses a plan and waits for the report. */
  async function rehearse(planId: string, body: object = {}): Promise<Any> {
    const begun = await ask(planId, body);
    expect([200, 202], begun.text).toContain(begun.status);
    const report = await reportOf(begun.body.operation_id);
    if (begun.status === 200) expect(begun.body.report).toEqual(report);
    return report;
  }
  const branches = async (): Promise<Any[]> =>
    (await service.call<Any>(wallet, 'GET', `/projects/v1/${projectId}/branches`)).body.branches;
  /** What is live: its release, its rows and its schema. */
  const live = async () => ({
    release: (await mine.read(`/apply/v1/releases/active?project_id=${projectId}`)).body.release_id,
    rows: (await home.sql('select * from orders order by id')).rows,
    columns: (await home.sql(`select column_name from information_schema.columns where table_name = 'orders'`)).rows,
  });
  return { ...home, planned, ask, reportOf, rehearse, branches, live };
}
