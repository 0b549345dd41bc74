/** The floor: hand-written SQL behind bare `node:http`. Knows five answers and nothing else. */
import { createServer, type IncomingMessage } from 'node:http';
import pg from 'pg';
import { liveSession, sessionOf } from '../authority.ts';
import { listen } from './listen.ts';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });

async function rows(name: string, text: string, values: readonly unknown[]) {
  return (await pool.query({ name, text, values: values as unknown[] })).rows;
}

async function small(id: string, authorization: string | undefined) {
  const found =
    authorization === undefined
      ? await rows('small', `select name from projects where id = $1 and deleted_at is null`, [id])
      : await rows(
          'small-session',
          `select p.name from sessions s join memberships m on m.principal_id = s.principal_id and m.status = 'active'
           join projects p on p.org_id = m.org_id and p.id = $2 and p.deleted_at is null where ${liveSession}`,
          [sessionOf(authorization), id],
        );
  const [row] = found;
  return JSON.stringify({ data: { project: row && { id: `Project_${id}`, name: row.name } } });
}

/** One statement that builds the whole answer. */
async function deep(id: string) {
  const [row] = await rows(
    'deep',
    `select json_build_object('data', json_build_object('project', json_build_object(
        'id', 'Project_' || p.id, 'name', p.name, 'organization', json_build_object(
          'orgId', o.id, 'displayName', o.display_name, 'rooms', json_build_object('edges', (
            select json_agg(json_build_object('node', json_build_object('key', r.key, 'messages', json_build_object('edges', (
              select json_agg(json_build_object('node', json_build_object('messageId', m.id, 'body', m.body,
                'sender', m.sender_name, 'createdAt', to_char(m.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))) order by m.seq)
              from (select * from room_messages m where m.org_id = o.id and m.room_key = r.key order by m.seq limit 20) m
            )))) order by r.key)
            from (select * from rooms r where r.org_id = o.id order by r.key limit 5) r
          ))))))::text as answer
     from projects p join orgs o on o.id = p.org_id where p.id = $1 and p.deleted_at is null`,
    [id],
  );
  return row.answer as string;
}

/** Two statements, rows as the driver reads them, the answer written by Node. */
async function deepByRows(id: string) {
  const [project] = await rows(
    'deep-project',
    `select p.name, o.id as "orgId", o.display_name as "displayName" from projects p join orgs o on o.id = p.org_id
     where p.id = $1 and p.deleted_at is null`,
    [id],
  );
  const found = await rows(
    'deep-messages',
    `select r.key, m.id, m.body, m.sender_name, m.created_at
     from (select key from rooms where org_id = $1 order by key limit 5) r
     cross join lateral (
       select * from room_messages m where m.org_id = $1 and m.room_key = r.key order by m.seq limit 20
     ) m order by r.key, m.seq`,
    [project.orgId],
  );
  const rooms = new Map<string, { node: object }[]>();
  for (const { key, id: messageId, body, sender_name: sender, created_at: createdAt } of found) {
    let edges = rooms.get(key);
    if (edges === undefined) rooms.set(key, (edges = []));
    edges.push({ node: { messageId, body, sender, createdAt } });
  }
  const { name, orgId, displayName } = project;
  const edges = [...rooms].map(([key, messages]) => ({ node: { key, messages: { edges: messages } } }));
  return JSON.stringify({
    data: { project: { id: `Project_${id}`, name, organization: { orgId, displayName, rooms: { edges } } } },
  });
}

/** The documented list of an organization's projects. */
async function list(orgId: string) {
  const found = await rows(
    'list',
    `select p.id, p.name, p.created_by, p.created_at, p.archived_at, p.deleted_at,
       o.tier, o.lifecycle_state, o.lease_perpetual
     from projects p join orgs o on o.id = p.org_id
     where p.org_id = $1 and p.deleted_at is null and p.archived_at is null
     order by p.created_at desc, p.id desc limit 51`,
    [orgId],
  );
  const projects = found.map((row) => ({
    id: row.id,
    project_id: row.id,
    name: row.name,
    tier: row.tier,
    site_url: null,
    custom_domains: [],
    status: row.lifecycle_state,
    effective_status: row.lifecycle_state,
    organization_lifecycle_state: row.lifecycle_state,
    lease_perpetual: row.lease_perpetual,
    organization_id: orgId,
    org_id: orgId,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    creator: null,
    pinned: false,
    deleted_at: row.deleted_at,
    archived_at: row.archived_at,
  }));
  return JSON.stringify({ projects, has_more: false, next_cursor: null });
}

/** A message into the room's feed: the position, then the row, in one statement. */
async function send(orgId: string, room: string, { body, session_key }: { body: string; session_key: string }) {
  const id = `msg_${crypto.randomUUID()}`;
  const [row] = await rows(
    'send',
    `with head as (
       insert into feed_heads as h (org_id, kind, feed_id, position) values ($1, 'room', $2, 1)
       on conflict (org_id, kind, feed_id) do update set position = h.position + 1 returning position
     )
     insert into room_messages (org_id, room_key, seq, id, sender_presence_id, sender_name, principal_id, body,
       importance, ack_required, recipients, created_at)
     select $1, $2, head.position, $3, $4, $4, $4, $5, 'normal', false, '[]', now() from head returning seq, created_at`,
    [orgId, room, id, session_key, body],
  );
  return JSON.stringify({ message_id: id, seq: row.seq, room_key: room, body, created_at: row.created_at });
}

async function read(request: IncomingMessage) {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}

const messages = /^\/orgs\/v1\/([^/]+)\/rooms\/([^/]+)\/messages$/;

async function answer(request: IncomingMessage): Promise<string> {
  const url = request.url!;
  if (request.method === 'GET') return list(new URLSearchParams(url.slice(url.indexOf('?'))).get('org_id')!);
  const body = await read(request);
  const [, orgId, room] = messages.exec(url) ?? [];
  if (orgId !== undefined) return send(orgId, room!, body);
  if (url === '/deep') return deep(body.variables.id);
  if (url === '/deep-by-rows') return deepByRows(body.variables.id);
  return small(body.variables.id, request.headers.authorization);
}

listen(
  createServer((request, response) => {
    answer(request).then(
      (text) => {
        const headers = {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(text),
        };
        response.writeHead(200, headers).end(text);
      },
      (error: Error) => response.writeHead(500).end(error.stack),
    );
  }),
);
