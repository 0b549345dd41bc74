import type { Role } from './organization.graphql.ts';

const roles: readonly Role[] = ['OWNER', 'ADMIN', 'DEVELOPER', 'BILLING', 'VIEWER'];

/** Every role, to choose one from. */
export function RoleOptions() {
  return roles.map((role) => (
    <option key={role} value={role}>
      {role.toLowerCase()}
    </option>
  ));
}
