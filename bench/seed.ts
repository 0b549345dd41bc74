import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { newId } from '../core/ids.ts';
import { KeyRing } from '../core/keys.ts';
import { signSessionToken } from '../resolvers/identity/shared/session-token.ts';
import { createWallet, type TestWallet } from '../test/helpers/wallet.ts';
import type { Sizes } from './options.ts';

/** What the requests ask for. */
export interface Dataset {
  /** Organizations that are read; the one that is written to is another. */
  readonly orgIds: readonly string[];
  readonly writtenOrgId: string;
  /** A sample of the projects of `orgIds`. */
  readonly projectIds: readonly string[];
  /** Of a member of every organization. */
  readonly authorization: string;
  readonly wallet: TestWallet;
}

const sampled = 100;

/**
 * Fills the gateway's database: organizations, projects and their rooms, messages of 1 KB, one person and one wallet
 * that belong to all of them. Limits go up through the admin's own door.
 */
export async function seed(
  sizes: Sizes,
  { url, databaseUrl, root, adminKey }: { url: string; databaseUrl: string; root: Buffer; adminKey: string },
): Promise<Dataset> {
  const wallet = createWallet();
  // The gateway makes a wallet's principal when it first sees it.
  const headers = { 'sign-in-with-x': await wallet.header({ baseUrl: url, path: '/agent/v1/whoami' }) };
  const me = (await (await fetch(`${url}/agent/v1/whoami`, { headers })).json()) as { principal: { id: string } };

  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const principalId = newId('prn');
    await client.query(`insert into principals (id, type) values ($1, 'human')`, [principalId]);
    await fill(client, sizes, [principalId, me.principal.id]);
    await client.query(views);
    const organizations = await client.query<{ id: string }>('select id from orgs order by id');
    const [writtenOrgId, ...orgIds] = organizations.rows.map(({ id }) => id) as [string, ...string[]];
    const projects = await client.query<{ id: string }>(
      'select id from projects where org_id <> $1 order by md5(id) limit $2',
      [writtenOrgId, sampled],
    );
    const authorization = await signIn(client, principalId, root);
    // Last of all: a table without statistics gets plans that nothing here is about.
    await client.query('vacuum analyze');
    await raiseLimits(url, adminKey, [writtenOrgId, ...orgIds]);
    return {
      orgIds,
      writtenOrgId,
      projectIds: projects.rows.map(({ id }) => id),
      authorization,
      wallet,
    };
  } finally {
    await client.end();
  }
}

async function fill(client: pg.Client, sizes: Sizes, members: readonly string[]): Promise<void> {
  const { organizations, projects, messages } = sizes;
  await client.query(
    `insert into orgs (id, display_name, tier, limit_overrides, lease_started_at, lease_expires_at)
     select gen_random_uuid(), 'Organization ' || n, 'team', '{"messagesPerDay": 1000000000}', now(), now() + interval '30 days'
     from generate_series(1, $1::int) n`,
    [organizations],
  );
  await client.query(
    `insert into memberships (org_id, principal_id, id, role, status)
     select o.id, m, gen_random_uuid(), 'owner', 'active' from orgs o, unnest($1::text[]) m`,
    [members],
  );
  const tag = randomBytes(6).toString('hex');
  await client.query(
    `insert into projects (org_id, id, public_id, name, state, schema_slot, server, database_name, role_name, created_by)
     select o.id, 'prj_' || $3 || lpad(n::text, 9, '0'), 'p' || $3 || n, 'Project ' || n, 'ready', 'p' || lpad(n::text, 4, '0'),
       'main', 'absent_' || n, 'absent_' || n, $2
     from generate_series(1, $1::int) n
     join (select id, row_number() over () - 1 as nth, count(*) over () as all from orgs) o on o.nth = n % o.all`,
    [projects, members[0], tag],
  );
  await client.query(`insert into rooms (org_id, key) select org_id, id from projects`);
  // The first rooms by key are also the last that were spoken in, so that both orders name the same rooms.
  await client.query(
    `insert into room_messages (org_id, room_key, seq, id, sender_presence_id, sender_name, principal_id, body,
       importance, ack_required, recipients, created_at)
     select r.org_id, r.key, s, 'msg_' || md5(r.key || s)::char(26), 'prs_' || md5(r.key)::char(26), 'quiet-otter', $2,
       rpad('Message ' || s || ' of ' || r.key || '. ', 1024, 'The quick brown fox jumps over the lazy dog. '),
       'normal', false, '[]', now() - interval '1 day' - r.nth * interval '1 minute' + s * interval '1 millisecond'
     from (select org_id, key, row_number() over (order by key) as nth from rooms) r,
       generate_series(1, $1::int) s`,
    [Math.max(1, Math.round(messages / projects)), members[0]],
  );
  await client.query(
    `insert into feed_heads (org_id, kind, feed_id, position)
     select org_id, 'room', room_key, max(seq) from room_messages group by org_id, room_key`,
  );
}

/** A control-plane session, as signing in by a browser would make it. */
async function signIn(client: pg.Client, principalId: string, root: Buffer): Promise<string> {
  const id = newId('ses');
  const now = new Date();
  const amrTimes = { email: Math.floor(now.getTime() / 1000) };
  await client.query(
    `insert into sessions (id, kind, principal_id, provenance, amr_times, absolute_expires_at)
     values ($1, 'control_plane', $2, 'loopback_pkce', $3, now() + interval '12 hours')`,
    [id, principalId, JSON.stringify(amrTimes)],
  );
  const session = { id, kind: 'control_plane', subject: principalId, provenance: 'loopback_pkce', amrTimes } as const;
  return `Bearer ${await signSessionToken(new KeyRing(root), session, now)}`;
}

async function raiseLimits(url: string, adminKey: string, orgIds: readonly string[]): Promise<void> {
  const much = 1e9;
  const rates = ['reads_per_second', 'reads_burst', 'writes_per_second', 'writes_burst', 'messages_per_day'];
  const limits = Object.fromEntries(rates.map((name) => [name, much]));
  for (const orgId of orgIds) {
    const response = await fetch(`${url}/orgs/v1/admin/${orgId}/limits`, {
      method: 'POST',
      headers: { 'x-admin-key': adminKey, 'content-type': 'application/json' },
      body: JSON.stringify({ limits }),
    });
    if (!response.ok) throw new Error(`Limits were not raised: ${await response.text()}`);
  }
}

/** How PostGraphile is told what belongs together: rooms and messages have keys of several parts, projects none to rooms. */
const views = `
  create schema bench;
  create view bench.orgs as select id, display_name from orgs;
  create view bench.projects as select id, name, org_id from projects where deleted_at is null;
  create view bench.rooms as select org_id, key from rooms;
  create view bench.messages as
    select org_id, room_key, seq, id as message_id, body, sender_name as sender, created_at from room_messages;
  comment on view bench.orgs is E'@primaryKey id';
  comment on view bench.projects is E'@primaryKey id\\n@foreignKey (org_id) references bench.orgs (id)|@fieldName organization';
  comment on view bench.rooms is
    E'@primaryKey org_id,key\\n@foreignKey (org_id) references bench.orgs (id)|@foreignFieldName rooms';
  comment on view bench.messages is
    E'@primaryKey org_id,room_key,seq\\n@foreignKey (org_id, room_key) references bench.rooms (org_id, key)|@foreignFieldName messages';
`;

export const sessionKeyOf = (root: Buffer): string => new KeyRing(root).key('session-tokens').toString('hex');
