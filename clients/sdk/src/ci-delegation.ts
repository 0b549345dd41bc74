import { randomHex } from './bytes.ts';
import { signInHeader, type WalletSigner } from './wallet.ts';

/** Which workflows of CI may deploy to a project, as a wallet signs it. */
export interface CiDelegation {
  readonly project: string;
  /** The subject of their tokens, or what it begins with, and `*`. */
  readonly subjectMatch: string;
  /** @default ['push', 'workflow_dispatch'] */
  readonly allowedEvents?: readonly string[] | undefined;
  /** Routes that they may change. @default none */
  readonly routeScopes?: readonly string[] | undefined;
  /** @default any repository whose subject matches */
  readonly githubRepositoryId?: string | null | undefined;
  /** @default never */
  readonly expiresAt?: string | Date | null | undefined;
  /** Issuer of the tokens, as the gateway has it. @default GitHub Actions */
  readonly issuer?: string | undefined;
  /** Audience of the tokens, as the gateway has it. @default the address of the gateway */
  readonly audience?: string | undefined;
}

/** What {@link signCiDelegation} makes: the inputs of `ci.createBinding`. */
export interface SignedCiDelegation {
  readonly project: string;
  readonly subject_match: string;
  readonly allowed_events: readonly string[];
  readonly route_scopes: readonly string[];
  readonly github_repository_id: string | null;
  readonly expires_at: string | null;
  readonly nonce: string;
  readonly signed_delegation: string;
}

const githubIssuer = 'https://token.actions.githubusercontent.com';

const sorted = (members: readonly string[]): string[] =>
  [...new Set(members)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));

/** RFC 3986: what `encodeURIComponent` leaves is encoded, too. */
const strictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * Has a wallet sign that workflows of CI may deploy. Contract 03, section 9.1.
 *
 * @param baseUrl where the gateway is
 */
export async function signCiDelegation(
  signer: WalletSigner,
  baseUrl: string,
  given: CiDelegation,
): Promise<SignedCiDelegation> {
  const base = baseUrl.replace(/\/+$/, '');
  const { project, subjectMatch, issuer = githubIssuer, audience = base } = given;
  const events = sorted(given.allowedEvents ?? ['push', 'workflow_dispatch']);
  const routes = sorted(given.routeScopes ?? []);
  const repository = given.githubRepositoryId ?? null;
  const expires = given.expiresAt == null ? null : new Date(given.expiresAt).toISOString();
  const nonce = randomHex();
  const statement = [
    `Allow CI workflows with subject ${subjectMatch} to deploy to project ${project}.`,
    'Actions: deploy',
    `Events: ${events.join(', ')}`,
    `Routes: ${routes.length === 0 ? 'none' : routes.join(', ')}`,
    `Repository: ${repository ?? 'none'}`,
    `Audience: ${audience}`,
    `Expires: ${expires ?? 'never'}`,
    `Nonce: ${nonce}`,
  ].join('\n');
  const parts = [
    `project_id=${strictly(project)}`,
    `issuer=${strictly(issuer)}`,
    `audience=${strictly(audience)}`,
    `subject_match=${strictly(subjectMatch)}`,
    'allowed_actions=deploy',
    `allowed_events=${events.map(strictly).join(',')}`,
    ...(routes.length === 0 ? [] : [`route_scopes=${routes.map((one) => encodeURIComponent(one)).join(',')}`]),
    ...(expires === null ? [] : [`expires_at=${strictly(expires)}`]),
    ...(repository === null ? [] : [`github_repository_id=${strictly(repository)}`]),
    `nonce=${strictly(nonce)}`,
  ];
  const resource = `svc-ci-delegation:v1?${parts.join('&')}`;
  const signed = await signInHeader({ ...signer, statement }, `${base}/ci/v1/bindings`, nonce.slice(0, 16), [resource]);
  return {
    project,
    subject_match: subjectMatch,
    allowed_events: events,
    route_scopes: routes,
    github_repository_id: repository,
    expires_at: expires,
    nonce,
    signed_delegation: signed,
  };
}
