import type { Role } from '../../db/schema/orgs.ts';

/** Organization roles, highest first. */
export const roles = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const satisfies readonly Role[];

/** Whether a role is at or above another. */
export const reaches = (role: Role, minimum: Role | null): boolean =>
  minimum !== null && roles.indexOf(role) <= roles.indexOf(minimum);

/** The roles at or above one. */
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
const reading = ['read', 'project.read'] as const satisfies readonly Capability[];

/** Each of these opens the project itself for reading: lists show it. */
export const openingCapabilities = [...reading, 'project:write'] as const satisfies readonly Capability[];

/**
 * What a delegate of a grant may be given: the grant's own capability, in each of its spellings. Whoever may write to a
 * project may read and deploy it, too.
 */
export const coveredBy = (capability: string): readonly string[] => {
  if (capability === 'project:write') return [capability, ...reading, 'deploy'];
  return reading.some((one) => one === capability) ? reading : [capability];
};

/** The callers that one action allows. A credential that has no cell in the row is refused. */
export interface Permission {
  /** Lowest role that suffices, null for none; reading operator sessions count as the member they belong to. */
  readonly role: Role | null;
  /** Capabilities of a project grant that suffice without membership (`any`: whichever it is). */
  readonly grants?: readonly Capability[] | 'any';
  /** Whether a delegate may do it, and with which capability of its scope (`any`: with none in particular). */
  readonly delegate?: readonly Capability[] | 'any';
  /** Whether a workflow of CI may do it, by a session of a binding. */
  readonly ci?: true;
  /** Whether the project's own service key may do it. */
  readonly serviceKey?: boolean;
  /** Whether the project's anon key may do it, which is no secret: everybody may. */
  readonly anonKey?: boolean;
  /** Whether the platform admin may do it anywhere. */
  readonly admin?: boolean;
}

/** An action in an organization, with the callers it allows. */
export interface Action extends Permission {
  /** For example `room:write`: refusals and docs name it. */
  readonly name: string;
}

const names = new Set<string>();

/**
 * Declares the actions of a domain, by name. Contract 01, section 1.12.
 *
 * @throws Error for a name that is declared twice
 */
export function actions<Names extends string>(
  table: Readonly<Record<Names, Permission>>,
): { readonly [Name in Names]: Action } {
  for (const name of Object.keys(table)) {
    if (names.has(name)) throw new Error(`There are two actions called ${name}.`);
    names.add(name);
  }
  const named = Object.entries<Permission>(table).map(([name, permission]) => [name, { name, ...permission }]);
  return Object.fromEntries(named) as { [Name in Names]: Action };
}
