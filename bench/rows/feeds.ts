import pg from 'pg';
import type { HttpRequest } from '../load-protocol.ts';
import { race } from '../race.ts';
import { atLeast, compare, type Line } from '../report.ts';
import { ask, type Stage } from '../stage.ts';

const eventsTotal = 1_000_000;
const pageRows = 50;
const types = 20;

/**
 * 50 events at the head of a log of a million and in its middle, of a project and of its organization, whole and by type:
 * the place makes no difference.
 */
export async function feedRead(stage: Stage): Promise<Line[]> {
  const { gateway, dataset } = stage;
  const projectId = dataset.projectIds[0]!;
  const headers = { authorization: dataset.authorization };
  const client = new pg.Client({ connectionString: stage.databaseUrl });
  await client.connect();
  try {
    const found = await client.query<{ org_id: string }>('select org_id from projects where id = $1', [projectId]);
    const orgId = found.rows[0]!.org_id;
    const views = {
      'of a project': { path: `/projects/v1/${projectId}/events`, field: 'project', id: projectId, filter: '' },
      'of a project, by type': {
        path: `/projects/v1/${projectId}/events`,
        field: 'project',
        id: projectId,
        filter: 'type_7',
      },
      'of an organization': { path: `/orgs/v1/${orgId}/events`, field: 'organization', id: orgId, filter: '' },
    };
    type View = (typeof views)[keyof typeof views];
    /** The cursor before the last rows that there are now. */
    const cursorOf = async ({ field, id, filter }: View) => {
      const by = filter === '' ? '' : `, types: ["${filter}"]`;
      const query = `{ answer: ${field}(id: "${id}") { events(last: ${pageRows + 1}${by}) { edges { cursor } } } }`;
      const body = JSON.stringify({ query });
      const json = { ...headers, 'content-type': 'application/json' };
      const answer = await ask(gateway, { method: 'POST', path: '/graphql', headers: json, body });
      const { data } = JSON.parse(answer) as { data: { answer: { events: { edges: { cursor: string }[] } } } };
      return data.answer.events.edges[0]!.cursor;
    };
    const cursorsOf = async () =>
      Object.fromEntries(
        await Promise.all(Object.entries(views).map(async ([name, view]) => [name, await cursorOf(view)])),
      );
    stage.say('writing a million events');
    await fill(client, orgId, projectId, eventsTotal / 2);
    const middle = await cursorsOf();
    await fill(client, orgId, projectId, eventsTotal / 2);
    await client.query('vacuum analyze events');
    const head = await cursorsOf();
    const lines: Line[] = [];
    for (const [name, { path, filter }] of Object.entries(views)) {
      const at = (cursor: string): HttpRequest[] => [
        {
          method: 'GET',
          path: `${path}?limit=${pageRows}&cursor=${cursor}${filter === '' ? '' : `&event_type=${filter}`}`,
          headers,
        },
      ];
      const contenders = {
        head: { server: gateway, requests: at(head[name]!) },
        middle: { server: gateway, requests: at(middle[name]!) },
      };
      for (const { requests } of Object.values(contenders)) {
        const { events } = JSON.parse(await ask(gateway, requests[0]!)) as { events: unknown[] };
        if (events.length !== pageRows) throw new Error(`A page of ${events.length} events is no page of ${pageRows}.`);
      }
      const seen = await race(stage, contenders, 16);
      lines.push(
        ...compare('feed-read', seen, {
          name: `50 events ${name}, at the head : in the middle of 1,000,000`,
          ours: 'head',
          reference: 'middle',
          target: atLeast(0.8),
        }),
        ...compare('feed-read', seen, {
          name: `50 events ${name}, in the middle of 1,000,000 : at the head`,
          ours: 'middle',
          reference: 'head',
          target: atLeast(0.8),
        }).slice(0, 1),
      );
    }
    return lines;
  } finally {
    await client.end();
  }
}

/** Spread over the months that have partitions, as a log is that has been written for a while. */
const fill = (client: pg.Client, orgId: string, projectId: string, count: number) =>
  client.query(
    `with head as (
       insert into feed_heads as h (org_id, kind, feed_id, position) values ($1, 'events', 'all', $3)
       on conflict (org_id, kind, feed_id) do update set position = h.position + $3 returning position
     )
     insert into events (org_id, position, project_id, type, class, source, payload, occurred_at, kept_days)
     select $1, p, $2, 'type_' || p % ${types}, 'app', case when p % 2 = 0 then 'app' else 'platform' end,
       json_build_object('order', p, 'note', repeat('x', 100)), now() + p * interval '7 seconds',
       case when p % 10 = 0 then 365 else 90 end
     from head, generate_series(position - $3 + 1, position) p`,
    [orgId, projectId, count],
  );
