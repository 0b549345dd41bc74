/** A schema of JSON, as OpenAPI documents and tools of models print it. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maxLength?: number;
  readonly $ref?: string;
}

const absentUuid = '00000000-0000-4000-8000-000000000000';
const manifest = {
  version: 1,
  tables: [
    {
      name: 'notes',
      expose: true,
      live: true,
      policy: 'public_read_write_UNRESTRICTED',
      i_understand_this_is_unrestricted: true,
    },
  ],
};

/** Templates for inputs by their name in snake case; a name below a path or a type of its own comes first. */
const byName: Readonly<Record<string, unknown>> = {
  org: '{{org}}',
  org_id: '{{org}}',
  project: '{{project}}',
  project_id: '{{project}}',
  project_ids: ['{{project}}'],
  '/projects/ id': '{{project}}',
  room: '{{room}}',
  room_key: '{{room}}',
  presence: '{{presence}}',
  presence_id: '{{presence}}',
  inviter_presence_id: '{{presence}}',
  message: '{{message}}',
  message_id: '{{message}}',
  claim: '{{claim}}',
  claim_id: '{{claim}}',
  grant: '{{grant}}',
  grant_id: '{{grant}}',
  delegate: '{{delegate}}',
  delegate_id: '{{delegate}}',
  escalation: '{{escalation}}',
  escalation_id: '{{escalation}}',
  contact: '{{contact}}',
  contact_id: '{{contact}}',
  incident: '{{incident}}',
  incident_id: '{{incident}}',
  '/orgs/ invite_id': '{{roomInvite}}',
  '/rooms/ invite_id': '{{roomInvite}}',
  invite: '{{roomInvite}}',
  invite_id: '5f2d7c1e-4b0a-4c57-8d11-2f6a1c3b5e70',
  auth_hash: '2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b',
  auth_secret: 'secret',
  principal: '{{developer}}',
  principal_id: '{{developer}}',
  user: '{{user}}',
  user_id: '{{user}}',
  vault: '{{vault}}',
  vault_id: '{{vault}}',
  encryption_key: '{{encryptionKey}}',
  encryption_key_id: '{{encryptionKey}}',
  fingerprint_id: '{{fingerprint}}',
  ek_fingerprint: 'wire-fingerprint',
  custody_scheme: 'device_keystore',
  wallet: '0x00000000000000000000000000000000000000a1',
  wallet_address: '0x00000000000000000000000000000000000000a1',
  '/grants wallet': '0x00000000000000000000000000000000000000a2',
  slug: 'wire-{{world}}',
  repo_name: 'wire/repo',
  '/repo-name name': 'wire-repo',
  'setProjectRepoName/ name': 'wire-repo',
  '/mail/ to': 'test@example.com',
  'sendTestMail/ to': 'test@example.com',
  'organization/ id': '{{org}}',
  'setOrganizationLimits/ name': 'members',
  '/invites principal_id': '{{invited}}',
  'revokeInvite/ principal': '{{invited}}',
  'revoke_org_invite/ principal_id': '{{invited}}',
  '/encryption-key principal_id': '{{owner}}',
  'MemberKey/ principal': '{{owner}}',
  '/escalations/v1/ack token': '{{ackToken}}',
  'acknowledgeByToken/ token': '{{ackToken}}',
  'ack_escalation_by_token/ token': '{{ackToken}}',
  'billingLookup/ wallet': '{{ownerWallet}}',
  'node/ id': '{{org}}',
  'fingerprint/ id': '{{fingerprint}}',
  '/lookup wallet': '{{ownerWallet}}',
  tier: 'prototype',
  role: 'developer',
  capability: 'read',
  capabilities: 'read',
  email: 'wire-{{world}}@example.com',
  password: 'a long password',
  scope: { v: 1, capabilities: ['read'] },
  '/incidents scope': 'global',
  '/logout scope': 'local',
  spend_cap: { v: 1, currency: 'usd_micros', period: 'day', per_period: 100, per_tx: 10 },
  limits: { members: 50 },
  sql: 'select 1 as one',
  params: [],
  manifest,
  migration_sql: 'create table later (id int primary key)',
  event_type: 'order_paid',
  types: ['order_paid'],
  resource: 'repo:src/**',
  session_key: 'wire',
  display_name: 'Wire',
  name: 'Wire',
  requested_name: 'wire',
  body: 'A word',
  reason: 'It does not work',
  summary: 'A test',
  url: 'https://wire.invalid/',
  webhook: 'https://wire.invalid/hook',
  return_to: '/console',
  redirect_url: 'https://wire.invalid/back',
  allowed_redirect_urls: ['https://wire.invalid/back'],
  add_redirect_urls: ['https://wire.invalid/other'],
  remove_redirect_urls: ['https://wire.invalid/other'],
  allowed_email_domains: ['example.com'],
  sample_id: 'req_wire',
  release_id: 'rel_wire',
  function: 'checkout',
  to: ['wire'],
  cc: [],
  tables: ['notes'],
  wait: 1,
  limit: 2,
  first: 2,
  offer_usd: 1000,
  amount_usd_micros: 1_000_000,
  token: 'a-token',
  code: '123456',
  id: '{{project}}',
  grant_type: 'password',
  apikey: '{{anonKey}}',
  // Unread messages depend on what was read before; a time that is over depends on nothing.
  expires_at: '2099-01-02T03:04:05Z',
};

export const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A template by the name of an input alone; undefined for a name that says nothing. @param where the path or field that takes it */
export function namedSample(name: string, where: string): unknown {
  const plain = snake(name);
  const own = Object.keys(byName).find((key) => {
    const [place, inner] = key.split(' ');
    return inner === plain && where.includes(place!);
  });
  return byName[own ?? plain];
}

/** A value that a schema takes. @param all whether optional members are given, too */
export function sample(schema: JsonSchema, name: string, where: string, all = false): unknown {
  const named = namedSample(name, where);
  const inner = (schema.anyOf ?? schema.oneOf)?.find(({ type }) => type !== 'null');
  if (schema.enum !== undefined) return schema.enum.includes(named) ? named : schema.enum[0];
  if (schema.const !== undefined) return schema.const;
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type;
  if (
    named !== undefined &&
    !(name === 'scope' && type === 'string') &&
    !(type === 'object' && typeof named !== 'object')
  )
    return named;
  if (inner !== undefined) return sample(inner, name, where, all);
  if (schema.examples !== undefined) return schema.examples[0];
  if (type === 'object') return sampleObject(schema, where, all);
  if (type === 'array') return schema.items === undefined ? [] : [sample(schema.items, '', where, all)];
  if (type === 'integer' || type === 'number') return Math.max(schema.minimum ?? 1, 1);
  if (type === 'boolean') return true;
  if (schema.format === 'uuid') return absentUuid;
  if (schema.format === 'date-time') return '2026-01-02T03:04:05Z';
  return 'text';
}

/** Optional members without which a project, or who speaks in a room, gets a name by chance, or nobody is meant. */
export const isGivenAlways = (name: string, where: string): boolean =>
  ['name', 'requested_name', 'session_key'].includes(snake(name)) ||
  (name === 'project_id' && where.startsWith('/auth/v1')) ||
  (name === 'wallet' && /lookup/i.test(where));

/** An object that a schema takes. */
export function sampleObject({ properties = {}, required = [] }: JsonSchema, where: string, all = false) {
  const names = Object.keys(properties).filter((name) => all || required.includes(name) || isGivenAlways(name, where));
  return Object.fromEntries(names.map((name) => [name, sample(properties[name]!, name, where, all)]));
}

/** An input that is to be refused, or taken, and what is special about it. */
export interface Variant {
  readonly name: string;
  readonly value: Record<string, unknown>;
}

/** How many members of one object are each given wrongly. */
const membersTried = 6;

/** Inputs around one that is good: each member left out, of another type, too long, empty; an unknown one; a foreign id. */
export function badVariants(schema: JsonSchema, where: string): Variant[] {
  const { properties = {}, required = [] } = schema;
  const good = sampleObject(schema, where);
  const variants: Variant[] = required.map((name) => {
    const { [name]: _left, ...rest } = good;
    return { name: `without ${name}`, value: rest };
  });
  const order = Object.keys(properties).toSorted((a, b) => Number(required.includes(b)) - Number(required.includes(a)));
  for (const name of order.slice(0, membersTried)) {
    const value = sample(properties[name]!, name, where);
    const wrong = typeof value === 'string' ? { wrong: true } : typeof value === 'object' ? 5 : 'text';
    variants.push({ name: `${name} of another type`, value: { ...good, [name]: wrong } });
    if (typeof value !== 'string') continue;
    variants.push({
      name: `${name} too long`,
      value: { ...good, [name]: 'x'.repeat((properties[name]!.maxLength ?? 40_000) + 1) },
    });
    variants.push({ name: `${name} empty`, value: { ...good, [name]: '' } });
    if (foreign[snake(name)] !== undefined)
      variants.push({ name: `${name} of another organization`, value: { ...good, [name]: foreign[snake(name)] } });
  }
  variants.push({ name: 'an unknown member', value: { ...good, wire_unknown: 1 } });
  return variants;
}

/** Templates for rows of another organization. */
export const foreign: Readonly<Record<string, string>> = {
  org: '{{otherOrg}}',
  org_id: '{{otherOrg}}',
  project: '{{otherProject}}',
  project_id: '{{otherProject}}',
  id: '{{otherProject}}',
};

/** A body that has a member for every name there is, for paths that no document describes. */
export const everyMember = (where: string): Record<string, unknown> =>
  Object.fromEntries(
    Object.keys(byName)
      .filter((name) => !name.includes(' '))
      .map((name) => [name, namedSample(name, where)]),
  );

/** What takes something away; it is asked last, since much else is refused behind it. */
export const takesAway = (name: string): boolean =>
  /delete|remove|revoke|leave|archive|end|close|rotat|release|lost|logout|sign-out|unlink|demote|revoke|dismiss|clear|rm\b|forget/i.test(
    name,
  );

const whole =
  /(delete|archive|reactivate)_?project$|\/archive$|\/projects\/v1\/\{id\}$|remove\w*member|members\/\{principal_id\}$|projects (delete|archive)|member rm/i;

/** In the order in which they leave something for the next: what takes a whole project or a member away comes last. */
export const inOrder = <One>(all: readonly One[], nameOf: (one: One) => string): readonly One[] =>
  all.toSorted((a, b) => Number(whole.test(nameOf(a))) - Number(whole.test(nameOf(b))));
