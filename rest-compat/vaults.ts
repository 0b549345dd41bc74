import { admitWriter } from '../resolvers/vaults/admit-writer.ts';
import { enrolKey } from '../resolvers/vaults/enrol-key.ts';
import { findVault } from '../resolvers/vaults/find-vault.ts';
import { registerVault } from '../resolvers/vaults/register-vault.ts';
import { route } from './route.ts';

/** The platform admin’s door to members’ encryption keys and vaults: what a vault engine reports and asks. */
export const vaultRoutes = [
  route('GET', '/gitvault/v1/vaults', 200, findVault, { project: 'query project_id' }),
  route(
    'POST',
    '/gitvault/v1/admin/:org_id/members/:principal_id/encryption-key',
    { usual: 201, of: ({ enrolled }) => (enrolled ? 201 : 200) },
    enrolKey,
  ),
  route(
    'POST',
    '/gitvault/v1/admin/:org_id/vaults',
    { usual: 201, of: ({ registered }) => (registered ? 201 : 200) },
    registerVault,
  ),
  route(
    'POST',
    '/gitvault/v1/admin/:org_id/vaults/:vault_id/writers',
    { usual: 201, of: ({ admitted }) => (admitted ? 201 : 200) },
    admitWriter,
  ),
];
