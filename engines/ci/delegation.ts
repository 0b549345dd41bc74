/** What a wallet lets workflows of CI do, in its normal form: lists are sorted, and have each member once. */
export interface Delegation {
  readonly projectId: string;
  readonly issuer: string;
  readonly audience: string;
  readonly subjectMatch: string;
  readonly allowedEvents: readonly string[];
  readonly routeScopes: readonly string[];
  /** ISO 8601; null for never. */
  readonly expiresAt: string | null;
  readonly githubRepositoryId: string | null;
  readonly nonce: string;
}

/** Longest statement and resource, in bytes. */
export const statementBytesMax = 8192;
export const resourceBytesMax = 4096;

/** What the owner of the wallet reads. Clients sign it byte for byte. Contract 03, section 9.1. */
export const delegationStatement = (one: Delegation): string =>
  [
    `Allow CI workflows with subject ${one.subjectMatch} to deploy to project ${one.projectId}.`,
    'Actions: deploy',
    `Events: ${one.allowedEvents.join(', ')}`,
    `Routes: ${one.routeScopes.length === 0 ? 'none' : one.routeScopes.join(', ')}`,
    `Repository: ${one.githubRepositoryId ?? 'none'}`,
    `Audience: ${one.audience}`,
    `Expires: ${one.expiresAt ?? 'never'}`,
    `Nonce: ${one.nonce}`,
  ].join('\n');

/** RFC 3986: what `encodeURIComponent` leaves is encoded, too. */
const strictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** The same for programs, as the one resource of the signed message. */
export function delegationResource(one: Delegation): string {
  const parts: (readonly [string, string] | undefined)[] = [
    ['project_id', strictly(one.projectId)],
    ['issuer', strictly(one.issuer)],
    ['audience', strictly(one.audience)],
    ['subject_match', strictly(one.subjectMatch)],
    ['allowed_actions', 'deploy'],
    ['allowed_events', one.allowedEvents.map(strictly).join(',')],
    one.routeScopes.length === 0
      ? undefined
      : ['route_scopes', one.routeScopes.map((scope) => encodeURIComponent(scope)).join(',')],
    one.expiresAt === null ? undefined : ['expires_at', strictly(one.expiresAt)],
    one.githubRepositoryId === null ? undefined : ['github_repository_id', strictly(one.githubRepositoryId)],
    ['nonce', strictly(one.nonce)],
  ];
  const query = parts.filter((part) => part !== undefined).map(([name, value]) => `${name}=${value}`);
  return `svc-ci-delegation:v1?${query.join('&')}`;
}

/** Sorted by their code points, each once. */
export const normalised = (members: readonly string[]): string[] =>
  [...new Set(members)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
