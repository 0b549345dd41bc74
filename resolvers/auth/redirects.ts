import { invalidField, ServiceError } from '../../core/errors.ts';
import { shellWord } from '../../core/shell-word.ts';
import { readUrl } from '../../core/urls.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { Services } from '../../kernel/run/context.ts';
import { entryFor, isListed, isListedOrigin, isLocalName } from './redirect-urls.ts';
import { authSettings } from './settings.ts';

type Settings = Pick<Services, 'settings'>;

/**
 * Whether a URL is on a host of the project's own. Contract 01, section 3.5. A name that another project claimed is not:
 * its holder could start a sign-in here with the public key, and receive the result.
 */
export function isOnOwnHost({ settings }: Settings, { publicId, hostNames }: ProjectTarget, url: URL): boolean {
  const { protocol, hostname } = url;
  const own = hostname === `p-${publicId}.${settings.platformDomain}` || hostNames.includes(hostname);
  return own && (protocol === 'https:' || (protocol === 'http:' && isLocalName(hostname)));
}

/** Whether no list is needed: the URL is on a host of the project, or on a developer's machine. */
const isAllowedAnyway = (services: Settings, target: ProjectTarget, url: URL): boolean =>
  url.username === '' &&
  url.password === '' &&
  (url.hostname === 'localhost' ? url.protocol === 'http:' : isOnOwnHost(services, target, url));

/** The list is read from the database each time: a removed entry is refused on every node at once. */
const listOf = async (services: Services, target: ProjectTarget): Promise<readonly string[]> =>
  (await authSettings(services, target)).allowed_redirect_urls;

async function isAllowed(services: Services, target: ProjectTarget, url: URL): Promise<boolean> {
  return isAllowedAnyway(services, target, url) || isListed(url, await listOf(services, target));
}

/**
 * A URL that a browser may be sent to with a token. Use what this returns, never the text.
 *
 * @throws VALIDATION_FAILED that names the field, the list and the command that adds to it
 */
export async function requireRedirect(
  services: Services,
  target: ProjectTarget,
  field: string,
  text: string,
): Promise<URL> {
  const url = readUrl(text);
  if (url === undefined) throw invalidField(field, 'must be a URL without blanks, control characters and backslashes');
  if (!(await isAllowed(services, target, url))) throw notAllowed(target, field, url);
  return url;
}

/** Whether a redirect that was allowed once still is: hosts are given up, and entries are removed. */
export async function isStillAllowed(services: Services, target: ProjectTarget, text: string): Promise<boolean> {
  const url = readUrl(text);
  return url !== undefined && (await isAllowed(services, target, url));
}

async function hasPasskeys(services: Services, target: ProjectTarget, url: URL): Promise<boolean> {
  return isAllowedAnyway(services, target, url) || isListedOrigin(url, await listOf(services, target));
}

/** The host of an origin, as passkeys are bound to it. @throws VALIDATION_FAILED that names the field */
export async function requireOwnOrigin(
  services: Services,
  target: ProjectTarget,
  field: string,
  text: string,
): Promise<string> {
  const url = readUrl(text);
  if (url === undefined) throw invalidField(field, 'must be a URL without blanks, control characters and backslashes');
  if (!(await hasPasskeys(services, target, url))) throw notAllowed(target, field, url);
  if (url.origin !== text) throw invalidField(field, 'must be an origin, such as http://localhost:3000');
  if (isAddress(url))
    throw invalidField(field, 'must have a name as its host: browsers keep no passkeys for addresses');
  return url.hostname;
}

/** The same for an origin that is only asked about: null for one that has no passkeys here. */
export async function ownRpId(services: Services, target: ProjectTarget, text: string): Promise<string | null> {
  const url = readUrl(text);
  if (url === undefined || url.origin !== text || isAddress(url)) return null;
  return (await hasPasskeys(services, target, url)) ? url.hostname : null;
}

const isAddress = ({ hostname }: URL): boolean => hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname);

/** The refusal of a URL that is on no list; it says how to put it there, if that is possible at all. */
function notAllowed({ projectId }: ProjectTarget, field: string, url: URL): ServiceError {
  const reason =
    'must be on http://localhost, on a host of the project, or on the project’s list of allowed redirect URLs';
  const entry = entryFor(url);
  return new ServiceError('VALIDATION_FAILED', {
    message: `${field}: ${reason}`,
    details: { field, reason, setting: 'allowed_redirect_urls' },
    ...(entry === undefined
      ? {}
      : {
          nextActions: [
            {
              type: 'allow_redirect_url',
              // The command line parts a list at its commas. Where there is a command, it is shown in place of a path.
              ...(entry.includes(',')
                ? { method: 'PATCH', path: '/auth/v1/settings' }
                : { command: `svc auth settings --project ${projectId} --add-redirect-url ${shellWord(entry)}` }),
              why: 'Add the URL to `allowed_redirect_urls` of the project, if the URL is yours.',
            },
          ],
        }),
  });
}
