import type { Role } from '../../db/schema/orgs.ts';

/** Organization roles, highest first. */
export const roles = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const satisfies readonly Role[];

/** Whether a role stands at or above another. */
export const reaches = (role: Role, minimum: Role | null): boolean =>
  minimum !== null && roles.indexOf(role) <= roles.indexOf(minimum);

/** The roles that stand at or above one. */
export const rolesFrom = (minimum: Role | null): readonly Role[] => roles.filter((role) => reaches(role, minimum));

/** Capabilities that a project grant or a delegate's scope can name. Contract 01, section 6.6. */
export const capabilities = [
  'read',
  'project.read',
  'deploy',
  'functions:write',
  'secrets:read',
  'secrets:write',
  'domains:write',
  'mailbox:write',
  'project:write',
  'project:archives:export',
] as const;

export type Capability = (typeof capabilities)[number];

/** One right in two spellings: the first is that of grants, the second that of delegates. */
const reading: readonly string[] = ['read', 'project.read'];

/** What a delegate of a grant may be given: the grant's own capability, in each of its spellings. */
export const coveredBy = (capability: string): readonly string[] =>
  reading.includes(capability) ? reading : [capability];

/** Who may do one thing. A credential that has no cell in the row is refused. */
export interface Permission {
  /** Lowest role that suffices, null for none; reading operator sessions count as the member they belong to. */
  readonly role: Role | null;
  /** Capabilities of a project grant that suffice without membership (`any`: whichever it is). */
  readonly grants?: readonly Capability[] | 'any';
  /** Whether a delegate may do it, and with which capability of its scope (`any`: with none in particular). */
  readonly delegate?: readonly Capability[] | 'any';
  /** Whether the project's own service key may do it. */
  readonly serviceKey?: boolean;
  /** Whether the platform admin may do it anywhere. */
  readonly admin?: boolean;
}

/** The whole matrix of roles and operations: the only place that says who may do what. Contract 01, section 1.12. */
export const permissions = {
  'org:read': { role: 'viewer', admin: true },
  'org:members:read': { role: 'viewer', admin: true },
  'org:rename': { role: 'owner' },
  'org:payout:read': { role: 'billing' },
  'org:payout:write': { role: 'owner' },
  'org:audit:read': { role: 'admin' },
  'project:grants:read': { role: 'owner' },
  'project:grants:write': { role: 'owner' },
  'project:delegates:read': { role: 'owner' },
  'project:delegates:write': { role: 'owner' },
  'org:members:write': { role: 'owner' },
  'org:invites:read': { role: 'viewer', admin: true },
  'org:invites:write': { role: 'owner' },
  'org:slug:claim': { role: 'owner' },
  'org:tier:set': { role: 'billing' },
  'org:billing:read': { role: 'billing', admin: true },
  'project:list': { role: 'viewer' },
  'project:create': { role: 'developer' },
  'project:read': {
    role: 'viewer',
    grants: ['read', 'project.read'],
    delegate: ['read', 'project.read'],
    serviceKey: true,
    admin: true,
  },
  'project:keys:read': { role: 'owner' },
  'project:rename': { role: 'admin', grants: ['project:write'], delegate: ['project:write'] },
  'project:delete': { role: 'owner', serviceKey: true },
  'project:users:write': { role: 'developer', serviceKey: true },
  'project:sql': { role: 'developer', serviceKey: true, admin: true },
  'project:schema:read': { role: 'developer', serviceKey: true, admin: true },
  'project:expose:read': { role: 'developer', serviceKey: true, admin: true },
  'project:expose:write': { role: 'developer', serviceKey: true },
  'project:errors:write': { role: 'developer', serviceKey: true },
  'event:emit': { role: null, serviceKey: true },
  'room:list': { role: 'viewer', delegate: 'any', serviceKey: true },
  'room:read': { role: 'viewer', grants: 'any', delegate: 'any', serviceKey: true },
  'room:write': { role: 'viewer', grants: 'any', delegate: 'any' },
  'room:invite': { role: 'developer' },
  'escalation:raise': { role: 'viewer', grants: 'any', delegate: 'any' },
  'escalation:read': { role: 'viewer', grants: 'any', delegate: 'any' },
  'escalation:answer': { role: 'viewer' },
  'escalation:contacts:read': { role: 'viewer' },
  'escalation:contacts:write': { role: 'owner' },
} as const satisfies Record<string, Permission>;

export type Action = keyof typeof permissions;
