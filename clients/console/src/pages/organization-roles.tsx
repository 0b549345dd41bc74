import { roles } from '../session/may.ts';

/** An option for each role. */
export function RoleOptions() {
  return roles.map((role) => (
    <option key={role} value={role}>
      {role.toLowerCase()}
    </option>
  ));
}
