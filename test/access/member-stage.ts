import { randomUUID } from 'node:crypto';
import type { Service } from '../helpers/service.ts';

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
