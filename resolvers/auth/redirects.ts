import { ServiceError } from '../../core/errors.ts';
import type { ProjectTarget } from '../addressed-project.ts';
import type { Services } from '../context.ts';

/**
 * Whether an origin is the project's own, or a developer's machine. Contract 01, section 3.5. A name that another project
 * claimed is not: whoever holds it could start a sign-in here with the public key, and be sent what it gives.
 */
function isOwn({ protocol, hostname }: URL, { publicId, hostNames }: ProjectTarget, platformDomain: string): boolean {
  if (hostname === 'localhost') return protocol === 'http:';
  const own = hostname === `p-${publicId}.${platformDomain}` || hostNames.includes(hostname);
  return own && (protocol === 'https:' || (protocol === 'http:' && isLocal(hostname)));
}

/** Whether a name is the machine's own, so that plain HTTP to it goes over no network. */
export const isLocal = (hostname: string): boolean => /^(.+\.)?localhost$/.test(hostname);

/**
 * A place that a browser may be sent to with a token: anything else would be handed the token.
 *
 * @throws VALIDATION_FAILED that names the field
 */
export function requireOwnUrl(
  { settings }: Pick<Services, 'settings'>,
  target: ProjectTarget,
  field: string,
  text: string,
): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw refused(field, 'must be a URL');
  if (url.username !== '' || url.password !== '' || !isOwn(url, target, settings.platformDomain))
    throw refused(field, 'must be on http://localhost or on a host of the project');
  return url;
}

/** The host of an origin, as passkeys are bound to it. @throws VALIDATION_FAILED that names the field */
export function requireOwnOrigin(
  services: Pick<Services, 'settings'>,
  target: ProjectTarget,
  field: string,
  text: string,
): string {
  const url = requireOwnUrl(services, target, field, text);
  if (url.origin !== text) throw refused(field, 'must be an origin, such as http://localhost:3000');
  return url.hostname;
}

/** The same for what is only told of an origin: null for one that is not the project's, which has no passkeys here. */
export function ownRpId(services: Pick<Services, 'settings'>, target: ProjectTarget, text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.origin === text && isOwn(url, target, services.settings.platformDomain) ? url.hostname : null;
}

const refused = (field: string, reason: string) =>
  new ServiceError('VALIDATION_FAILED', { message: `${field}: ${reason}`, details: { field, reason } });
