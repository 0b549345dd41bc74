import { randomUUID } from 'node:crypto';
import type { Actor } from '../helpers/actors.ts';
import type { Service } from '../helpers/service.ts';
import type { Changes, Home } from './change.ts';

/** Members, invitations, keys and vaults in every state that some change needs, made anew as often as asked. */
export async function stageMembers(service: Service, { orgId, projectId }: { orgId: string; projectId: string }) {
  const { actors, control } = service;
  const one = async <Row extends object>(text: string, values: unknown[]) => (await control.sql<Row>(text, values))[0]!;
  const principal = async () =>
    (
      await one<{ id: string }>(`insert into principals (id, type) values ($1, 'human') returning id`, [
        service.app.services.newId('prn'),
      ])
    ).id;
  const member = async (role: string, status = 'active') => {
    const id = await principal();
    await actors.member(orgId, id, role, status);
    return id;
  };
  const key = async (principalId: string, state = 'active') =>
    (
      await one<{ id: string }>(
        `insert into member_encryption_keys (org_id, id, principal_id, fingerprint, custody_scheme, state)
         values ($1, gen_random_uuid(), $2, 'abc', 'device_keystore', $3) returning id`,
        [orgId, principalId, state],
      )
    ).id;
  const [writer, keyless] = [await member('developer'), await member('viewer')];
  const keyId = await key(writer);
  const vaultId = (
    await one<{ id: string }>(
      'insert into vaults (org_id, id, project_id) values ($1, gen_random_uuid(), $2) returning id',
      [orgId, projectId],
    )
  ).id;
  await control.sql(
    'insert into vault_writers (org_id, vault_id, encryption_key_id, principal_id) values ($1, $2, $3, $4)',
    [orgId, vaultId, keyId, writer],
  );
  return {
    /** A member without a key. */
    keyless,
    /** A key that is a writer of the vault. */
    keyId,
    vaultId,
    member,
    key,
    /** Somebody with a pending invitation. */
    async invited() {
      const id = await member('viewer', 'invited');
      await control.sql('update memberships set invited_email = $3 where org_id = $1 and principal_id = $2', [
        orgId,
        id,
        `${randomUUID()}@example.com`,
      ]);
      return id;
    },
    /** The row of a project whose database was never made. */
    async unmadeProject() {
      const insert = `insert into projects (org_id, id, public_id, name, state, schema_slot, server, database_name, role_name)
        values ($1, $2, $2, 'Unmade', 'ready', 'p0', 'main', $2, $2) returning id`;
      return (await one<{ id: string }>(insert, [orgId, service.app.services.newId('prj')])).id;
    },
    /** A key that no vault knows. */
    freshKey: async () => key(await member('developer')),
  };
}

type Body = Record<string, string>;

/** Every change to members, invitations, keys and vaults, as the audit’s own test tries it. */
export function memberChanges(service: Service, home: Home): Changes {
  let stage: Awaited<ReturnType<typeof stageMembers>>;
  const { control } = service;
  const find = async (text: string, ...values: string[]) =>
    (await control.sql<{ id: string }>(text, [home().orgId, ...values]))[0]!.id;
  const hasKey = (which = 'true') => `exists (select from member_encryption_keys k
    where k.principal_id = m.principal_id and k.org_id = m.org_id and ${which})`;
  const picked = (where: string) =>
    find(`select principal_id as id from memberships m where org_id = $1 and ${where} order by principal_id limit 1`);
  const viewer = () => picked(`role = 'viewer' and status = 'active' and not ${hasKey()}`);
  // Not the one whose key writes to the vault.
  const holder = () =>
    picked(`status = 'active' and ${hasKey(`k.state = 'active'`)} and not exists (
      select from vault_writers w where w.principal_id = m.principal_id)`);
  const call = (actor: Actor, method: string, path: string, body?: object) =>
    service.call<Body>(actor, method, path, { body });
  const org = (rest: string) => `/orgs/v1/${home().orgId}${rest}`;
  const door = (rest: string) => `/gitvault/v1/admin/${home().orgId}${rest}`;
  const onPrincipal = ({ principal_id }: Body) => principal_id!;
  const onVault = ({ vault_id }: Body) => vault_id!;
  const membership = 'select xmin::text from memberships where principal_id = $1';
  const keyRow = 'select xmin::text from member_encryption_keys where principal_id = $1';
  const writer = async (what: string, keyId: string, actor: Actor) =>
    call(actor, 'POST', door(`/vaults/${stage.vaultId}/${what}`), { encryption_key_id: keyId });

  const changes = [
    {
      operation: 'members.add',
      action: 'member.added',
      kind: 'principal',
      send: (actor: Actor) =>
        call(actor, 'POST', org('/members'), { wallet: service.actors.wallet().address, role: 'billing' }),
      objectId: onPrincipal,
      written: membership,
    },
    {
      operation: 'members.setRole',
      action: 'member.role_changed',
      kind: 'principal',
      send: async (actor: Actor) => call(actor, 'PATCH', org(`/members/${await viewer()}`), { role: 'billing' }),
      objectId: onPrincipal,
      written: membership,
    },
    {
      operation: 'members.remove',
      action: 'member.revoked',
      kind: 'principal',
      send: async (actor: Actor) => call(actor, 'DELETE', org(`/members/${await viewer()}`)),
      objectId: onPrincipal,
      written: membership,
    },
    {
      operation: 'members.revokeKey',
      action: 'member.key_revoked',
      kind: 'principal',
      send: async (actor: Actor) => call(actor, 'DELETE', org(`/members/${await holder()}/encryption-key`)),
      objectId: onPrincipal,
      written: keyRow,
    },
    {
      operation: 'invites.create',
      action: 'invite.created',
      kind: 'principal',
      send: (actor: Actor) => call(actor, 'POST', org('/invites'), { email: `${randomUUID()}@example.com` }),
      objectId: onPrincipal,
      written: membership,
    },
    {
      operation: 'invites.revoke',
      action: 'invite.revoked',
      kind: 'principal',
      send: async (actor: Actor) =>
        call(actor, 'DELETE', org(`/invites/${await picked(`status = 'invited' and invited_email is not null`)}`)),
      objectId: onPrincipal,
      written: membership,
    },
    {
      operation: 'vaults.enrolKey',
      action: 'member.key_enrolled',
      kind: 'principal',
      send: async (actor: Actor) =>
        call(actor, 'POST', door(`/members/${await viewer()}/encryption-key`), {
          fingerprint: 'abc',
          custody_scheme: 'device_keystore',
        }),
      objectId: onPrincipal,
      written: keyRow,
    },
    {
      operation: 'vaults.reportLostKey',
      action: 'member.key_lost',
      kind: 'principal',
      send: async (actor: Actor) => call(actor, 'POST', door(`/members/${await holder()}/encryption-key/lost`)),
      objectId: onPrincipal,
      written: keyRow,
    },
    {
      operation: 'vaults.register',
      action: 'vault.registered',
      kind: 'vault',
      send: async (actor: Actor) => {
        const project_id = await find(
          `select id from projects p where org_id = $1 and id <> $2
           and not exists (select from vaults v where v.project_id = p.id) limit 1`,
          home().projectId,
        );
        return call(actor, 'POST', door('/vaults'), { project_id });
      },
      objectId: onVault,
      written: 'select xmin::text from vaults where id = $1::uuid',
    },
    {
      operation: 'vaults.admitWriter',
      action: 'vault.writer_admitted',
      kind: 'vault',
      send: async (actor: Actor) =>
        writer(
          'writers',
          await find(
            `select k.id from member_encryption_keys k join memberships m on m.org_id = k.org_id and m.principal_id = k.principal_id
             where k.org_id = $1 and k.state = 'active' and m.role = 'developer'
               and not exists (select from vault_writers w where w.encryption_key_id = k.id) limit 1`,
          ),
          actor,
        ),
      objectId: onVault,
      written: 'select xmin::text from vault_writers where vault_id = $1::uuid order by admitted_at desc limit 1',
    },
    {
      operation: 'vaults.takePush',
      action: 'vault.pushed',
      kind: 'vault',
      send: (actor: Actor) => writer('pushes', stage.keyId, actor),
      objectId: onVault,
      // It writes nothing beside the trail: it only holds the vault, which its row remembers.
      written: 'select xmax::text as xmin from vaults where id = $1::uuid',
    },
    {
      operation: 'vaults.rotateEpoch',
      action: 'vault.epoch_rotated',
      kind: 'vault',
      send: (actor: Actor) => writer('rotations', stage.keyId, actor),
      objectId: onVault,
      written: 'select xmin::text from vaults where id = $1::uuid',
    },
  ];

  return {
    changes,
    adminOnly: changes.map(({ operation }) => operation).filter((name) => name.startsWith('vaults.')),
    /** Makes enough for each change to find what it needs twice. */
    async prepare() {
      stage = await stageMembers(service, home());
      for (let at = 0; at < 5; at++) await stage.member('viewer');
      for (let at = 0; at < 5; at++) await stage.freshKey();
      for (let at = 0; at < 2; at++) {
        await stage.invited();
        await stage.unmadeProject();
      }
    },
  };
}
