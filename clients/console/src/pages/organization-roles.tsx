import { roles } from '../session/may.ts';

/** Every role, to choose one from. */
export function RoleOptions() {
  return roles.map((role) => (
    <option key={role} value={role}>
      {role.toLowerCase()}
    </option>
  ));
}
