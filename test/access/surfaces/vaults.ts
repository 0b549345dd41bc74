import type { Stage, Surfaces } from './surface.ts';

const vaultDoor = 'the codes of vaults answer from state, which an engine of vaults reports here';

export const vaultSurfaces = ({ params, members, service }: Stage): Surfaces => {
  const door = '/gitvault/v1/admin/:org_id';
  const member = () => `org: "${params.org_id}", principal: "${params.principal_id}"`;
  const writer = () =>
    `org: "${params.org_id}", vault: "${params.vault_id}", encryptionKey: "${params.encryption_key_id}"`;
  const ofKey = {
    cells: 'A P P F P P P +',
    body: () => ({ encryption_key_id: params.encryption_key_id }),
    prepare: async () => ({ encryption_key_id: members().keyId }),
  };
  return {
    'GET /gitvault/v1/vaults': {
      cells: 'A + + + + + A +',
      search: () => `?project_id=${params.id}`,
      prepare: async () => {
        await service.control.sql(
          'insert into vaults (org_id, id, project_id) select org_id, gen_random_uuid(), id from projects where id = $1 on conflict do nothing',
          [params.id],
        );
        return undefined;
      },
      field: () => `{ vault(project: "${params.id}") { vaultId } }`,
    },
    [`POST ${door}/members/:principal_id/encryption-key`]: {
      addition: { status: 201, reason: vaultDoor },

      cells: 'A P P F P P P +',
      body: () => ({ fingerprint: 'abc', custody_scheme: 'device_keystore' }),
      prepare: async () => ({ principal_id: await members().member('viewer') }),
      field: () =>
        `mutation { enrolMemberKey(input: { ${member()}, fingerprint: "abc", custodyScheme: "device_keystore" }) { id } }`,
    },
    [`POST ${door}/members/:principal_id/encryption-key/lost`]: {
      addition: { status: 200, reason: vaultDoor },

      cells: 'A P P F P P P +',
      async prepare() {
        const principal_id = await members().member('viewer');
        await members().key(principal_id);
        return { principal_id };
      },
      field: () => `mutation { reportLostMemberKey(input: { ${member()} }) { id } }`,
    },
    [`POST ${door}/vaults`]: {
      addition: { status: 201, reason: vaultDoor },

      cells: 'A P P F P P P +',
      body: () => ({ project_id: params.unmade_project_id }),
      prepare: async () => ({ unmade_project_id: await members().unmadeProject() }),
      field: () =>
        `mutation { registerVault(input: { org: "${params.org_id}", project: "${params.unmade_project_id}" }) { vaultId } }`,
    },
    [`POST ${door}/vaults/:vault_id/writers`]: {
      addition: { status: 201, reason: vaultDoor },

      ...ofKey,
      prepare: async () => ({ encryption_key_id: await members().freshKey() }),
      field: () => `mutation { admitVaultWriter(input: { ${writer()} }) { vaultId } }`,
    },
    [`POST ${door}/vaults/:vault_id/pushes`]: {
      addition: { status: 200, reason: vaultDoor },

      ...ofKey,
      field: () => `mutation { takeVaultPush(input: { ${writer()} }) { vaultId } }`,
    },
    [`POST ${door}/vaults/:vault_id/rotations`]: {
      addition: { status: 200, reason: vaultDoor },

      ...ofKey,
      field: () => `mutation { rotateVaultEpoch(input: { ${writer()} }) { vaultId } }`,
    },
  };
};
