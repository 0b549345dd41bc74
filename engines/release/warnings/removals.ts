import type { ReleaseDiff } from '../diff.ts';
import type { ReleaseState } from '../model.ts';
import type { ReleaseSpec } from '../spec/release-spec.ts';
import type { Rule } from './warning.ts';

/** What rules over two releases look at. */
export interface Change {
  readonly spec: ReleaseSpec;
  /** Null for a first deploy. */
  readonly base: ReleaseState | null;
  readonly state: ReleaseState;
  readonly diff: ReleaseDiff;
  /** Keys of secrets that the project holds. */
  readonly secretKeys: ReadonlySet<string>;
  readonly routesEnabled: boolean;
}

/** Of so many site paths, one in this many may go without a question. */
const bulkShare = 0.1;

/** Files that a site begins with. */
const entryPoints = ['index.html', '_worker.js'];

const isHtml = (path: string) => /\.html?$/i.test(path);

export const removalRules: readonly Rule<Change>[] = [
  {
    code: 'FIRST_DEPLOY',
    severity: 'info',
    confirm: false,
    message: 'The project has no release yet.',
    finds: ({ base }) => base === null,
  },
  {
    code: 'MISSING_REQUIRED_SECRET',
    severity: 'high',
    confirm: true,
    message: 'Secrets that the release requires are not set.',
    // Of those carried forward, too: a secret may be deleted while the live release requires it.
    finds: ({ state, secretKeys }) => state.secretKeys.filter((key) => !secretKeys.has(key)),
  },
  {
    code: 'DESTRUCTIVE_FUNCTION_REMOVAL',
    severity: 'high',
    confirm: true,
    message: 'Functions are removed.',
    finds: ({ diff }) => diff.functions.removed,
  },
  {
    code: 'DESTRUCTIVE_SUBDOMAIN_REMOVAL',
    severity: 'high',
    confirm: true,
    message: 'The site is no longer served under a name that it had.',
    finds: ({ diff }) => diff.subdomains.removed,
  },
  {
    code: 'DESTRUCTIVE_SECRET_REMOVAL',
    severity: 'warn',
    confirm: true,
    message: 'Secrets are deleted for good.',
    finds: ({ spec }) => spec.secrets.delete,
  },
  {
    code: 'DESTRUCTIVE_SITE_BULK_REMOVAL',
    severity: 'high',
    confirm: true,
    message: 'More than a tenth of the site’s files are removed.',
    finds: ({ base, diff }) => base !== null && diff.site.removed.length > base.site.size * bulkShare,
    details: ({ base, diff }) => ({ removed: diff.site.removed.length, of: base?.site.size ?? 0 }),
  },
  {
    code: 'SITE_ENTRYPOINT_REMOVED',
    severity: 'warn',
    confirm: true,
    message: 'The file that the site begins with is removed.',
    finds: ({ diff }) => diff.site.removed.filter((path) => entryPoints.includes(path)),
  },
  {
    code: 'ZERO_SITE_FILES_AFTER',
    severity: 'high',
    confirm: true,
    message: 'The site has no files any more.',
    finds: ({ base, state }) => base !== null && base.site.size > 0 && state.site.size === 0,
  },
  {
    code: 'ZERO_FUNCTIONS_AFTER',
    severity: 'high',
    confirm: true,
    message: 'The project has no functions any more.',
    finds: ({ base, state }) => base !== null && base.functions.size > 0 && state.functions.size === 0,
  },
  {
    code: 'ZERO_SUBDOMAINS_AFTER',
    severity: 'warn',
    confirm: true,
    message: 'The project has no subdomain any more.',
    finds: ({ base, state }) => base !== null && base.subdomains.length > 0 && state.subdomains.length === 0,
  },
  {
    code: 'SITE_NO_REACHABLE_HTML',
    severity: 'high',
    confirm: true,
    message: 'The release has HTML files, and none of them has a URL.',
    finds({ state: { site, manifest } }) {
      const html = [...site.keys()].filter(isHtml);
      const reachable = new Set([...manifest.files.values()].map(({ assetPath }) => assetPath));
      return html.some((path) => reachable.has(path)) ? [] : html.slice(0, 10);
    },
  },
  {
    code: 'PUBLIC_PATH_MODE_WIDENS_TO_IMPLICIT',
    severity: 'warn',
    confirm: true,
    message: 'Every file of the site becomes public, where a table named those that are.',
    finds: ({ base, state }) => base?.publicPaths.mode === 'explicit' && state.publicPaths.mode === 'implicit',
  },
];
