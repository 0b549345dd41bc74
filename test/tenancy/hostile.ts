import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { expect } from 'vitest';
import { patiently } from '../helpers/patiently.ts';
import type { Answer, Service } from '../helpers/service.ts';
import { type DataProject, dataProject } from '../project-data/data-project.ts';

/** Where a project's rows are, as its platform knows it. */
export interface Placed extends DataProject {
  readonly databaseName: string;
  readonly roleName: string;
  /** The way in that only the gateway has: as if a tenant had come by its login. */
  readonly loginUrl: string;
}

async function placed(service: Service): Promise<Placed> {
  const project = await dataProject(service);
  const [row] = await service.control.sql<{ server: string; database_name: string; role_name: string }>(
    'select server, database_name, role_name from projects where id = $1',
    [project.projectId],
  );
  const { server, database_name: databaseName, role_name: roleName } = row!;
  const loginUrl = service.app.services.projectDatabases.loginUrl({ server, databaseName, roleName });
  return { ...project, databaseName, roleName, loginUrl };
}

/** A project that means harm, and its neighbour on the same server, whose rows are read before and after all it does. */
export async function hostileWorld(service: Service) {
  const [hostile, neighbour] = [await placed(service), await placed(service)];
  const rows = [
    { id: 1, word: 'calm' },
    { id: 2, word: 'still' },
  ];
  await neighbour.sql(
    "create table quiet (id int primary key, word text); insert into quiet values (1, 'calm'), (2, 'still')",
  );
  await neighbour.expose({ tables: [{ name: 'quiet', expose: true, policy: 'public_read_authenticated_write' }] });
  const reads = async (door: 'anon' | 'admin' = 'anon') => {
    const answer = await patiently(() => neighbour[door]('GET', 'quiet?order=id'));
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: rows });
  };
  const writes = async () => expect(await neighbour.sql('select id, word from quiet order by id')).toEqual(rows);

  return {
    hostile,
    neighbour,
    /** The neighbour reads by the row routes and runs SQL, as ever. */
    async neighbourIsWell(): Promise<void> {
      await Promise.all([reads(), reads(), writes()]);
    },
    /** While something goes on, the neighbour is served. */
    async meanwhile<Result>(work: Promise<Result>): Promise<Result> {
      let over = false;
      const ended = work.finally(() => {
        over = true;
      });
      // By the door that no rate limits; the machine is left to what goes on for most of the time.
      do {
        await Promise.all([reads('admin'), writes()]);
        await Promise.race([ended, pause(50)]);
      } while (!over);
      return ended;
    },
    /** Processes of the neighbour's connections. */
    async connections(): Promise<unknown[]> {
      const found = await service.control.sql<{ pid: number }>(
        'select pid from pg_stat_activity where datname = $1 and usename = $2 order by pid',
        [neighbour.databaseName, neighbour.roleName],
      );
      return found.map(({ pid }) => pid);
    },
  };
}

export type HostileWorld = Awaited<ReturnType<typeof hostileWorld>>;

/** A statement made as another runs, which no reader of SQL sees. */
export const made = (statement: string, before = '') =>
  `do $outer$ begin ${before} execute $made$${statement}$made$; end $outer$`;

/** The same as the login itself, which has given up the role it was given. */
export const madeAsLogin = (statement: string) => made(statement, "execute 'reset role';");

/** PostgreSQL's own refusal, by its state, in the documented envelope. */
export function expectState({ status, body }: Answer<unknown>, sqlstate: string): void {
  expect({ status, body }).toMatchObject({ status: 400, body: { code: 'SQL_ERROR', details: { sqlstate } } });
}

/** Connects as a project's login, past the gateway. */
export async function connectAs(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
