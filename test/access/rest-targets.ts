import { z } from 'zod';
import type { AnyOperation } from '../../kernel/run/operation.ts';
import { operations } from '../../resolvers/index.ts';
import type { Route } from '../../rest-compat/route.ts';
import { routes } from '../../rest-compat/routes.ts';

/** What a request can be about. */
export interface Ids {
  readonly org: string;
  readonly project: string;
}

/** Which id an input names, by the name of the input; anything named otherwise is not about a target. */
const targetNames: Readonly<Record<string, keyof Ids>> = {
  org: 'org',
  org_id: 'org',
  project: 'project',
  project_id: 'project',
  // A project's id is also the key of its default room.
  room: 'project',
};

/** What a path calls its parameters: an organization, a project, or something inside one. */
const paramTargets: Readonly<Record<string, keyof Ids | 'inner'>> = {
  org_id: 'org',
  id: 'project',
  project_id: 'project',
  room_key: 'project',
  presence_id: 'inner',
  message_id: 'inner',
  claim_id: 'inner',
  invite_id: 'inner',
  grant_id: 'inner',
  delegate_id: 'inner',
  credential_id: 'inner',
  principal_id: 'inner',
  vault_id: 'inner',
  user_id: 'inner',
  escalation_id: 'inner',
  topup_id: 'inner',
  contact_id: 'inner',
  fingerprint_id: 'inner',
  incident_id: 'inner',
  query_id: 'inner',
  mailbox_id: 'inner',
  mail_id: 'inner',
  webhook_id: 'inner',
  delivery_id: 'inner',
  run_id: 'inner',
  snapshot_id: 'inner',
  notification_id: 'inner',
  binding_id: 'inner',
  signer_id: 'inner',
  call_id: 'inner',
  job_id: 'inner',
  job_type: 'inner',
  filename: 'inner',
  rule_id: 'inner',
  channel_route_id: 'inner',
  community_installation_id: 'inner',
  branch_id: 'inner',
  version_id: 'inner',
  archive_id: 'inner',
  import_id: 'inner',
  transfer_id: 'inner',
  trigger_id: 'inner',
  issuer_id: 'inner',
  plan_id: 'inner',
  operation_id: 'inner',
  release_id: 'inner',
  key: 'inner',
  name: 'inner',
  domain: 'inner',
};

/** An id of something inside a target that nobody has. */
export const nobodysInner = 'xyz_0123456789';

/** Inputs that name something inside a target, with what a body calls them. */
const innerInputs: Readonly<Record<string, string>> = {
  grant: 'grant_id',
  delegate: 'delegate_id',
  url: 'url',
  community_installation_id: 'community_installation_id',
};
/** Parameters that name no target, with a value that will do. */
const plainParams: Readonly<Record<string, string>> = { tier: 'hobby', token: 'A'.repeat(43), slug: 'nobodys' };

/** Parameters of single operations that name something which they make, with a value that will do. */
const madeThere: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'domains.ensure': { domain: 'shop.example.com' },
};

/** What queries need beside their target. */
const queries: Readonly<Record<string, Record<string, string>>> = {
  'archives.verify': { archive_sha256: 'e'.repeat(64) },
  'archives.inspect': { archive_sha256: 'e'.repeat(64) },
  'releases.diff': { from: 'empty', to: 'empty' },
  'assets.diagnoseUrl': { url: 'nobodys' },
  'assets.waitFresh': { url: 'nobodys', sha256: 'a'.repeat(64) },
};

/**
 * What a caller changes of its own: the project that it names is looked for among those that it may be told of, and one that
 * is not among them is refused with a code of its own, absent or not. Whoever claims a transfer is judged by it, before the
 * organization that is to have it.
 */
export const notTargets: readonly unknown[] = ['notices.createRule', 'notices.updateRule', 'transfers.claim'];

/** What of a body takes more than the smallest value. */
const needed: Readonly<Record<string, object>> = {
  'archives.planUpload': { sha256: 'f'.repeat(64), size: 10_240 },
  'archives.commitUpload': { sha256: 'e'.repeat(64) },
  'archives.import': { archive_sha256: 'e'.repeat(64) },
  'deploys.plan': { spec: { i18n: null } },
  'billing.createCheckout': { product: 'email_pack' },
  'delegates.create': { grant_id: nobodysInner },
  'ci.createBinding': { nonce: '0'.repeat(32) },
  'assets.put': { key: 'a.txt', content: 'a' },
  'functions.createRun': { event_type: 'tried', idempotency_key: 'tried' },
  'email.registerWebhook': { url: 'https://example.com/mail', events: ['bounced'] },
  'email.updateWebhook': { events: ['bounced'] },
  'email.setMailboxDefaults': { auth_sender_mailbox_id: null },
  'contracts.call': {
    signer_id: nobodysInner,
    abi_fragment: [{ type: 'function', name: 'x', inputs: [], outputs: [] }],
  },
  'channelRoutes.configure': { project_scope: 'org' },
  'jobs.registerType': { job_type: 'tried', description: 'Tried.', function: 'tried' },
  'ai.translate': { text: 'a', to: 'es' },
  'contracts.deploy': { signer_id: nobodysInner, bytecode: '0x00' },
};

/** Bodies that are an input as a whole. */
const wholeBodies: Readonly<Record<string, object>> = {
  'projects.applyExpose': { version: 1 },
  'jobs.submit': { job_type: 'echo', input: { input_json: {} }, max_cost_usd_micros: 0 },
};

export interface RestTarget {
  readonly name: string;
  readonly operation: string;
  readonly kind: 'query' | 'mutation';
  /** Whether an organization, or a project, is named. */
  readonly names: readonly (keyof Ids)[];
  /** Whether something inside a target is named, too. */
  readonly inner: boolean;
  readonly request: (ids: Ids, inner?: string) => { readonly method: string; readonly path: string; body?: object };
}

/**
 * Every documented path that names an organization or a project, found by its pattern and by the input of its
 * operation: a new route is in here by itself, and one with a parameter that nobody knows fails until it is explained.
 */
export function restTargets(): RestTarget[] {
  return routes.flatMap((route) => {
    const operation = operations.find(({ name }) => name === route.operation)!;
    if (notTargets.includes(operation.name)) return [];
    const params = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
    for (const param of params) {
      if (!(param in paramTargets) && !(param in plainParams))
        throw new Error(`${route.path}: what does :${param} name? Say so in paramTargets.`);
    }
    const inputs = Object.keys(operation.input.shape as object).filter((name) => name in targetNames);
    const names = [...new Set(inputs.map((name) => targetNames[name]!))];
    return names.length === 0 ? [] : [targetOf(route, operation, inputs, names)];
  });
}

function targetOf(route: Route, operation: AnyOperation, inputs: readonly string[], names: (keyof Ids)[]): RestTarget {
  const made = madeThere[operation.name] ?? {};
  const inPath = new Set(
    [...route.path.matchAll(/:(\w+)/g)].flatMap(([, name]) => (name! in made ? [] : [paramTargets[name!]])),
  );
  return {
    name: `${route.method} ${route.path}`,
    operation: operation.name,
    kind: operation.kind,
    names,
    inner: inPath.has('inner') || Object.keys(operation.input.shape as object).some((name) => name in innerInputs),
    request(ids, inner = nobodysInner) {
      const idOf = (target: keyof Ids | 'inner') => (target === 'inner' ? inner : ids[target]);
      const path = route.path.replaceAll(/:(\w+)/g, (_all, name: string) =>
        encodeURIComponent(made[name] ?? plainParams[name] ?? idOf(paramTargets[name]!)),
      );
      // An id without a place in the path travels in the query, or in the body.
      const besideIn = (part: 'query' | 'body') =>
        Object.fromEntries(
          inputs
            .filter((name) => !inPath.has(targetNames[name]!))
            .filter((name) => (route.method === 'GET' || route.places?.[name]?.in === 'query') === (part === 'query'))
            .map((name) => [route.places?.[name]?.name ?? name, ids[targetNames[name]!]]),
        );
      const search = new URLSearchParams({
        ...(route.method === 'GET' ? queries[operation.name] : {}),
        ...besideIn('query'),
      }).toString();
      const address = search === '' ? path : `${path}?${search}`;
      if (route.method === 'GET') return { method: route.method, path: address };
      const whole = wholeBodies[operation.name];
      return {
        method: route.method,
        path: address,
        body: whole ?? { ...sample(operation, inner), ...needed[operation.name], ...besideIn('body') },
      };
    },
  };
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The smallest input that an operation takes, without its target. */
function sample(operation: AnyOperation, inner: string): Record<string, unknown> {
  const { properties = {}, required = [] } = z.toJSONSchema(operation.input, { io: 'input' }) as Schema;
  return Object.fromEntries(
    required
      .filter((name) => !(name in targetNames))
      .map((name) => (name in innerInputs ? [innerInputs[name]!, inner] : [name, smallest(properties[name]!)])),
  );
}

function smallest({ type, format, enum: values, examples, anyOf }: Schema): unknown {
  if ([type, ...(anyOf ?? []).map((one) => one.type)].flat().includes('null')) return null;
  if (values !== undefined || examples !== undefined) return (values ?? examples)![0];
  if (type === 'string') return format === 'email' ? 'ada@example.com' : 'x';
  if (type === 'number' || type === 'integer') return 1;
  if (type === 'array') return [];
  return type === 'boolean' ? false : {};
}
