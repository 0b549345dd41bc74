import { ServiceError } from '../../core/errors.ts';
import type { Services } from '../context.ts';
import type { ProjectTarget } from '../project-target.ts';

/** Whether an origin is the project's own, or a developer's machine. Contract 01, section 3.5. */
function isOwn({ protocol, hostname }: URL, { publicId }: ProjectTarget, platformDomain: string): boolean {
  if (hostname === 'localhost') return protocol === 'http:';
  const plain = platformDomain === 'localhost' || platformDomain.endsWith('.localhost');
  return hostname === `p-${publicId}.${platformDomain}` && (protocol === 'https:' || (plain && protocol === 'http:'));
}

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

const refused = (field: string, reason: string) =>
  new ServiceError('VALIDATION_FAILED', { message: `${field}: ${reason}`, details: { field, reason } });
