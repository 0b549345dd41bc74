import { ServiceError } from '../../../core/errors.ts';
import type { ProjectTarget } from '../../../kernel/access/project-target.ts';
import { findProjectTarget } from '../../../kernel/access/project-target.ts';
import { takeFromProject } from '../../../kernel/limits/project-rate.ts';
import type { Context, Services } from '../../../kernel/run/context.ts';
import { calledByKey } from '../../../kernel/traffic/subject.ts';
import { requireCredential } from '../../identity/shared/project-credentials.ts';
import {
  isCurrentKey,
  type ProjectKey,
  type ProjectKeyRole,
  readProjectKey,
} from '../../identity/shared/project-keys.ts';
import { checkAccessToken, readShownToken, type ShownToken, type UserClaims } from '../access-token.ts';
import { tokenExpired } from '../session-over.ts';

/** The caller inside a project: a key of the project alone, or one of its users. */
export interface ProjectCaller {
  readonly target: ProjectTarget;
  /** The right that the keys give; `anon` for a user's token alone. */
  readonly keyRole: ProjectKeyRole;
  /** The key that acts, where its right ends of itself or with a credential; undefined for any other. */
  readonly ending?: EndingKey | undefined;
  /** Claims of the user's token: signed here and not expired. Its session is not checked yet. */
  readonly user: UserClaims | undefined;
}

/** What ends the right of a key before its project does. */
export type EndingKey = Pick<ProjectKey, 'credentialId' | 'expiresAt'>;

export interface ProjectAuthentication {
  /** Refuses a kind of credential before anything is asked for it. @throws ServiceError */
  readonly admit?: (role: ProjectKeyRole | 'authenticated') => void;
  /** Whether the request counts against what the project may be asked in a second. */
  readonly limited: boolean | ((role: ProjectKeyRole | 'authenticated') => boolean);
  /** Whether the request has to do with signing in, for which a part of that is kept. @default false */
  readonly signsIn?: boolean;
  /** Whether a user's token beside the key says nothing once it has expired, instead of being refused. */
  readonly tokenMayHaveEnded?: boolean;
  /** The project that the address names: a key of another one is refused, whether or not there is such a project. */
  readonly projectId?: string;
}

/** A key, or a token that has yet to be checked by the keys of the project it names. */
type Credential =
  | (ProjectKey & { readonly shown?: undefined })
  | { readonly projectId: string; readonly role: 'authenticated'; readonly shown: ShownToken };

/**
 * Resolves the credentials of a request inside a project: its key first, then the bearer beside it; counts the request
 * as the project's. Contract 01, sections 1.3 and 1.20.
 *
 * @throws AUTH_REQUIRED, INVALID_AUTH, PROJECT_CREDENTIAL_INVALID, PROJECT_CREDENTIAL_EXPIRED, FORBIDDEN, RATE_LIMITED,
 * PROJECT_NOT_READY, PROJECT_NOT_FOUND
 */
export async function authenticateProject(
  ctx: Context,
  { admit, limited, projectId, signsIn = false, tokenMayHaveEnded = false }: ProjectAuthentication,
): Promise<ProjectCaller> {
  ctx.chargeAddress();
  const { services } = ctx;
  const bearer = bearerOf(ctx.credentials.authorization);
  const given = ctx.credentials.apikey ?? bearer;
  if (given === undefined) throw new ServiceError('AUTH_REQUIRED', { nextActions: [sendKey] });
  const key = await credentialOf(ctx, given);
  ctx.onProjectResolved?.(projectId ?? key.projectId);
  const beside = bearer === undefined || bearer === given ? undefined : await credentialOf(ctx, bearer);
  if (beside !== undefined && beside.projectId !== key.projectId)
    throw new ServiceError('FORBIDDEN', {
      label: 'project_token_mismatch',
      message: 'The bearer is for another project than the key.',
    });
  if (projectId !== undefined && key.projectId !== projectId)
    throw new ServiceError('FORBIDDEN', {
      label: 'project_token_mismatch',
      message: 'The key is for another project than the address.',
    });
  const acting = beside ?? key;
  admit?.(acting.role);
  const target = await findProjectTarget(services, key.projectId);
  await refuseEnded(services, key, target);
  if (beside !== undefined) await refuseEnded(services, beside, target);
  const shown = acting.shown ?? key.shown;
  const checked = shown === undefined ? undefined : await checkAccessToken(services, target, shown);
  const user = checked === 'expired' ? undefined : checked;
  const disregarded = tokenMayHaveEnded && beside !== undefined && key.shown === undefined;
  if (shown !== undefined && user === undefined && !disregarded)
    throw checked === 'expired' ? tokenExpired() : new ServiceError('INVALID_AUTH', { nextActions: [refresh] });
  if (typeof limited === 'boolean' ? limited : limited(acting.role)) {
    takeFromProject(ctx, key.projectId, signsIn || user !== undefined || acting.role === 'service_role');
    ctx.onAdmitted?.();
  }
  // Not before: a call that is refused for its haste did nothing for the project.
  services.usage.count({ orgId: target.orgId, projectId: target.projectId });
  const keyRole = acting.role === 'authenticated' ? 'anon' : acting.role;
  const who = acting.shown === undefined ? undefined : user;
  ctx.subject?.admit(target.projectId, who !== undefined ? 'authenticated' : calledByKey(keyRole));
  return { target, keyRole, ending: endingOf(acting), user: who };
}

const endingOf = (acting: Credential): EndingKey | undefined =>
  acting.role === 'authenticated' || (acting.credentialId === undefined && acting.expiresAt === null)
    ? undefined
    : acting;

/**
 * @throws INVALID_AUTH for a key of whoever had the project before; PROJECT_CREDENTIAL_INVALID or
 * PROJECT_CREDENTIAL_EXPIRED for one whose credential has ended
 */
async function refuseEnded(
  services: Services,
  credential: Credential,
  { transferredAt }: ProjectTarget,
): Promise<void> {
  if (credential.role === 'authenticated') return;
  if (!isCurrentKey(credential, transferredAt))
    throw new ServiceError('INVALID_AUTH', { details: { reason: 'key_replaced' }, nextActions: [sendKey] });
  if (credential.credentialId !== undefined) await requireCredential(services, credential.credentialId);
}

const sendKey = { type: 'authenticate', auth: 'apikey', why: 'Send a key of the project in the apikey header.' };
const refresh = { type: 'authenticate', why: 'Refresh the session, or sign the user in again.' };

function bearerOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const bearer = /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(authorization.trim())?.[1];
  if (bearer === undefined) throw new ServiceError('INVALID_AUTH', { details: { reason: 'not_a_bearer' } });
  return bearer;
}

async function credentialOf({ services }: Context, token: string): Promise<Credential> {
  const shown = readShownToken(token);
  if (shown !== undefined) return { projectId: shown.projectId, role: 'authenticated', shown };
  const key = await readProjectKey(services.keys, token, services.now());
  if (key === undefined) throw new ServiceError('INVALID_AUTH', { nextActions: [sendKey] });
  return key;
}
