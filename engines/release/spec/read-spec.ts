import { invalid, SpecError } from '../errors.ts';
import { assets } from './assets.ts';
import { database, secrets } from './database.ts';
import { either, isObject, matching, object, optional, type Read } from './fields.ts';
import type { FunctionLimits } from './function-limits.ts';
import { functions } from './functions.ts';
import { checks, i18n, subdomains } from './hosts.ts';
import type { BaseSelector, ReleaseSpec } from './release-spec.ts';
import { routes } from './routes.ts';
import { site } from './site.ts';

const members = [
  'project_id',
  'project',
  '$schema',
  'idempotency_key',
  'idempotencyKey',
  'base',
  'database',
  'secrets',
  'functions',
  'site',
  'assets',
  'subdomains',
  'routes',
  'checks',
  'i18n',
  // What clients keep for themselves, and exporters leave behind.
  'verify',
  'x-svc-omitted_features',
];

const base: Read<BaseSelector> = (value, at) => {
  const given = object(value, at, ['release', 'release_id']);
  if ((given.release === undefined) === (given.release_id === undefined))
    throw invalid(at, 'must have either release or release_id');
  if (given.release_id !== undefined) {
    const releaseId = matching(/^rel_[A-Za-z0-9_-]{1,64}$/, 'must be the id of a release')(
      given.release_id,
      `${at}.release_id`,
    );
    return { kind: 'release', releaseId };
  }
  if (given.release === 'current' || given.release === 'empty') return { kind: given.release };
  throw invalid(`${at}.release`, 'must be current or empty');
};

/**
 * Reads a specification as it is sent, with the spellings that are taken beside. It says nothing of what there is: that is
 * planned.
 *
 * @param limits of the tier; undefined: none
 * @throws SpecError, whose `resource` is the dotted path of the first member that is wrong
 */
export function readSpec(given: unknown, limits?: FunctionLimits): ReleaseSpec {
  const spec = object(given, '', members);
  const projectId = matching(/^prj_[A-Za-z0-9_-]{1,64}$/, 'must be the id of a project');
  if (spec.project !== undefined && spec.project_id !== undefined && spec.project !== spec.project_id)
    throw invalid('project', 'is another one than project_id');
  const site_ = optional(site)(spec.site, 'site');
  const read: ReleaseSpec = {
    projectId: projectId(spec.project_id ?? spec.project, 'project_id'),
    base: optional(base)(spec.base, 'base') ?? { kind: 'current' },
    ...(optional(database)(spec.database, 'database') ?? { migrations: [], expose: undefined, zeroDowntime: false }),
    secrets: optional(secrets)(spec.secrets, 'secrets') ?? { require: [], delete: [] },
    functions: optional(functions(limits))(spec.functions, 'functions'),
    site: site_?.site,
    publicPaths: site_?.publicPaths,
    frameAncestors: site_?.frameAncestors,
    assets: optional(assets)(spec.assets, 'assets'),
    subdomains: optional(subdomains)(spec.subdomains, 'subdomains'),
    routes: optional(routes)(spec.routes, 'routes'),
    i18n: optional(i18n)(spec.i18n, 'i18n'),
    checks: spec.checks === null ? [] : (optional(checks)(spec.checks, 'checks') ?? []),
  };
  either(spec, '', 'idempotency_key', 'idempotencyKey');
  if (isEmpty(read, spec))
    throw new SpecError('MANIFEST_EMPTY', 'The specification would change nothing: it is empty.');
  return read;
}

const hasEntries = (change: ReleaseSpec['functions'] | ReleaseSpec['site']): boolean =>
  change !== undefined &&
  (change.kind === 'replace' ? change.entries.size > 0 : change.set.size > 0 || change.delete.length > 0);

/** Whether no slice says anything. Contract 03, section 2.11.1. */
function isEmpty(read: ReleaseSpec, raw: Readonly<Record<string, unknown>>): boolean {
  const { subdomains: hosts, assets: stored } = read;
  return !(
    read.migrations.length > 0 ||
    read.expose !== undefined ||
    read.secrets.require.length > 0 ||
    read.secrets.delete.length > 0 ||
    hasEntries(read.functions) ||
    hasEntries(read.site) ||
    read.publicPaths !== undefined ||
    read.frameAncestors !== undefined ||
    (stored !== undefined && (stored.put.length > 0 || stored.delete.length > 0 || stored.sync !== undefined)) ||
    (hosts !== undefined && (hosts.set !== undefined || hosts.add.length > 0 || hosts.remove.length > 0)) ||
    read.checks.length > 0 ||
    isObject(raw.routes) ||
    raw.i18n !== undefined
  );
}
