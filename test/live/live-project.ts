import { expect } from 'vitest';
import { type AuthProject, authProject } from '../auth/auth-project.ts';
import type { Answer, Service } from '../helpers/service.ts';
import { type EventStream, openStream } from './event-stream.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

export interface Follow {
  readonly tables: string;
  readonly cursor?: string;
  readonly wait?: string;
  /** Key in `apikey`. @default the anon key */
  readonly key?: string;
  readonly bearer?: string;
  readonly headers?: Record<string, string>;
  /** Which node is asked. @default the service's address */
  readonly url?: string;
}

export interface LiveProject extends AuthProject {
  /** Runs SQL as the tenant does, through the gateway. */
  readonly run: (sql: string) => Promise<Any[]>;
  readonly expose: (...tables: object[]) => Promise<Answer<Any>>;
  readonly stream: (follow: Follow) => Promise<EventStream>;
  readonly changes: (follow: Follow) => Promise<Answer<Any>>;
}

export const notes = {
  name: 'notes',
  expose: true,
  live: true,
  policy: 'public_read_write_UNRESTRICTED',
  i_understand_this_is_unrestricted: true,
};
export const tasks = { name: 'tasks', expose: true, live: true, policy: 'user_owns_rows', owner_column: 'user_id' };

/** A project with `notes` for everybody and `tasks` of users, both live. */
export async function liveProject(service: Service): Promise<LiveProject> {
  const project = await authProject(service);
  const key = service.actors.bearer(project.serviceKey);
  const base = `/projects/v1/admin/${project.projectId}`;
  const run: LiveProject['run'] = async (sql) => {
    const headers = { 'content-type': 'text/plain' };
    const { status, body } = await service.call<Any>(key, 'POST', `${base}/sql`, { body: sql, headers });
    expect({ status, body }).toMatchObject({ status: 200 });
    return body.rows;
  };
  const expose: LiveProject['expose'] = (...tables) =>
    service.call<Any>(key, 'POST', `${base}/expose`, { body: { version: 1, tables } });
  await run(`create table notes (id bigint generated always as identity primary key, body text);
    create table tasks (id bigint generated always as identity primary key, user_id uuid, body text);
    create table plain (id int primary key)`);
  expect(await expose(notes, tasks)).toMatchObject({ status: 200 });
  const pathOf = (path: string, { tables, cursor, wait }: Follow) =>
    `${path}?${new URLSearchParams({
      project_id: project.projectId,
      tables,
      ...(cursor === undefined ? {} : { cursor }),
      ...(wait === undefined ? {} : { wait }),
    })}`;
  const headersOf = ({ key: apikey = project.anonKey, bearer, headers = {} }: Follow) => ({
    apikey,
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    ...headers,
  });
  return {
    ...project,
    run,
    expose,
    stream: (follow) => openStream((follow.url ?? service.url) + pathOf('/live/v1', follow), headersOf(follow)),
    changes: (follow) =>
      service.call<Any>(service.actors.nobody, 'GET', pathOf('/live/v1/changes', follow), {
        headers: headersOf(follow),
      }),
  };
}

/** What a hint says, without its cursor. */
export const said = ({ data: { table, op, pk, n } }: { readonly data: Any }) => ({ table, op, pk, n });
