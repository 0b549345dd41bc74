import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProtocolSocket } from '../graphql/protocol-socket.ts';
import { openSocket } from '../helpers/graphql-ws-client.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { until } from '../helpers/until.ts';
import { hostCall } from '../hosted/host-call.ts';

// Which refusals tell of an incident that is attributed to a project: those of requests that address it, by whatever door.

const service = await sharedService();
afterAll(() => service.stop());
const { actors, control } = service;
const touched = await service.project();
const other = await service.project();
const all = [touched, other];

let incident: string;
beforeAll(async () => {
  const facts = { subsystem: 'database', severity: 'major', scope: 'projects', summary: 'Some databases are slow.' };
  const body = { ...facts, project_ids: [touched.projectId] };
  const declared = await service.call<{ id: string }>(actors.admin, 'POST', '/admin/v1/incidents', { body });
  incident = declared.body.id;
  await until(() => expect(service.app.services.incidents.open()).toHaveLength(1));
});

const named = (code: string) => ({
  code,
  correlated_platform_incident: { id: incident, subsystem: 'database', status: 'ongoing' },
});

type Project = typeof touched;
type Envelope = Record<string, unknown>;

/** The refusals that one question gets, of the project that is touched and of one that is not. */
async function bothAre(code: string, ask: (project: Project) => Promise<Envelope>): Promise<void> {
  expect(await ask(touched)).toMatchObject(named(code));
  const spared = await ask(other);
  expect(spared.code).toBe(code);
  expect(spared).not.toHaveProperty('correlated_platform_incident');
}

/** Has operations fail by no fault of who asks. */
async function without(table: string, column: string, run: () => Promise<void>): Promise<void> {
  await control.sql(`alter table ${table} rename column ${column} to hidden`);
  try {
    await run();
  } finally {
    await control.sql(`alter table ${table} rename column hidden to ${column}`);
  }
}

/** Has both projects be as if they were still being made, which their keys are told. */
async function whileNotReady(run: () => Promise<void>): Promise<void> {
  const ids = all.map(({ projectId }) => projectId);
  // What was remembered of them runs out in a moment.
  await control.sql(`update projects set state = 'provisioning' where id = any($1)`, [ids]);
  try {
    await until(async () => {
      for (const { projectId, anonKey } of all) {
        const { body } = await service.call<Envelope>(actors.nobody, 'GET', `/auth/v1/user`, {
          headers: { apikey: anonKey },
        });
        expect([projectId, body.code]).toEqual([projectId, 'PROJECT_NOT_READY']);
      }
    });
    await run();
  } finally {
    await control.sql(`update projects set state = 'ready' where id = any($1)`, [ids]);
  }
}

test('an operation by REST whose path names the project', () =>
  without('events', 'class', () =>
    bothAre('INTERNAL_ERROR', async ({ wallet, projectId }) => {
      const { body } = await service.call<Envelope>(wallet, 'GET', `/projects/v1/${projectId}/events`);
      return body;
    }),
  ));

test('the room of a project', () =>
  without('room_presences', 'name', () =>
    bothAre('INTERNAL_ERROR', async ({ wallet, orgId, projectId }) => {
      const path = `/orgs/v1/${orgId}/rooms/${projectId}/presences`;
      return (await service.call<Envelope>(wallet, 'POST', path, { body: { name: 'Ada' } })).body;
    }),
  ));

test('an operation by GraphQL with a project as its argument', () =>
  without('events', 'class', () =>
    bothAre('INTERNAL_ERROR', async ({ wallet, projectId }) => {
      const query = 'query ($id: ID!) { project(id: $id) { events { edges { cursor } } } }';
      return (await service.graphql(wallet, query, { id: projectId })).errors![0]!.extensions;
    }),
  ));

test('each field of a document tells of its own project alone', async () => {
  const { wallet, orgId } = touched;
  const { body } = await service.call<Record<string, string>>(wallet, 'POST', '/projects/v1', {
    body: { org_id: orgId },
  });
  const query = `query ($a: ID!, $b: ID!) {
    a: project(id: $a) { events { edges { cursor } } }
    b: project(id: $b) { events { edges { cursor } } }
  }`;
  await without('events', 'class', async () => {
    const { errors } = await service.graphql(wallet, query, { a: touched.projectId, b: body.project_id });
    const told = Object.fromEntries(errors!.map(({ path, extensions }) => [path![0], extensions]));
    expect(told.a).toMatchObject(named('INTERNAL_ERROR'));
    expect(told.b).toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(told.b).not.toHaveProperty('correlated_platform_incident');
  });
});

test('an object by its global id', () =>
  without('projects', 'repo_name', () =>
    bothAre('INTERNAL_ERROR', async ({ wallet, projectId }) => {
      const query = 'query ($id: ID!) { node(id: $id) { id } }';
      return (await service.graphql(wallet, query, { id: `Project_${projectId}` })).errors![0]!.extensions;
    }),
  ));

test('objects that are looked up together tell each of its own project', async () => {
  const { wallet, orgId } = touched;
  const { body } = await service.call<Record<string, string>>(wallet, 'POST', '/projects/v1', {
    body: { org_id: orgId },
  });
  const query =
    'query ($a: ID!, $b: ID!, $c: ID!) { a: node(id: $a) { id } b: node(id: $b) { id } c: node(id: $c) { id } }';
  const ids = { a: touched.projectId, b: body.project_id, c: `Project_${touched.projectId}` };
  await without('projects', 'repo_name', async () => {
    const variables = { ...ids, a: `Project_${ids.a}`, b: `Project_${ids.b}` };
    const { errors } = await service.graphql(wallet, query, variables);
    const told = Object.fromEntries(errors!.map(({ path, extensions }) => [path![0], extensions]));
    expect(told.a).toMatchObject(named('INTERNAL_ERROR'));
    expect(told.c).toMatchObject(named('INTERNAL_ERROR'));
    expect(told.b).toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(told.b).not.toHaveProperty('correlated_platform_incident');
  });
});

/** Has the log be opened as ever, and fail when one of its rows is read. */
async function whileRowsFail(run: () => Promise<void>): Promise<void> {
  for (const { serviceKey, projectId } of all) {
    const body = { event_type: 'app_one' };
    const key = actors.bearer(serviceKey);
    expect((await service.call(key, 'POST', `/projects/v1/${projectId}/events`, { body })).status).toBe(201);
  }
  await control.sql('alter table events rename to events_away');
  await control.sql(`create view events as select org_id, position, project_id, type, source, payload, occurred_at, kept_days,
    (1 / case when position > 0 then 0 else 1 end)::text as class from events_away`);
  try {
    await run();
  } finally {
    await control.sql('drop view events');
    await control.sql('alter table events_away rename to events');
  }
}

test.each(['a socket', 'an event stream'])('a subscription that fails when it runs, on %s', (transport) =>
  whileRowsFail(() =>
    bothAre('INTERNAL_ERROR', async ({ wallet, projectId }) => {
      const query = `subscription { events(project: "${projectId}") { event { class } } }`;
      if (transport === 'a socket') {
        const { client } = openSocket(service.url, wallet);
        const { value } = await client.iterate<unknown, Envelope>({ query }).next();
        await client.dispose();
        return value.errors[0].extensions;
      }
      const response = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: {
          accept: 'text/event-stream',
          'content-type': 'application/json',
          ...(await wallet.headers('/graphql')),
        },
        body: JSON.stringify({ query }),
      });
      const [, data] = /^data: (\{"errors".*)$/m.exec(await response.text())!;
      return JSON.parse(data!).errors[0].extensions;
    }),
  ),
);

test.each<[string, string, (project: Project) => string]>([
  ['rows by key', 'GET', () => '/rest/v1/notes'],
  ['sign-in', 'GET', () => '/auth/v1/user'],
  ['hints of live tables', 'GET', ({ projectId }) => `/live/v1/changes?project_id=${projectId}&tables=notes`],
  ['the GraphQL of the project', 'POST', ({ projectId }) => `/projects/v1/${projectId}/graphql`],
])('%s', (_case, method, path) =>
  whileNotReady(() =>
    bothAre('PROJECT_NOT_READY', async (project) => {
      const options = {
        headers: { apikey: project.anonKey },
        ...(method === 'POST' && { body: { query: '{ __typename }' } }),
      };
      return (await service.call<Envelope>(actors.nobody, method, path(project), options)).body;
    }),
  ),
);

test('an operation on a socket of the GraphQL of the project', async () => {
  const open = async ({ projectId, anonKey }: Project) => {
    const socket = await openProtocolSocket(`${service.url}/projects/v1/${projectId}`);
    await socket.init({ apikey: anonKey });
    return socket;
  };
  const sockets = new Map(await Promise.all(all.map(async (one) => [one, await open(one)] as const)));
  await whileNotReady(() =>
    bothAre('PROJECT_NOT_READY', async (project) => {
      const socket = sockets.get(project)!;
      socket.subscribe('one', '{ __typename }');
      const { payload } = await socket.next('error', 'one');
      return (payload as { extensions: Envelope }[])[0]!.extensions;
    }),
  );
  for (const { socket } of sockets.values()) socket.close();
});

test('the host of the project', () =>
  whileNotReady(() =>
    bothAre('PROJECT_NOT_READY', async (project) => {
      const [row] = await control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
        project.projectId,
      ]);
      const ask = hostCall(service, `p-${row!.public_id}.localhost:${new URL(service.url).port}`);
      return (await ask('GET', '/_svc/config.json')).body as Envelope;
    }),
  ));

test('who addresses no project is told of nothing', () =>
  without('mail_outbox', 'subject', async () => {
    const { body } = await service.call<Envelope>(actors.admin, 'GET', '/mail/v1/admin/outbox');
    expect(body.code).toBe('INTERNAL_ERROR');
    expect(body).not.toHaveProperty('correlated_platform_incident');
  }));
