import type { Option } from '../../design/field.tsx';
import { type Role, roles } from '../../session/may.ts';

const about: Readonly<Record<Role, string>> = {
  OWNER: 'Everything, members and keys included',
  ADMIN: 'Projects and the audit trail',
  DEVELOPER: 'Create projects and work on them',
  BILLING: 'See projects, and pay',
  VIEWER: 'See projects',
};

/** A role in words. */
export const roleName = (role: Role): string => `${role[0]}${role.slice(1).toLowerCase()}`;

/** The roles, highest first, for a choice. */
export const roleOptions: readonly Option[] = roles.map((role) => ({ id: role, name: roleName(role) }));

/** What a role allows, in a few words. */
export const roleAbout = (role: Role): string => `${about[role]}.`;
