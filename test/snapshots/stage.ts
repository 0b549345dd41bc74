import { expect } from 'vitest';
import { deploying } from '../deploys/deploying.ts';
import { type Actor, withHeaders } from '../helpers/actors.ts';
import type { Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
export type Any = any;

type Home = Pick<Awaited<ReturnType<Service['project']>>, 'projectId' | 'anonKey' | 'serviceKey'> & {
  readonly wallet: Actor;
};

/** A project of its own unless told, with what is done to its snapshots. */
export async function copying(service: Service, given?: Home) {
  const home: Home = given ?? (await service.project());
  const path = `/projects/v1/${home.projectId}/snapshots`;
  const call = (method: string, at = '', body: object = {}) =>
    service.call<Any>(home.wallet, method, path + at, method === 'POST' ? { body } : {});
  const sql = async (text: string): Promise<Any> => {
    const { status, body } = await service.call<Any>(home.wallet, 'POST', `/projects/v1/admin/${home.projectId}/sql`, {
      body: { sql: text },
    });
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const rows = (table: string) => service.call<Any>(withHeaders({ apikey: home.anonKey }), 'GET', `/rest/v1/${table}`);
  const ended = (id: string): Promise<Any> =>
    until(async () => {
      const { body } = await call('GET', `/${id}`);
      expect(body.status).not.toBe('running');
      return body;
    });
  /** Takes a snapshot and waits until it is ready. */
  async function take(): Promise<Any> {
    const { status, body } = await call('POST');
    expect(body).toMatchObject({ status: 'running', kind: 'manual' });
    expect(status).toBe(202);
    const taken = await ended(body.snapshot_id);
    expect(taken).toMatchObject({ status: 'ready', error: null });
    return taken;
  }
  const plan = async (id: string, body: object = {}): Promise<Any> => {
    const planned = await call('POST', `/${id}/restore`, body);
    expect(planned.status, planned.text).toBe(200);
    return planned.body.restore_plan;
  };
  const confirm = (id: string, token: string, body: object = {}) =>
    call('POST', `/${id}/restore`, { ...body, confirm: token });
  /** Plans and confirms. */
  async function restore(id: string, body: object = {}): Promise<Any> {
    const planned = await plan(id, body);
    return (await confirm(id, planned.confirm.token, body)).body;
  }
  /** Databases of restores that are beside the project's. */
  const besides = async (): Promise<string[]> => {
    const [row] = await service.control.sql<{ database_name: string }>(
      'select database_name from projects where id = $1',
      [home.projectId],
    );
    const found = await service.control.sql<{ datname: string }>(
      'select datname from pg_database where datname like $1',
      [`%${row!.database_name}`],
    );
    return found.map(({ datname }) => datname).filter((name) => name !== row!.database_name);
  };
  const mine = deploying(service, home.wallet, home);
  return { ...home, call, sql, rows, take, ended, plan, confirm, restore, besides, mine };
}
