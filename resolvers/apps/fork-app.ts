import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { appForks } from '../../db/schema/apps.ts';
import type { Org } from '../../db/schema/orgs.ts';
import { insertInto, pick, statement } from '../../db/sql.ts';
import { type NoScope, type OrgScope, onProject } from '../../kernel/access/access.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { givenName, orgId, projectId } from '../../kernel/input/fields.ts';
import { jsonObject } from '../../kernel/input/json-object.ts';
import { refuseOverStorage } from '../../kernel/limits/storage.ts';
import { tierNames } from '../../kernel/limits/tier-table.ts';
import type { Context } from '../../kernel/run/context.ts';
import { mutation, query } from '../../kernel/run/operation.ts';
import type { Price } from '../../kernel/run/price.ts';
import { secretKeysOf } from '../deploys/shared/secret-keys.ts';
import { liveFunctions } from '../functions/shared/live-functions.ts';
import { claimName } from '../hosts/shared/claim-name.ts';
import { subdomainName } from '../hosts/shared/subdomain.ts';
import { projectKeysOf } from '../identity/shared/project-keys.ts';
import { bringIn } from '../ledger/shared/bring-in.ts';
import { balanceOf, hold } from '../ledger/shared/ledger.ts';
import { onNamedOrOwnOrg } from '../orgs/shared/on-named-or-own-org.ts';
import { findOrCreateOwnOrg } from '../orgs/shared/own-org.ts';
import { projectActions } from '../projects/shared/actions.ts';
import { insertProject } from '../projects/shared/insert-project.ts';
import { lockProject } from '../projects/shared/lock-project.ts';
import { requireRoomForProject } from '../projects/shared/room-for-project.ts';
import { type AppVersion, seenVersion, statusOfVersion, versionId } from './app-row.ts';
import { endOfFork, type Fork, ForkWire, findFork, forkToWire, type ShownFork } from './fork-row.ts';
import { ofProject } from './publish-app.ts';
import { appActions } from './shared/actions.ts';

/** How long a signed payment for a fork may take to arrive, in seconds. */
const paymentSeconds = 300;

interface ForkInput {
  readonly version_id: string;
  readonly org_id?: string | undefined;
  readonly bootstrap?: Readonly<Record<string, unknown>> | undefined;
}

/** `POST /fork/v1`. Contract 04, section 3.3. */
export const forkApp = mutation({
  name: 'apps.fork',
  tool: 'fork_app',
  command: 'apps fork',
  duration: 'long',
  effects: ['openWorld'],
  summary:
    'Make a project of your own from a published version: its schema, functions and site, without data and secrets.',
  path: 'POST /fork/v1 201',
  credentialBound: true,
  access: onNamedOrOwnOrg<ForkInput>(projectActions['project:create']),
  lifecycle: 'gated',
  writeApproval: { action: 'org.project.create', field: 'org_id', target: ({ org_id }) => org_id },
  price: {
    family: 'platform',
    quote: quoteFork,
    received: ({ orgId: payer }: Fork) => ({ orgId: payer, kind: 'app_fork' as const }),
  },
  input: z.object({
    version_id: versionId,
    name: givenName(200).trim().min(1).describe('Name of the new project, for people.'),
    org_id: orgId.optional().describe('Organization to make it in; the wallet’s own when absent.'),
    subdomain: subdomainName.optional().describe('A name below the platform’s domain for it.'),
    bootstrap: jsonObject({ kib: 64, depth: 16 })
      .optional()
      .describe('Values of the variables that the app asks for: its function `bootstrap` is run with them once.'),
  }),
  // Looks at every database of the organization. A new one has room for whatever its tier may run.
  async prepare({ services, org }, { version_id }) {
    if (org === undefined) return;
    const { contents } = await forkable(services.db, version_id, org);
    await refuseOverStorage(services, org, contents.totalBytes, 'The fork');
  },
  async handler(work, { version_id, name, subdomain, bootstrap }): Promise<Fork> {
    const caller = await work.caller();
    const scope: OrgScope =
      work.org === undefined
        ? await findOrCreateOwnOrg(work, principalIdOf(caller)!, projectActions['project:create'])
        : { org: work.org, authority: work.authority };
    const org = await requireRoomForProject(work, scope.org);
    const version = await forkable(work, version_id, org);
    refuseVariables(version, bootstrap);
    const operationId = work.services.newId('op');
    const { id } = await insertProject(work, scope, { name });
    const price = version.orgId === org.id ? 0n : version.forkPrice;
    if (work.payment !== undefined) await bringIn(work, org.id, work.payment);
    if (price > 0n) await payFor(work, org.id, price, id, version);
    if (subdomain !== undefined) {
      const project = (await lockProject(work, id))!;
      await claimName({ ...work, ...scope, project }, subdomain, undefined);
    }
    await work.rows(
      insertStatement.with({
        orgId: org.id,
        lane: org.id,
        id,
        versionId: version.id,
        operationId,
        subdomain: subdomain ?? null,
        bootstrap: bootstrap === undefined ? null : JSON.stringify(bootstrap),
        price,
      }),
    );
    work.afterCommit(() => work.services.appForkWork.wake());
    return findFork(work.rows, id);
  },
  audit: ({ id, orgId: org, versionId: version, price }) => ({
    action: 'app.forked',
    object: { kind: 'project', id },
    orgId: org,
    details: { version_id: version, price_usd_micros: Number(price) },
  }),
  wire: ForkWire.extend({
    anon_key: z.string().meta({ secret: true }),
    service_key: z.string().meta({ secret: true }),
  }),
  async toWire(begun: Fork, ctx) {
    const shown = await showFork(ctx, await endOfFork(ctx, begun));
    const keys = await keysOfFork(ctx, begun);
    return { ...forkToWire(ctx.services, shown), anon_key: keys.anonKey, service_key: keys.serviceKey };
  },
});

/** `GET /fork/v1/:project_id`: an addition, for whoever waits for a fork. */
export const getFork = query({
  name: 'apps.getFork',
  tool: 'get_fork',
  command: 'apps fork-status',
  summary: 'How a fork stands: a project that was made from a published version.',
  path: 'GET /fork/v1/:project_id',
  access: onProject(appActions['project:apps:read'], ofProject),
  input: z.object({ project: projectId }),
  handler: async (ctx): Promise<ShownFork> => showFork(ctx, await findFork(ctx.services.db.rows, ctx.project.id)),
  wire: ForkWire,
  toWire: (shown, { services }) => forkToWire(services, shown),
});

/** The keys of a fork, which are good once it is there. */
export const keysOfFork = ({ services }: Pick<Context, 'services'>, { id, projectCreatedAt }: Fork) =>
  projectKeysOf(services.keys, { id, createdAt: projectCreatedAt, transferredAt: null });

/** A fork with its functions, and the secrets that it has yet to be given. */
export async function showFork({ services }: Pick<Context, 'services'>, fork: Fork): Promise<ShownFork> {
  const owner = { orgId: fork.orgId, projectId: fork.id };
  if (fork.status !== 'ready') return { fork, functions: [], missingSecrets: [] };
  const scope = { org: { id: fork.orgId }, project: { id: fork.id } };
  const [functions, held] = await Promise.all([
    liveFunctions(services, scope, services.db.rows),
    secretKeysOf(services, owner),
  ]);
  const needed = fork.requiredSecrets?.map(({ name }) => name) ?? [];
  return { fork, functions, missingSecrets: needed.filter((key) => !held.has(key)) };
}

/**
 * What a fork costs a caller on chain: its whole price, unless the balance covers it. What is refused whether it is paid or
 * not is refused here.
 */
async function quoteFork(
  { services, org }: Context & Partial<OrgScope | NoScope>,
  { version_id, bootstrap }: ForkInput,
): Promise<Price | undefined> {
  const version = await forkable(services.db, version_id, org);
  refuseVariables(version, bootstrap);
  if (version.forkPrice === 0n || version.orgId === org?.id) return undefined;
  const available = org === undefined ? 0n : (await balanceOf(services.db, org.id)).available;
  if (available >= version.forkPrice) return undefined;
  return {
    sku: 'app_fork',
    amount: version.forkPrice,
    network: services.settings.tierNetwork,
    description: `A fork of the app ${version.name}, version ${version.number}.`,
    maxTimeoutSeconds: paymentSeconds,
    details: {
      version_id,
      required_usd_micros: Number(version.forkPrice),
      available_usd_micros: Number(available),
    },
  };
}

/** @throws APP_VERSION_NOT_FOUND, APP_FORK_NOT_ALLOWED, TIER_FEATURE_REQUIRED */
async function forkable(
  { rows }: Pick<Work, 'rows'>,
  id: string,
  org: Pick<Org, 'id' | 'tier'> | undefined,
): Promise<AppVersion> {
  const version = await seenVersion(rows, id, org?.id);
  const isOwn = version.orgId === org?.id;
  if (statusOfVersion(version) !== 'published' || !(version.forkAllowed || isOwn))
    throw new ServiceError('APP_FORK_NOT_ALLOWED', { details: { version_id: id } });
  const tier = org?.tier ?? 'prototype';
  if (tierNames.indexOf(tier) < tierNames.indexOf(version.minTier))
    throw new ServiceError('TIER_FEATURE_REQUIRED', {
      message: `The app needs the tier ${version.minTier}, and the organization is on ${tier}.`,
      details: { version_id: id, min_tier: version.minTier, tier },
    });
  return version;
}

/** Refuses variables that the app does not ask for, and some of those that it asks for. @throws APP_VARIABLES_INVALID */
function refuseVariables({ bootstrapVariables, contents }: AppVersion, given: ForkInput['bootstrap']): void {
  if (given === undefined) return;
  const asked = bootstrapVariables?.map(({ name }) => name) ?? [];
  const unknown = Object.keys(given).filter((name) => !asked.includes(name));
  const missing = asked.filter((name) => !Object.hasOwn(given, name));
  const hasFunction = contents.functions.some(({ name }) => name === 'bootstrap');
  if (hasFunction && unknown.length === 0 && missing.length === 0) return;
  throw new ServiceError('APP_VARIABLES_INVALID', {
    ...(hasFunction ? {} : { message: 'The app has no function `bootstrap` to give variables to.' }),
    details: { field: 'bootstrap', missing, unknown: unknown.slice(0, 20) },
  });
}

/** Holds the price until the fork is there. @throws PAYMENT_REQUIRED */
async function payFor(work: Work, payer: string, amount: bigint, fork: string, version: AppVersion): Promise<void> {
  try {
    await hold(work, {
      orgId: payer,
      amount,
      reference: { type: 'app_fork', id: fork },
      metadata: { version_id: version.id },
    });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'INSUFFICIENT_FUNDS') throw error;
    throw new ServiceError('PAYMENT_REQUIRED', {
      message: 'The prepaid balance does not cover this fork.',
      details: { version_id: version.id, ...error.details },
    });
  }
}

const insertStatement = statement(
  'forks.insert',
  { params: pick(appForks, 'orgId', 'lane', 'id', 'versionId', 'operationId', 'subdomain', 'bootstrap', 'price') },
  (given) => insertInto(appForks, { ...given, status: sql`'creating'`, dueAt: sql`now()` }),
);
