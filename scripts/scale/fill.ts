import { createHash } from 'node:crypto';
import type pg from 'pg';
import { coordinationRows } from './coordination-rows.ts';

/** How large an installation is. Everything else follows from the organizations; see {@link fill}. */
export interface Size {
  readonly organizations: number;
  /** Messages in the one big room, which is the first organization's. */
  readonly bigRoomMessages: number;
  /** Presences that the big room has ever had; the newest ten are live. */
  readonly bigRoomPresences: number;
}

export const projectsPerOrg = 10;
export const bigRoom = 'big';
/** Every fourth message of the big room. */
export const bigThread = 'deploys';

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** Native ids as the gateway makes them: those made one after the other lie near each other. Twin of `pg_temp.nid`. */
const nid = (prefix: string, n: number) => `${prefix}_${String(n).padStart(10, '0')}${md5(prefix + n).slice(0, 16)}`;

/** Ids of what {@link fill} makes, by number from 1. */
export const orgIdOf = (n: number) => md5(`org${n}`).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
export const projectIdOf = (n: number) => nid('prj', n);
/** The owner of an organization, and its session. */
export const ownerIdOf = (org: number) => nid('prn', org * 3);
export const sessionIdOf = (org: number) => nid('ses', org);
/** A message of the big room. */
export const bigMessageIdOf = (seq: number) => nid('msg', -seq);
/** One of the ten live presences of the big room, which is the owner's. */
export const bigPresenceIdOf = ({ bigRoomPresences }: Size) => nid('prs', -(bigRoomPresences - (bigRoomPresences % 3)));
/** A delegate's token on the first project of an organization. */
export const delegateTokenOf = (org: number) => `svcdt_scale_${org}`;

const functions = `
  create function pg_temp.nid(prefix text, n bigint) returns text language sql immutable
    return prefix || '_' || lpad(n::text, 10, '0') || substr(md5(prefix || n), 1, 16);
  create function pg_temp.uid(kind text, n bigint) returns uuid language sql immutable return
    overlay(overlay(md5(kind || n) placing '4' from 13) placing '8' from 17)::uuid;
  create function pg_temp.ago(n bigint) returns timestamptz(3) language sql stable
    return now() - interval '400 days' + n * interval '10 seconds'`;

/**
 * What belongs to organizations `$1` to `$2`. Each has three members of its own and its neighbour's owner as a guest, ten
 * projects with a room and a message each, a common room, and the trail of a year of modest use.
 */
const perOrg: Readonly<Record<string, string>> = {
  principals: `insert into principals (id, type, display_name, created_at)
    select pg_temp.nid('prn', n), case when n % 3 = 0 then 'human' else 'agent' end, 'Person ' || n, pg_temp.ago(n)
    from generate_series($1::bigint * 3, $2::bigint * 3 + 2) n`,
  authenticators: `insert into authenticators (id, principal_id, kind, public_subject, verified_at)
    select pg_temp.uid('auth', n), pg_temp.nid('prn', n), 'wallet', '0x' || md5('w' || n) || substr(md5('v' || n), 1, 8), now()
    from generate_series($1::bigint * 3, $2::bigint * 3 + 2) n`,
  // Filling takes longer than a session lasts without use.
  sessions: `insert into sessions (id, kind, principal_id, provenance, amr_times, last_used_at, absolute_expires_at)
    select pg_temp.nid('ses', n), 'control_plane', pg_temp.nid('prn', n * 3), 'loopback_pkce',
      jsonb_build_object('email', extract(epoch from now())::int), now() + interval '12 hours', now() + interval '12 hours'
    from generate_series($1::bigint, $2) n`,
  orgs: `insert into orgs (id, display_name, slug, tier, lease_started_at, lease_expires_at, created_by, created_at)
    select pg_temp.uid('org', n), 'Organization ' || n, 'org-' || n, 'team', now(), now() + n % 30 * interval '1 day',
      pg_temp.nid('prn', n * 3), pg_temp.ago(n)
    from generate_series($1::bigint, $2) n`,
  org_slugs: `insert into org_slugs (slug, org_id, released_at)
    select 'org-' || n || case when old then '-old' else '' end, pg_temp.uid('org', n), case when old then now() end
    from generate_series($1::bigint, $2) n, unnest(array[false, true]) old where not old or n % 5 = 0`,
  org_balances: `insert into org_balances (org_id, available_usd_micros, entries)
    select pg_temp.uid('org', n), 5000000, 5 from generate_series($1::bigint, $2) n`,
  ledger_entries: `insert into ledger_entries (org_id, seq, id, direction, kind, amount_usd_micros, balance_after_available,
      balance_after_held, reference_type, reference_id)
    select pg_temp.uid('org', n), s, pg_temp.nid('led', n * 5 + s), 'credit', 'admin_credit', 1000000, s * 1000000, 0,
      'admin_credit', pg_temp.nid('led', n * 5 + s)
    from generate_series($1::bigint, $2) n, generate_series(1, 5) s`,
  memberships: `insert into memberships (org_id, principal_id, id, role, status)
    select pg_temp.uid('org', n), pg_temp.nid('prn', n * 3 + m), pg_temp.uid('mem', n * 4 + m),
      (array['owner', 'developer', 'viewer', 'viewer'])[m + 1], 'active'
    from generate_series($1::bigint, $2) n, generate_series(0, 3) m where n < $2 or m < 3`,
  projects: `insert into projects (org_id, id, public_id, name, repo_name, state, schema_slot, server, database_name, role_name,
      created_by, created_at)
    select pg_temp.uid('org', (n - 1) / 10 + 1), pg_temp.nid('prj', n), substr(md5('pub' || n), 1, 12), 'Project ' || n,
      'project-' || n, 'ready', 'p' || n, 'main', 'p_' || substr(md5('db' || n), 1, 20), 'r_' || substr(md5('db' || n), 1, 20),
      pg_temp.nid('prn', ((n - 1) / 10 + 1) * 3), pg_temp.ago(n)
    from generate_series(($1::bigint - 1) * 10 + 1, $2::bigint * 10) n`,
  project_grants: `insert into project_grants (org_id, id, project_id, principal_id, capability)
    select pg_temp.uid('org', n), pg_temp.uid('grant', n * 2 + g), pg_temp.nid('prj', n * 10 - 9 + g),
      pg_temp.nid('prn', (n * 7 % $2 + 1) * 3 + 1), 'read'
    from generate_series($1::bigint, $2) n, generate_series(0, 1) g`,
  delegates: `insert into delegates (org_id, id, project_id, grant_id, principal_id, kind, token_hash, scope)
    select pg_temp.uid('org', n), pg_temp.uid('delegate', n), pg_temp.nid('prj', n * 10 - 9), pg_temp.uid('grant', n * 2),
      pg_temp.nid('prn', n * 3 + 1), 'svc_agent_key',
      encode(sha256(convert_to('svcdt_scale_' || n, 'UTF8')), 'hex'), '{"v": 1, "capabilities": ["read"]}'
    from generate_series($1::bigint, $2) n`,
  project_usage: `insert into project_usage (org_id, project_id, since, api_calls)
    select pg_temp.uid('org', (n - 1) / 10 + 1), pg_temp.nid('prj', n), date_trunc('day', now()), n
    from generate_series(($1::bigint - 1) * 10 + 1, $2::bigint * 10) n`,
  step_operations: `insert into step_operations (org_id, id, operation, ref, state, attempts, lease_until, created_at)
    select pg_temp.uid('org', n), pg_temp.nid('stp', n * 2 + s), 'projects.create', jsonb_build_object('projectId', n), 'done', 1,
      now(), now() - n % 6 * interval '1 day'
    from generate_series($1::bigint, $2) n, generate_series(0, 1) s`,
  member_encryption_keys: `insert into member_encryption_keys (org_id, id, principal_id, fingerprint, custody_scheme, state)
    select pg_temp.uid('org', n), pg_temp.uid('key', n), pg_temp.nid('prn', n * 3), md5('key' || n), 'device_keystore', 'active'
    from generate_series($1::bigint, $2) n`,
  vaults: `insert into vaults (org_id, id, project_id)
    select pg_temp.uid('org', n), pg_temp.uid('vault', n), pg_temp.nid('prj', n * 10) from generate_series($1::bigint, $2) n`,
  vault_writers: `insert into vault_writers (org_id, vault_id, encryption_key_id, principal_id)
    select pg_temp.uid('org', n), pg_temp.uid('vault', n), pg_temp.uid('key', n), pg_temp.nid('prn', n * 3)
    from generate_series($1::bigint, $2) n`,
  rooms: `insert into rooms (org_id, key)
    select pg_temp.uid('org', (n - 1) / 10 + 1), pg_temp.nid('prj', n)
    from generate_series(($1::bigint - 1) * 10 + 1, $2::bigint * 10) n
    union all select pg_temp.uid('org', n), 'common' from generate_series($1::bigint, $2) n`,
  feed_heads: `insert into feed_heads (org_id, kind, feed_id, position)
    select pg_temp.uid('org', (n - 1) / 10 + 1), 'room', pg_temp.nid('prj', n), 1
    from generate_series(($1::bigint - 1) * 10 + 1, $2::bigint * 10) n
    union all select pg_temp.uid('org', n), 'room', 'common', 5 from generate_series($1::bigint, $2) n`,
  room_presences: `insert into room_presences (org_id, id, room_key, principal_id, name, session_key, last_active, expires_at)
    select pg_temp.uid('org', (n - 1) / 10 + 1), pg_temp.nid('prs', n), pg_temp.nid('prj', n),
      pg_temp.nid('prn', ((n - 1) / 10 + 1) * 3), 'Quiet Otter', 'desk', pg_temp.ago(n), pg_temp.ago(n) + interval '1 hour'
    from generate_series(($1::bigint - 1) * 10 + 1, $2::bigint * 10) n`,
  room_messages: `insert into room_messages (org_id, room_key, seq, id, sender_presence_id, sender_name, principal_id, body,
      importance, ack_required, recipients, created_at)
    select pg_temp.uid('org', (n - 1) / 10 + 1), case when s = 0 then pg_temp.nid('prj', n) else 'common' end, greatest(s, 1),
      pg_temp.nid('msg', n * 2 + least(s, 1)), pg_temp.nid('prs', n), 'Quiet Otter', pg_temp.nid('prn', ((n - 1) / 10 + 1) * 3),
      'Message ' || n || ': the quick brown fox jumps over the lazy dog, again and again, until the dog moves.',
      'normal', false, '[]', now() - n % 80 * interval '1 day'
    from generate_series(($1::bigint - 1) * 10 + 1, $2::bigint * 10) n, generate_series(0, 5) s
    where s = 0 or (n % 10) + 1 = s`,
  audit_events: `insert into audit_events (id, org_id, occurred_at, action, actor, object_kind, object_id, details, trace_id)
    select pg_temp.nid('aud', n * 20 + s), pg_temp.uid('org', n), pg_temp.ago(n), 'message.sent',
      jsonb_build_object('schema_version', 1, 'principal', jsonb_build_object('principal_id', pg_temp.nid('prn', n * 3),
        'principal_type', 'human', 'display_name_at_capture', null, 'linked_identities_at_capture', '[]'::jsonb),
        'authority', jsonb_build_object('kind', 'organization_membership', 'role', 'owner')),
      'message', pg_temp.nid('msg', n), '{}', 'trc_' || md5(n || '.' || s)
    from generate_series(1, 20) s, generate_series($1::bigint, $2) n`,
  idempotency_keys: `insert into idempotency_keys (scope, operation, key, digest, lease_token, lease_until, outcome, expires_at)
    select pg_temp.nid('prn', n * 3), 'rooms.sendMessage', md5('key' || n || '.' || s), md5('d' || n) || md5('e' || n), md5('l' || n),
      now(), decode(repeat(md5('o' || n), 16), 'hex'), now() + n % 48 * interval '1 hour' + interval '1 hour'
    from generate_series($1::bigint, $2) n, generate_series(1, 5) s`,
  wallet_nonces: `insert into wallet_nonces (address, nonce, expires_at)
    select '0x' || md5('w' || n) || substr(md5('v' || n), 1, 8), md5('nonce' || n), now() + interval '10 hours'
    from generate_series($1::bigint, $2) n`,
  mail_outbox: `insert into mail_outbox (id, org_id, recipient, subject, body_text, state, created_at, sent_at)
    select pg_temp.nid('mail', n), pg_temp.uid('org', n), 'person@example.com', 'An invitation', repeat('Come in. ', 20), 'sent',
      pg_temp.ago(n), now()
    from generate_series($1::bigint, $2) n`,
};

/** The big room grows with the installation; `$1` to `$2` are messages or presences. */
const bigRoomRows = {
  room: `insert into rooms (org_id, key) values (pg_temp.uid('org', 1), '${bigRoom}') on conflict do nothing`,
  messages: `insert into room_messages (org_id, room_key, seq, id, sender_presence_id, sender_name, principal_id, body,
      importance, ack_required, recipients, thread_id)
    select pg_temp.uid('org', 1), '${bigRoom}', s, pg_temp.nid('msg', -s), pg_temp.nid('prs', -(s % 100) - 1), 'Busy Bee',
      pg_temp.nid('prn', 3), 'Message ' || s || ': the quick brown fox jumps over the lazy dog, again and again, until the dog moves.',
      'normal', false, '[]', case when s % 4 = 0 then '${bigThread}' end
    from generate_series($1::bigint, $2) s`,
  // As if every second one named the presence that reads.
  addressees: `insert into room_addressees (org_id, presence_id, seq, thread_id)
    select pg_temp.uid('org', 1), $3, s, case when s % 4 = 0 then '${bigThread}' end from generate_series($1::bigint, $2) s
    where s % 2 = 0`,
  head: `insert into feed_heads (org_id, kind, feed_id, position) values (pg_temp.uid('org', 1), 'room', '${bigRoom}', $1)
    on conflict (org_id, kind, feed_id) do update set position = excluded.position`,
  presences: `insert into room_presences (org_id, id, room_key, principal_id, name, session_key, last_active, expires_at)
    select pg_temp.uid('org', 1), pg_temp.nid('prs', -p), '${bigRoom}', pg_temp.nid('prn', 3 + p % 3), 'Bee ' || p, 'bee ' || p,
      now() - interval '30 days' + p * interval '1 second', now() - interval '30 days' + p * interval '1 second' + interval '1 hour'
    from generate_series($1::bigint, $2) p`,
  // Long over, save two of each of those who are live.
  claims: `insert into room_claims (org_id, id, room_key, presence_id, principal_id, holder, resource, mode, expires_at,
      released_at, created_at)
    select pg_temp.uid('org', 1), pg_temp.nid('clm', -p * 2 - s), '${bigRoom}', pg_temp.nid('prs', -p), pg_temp.nid('prn', 3 + p % 3),
      'Bee ' || p, 'repo:flower/' || p || '/' || s || '/**', 'shared',
      case when p > $2 - 10 then now() + interval '12 hours' else now() - interval '30 days' end,
      case when p % 2 = 0 and p <= $2 - 10 then now() - interval '31 days' end, now() - interval '31 days' + p * interval '1 second'
    from generate_series($1::bigint, $2::bigint) p, generate_series(0, 1) s`,
  // Those who were live at the size before are so no more.
  over: `update room_claims set expires_at = created_at
    where org_id = pg_temp.uid('org', 1) and room_key = '${bigRoom}' and expires_at > now()`,
  // Presences that came while the size before was measured have left.
  quiet: `update room_presences set expires_at = last_active
    where org_id = pg_temp.uid('org', 1) and room_key = '${bigRoom}' and expires_at > now()`,
  live: `update room_presences set last_active = now(), expires_at = now() + interval '12 hours'
    where org_id = pg_temp.uid('org', 1) and id in (select pg_temp.nid('prs', -p) from generate_series($1::bigint - 9, $1) p)`,
};

/**
 * Grows a migrated control database from one size to another, by one statement for each table. Databases of projects
 * are not made: they are another server's burden, and none of the measured statements goes there.
 *
 * @param say told of each table
 */
export async function fill(
  client: pg.ClientBase,
  { from, to, say = () => {} }: { from: Size; to: Size; say?: (what: string) => void },
): Promise<void> {
  await client.query(
    'drop function if exists pg_temp.nid; drop function if exists pg_temp.uid; drop function if exists pg_temp.ago',
  );
  await client.query(functions);
  // Foreign keys are not looked at row by row, and the ledger's trigger has nothing to say about rows that are added.
  await client.query('set session_replication_role = replica');
  for (const [table, text] of Object.entries({ ...perOrg, ...coordinationRows })) {
    say(table);
    await client.query(text, [from.organizations + 1, to.organizations]);
  }
  say('the big room');
  await client.query(bigRoomRows.room);
  await client.query(bigRoomRows.messages, [from.bigRoomMessages + 1, to.bigRoomMessages]);
  await client.query(bigRoomRows.addressees, [from.bigRoomMessages + 1, to.bigRoomMessages, bigPresenceIdOf(to)]);
  await client.query(bigRoomRows.head, [to.bigRoomMessages]);
  await client.query(bigRoomRows.presences, [from.bigRoomPresences + 1, to.bigRoomPresences]);
  await client.query(bigRoomRows.over);
  await client.query(bigRoomRows.claims, [from.bigRoomPresences + 1, to.bigRoomPresences]);
  await client.query(bigRoomRows.quiet);
  await client.query(bigRoomRows.live, [to.bigRoomPresences]);
  await client.query('reset session_replication_role');
  say('vacuum analyze');
  await client.query('vacuum analyze');
}
