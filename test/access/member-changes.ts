import { randomUUID } from 'node:crypto';
import type { Actor } from '../helpers/actors.ts';
import type { Service } from '../helpers/service.ts';
import type { Changes, Home } from './change.ts';

type Body = Record<string, string>;

/** Every change to members, invitations, keys and vaults, as the audit’s own test tries it. */
export function memberChanges(service: Service, home: Home): Changes {
  let stage: ReturnType<Home>['members'];
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
      stage = home().members;
      for (let at = 0; at < 5; at++) await stage.member('viewer');
      for (let at = 0; at < 5; at++) await stage.freshKey();
      for (let at = 0; at < 2; at++) {
        await stage.invited();
        await stage.unmadeProject();
      }
    },
  };
}
