import { createHash } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { Lru } from '../../core/lru.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { Services } from '../../kernel/run/context.ts';
import { mayBeId } from '../../kernel/traffic/subject.ts';
import { projectKeyIssuer } from '../identity/shared/project-keys.ts';
import { signingKeys } from './signing-keys.ts';

/** How long an access token is good for, in seconds. Contract 01, section 1.4. */
export const accessSeconds = 3_600;

export type UserRole = 'authenticated' | 'project_admin';

/** What an access token says of its user. Contract 01, section 1.4. */
export interface UserClaims {
  readonly iss: string;
  readonly sub: string;
  readonly role: UserRole;
  readonly project_id: string;
  readonly email: string;
  /** Whether the address was ever proven to be the user's: a sign-up may name any. An addition. */
  readonly email_verified: boolean;
  readonly iat: number;
  readonly exp: number;
  readonly auth_time: number;
  readonly amr: readonly string[];
  readonly aal: 'aal1' | 'aal2';
  readonly passkey_id?: string;
  readonly session_id: string;
  readonly authz_version: number;
  readonly is_test?: true;
}

/** Signs a project user's access token. */
export async function signAccessToken(
  services: Services,
  target: ProjectTarget,
  claims: Omit<UserClaims, 'iss' | 'project_id' | 'iat' | 'exp'>,
): Promise<string> {
  const { kid, signing } = await signingKeys(services, target);
  const iat = Math.floor(services.now().getTime() / 1000);
  return new SignJWT({ ...claims, iss: projectKeyIssuer, project_id: target.projectId, iat, exp: iat + accessSeconds })
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid })
    .sign(signing);
}

/** A token that reads like a user's; whether it is one is for its project's keys to say. */
export interface ShownToken {
  readonly token: string;
  readonly projectId: string;
  readonly kid: string;
}

/** What a token says of itself; undefined when it does not even look like a user's. */
export function readShownToken(token: string): ShownToken | undefined {
  try {
    const { alg, kid } = decodeProtectedHeader(token);
    const { project_id: projectId } = decodeJwt(token);
    if (alg !== 'ES256' || typeof kid !== 'string' || typeof projectId !== 'string') return undefined;
    if (!mayBeId(projectId)) return undefined;
    return { token, projectId, kid };
  } catch {
    return undefined;
  }
}

/** Claims of tokens that passed, under a digest of the token: their times are checked on every use. */
const remembered = new WeakMap<Services, Lru<UserClaims>>();

/** The claims of a user's token; undefined when it was not made here for this project, was changed or has expired. */
export async function verifyAccessToken(
  services: Services,
  target: ProjectTarget,
  shown: ShownToken,
): Promise<UserClaims | undefined> {
  const checked = await checkAccessToken(services, target, shown);
  return checked === 'expired' ? undefined : checked;
}

/** As {@link verifyAccessToken}, and `expired` for a token that was good for this project until its time was over. */
export async function checkAccessToken(
  services: Services,
  target: ProjectTarget,
  { token, kid }: ShownToken,
): Promise<UserClaims | 'expired' | undefined> {
  let known = remembered.get(services);
  if (known === undefined) remembered.set(services, (known = new Lru({ entries: 8_192, bytes: 8_192 })));
  const name = createHash('sha256').update(`${target.projectId} ${token}`).digest('base64');
  const claims = known.get(name);
  if (claims !== undefined) return claims.exp * 1000 > services.now().getTime() ? claims : 'expired';
  const key = (await signingKeys(services, target, kid)).verifying.get(kid);
  if (key === undefined || !isCanonical(token)) return undefined;
  try {
    const { payload } = await jwtVerify<UserClaims & JWTPayload>(token, key, {
      algorithms: ['ES256'],
      issuer: projectKeyIssuer,
      typ: 'JWT',
      requiredClaims: ['sub', 'exp', 'session_id', 'role', 'authz_version'],
      currentDate: services.now(),
    });
    if (payload.project_id !== target.projectId) return undefined;
    known.set(name, payload, 1);
    return payload;
  } catch (error) {
    // Its signature was right: the time is looked at last.
    if (error instanceof errors.JWTExpired && error.payload.project_id === target.projectId) return 'expired';
    if (!(error instanceof errors.JOSEError)) throw error;
    return undefined;
  }
}

/** The last character of base64url has bits that decoders pass over: without this, one token has several spellings. */
const isCanonical = (token: string): boolean =>
  token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
